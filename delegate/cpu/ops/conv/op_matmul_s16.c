// BATCH_MATMUL of int16. Products of two int16 do not fit int32 sums, so the right matrix is split into two digits of base 256, of -128 to 128 each. Products
// with a digit are those of 16x8: up to MOST_DEPTHS of them fit int32. The kernels of Winograd's products multiply by either digit; their sums are added up in
// int64 and rescaled here.
//
// The first pass packs the digits of all right matrices. A task of the second pass computes some rows of one product: it copies the rows of the left matrix,
// which kernels read in whole tiles and groups of depths.
#include <string.h>

#include "arithmetic/stage.h"
#include "base/arith.h"
#include "base/memory.h"
#include "cpu/ops/conv/conv_key.h"
#include "cpu/ops/op.h"
#include "cpu/plan/blocks.h"
#include "cpu/plan/select.h"
#include "operators/quant_params.h"

enum { DIGITS = 2, BASE = 256, MOST_DEPTHS = 504, ROWS = 48, STAGE_CYCLES = 6 };

struct matmul {
  struct tvmq_matmul_desc desc;
  const struct tvmq_variant *variant;
  struct tvmq_scale scale;
  size_t depth, rows;               // padded depth, and rows of a block
  size_t panels, panel_words;       // of a right matrix; words of a panel: both digits
  size_t blocks;                    // of a product
  size_t to_pack, pack_step, step;  // panels to pack, and panels or blocks of a task
  size_t n_blocks;
  float cycles;
  int16_t *packed;
  struct {
    size_t left, sums, totals, size;
  } slice;
  const struct tvmq_scratch *scratch;
  size_t n_threads;
};

static size_t nr_of(const struct matmul *m) { return m->variant->layout.nr; }

static void drop(struct matmul *m) {
  tvmq_free(m->packed);
  *m = (struct matmul){0};
}

static bool choose(struct matmul *m, const struct tvmq_env *env) {
  const struct tvmq_conv_desc *d = &m->desc.conv;
  struct tvmq_winograd_problem problem = {.n_points = DIGITS, .n = (size_t)d->out_c, .k = (size_t)d->in_c, .target = tvmq_target(env)};
  for (int i = 0; i < DIGITS; i++) problem.rows[i] = (size_t)d->in_w;
  m->variant = tvmq_select_winograd_gemm(&problem, &m->cycles);
  m->cycles = (float)m->desc.products * (m->cycles + STAGE_CYCLES * (float)d->in_w * (float)d->out_c);
  return m->variant != NULL;
}

static const char *set_sizes(struct matmul *m, const struct tvmq_env *env) {
  static const char too_large[] = "the packed matrices exceed the address space";
  const struct tvmq_conv_desc *d = &m->desc.conv;
  const size_t mr = m->variant->mr, nr = nr_of(m), wanted = tvmq_max(tvmq_tasks_wanted(env->machine, env->threads, m->cycles), 1);
  m->depth = tvmq_round_up((size_t)d->in_c, m->variant->layout.ku);
  m->rows = tvmq_round_up(tvmq_min((size_t)d->in_w, ROWS), mr);
  m->panels = tvmq_ceil_div((size_t)d->out_c, nr);
  m->blocks = tvmq_ceil_div((size_t)d->in_w, m->rows);
  m->to_pack = m->panels * (size_t)m->desc.rights;
  m->n_blocks = m->blocks * (size_t)m->desc.products;
  m->pack_step = tvmq_ceil_div(m->to_pack, wanted);
  m->step = tvmq_ceil_div(m->n_blocks, wanted);
  m->slice.size = 0;
  size_t words, bytes;
  if (!tvmq_mul_size(m->depth, DIGITS * nr, &m->panel_words) || !tvmq_mul_size(m->panel_words, m->to_pack, &words) ||
      !tvmq_mul_size(words, sizeof *m->packed, &bytes) || !tvmq_mul_size(m->depth, m->rows, &words) ||
      !tvmq_scratch_append(&m->slice.size, words, sizeof(int16_t), &m->slice.left) ||
      !tvmq_scratch_append(&m->slice.size, m->rows * nr, sizeof(int32_t), &m->slice.sums) ||
      !tvmq_scratch_append(&m->slice.size, m->rows * nr, sizeof(int64_t), &m->slice.totals))
    return too_large;
  if (!tvmq_take_weights(env->weights, bytes)) return tvmq_no_room;
  m->packed = tvmq_alloc_unset(bytes);
  return m->packed != NULL ? NULL : "out of memory";
}

