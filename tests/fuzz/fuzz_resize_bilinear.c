// RESIZE_BILINEAR.
#include <math.h>
#include <stdio.h>

#include "fuzz.h"
#include "oracle_conv.h"
#include "support/oracle.h"
#include "support/random.h"

// An output between two inputs along one axis: `weight` of the second one, the rest to 1 or 1024 of the first.
struct place {
  int32_t low, high;
  double weight;
};

// The place of an output of a signed type, in 1024ths. Quotients truncate.
static struct place fixed_place(const struct tvmq_resize_desc *d, int64_t in, int64_t out, int64_t i) {
  const int64_t step = d->align_corners && out > 1 ? (1024 * (in - 1) + (out - 1) / 2) / (out - 1) : (1024 * in + out / 2) / out;
  const int64_t at = d->half_pixel_centers ? i * step + step / 2 - 512 : i * step, low = at / 1024, high = (at + 1023) / 1024;
  struct place place = {.low = (int32_t)(low < 0 ? 0 : low), .high = (int32_t)(high < in ? high : in - 1)};
  place.weight = (double)(at - 1024 * place.low);
  return place;
}

static struct place float_place(const struct tvmq_resize_desc *d, int32_t in, int32_t out, int32_t i) {
  const float step = d->align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1) : (float)in / (float)out;
  const float at = d->half_pixel_centers ? ((float)i + 0.5f) * step - 0.5f : (float)i * step, low = floorf(at), high = ceilf(at);
  struct place place = {.low = low < 0 ? 0 : (int32_t)low, .high = high < (float)in ? (int32_t)high : in - 1};
  place.weight = (double)(at - (float)place.low);
  return place;
}

static struct place place_of(const struct tvmq_resize_desc *d, int32_t in, int32_t out, int32_t i) {
  return d->in_type == TVMQ_TYPE_U8 ? float_place(d, in, out, i) : fixed_place(d, in, out, i);
}

static int32_t load(const struct tvmq_resize_desc *d, const void *in, int32_t image, int32_t y, int32_t x, int32_t channel) {
  const int64_t pixel = ((int64_t)image * d->in_h + y) * d->in_w + x;
  return oracle_load(d->in_type, in, (size_t)(pixel * d->channels + channel));
}

static int32_t between(const struct tvmq_resize_desc *d, const void *in, int32_t image, struct place y, struct place x, int32_t channel) {
  const double one = d->in_type == TVMQ_TYPE_U8 ? 1 : 1024;
  const double above = load(d, in, image, y.low, x.low, channel) * (one - x.weight) + load(d, in, image, y.low, x.high, channel) * x.weight;
  const double below = load(d, in, image, y.high, x.low, channel) * (one - x.weight) + load(d, in, image, y.high, x.high, channel) * x.weight;
  return (int32_t)round((above * (one - y.weight) + below * y.weight) / (one * one));
}

static void resize(const struct tvmq_resize_desc *d, const void *in, void *out) {
  size_t at = 0;
  for (int32_t image = 0; image < d->batch; image++) {
    for (int32_t i = 0; i < d->out_h; i++) {
      const struct place y = place_of(d, d->in_h, d->out_h, i);
      for (int32_t j = 0; j < d->out_w; j++) {
        const struct place x = place_of(d, d->in_w, d->out_w, j);
        for (int32_t channel = 0; channel < d->channels; channel++) oracle_store(d->out_type, out, at++, between(d, in, image, y, x, channel));
      }
    }
  }
}

static void pick(struct fuzz_bytes *b, struct tvmq_resize_desc *d) {
  static const enum tvmq_type types[] = {TVMQ_TYPE_S8, TVMQ_TYPE_U8, TVMQ_TYPE_S16};
  *d = (struct tvmq_resize_desc){.in_type = types[fuzz_pick(b, 0, 2)], .batch = (int32_t)fuzz_pick(b, 0, 3)};
  d->out_type = d->in_type;
  d->in_h = (int32_t)fuzz_pick(b, 0, 20);
  d->in_w = (int32_t)fuzz_pick(b, 0, 20);
  d->out_h = (int32_t)fuzz_pick(b, 0, 50);
  d->out_w = (int32_t)fuzz_pick(b, 0, 50);
  d->align_corners = fuzz_pick(b, 0, 1);
  d->half_pixel_centers = fuzz_pick(b, 0, 1);
  d->channels = (int32_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 1) ? 5 : 80);
  if (fuzz_pick(b, 0, 1)) {  // times or over a power of two, as is exact in float32
    const int up = (int)fuzz_pick(b, 0, 3);
    d->out_h = (d->in_h - d->align_corners) * (1 << up) + d->align_corners;
    d->out_w = fuzz_pick(b, 0, 1) ? d->in_w : (d->in_w - d->align_corners) * (1 << up) + d->align_corners;
  }
  if (fuzz_pick(b, 0, 15) == 0) *(fuzz_pick(b, 0, 1) ? &d->in_type : &d->out_type) = (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4);
  int32_t *const numbers[] = {&d->batch, &d->in_h, &d->in_w, &d->channels};
  if (fuzz_pick(b, 0, 31) == 0) *numbers[fuzz_pick(b, 0, 3)] = (int32_t)fuzz_pick(b, INT32_MIN, INT32_MAX);
}

void fuzz_resize_bilinear(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static _Alignas(8) uint8_t expected[FUZZ_MAX_BYTES];
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_resize_desc d;
  pick(b, &d);
  char text[300];
  snprintf(text, sizeof text, "resize bilinear, types %d -> %d, %d x %dx%d -> %dx%d x %d, corners %d, centres %d, cpu %#x", d.in_type, d.out_type, d.batch,
           d.in_h, d.in_w, d.out_h, d.out_w, d.channels, d.align_corners, d.half_pixel_centers, env->cpu);
  fuzz_about(text);
  const union tvmq_desc desc = {.resize = d};
  const char *why = fuzz_claim(&tvmq_operator_resize_bilinear, &desc);
  if (why) return;
  const double images = (double)d.batch * d.channels * (double)tvmq_type_bytes(d.in_type);
  if (images * d.in_h * d.in_w > FUZZ_MAX_BYTES || images * d.out_h * d.out_w > FUZZ_MAX_BYTES / 4) return;
  const size_t pixel = (size_t)images, in_bytes = pixel * (size_t)d.in_h * (size_t)d.in_w, out_bytes = pixel * (size_t)d.out_h * (size_t)d.out_w;
  const struct fuzz_tensor in = fuzz_tensor(FUZZ_IN, in_bytes, side);
  check_random_bytes(in.write, in_bytes);
  resize(&d, in.read, expected);
  struct tvmq_op *op = NULL;
  fuzz_run(&tvmq_op_resize_bilinear, &op, &desc, env, &in.read, expected, out_bytes, side);
  tvmq_op_release(&tvmq_op_resize_bilinear, op);
}
