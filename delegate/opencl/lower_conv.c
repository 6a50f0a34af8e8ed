// CONV_2D, FULLY_CONNECTED and DEPTHWISE_CONV_2D.
#include <string.h>

#include "base/arith.h"
#include "lowering/conv_lower.h"
#include "opencl/lower.h"
#include "operators/geometry.h"

// BLOCK: output channels of a work item. PIXELS: of a work item of conv. RESULTS: results of a channel that are worth the
// proof of a line.
enum { BLOCK = 4, PIXELS = 4, RESULTS = 8, LOCAL = 4, WORD = 4 };

// A channel as kernels/opencl/stage.cl reads it.
struct channel {
  int32_t bias, multiplier, shift, unused;
};

struct layer {
  const struct tvmq_opencl_node *node;
  struct tvmq_conv_desc desc;
  struct tvmq_geometry geometry;
  struct tvmq_conv_quant quant;
  size_t n_taps, n_blocks;
  int32_t weights, channels;  // offsets of the constants
};

static const char *refuse(const struct tvmq_conv_desc *desc) {
  if (!tvmq_type_is_byte(desc->in_type) || !tvmq_type_is_byte(desc->out_type) || !tvmq_type_is_byte(desc->filter_type)) return TVMQ_OPENCL_BYTES;
  if (desc->filter == NULL || desc->dynamic_bias) return "OpenCL: weights and bias must be constant";
  return !desc->depthwise && desc->filter_c != desc->in_c ? "OpenCL: no kernel for grouped convolutions" : NULL;
}

// Makes one row of all pixels if each output pixel depends on one input pixel.
static void flatten(struct layer *layer) {
  struct tvmq_conv_desc *const d = &layer->desc;
  const bool pixelwise = d->filter_h == 1 && d->filter_w == 1 && d->stride_h == 1 && d->stride_w == 1 && d->in_h == d->out_h && d->in_w == d->out_w;
  if (!pixelwise || layer->geometry.pad_top != 0 || layer->geometry.pad_left != 0) return;
  d->in_w = d->out_w = d->batch * d->in_h * d->in_w;
  d->batch = d->in_h = d->out_h = 1;
}

static bool is_aligned(const struct layer *layer, int32_t bytes) { return layer->desc.in_c % bytes == 0 && layer->node->ins[0] % bytes == 0; }

// Sets the parameters of the output channels, block by block: the channels of a block have one form.
static void lower_channels(const struct layer *layer, struct channel *channels) {
  const struct tvmq_conv_desc *const d = &layer->desc;
  const size_t out_c = (size_t)d->out_c, results = (size_t)d->batch * (size_t)d->out_h * (size_t)d->out_w;
  for (size_t first = 0; first < out_c; first += BLOCK) {
    struct tvmq_channel views[BLOCK];
    struct tvmq_channel_params params[BLOCK];
    struct tvmq_stage unused = layer->quant.stage;
    const size_t n = tvmq_min(out_c - first, BLOCK);
    for (size_t j = 0; j < n; j++) views[j] = tvmq_conv_channel(d, &layer->quant, d->filter, first + j);
    tvmq_conv_lower(d, &layer->quant, 0, results >= RESULTS ? TVMQ_FORM_FLOAT : TVMQ_FORM_FIXED, views, first, n, &unused, params);
    for (size_t j = 0; j < n; j++) channels[first + j] = (struct channel){(int32_t)(uint32_t)params[j].bias, params[j].multiplier, params[j].shift, 0};
  }
}

// Packs weights for kernels/opencl/conv.cl.
static void pack_words(const struct layer *layer, uint8_t *words) {
  const struct tvmq_conv_desc *const d = &layer->desc;
  const size_t depth = (size_t)d->in_c, n_words = tvmq_ceil_div(depth, WORD);
  for (size_t o = 0; o < (size_t)d->out_c; o++) {
    const struct tvmq_channel channel = tvmq_conv_channel(d, &layer->quant, d->filter, o);
    uint8_t *const block = words + o / BLOCK * (layer->n_taps * n_words * BLOCK * WORD) + o % BLOCK * WORD;
    for (size_t t = 0; t < layer->n_taps; t++) {
      for (size_t k = 0; k < depth; k++) block[(t * n_words + k / WORD) * BLOCK * WORD + k % WORD] = channel.weights[t * channel.tap_stride + k] ^ channel.flip;
    }
  }
}

