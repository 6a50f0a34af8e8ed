// CONV_2D and the ways of computing it. op_conv.c is the frame: it describes the convolution, takes the way that estimates the fewest cycles, and packs the
// weights again only where the packing that the way wants has changed. A way does the rest.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/conv/conv_gemm.h"
#include "ops/conv/conv_matrix.h"
#include "ops/conv/conv_quant.h"
#include "ops/conv/conv_winograd.h"
#include "ops/conv/cut.h"
#include "ops/desc.h"
#include "ops/geometry.h"
#include "ops/op.h"
#include "packing/pack_gemm.h"
#include "plan/select.h"

// Whether Winograd is exact with a convolution's weights: proven once for each set of them.
enum tvmq_exactness { TVMQ_EXACTNESS_UNKNOWN, TVMQ_EXACT, TVMQ_INEXACT };

struct tvmq_conv_problem {
  struct tvmq_conv_desc desc;  // its filter cut, and so the padding of the geometry
  struct tvmq_cut cut;
  struct tvmq_geometry geometry;
  struct tvmq_conv_quant quant;
  size_t element_bytes;    // of an activation
  size_t groups, group_n;  // output channels of a group
  size_t m;                // output pixels of the whole batch
  uint64_t macs;
  uint32_t excluded;                 // flags of which no kernel may have one, given the weights
  enum tvmq_exactness *by_winograd;  // of these weights; the way fills it in
};

// What a way would do.
struct tvmq_conv_choice {
  const struct tvmq_conv_way *way;
  const struct tvmq_variant *variant;  // the kernel that multiplies; its layout is that of the packed weights
  size_t n_taps, k;                    // as the kernel sees them, for Winograd points instead of taps; k is padded to the layout's ku
  bool copies;                         // im2col: there are pieces to copy, else the input is the matrix already; table: pieces at the sides are copied
  bool wanted;                         // whatever it costs
  size_t transformed_bytes;            // what the packed weights take of the budget for transformed ones
  float cycles;                        // estimated, for the whole convolution on one thread
  float bring_cycles;                  // of them, what it takes to bring the rows of A to the kernel
};

struct tvmq_conv;

// How the rows of A come to a kernel that multiplies them by panels.
enum tvmq_conv_rows_kind {
  TVMQ_CONV_IN_PLACE,  // as they lie in the input
  TVMQ_CONV_TABLE,     // by pointers to the pieces of each
  TVMQ_CONV_PADDED,    // from a copy of the input with its padding
  TVMQ_CONV_IM2COL,    // each copied
};

struct tvmq_conv_way {
  enum tvmq_conv_rows_kind rows;  // of ways whose kernels take rows
  // The cheapest that the way can do; variant is NULL if it cannot compute the convolution.
  struct tvmq_conv_choice (*choose)(const struct tvmq_conv_problem *problem, const struct tvmq_env *env);
  // Whether that is exact with these weights, which takes long to find out: asked last. NULL: always.
  bool (*is_exact)(const struct tvmq_conv_problem *problem);
  // Fills one panel with `n` output channels. Ways that pack alike have the same function: their packed weights can be exchanged.
  void (*pack)(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice, const struct tvmq_channel *channels,
               const struct tvmq_channel_params *params, size_t n, void *panel);
  // Sets conv->plan, conv->shared_bytes and conv->slice_bytes for conv->problem and conv->choice. Returns NULL, or why not (static string).
  const char *(*plan)(struct tvmq_conv *conv, const struct tvmq_env *env);
  // Of an inference, as of a class (op.h).
  size_t (*n_tasks)(const struct tvmq_conv *conv, size_t pass);
  void (*run_task)(const struct tvmq_conv *conv, const struct tvmq_pass *pass, struct tvmq_tile task);
  const char *(*name)(const struct tvmq_conv *conv);
};

struct tvmq_conv {
  struct tvmq_conv_problem problem;  // the quantization is that of the packed weights
  struct tvmq_conv_choice choice;
  struct tvmq_threads *threads;

  struct tvmq_panel panel;
  size_t panels;  // of a group
  uint8_t *packed;
  uint32_t packs;  // how often
  enum tvmq_exactness by_winograd;
  struct tvmq_budget *budget;
  size_t charged;    // to the budget, for packed weights that are transformed
  uint8_t *padding;  // a filter row of zero points

  size_t shared_bytes, slice_bytes;  // of the scratch: what the threads share, and what each has to itself
  const struct tvmq_scratch *scratch;
  union {
    struct tvmq_conv_gemm gemm;
    struct tvmq_conv_matrix matrix;
    struct tvmq_conv_winograd winograd;
  } plan;  // the way's own
};

// What a described convolution, or depthwise convolution, is estimated to cost as rows of A times panels: cycles on one thread. INFINITY: it cannot be.
float tvmq_conv_cycles(const struct tvmq_conv_desc *desc, const struct tvmq_env *env);

// The slice of a thread; what is shared lies before them.
static inline uint8_t *tvmq_conv_scratch(const struct tvmq_conv *conv, int thread) {
  return conv->scratch->memory + conv->shared_bytes + (size_t)thread * conv->slice_bytes;
}

extern const struct tvmq_conv_way tvmq_conv_by_table, tvmq_conv_by_im2col;                               // conv_gemm.c
extern const struct tvmq_conv_way tvmq_conv_in_place, tvmq_conv_by_padding, tvmq_conv_by_matrix_im2col;  // conv_matrix.c
extern const struct tvmq_conv_way tvmq_conv_by_winograd;                                                 // conv_winograd.c

// Of both operators (op.h).
const char *tvmq_conv_set_border(union tvmq_desc *options, const struct tvmq_pad_desc *pad);
