// Conversions between bytes and float32, by tables that C computes: no arithmetic on floats depends on the device.
#include <math.h>

#include "arithmetic/stage.h"
#include "base/float_bits.h"
#include "opencl/lower.h"

enum { N_THRESHOLDS = TVMQ_N_BYTES - 1 };

// The table of kernels/opencl/quantize.cl.
struct thresholds {
  int32_t orders[N_THRESHOLDS], low, high;
  int32_t low_byte, high_byte, nan_byte;
};

// ---- QUANTIZE

// Order of a float: an integer that grows with it. Converts in both directions.
static int32_t order_of(int32_t bits) { return bits < 0 ? bits ^ INT32_MAX : bits; }
static float float_at(int64_t order) { return tvmq_float_of(order_of((int32_t)order)); }

static float quotient(const struct tvmq_quantize_desc *d, float x) { return d->reciprocal ? x * (1 / d->out.scale) : x / d->out.scale; }

static int32_t byte_of(const struct tvmq_quantize_desc *d, float x) {
  const struct tvmq_range range = tvmq_type_range(d->out_type);
  return tvmq_clamp(tvmq_add_wrap(tvmq_round_f32(quotient(d, x)), d->out.zero_point), range.min, range.max);
}

// Ends: results that int32 does not hold. The greatest float below 2^31 is 2^31 - 128, which a zero point above 127 takes
// out of int32.
static bool is_low(const struct tvmq_quantize_desc *d, float x) { return quotient(d, x) <= -0x1p31f; }
static bool is_high(const struct tvmq_quantize_desc *d, float x) { return quotient(d, x) >= 0x1p31f - (d->out.zero_point > 127 ? 128 : 0); }

// Fills the table. Between the ends, bytes never decrease as the input grows.
static void find_thresholds(const struct tvmq_quantize_desc *d, struct thresholds *t) {
  const int64_t least = order_of(tvmq_float_bits(-INFINITY)), most = order_of(tvmq_float_bits(INFINITY));
  int64_t low = least - 1, high = most + 1;
  for (int64_t end = 0; end - low > 1;) {  // the last order of the low end is in [low, end)
    const int64_t middle = low + (end - low) / 2;
    *(is_low(d, float_at(middle)) ? &low : &end) = middle;
  }
  for (int64_t begin = 0; high - begin > 1;) {  // the first order of the high end is in (begin, high]
    const int64_t middle = begin + (high - begin) / 2;
    *(is_high(d, float_at(middle)) ? &high : &begin) = middle;
  }
  const int32_t first = tvmq_type_range(d->out_type).min;
  for (int32_t i = 0; i < N_THRESHOLDS; i++) {
    int64_t below = low, from = high;  // the byte is reached in (below, from]; at `high`, if it never is
    while (from - below > 1) {
      const int64_t middle = below + (from - below) / 2;
      *(byte_of(d, float_at(middle)) > first + i ? &from : &below) = middle;
    }
    t->orders[i] = (int32_t)from;
  }
  t->low = (int32_t)low;
  t->high = (int32_t)high;
  t->low_byte = byte_of(d, -INFINITY);
  t->high_byte = byte_of(d, INFINITY);
  t->nan_byte = byte_of(d, NAN);
}

static const char *lower_from_float(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan) {
  const struct tvmq_quantize_desc *const d = &node->desc->quantize;
  int32_t at;
  if (!tvmq_type_is_byte(d->out_type)) return TVMQ_OPENCL_BYTES;
  if (d->reciprocal && !isfinite(1 / d->out.scale)) return "OpenCL: the reciprocal of the scale is infinite";
  struct thresholds *const thresholds = tvmq_opencl_constants(plan, sizeof *thresholds, &at);
  if (thresholds == NULL) return NULL;
  find_thresholds(d, thresholds);
  struct tvmq_opencl_launch *const launch = tvmq_opencl_launch(plan, "quantize", TVMQ_ROUNDING_REFERENCE);
  if (launch == NULL) return NULL;
  launch->items[0] = d->n;
  launch->local[0] = TVMQ_OPENCL_LINE;
  TVMQ_OPENCL_PASS(launch, node->ins[0], node->outs[0], (int32_t)d->n, at, tvmq_type_range(d->out_type).min);
  return NULL;
}

const char *tvmq_opencl_lower_quantize(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan) {
  const struct tvmq_quantize_desc *const d = &node->desc->quantize;
  return d->in_type == TVMQ_TYPE_F32 ? lower_from_float(node, plan) : tvmq_opencl_lower_function(node, d->in_type, d->out_type, plan);
}

// ---- DEQUANTIZE

const char *tvmq_opencl_lower_dequantize(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan) {
  const struct tvmq_dequantize_desc *const d = &node->desc->dequantize;
  if (!tvmq_type_is_byte(d->in_type)) return TVMQ_OPENCL_BYTES;
  int32_t at;
  float *const table = tvmq_opencl_constants(plan, TVMQ_N_BYTES * sizeof *table, &at);
  if (table == NULL) return NULL;
  for (int32_t x = 0; x < TVMQ_N_BYTES; x++) table[x] = d->in.scale * (float)(tvmq_byte_value(d->in_type, (uint8_t)x) - d->in.zero_point);
  struct tvmq_opencl_launch *const launch = tvmq_opencl_launch(plan, "dequantize", TVMQ_ROUNDING_REFERENCE);
  if (launch == NULL) return NULL;
  launch->items[0] = d->n;
  launch->local[0] = TVMQ_OPENCL_LINE;
  TVMQ_OPENCL_PASS(launch, node->ins[0], node->outs[0], (int32_t)d->n, at);
  return NULL;
}
