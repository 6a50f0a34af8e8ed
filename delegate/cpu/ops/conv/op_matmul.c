// BATCH_MATMUL of two computed tensors: FULLY_CONNECTED with weights that are packed at each inference. The first pass
// packs all right matrices, and transposes left matrices that are stored transposed. The second pass computes the
// products; a task has several products if there are many.
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "cpu/ops/conv/conv.h"
#include "cpu/ops/conv/conv_rows.h"
#include "cpu/ops/op.h"
#include "cpu/plan/blocks.h"
#include "packing/packed.h"

struct matmul {
  struct tvmq_matmul_desc desc;
  struct tvmq_op *conv;                       // convolution that computes one product, without weights of its own
  struct tvmq_stage stage;                    // output stage that is correct for any weights
  const struct tvmq_variant *transpose;       // kernel that transposes left matrices
  uint8_t *panels, *left;                     // panels of all right matrices; transposed left matrices, or NULL
  size_t left_bytes, right_bytes, out_bytes;  // bytes per matrix
  size_t to_pack, to_transpose, pack_step;    // first pass: panels to pack, matrices to transpose, and how many of either a task handles
  size_t product_tasks, step;                 // tasks per product; step: if not 0, products per task instead
  const struct tvmq_scratch *scratch;
};

// Buffers of a thread for packing a panel.
struct panel_room {
  struct tvmq_channel channels[TVMQ_MAX_NR];
  struct tvmq_channel_params params[TVMQ_MAX_NR];
};

static const struct tvmq_conv *conv_of(const struct matmul *m) { return (const struct tvmq_conv *)m->conv; }
static size_t panels_of(const struct matmul *m) { return conv_of(m)->choice.panels; }
static size_t panel_bytes(const struct matmul *m) { return conv_of(m)->choice.panel.size; }

static void drop(struct matmul *m) {
  tvmq_op_release(&tvmq_op_conv, m->conv);
  tvmq_free(m->panels);
  tvmq_free(m->left);
  *m = (struct matmul){0};
}

// Sets the invariants of the stage to those that hold for any weights.
static void set_stage(struct matmul *m) {
  const struct tvmq_conv *c = conv_of(m);
  int32_t multiplier, shift;
  tvmq_conv_multiplier(&c->problem.desc, 0, &multiplier, &shift);
  m->stage = c->problem.quant.stage;
  m->stage.right_shifts = shift <= -1;
  m->stage.headroom = m->stage.fits_int16 = false;
}

static float cycles_of(const struct matmul *m) {
  struct tvmq_op_info product;
  tvmq_op_conv.info(m->conv, &product);
  return product.choice.cycles * (float)m->desc.products;
}

// Cuts products into tasks only if there are fewer products than tasks wanted.
static void set_tasks(struct matmul *m, const struct tvmq_env *env) {
  const size_t wanted = tvmq_max(tvmq_tasks_wanted(env->machine, env->threads, cycles_of(m)), 1), products = (size_t)m->desc.products;
  m->to_pack = (size_t)m->desc.rights * panels_of(m);
  m->to_transpose = m->desc.adj_x ? (size_t)m->desc.lefts : 0;
  m->pack_step = tvmq_ceil_div(m->to_pack + m->to_transpose, wanted);
  m->product_tasks = tvmq_op_conv.n_tasks(m->conv, 0);
  m->step = products >= wanted ? tvmq_ceil_div(products, wanted) : 0;
}

