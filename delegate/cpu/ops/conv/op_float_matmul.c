// BATCH_MATMUL, and FULLY_CONNECTED with computed weights, of float32 between hybrid nodes. The kernel adds products in
// the reference's order. A first pass transposes matrices that are stored the other way; threads divide rows of products.
#include <float.h>
#include <math.h>

#include "base/arith.h"
#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "cpu/plan/select.h"
#include "operators/quant_params.h"

enum { FUSED_STEP = 8 };  // products that LiteRT's builds for Arm compute together; those left over are fused with the sum
enum { BLOCK = 24 };      // rows that a unit of work has: a multiple of those that kernels compute together

// Matrices of one input.
struct side {
  size_t n, rows, columns;  // as the kernel reads them
  bool transposes;
  size_t at;  // offset of the transposed matrices in the scratch
};

struct float_matmul {
  struct tvmq_matmul_desc desc;
  struct side left, right;
  struct tvmq_cut matrices, blocks;  // units of the passes: matrices to transpose; blocks of rows of products
  size_t product_blocks;             // blocks of a product
  const struct tvmq_variant *variant, *transpose;
  struct tvmq_bounds bounds;
  size_t scratch_bytes;
  const struct tvmq_scratch *scratch;
};

static size_t elements(const struct side *side) { return side->rows * side->columns; }

static bool append(struct side *side, size_t *size) {
  return !side->transposes || tvmq_scratch_append(size, side->n, elements(side) * sizeof(float), &side->at);
}

static void cut(struct float_matmul *m, const struct tvmq_env *env) {
  const struct tvmq_matmul_desc *d = &m->desc;
  const size_t n_left = m->left.transposes ? m->left.n : 0, n_right = m->right.transposes ? m->right.n : 0;
  const float moved = (float)(n_left * elements(&m->left) + n_right * elements(&m->right)) * (float)sizeof(float);
  const float macs = (float)d->products * (float)elements(&m->left) * (float)m->right.columns;
  m->product_blocks = tvmq_ceil_div(m->left.rows, BLOCK);
  tvmq_cut_units(&m->matrices, n_left + n_right, 1, moved * env->machine->copied_byte_cycles, env);
  tvmq_cut_units(&m->blocks, (size_t)d->products * m->product_blocks, 1, macs / tvmq_speed_of(m->variant, env->machine).rate, env);
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (*op == NULL) *op = tvmq_alloc(sizeof(struct float_matmul));
  struct float_matmul *m = (struct float_matmul *)*op;
  if (m == NULL) return "out of memory";
  const struct tvmq_matmul_desc *d = &desc->matmul;
  const size_t rows = (size_t)d->conv.in_w, depth = (size_t)d->conv.in_c, columns = (size_t)d->conv.out_c;
  const struct tvmq_target target = tvmq_target(env);
  m->desc = *d;
  m->variant = tvmq_select_untyped(TVMQ_FAMILY_FLOAT_PRODUCT, &target);
  m->transpose = tvmq_select_untyped(TVMQ_FAMILY_TRANSPOSE, &target);
  m->bounds = tvmq_activation_bounds(d->conv.activation, d->finite ? FLT_MAX : INFINITY);
  m->left = (struct side){.n = (size_t)d->lefts, .rows = rows, .columns = depth, .transposes = d->adj_x};
  m->right = (struct side){.n = (size_t)d->rights, .rows = depth, .columns = columns, .transposes = d->adj_y};
  m->scratch = env->scratch;
  m->scratch_bytes = 0;
  if (!append(&m->left, &m->scratch_bytes) || !append(&m->right, &m->scratch_bytes)) return "scratch exceeds the address space";
  cut(m, env);
  return tvmq_scratch_reserve(env->scratch, m->scratch_bytes, 0, 0) ? NULL : "out of memory";
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct float_matmul *m = (const struct float_matmul *)op;
  *out = (struct tvmq_op_info){.kernel = m->variant->name,
                               .algorithm = "sums in order",
                               .scratch_bytes = m->scratch_bytes,
                               .macs = (uint64_t)m->desc.products * elements(&m->left) * m->right.columns,
                               .cycles = m->matrices.cycles + m->blocks.cycles};
}

static const struct tvmq_cut *cut_of(const struct float_matmul *m, size_t pass) {
  const bool transposes = m->left.transposes || m->right.transposes;
  return pass == 0 && transposes ? &m->matrices : pass == (transposes ? 1 : 0) ? &m->blocks : NULL;
}

static size_t n_tasks(const struct tvmq_op *op, size_t pass) {
  const struct tvmq_cut *cut = cut_of((const struct float_matmul *)op, pass);
  return cut != NULL ? cut->tasks : 0;
}

static void transpose(const struct float_matmul *m, const struct side *side, const void *in, size_t index) {
  const size_t bytes = elements(side) * sizeof(float);
  m->transpose->fn.transpose(&(struct tvmq_transpose_args){.in = (const uint8_t *)in + index * bytes,
                                                           .out = m->scratch->memory + side->at + index * bytes,
                                                           .element = sizeof(float),
                                                           .rows = side->columns,
                                                           .columns = side->rows,
                                                           .in_stride = (ptrdiff_t)(side->rows * sizeof(float)),
                                                           .out_stride = side->columns * sizeof(float)});
}

static const float *matrix(const struct float_matmul *m, const struct side *side, const void *in, size_t index) {
  return (const float *)(side->transposes ? m->scratch->memory + side->at : in) + index * elements(side);
}

// Computes blocks [first, end) of a product.
static void multiply(const struct float_matmul *m, const struct tvmq_pass *pass, size_t product, size_t first, size_t end) {
  const struct tvmq_matmul_desc *d = &m->desc;
  const size_t row = first * BLOCK, rows = tvmq_min(end * BLOCK, m->left.rows) - row;
  m->variant->fn.float_product(&(struct tvmq_float_product_args){
      .left = matrix(m, &m->left, pass->in[0], tvmq_matmul_matrix(d, product, d->left_strides)) + row * m->left.columns,
      .right = matrix(m, &m->right, pass->in[1], tvmq_matmul_matrix(d, product, d->right_strides)),
      .rows = rows,
      .depth = m->left.columns,
      .separate = d->conv.float32 == TVMQ_FLOAT32_FUSED ? m->left.columns / FUSED_STEP * FUSED_STEP : m->left.columns,
      .columns = m->right.columns,
      .bias = d->conv.bias,
      .out = (float *)pass->outs[0] + (product * m->left.rows + row) * m->right.columns,
      .min = m->bounds.low,
      .max = m->bounds.high,
  });
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct float_matmul *m = (const struct float_matmul *)op;
  const struct tvmq_cut *cut = cut_of(m, pass->number);
  const struct tvmq_piece piece = tvmq_cut_piece(cut, task.index);
  const size_t end = piece.first + piece.n, n_left = m->left.transposes ? m->left.n : 0;
  if (cut == &m->matrices) {
    for (size_t i = piece.first; i < end; i++) {
      if (i < n_left)
        transpose(m, &m->left, pass->in[0], i);
      else
        transpose(m, &m->right, pass->in[1], i - n_left);
    }
    return;
  }
  for (size_t unit = piece.first, blocks; unit < end; unit += blocks) {
    const size_t first = unit % m->product_blocks;
    blocks = tvmq_min(m->product_blocks - first, end - unit);
    multiply(m, pass, unit / m->product_blocks, first, first + blocks);
  }
}

const struct tvmq_implementation tvmq_op_float_matmul = {.n_tasks = n_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .info = info)};
