#include "layer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/float_stage.h"

static uint8_t stored_weights[LAYER_MAX_WEIGHTS];
static int32_t centred_weights[LAYER_MAX_WEIGHTS];
static int64_t sums[LAYER_MAX_RESULTS];

// Ways to fill a vector: the extremes make sums overflow where a kernel is short of bits, small ones make results that a scale of 1 or more does not saturate.
enum pattern { RANDOM, SMALL, ALL_MIN, ALL_MAX, ALTERNATING, SPARSE, CENTRE, N_PATTERNS };

static int32_t draw(enum pattern pattern, size_t i, int32_t min, int32_t max, int32_t centre) {
  switch (pattern) {
    case SMALL:
      return (int32_t)check_between(centre - 3 < min ? min : centre - 3, centre + 3 > max ? max : centre + 3);
    case ALL_MIN:
      return min;
    case ALL_MAX:
      return max;
    case ALTERNATING:
      return i % 2 ? min : max;
    case SPARSE:
      return check_below(8) ? centre : check_one_in(2) ? min : max;
    case CENTRE:
      return centre;
    case RANDOM:
    default:
      return (int32_t)check_between(min, max);
  }
}

// Half of all layers are random through and through.
static enum pattern draw_pattern(void) { return check_one_in(2) ? RANDOM : check_below(N_PATTERNS); }

static int32_t draw_zero_point(int32_t min, int32_t max) {
  switch (check_below(4)) {
    case 0:
      return 0;
    case 1:
      return check_one_in(2) ? min : max;
    default:
      return (int32_t)check_between(min, max);
  }
}

void layer_draw(struct layer *layer, const struct tvmq_variant *variant, size_t n, size_t n_taps, size_t n_depths, bool weightless) {
  const bool s16 = variant->family == TVMQ_FAMILY_GEMM_S16 || variant->family == TVMQ_FAMILY_DEPTHWISE_S16;
  *layer = (struct layer){.variant = variant, .n = n, .n_taps = n_taps, .n_depths = n_depths, .weights = centred_weights, .sums = sums};
  layer->stored_n = layer_padded_n(layer);
  layer->element = s16 ? sizeof(int16_t) : sizeof(int8_t);
  layer->stage.sums = (variant->flags & TVMQ_SUMS) != 0 && check_one_in(4);
  layer->stored = layer->stage.sums ? sizeof(int32_t) : layer->element;
  layer->operand = variant->flags & TVMQ_WIDE_ROWS ? sizeof(int16_t) : layer->element;
  layer->value_min = s16 ? INT16_MIN : INT8_MIN;
  layer->value_max = s16 ? INT16_MAX : INT8_MAX;
  layer->in_zero_point = draw_zero_point(layer->value_min, layer->value_max);
  if (!s16) {
    // Wide and zipped rows were flipped when they were made; a matrix is of the kernel's own type where it does not flip.
    const bool is_as_it_is = (variant->flags & (TVMQ_MATRIX_ROWS | TVMQ_LINES)) == TVMQ_MATRIX_ROWS;
    layer->in_flip = variant->flags & (TVMQ_WIDE_ROWS | TVMQ_ZIPPED_ROWS) ? 0 : is_as_it_is ? variant->layout.a_offset : check_one_in(2) ? 0x80 : 0;
    layer->filter_flip = check_one_in(2) ? 0x80 : 0;
    if (!weightless) layer->filter_zero_point = draw_zero_point(INT8_MIN, INT8_MAX);
  }

  const size_t per_channel = n_taps * n_depths;
  if (n > LAYER_MAX_CHANNELS || n * per_channel > LAYER_MAX_WEIGHTS) {
    fprintf(stderr, "layer: %zu channels of %zu weights are more than this test has room for\n", n, per_channel);
    exit(1);
  }
  int32_t min = variant->flags & TVMQ_NO_MIN_WEIGHT ? -INT8_MAX : INT8_MIN, max = INT8_MAX;
  const bool may_have_one_min = variant->family == TVMQ_FAMILY_DEPTHWISE_S8 && !weightless && check_one_in(2);
  // Half of all layers have weights that their zero point can be subtracted from beforehand, some only just.
  if (check_one_in(2)) {
    min = (int32_t)tvmq_max_s64(min, layer->filter_zero_point - (check_one_in(4) ? 128 : 127));
    max = (int32_t)tvmq_min_s64(max, layer->filter_zero_point + 127);
  }
  const enum pattern common = draw_pattern();
  for (size_t c = 0; c < n; c++) {
    const enum pattern pattern = weightless ? CENTRE : check_below(8) ? common : draw_pattern();
    for (size_t i = 0; i < per_channel; i++) {
      const int32_t w = weightless ? 0 : draw(pattern, i, min, max, (int32_t)tvmq_max_s64(min, layer->filter_zero_point));
      stored_weights[c * per_channel + i] = (uint8_t)((uint8_t)w ^ layer->filter_flip);
      centred_weights[c * per_channel + i] = w - layer->filter_zero_point;
    }
    if (may_have_one_min && check_one_in(4)) {
      const size_t i = check_below((uint32_t)per_channel);
      stored_weights[c * per_channel + i] = (uint8_t)(0x80 ^ layer->filter_flip);
      centred_weights[c * per_channel + i] = INT8_MIN - layer->filter_zero_point;
    }
  }
}

