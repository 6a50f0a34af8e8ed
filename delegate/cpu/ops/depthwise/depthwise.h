// Plan of a depthwise convolution (op_depthwise.c), and the functions that run it (depthwise_run.c).
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
  size_t expanded;  // copies of pixels that the kernel cannot read in place: gathered channels of one block, adjacent pixels, or the last pixels of the input
  size_t tile;      // output of a tile that extends past the output tensor
  size_t size;
};

// Block: the output channels of a panel. The last block ends with the last channel and overlaps the previous block;
// both compute the same values there.
struct tvmq_depthwise_block {
  size_t first;    // first channel
  size_t n_alike;  // number of blocks, from this one on, that one kernel call can compute: contiguous channels, equal number of planes
  size_t planes;   // pack_depthwise.h
};

// Bytes from a pixel to the next one down (h) and along (w) the kernel's rows, and from image to image.
struct tvmq_depthwise_steps {
  size_t h, w, image;
};

struct tvmq_depthwise {
  struct tvmq_conv_desc desc;  // with the trimmed filter
  struct tvmq_trim trim;
  struct tvmq_conv_quant quant;
  struct tvmq_stage stage;  // stage after lowering for the packed weights
  enum tvmq_form form;      // form of the panels in which it is exact; other panels are in fixed point
  struct tvmq_axis h, w;    // h: down the kernel's rows; w: along a row
  bool transposed;          // kernels read the image's columns as rows
  struct tvmq_depthwise_steps in_step, out_step;
  const struct tvmq_variant *variant;
  uint32_t excluded;           // flags that the kernel must not have with these weights
  float cycles, bring_cycles;  // estimates for one thread; bring_cycles: the part of `cycles` for filling pointer tables
  struct tvmq_threads *threads;

  size_t element_bytes, stored_bytes;  // bytes of an input element, and of an output element
  size_t channels;                     // output channels
  size_t panel_bytes;
  size_t n_blocks;
  size_t side_by_side;  // output pixels that one block computes together; 1 if there are at least as many channels as a block has
  size_t reach;         // pixels, rounded up, that a kernel reads at each pointer
  bool gathers;         // depth multiplier > 1: the input channels of a block are not contiguous
  struct tvmq_packed *weights;
  const uint8_t *packed;  // the panels of `weights`
  struct tvmq_depthwise_block *blocks;
  uint32_t packs;    // number of times the weights were packed
  uint8_t *padding;  // a pixel of zero points

  struct tvmq_blocks tasks;  // a task is a strip of a phase, for a range of blocks
  struct tvmq_depthwise_slice slice;
  const struct tvmq_scratch *scratch;
};

// Returns the number of output channels of a block, including the channels of all its pixels.
static inline size_t tvmq_depthwise_block_channels(const struct tvmq_depthwise *d) { return tvmq_min(d->channels * d->side_by_side, d->variant->layout.nr); }

static inline size_t tvmq_depthwise_phases(const struct tvmq_depthwise *d) { return d->h.phases * d->w.phases; }

// Returns the number of tasks of an inference.
size_t tvmq_depthwise_n_tasks(const struct tvmq_depthwise *depthwise);
void tvmq_depthwise_run_task(const struct tvmq_depthwise *depthwise, const void *in, void *out, struct tvmq_task task);
