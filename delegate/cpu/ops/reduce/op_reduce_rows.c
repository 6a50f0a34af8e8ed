// Reductions of bytes and float32 along the last dimension: each row of contiguous elements becomes one element. A task
// computes several rows.
#include <string.h>

#include "base/arith.h"
#include "base/inline.h"
#include "base/interleave.h"
#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "cpu/plan/select.h"
#include "kernels/arg_max.h"
#include "kernels/row_sums.h"
#include "operators/reduction.h"

enum { MOST_ROWS = 64 };  // rows that are reduced together

struct reduce {
  struct tvmq_cut cut;
  struct tvmq_reduce_desc desc;
  size_t n_rows, depth;
  const struct tvmq_variant *variant;  // NULL: float32
  struct tvmq_rescaled_sum rescaled;
  uint8_t *results;  // table: output for each sum of unsigned bytes; NULL: sums are rescaled one by one
};

// ---- sums of bytes

static uint8_t sign_of(const struct reduce *r) { return tvmq_flip_to_u8(r->desc.in_type); }

static uint8_t byte_of_sum(const struct reduce *r, int32_t sum) {
  const struct tvmq_range range = tvmq_type_range(r->desc.out_type);
  return (uint8_t)tvmq_clamp(tvmq_rescaled(&r->rescaled, sum), range.min, range.max);
}

// Kernels sum several rows together. If there are fewer rows, each is divided into parts of equal length, and the bytes
// after the last part are added one by one. The pointer table is filled up to whole tiles.
static void sum_bytes(const struct reduce *r, const uint8_t *in, size_t n, int32_t sums[MOST_ROWS]) {
  enum { MOST_PARTS = 16, LEAST_PART = 4 * TVMQ_LINE, TILE = 4 };
  const size_t parts = tvmq_max(tvmq_min(MOST_PARTS / n, r->depth / LEAST_PART), 1), used = n * parts, k = r->depth / parts;
  const int32_t offset = r->results == NULL ? sign_of(r) : 0;  // subtracted from each byte
  const void *rows[MOST_ROWS];
  for (size_t part = 0; part < parts; part++) {
    for (size_t i = 0; i < n; i++) rows[part * n + i] = in + i * r->depth + part * k;
  }
  for (size_t i = used; i < tvmq_round_up(used, TILE); i++) rows[i] = in;
  r->variant->fn.row_sums(&(struct tvmq_row_sums_args){
      .rows = rows, .n = used, .mr = TILE, .n_taps = 1, .k = k, .mask = sign_of(r), .offset = (int32_t)k * offset, .factor = 1, .terms = sums});
  for (size_t part = 1; part < parts; part++) {
    for (size_t i = 0; i < n; i++) sums[i] += sums[part * n + i];
  }
  for (size_t rest = parts * k; rest < r->depth; rest++) {
    for (size_t i = 0; i < n; i++) sums[i] += (in[i * r->depth + rest] ^ sign_of(r)) - offset;
  }
}

static void reduce_to_sums(const struct reduce *r, const void *in, size_t n, void *out) {
  int32_t sums[MOST_ROWS];
  sum_bytes(r, in, n, sums);
  for (size_t i = 0; i < n; i++) ((uint8_t *)out)[i] = r->results != NULL ? r->results[sums[i]] : byte_of_sum(r, sums[i]);
}

// Makes the table `results` if there are enough rows to justify it. Returns false if out of memory.
static bool make_results(struct reduce *r) {
  enum { MOST = 1 << 16, LEAST_USE = 16 };
  const size_t n = r->depth * UINT8_MAX + 1;
  if (n > MOST || n > LEAST_USE * r->n_rows) return true;
  uint8_t *const results = tvmq_alloc_unset(n);
  const int32_t least = r->desc.in_type == TVMQ_TYPE_S8 ? (int32_t)r->depth * INT8_MIN : 0;
  for (int32_t i = 0; results != NULL && i < (int32_t)n; i++) results[i] = byte_of_sum(r, least + i);
  r->results = results;
  return results != NULL;
}

// ---- the greatest and the least byte

// The minimum is the maximum in the opposite order.
static void reduce_to_extremes(const struct reduce *r, const void *in, size_t n, void *out) {
  int32_t found[MOST_ROWS];
  const uint8_t flip = sign_of(r) ^ (r->desc.reduction == TVMQ_REDUCTION_MIN ? UINT8_MAX : 0);
  r->variant->fn.arg_max(&(struct tvmq_arg_max_args){.in = in, .rows = n, .depth = r->depth, .flip = flip, .found = found});
  for (size_t i = 0; i < n; i++) ((uint8_t *)out)[i] = ((const uint8_t *)in)[i * r->depth + (size_t)found[i]];
}

// ---- means of float32

// Elements must be added in order, and each addition waits for the previous one. Adding several rows together therefore
// takes no longer. Four rows are the lanes of a vector: squares of 4 x 4 elements are transposed and added. Four such
// vectors alternate.
typedef float four_floats __attribute__((vector_size(16)));
enum { LANES = 4, VECTORS = 4, SIDE_BY_SIDE = LANES * VECTORS };

TVMQ_INLINE four_floats load_four(const float *from) {
  four_floats four;
  memcpy(&four, from, sizeof four);
  return four;
}

