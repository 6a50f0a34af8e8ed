// DEPTHWISE_CONV_2D: channels in blocks, output rows in strips. A task is a strip of one image and a range of blocks: it points at the strip's input pixels
// once and passes over them for each block.
#include <string.h>

#include "claim.h"
#include "conv_quant.h"
#include "geometry.h"
#include "kernels/select.h"
#include "memory.h"
#include "op.h"
#include "packing/pack_depthwise.h"
#include "tasks.h"

// Rows of a strip: enough that the table of pixels, built once per strip, costs little; few enough that its input stays in cache.
enum { STRIP_BYTES = 48 * 1024, MIN_STRIP_TILES = 2 };

// One thread's slice of the scratch, as byte offsets.
struct slice {
  size_t table;     // pointers to the pixels of the strip
  size_t expanded;  // one block's channels of those pixels, gathered, where the kernel cannot read them in place
  size_t tile;      // output of a tile that overhangs the output tensor
  size_t size;
};

struct depthwise {
  struct tvmq_conv_desc desc;
  struct tvmq_conv_quant quant;
  struct tvmq_geometry geometry;
  const struct tvmq_variant *variant;
  struct tvmq_threads *threads;

  size_t element_bytes;
  size_t channels;  // of the output
  size_t n_planes;
  struct tvmq_panel panel;
  size_t blocks;
  bool gathers;  // depth multiplier above 1, or fewer channels than a block holds: a block's input channels do not lie side by side
  uint8_t *packed;
  uint32_t packs;    // how often
  uint8_t *padding;  // a pixel of zero points

  size_t strip_rows, strips, group_blocks, groups;
  size_t table_columns;
  struct slice slice;
  const struct tvmq_scratch *scratch;
};

// First output channel of a block. The last block overlaps its neighbour instead of overhanging: both compute the same values there.
static size_t block_channel(const struct depthwise *d, size_t block) {
  const size_t nr = d->variant->layout.nr;
  return d->channels < nr ? 0 : tvmq_min(block * nr, d->channels - nr);
}

// Table rows, which are input rows, that `out_rows` output rows read.
static size_t table_rows(const struct depthwise *d, size_t out_rows) {
  return (out_rows - 1) * (size_t)d->desc.stride_h + (size_t)(d->desc.filter_h - 1) * (size_t)d->desc.dilation_h + 1;
}

// ---- plan

static const struct tvmq_variant *choose(const struct depthwise *d, const struct tvmq_env *env) {
  const struct tvmq_conv_desc *desc = &d->desc;
  return tvmq_select_depthwise(desc->in_type == TVMQ_TYPE_S16 ? TVMQ_FAMILY_DEPTHWISE_S16 : TVMQ_FAMILY_DEPTHWISE_S8,
                               &(struct tvmq_depthwise_problem){
                                   .acc_bytes = tvmq_conv_acc_bytes(desc),
                                   .out_h = (size_t)d->geometry.out_h,
                                   .out_w = (size_t)d->geometry.out_w,
                                   .channels = d->channels,
                                   .filter_h = (size_t)desc->filter_h,
                                   .filter_w = (size_t)desc->filter_w,
                                   .stride_h = (size_t)desc->stride_h,
                                   .stride_w = (size_t)desc->stride_w,
                                   .dilation_h = (size_t)desc->dilation_h,
                                   .dilation_w = (size_t)desc->dilation_w,
                                   .cpu = env->cpu,
                                   .excluded = tvmq_conv_excluded_flags(desc, &d->quant),
                               });
}

// Weights of one output channel in TFLite's 1HWO order.
static struct tvmq_channel channel_view(const struct depthwise *d, size_t o) {
  return (struct tvmq_channel){
      .weights = (const uint8_t *)d->desc.filter + o,
      .flip = d->quant.filter_flip,
      .zero_point = d->quant.filter_zero_point,
      .n_taps = (size_t)d->desc.filter_h * (size_t)d->desc.filter_w,
      .tap_stride = d->channels,
      .n_depths = 1,
      .depth_stride = 1,
  };
}