void layer_draw_pool(const struct layer *layer, const struct guard *pool, size_t n, enum guard_side side, int32_t *values) {
  const enum pattern common = draw_pattern();
  for (size_t slot = 0; slot < pool->n_slots; slot++) {
    uint8_t *stored = guard_writable(pool, guard_at(pool, slot, n * layer->operand, side));
    const enum pattern pattern = check_below(4) ? common : draw_pattern();
    for (size_t i = 0; i < n; i++) {
      const int32_t x = draw(pattern, i, layer->value_min, layer->value_max, layer->in_zero_point);
      values[slot * n + i] = x - layer->in_zero_point;
      if (layer->operand == 1) {
        stored[i] = (uint8_t)((uint8_t)x ^ layer->in_flip);
      } else {
        ((int16_t *)stored)[i] = (int16_t)x;
      }
    }
  }
}

uint8_t layer_kernel_flip(const struct layer *layer) { return layer->in_flip ^ layer->variant->layout.a_offset; }

int32_t layer_operand_offset(const struct layer *layer) { return layer->in_zero_point + layer->variant->layout.a_offset; }

// Gives panels the form that the kernel takes where it is exact for the accumulators that there are; most of them.
static void draw_float_panels(const struct layer *layer, struct tvmq_channel_params *params) {
  struct tvmq_accumulators accumulators[LAYER_MAX_CHANNELS];
  for (size_t c = 0; c < layer->n; c++) {
    accumulators[c] = (struct tvmq_accumulators){INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < layer->n_rows * layer->n_cols; i++) {
      const int64_t acc = layer_accumulator(layer, i, c);
      if (acc < accumulators[c].lo) accumulators[c].lo = acc;
      if (acc > accumulators[c].hi) accumulators[c].hi = acc;
    }
  }
  const size_t nr = layer->variant->layout.nr;
  for (size_t c = 0; c < layer->n; c += nr) {
    if (check_below(4) != 0) tvmq_float_panel(tvmq_form_of(layer->variant), &layer->stage, accumulators + c, params + c, layer->n - c < nr ? layer->n - c : nr);
  }
}

void layer_channels(const struct layer *layer, struct tvmq_channel channels[LAYER_MAX_CHANNELS], struct tvmq_channel_params params[LAYER_MAX_CHANNELS]) {
  const size_t per_channel = layer->n_taps * layer->n_depths;
  for (size_t c = 0; c < layer->n; c++) {
    channels[c] = (struct tvmq_channel){
        .weights = stored_weights + c * per_channel,
        .flip = layer->filter_flip,
        .zero_point = layer->filter_zero_point,
        .n_taps = layer->n_taps,
        .tap_stride = layer->n_depths,
        .n_depths = layer->n_depths,
        .depth_stride = 1,
    };
    const struct tvmq_folded folded =
        tvmq_fold(&channels[c], layer->params[c].bias, layer->in_zero_point, layer->variant->layout.a_offset, layer->value_min, layer->value_max);
    params[c] = (struct tvmq_channel_params){folded.bias, layer->params[c].multiplier, layer->params[c].shift};
  }
  if (tvmq_form_of(layer->variant) != TVMQ_FORM_FIXED && !layer->stage.sums) draw_float_panels(layer, params);
}

