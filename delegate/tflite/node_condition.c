// Comparisons, operations on conditions, and selections.
#include "tflite/node_kind.h"

static const char *check_types(const struct tvmq_node_view *view, const struct tvmq_condition_desc *condition, int n_in) {
  const bool selects = condition->condition == TVMQ_CONDITION_SELECT;
  if (selects && tvmq_tensor_type(view->in[0]) != TVMQ_TYPE_BOOL) return "the condition is not bool";
  for (int i = selects ? 1 : 0; i < n_in; i++) {
    if (tvmq_tensor_type(view->in[i]) != condition->type) return "the inputs' types differ";
  }
  return tvmq_tensor_type(view->out) == (selects ? condition->type : TVMQ_TYPE_BOOL) ? NULL : "the output has another type than the reference gives it";
}

// SELECT, unlike SELECT_V2, broadcasts only the condition: a single one, or one for each index of the first dimension.
static const char *align_leading(struct tvmq_shape in[TVMQ_BROADCAST_INPUTS]) {
  struct tvmq_shape *condition = &in[0];
  if (!tvmq_shape_has_dims(&in[1], in[2].rank, in[2].dims)) return "the inputs' shapes differ";
  if (condition->rank == 0 || tvmq_shape_has_dims(condition, in[1].rank, in[1].dims)) return NULL;
  if (condition->rank != 1 || in[1].rank == 0 || condition->dims[0] != in[1].dims[0]) return "the inputs' shapes differ";
  for (int d = 1; d < in[1].rank; d++) condition->dims[d] = 1;
  condition->rank = in[1].rank;
  return NULL;
}

static bool is_single(const struct tvmq_shape *shape) {
  bool single = true;
  for (int d = 0; d < shape->rank; d++) single &= shape->dims[d] == 1;
  return single;
}

static const char *describe_condition(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_condition_desc *condition = &desc->condition;
  const int n_in = tvmq_condition_inputs(condition->condition);
  condition->type = tvmq_tensor_type(view->in[n_in - 1]);
  const char *reason = check_types(view, condition, n_in);
  if (reason != NULL) return reason;
  struct tvmq_shape in[TVMQ_BROADCAST_INPUTS] = {0};
  for (int i = 0; i < n_in; i++) in[i] = shapes->in[i];
  for (int i = 0; i < 2 && tvmq_condition_compares(condition->condition); i++) condition->in[i] = tvmq_tensor_quant(view->in[i]);
  if (condition->leading) reason = align_leading(in);
  if (reason == NULL) reason = tvmq_broadcast_shapes(in, n_in, &shapes->out, &condition->broadcast);
  // The runtime keeps the rank that the file gives an output of one element.
  if (reason == NULL && condition->condition == TVMQ_CONDITION_SELECT && is_single(&shapes->out)) reason = tvmq_same_shape(view->out, &shapes->out);
  if (reason == NULL) reason = tvmq_shape_set_bytes(&shapes->out, tvmq_tensor_type(view->out));
  bool same = true;
  for (int i = 1; i < n_in; i++) same &= tvmq_shape_has_dims(&in[0], in[i].rank, in[i].dims);
  condition->rank = same ? 0 : shapes->out.rank;
  condition->n = shapes->out.bytes / tvmq_type_bytes(tvmq_tensor_type(view->out));
  return reason;
}

#define CONDITION(NAME, CONDITION_, N_IN, ...)                                                                \
  const struct tvmq_node_kind tvmq_node_##NAME = {.op_def = &tvmq_operator_condition,                         \
                                                  .n_in = (N_IN),                                             \
                                                  .min_inputs = (N_IN),                                       \
                                                  .max_inputs = (N_IN),                                       \
                                                  .options.condition.condition = TVMQ_CONDITION_##CONDITION_, \
                                                  .describe = describe_condition,                             \
                                                  __VA_ARGS__};
CONDITION(equal, EQUAL, 2)
CONDITION(greater, GREATER, 2)
CONDITION(greater_equal, GREATER_EQUAL, 2)
CONDITION(less, LESS, 2)
CONDITION(less_equal, LESS_EQUAL, 2)
CONDITION(logical_and, AND, 2)
CONDITION(logical_not, NOT, 1)
CONDITION(logical_or, OR, 2)
CONDITION(not_equal, NOT_EQUAL, 2)
CONDITION(select, SELECT, 3, .options.condition.leading = true)
CONDITION(select_v2, SELECT, 3)