static const char *pack(struct depthwise *d) {
  const struct tvmq_layout *layout = &d->variant->layout;
  const size_t filter_h = (size_t)d->desc.filter_h, filter_w = (size_t)d->desc.filter_w;
  d->n_planes = tvmq_depthwise_planes(layout, d->quant.filter_zero_point);
  const size_t pixel_bytes = tvmq_round_up((size_t)d->desc.in_c, layout->nr) * d->element_bytes;
  size_t bytes;
  if (!tvmq_panel_layout(layout, tvmq_depthwise_depth(layout, filter_h, filter_w, d->n_planes), &d->panel) || !tvmq_mul_size(d->blocks, d->panel.size, &bytes))
    return "packed weights exceed the address space";
  d->packed = tvmq_alloc(bytes);
  d->padding = tvmq_alloc(pixel_bytes);
  if (!d->packed || !d->padding) return "out of memory";

  memset(d->padding, (uint8_t)d->desc.in.zero_point, pixel_bytes);  // int16's zero point is 0

  for (size_t b = 0; b < d->blocks; b++) {
    const size_t first = block_channel(d, b), n = tvmq_min(d->channels, layout->nr);
    struct tvmq_channel channels[UINT8_MAX];
    struct tvmq_channel_params params[UINT8_MAX];
    for (size_t j = 0; j < n; j++) channels[j] = channel_view(d, first + j);
    tvmq_conv_channel_params(&d->desc, &d->quant, layout, channels, first, n, params);
    tvmq_pack_depthwise(layout, channels, params, n, filter_h, filter_w, d->n_planes, d->packed + b * d->panel.size);
  }
  return NULL;
}

static uint64_t macs(const struct depthwise *d) {
  const uint64_t outputs = (uint64_t)d->desc.batch * (uint64_t)d->geometry.out_h * (uint64_t)d->geometry.out_w * (uint64_t)d->channels;
  return outputs * (uint64_t)d->desc.filter_h * (uint64_t)d->desc.filter_w;
}

static void set_tasks(struct depthwise *d) {
  const size_t mr = d->variant->mr, out_h = (size_t)d->geometry.out_h;
  const size_t wanted = tvmq_ceil_div(tvmq_tasks_wanted(d->threads, macs(d)), (size_t)d->desc.batch);
  const size_t row_bytes = (size_t)d->desc.in_w * (size_t)d->desc.in_c * d->element_bytes * (size_t)d->desc.stride_h;

  d->strip_rows = tvmq_round_up(STRIP_BYTES / row_bytes, mr);
  if (d->strip_rows < MIN_STRIP_TILES * mr) d->strip_rows = MIN_STRIP_TILES * mr;
  while (tvmq_ceil_div(out_h, d->strip_rows) < wanted && d->strip_rows > MIN_STRIP_TILES * mr) d->strip_rows = tvmq_round_up(d->strip_rows / 2, mr);
  d->strip_rows = tvmq_min(d->strip_rows, tvmq_round_up(out_h, mr));
  d->strips = tvmq_ceil_div(out_h, d->strip_rows);

  // Few strips: threads share the channels. Two overlapping blocks stay together, so that no byte has two writers.
  const size_t separable = d->blocks > 1 ? d->blocks - 1 : 1;
  d->groups = tvmq_min(tvmq_ceil_div(wanted, d->strips), separable);
  d->group_blocks = tvmq_ceil_div(separable, d->groups);
  d->groups = tvmq_ceil_div(separable, d->group_blocks);
}

static const char *set_scratch(struct depthwise *d, struct tvmq_scratch *memory) {
  const size_t nr = d->variant->layout.nr, rows = table_rows(d, d->strip_rows);
  const size_t out_w = (size_t)d->geometry.out_w;
  const char *why = "scratch exceeds the address space";
  size_t pixels, in_pixels, tile;
  struct slice s = {0};
  if (!tvmq_mul_size(out_w - 1, (size_t)d->desc.stride_w, &d->table_columns) ||
      !tvmq_add_size(d->table_columns, (size_t)(d->desc.filter_w - 1) * (size_t)d->desc.dilation_w + 1, &d->table_columns))
    return why;
  if (!tvmq_mul_size(rows, d->table_columns, &pixels) || !tvmq_mul_size(rows, (size_t)d->desc.in_w, &in_pixels) || !tvmq_mul_size(out_w, d->variant->mr, &tile))
    return why;
  if (!tvmq_scratch_append(&s.size, pixels, sizeof(void *), &s.table) ||
      !tvmq_scratch_append(&s.size, d->gathers ? in_pixels : 0, nr * d->element_bytes, &s.expanded) ||
      !tvmq_scratch_append(&s.size, tile, nr * d->element_bytes, &s.tile))
    return why;
  d->slice = s;
  d->scratch = memory;
  return tvmq_scratch_reserve(memory, s.size, (size_t)tvmq_threads_count(d->threads)) ? NULL : "out of memory";
}

static void drop_weights(struct depthwise *d) {
  tvmq_free(d->packed);
  tvmq_free(d->padding);
  d->packed = d->padding = NULL;
}

