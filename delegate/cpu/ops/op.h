// An operator as the CPU computes it: planned when the graph is prepared, run at each inference. It reads some tensors and writes some; all
// else is constant.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/content.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/text.h"
#include "cpu/plan/choice.h"
#include "cpu/plan/select.h"
#include "cpu/threads/threads.h"
#include "kernels/kernel.h"
#include "operators/operator.h"
#include "packing/layout.h"

// When convolutions are computed by Winograd: where that is estimated to be faster, wherever it is exact, or never.
enum tvmq_winograd_use { TVMQ_WINOGRAD_AUTO, TVMQ_WINOGRAD_ON, TVMQ_WINOGRAD_OFF };
#define TVMQ_WINOGRAD_NAMES "auto|on|off"  // in options and signatures

struct tvmq_tuning_records;
struct tvmq_slabs;
struct tvmq_weight_file;
struct tvmq_weight_list;

// Memory that operators may take together.
struct tvmq_budget {
  size_t limit, used;  // bytes
};

// Memory that packed weights may take, while a delegate is applied to a graph.
struct tvmq_weight_budget {
  size_t left;     // bytes
  size_t refused;  // size of the weights that were refused last
};

// The reason of a node whose packed weights exceed the budget.
extern const char tvmq_no_room[];

// Work of one operator, in cycles, from which on threads share it almost always, so that nothing is planned for one
// thread beside it.
enum { TVMQ_SHARED_CYCLES = 100 * 1000 };

// Everything that planning may use. `content`, `narrow` and `constraint` belong to the node that is planned. `new_weights` and `slabs` are set only while a
// delegate is applied to a graph. `threads` changes when the delegate is applied to another interpreter, and `machine` changes when a program calls
// tvmq_set_machine().
struct tvmq_env {
  uint32_t cpu;                        // enum tvmq_cpu_bits: features to use: detected, or by the options `isa` or `estimate`
  const struct tvmq_machine *machine;  // to choose for: detected, by the options `tune`, `machine` or `estimate`, or by tvmq_set_machine()
  enum tvmq_rounding rounding;
  enum tvmq_winograd_use winograd;
  struct tvmq_budget *transformed;          // for weights transformed by Winograd; outlives the operators
  struct tvmq_weight_budget *weights;       // for all packed weights; NULL: no limit
  struct tvmq_threads *threads;             // NULL: one thread
  bool wary;                                // one thread is preferred unless several are faster, as with num_threads=auto
  struct tvmq_scratch *scratch;             // shared by all operators planned with this environment; outlives them
  const struct tvmq_tuning_records *tuned;  // choices that tuning has proven, which become constraints; NULL: none
  const struct tvmq_hasher *hasher;         // for keys of packed weights; NULL: they are not shared
  const struct tvmq_key *content;           // key of the constants of the node that is planned; NULL: unknown
  struct tvmq_weight_file *weight_file;     // packed weights of an earlier process; NULL: none
  struct tvmq_slabs *slabs;                 // memory for packed weights; NULL: all weights have their own
  struct tvmq_weight_list *new_weights;     // collects packed weights for the weight file; NULL: no file is written
  bool narrow;                              // pack weights in bytes, where this takes less memory and not much more time
  const struct tvmq_choice *constraint;     // constraint on the choice for the operator that is planned; NULL: none
};

static inline struct tvmq_target tvmq_target(const struct tvmq_env *env) {
  const struct tvmq_variant *only = env->constraint != NULL ? env->constraint->variant : NULL;
  return (struct tvmq_target){.cpu = env->cpu, .machine = env->machine, .only = only, .byte_weights = env->narrow};
}

// A planned op's account of itself.
struct tvmq_op_info {
  const char *kernel;              // name in variants.def, "" without one
  const char *algorithm;           // as tvmq_node_info lists them
  char packing[TVMQ_LAYOUT_NAME];  // layout of the packed weights, "" without weights
  size_t packed_bytes;
  size_t scratch_bytes;       // of the shared scratch, all threads together
  uint64_t macs;              // multiply-accumulates of one inference, padding taps included
  struct tvmq_choice choice;  // TVMQ_ALGORITHM_ANY: there was nothing to choose
  size_t transformed_bytes;   // bytes charged to the budget for transformed weights
  float cycles;               // estimate for one thread; 0: use the estimate in `choice`
  uint32_t packs;             // how often the weights have been packed: 1, unless planned again for other weights or another layout
};

struct tvmq_op;

// A part of an output: some channels of pixels that follow each other, whatever image they are of.
struct tvmq_part {
  size_t first, n;  // pixels
  size_t channel, channels;
};

// An epilogue is run on each part of an output when it is complete, and still in the cache of the thread that made it; on no element twice.
struct tvmq_epilogue {
  void (*run)(const struct tvmq_epilogue *epilogue, const struct tvmq_part *part);
};

// A pass of an operator: the part of an inference that is computed between two barriers.
struct tvmq_pass {
  size_t number;
  const void *const *in;                 // the input tensors in the operator's order, NULL where one is empty; one may be given twice
  void *const *outs;                     // the output tensors. An output may overlap an input only with `in_place` or an operator's `moves`
  const struct tvmq_epilogue *epilogue;  // only for implementations with `runs_epilogue`; NULL: none
  const char *_Atomic *failure;          // why the inference fails (static string), set by tasks; NULL: nobody asks
};

// Makes the inference fail, where the reference's kernel returns an error.
static inline void tvmq_pass_fail(const struct tvmq_pass *pass, const char *why) {
  if (pass->failure != NULL) atomic_store_explicit(pass->failure, why, memory_order_relaxed);
}

