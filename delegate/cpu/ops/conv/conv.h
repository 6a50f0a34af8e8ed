// CONV_2D and its algorithms. op_conv.c is the frame: it describes the convolution, lets conv_choose.c choose an
// algorithm, and packs the weights again only if the required packing has changed. An algorithm does the rest, and does
// not depend on other algorithms.
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

// Whether Winograd is exact with a convolution's weights; proven once for each set of weights.
enum tvmq_exactness { TVMQ_EXACTNESS_UNKNOWN, TVMQ_EXACT, TVMQ_INEXACT };

struct tvmq_conv_problem {
  struct tvmq_conv_desc kept;  // the description with the filter trimmed, and the padding of `geometry` with it; identifies the weights
  struct tvmq_trim trim;
  struct tvmq_conv_desc desc;  // the computed convolution: a vector product if the window is the whole image
  struct tvmq_geometry geometry;
  struct tvmq_conv_quant quant;
  size_t element_bytes;    // bytes per input element
  size_t stored_bytes;     // bytes per output element: of an activation or of a sum
  size_t groups, group_n;  // number of groups, and output channels per group
  size_t m;                // output pixels of the whole batch
  uint64_t macs;
  uint32_t excluded;                 // flags that no kernel may have with these weights
  enum tvmq_exactness *by_winograd;  // result for these weights; set by the Winograd algorithm
};

// One complete choice for a convolution.
struct tvmq_conv_choice {
  const struct tvmq_conv_algorithm *algorithm;
  const struct tvmq_variant *variant;  // the kernel that multiplies; its layout is the layout of the packed weights
  size_t n_taps, k;                    // taps and depths of the kernel's call; Winograd: n_taps are points; k is padded to the layout's ku
  bool copies;                         // im2col: pieces are copied, else the input is already the matrix; table: pieces at the image's sides are copied
  bool may_flip;                       // a flipped copy of a block's input is possible
  size_t transformed_bytes;            // bytes charged to the budget for transformed weights
  float cycles;                        // estimate for the whole convolution on one thread
  float bring_cycles;                  // the part of `cycles` for packing the rows of A

  // Set in the same way for all algorithms
  struct tvmq_panel panel;
  size_t panels;  // panels per group
  struct tvmq_blocks blocks;
  enum tvmq_flip flip;
};

struct tvmq_conv;

// Runs a task of an inference, as an implementation's run_task (op.h).
typedef void (*tvmq_conv_run_fn)(const struct tvmq_conv *conv, const struct tvmq_pass *pass, struct tvmq_task task);

// How panels are packed and multiplied. Algorithms with the same method can exchange packed weights.
struct tvmq_conv_method {
  enum tvmq_packer packer;
  // Fills one panel with `n` output channels.
  void (*pack)(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice, struct tvmq_channel *channels,
               const struct tvmq_channel_params *params, size_t n, void *panel);
  // Fills conv->plan, which has plan_bytes bytes, and sets conv->shared_bytes and conv->slice_bytes, for conv->problem
  // and conv->choice. Returns NULL, or why planning failed (static string).
  size_t plan_bytes;
  const char *(*plan)(struct tvmq_conv *conv, const struct tvmq_env *env);
  size_t (*n_tasks)(const struct tvmq_conv *conv, size_t pass);  // returns the number of tasks, as an implementation's n_tasks (op.h)
  tvmq_conv_run_fn run_task;
};

struct tvmq_gemm_source;

