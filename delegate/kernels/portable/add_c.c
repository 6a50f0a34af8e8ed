// Portable sum or difference of two quantized tensors.
#include "arithmetic/stage.h"
#include "base/inline.h"
#include "kernels/kernel.h"

static inline int32_t plane_value(const struct tvmq_add_args *args, int32_t n_exceptions, int32_t a, int32_t b) {
  const struct tvmq_plane *p = &args->plane;
  for (int32_t e = 0; e < n_exceptions; e++) {
    if (a == p->exceptions[e].in[0] && b == p->exceptions[e].in[1]) return p->exceptions[e].value;
  }
  const int32_t sum = a * p->multiplier[0] + b * p->multiplier[1] + p->bias;
  return tvmq_clamp((sum - (sum < p->knee ? p->drop : 0)) >> p->shift, args->min, args->max);
}

typedef int32_t (*value_fn)(const struct tvmq_add_args *args, int32_t a, int32_t b);

static inline int32_t smooth_value(const struct tvmq_add_args *args, int32_t a, int32_t b) { return plane_value(args, 0, a, b); }
static inline int32_t planar_value(const struct tvmq_add_args *args, int32_t a, int32_t b) { return plane_value(args, args->plane.n_exceptions, a, b); }

// The arguments are copied because a byte that is stored could otherwise be part of them, and no loop would become vectors. A step is 1 along an input's rows,
// and 0 where it is lone.
#define ADD_ROWS(NAME, type, flip)                                                                                                            \
  TVMQ_INLINE void NAME##_by(const struct tvmq_add_args *args, value_fn value, size_t step0, size_t step1) {                                  \
    const struct tvmq_add_args a = *args;                                                                                                     \
    for (size_t row = 0; row < a.rows; row++) {                                                                                               \
      const type *const in0 = (const type *)a.in[0] + row * (step0 ? a.n : 1);                                                                \
      const type *const in1 = (const type *)a.in[1] + row * (step1 ? a.n : 1);                                                                \
      type *const out = (type *)a.out + row * a.n;                                                                                            \
      for (size_t i = 0; i < a.n; i++) out[i] = (type)(value(&a, (type)(in0[step0 * i] ^ (flip)), (type)(in1[step1 * i] ^ (flip))) ^ (flip)); \
    }                                                                                                                                         \
  }                                                                                                                                           \
  TVMQ_INLINE void NAME(const struct tvmq_add_args *args, value_fn value) {                                                                   \
    if (args->lone[0])                                                                                                                        \
      NAME##_by(args, value, 0, 1);                                                                                                           \
    else if (args->lone[1])                                                                                                                   \
      NAME##_by(args, value, 1, 0);                                                                                                           \
    else                                                                                                                                      \
      NAME##_by(args, value, 1, 1);                                                                                                           \
  }
ADD_ROWS(add_bytes, int8_t, (int8_t)a.flip)
ADD_ROWS(add_s16, int16_t, 0)

void tvmq_add_s8__c(const struct tvmq_add_args *args) {
  if (!args->planar)
    add_bytes(args, tvmq_add_value);
  else if (args->plane.n_exceptions == 0)
    add_bytes(args, smooth_value);
  else
    add_bytes(args, planar_value);
}

void tvmq_add_s16__c(const struct tvmq_add_args *args) { add_s16(args, tvmq_add_value); }
