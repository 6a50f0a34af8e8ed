#include "operators/pair_values.h"

#include <string.h>

#include "arithmetic/mul.h"
#include "arithmetic/stage.h"
#include "base/inline.h"
#include "operators/quant_params.h"

// ---- parameters of the formulas

static void set_sum(const struct tvmq_binary_desc *desc, struct tvmq_pair_formula *f) { tvmq_add_scales(desc, &f->left_shift, f->in_scale, &f->out_scale); }
static void set_product(const struct tvmq_binary_desc *desc, struct tvmq_pair_formula *f) { f->out_scale = tvmq_mul_scale(desc); }
static void set_prelu(const struct tvmq_binary_desc *desc, struct tvmq_pair_formula *f) { tvmq_prelu_scales(desc, f->in_scale); }
static void set_square(const struct tvmq_binary_desc *desc, struct tvmq_pair_formula *f) {
  f->left_shift = TVMQ_SQUARE_SHIFT;
  tvmq_square_scales(desc, f->in_scale, &f->out_scale);
}
static void set_nothing(const struct tvmq_binary_desc *desc, struct tvmq_pair_formula *f) { (void)desc, (void)f; }

// ---- the formulas

TVMQ_INLINE int32_t rescaled(const struct tvmq_pair_formula *f, int32_t x, struct tvmq_scale scale) {
  return tvmq_rescale(f->rounding, x, scale.multiplier, scale.shift);
}

TVMQ_INLINE int32_t finished(const struct tvmq_pair_formula *f, int32_t x) { return tvmq_clamp(tvmq_add_wrap(x, f->out_zero_point), f->min, f->max); }

TVMQ_INLINE int32_t raised(const struct tvmq_pair_formula *f, int input, int32_t x) {
  return rescaled(f, (x - f->in_zero_point[input]) * (1 << f->left_shift), f->in_scale[input]);
}

TVMQ_INLINE int32_t add(const struct tvmq_pair_formula *f, int32_t a, int32_t b) {
  return finished(f, rescaled(f, raised(f, 0, a) + raised(f, 1, b), f->out_scale));
}

TVMQ_INLINE int32_t subtract(const struct tvmq_pair_formula *f, int32_t a, int32_t b) {
  return finished(f, rescaled(f, raised(f, 0, a) - raised(f, 1, b), f->out_scale));
}

TVMQ_INLINE int32_t multiply(const struct tvmq_pair_formula *f, int32_t a, int32_t b) {
  return finished(f, rescaled(f, (a - f->in_zero_point[0]) * (b - f->in_zero_point[1]), f->out_scale));
}

TVMQ_INLINE int32_t prelu(const struct tvmq_pair_formula *f, int32_t a, int32_t b) {
  const int32_t x = a - f->in_zero_point[0], slope = b - f->in_zero_point[1];
  return finished(f, x >= 0 ? rescaled(f, x, f->in_scale[0]) : rescaled(f, x * slope, f->in_scale[1]));
}

TVMQ_INLINE int32_t squared_difference(const struct tvmq_pair_formula *f, int32_t a, int32_t b) {
  const int32_t difference = raised(f, 0, a) - raised(f, 1, b);
  return finished(f, rescaled(f, difference * difference, f->out_scale));
}

TVMQ_INLINE int32_t maximum(const struct tvmq_pair_formula *f, int32_t a, int32_t b) { return (void)f, a > b ? a : b; }
TVMQ_INLINE int32_t minimum(const struct tvmq_pair_formula *f, int32_t a, int32_t b) { return (void)f, a < b ? a : b; }

// ---- loops over tensors. Each copies the formula: the compiler must otherwise assume that a stored element changes
// it.

#define LOOP(value, type)                                               \
  {                                                                     \
    const type *const a = in[0], *const b = in[1];                      \
    type *const to = out;                                               \
    for (size_t i = 0; i < n; i++) to[i] = (type)value(&f, a[i], b[i]); \
  }
#define LOOPS(value)                                                                                               \
  static void value##_all(const struct tvmq_pair_formula *formula, const void *const in[2], void *out, size_t n) { \
    const struct tvmq_pair_formula f = *formula;                                                                   \
    if (f.type == TVMQ_TYPE_S16)                                                                                   \
      LOOP(value, int16_t)                                                                                         \
    else if (f.type == TVMQ_TYPE_U8)                                                                               \
      LOOP(value, uint8_t)                                                                                         \
    else                                                                                                           \
      LOOP(value, int8_t)                                                                                          \
  }
LOOPS(add)
LOOPS(subtract)
LOOPS(multiply)
LOOPS(prelu)
LOOPS(squared_difference)
LOOPS(maximum)
LOOPS(minimum)

static const struct {
  void (*set)(const struct tvmq_binary_desc *desc, struct tvmq_pair_formula *formula);
  void (*all)(const struct tvmq_pair_formula *formula, const void *const in[2], void *out, size_t n);
} operations[] = {
    [TVMQ_OPERATION_ADD] = {set_sum, add_all},
    [TVMQ_OPERATION_SUB] = {set_sum, subtract_all},
    [TVMQ_OPERATION_MUL] = {set_product, multiply_all},
    [TVMQ_OPERATION_MAXIMUM] = {set_nothing, maximum_all},
    [TVMQ_OPERATION_MINIMUM] = {set_nothing, minimum_all},
    [TVMQ_OPERATION_PRELU] = {set_prelu, prelu_all},
    [TVMQ_OPERATION_SQUARED_DIFFERENCE] = {set_square, squared_difference_all},
};

void tvmq_set_pair_formula(const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, struct tvmq_pair_formula *formula) {
  *formula = (struct tvmq_pair_formula){
      .operation = desc->operation,
      .type = desc->type,
      .rounding = rounding,
      .in_zero_point = {desc->in[0].zero_point, desc->in[1].zero_point},
      .out_zero_point = desc->out.zero_point,
  };
  operations[desc->operation].set(desc, formula);
  tvmq_activation_range(desc->activation, desc->type, desc->out, &formula->min, &formula->max);
}

void tvmq_pair_values(const struct tvmq_pair_formula *formula, const void *const in[2], void *out, size_t n) {
  operations[formula->operation].all(formula, in, out, n);
}