// Adds elements k to k + 3 of four rows.
TVMQ_INLINE four_floats add_square(four_floats sums, const float *const rows[LANES], size_t k) {
  const four_floats a = load_four(rows[0] + k), b = load_four(rows[1] + k), c = load_four(rows[2] + k), d = load_four(rows[3] + k);
  const four_floats even_low = TVMQ_LOW_4(a, c), even_high = TVMQ_HIGH_4(a, c), odd_low = TVMQ_LOW_4(b, d), odd_high = TVMQ_HIGH_4(b, d);
  sums += TVMQ_LOW_4(even_low, odd_low);
  sums += TVMQ_HIGH_4(even_low, odd_low);
  sums += TVMQ_LOW_4(even_high, odd_high);
  return sums + TVMQ_HIGH_4(even_high, odd_high);
}

// Sums `vectors` groups of four rows; `vectors` is a compile-time constant.
TVMQ_INLINE void sum_rows(const float *const *rows, size_t depth, int vectors, four_floats *results) {
  four_floats sums[VECTORS] = {{0}};
  size_t k = 0;
  for (; k + LANES <= depth; k += LANES) {
    UNROLL for (int v = 0; v < vectors; v++) sums[v] = add_square(sums[v], rows + v * LANES, k);
  }
  for (; k < depth; k++) {
    UNROLL for (int v = 0; v < vectors; v++) {
      const float *const *const four = rows + v * LANES;
      sums[v] += (four_floats){four[0][k], four[1][k], four[2][k], four[3][k]};
    }
  }
  UNROLL for (int v = 0; v < vectors; v++) results[v] = sums[v];
}

// Missing rows repeat the last row.
static void reduce_to_means(const struct reduce *r, const void *in, size_t n, void *out) {
  const float count = (float)tvmq_reduction_count(&r->desc);
  float *means = out;
  for (size_t first = 0, used; first < n; first += used) {
    used = tvmq_min(n - first, SIDE_BY_SIDE);
    const float *rows[SIDE_BY_SIDE];
    for (size_t i = 0; i < SIDE_BY_SIDE; i++) rows[i] = (const float *)in + (first + tvmq_min(i, used - 1)) * r->depth;
    four_floats sums[VECTORS];
    if (used > LANES) {
      sum_rows(rows, r->depth, VECTORS, sums);
    } else {
      sum_rows(rows, r->depth, 1, sums);
    }
    for (size_t i = 0; i < used; i++) means[first + i] = sums[i / LANES][i % LANES] / count;
  }
}

// ---- the operator

// Chooses the function and the kernel, and estimates the cycles.
static const char *choose(struct reduce *r, const struct tvmq_env *env, float *cycles) {
  enum { FLOAT_CYCLES = 4 };
  const bool sums = tvmq_reduction_is_sum(&r->desc);
  const struct tvmq_target target = {.cpu = env->cpu, .machine = env->machine};  // a constraint names a kernel of another family
  if (r->desc.in_type == TVMQ_TYPE_F32) {
    *cycles = (float)tvmq_ceil_div(r->n_rows, SIDE_BY_SIDE) * (float)r->depth * FLOAT_CYCLES;
    return NULL;
  }
  r->variant = sums ? tvmq_select_byte_sums(&target, r->n_rows, r->depth, cycles) : tvmq_select_arg_max(r->depth, &target);
  if (r->variant == NULL) return "no kernel";
  if (sums) {
    r->rescaled = tvmq_reduction_rescaled(&r->desc, env->rounding);
    return make_results(r) ? NULL : "out of memory";
  }
  const struct tvmq_speed speed = tvmq_speed_of(r->variant, env->machine);
  *cycles = (float)r->n_rows * (speed.tile_cycles + (float)r->depth / speed.rate);
  return NULL;
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (*op == NULL) *op = tvmq_alloc(sizeof(struct reduce));
  struct reduce *r = (struct reduce *)*op;
  if (r == NULL) return "out of memory";
  tvmq_free(r->results);
  *r = (struct reduce){.desc = desc->reduce, .n_rows = (size_t)desc->reduce.dims[0], .depth = (size_t)desc->reduce.dims[1]};
  float cycles;
  const char *why = choose(r, env, &cycles);
  if (why == NULL) tvmq_cut_units(&r->cut, r->n_rows, 1, cycles, env);
  return why;
}

static void release(struct tvmq_op *op) {
  if (op != NULL) tvmq_free(((struct reduce *)op)->results);
  tvmq_free(op);
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct reduce *r = (const struct reduce *)op;
  *out = (struct tvmq_op_info){.kernel = r->variant != NULL ? r->variant->name : "", .algorithm = "rows", .cycles = r->cut.cycles};
}

// Reduces n rows, up to MOST_ROWS.
static void reduce(const struct reduce *r, const void *in, size_t n, void *out) {
  if (r->desc.in_type == TVMQ_TYPE_F32)
    reduce_to_means(r, in, n, out);
  else if (tvmq_reduction_is_sum(&r->desc))
    reduce_to_sums(r, in, n, out);
  else
    reduce_to_extremes(r, in, n, out);
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct reduce *r = (const struct reduce *)op;
  const struct tvmq_piece piece = tvmq_cut_piece(&r->cut, task.index);
  const size_t element = tvmq_type_bytes(r->desc.in_type), end = piece.first + piece.n;
  for (size_t row = piece.first, n; row < end; row += n) {
    n = tvmq_min(end - row, MOST_ROWS);
    reduce(r, (const uint8_t *)pass->in[0] + row * r->depth * element, n, (uint8_t *)pass->outs[0] + row * element);
  }
}

const struct tvmq_implementation tvmq_op_reduce_rows = {
    .n_tasks = tvmq_cut_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .release = release, .info = info)};
