// An operator as the CPU computes it: planned when the graph is prepared, run at each inference. It reads some tensors and writes some; all
// else is constant.
#pragma once

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
struct tvmq_weight_file;
struct tvmq_weight_list;

// Memory that operators may take together.
struct tvmq_budget {
  size_t limit, used;  // bytes
};

// Everything that planning may use. content and wish are the node's; new_weights is set while a delegate is applied; threads change when it is applied to
// another interpreter, and machine by tvmq_set_machine().
struct tvmq_env {
  uint32_t cpu;                        // enum tvmq_cpu_bits: features to use: detected, or by the options `isa` or `estimate`
  const struct tvmq_machine *machine;  // to choose for: detected, by the options `tune`, `machine` or `estimate`, or by tvmq_set_machine()
  enum tvmq_rounding rounding;
  enum tvmq_winograd_use winograd;
  struct tvmq_budget *transformed;          // for weights transformed by Winograd; outlives the operators
  struct tvmq_threads *threads;             // NULL: one thread
  struct tvmq_scratch *scratch;             // shared by all operators planned with this environment; outlives them
  const struct tvmq_tuning_records *tuned;  // choices that tuning has proven, which become wishes; NULL: none
  const struct tvmq_hasher *hasher;         // for keys of packed weights; NULL: they are not shared
  const struct tvmq_key *content;           // names the constants of the node that is planned; NULL: nobody knows
  struct tvmq_weight_file *weight_file;     // packed weights of an earlier process; NULL: none
  struct tvmq_weight_list *new_weights;     // gets those that are to be written there; NULL: none are
  const struct tvmq_choice *wish;           // what is given of the choice for the operator that is planned; NULL: nothing
};

static inline struct tvmq_target tvmq_target(const struct tvmq_env *env) {
  return (struct tvmq_target){.cpu = env->cpu, .machine = env->machine, .only = env->wish != NULL ? env->wish->variant : NULL};
}

// A planned op's account of itself.
struct tvmq_op_info {
  const char *kernel;              // name in variants.def, "" without one
  const char *algorithm;           // as tvmq_node_info lists them
  char packing[TVMQ_LAYOUT_NAME];  // layout of the packed weights, "" without weights
  size_t packed_bytes;
  size_t scratch_bytes;       // of the shared scratch, all threads together
  uint64_t macs;              // multiply-accumulates of one inference, padding taps included
  struct tvmq_choice choice;  // TVMQ_WAY_ANY: there was nothing to choose
  size_t transformed_bytes;   // that it takes of the budget for transformed weights
  float cycles;               // estimated, on one thread; 0: as the choice has it
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
  void *const *outs;                     // the output tensors. They overlap no input, but for those of `in_place` and of operators with `moves`
  const struct tvmq_epilogue *epilogue;  // of one with `runs_epilogue`; NULL: there is none
};

static inline void tvmq_run_epilogue(const struct tvmq_pass *pass, size_t first, size_t n, size_t channel, size_t channels) {
  if (pass->epilogue != NULL) pass->epilogue->run(pass->epilogue, &(struct tvmq_part){first, n, channel, channels});
}

// How the CPU computes an operator, or some of what is described as one.
struct tvmq_implementation {
  // Lists up to `max` choices that can be wished for, that of least estimated cycles at the head; returns how many there are. A wish in the environment leaves
  // those that have what it gives. None: there is nothing to choose. The member is NULL where there never is: tvmq_op_plan() then
  // refuses every wish.
  size_t (*candidates)(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_choice *list, size_t max);
  // Appends what of the description decides on the candidates, but for whether Winograd is exact with the weights: " in=s8[1,8,8,16] ...". Nothing
  // where none is listed and the node may not be left to the runtime; NULL where neither ever is the case.
  void (*sign)(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_text *text);
  // Another one that is to plan and run what is described, where it can and is cheaper, or this one cannot; NULL: this one. The member is NULL where no other
  // ever can.
  const struct tvmq_implementation *(*computed_by)(const union tvmq_desc *desc, const struct tvmq_env *env);
  // Plans *op for `desc`, creating it if *op is NULL. Planning again repacks weights only if what they depend on has changed. The description's filter and bias
  // must stay valid until the next plan or release. Returns NULL, or why it failed (static string; *op then keeps no plan and must be planned again or
  // released): also a wish that is not legal.
  // NULL: such operators have no outputs, and there is nothing to plan, run or release (moves/op_nothing.c).
  const char *(*plan)(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env);
  // An inference is one pass after the other, 0 and on, each of that many tasks that threads may run in any order; a pass without tasks is behind the last one.
  size_t (*n_tasks)(const struct tvmq_op *op, size_t pass);
  // Allocates nothing.
  void (*run_task)(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task);
  void (*release)(struct tvmq_op *op);  // of an operator that owns more than its own memory, else NULL
  void (*info)(const struct tvmq_op *op, struct tvmq_op_info *info);
  bool runs_epilogue;  // the pass's, if there is one, once for every element of the output
  bool in_place;       // the output may be the first input
};

