// Functions of one float32 element that the runtime computes with the math library or with Eigen. Elementwise; threads
// divide the elements.
#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "cpu/plan/library.h"

struct function {
  struct tvmq_cut cut;
  const struct tvmq_variant *variant;
  enum tvmq_float_function function;
  size_t tail;  // the tensor's last elements, which Eigen computes one by one
};

static const enum tvmq_float_function functions[] = {
    [TVMQ_FUNCTION_EXP] = TVMQ_FLOAT_EXP,           [TVMQ_FUNCTION_LOG] = TVMQ_FLOAT_LOG,   [TVMQ_FUNCTION_ELU] = TVMQ_FLOAT_ELU,
    [TVMQ_FUNCTION_LOGISTIC] = TVMQ_FLOAT_LOGISTIC, [TVMQ_FUNCTION_SILU] = TVMQ_FLOAT_SILU, [TVMQ_FUNCTION_TANH] = TVMQ_FLOAT_TANH,
};

enum { PACKET = 4 };  // elements that Eigen computes together

static enum tvmq_float_function function_of(const struct tvmq_unary_desc *desc) {
  const bool packets = desc->float32 != TVMQ_FLOAT32_LIBRARY;  // fused or not, as the kernels of this architecture do
  if (desc->function == TVMQ_FUNCTION_GELU) return packets ? TVMQ_FLOAT_GELU_EIGEN : TVMQ_FLOAT_GELU_LIBRARY;
  if (desc->function == TVMQ_FUNCTION_GELU_TANH) return packets ? TVMQ_FLOAT_GELU_TANH_9_8 : TVMQ_FLOAT_GELU_TANH_13_6;
  return functions[desc->function];
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (*op == NULL) *op = tvmq_alloc(sizeof(struct function));
  struct function *f = (struct function *)*op;
  if (f == NULL) return "out of memory";
  const struct tvmq_target target = tvmq_target(env);
  f->function = function_of(&desc->unary);
  f->tail = f->function == TVMQ_FLOAT_GELU_EIGEN ? desc->unary.n % PACKET : 0;
  f->variant = tvmq_select_function(f->function, &target);
  tvmq_cut_units(&f->cut, desc->unary.n, TVMQ_LINE, (float)desc->unary.n / tvmq_speed_of(f->variant, env->machine).rate, env);
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct function *f = (const struct function *)op;
  *out = (struct tvmq_op_info){.kernel = f->variant->name, .algorithm = "elementwise", .cycles = f->cut.cycles};
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct function *f = (const struct function *)op;
  const struct tvmq_piece piece = tvmq_cut_piece(&f->cut, task.index);
  f->variant->fn.float_function(&(struct tvmq_float_function_args){
      .in = (const float *)pass->in[0] + piece.first,
      .out = (float *)pass->outs[0] + piece.first,
      .n = piece.n,
      .tail = task.index + 1 == f->cut.tasks ? f->tail : 0,
      .function = f->function,
      .library = tvmq_library_function(f->function),
      .doubt = TVMQ_FLOAT_DOUBT,
  });
}

const struct tvmq_implementation tvmq_op_float_function = {.n_tasks = tvmq_cut_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .info = info)};
