// MEAN, SUM, REDUCE_MAX and REDUCE_MIN over any axes. A task computes several indices of the first dimension, which is
// kept, or of the last one. A reduced dimension between two kept ones can be a pooling (op_pool.c). If only the
// dimension after the first is reduced, op_reduce_rows.c computes it.
#include <math.h>
#include <string.h>

#include "arithmetic/stage.h"
#include "base/arith.h"
#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "cpu/plan/blocks.h"
#include "cpu/plan/select.h"
#include "operators/reduction.h"

// ---- loops

// Accumulation loops over n elements. each: combines from[i] into into[i]. all: combines all elements into into[0], in
// order. join: combines accumulators into accumulators; NULL for floats, whose order of addition is fixed. Accumulators
// of sums are int32, or float32 for float32 elements; those of extremes have the elements' type.
typedef void (*loop_fn)(void *into, const void *from, size_t n);
struct loops {
  loop_fn each, all, join;
};

#define EACH(NAME, ACC, TYPE, EXPRESSION)                                  \
  static void NAME##_each_##TYPE(void *into, const void *from, size_t n) { \
    ACC *restrict const acc = into;                                        \
    const TYPE *restrict const x = from;                                   \
    for (size_t i = 0; i < n; i++) {                                       \
      const ACC a = acc[i], b = x[i];                                      \
      acc[i] = (ACC)(EXPRESSION);                                          \
    }                                                                      \
  }
#define ALL(NAME, ACC, TYPE, EXPRESSION)                                  \
  static void NAME##_all_##TYPE(void *into, const void *from, size_t n) { \
    const TYPE *const x = from;                                           \
    ACC a = *(ACC *)into;                                                 \
    for (size_t i = 0; i < n; i++) {                                      \
      const ACC b = x[i];                                                 \
      a = (ACC)(EXPRESSION);                                              \
    }                                                                     \
    *(ACC *)into = a;                                                     \
  }
#define LOOPS(NAME, ACC, TYPE, EXPRESSION) EACH(NAME, ACC, TYPE, EXPRESSION) ALL(NAME, ACC, TYPE, EXPRESSION)
#define LOOPS_OF(TYPE)                  \
  LOOPS(sum, int32_t, TYPE, a + b)      \
  LOOPS(max, TYPE, TYPE, a > b ? a : b) \
  LOOPS(min, TYPE, TYPE, a < b ? a : b)
LOOPS_OF(int8_t)
LOOPS_OF(uint8_t)
LOOPS_OF(int16_t)
LOOPS(sum, float, float, a + b)
EACH(sum, int32_t, int32_t, a + b)

// clang-format off
#define JOINED(NAME, TYPE, ACC) {NAME##_each_##TYPE, NAME##_all_##TYPE, NAME##_each_##ACC}
#define SUMS {[TVMQ_TYPE_S8] = JOINED(sum, int8_t, int32_t), [TVMQ_TYPE_U8] = JOINED(sum, uint8_t, int32_t), [TVMQ_TYPE_S16] = JOINED(sum, int16_t, int32_t)}
#define EXTREMES(NAME) \
  {[TVMQ_TYPE_S8] = JOINED(NAME, int8_t, int8_t), [TVMQ_TYPE_U8] = JOINED(NAME, uint8_t, uint8_t), [TVMQ_TYPE_S16] = JOINED(NAME, int16_t, int16_t)}
// clang-format on
static const struct loops float_sums = {sum_each_float, sum_all_float, NULL};
static const struct loops loops[][TVMQ_TYPE_S16 + 1] = {
    [TVMQ_REDUCTION_MEAN] = SUMS, [TVMQ_REDUCTION_SUM] = SUMS, [TVMQ_REDUCTION_MAX] = EXTREMES(max), [TVMQ_REDUCTION_MIN] = EXTREMES(min)};

// ---- plan

struct reduce {
  struct tvmq_reduce_desc desc;
  const struct tvmq_variant *pool;  // float32: kernel that computes means over the only reduced dimension; NULL: loops
  size_t element_bytes, acc_bytes;
  size_t block, outputs;  // input elements and outputs per index of the first dimension
  size_t inner;           // size of the last dimension
  size_t lanes;           // elements of several lines that are reduced as one vector; 0: one line at a time
  struct tvmq_cut cut;    // cuts the first dimension, or the last one if `cuts_inner`
  bool cuts_inner;
  struct tvmq_rescaled_sum rescaled;
  size_t slice, lanes_at;  // bytes of a thread's scratch, and offset of the lanes in it
  size_t scratch_bytes;    // for all threads
  const struct tvmq_scratch *scratch;
};

// Not kept in the plan, which can be copied to other processes.
static const struct loops *loops_of(const struct reduce *r) {
  return r->desc.in_type == TVMQ_TYPE_F32 ? &float_sums : &loops[r->desc.reduction][r->desc.in_type];
}

static bool is_float(const struct reduce *r) { return r->desc.in_type == TVMQ_TYPE_F32; }
static bool is_sum(const struct reduce *r) { return tvmq_reduction_is_sum(&r->desc); }