// Plans the product for weights that are all -128, so that kernels with TVMQ_NO_MIN_WEIGHT are excluded. Frees these
// weights afterwards: the real ones come with each inference.
static const char *plan_conv(struct matmul *m, const struct tvmq_env *env) {
  uint8_t *const filter = tvmq_alloc_unset(m->right_bytes);
  if (!filter) return "out of memory";
  memset(filter, (uint8_t)INT8_MIN, m->right_bytes);
  union tvmq_desc desc = {.conv = m->desc.conv};
  desc.conv.filter = filter;
  struct tvmq_env any = *env;
  any.constraint = NULL;
  any.content = NULL;
  any.winograd = TVMQ_WINOGRAD_OFF;
  any.weights = NULL;  // these are freed before others are allocated
  const char *why = tvmq_op_conv.plan(&m->conv, &desc, &any);
  tvmq_free(filter);
  if (why) return why;
  struct tvmq_conv *conv = (struct tvmq_conv *)m->conv;
  tvmq_packed_release(conv->weights);
  conv->weights = NULL;
  conv->packed = conv->problem.desc.filter = conv->problem.kept.filter = NULL;
  return tvmq_op_conv.n_tasks(m->conv, 1) > 0 ? "the product takes more than one pass" : NULL;
}

static const char *replan(struct matmul *m, const struct tvmq_matmul_desc *desc, const struct tvmq_env *env) {
  drop(m);
  m->desc = *desc;
  const struct tvmq_conv_desc *conv = &m->desc.conv;
  m->left_bytes = (size_t)conv->in_w * (size_t)conv->in_c;
  m->right_bytes = (size_t)conv->out_c * (size_t)conv->in_c;
  m->out_bytes = (size_t)conv->in_w * (size_t)conv->out_c;
  const char *why = plan_conv(m, env);
  if (why) return why;
  set_tasks(m, env);
  set_stage(m);
  size_t panels, lefts;
  if (!tvmq_mul_size((size_t)desc->rights, panels_of(m) * panel_bytes(m), &panels) || !tvmq_mul_size((size_t)desc->lefts, m->left_bytes, &lefts))
    return "the packed matrices exceed the address space";
  if (!tvmq_take_weights(env->weights, panels)) return tvmq_no_room;
  m->panels = tvmq_alloc_unset(panels);
  m->scratch = env->scratch;
  if (!tvmq_scratch_reserve(env->scratch, 0, sizeof(struct panel_room), (size_t)tvmq_threads_count(env->threads))) return "out of memory";
  if (desc->adj_x) m->left = tvmq_alloc_unset(lefts);
  const struct tvmq_target target = {.cpu = env->cpu, .machine = env->machine};  // a constraint names a kernel of another family
  m->transpose = tvmq_select_untyped(TVMQ_FAMILY_TRANSPOSE, &target);
  return m->panels && (m->left || !desc->adj_x) ? NULL : "out of memory";
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
  tvmq_op_conv.info(m->conv, out);
  out->cycles = cycles_of(m);
  out->choice = (struct tvmq_choice){0};
  out->scratch_bytes = tvmq_max(out->scratch_bytes, sizeof(struct panel_room) * (size_t)tvmq_threads_count(conv_of(m)->threads));
  out->packed_bytes = m->to_pack * panel_bytes(m);
  out->algorithm = "packed at each inference";
  out->macs *= (uint64_t)m->desc.products;
}

static size_t n_tasks(const struct tvmq_op *op, size_t pass) {
  const struct matmul *m = (const struct matmul *)op;
  const size_t products = (size_t)m->desc.products;
  if (pass == 0) return tvmq_ceil_div(m->to_pack + m->to_transpose, m->pack_step);
  return pass > 1 ? 0 : m->step > 0 ? tvmq_ceil_div(products, m->step) : products * m->product_tasks;
}

static void pack(const struct matmul *m, const uint8_t *in, size_t index, struct panel_room *room) {
  const struct tvmq_conv *c = conv_of(m);
  const struct tvmq_conv_desc *d = &m->desc.conv;
  const struct tvmq_layout *layout = &c->choice.variant->layout;
  const size_t depth = (size_t)d->in_c, out_c = (size_t)d->out_c, nr = layout->nr, first = index % panels_of(m) * nr, n = tvmq_min(out_c - first, nr);
  const uint8_t *right = in + index / panels_of(m) * m->right_bytes;
  struct tvmq_channel *channels = room->channels;
  struct tvmq_channel_params *params = room->params;
  struct tvmq_stage unused = m->stage;
  for (size_t j = 0; j < n; j++) {
    channels[j] = tvmq_conv_channel(d, &c->problem.quant, right, 0);
    channels[j].weights = m->desc.adj_y ? right + (first + j) * depth : right + first + j;
    channels[j].depth_stride = m->desc.adj_y ? 1 : out_c;
    channels[j].tap_stride = depth * channels[j].depth_stride;
  }
  tvmq_conv_lower(d, &c->problem.quant, layout->a_offset, TVMQ_FORM_FIXED, channels, first, n, &unused, params);
  tvmq_conv_pack_pieces(&c->problem, &c->choice, channels, params, n, m->panels + index * panel_bytes(m));
}

