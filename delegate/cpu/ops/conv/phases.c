#include "cpu/ops/conv/phases.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cpu/ops/conv/conv.h"

static bool same_part(const struct tvmq_subpixels *a, const struct tvmq_subpixels *b) {
  return a->first == b->first && a->phases == b->phases && a->taps == b->taps;
}

bool tvmq_same_phases(const struct tvmq_phases *a, const struct tvmq_phases *b) { return same_part(&a->h, &b->h) && same_part(&a->w, &b->w); }

struct tvmq_conv_desc tvmq_phases_conv(const struct tvmq_conv_desc *desc, const struct tvmq_phases *class) {
  struct tvmq_conv_desc conv = tvmq_subpixel_phase(desc, &class->h, &class->w);
  conv.out_c = tvmq_phases_count(class) * desc->out_c;
  return conv;
}

uint8_t *tvmq_phases_filter(const struct tvmq_conv_desc *d, const struct tvmq_phases *class) {
  const struct tvmq_subpixels *h = &class->h, *w = &class->w;
  const size_t depth = (size_t)d->filter_c, filter_h = (size_t)d->filter_h, filter_w = (size_t)d->filter_w;
  const int32_t n_phases = tvmq_phases_count(class), n_taps = h->taps * w->taps;
  uint8_t *const filter = tvmq_alloc_unset((size_t)n_phases * (size_t)d->out_c * (size_t)n_taps * depth), *to = filter;  // fits int32: claimed
  for (int32_t phase = 0; filter != NULL && phase < n_phases; phase++) {
    for (size_t o = 0; o < (size_t)d->out_c; o++) {
      const uint8_t *channel = (const uint8_t *)d->filter + o * filter_h * filter_w * depth;
      for (int32_t tap = 0; tap < n_taps; tap++, to += depth) {
        const size_t y = (size_t)tvmq_subpixel_tap(h, d->stride_h, h->first + phase / w->phases, tap / w->taps);
        const size_t x = (size_t)tvmq_subpixel_tap(w, d->stride_w, w->first + phase % w->phases, tap % w->taps);
        if (y < filter_h && x < filter_w) {
          memcpy(to, channel + (y * filter_w + x) * depth, depth);
        } else {
          memset(to, (uint8_t)d->filter_zero_point, depth);
        }
      }
    }
  }
  return filter;
}

// ---- classes

// Returns part i of an axis: the whole axis if n is 1.
static const struct tvmq_subpixels *part(const struct tvmq_subpixels *whole, const struct tvmq_subpixels parts[2], size_t n, size_t i) {
  return n == 1 ? whole : &parts[i];
}

// Compares all numbers of classes. More classes have no absent taps, and multiply less. Fewer classes fill their panels
// of output channels better, and pack the same rows less often.
const char *tvmq_classify_phases(const struct tvmq_conv_desc *desc, const struct tvmq_env *env, struct tvmq_phases classes[TVMQ_MOST_PHASE_CLASSES],
                                 size_t *n_classes) {
  struct tvmq_subpixels h, w, h_parts[2], w_parts[2];
  const char *why = tvmq_find_subpixels(desc, &h, &w);
  if (why) return why;
  const size_t most_h = tvmq_part_subpixels(&h, desc->filter_h, desc->stride_h, h_parts);
  const size_t most_w = tvmq_part_subpixels(&w, desc->filter_w, desc->stride_w, w_parts);
  float least = INFINITY;
  *n_classes = 0;
  for (size_t split = 0; split < most_h * most_w; split++) {
    const size_t n_h = split / most_w + 1, n_w = split % most_w + 1;
    struct tvmq_phases these[TVMQ_MOST_PHASE_CLASSES];
    float cycles = 0;
    for (size_t i = 0; i < n_h * n_w; i++) {
      these[i] = (struct tvmq_phases){*part(&h, h_parts, n_h, i / n_w), *part(&w, w_parts, n_w, i % n_w)};
      const struct tvmq_conv_desc conv = tvmq_phases_conv(desc, &these[i]);
      cycles += tvmq_conv_shared_cycles(&conv, env);
    }
    if (*n_classes > 0 && cycles >= least) continue;
    least = cycles;
    *n_classes = n_h * n_w;
    memcpy(classes, these, *n_classes * sizeof *these);
  }
  return NULL;
}
