// CONV_2D and the ways of computing it. op_conv.c is the frame: it describes the convolution, has a way chosen (conv_choose.c), and packs the weights again
// only where the packing that the way wants has changed. A way does the rest, and knows nothing of the others.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/ops/conv/conv_key.h"
#include "cpu/ops/conv/conv_quant.h"
#include "cpu/ops/conv/trim_filter.h"
#include "cpu/ops/op.h"
#include "cpu/plan/blocks.h"
#include "cpu/plan/choice.h"
#include "cpu/plan/select.h"
#include "operators/desc.h"
#include "operators/geometry.h"
#include "packing/pack_gemm.h"

// Whether Winograd is exact with a convolution's weights: proven once for each set of them.
enum tvmq_exactness { TVMQ_EXACTNESS_UNKNOWN, TVMQ_EXACT, TVMQ_INEXACT };

struct tvmq_conv_problem {
  struct tvmq_conv_desc kept;  // its filter trimmed, and so the padding of the geometry: what tells its weights from others
  struct tvmq_trim trim;
  struct tvmq_conv_desc desc;  // what is computed: a vector where the window is the whole image
  struct tvmq_geometry geometry;
  struct tvmq_conv_quant quant;
  size_t element_bytes;    // of an activation
  size_t stored_bytes;     // of an element of the output: of an activation, or of a sum
  size_t groups, group_n;  // output channels of a group
  size_t m;                // output pixels of the whole batch
  uint64_t macs;
  uint32_t excluded;                 // flags of which no kernel may have one, given the weights
  enum tvmq_exactness *by_winograd;  // of these weights; the way fills it in
};

// One complete choice for a convolution.
struct tvmq_conv_choice {
  const struct tvmq_conv_way *way;
  const struct tvmq_variant *variant;  // the kernel that multiplies; its layout is that of the packed weights
  size_t n_taps, k;                    // as the kernel sees them, for Winograd points instead of taps; k is padded to the layout's ku
  bool copies;                         // im2col: there are pieces to copy, else the input is the matrix already; table: pieces at the sides are copied
  bool may_flip;                       // a flipped copy of a block's input is possible
  size_t transformed_bytes;            // what the packed weights take of the budget for transformed ones
  float cycles;                        // estimated, for the whole convolution on one thread
  float bring_cycles;                  // of them, what it takes to bring the rows of A to the kernel

  // Set for all ways alike
  struct tvmq_panel panel;
  size_t panels;  // of a group
  struct tvmq_blocks blocks;
  enum tvmq_flip flip;
};

struct tvmq_conv;

// A task of an inference, as of an implementation (op.h).
typedef void (*tvmq_conv_run_fn)(const struct tvmq_conv *conv, const struct tvmq_pass *pass, struct tvmq_task task);

// How panels are packed and multiplied, for the ways that do it alike: their packed weights can be exchanged.
struct tvmq_conv_method {
  enum tvmq_packer packer;
  // Fills one panel with `n` output channels.
  void (*pack)(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice, struct tvmq_channel *channels,
               const struct tvmq_channel_params *params, size_t n, void *panel);
  // Fills conv->plan, of plan_bytes bytes, and sets conv->shared_bytes and conv->slice_bytes for conv->problem and conv->choice. Returns NULL, or why not
  // (static string).
  size_t plan_bytes;
  const char *(*plan)(struct tvmq_conv *conv, const struct tvmq_env *env);
  size_t (*n_tasks)(const struct tvmq_conv *conv, size_t pass);  // as of an implementation (op.h)
  tvmq_conv_run_fn run_task;
};

struct tvmq_gemm_source;

