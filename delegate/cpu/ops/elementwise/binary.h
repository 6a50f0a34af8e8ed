// An operation on two tensors, planned; and the methods by which it may be computed.
#pragma once

#include <stddef.h>

#include "base/arith.h"
#include "cpu/ops/cut.h"
#include "cpu/ops/plain.h"
#include "kernels/kernel.h"
#include "operators/pair_values.h"

struct tvmq_binary;

struct tvmq_binary_method {
  enum tvmq_family family;  // of its kernels
  float cycles;             // of an element besides the kernel, estimated
  bool rows;                // `compute` takes an input that repeats every `period` elements as it is
  // `compute` takes an input that has one element for each line as it is, where lines are a multiple of `blocks` elements, or at least `length` of them, so
  // that this saves more time than a line takes to start. 0: never.
  struct {
    size_t blocks, length;
  } lone;
  // Sets what the method needs besides the kernel.
  void (*plan)(struct tvmq_binary *binary, const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, const struct tvmq_variant *variant);
  // n elements, of inputs that lie one by one. The input that repeats has `period` elements. The lone input has one element for each whole line, or one for a
  // part of a line.
  void (*compute)(const struct tvmq_binary *binary, const void *const in[2], void *out, size_t n);
};

struct tvmq_binary {
  struct tvmq_cut cut;
  const struct tvmq_binary_method *method;
  struct tvmq_pair_formula formula;
  const struct tvmq_variant *variant;
  const char *algorithm;
  struct tvmq_add_args sum, sum_asked;          // sums: but for the tensors; and without the plane that has been looked for
  int first;                                    // sums: the input of the greater scale, which is the kernel's first
  struct tvmq_mul_args product, product_asked;  // products and squared differences: the same, with the multiplier in fixed point
  uint8_t flip;                                 // MAXIMUM, MINIMUM: the kernel's
  uint8_t kept[TVMQ_N_BYTES];                   // PRELU: what each byte becomes unless it is negative
  struct tvmq_float_pair_args floats;           // float32: but for the tensors
  struct tvmq_broadcast broadcast;
  const struct tvmq_scratch *scratch;  // where inputs are broadcast, for a piece of either
  size_t n_threads;
  size_t bytes;        // of an element
  size_t line, piece;  // elements of a line of neighbours, where inputs are broadcast; most that are computed at once
  size_t period;       // elements after which the only input that is broadcast repeats, if the method takes it as it is; else 0
  bool takes_lone;     // the only input that is broadcast has one element for each line, and the method takes it as it is
};

// Calls the method's kernel for `rows` rows of `n` elements: in[0], which is the operation's input `first`, has all of them, and in[1] is of one row.
typedef void (*tvmq_binary_rows_fn)(const struct tvmq_binary *binary, int first, const void *const in[2], void *out, size_t n, size_t rows);

// Computes whole rows of the input that repeats, and then what is left of one; where none does, one row, of which `first` comes first. Inline, so that
// `compute` is no pointer.
static inline void tvmq_compute_rows(const struct tvmq_binary *binary, int first, const void *const in[2], void *out, size_t n, tvmq_binary_rows_fn compute) {
  if (binary->period > 0) first = binary->broadcast.in[0].repeats;
  const void *const ordered[2] = {in[first], in[!first]};
  if (binary->period == 0 || n <= binary->period) {
    compute(binary, first, ordered, out, n, 1);
    return;
  }
  const size_t rest = n % binary->period, done = (n - rest) * binary->bytes;
  compute(binary, first, ordered, out, binary->period, n / binary->period);
  if (rest > 0) compute(binary, first, (const void *const[2]){(const uint8_t *)ordered[0] + done, ordered[1]}, (uint8_t *)out + done, rest, 1);
}

// Elements of each row that a kernel is to compute.
static inline size_t tvmq_binary_row(const struct tvmq_binary *binary, size_t n) { return binary->takes_lone ? tvmq_min(n, binary->line) : n; }

static inline bool tvmq_binary_is_lone(const struct tvmq_binary *binary, int input) { return binary->takes_lone && binary->broadcast.in[input].repeats; }

extern const struct tvmq_binary_method tvmq_binary_sums;      // ADD, SUB
extern const struct tvmq_binary_method tvmq_binary_products;  // MUL, SQUARED_DIFFERENCE
extern const struct tvmq_binary_method tvmq_binary_prelu;     // PRELU
extern const struct tvmq_binary_method tvmq_binary_extrema;   // MAXIMUM, MINIMUM
extern const struct tvmq_binary_method tvmq_binary_floats;    // all of them, and DIV, of float32
