// CONV_2D: a gemm per group. Planning chooses the way and the kernel, packs the weights into panels and sizes the scratch of each thread; an inference hands
// out blocks of rows x panels to the threads.
#include <string.h>

#include "algorithm.h"
#include "claim.h"
#include "conv_quant.h"
#include "geometry.h"
#include "memory.h"
#include "op.h"
#include "rows.h"
#include "tasks.h"

// A block of A should stay in the first two cache levels while all panels pass over it: those of x86 are larger.
#if defined(__x86_64__)
enum { BLOCK_BYTES = 256 * 1024 };
#else
enum { BLOCK_BYTES = 64 * 1024 };
#endif
enum { MAX_BLOCK_ROWS = 512, MIN_BLOCK_TILES = 4 };

// One thread's slice of the scratch, as byte offsets.
struct slice {
  size_t table, copies, wide, terms, tile, size;
};

struct conv {
  struct tvmq_conv_desc desc;
  struct tvmq_conv_quant quant;
  struct tvmq_algorithm algorithm;
  const struct tvmq_variant *row_sums;  // NULL: no row terms
  struct tvmq_rows rows;
  struct tvmq_threads *threads;

  size_t element_bytes;
  size_t groups, group_n;  // output channels of a group
  size_t m;                // rows of A: output pixels of the whole batch

  struct tvmq_panel panel;
  size_t panels;  // of a group
  uint8_t *packed;
  uint32_t packs;  // how often
  uint8_t *padding;

  size_t block_rows, m_blocks, block_panels, n_blocks;
  struct slice slice;
  const struct tvmq_scratch *scratch;
};

// ---- plan

static const char *set_shape(struct conv *c, const struct tvmq_conv_desc *desc) {
  struct tvmq_geometry geometry;
  const char *why = tvmq_geometry(desc, &geometry);
  if (why) return why;
  c->element_bytes = tvmq_conv_element_bytes(desc);
  c->groups = (size_t)desc->in_c / (size_t)desc->filter_c;
  c->group_n = (size_t)desc->out_c / c->groups;
  c->m = (size_t)desc->batch * (size_t)geometry.out_h * (size_t)geometry.out_w;
  c->rows = (struct tvmq_rows){
      .in_h = (size_t)desc->in_h,
      .in_w = (size_t)desc->in_w,
      .pixel_bytes = (size_t)desc->in_c * c->element_bytes,
      .tap_bytes = (size_t)desc->filter_c * c->element_bytes,
      .out_h = (size_t)geometry.out_h,
      .out_w = (size_t)geometry.out_w,
      .filter_h = (size_t)desc->filter_h,
      .filter_w = (size_t)desc->filter_w,
      .stride_h = (size_t)desc->stride_h,
      .stride_w = (size_t)desc->stride_w,
      .dilation_h = (size_t)desc->dilation_h,
      .dilation_w = (size_t)desc->dilation_w,
      .pad_top = (size_t)geometry.pad_top,
      .pad_left = (size_t)geometry.pad_left,
      .piece_taps = desc->dilation_w == 1 && c->groups == 1 ? (size_t)desc->filter_w : 1,
  };
  return NULL;
}

static struct tvmq_algorithm choose(const struct conv *c, const struct tvmq_conv_desc *desc, const struct tvmq_conv_quant *quant, uint32_t cpu) {
  return tvmq_algorithm_choose(&(struct tvmq_conv_problem){
      .family = desc->in_type == TVMQ_TYPE_S16 ? TVMQ_FAMILY_GEMM_S16 : TVMQ_FAMILY_GEMM_S8,
      .acc_bytes = tvmq_conv_acc_bytes(desc),
      .m = c->m,
      .n = c->group_n,
      .k = c->rows.piece_taps * (size_t)desc->filter_c,
      .n_pieces = tvmq_rows_pieces(&c->rows),
      .piece_taps = c->rows.piece_taps,
      .is_matrix = c->groups == 1 && c->rows.filter_h == 1 && c->rows.filter_w == 1 && c->rows.stride_h == 1 && c->rows.stride_w == 1,
      .cpu = cpu,
      .excluded = tvmq_conv_excluded_flags(desc, quant),
  });
}

// Weights of output channel `o`. OHWI order has them in the order of the row's pieces, whatever these are.
static struct tvmq_channel channel_view(const struct conv *c, size_t o) {
  const size_t weights = c->rows.filter_h * c->rows.filter_w * (size_t)c->desc.filter_c, n_taps = c->algorithm.n_taps;
  return (struct tvmq_channel){
      .weights = (const uint8_t *)c->desc.filter + o * weights,
      .flip = c->quant.filter_flip,
      .zero_point = c->quant.filter_zero_point,
      .n_taps = n_taps,
      .tap_stride = weights / n_taps,
      .n_depths = weights / n_taps,
      .depth_stride = 1,
  };
}

