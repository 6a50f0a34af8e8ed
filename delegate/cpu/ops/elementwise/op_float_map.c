// Functions of one float32 element between hybrid nodes: only functions whose results do not depend on a math library.
// Elementwise; threads divide the elements.
#include <math.h>

#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "cpu/plan/select.h"

struct map {
  struct tvmq_cut cut;
  const struct tvmq_variant *variant;
  struct tvmq_float_map_args args;  // the kernel's arguments without tensors
};

static const struct {
  enum tvmq_float_mapping mapping;
  float min, max;
} functions[] = {
    [TVMQ_FUNCTION_HARD_SWISH] = {.mapping = TVMQ_MAP_HARD_SWISH}, [TVMQ_FUNCTION_RELU] = {TVMQ_MAP_CLAMP, 0, INFINITY},
    [TVMQ_FUNCTION_RELU_N1_TO_1] = {TVMQ_MAP_CLAMP, -1, 1},        [TVMQ_FUNCTION_RELU_0_TO_1] = {TVMQ_MAP_CLAMP, 0, 1},
    [TVMQ_FUNCTION_LEAKY_RELU] = {.mapping = TVMQ_MAP_BEND},       [TVMQ_FUNCTION_ABS] = {.mapping = TVMQ_MAP_ABSOLUTE},
    [TVMQ_FUNCTION_RSQRT] = {.mapping = TVMQ_MAP_INVERSE_ROOT},    [TVMQ_FUNCTION_SQRT] = {.mapping = TVMQ_MAP_ROOT},
    [TVMQ_FUNCTION_SQUARE] = {.mapping = TVMQ_MAP_SQUARE},         [TVMQ_FUNCTION_NEG] = {.mapping = TVMQ_MAP_NEGATIVE},
};

static struct tvmq_float_map_args args_of(const struct tvmq_unary_desc *desc) {
  return (struct tvmq_float_map_args){
      .mapping = functions[desc->function].mapping,
      .slope = desc->alpha,
      .min = functions[desc->function].min,
      .max = functions[desc->function].max,
  };
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (*op == NULL) *op = tvmq_alloc(sizeof(struct map));
  struct map *m = (struct map *)*op;
  if (m == NULL) return "out of memory";
  const struct tvmq_target target = tvmq_target(env);
  m->variant = tvmq_select_untyped(TVMQ_FAMILY_FLOAT_MAP, &target);
  m->args = args_of(&desc->unary);
  tvmq_cut_units(&m->cut, desc->unary.n, TVMQ_LINE, (float)desc->unary.n / tvmq_speed_of(m->variant, env->machine).rate, env);
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct map *m = (const struct map *)op;
  *out = (struct tvmq_op_info){.kernel = m->variant->name, .algorithm = "elementwise", .cycles = m->cut.cycles};
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct map *m = (const struct map *)op;
  const struct tvmq_piece piece = tvmq_cut_piece(&m->cut, task.index);
  struct tvmq_float_map_args args = m->args;
  args.in = (const float *)pass->in[0] + piece.first;
  args.out = (float *)pass->outs[0] + piece.first;
  args.n = piece.n;
  m->variant->fn.float_map(&args);
}

const struct tvmq_implementation tvmq_op_float_map = {.n_tasks = tvmq_cut_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .info = info)};