static void end_sums(const struct reduce *r, const int32_t *acc, size_t n, void *out) {
  const struct tvmq_range range = tvmq_type_range(r->desc.out_type);
  for (size_t i = 0; i < n; i++) {
    const int32_t value = tvmq_clamp(tvmq_rescaled(&r->rescaled, acc[i]), range.min, range.max);
    if (r->element_bytes == sizeof(int16_t)) {
      ((int16_t *)out)[i] = (int16_t)value;
    } else {
      ((uint8_t *)out)[i] = (uint8_t)value;
    }
  }
}

static void end_floats(const struct reduce *r, const float *acc, size_t n, float *out) {
  const float count = (float)tvmq_reduction_count(&r->desc);
  for (size_t i = 0; i < n; i++) out[i] = acc[i] / count;
}

// Computes means of float32 with a kernel that keeps its sums in registers. It adds in the loops' order, and the bounds change nothing.
static void pool_floats(const struct reduce *r, const float *in, const struct tvmq_piece *columns, float *out) {
  r->pool->fn.float_pool(&(struct tvmq_float_pool_args){.in = in + columns->first,
                                                        .col_stride = r->inner,
                                                        .n_rows = 1,
                                                        .n_cols = (size_t)r->desc.dims[1],
                                                        .channels = columns->n,
                                                        .out = out,
                                                        .min = -INFINITY,
                                                        .max = INFINITY});
}

static void set_tasks(struct reduce *r, const struct tvmq_env *env) {
  const float cycles = (float)r->desc.dims[0] * (float)r->block * (float)r->element_bytes / 4;
  const size_t outer = (size_t)r->desc.dims[0];
  r->cuts_inner = outer < tvmq_tasks_wanted(env->machine, env->threads, cycles) && r->inner / TVMQ_LINE > outer;
  tvmq_cut_units(&r->cut, r->cuts_inner ? r->inner : outer, r->cuts_inner ? TVMQ_LINE : 1, cycles, env);
}

// Returns the number of lanes. Short lines of several elements are reduced together if they fill several vectors.
static size_t lanes(const struct reduce *r) {
  enum { MOST = 256, FEW = 64 };
  if (loops_of(r)->join == NULL || r->inner == 1 || r->inner > FEW || r->cuts_inner) return 0;
  const size_t n = MOST / r->inner * r->inner;
  return r->inner * (size_t)r->desc.dims[r->desc.n_dims - 2] < 2 * n ? 0 : n;
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct reduce));
  struct reduce *r = (struct reduce *)*op;
  if (!r) return "out of memory";
  const struct tvmq_reduce_desc *d = &desc->reduce;
  *r = (struct reduce){.desc = *d,
                       .element_bytes = tvmq_type_bytes(d->in_type),
                       .block = 1,
                       .outputs = (size_t)(tvmq_reduction_outputs(d) / d->dims[0]),
                       .inner = (size_t)d->dims[d->n_dims - 1],
                       .scratch = env->scratch};
  r->acc_bytes = is_sum(r) ? sizeof(int32_t) : r->element_bytes;
  for (int i = 1; i < d->n_dims; i++) r->block *= (size_t)d->dims[i];
  if (is_sum(r) && !is_float(r)) r->rescaled = tvmq_reduction_rescaled(d, env->rounding);
  const struct tvmq_target target = {.cpu = env->cpu, .machine = env->machine};  // a constraint names a kernel of another family
  if (is_float(r) && d->n_dims == 3) r->pool = tvmq_select_untyped(TVMQ_FAMILY_FLOAT_POOL, &target);
  set_tasks(r, env);
  size_t at;
  r->lanes = lanes(r);
  if (!tvmq_scratch_append(&r->slice, r->outputs, r->acc_bytes, &at) || !tvmq_scratch_append(&r->slice, r->lanes, r->acc_bytes, &r->lanes_at))
    return "scratch exceeds the address space";
  r->scratch_bytes = r->slice * (size_t)tvmq_threads_count(env->threads);
  return tvmq_scratch_reserve(env->scratch, 0, r->slice, (size_t)tvmq_threads_count(env->threads)) ? NULL : "out of memory";
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct reduce *r = (const struct reduce *)op;
  *out =
      (struct tvmq_op_info){.kernel = r->pool != NULL ? r->pool->name : "", .algorithm = "loops", .scratch_bytes = r->scratch_bytes, .cycles = r->cut.cycles};
}

// ---- run

static size_t n_tasks(const struct tvmq_op *op, size_t pass) {
  const struct reduce *r = (const struct reduce *)op;
  return pass > 0 ? 0 : r->cut.tasks * (r->cuts_inner ? (size_t)r->desc.dims[0] : 1);
}