static const char *replan(struct matmul *m, const struct tvmq_matmul_desc *desc, const struct tvmq_env *env) {
  drop(m);
  m->desc = *desc;
  tvmq_conv_multiplier(&desc->conv, 0, &m->scale.multiplier, &m->scale.shift);
  if (!choose(m, env)) return "no kernel for this combination of types";
  const char *why = set_sizes(m, env);
  if (why != NULL) return why;
  m->scratch = env->scratch;
  m->n_threads = (size_t)tvmq_threads_count(env->threads);
  return tvmq_scratch_reserve(env->scratch, 0, m->slice.size, m->n_threads) ? NULL : "out of memory";
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct matmul));
  struct matmul *m = (struct matmul *)*op;
  if (!m) return "out of memory";
  const char *why = replan(m, &desc->matmul, env);
  if (why) drop(m);
  return why;
}

static void release(struct tvmq_op *op) {
  if (op) drop((struct matmul *)op);
  tvmq_free(op);
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct matmul *m = (const struct matmul *)op;
  const struct tvmq_conv_desc *d = &m->desc.conv;
  *out = (struct tvmq_op_info){
      .kernel = m->variant->name,
      .algorithm = "digits packed at each inference",
      .packed_bytes = m->to_pack * m->panel_words * sizeof *m->packed,
      .scratch_bytes = m->slice.size * m->n_threads,
      .macs = (uint64_t)m->desc.products * (uint64_t)d->in_w * (uint64_t)d->in_c * (uint64_t)d->out_c,
      .cycles = m->cycles,
  };
  tvmq_layout_name(&m->variant->layout, out->packing, sizeof out->packing);
}

static size_t n_tasks(const struct tvmq_op *op, size_t pass) {
  const struct matmul *m = (const struct matmul *)op;
  return pass == 0 ? tvmq_ceil_div(m->to_pack, m->pack_step) : pass == 1 ? tvmq_ceil_div(m->n_blocks, m->step) : 0;
}

// Packs the digits of a panel, the lower one first. The lower digit is from -128 to 127, so that the upper one is at most 128.
static void pack(const struct matmul *m, const int16_t *in, size_t index) {
  const struct tvmq_conv_desc *d = &m->desc.conv;
  const size_t depth = (size_t)d->in_c, out_c = (size_t)d->out_c, nr = nr_of(m), kr = m->variant->layout.kr, first = index % m->panels * nr;
  const int16_t *const right = in + index / m->panels * depth * out_c;
  const size_t k_step = m->desc.adj_y ? 1 : out_c, n_step = m->desc.adj_y ? depth : 1;
  int16_t *const low = m->packed + index * m->panel_words, *const high = low + m->depth * nr;
  for (size_t k = 0; k < m->depth; k++) {
    for (size_t j = 0; j < nr; j++) {
      const bool is_there = k < depth && first + j < out_c;
      const int32_t value = is_there ? right[k * k_step + (first + j) * n_step] : 0, digit = (int8_t)value;
      const size_t at = k / kr * kr * nr + j * kr + k % kr;
      low[at] = (int16_t)digit;
      high[at] = (int16_t)((value - digit) / BASE);
    }
  }
}