static const char *pack(struct conv *c) {
  const struct tvmq_layout *layout = &c->algorithm.variant->layout;
  size_t depth, bytes;
  if (!tvmq_mul_size(c->algorithm.n_taps, c->algorithm.k, &depth) || !tvmq_panel_layout(layout, depth, &c->panel) ||
      !tvmq_mul_size(c->panels * c->groups, c->panel.size, &bytes))
    return "packed weights exceed the address space";
  c->packed = tvmq_alloc(bytes);
  const size_t padding_bytes = c->rows.filter_w * c->rows.tap_bytes;  // the longest piece, so that it serves any plan with these weights
  c->padding = tvmq_alloc(padding_bytes);
  if (!c->packed || !c->padding) return "out of memory";

  memset(c->padding, (uint8_t)c->desc.in.zero_point, padding_bytes);  // int16's zero point is 0

  for (size_t p = 0; p < c->panels * c->groups; p++) {
    size_t first = p % c->panels * layout->nr, n = c->group_n - first;
    if (n > layout->nr) n = layout->nr;
    first += p / c->panels * c->group_n;
    struct tvmq_channel channels[UINT8_MAX];
    struct tvmq_channel_params params[UINT8_MAX];
    for (size_t j = 0; j < n; j++) channels[j] = channel_view(c, first + j);
    tvmq_conv_channel_params(&c->desc, &c->quant, layout, channels, first, n, params);
    tvmq_pack_panel(layout, channels, params, n, c->packed + p * c->panel.size);
  }
  return NULL;
}

static uint64_t macs(const struct conv *c) {
  return (uint64_t)c->m * (uint64_t)c->desc.out_c * c->rows.filter_h * c->rows.filter_w * (uint64_t)c->desc.filter_c;
}

// Blocks: of rows, so that a block of A stays in cache; of panels, so that every thread has work. The operand with more bytes is split first, because splitting
// one means reading the other again.
static void set_blocks(struct conv *c) {
  const size_t mr = c->algorithm.variant->mr;
  const size_t row_bytes = c->algorithm.n_taps * c->algorithm.k * c->element_bytes;
  const size_t wanted = tvmq_ceil_div(tvmq_tasks_wanted(c->threads, macs(c)), c->groups);

  c->block_rows = tvmq_round_up(BLOCK_BYTES / row_bytes, mr);
  if (c->block_rows > MAX_BLOCK_ROWS) c->block_rows = tvmq_round_up(MAX_BLOCK_ROWS, mr);
  if (c->block_rows < MIN_BLOCK_TILES * mr) c->block_rows = MIN_BLOCK_TILES * mr;
  if (c->block_rows > c->m) c->block_rows = tvmq_round_up(c->m, mr);

  bool weights_first = c->panels * c->panel.size > c->m * row_bytes;
  c->n_blocks = weights_first ? (wanted < c->panels ? wanted : c->panels) : 1;
  while (c->n_blocks * tvmq_ceil_div(c->m, c->block_rows) < wanted && c->block_rows > 2 * mr) c->block_rows = tvmq_round_up(c->block_rows / 2, mr);
  c->m_blocks = tvmq_ceil_div(c->m, c->block_rows);
  if (c->n_blocks * c->m_blocks < wanted) {
    size_t n_blocks = tvmq_ceil_div(wanted, c->m_blocks);
    c->n_blocks = n_blocks < c->panels ? n_blocks : c->panels;
  }
  c->block_panels = tvmq_ceil_div(c->panels, c->n_blocks);
  c->n_blocks = tvmq_ceil_div(c->panels, c->block_panels);
}

static bool has_flag(const struct conv *c, enum tvmq_variant_flags flag) { return (c->algorithm.variant->flags & flag) != 0; }

static const char *set_scratch(struct conv *c, struct tvmq_scratch *memory) {
  const struct tvmq_variant *v = c->algorithm.variant;
  const size_t rows = c->block_rows, k = c->algorithm.k;
  struct slice s = {0};
  size_t pointers;
  if (!tvmq_mul_size(rows, c->algorithm.n_taps, &pointers) || !tvmq_scratch_append(&s.size, pointers, sizeof(void *), &s.table) ||
      !tvmq_scratch_append(&s.size, c->algorithm.copies ? rows : 0, c->algorithm.n_taps * k * c->element_bytes, &s.copies) ||
      !tvmq_scratch_append(&s.size, has_flag(c, TVMQ_WIDE_ROWS) ? rows : 0, k * sizeof(int16_t), &s.wide) ||
      !tvmq_scratch_append(&s.size, rows, sizeof(int32_t), &s.terms) || !tvmq_scratch_append(&s.size, rows, v->layout.nr * c->element_bytes, &s.tile))
    return "scratch exceeds the address space";
  c->slice = s;
  c->scratch = memory;
  return tvmq_scratch_reserve(memory, s.size, (size_t)tvmq_threads_count(c->threads)) ? NULL : "out of memory";
}

