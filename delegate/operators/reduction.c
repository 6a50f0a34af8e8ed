#include "operators/reduction.h"

#include "operators/quant_params.h"

const char *tvmq_reduction_merge(const struct tvmq_shape *shape, const bool *reduced, struct tvmq_reduce_desc *desc) {
  int32_t *const dims = desc->dims, all = 1;
  int last = 0;  // index of the last dimension: even dimensions are kept, odd ones are reduced
  dims[0] = 1;
  for (int i = 0; i < shape->rank; i++) {
    if (shape->dims[i] == 1) continue;
    if (last % 2 != reduced[i]) dims[++last] = 1;
    const bool fits = !__builtin_mul_overflow(all, shape->dims[i], &all) && !__builtin_mul_overflow(dims[last], shape->dims[i], &dims[last]);
    if (!fits) return "input has more than 2^31 - 1 elements";
  }
  // There is always a reduced dimension with a kept dimension after it.
  while (last < 2 || last % 2 != 0) dims[++last] = 1;
  desc->n_dims = last + 1;
  return NULL;
}

static int32_t product(const struct tvmq_reduce_desc *desc, int first) {
  int32_t n = 1;
  for (int i = first; i < desc->n_dims; i += 2) n *= desc->dims[i];
  return n;
}

int32_t tvmq_reduction_count(const struct tvmq_reduce_desc *desc) { return product(desc, 1); }

int32_t tvmq_reduction_outputs(const struct tvmq_reduce_desc *desc) { return product(desc, 0); }

// Divides the multiplier by n for a mean, as the reference does. The dividend is first shifted left as far as n allows,
// while the right shift stays at most 31.
void tvmq_reduction_scale(const struct tvmq_reduce_desc *desc, int32_t *multiplier, int32_t *shift) {
  const int32_t n = desc->reduction == TVMQ_REDUCTION_MEAN ? tvmq_reduction_count(desc) : 1;
  tvmq_quantize_multiplier((double)desc->in.scale / (double)desc->out.scale, multiplier, shift);
  int32_t left = 0;
  while (n >> left > 1 && *shift - left > -31) left++;
  *multiplier = (int32_t)(((int64_t)*multiplier << left) / n);
  *shift -= left;
}

struct tvmq_rescaled_sum tvmq_reduction_rescaled(const struct tvmq_reduce_desc *desc, enum tvmq_rounding rounding) {
  struct tvmq_rescaled_sum rescaled = {.rounding = rounding, .bias = -tvmq_reduction_count(desc) * desc->in.zero_point, .zero_point = desc->out.zero_point};
  tvmq_reduction_scale(desc, &rescaled.multiplier, &rescaled.shift);
  return rescaled;
}
