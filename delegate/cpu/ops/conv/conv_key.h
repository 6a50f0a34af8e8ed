// All that decides on the bytes of packed weights: compared for one operator, and as a key among all weights (packing/packed.h).
#pragma once

#include "base/content.h"
#include "cpu/ops/conv/conv_quant.h"
#include "cpu/ops/conv/trim_filter.h"
#include "cpu/ops/op.h"

// The makers of panels (pack_gemm.h, pack_winograd.h, pack_depthwise.h).
enum tvmq_packer { TVMQ_PACKER_GEMM, TVMQ_PACKER_WINOGRAD, TVMQ_PACKER_DEPTHWISE };

// How weights are laid out.
struct tvmq_arrangement {
  const struct tvmq_layout *layout;
  enum tvmq_packer packer;
  enum tvmq_form form;
  bool transposed;
  size_t n_taps, k, side_by_side, panels, panel_bytes;
};

// Whether the descriptions, whose filters are trimmed, have the same weights, as long as constants keep their contents; and whether these are laid out alike.
bool tvmq_conv_same_weights(const struct tvmq_conv_desc *a, const struct tvmq_trim *a_trim, const struct tvmq_conv_desc *b, const struct tvmq_trim *b_trim);
bool tvmq_same_arrangement(const struct tvmq_arrangement *a, const struct tvmq_arrangement *b);

// False: the weights have none, since the contents of the node's constants are not known.
bool tvmq_conv_key(const struct tvmq_conv_desc *desc, const struct tvmq_trim *trim, const struct tvmq_arrangement *arrangement, const struct tvmq_env *env,
                   struct tvmq_key *key);

// Finds the weights of the key, or fills new ones of that many bytes by `fill`, which returns what they promise, and shares them. NULL: out of memory.
struct tvmq_packed *tvmq_conv_weights(const struct tvmq_key *key, bool has_key, size_t bytes, const struct tvmq_env *env,
                                      bool (*fill)(void *context, uint8_t *panels, uint32_t *promises), void *context);

// The promises of a stage that is lowered for weights, as a number and back.
uint32_t tvmq_promises_of(const struct tvmq_stage *stage);
struct tvmq_stage tvmq_stage_promised(const struct tvmq_stage *stage, uint32_t promises);