struct tvmq_conv_algorithm {
  enum tvmq_algorithm id;
  enum tvmq_family family, family_s16;  // families of the kernels for 8-bit and 16-bit inputs; TVMQ_N_FAMILIES: none
  uint32_t required, excluded;          // flags that a kernel must have, and must not have
  // Returns the algorithm's cheapest choice within the target; variant is NULL if the algorithm cannot compute the
  // convolution.
  struct tvmq_conv_choice (*choose)(const struct tvmq_conv_problem *problem, const struct tvmq_env *env, const struct tvmq_target *target);
  // Returns whether the algorithm is exact with these weights. The proof takes long, so it is called last. NULL: always
  // exact.
  bool (*is_exact)(const struct tvmq_conv_problem *problem);
  // Describes the work to cut into blocks, for a choice whose panels are set.
  struct tvmq_work (*work)(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice, const struct tvmq_env *env);
  // Returns whether a flipped copy is estimated to cost less, for a choice whose blocks are set. NULL: a flipped copy
  // is never possible.
  bool (*pays_flipping)(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice, const struct tvmq_machine *machine);
  const struct tvmq_conv_method *method;
  const struct tvmq_gemm_source *source;  // for algorithms with tvmq_gemm_method (conv_gemm.h), else NULL
  const char *(*name)(const struct tvmq_conv *conv);
};

struct tvmq_conv {
  struct tvmq_conv_problem problem;
  struct tvmq_conv_choice choice;
  struct tvmq_threads *threads;

  struct tvmq_stage stage;  // stage after lowering for the packed weights
  enum tvmq_form form;      // form of the panels in which it is exact; other panels are in fixed point
  struct tvmq_packed *weights;
  const uint8_t *packed;  // the panels of `weights`
  uint32_t packs;         // number of times the weights were packed
  enum tvmq_exactness by_winograd;
  struct tvmq_budget *budget;
  size_t charged;    // bytes charged to `budget` for transformed weights
  uint8_t *padding;  // zero points, at least as many as a filter row has

  size_t shared_bytes, slice_bytes;  // bytes of scratch shared by all threads, and bytes of each thread's slice
  const struct tvmq_scratch *scratch;
  void *plan;                 // the plan of the algorithm
  tvmq_conv_run_fn run_task;  // the method's function, unless its plan has found a shorter one
};

// Returns the family of the algorithm's kernels for the problem.
static inline enum tvmq_family tvmq_conv_family(const struct tvmq_conv_algorithm *algorithm, const struct tvmq_conv_problem *problem) {
  return problem->desc.in_type == TVMQ_TYPE_S16 ? algorithm->family_s16 : algorithm->family;
}

// Describes the convolution for planning, except by_winograd. Returns NULL, or why it cannot be computed (static
// string).
const char *tvmq_conv_describe(const struct tvmq_conv_desc *desc, const struct tvmq_env *env, struct tvmq_conv_problem *problem);

// Sets *choice to the one with the lowest estimate among those that satisfy the environment's constraint. Returns NULL,
// or why there is none (static string).
const char *tvmq_conv_choose(const struct tvmq_conv_problem *problem, const struct tvmq_env *env, struct tvmq_conv_choice *choice);

// Adds all choices that satisfy the environment's constraint.
void tvmq_conv_list(const struct tvmq_conv_desc *desc, const struct tvmq_env *env, struct tvmq_choices *choices);

// Appends the properties of a convolution or depthwise convolution that determine its candidates (op.h).
void tvmq_conv_sign(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_text *text);

// Returns the estimated cycles on one thread of a convolution or depthwise convolution, computed as rows of A times
// panels. INFINITY: impossible.
float tvmq_conv_cycles(const struct tvmq_conv_desc *desc, const struct tvmq_env *env);

// Returns the estimated cycles until the last thread is done, over all algorithms. The weights are not known yet;
// Winograd is assumed to be exact.
float tvmq_conv_shared_cycles(const struct tvmq_conv_desc *desc, const struct tvmq_env *env);

// Returns a thread's slice of the scratch; the shared part precedes the slices.
static inline uint8_t *tvmq_conv_scratch(const struct tvmq_conv *conv, int thread) {
  return conv->scratch->memory + conv->shared_bytes + (size_t)thread * conv->slice_bytes;
}

// Returns the implementation for hybrid convolutions, else NULL: the computed_by of all convolutions (op.h).
const struct tvmq_implementation *tvmq_conv_computed_by(const union tvmq_desc *desc, const struct tvmq_env *env);