// Sets n accumulators to the neutral element of the reduction.
static void begin(const struct reduce *r, uint8_t *acc, size_t n) {
  const struct tvmq_range range = tvmq_type_range(r->desc.in_type);
  const int32_t value = is_sum(r) ? 0 : r->desc.reduction == TVMQ_REDUCTION_MAX ? range.min : range.max;
  if (r->acc_bytes == sizeof(int16_t)) {
    for (size_t i = 0; i < n; i++) ((int16_t *)acc)[i] = (int16_t)value;
  } else {
    memset(acc, (uint8_t)value, n * r->acc_bytes);
  }
}

// Reduces n lines of `kept` elements to the given columns. With lanes, the columns are always all columns.
static void fold_lines(const struct reduce *r, const uint8_t *in, size_t n, size_t kept, const struct tvmq_piece *columns, uint8_t *into, uint8_t *lanes) {
  const struct loops *const loops_here = loops_of(r);
  const size_t element = r->element_bytes;
  if (r->lanes > 0) {
    const size_t vectors = n * kept / r->lanes;
    begin(r, lanes, r->lanes);
    for (size_t i = 0; i < vectors; i++) loops_here->each(lanes, in + i * r->lanes * element, r->lanes);
    for (size_t i = 0; i < r->lanes; i += kept) loops_here->join(into, lanes + i * r->acc_bytes, kept);
    in += vectors * r->lanes * element;
    n -= vectors * (r->lanes / kept);
  }
  for (size_t i = 0; i < n; i++) loops_here->each(into, in + (i * kept + columns->first) * element, columns->n);
}

// Reduces the dimensions from the reduced dimension `level` on, for the given columns of the last dimension. The
// results go to the accumulators from `output` on.
static void fold(const struct reduce *r, int level, const uint8_t *in, size_t output, const struct tvmq_piece *columns, uint8_t *acc) {
  const size_t n = (size_t)r->desc.dims[level], kept = (size_t)r->desc.dims[level + 1];
  // The second condition follows from the first, and tells the compiler that dims[] is not exceeded.
  if (level + 2 == r->desc.n_dims || level + 4 > TVMQ_MAX_RANK + 2) {
    uint8_t *const into = acc + output * columns->n * r->acc_bytes;
    if (kept == 1) {
      loops_of(r)->all(into, in, n);
    } else {
      fold_lines(r, in, n, kept, columns, into, acc + r->lanes_at);
    }
    return;
  }
  size_t rest = r->element_bytes;
  for (int i = level + 2; i < r->desc.n_dims; i++) rest *= (size_t)r->desc.dims[i];
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < kept; k++) fold(r, level + 2, in + (i * kept + k) * rest, output * kept + k, columns, acc);
  }
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct reduce *r = (const struct reduce *)op;
  const struct tvmq_piece piece = tvmq_cut_piece(&r->cut, tvmq_take_digit(&task.index, r->cut.tasks));
  const struct tvmq_piece all = {.n = r->inner}, single = {.first = task.index, .n = 1};
  const struct tvmq_piece columns = r->cuts_inner ? piece : all, rows = r->cuts_inner ? single : piece;
  uint8_t *const acc = r->scratch->memory + (size_t)task.thread * r->slice;
  const size_t lines = r->outputs / r->inner;
  for (size_t i = rows.first; i < rows.first + rows.n; i++) {
    if (r->pool != NULL) {
      pool_floats(r, (const float *)pass->in[0] + i * r->block, &columns, (float *)pass->outs[0] + i * r->outputs + columns.first);
      continue;
    }
    begin(r, acc, lines * columns.n);
    fold(r, 1, (const uint8_t *)pass->in[0] + i * r->block * r->element_bytes, 0, &columns, acc);
    for (size_t line = 0; line < lines; line++) {
      uint8_t *const out = (uint8_t *)pass->outs[0] + (i * r->outputs + line * r->inner + columns.first) * r->element_bytes;
      const uint8_t *const from = acc + line * columns.n * r->acc_bytes;
      if (is_float(r)) {
        end_floats(r, (const float *)from, columns.n, (float *)out);
      } else if (is_sum(r)) {
        end_sums(r, (const int32_t *)from, columns.n, out);
      } else {
        memcpy(out, from, columns.n * r->element_bytes);
      }
    }
  }
}

// Poolings compute vectors of channels, so they are chosen if there are enough channels.
static const struct tvmq_implementation *computed_by(const union tvmq_desc *desc, const struct tvmq_env *env) {
  (void)env;
  enum { FEW = 8 };
  const struct tvmq_reduce_desc *d = &desc->reduce;
  const bool narrow = d->in_type != TVMQ_TYPE_S16 && d->in_type != TVMQ_TYPE_F32;
  const bool pools = d->n_dims == 3 && d->dims[2] >= FEW && narrow && d->reduction != TVMQ_REDUCTION_MIN;
  if (d->n_dims == 3 && d->dims[2] == 1 && d->in_type != TVMQ_TYPE_S16) return &tvmq_op_reduce_rows;
  return pools ? &tvmq_op_reduce_by_pool : NULL;
}

const struct tvmq_implementation tvmq_op_reduce = {
    .n_tasks = n_tasks, .run_task = run_task, TVMQ_PLANNING(.computed_by = computed_by, .plan = plan, .info = info)};