const void *layer_panel(size_t size, enum guard_side side, void **written) {
  static struct guard guard;
  if (!guard.first) guard = guard_create(1, 1 << 20, GUARD_READ_ONLY);
  const void *panel = guard_at(&guard, 0, size, side);
  *written = guard_writable(&guard, panel);
  return panel;
}

// The output lies in a slot of bytes that differ from place to place; `expected` is what the whole slot must be afterwards.
static struct guard out_guard;
static uint8_t *out_start;
static uint8_t background[LAYER_MAX_OUT], expected[LAYER_MAX_OUT];

size_t layer_padded_n(const struct layer *layer) {
  const size_t nr = layer->variant->layout.nr;
  return (layer->n + nr - 1) / nr * nr;
}

void *layer_out(const struct layer *layer, enum guard_side side) {
  if (!out_guard.first) {
    out_guard = guard_create(1, LAYER_MAX_OUT, GUARD_READ_WRITE);
    check_random_bytes(background, sizeof background);
  }
  const size_t last_pixel = layer->stored_n * layer->stored;
  const size_t size = (layer->n_rows - 1) * layer->row_stride + (layer->n_cols - 1) * layer->col_stride + last_pixel;
  out_start = guard_at(&out_guard, 0, size, side);
  memcpy(guard_slot(&out_guard, 0), background, LAYER_MAX_OUT);
  return out_start;
}

static int32_t clamp(int32_t x, int32_t min, int32_t max) { return x < min ? min : x > max ? max : x; }

static int32_t wanted_at(const struct layer *layer, size_t i, size_t n) {
  if (layer->stage.sums) return (int32_t)layer_accumulator(layer, i, n);
  return clamp(layer_requantized(layer, i, n), layer->stage.min, layer->stage.max);
}

static int32_t element_at(const struct layer *layer, const uint8_t *stored) {
  int16_t got16;
  int32_t sum;
  if (layer->stored == 1) return (int8_t)(*stored ^ layer->stage.flip);
  memcpy(layer->stage.sums ? (void *)&sum : (void *)&got16, stored, layer->stored);
  return layer->stage.sums ? sum : got16;
}

static void fail_at(const struct layer *layer, size_t i, size_t n, int32_t wanted, int32_t got) {
  const struct tvmq_channel_params *p = &layer->params[n];
  check_fail("row %zu, column %zu, channel %zu: got %d, want %d (accumulator %" PRId64 " = sum %" PRId64 " + bias %" PRId64 ", multiplier %d, shift %d)",
             i / layer->n_cols, i % layer->n_cols, n, got, wanted, layer_accumulator(layer, i, n), layer->sums[i * layer->n + n], p->bias, p->multiplier,
             p->shift);
}

void layer_compare(const struct layer *layer) {
  const uint8_t *slot = guard_slot(&out_guard, 0);
  memcpy(expected, background, sizeof expected);
  for (size_t i = 0; i < layer->n_rows * layer->n_cols; i++) {
    const uint8_t *out = out_start + i / layer->n_cols * layer->row_stride + i % layer->n_cols * layer->col_stride;
    for (size_t n = 0; n < layer->n; n++) {
      const int32_t wanted = wanted_at(layer, i, n), got = element_at(layer, out + n * layer->stored);
      if (got != wanted) fail_at(layer, i, n, wanted, got);
    }
    // The caller drops the outputs of channels that pad the panel.
    memcpy(expected + (out - slot), out, layer->stored_n * layer->stored);
  }
  if (memcmp(slot, expected, sizeof expected) == 0) return;
  size_t at = 0;
  while (slot[at] == expected[at]) at++;
  check_fail("byte %td of the output lies outside every pixel and was written", slot + at - out_start);
}

const char *layer_text(const struct layer *layer) {
  static char text[320];
  const struct tvmq_stage *s = &layer->stage;
  snprintf(text, sizeof text, "n %zu, zero points %d %d -> %d, flips in %#x filter %#x out %#x, rounding %d, clamp %d..%d%s%s%s%s", layer->n,
           layer->in_zero_point, layer->filter_zero_point, s->zero_point, layer->in_flip, layer->filter_flip, s->flip, s->rounding, s->min, s->max,
           s->right_shifts ? ", right_shifts" : "", s->headroom ? ", headroom" : "", s->fits_int16 ? ", fits_int16" : "", s->sums ? ", sums" : "");
  return text;
}
