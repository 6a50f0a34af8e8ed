// The plan of a depthwise convolution (op_depthwise.c), and an inference by it (depthwise_run.c).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arith.h"
#include "base/scratch.h"
#include "cpu/ops/conv/conv_quant.h"
#include "cpu/ops/conv/trim_filter.h"
#include "cpu/plan/blocks.h"
#include "cpu/threads/threads.h"
#include "kernels/kernel.h"
#include "operators/desc.h"
#include "operators/geometry.h"

// One thread's slice of the scratch, as byte offsets.
struct tvmq_depthwise_slice {
  size_t table;     // pointers to the pixels of the strip
  size_t expanded;  // one block's channels of those pixels, where the kernel cannot read them in place: gathered, pixels side by side, or the last ones
  size_t tile;      // output of a tile that overhangs the output tensor
  size_t size;
};

// The output channels of a panel. The last block overlaps its neighbour instead of overhanging: both compute the same values there.
struct tvmq_depthwise_block {
  size_t first;    // channel
  size_t n_alike;  // blocks from this one on that one call can compute: side by side, with as many planes
  size_t planes;   // pack_depthwise.h
};

// Bytes from a pixel to its neighbours down and along the kernel's rows, and from image to image.
struct tvmq_depthwise_steps {
  size_t h, w, image;
};

struct tvmq_depthwise {
  struct tvmq_conv_desc desc;  // its filter trimmed
  struct tvmq_trim trim;
  struct tvmq_conv_quant quant;
  struct tvmq_stage stage;  // lowered for the weights that are packed
  enum tvmq_form form;      // of panels, where it is exact
  struct tvmq_axis h, w;    // down and along the kernel's rows
  bool transposed;          // the kernel's rows are the image's columns
  struct tvmq_depthwise_steps in_step, out_step;
  const struct tvmq_variant *variant;
  uint32_t excluded;           // flags of which the kernel may have none, given the weights
  float cycles, bring_cycles;  // estimated, on one thread; of them, what it takes to point at pixels
  struct tvmq_threads *threads;

  size_t element_bytes, stored_bytes;  // of an activation, and of an element of the output
  size_t channels;                     // of the output
  size_t panel_bytes;
  size_t n_blocks;
  size_t side_by_side;  // output pixels that a block holds, 1 where it holds as many channels
  size_t reach;         // pixels, the last perhaps in part, that it is as large as: what is read at a pixel
  bool gathers;         // depth multiplier above 1: a block's input channels do not lie side by side
  struct tvmq_packed *weights;
  const uint8_t *packed;  // its panels
  struct tvmq_depthwise_block *blocks;
  uint32_t packs;    // how often
  uint8_t *padding;  // a pixel of zero points

  struct tvmq_blocks tasks;  // a strip of a phase, and blocks
  struct tvmq_depthwise_slice slice;
  const struct tvmq_scratch *scratch;
};

// Output channels that a block computes, those of pixels side by side included.
static inline size_t tvmq_depthwise_block_channels(const struct tvmq_depthwise *d) { return tvmq_min(d->channels * d->side_by_side, d->variant->layout.nr); }

static inline size_t tvmq_depthwise_phases(const struct tvmq_depthwise *d) { return d->h.phases * d->w.phases; }

// The tasks of an inference.
size_t tvmq_depthwise_n_tasks(const struct tvmq_depthwise *depthwise);
void tvmq_depthwise_run_task(const struct tvmq_depthwise *depthwise, const void *in, void *out, struct tvmq_task task);