struct tvmq_conv_way {
  enum tvmq_way id;
  enum tvmq_family family, family_s16;  // of the kernels that multiply inputs of 8 and of 16 bits; TVMQ_N_FAMILIES: none do
  uint32_t required, excluded;          // flags that each of these kernels has, and flags that none of them has
  // The cheapest that the way can do with what the target leaves; variant is NULL if it cannot compute the convolution.
  struct tvmq_conv_choice (*choose)(const struct tvmq_conv_problem *problem, const struct tvmq_env *env, const struct tvmq_target *target);
  // Whether that is exact with these weights, which takes long to find out: asked last. NULL: always.
  bool (*is_exact)(const struct tvmq_conv_problem *problem);
  // The work to be cut into blocks, for a choice whose panels are set.
  struct tvmq_work (*work)(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice, const struct tvmq_env *env);
  // Whether a flipped copy, if it is possible, is estimated to cost less, for a choice whose blocks are set. NULL: it never is possible.
  bool (*pays_flipping)(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice, const struct tvmq_machine *machine);
  const struct tvmq_conv_method *method;
  const struct tvmq_gemm_source *source;  // of tvmq_gemm_method (conv_gemm.h), else NULL
  const char *(*name)(const struct tvmq_conv *conv);
};

struct tvmq_conv {
  struct tvmq_conv_problem problem;
  struct tvmq_conv_choice choice;
  struct tvmq_threads *threads;

  struct tvmq_stage stage;  // lowered for the weights that are packed
  enum tvmq_form form;      // of panels, where it is exact
  struct tvmq_packed *weights;
  const uint8_t *packed;  // its panels
  uint32_t packs;         // how often
  enum tvmq_exactness by_winograd;
  struct tvmq_budget *budget;
  size_t charged;    // to the budget, for packed weights that are transformed
  uint8_t *padding;  // a filter row of zero points

  size_t shared_bytes, slice_bytes;  // of the scratch: what the threads share, and what each has to itself
  const struct tvmq_scratch *scratch;
  void *plan;                 // the way's own
  tvmq_conv_run_fn run_task;  // the method's, unless its plan has found a shorter one
};

// The family of the kernels with which the way multiplies for the problem.
static inline enum tvmq_family tvmq_conv_family(const struct tvmq_conv_way *way, const struct tvmq_conv_problem *problem) {
  return problem->desc.in_type == TVMQ_TYPE_S16 ? way->family_s16 : way->family;
}

// Describes the convolution for planning, without by_winograd. Returns NULL, or why it cannot be (static string).
const char *tvmq_conv_describe(const struct tvmq_conv_desc *desc, const struct tvmq_env *env, struct tvmq_conv_problem *problem);

// The choice that the environment's wish leaves and that is estimated to cost the least. Returns NULL, or why there is none (static string).
const char *tvmq_conv_choose(const struct tvmq_conv_problem *problem, const struct tvmq_env *env, struct tvmq_conv_choice *choice);

// Adds all choices that the environment's wish leaves.
void tvmq_conv_list(const struct tvmq_conv_desc *desc, const struct tvmq_env *env, struct tvmq_choices *choices);

// Appends what of a convolution or depthwise convolution decides on its candidates (op.h).
void tvmq_conv_sign(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_text *text);

// The estimated cost of a convolution, or depthwise convolution, as rows of A times panels: cycles on one thread. INFINITY: it cannot be computed so.
float tvmq_conv_cycles(const struct tvmq_conv_desc *desc, const struct tvmq_env *env);

// The same by any way, of a convolution whose weights are not known yet, and are taken for such that Winograd is exact: cycles until the last of the threads is
// done.
float tvmq_conv_shared_cycles(const struct tvmq_conv_desc *desc, const struct tvmq_env *env);

// The slice of a thread; what is shared lies before them.
static inline uint8_t *tvmq_conv_scratch(const struct tvmq_conv *conv, int thread) {
  return conv->scratch->memory + conv->shared_bytes + (size_t)thread * conv->slice_bytes;
}

// The computed_by of all that convolutions compute (op.h): hybrid ones have an implementation of their own.
const struct tvmq_implementation *tvmq_conv_computed_by(const union tvmq_desc *desc, const struct tvmq_env *env);