static inline void tvmq_run_epilogue(const struct tvmq_pass *pass, size_t first, size_t n, size_t channel, size_t channels) {
  if (pass->epilogue != NULL) pass->epilogue->run(pass->epilogue, &(struct tvmq_part){first, n, channel, channels});
}

// Members of tables that only planning reads. Libraries of compiled networks (compiled/) do not plan, and leave out whatever these members alone refer to.
#ifdef TVMQ_COMPILED
#define TVMQ_PLANNING(...)
#else
#define TVMQ_PLANNING(...) __VA_ARGS__
#endif

// How the CPU computes an operator, or a subset of the operator's descriptions.
struct tvmq_implementation {
  // Lists up to `max` candidates, sorted by estimated cycles; returns the number of listed candidates. If the environment has a constraint, lists only
  // candidates that satisfy the constraint. 0: there is nothing to choose. The member is NULL if there never is a choice; tvmq_op_plan() then refuses every
  // constraint.
  size_t (*candidates)(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_choice *list, size_t max);
  // Appends the parts of the description that determine the candidates: " in=s8[1,8,8,16] ...". Whether Winograd is exact with the weights is left out. Appends
  // nothing if there are no candidates and the node may not be left to the runtime. The member is NULL if the function would never append anything.
  void (*sign)(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_text *text);
  // Returns another implementation that must plan and run the description: a cheaper one, or the only one that can. Returns NULL if this implementation does so
  // itself. The member is NULL if there never is another implementation.
  const struct tvmq_implementation *(*computed_by)(const union tvmq_desc *desc, const struct tvmq_env *env);
  // Plans *op for `desc`; allocates the operator if *op is NULL. Planning again repacks weights only if the packed bytes would differ. The filter and bias of
  // `desc` must stay valid until the next plan or release. Returns NULL, or why planning failed (static string), for example because a constraint is not legal.
  // After a failure *op has no plan: the caller must plan again or release *op.
  // The member is NULL if operators have no outputs: nothing is planned, run or released (moves/op_nothing.c).
  const char *(*plan)(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env);
  // Returns the number of tasks of a pass. An inference runs passes 0, 1, ... in order, up to the first pass without tasks. Threads may run the tasks of one
  // pass in any order.
  size_t (*n_tasks)(const struct tvmq_op *op, size_t pass);
  // Allocates nothing.
  void (*run_task)(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task);
  void (*release)(struct tvmq_op *op);  // frees an operator that owns more than one allocation; NULL: the caller frees the operator with tvmq_free()
  void (*info)(const struct tvmq_op *op, struct tvmq_op_info *info);
  bool runs_epilogue;  // runs the pass's epilogue, if any, exactly once for each element of the output
  bool in_place;       // the output may be the first input
};

// Each operator has the implementation of the same name (tvmq_implementation_of). FULLY_CONNECTED is computed as a convolution.
#define tvmq_op_fully_connected tvmq_op_conv
#define TVMQ_DECLARE_IMPLEMENTATION(name) extern const struct tvmq_implementation tvmq_op_##name;
TVMQ_EACH_OPERATOR(TVMQ_DECLARE_IMPLEMENTATION)
#undef TVMQ_DECLARE_IMPLEMENTATION

// Implementations that others pass some of their descriptions on to (computed_by).
extern const struct tvmq_implementation tvmq_op_float_function;  // functions of one float32 element that the math library has
extern const struct tvmq_implementation tvmq_op_float_map;       // other functions of one float32 element
extern const struct tvmq_implementation tvmq_op_float_matmul;    // products of two float32 tensors
extern const struct tvmq_implementation tvmq_op_float_pool;      // poolings of float32
extern const struct tvmq_implementation tvmq_op_float_softmax;   // SOFTMAX of float32
extern const struct tvmq_implementation tvmq_op_hybrid;          // float32 activations with int8 weights
extern const struct tvmq_implementation tvmq_op_integers;        // arithmetic on int32 and int64
extern const struct tvmq_implementation tvmq_op_line_pool;       // MAX_POOL_2D of short pixels
extern const struct tvmq_implementation tvmq_op_matmul_s16;      // BATCH_MATMUL of int16
extern const struct tvmq_implementation tvmq_op_reduce_by_pool;  // reductions that poolings can compute (op_pool.c)
extern const struct tvmq_implementation tvmq_op_reduce_rows;     // reductions along the last dimension

// Returns the implementation of an operator.
const struct tvmq_implementation *tvmq_implementation_of(const struct tvmq_operator *op_def);

// Returns the implementation that plans and runs `desc`: `implementation` itself, or the one that replaces it.
static inline const struct tvmq_implementation *tvmq_op_computed_by(const struct tvmq_implementation *implementation, const union tvmq_desc *desc,
                                                                    const struct tvmq_env *env) {
  const struct tvmq_implementation *other = implementation->computed_by != NULL ? implementation->computed_by(desc, env) : NULL;
  return other != NULL ? other : implementation;
}

// Plans *op, but refuses any constraint if the implementation has no candidates. Callers that may have a constraint must call this function instead of `plan`.
static inline const char *tvmq_op_plan(const struct tvmq_implementation *implementation, struct tvmq_op **op, const union tvmq_desc *desc,
                                       const struct tvmq_env *env) {
  if (env->constraint != NULL && implementation->candidates == NULL) return "not legal here: there is nothing to choose";
  return implementation->plan(op, desc, env);
}

// Ends an operator of that implementation; NULL is fine.
static inline void tvmq_op_release(const struct tvmq_implementation *implementation, struct tvmq_op *op) {
  if (implementation->release != NULL)
    implementation->release(op);
  else
    tvmq_free(op);
}