static void release(struct tvmq_op *op) {
  struct depthwise *d = (struct depthwise *)op;
  if (!d) return;
  drop_weights(d);
  tvmq_free(d);
}

static const char *replan(struct depthwise *d, const struct tvmq_conv_desc *desc, const struct tvmq_env *env) {
  const struct depthwise old = *d;
  d->desc = *desc;
  d->threads = env->threads;
  d->quant = tvmq_conv_quant(desc, env->rounding);
  d->element_bytes = tvmq_conv_element_bytes(desc);
  d->channels = (size_t)desc->out_c;
  const char *why = tvmq_geometry(desc, &d->geometry);
  if (why) return why;
  d->variant = choose(d, env);
  if (!d->variant) return "no kernel for this combination of types";
  const size_t nr = d->variant->layout.nr;
  d->blocks = tvmq_ceil_div(d->channels, nr);
  d->gathers = desc->depth_multiplier > 1 || d->channels < nr;

  bool packed = d->packed && tvmq_conv_same_weights(&old.desc, desc) && tvmq_layout_equal(&old.variant->layout, &d->variant->layout);
  if (packed) {
    d->quant = old.quant;
  } else {
    drop_weights(d);
    why = pack(d);
    if (why) return why;
    d->packs++;
  }
  set_tasks(d);
  return set_scratch(d, env->scratch);
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct depthwise));
  struct depthwise *d = (struct depthwise *)*op;
  if (!d) return "out of memory";
  const char *why = replan(d, &desc->conv, env);
  if (why) drop_weights(d);
  return why;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct depthwise *d = (const struct depthwise *)op;
  *out = (struct tvmq_op_info){
      .kernel = d->variant->name,
      .algorithm = d->gathers ? "gathered channels" : "pixel table",
      .packed_bytes = d->blocks * d->panel.size,
      .scratch_bytes = d->slice.size * (size_t)tvmq_threads_count(d->threads),
      .macs = macs(d),
      .packs = d->packs,
  };
  tvmq_layout_name(&d->variant->layout, out->packing, sizeof out->packing);
}

// ---- run

struct inference {
  const struct depthwise *depthwise;
  const uint8_t *in;
  uint8_t *out;
};

// Points at the pixels of `rows` input rows from row `y` on. Pixels lie `pixel_bytes` apart; `first` is the pixel at (y, 0), or where it would be.
static void fill_table(const struct depthwise *d, const uint8_t *first, ptrdiff_t y, size_t rows, size_t pixel_bytes, const void **table) {
  const size_t in_h = (size_t)d->desc.in_h, in_w = (size_t)d->desc.in_w, columns = d->table_columns;
  const size_t left = tvmq_min((size_t)d->geometry.pad_left, columns), inner = tvmq_min(in_w, columns - left);
  for (size_t row = 0; row < rows; row++, y++, first += in_w * pixel_bytes, table += columns) {
    const bool inside = (size_t)y < in_h;
    size_t x = 0;
    for (; x < left; x++) table[x] = d->padding;
    if (inside)
      for (size_t i = 0; i < inner; i++) table[x++] = first + i * pixel_bytes;
    for (; x < columns; x++) table[x] = d->padding;
  }
}

// Gathers the input channels of `block` for `rows` input rows from row `y` on, nr to a pixel.
static void gather(const struct depthwise *d, const uint8_t *image, ptrdiff_t y, size_t rows, size_t block, uint8_t *out) {
  const size_t nr = d->variant->layout.nr, bytes = d->element_bytes, in_w = (size_t)d->desc.in_w, in_c = (size_t)d->desc.in_c;
  const size_t first = block_channel(d, block), multiplier = (size_t)d->desc.depth_multiplier, n = tvmq_min(nr, d->channels);
  for (size_t row = 0; row < rows; row++, y++, out += in_w * nr * bytes) {
    if ((size_t)y >= (size_t)d->desc.in_h) continue;
    const uint8_t *pixel = image + (size_t)y * in_w * in_c * bytes;
    for (size_t x = 0; x < in_w; x++, pixel += in_c * bytes) {
      uint8_t *to = out + x * nr * bytes;
      if (multiplier == 1) {
        memcpy(to, pixel + first * bytes, n * bytes);
        continue;
      }
      size_t channel = first / multiplier, copies = multiplier - first % multiplier;
      for (size_t j = 0; j < n; j++) {
        memcpy(to + j * bytes, pixel + channel * bytes, bytes);
        if (--copies == 0) channel++, copies = multiplier;
      }
    }
  }
}

