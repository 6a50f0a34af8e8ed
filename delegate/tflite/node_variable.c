// CALL_ONCE, VAR_HANDLE, READ_VARIABLE and ASSIGN_VARIABLE: the nodes of resource variables (variables.h).
#include "tflite/node_kind.h"
#include "tflite/variables.h"

enum { RESOURCE, VALUE };  // inputs

static const char *describe_once(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  (void)shapes;
  (void)desc;
  return tvmq_variables_refuse_once(view->node->variables);
}

static const char *describe_handle(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  (void)view;
  (void)shapes;
  (void)desc;
  return NULL;
}

static const char *describe_read(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  shapes->out = shapes->in[0];
  return tvmq_begin_copy(view, shapes, desc);
}

static const char *describe_assign(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const char *reason = describe_read(view, shapes, desc);
  if (reason != NULL) return reason;
  return tvmq_same_shape(view->out, &shapes->out) != NULL ? "the value's shape differs from that of the variable's initial value" : NULL;
}

const struct tvmq_node_kind tvmq_node_call_once = {.op_def = &tvmq_operator_nothing, .state = TVMQ_STATE_FIRST_VALUES, .describe = describe_once};
const struct tvmq_node_kind tvmq_node_var_handle = {.op_def = &tvmq_operator_nothing, .state = TVMQ_STATE_HANDLE, .describe = describe_handle};
const struct tvmq_node_kind tvmq_node_read_variable = {
    .op_def = &tvmq_operator_variable, .state = TVMQ_STATE_READ, .n_in = 1, .first_in = RESOURCE, .min_inputs = 1, .max_inputs = 1, .describe = describe_read};
const struct tvmq_node_kind tvmq_node_assign_variable = {
    .op_def = &tvmq_operator_variable, .state = TVMQ_STATE_ASSIGN, .n_in = 1, .first_in = VALUE, .min_inputs = 2, .max_inputs = 2, .describe = describe_assign};