static void drop_weights(struct conv *c) {
  tvmq_free(c->packed);
  tvmq_free(c->padding);
  c->packed = c->padding = NULL;
}

static void release(struct tvmq_op *op) {
  struct conv *c = (struct conv *)op;
  if (!c) return;
  drop_weights(c);
  tvmq_free(c);
}

static const char *replan(struct conv *c, const struct tvmq_conv_desc *desc, const struct tvmq_env *env) {
  const struct conv old = *c;
  c->desc = *desc;
  c->threads = env->threads;
  c->quant = tvmq_conv_quant(desc, env->rounding);
  const char *why = set_shape(c, desc);
  if (why) return why;
  c->algorithm = choose(c, desc, &c->quant, env->cpu);
  if (!c->algorithm.variant) return "no kernel for this combination of types";
  const bool repays = c->algorithm.variant->layout.weight_bytes == 1 && c->quant.filter_zero_point != 0;
  c->row_sums = repays ? tvmq_select_row_sums(env->cpu) : NULL;
  c->panels = tvmq_ceil_div(c->group_n, c->algorithm.variant->layout.nr);

  bool packed = c->packed && tvmq_conv_same_weights(&old.desc, desc) && old.algorithm.n_taps == c->algorithm.n_taps && old.algorithm.k == c->algorithm.k &&
                tvmq_layout_equal(&old.algorithm.variant->layout, &c->algorithm.variant->layout);
  if (packed) {
    c->quant = old.quant;
  } else {
    drop_weights(c);
    why = pack(c);
    if (why) return why;
    c->packs++;
  }
  c->rows.padding = c->padding;
  set_blocks(c);
  return set_scratch(c, env->scratch);
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct conv));
  struct conv *c = (struct conv *)*op;
  if (!c) return "out of memory";
  const char *why = replan(c, &desc->conv, env);
  if (why) drop_weights(c);
  return why;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct conv *c = (const struct conv *)op;
  *out = (struct tvmq_op_info){
      .kernel = c->algorithm.variant->name,
      .algorithm = tvmq_algorithm_name(&c->algorithm),
      .packed_bytes = c->panels * c->groups * c->panel.size,
      .scratch_bytes = c->slice.size * (size_t)tvmq_threads_count(c->threads),
      .macs = macs(c),
      .packs = c->packs,
  };
  tvmq_layout_name(&c->algorithm.variant->layout, out->packing, sizeof out->packing);
}

// ---- run

struct inference {
  const struct conv *conv;
  const uint8_t *in;
  uint8_t *out;
};

// What is left for the kernel to flip: rows that are brought to it as operands are flipped on the way.
static uint8_t kernel_flip(const struct conv *c) {
  return has_flag(c, TVMQ_WIDE_ROWS | TVMQ_MATRIX_ROWS) ? 0 : tvmq_operand_flip(&c->quant, &c->algorithm.variant->layout);
}

// Rows of im2col: copied unless they lie there already, then flipped or widened for kernels that want it.
static void bring_matrix(const struct conv *c, const uint8_t *in, size_t first, size_t n, uint8_t *scratch) {
  const size_t k = c->algorithm.k, row_bytes = k * c->element_bytes, mr = c->algorithm.variant->mr;
  const void **table = (const void **)(scratch + c->slice.table);
  const uint8_t *matrix = in + first * row_bytes;
  if (c->algorithm.copies) {
    tvmq_rows_im2col(&c->rows, in, first, n, scratch + c->slice.copies, row_bytes);
    matrix = scratch + c->slice.copies;
  }
  const uint8_t flip = tvmq_operand_flip(&c->quant, &c->algorithm.variant->layout);
  if (!has_flag(c, TVMQ_WIDE_ROWS)) {
    if (has_flag(c, TVMQ_MATRIX_ROWS) && flip != 0) tvmq_rows_flip(scratch + c->slice.copies, n * row_bytes, flip);
    tvmq_rows_list(matrix, row_bytes, n, mr, table);
    return;
  }
  int16_t *wide = (int16_t *)(scratch + c->slice.wide);
  tvmq_rows_widen(matrix, n * k, flip, wide);
  tvmq_rows_list(wide, k * sizeof *wide, n, mr, table);
}

