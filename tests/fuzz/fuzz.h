// Bytes -> description of an operator -> claim -> plan -> run, compared with the oracle.
//
// The bytes choose shapes, types and parameters; tensors are drawn at random from a seed that is a hash of the bytes, so that short inputs reach everything.
// A description may be nonsense: then claiming has to refuse it. Whatever is claimed must plan, and equal the oracle bit for bit.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpu/ops/op.h"
#include "support/guard.h"

struct fuzz_bytes {
  const uint8_t *at;
  size_t left;
};

// A number in [lo, hi] from the next bytes; lo when there are none left.
int64_t fuzz_pick(struct fuzz_bytes *bytes, int64_t lo, int64_t hi);

// The description at hand, for reports; and what the operator's rules say of it: NULL, or why it is refused.
void fuzz_about(const char *text);
const char *fuzz_claim(const struct tvmq_operator *op_def, const union tvmq_desc *desc);
struct fuzz_counts {
  size_t claimed, refused;  // descriptions
  size_t compared, forced;  // outputs compared; of them, of candidates
};
extern struct fuzz_counts fuzz_counts;

// Reports what is wrong and aborts.
_Noreturn void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Tensors, each against an inaccessible page: what an operator reads is read-only.
enum { FUZZ_IN, FUZZ_IN_2, FUZZ_FILTER, FUZZ_BIAS, FUZZ_N_CONSTANTS = TVMQ_MAX_IN, FUZZ_MAX_BYTES = 1 << 20 };
struct fuzz_tensor {
  const void *read;
  void *write;
};
struct fuzz_tensor fuzz_tensor(int which, size_t bytes, enum guard_side side);

size_t fuzz_tensor_bytes(const void *read);  // of the tensor that begins there, 0 if there is none

// Makes numbers of float32 of a tensor's random bytes.
void fuzz_numbers(void *tensor, size_t n);

// A result of float32, cut by the reference's activation.
float fuzz_cut(enum tvmq_activation activation, float value);

// Plans `desc` (again, if *op is not NULL), runs it on the inputs `in` and compares `n` bytes of output with `expected`.
// Output is guarded, and what lies before and behind it compared too. Then the same for some of the candidates.
void fuzz_run(const struct tvmq_implementation *class, struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env, const void *const *in,
              const void *expected, size_t n, enum guard_side side);

// The same of output `which` of several; `outs` has room for the others.
void fuzz_run_output(const struct tvmq_implementation *class, struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env,
                     const void *const *in, const void *expected, size_t n, enum guard_side side, int which, void *outs[]);

// An output that was compared, for another back end that is to compute the same.
struct fuzz_compared {
  const struct tvmq_operator *op_def;  // whose rules were asked last
  const union tvmq_desc *desc;
  enum tvmq_rounding rounding;
  const void *const *in;
  const void *expected;
  size_t n;
  int which;  // of the outputs
};
extern void (*fuzz_also)(const struct fuzz_compared *compared);  // NULL: there is no other back end

// The operators.
typedef void fuzz_operator(struct fuzz_bytes *bytes, const struct tvmq_env *env);
fuzz_operator fuzz_conv, fuzz_binary, fuzz_concatenation, fuzz_copy, fuzz_quantize, fuzz_reduce, fuzz_pool, fuzz_unary, fuzz_cast, fuzz_dequantize,
    fuzz_arg_max, fuzz_softmax, fuzz_matmul, fuzz_transpose_conv, fuzz_resize_bilinear, fuzz_shape, fuzz_hybrid, fuzz_condition, fuzz_lookup, fuzz_gather;

// The entry that libFuzzer calls, and the driver without it.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