// Each operator has the implementation of its name (tvmq_implementation_of), which may leave what it is given to others (computed_by).
extern const struct tvmq_implementation tvmq_op_binary;
extern const struct tvmq_implementation tvmq_op_byte_map;  // any function of a byte
extern const struct tvmq_implementation tvmq_op_cast;
extern const struct tvmq_implementation tvmq_op_concatenation;
extern const struct tvmq_implementation tvmq_op_conv;  // computes DEPTHWISE_CONV_2D too, as a grouped convolution with one group per channel
extern const struct tvmq_implementation tvmq_op_copy;
extern const struct tvmq_implementation tvmq_op_depthwise;
extern const struct tvmq_implementation tvmq_op_dequantize;
extern const struct tvmq_implementation tvmq_op_float_map;   // functions of one float32 element
extern const struct tvmq_implementation tvmq_op_float_pool;  // poolings of float32
extern const struct tvmq_implementation tvmq_op_line_pool;   // MAX_POOL_2D of short pixels
extern const struct tvmq_implementation tvmq_op_fully_connected;
extern const struct tvmq_implementation tvmq_op_integers;  // arithmetic on int32 and int64
extern const struct tvmq_implementation tvmq_op_hybrid;    // float32 activations with int8 weights
extern const struct tvmq_implementation tvmq_op_matmul;
extern const struct tvmq_implementation tvmq_op_nothing;  // nothing runs at an inference: what the node does is done when the graph is prepared
extern const struct tvmq_implementation tvmq_op_pad;      // a copy, unless other nodes take it in as their border (graph/fold_pad.h)
extern const struct tvmq_implementation tvmq_op_arg_max;
extern const struct tvmq_implementation tvmq_op_reduce;
extern const struct tvmq_implementation tvmq_op_reduce_rows;     // those along the last dimension
extern const struct tvmq_implementation tvmq_op_reduce_by_pool;  // the reductions that poolings can compute (op_pool.c)
extern const struct tvmq_implementation tvmq_op_quantize;
extern const struct tvmq_implementation tvmq_op_resize_bilinear;
extern const struct tvmq_implementation tvmq_op_pool;
extern const struct tvmq_implementation tvmq_op_shape;
extern const struct tvmq_implementation tvmq_op_softmax;
extern const struct tvmq_implementation tvmq_op_transpose_conv;
extern const struct tvmq_implementation tvmq_op_variable;  // a copy of the whole tensor
extern const struct tvmq_implementation tvmq_op_unary;

// The implementation of an operator.
const struct tvmq_implementation *tvmq_implementation_of(const struct tvmq_operator *op_def);

// The implementation that is to plan and run what `implementation` is given.
static inline const struct tvmq_implementation *tvmq_op_computed_by(const struct tvmq_implementation *implementation, const union tvmq_desc *desc,
                                                                    const struct tvmq_env *env) {
  const struct tvmq_implementation *other = implementation->computed_by != NULL ? implementation->computed_by(desc, env) : NULL;
  return other != NULL ? other : implementation;
}

// Plans *op as the implementation does, but refuses a wish where it has no candidates. Whoever may have a wish plans by this function.
static inline const char *tvmq_op_plan(const struct tvmq_implementation *implementation, struct tvmq_op **op, const union tvmq_desc *desc,
                                       const struct tvmq_env *env) {
  if (env->wish != NULL && implementation->candidates == NULL) return "not legal here: there is nothing to choose";
  return implementation->plan(op, desc, env);
}

// Ends an operator of that implementation; NULL is fine.
static inline void tvmq_op_release(const struct tvmq_implementation *implementation, struct tvmq_op *op) {
  if (implementation->release != NULL)
    implementation->release(op);
  else
    tvmq_free(op);
}