// Rows [first, first + n) of one group: pointers, copies and row terms into the thread's scratch.
static void bring_rows(const struct inference *job, size_t group, size_t first, size_t n, uint8_t *scratch) {
  const struct conv *c = job->conv;
  const struct tvmq_variant *v = c->algorithm.variant;
  const void **table = (const void **)(scratch + c->slice.table);
  const uint8_t *in = job->in + group * c->rows.tap_bytes;
  if (c->algorithm.way == TVMQ_WAY_IM2COL)
    bring_matrix(c, in, first, n, scratch);
  else
    tvmq_rows_table(&c->rows, in, first, n, v->mr, scratch + c->slice.copies, table);
  int32_t *terms = (int32_t *)(scratch + c->slice.terms);
  if (!c->row_sums) {
    memset(terms, 0, tvmq_round_up(n, v->mr) * sizeof *terms);
    return;
  }
  // The kernel's operand is summed as unsigned bytes: an int8 one exceeds its value by 128.
  const size_t depths = c->rows.filter_h * c->rows.filter_w * c->rows.tap_bytes;
  const bool is_signed = v->layout.a_offset == 0;
  c->row_sums->fn.row_sums(&(struct tvmq_row_sums_args){
      .rows = (const void *const *)table,
      .n = n,
      .mr = v->mr,
      .n_taps = c->algorithm.n_taps,
      .k = depths / c->algorithm.n_taps,
      .mask = kernel_flip(c) ^ (is_signed ? 0x80 : 0),
      .offset = is_signed ? (int32_t)(128 * (uint32_t)depths) : 0,
      .factor = -c->quant.filter_zero_point,
      .terms = terms,
  });
}

static void run_block(void *context, size_t block, int thread) {
  const struct inference *job = context;
  const struct conv *c = job->conv;
  const struct tvmq_variant *v = c->algorithm.variant;
  const size_t mr = v->mr, nr = v->layout.nr, bytes = c->element_bytes;
  uint8_t *scratch = c->scratch->memory + (size_t)thread * c->slice.size;
  uint8_t *tile = scratch + c->slice.tile;

  const size_t n_block = block % c->n_blocks, m_block = block / c->n_blocks % c->m_blocks, group = block / c->n_blocks / c->m_blocks;
  const size_t first = m_block * c->block_rows;
  const size_t n_rows = c->m - first < c->block_rows ? c->m - first : c->block_rows;
  const size_t end_panel = (n_block + 1) * c->block_panels < c->panels ? (n_block + 1) * c->block_panels : c->panels;
  const size_t out_stride = (size_t)c->desc.out_c * bytes;
  uint8_t *out_rows = job->out + first * out_stride + group * c->group_n * bytes;
  bring_rows(job, group, first, n_rows, scratch);

  struct tvmq_gemm_args args = {
      .n_taps = c->algorithm.n_taps,
      .k = c->algorithm.k,
      .in_flip = kernel_flip(c),
      .stage = &c->quant.stage,
  };
  for (size_t p = n_block * c->block_panels; p < end_panel; p++) {
    const size_t n = c->group_n - p * nr < nr ? c->group_n - p * nr : nr;
    const size_t whole_rows = n == nr ? n_rows / mr * mr : 0;
    uint8_t *out = out_rows + p * nr * bytes;
    const void *const *table = (const void *const *)(scratch + c->slice.table);
    const int32_t *terms = (const int32_t *)(scratch + c->slice.terms);
    args.panel = c->packed + (group * c->panels + p) * c->panel.size;
    if (whole_rows) {
      args.rows = table;
      args.row_terms = terms;
      args.row_tiles = whole_rows / mr;
      args.out = out;
      args.out_stride = out_stride;
      v->fn.gemm(&args);
    }
    if (whole_rows == n_rows) continue;
    // Tiles that overhang the output are computed whole into scratch; what belongs to the output is copied.
    args.rows = table + whole_rows * args.n_taps;
    args.row_terms = terms + whole_rows;
    args.row_tiles = tvmq_ceil_div(n_rows - whole_rows, mr);
    args.out = tile;
    args.out_stride = nr * bytes;
    v->fn.gemm(&args);
    for (size_t m = whole_rows; m < n_rows; m++) memcpy(out + m * out_stride, tile + (m - whole_rows) * nr * bytes, n * bytes);
  }
}

static void run(struct tvmq_op *op, const void *in, void *out) {
  const struct conv *c = (const struct conv *)op;
  struct inference job = {.conv = c, .in = in, .out = out};
  tvmq_threads_run(c->threads, c->groups * c->m_blocks * c->n_blocks, run_block, &job);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_conv(&desc->conv); }

const struct tvmq_op_class tvmq_op_conv = {.claim = claim, .plan = plan, .run = run, .release = release, .info = info};