static void transpose_left(const struct matmul *m, const uint8_t *in, size_t index) {
  const size_t rows = (size_t)m->desc.conv.in_w, depth = (size_t)m->desc.conv.in_c;
  m->transpose->fn.transpose(&(struct tvmq_transpose_args){.in = in + index * m->left_bytes,
                                                           .out = m->left + index * m->left_bytes,
                                                           .element = 1,
                                                           .rows = depth,
                                                           .columns = rows,
                                                           .in_stride = (ptrdiff_t)rows,
                                                           .out_stride = depth});
}

// Runs items [first, end) of the first pass: panels to pack, then matrices to transpose.
static void bring(const struct matmul *m, const struct tvmq_pass *pass, size_t first, size_t end, struct panel_room *room) {
  for (size_t i = first; i < end; i++) {
    if (i < m->to_pack)
      pack(m, pass->in[1], i, room);
    else
      transpose_left(m, pass->in[0], i - m->to_pack);
  }
}

// Runs a product's tasks from `task` to `end`.
static void multiply(const struct matmul *m, struct tvmq_conv *conv, const struct tvmq_pass *pass, size_t product, struct tvmq_task task, size_t end) {
  conv->packed = m->panels + tvmq_matmul_matrix(&m->desc, product, m->desc.right_strides) * panels_of(m) * panel_bytes(m);
  const uint8_t *lefts = m->left != NULL ? m->left : pass->in[0];
  const void *in[] = {lefts + tvmq_matmul_matrix(&m->desc, product, m->desc.left_strides) * m->left_bytes};
  void *outs[] = {(uint8_t *)pass->outs[0] + product * m->out_bytes};
  const struct tvmq_pass inner = {.number = 0, .in = in, .outs = outs};
  for (; task.index < end; task.index++, task.since = 1) conv->run_task(conv, &inner, task);
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct matmul *m = (const struct matmul *)op;
  if (pass->number == 0) {
    const size_t first = task.index * m->pack_step, end = tvmq_min(first + m->pack_step, m->to_pack + m->to_transpose);
    bring(m, pass, first, end, (struct panel_room *)m->scratch->memory + task.thread);
    return;
  }
  struct tvmq_conv conv = *conv_of(m);
  conv.stage = m->stage;
  if (m->step == 0) {
    const size_t product = task.index / m->product_tasks;
    task.index %= m->product_tasks;
    if (task.since > task.index) task.since = 0;
    multiply(m, &conv, pass, product, task, task.index + 1);
    return;
  }
  const size_t first = task.index * m->step, end = tvmq_min(first + m->step, (size_t)m->desc.products);
  for (size_t product = first; product < end; product++) multiply(m, &conv, pass, product, (struct tvmq_task){.thread = task.thread}, m->product_tasks);
}

static const struct tvmq_implementation *computed_by(const union tvmq_desc *desc, const struct tvmq_env *env) {
  (void)env;
  const enum tvmq_type type = desc->matmul.conv.in_type;
  return type == TVMQ_TYPE_S16 ? &tvmq_op_matmul_s16 : type == TVMQ_TYPE_F32 ? &tvmq_op_float_matmul : NULL;
}

const struct tvmq_implementation tvmq_op_matmul = {
    .n_tasks = n_tasks, .run_task = run_task, TVMQ_PLANNING(.computed_by = computed_by, .plan = plan, .release = release, .info = info)};
