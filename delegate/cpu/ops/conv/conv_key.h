// Identity of packed weights: everything that determines their bytes. Used to compare two plans of an operator, and as
// a key among all weights (packing/packed.h).
#pragma once

#include "base/content.h"
#include "cpu/ops/conv/conv_quant.h"
#include "cpu/ops/conv/trim_filter.h"
#include "cpu/ops/op.h"

// The functions that pack panels (pack_gemm.h, pack_winograd.h, pack_depthwise.h).
enum tvmq_packer { TVMQ_PACKER_GEMM, TVMQ_PACKER_WINOGRAD, TVMQ_PACKER_DEPTHWISE };

// Arrangement of packed weights in memory.
struct tvmq_arrangement {
  const struct tvmq_layout *layout;
  enum tvmq_packer packer;
  enum tvmq_form form;
  bool transposed;
  size_t n_taps, k, side_by_side, panels, panel_bytes;
};

// Returns whether two descriptions with trimmed filters have the same weights, provided that constants keep their
// contents; and whether two arrangements are equal.
bool tvmq_conv_same_weights(const struct tvmq_conv_desc *a, const struct tvmq_trim *a_trim, const struct tvmq_conv_desc *b, const struct tvmq_trim *b_trim);
bool tvmq_same_arrangement(const struct tvmq_arrangement *a, const struct tvmq_arrangement *b);

// Notes that the constants of an operator's description are packed, so that only planning reads them (base/recording.h).
void tvmq_conv_note_packed(const struct tvmq_conv_desc *desc);

// Sets *key. Returns false if the weights have no key, because the contents of the node's constants are unknown, or
// because the network is recorded: it shares nothing.
bool tvmq_conv_key(const struct tvmq_conv_desc *desc, const struct tvmq_trim *trim, const struct tvmq_arrangement *arrangement, const struct tvmq_env *env,
                   struct tvmq_key *key);

struct tvmq_packed;

// Takes `bytes` from the budget of packed weights. Returns false if there are not so many left.
bool tvmq_take_weights(struct tvmq_weight_budget *budget, size_t bytes);

// Sets *weights to the packed weights with this key. If there are none, creates and shares `bytes` bytes of weights;
// `fill` packs them and sets their invariants. On failure, sets *weights to NULL and returns the reason.
const char *tvmq_conv_weights(const struct tvmq_key *key, bool has_key, size_t bytes, const struct tvmq_env *env,
                              bool (*fill)(void *context, uint8_t *panels, uint32_t *invariants), void *context, struct tvmq_packed **weights);

// Converts the invariants of a lowered stage (right_shifts, headroom, fits_int16) to a number and back.
uint32_t tvmq_invariants_of(const struct tvmq_stage *stage);
struct tvmq_stage tvmq_stage_with(const struct tvmq_stage *stage, uint32_t invariants);