// Output rows [first, first + n) of one image and block: whole tiles go to the output; others to scratch, from where what belongs to the output is copied.
static void run_rows(const struct depthwise *d, struct tvmq_depthwise_args *args, const void *const *table, size_t n, uint8_t *out, uint8_t *tile) {
  const size_t mr = d->variant->mr, nr = d->variant->layout.nr, bytes = d->element_bytes, out_w = (size_t)d->geometry.out_w;
  const size_t pixel = d->channels * bytes, line = out_w * pixel;
  for (size_t y = 0; y < n; y += mr, out += mr * line) {
    const size_t rows = tvmq_min(mr, n - y);
    const bool overhangs = rows < mr || d->channels < nr;
    args->pixels = table + y * (size_t)d->desc.stride_h * d->table_columns;
    args->out = overhangs ? tile : out;
    args->out_col_stride = overhangs ? nr * bytes : pixel;
    args->out_row_stride = args->out_col_stride * out_w;
    d->variant->fn.depthwise(args);
    if (!overhangs) continue;
    const size_t copied = tvmq_min(nr, d->channels) * bytes;
    for (size_t i = 0; i < rows * out_w; i++) memcpy(out + i * pixel, tile + i * nr * bytes, copied);
  }
}

static void run_task(void *context, size_t task, int thread) {
  const struct inference *job = context;
  const struct depthwise *d = job->depthwise;
  const size_t bytes = d->element_bytes, nr = d->variant->layout.nr, in_c = (size_t)d->desc.in_c;
  const size_t in_line = (size_t)d->desc.in_w * in_c * bytes, out_line = (size_t)d->geometry.out_w * d->channels * bytes;
  uint8_t *scratch = d->scratch->memory + (size_t)thread * d->slice.size;
  const void **table = (const void **)(scratch + d->slice.table);

  const size_t group = task % d->groups, strip = task / d->groups % d->strips, image = task / d->groups / d->strips;
  const size_t out_y = strip * d->strip_rows, n = tvmq_min(d->strip_rows, (size_t)d->geometry.out_h - out_y);
  const size_t end_block = group + 1 == d->groups ? d->blocks : (group + 1) * d->group_blocks;
  const ptrdiff_t y = (ptrdiff_t)(out_y * (size_t)d->desc.stride_h) - d->geometry.pad_top;
  // A last tile that overhangs reads table rows past the image: padding.
  const size_t rows = table_rows(d, tvmq_round_up(n, d->variant->mr));
  const uint8_t *in = job->in + image * (size_t)d->desc.in_h * in_line;
  uint8_t *out = job->out + (image * (size_t)d->geometry.out_h + out_y) * out_line;

  if (d->gathers)
    fill_table(d, scratch + d->slice.expanded, y, rows, nr * bytes, table);
  else
    fill_table(d, in + y * (ptrdiff_t)in_line, y, rows, in_c * bytes, table);

  struct tvmq_depthwise_args args = {
      .pixels_stride = d->table_columns,
      .n_cols = (size_t)d->geometry.out_w,
      .filter_h = (size_t)d->desc.filter_h,
      .filter_w = (size_t)d->desc.filter_w,
      .stride_h = (size_t)d->desc.stride_h,
      .stride_w = (size_t)d->desc.stride_w,
      .dilation_h = (size_t)d->desc.dilation_h,
      .dilation_w = (size_t)d->desc.dilation_w,
      .n_planes = d->n_planes,
      .filter_zero_point = d->variant->layout.weight_bytes == 1 ? d->quant.filter_zero_point : 0,
      .in_flip = tvmq_operand_flip(&d->quant, &d->variant->layout),
      .stage = &d->quant.stage,
  };
  for (size_t b = group * d->group_blocks; b < end_block; b++) {
    const size_t channel = block_channel(d, b);
    if (d->gathers) gather(d, in, y, rows, b, scratch + d->slice.expanded);
    args.channel_offset = d->gathers ? 0 : channel * bytes;
    args.panel = d->packed + b * d->panel.size;
    run_rows(d, &args, table, n, out + channel * bytes, scratch + d->slice.tile);
  }
}

static void run(struct tvmq_op *op, const void *in, void *out) {
  const struct depthwise *d = (const struct depthwise *)op;
  struct inference job = {.depthwise = d, .in = in, .out = out};
  tvmq_threads_run(d->threads, (size_t)d->desc.batch * d->strips * d->groups, run_task, &job);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_conv(&desc->conv); }

const struct tvmq_op_class tvmq_op_depthwise = {.claim = claim, .plan = plan, .run = run, .release = release, .info = info};