// Packs weights for kernels/opencl/depthwise.cl. Returns whether float32 adds up all sums exactly.
static bool pack_taps(const struct layer *layer, const struct channel *channels, int16_t *taps) {
  bool exact = true;
  for (size_t o = 0; o < (size_t)layer->desc.out_c; o++) {
    const struct tvmq_channel channel = tvmq_conv_channel(&layer->desc, &layer->quant, layer->desc.filter, o);
    int64_t greatest = channels[o].bias < 0 ? -(int64_t)channels[o].bias : channels[o].bias;  // of all partial sums
    for (size_t t = 0; t < layer->n_taps; t++) {
      const int32_t weight = (int8_t)(channel.weights[t * channel.tap_stride] ^ channel.flip) - channel.zero_point;
      taps[(o / BLOCK * layer->n_taps + t) * BLOCK + o % BLOCK] = (int16_t)weight;
      greatest += INT64_C(128) * (weight < 0 ? -weight : weight);
    }
    exact &= greatest < 1 << 24;
  }
  return exact;
}

static void pass(const struct layer *layer, struct tvmq_opencl_launch *launch, int32_t extra) {
  const struct tvmq_conv_desc *const d = &layer->desc;
  const struct tvmq_conv_quant *const q = &layer->quant;
  const uint32_t each = 0x01010101u;
  TVMQ_OPENCL_PASS(launch, layer->node->ins[0], layer->node->outs[0], layer->weights, layer->channels, d->in_h, d->in_w, d->in_c, d->out_h, d->out_w, d->out_c,
                   d->filter_h, d->filter_w, d->stride_h, d->stride_w, d->dilation_h, d->dilation_w, layer->geometry.pad_top, layer->geometry.pad_left,
                   (int32_t)((uint8_t)q->in_zero_point * each), extra, (int32_t)(q->in_flip * each), q->stage.flip, q->stage.zero_point, q->stage.min,
                   q->stage.max);
  launch->items[0] = layer->n_blocks;
  launch->items[2] = (size_t)d->batch * (size_t)d->out_h;
  launch->local[0] = launch->local[1] = LOCAL;
  tvmq_opencl_define(launch, "ODD", tvmq_stage_is_odd(&q->stage));
}

static void lower_dense(struct layer *layer, struct tvmq_opencl_plan *plan) {
  const size_t n_words = tvmq_ceil_div((size_t)layer->desc.in_c, WORD);
  uint8_t *const words = tvmq_opencl_constants(plan, layer->n_blocks * layer->n_taps * n_words * BLOCK * WORD, &layer->weights);
  if (words == NULL) return;
  pack_words(layer, words);
  flatten(layer);
  struct tvmq_opencl_launch *const launch = tvmq_opencl_launch(plan, "conv", layer->quant.stage.rounding);
  if (launch == NULL) return;
  pass(layer, launch, layer->quant.filter_zero_point);
  launch->items[1] = tvmq_ceil_div((size_t)layer->desc.out_w, PIXELS);
  tvmq_opencl_define(launch, "WORDS", is_aligned(layer, 4 * WORD) ? 4 : is_aligned(layer, WORD) ? 1 : 0);
  tvmq_opencl_define(launch, "FILTER_ZERO", layer->quant.filter_zero_point != 0);
}

static void lower_depthwise(struct layer *layer, struct tvmq_opencl_plan *plan) {
  int16_t *const taps = tvmq_opencl_constants(plan, layer->n_blocks * layer->n_taps * BLOCK * sizeof *taps, &layer->weights);
  if (taps == NULL) return;
  const bool floats = pack_taps(layer, (const struct channel *)(const void *)(plan->constants + layer->channels), taps);
  struct tvmq_opencl_launch *const launch = tvmq_opencl_launch(plan, "depthwise", layer->quant.stage.rounding);
  if (launch == NULL) return;
  pass(layer, launch, layer->desc.depth_multiplier);
  launch->items[1] = (size_t)layer->desc.out_w;
  tvmq_opencl_define(launch, "FLOATS", floats);
  tvmq_opencl_define(launch, "WORDS", layer->desc.depth_multiplier == 1 && is_aligned(layer, WORD));
}

const char *tvmq_opencl_lower_conv(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan) {
  const struct tvmq_conv_desc *const desc = &node->desc->conv;
  struct layer layer = {.node = node, .desc = *desc};
  const char *why = refuse(desc);
  if (why == NULL) why = tvmq_geometry(desc, &layer.geometry);
  if (why != NULL) return why;
  layer.quant = tvmq_conv_quant(desc, plan->rounding);
  layer.n_taps = (size_t)desc->filter_h * (size_t)desc->filter_w;
  layer.n_blocks = tvmq_ceil_div((size_t)desc->out_c, BLOCK);
  struct channel *const channels = tvmq_opencl_constants(plan, layer.n_blocks * BLOCK * sizeof *channels, &layer.channels);
  if (channels == NULL) return NULL;
  lower_channels(&layer, channels);
  if (desc->depthwise)
    lower_depthwise(&layer, plan);
  else
    lower_dense(&layer, plan);
  return NULL;
}