// Copies rows [first, first + n) of a left matrix. Rows and depths beyond the matrix are zeros.
static void bring(const struct matmul *m, const int16_t *left, size_t first, size_t n, int16_t *rows) {
  const struct tvmq_conv_desc *d = &m->desc.conv;
  const size_t depth = (size_t)d->in_c, all = (size_t)d->in_w;
  if (m->depth > depth || n < m->rows) memset(rows, 0, m->rows * m->depth * sizeof *rows);
  if (!m->desc.adj_x) {
    for (size_t r = 0; r < n; r++) memcpy(rows + r * m->depth, left + (first + r) * depth, depth * sizeof *rows);
    return;
  }
  for (size_t k = 0; k < depth; k++) {
    for (size_t r = 0; r < n; r++) rows[r * m->depth + k] = left[k * all + first + r];
  }
}

// Adds up the products of a block's rows with one panel.
static void add_up(const struct matmul *m, const int16_t *rows, const int16_t *panel, int32_t *sums, int64_t *totals) {
  const size_t nr = nr_of(m), n = m->rows * nr;
  memset(totals, 0, n * sizeof *totals);
  for (size_t k = 0; k < m->depth; k += MOST_DEPTHS) {
    for (size_t digit = 0; digit < DIGITS; digit++) {
      m->variant->fn.winograd_gemm(&(struct tvmq_winograd_gemm_args){
          .values = rows + k,
          .values_stride = m->depth,
          .n_rows = m->rows,
          .k = tvmq_min(MOST_DEPTHS, m->depth - k),
          .weights = panel + (digit * m->depth + k) * nr,
          .sums = sums,
      });
      const int64_t place = digit == 0 ? 1 : BASE;
      for (size_t i = 0; i < n; i++) totals[i] += sums[i] * place;
    }
  }
}

static void store(const struct matmul *m, const int64_t *totals, size_t n_rows, size_t n, int16_t *out, size_t out_stride) {
  const int32_t multiplier = m->scale.multiplier, shift = m->scale.shift;
  for (size_t r = 0; r < n_rows; r++, totals += nr_of(m), out += out_stride) {
    for (size_t j = 0; j < n; j++) out[j] = (int16_t)tvmq_clamp(tvmq_rescale_s64(totals[j], multiplier, shift), INT16_MIN, INT16_MAX);
  }
}

static void compute_block(const struct matmul *m, const struct tvmq_pass *pass, size_t block, uint8_t *slice) {
  const struct tvmq_conv_desc *d = &m->desc.conv;
  const size_t nr = nr_of(m), out_c = (size_t)d->out_c, product = block / m->blocks, first = block % m->blocks * m->rows;
  const size_t n_rows = tvmq_min(m->rows, (size_t)d->in_w - first);
  const int16_t *const left = (const int16_t *)pass->in[0] + tvmq_matmul_matrix(&m->desc, product, m->desc.left_strides) * (size_t)d->in_w * (size_t)d->in_c;
  const int16_t *panel = m->packed + tvmq_matmul_matrix(&m->desc, product, m->desc.right_strides) * m->panels * m->panel_words;
  int16_t *const rows = (int16_t *)(slice + m->slice.left), *out = (int16_t *)pass->outs[0] + (product * (size_t)d->in_w + first) * out_c;
  int32_t *const sums = (int32_t *)(slice + m->slice.sums);
  int64_t *const totals = (int64_t *)(slice + m->slice.totals);
  bring(m, left, first, n_rows, rows);
  for (size_t p = 0; p < m->panels; p++, panel += m->panel_words, out += nr) {
    add_up(m, rows, panel, sums, totals);
    store(m, totals, n_rows, tvmq_min(nr, out_c - p * nr), out, out_c);
  }
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct matmul *m = (const struct matmul *)op;
  const size_t step = pass->number == 0 ? m->pack_step : m->step, all = pass->number == 0 ? m->to_pack : m->n_blocks;
  const size_t first = task.index * step, end = tvmq_min(first + step, all);
  for (size_t i = first; i < end; i++) {
    if (pass->number == 0)
      pack(m, pass->in[1], i);
    else
      compute_block(m, pass, i, m->scratch->memory + (size_t)task.thread * m->slice.size);
  }
}

const struct tvmq_implementation tvmq_op_matmul_s16 = {.n_tasks = n_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .release = release, .info = info)};
