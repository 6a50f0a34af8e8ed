#include "exact/rescaled_bytes.h"

#include <math.h>
#include <stddef.h>

#include "base/arith.h"

// Rounds half away from zero, adds the zero point and clamps to uint8.
static bool round_to_byte(float value, int32_t zero_point, uint8_t *out) {
  if (!(fabsf(value) < 0x1p30f)) return false;  // beyond 2^31 the reference's conversion is undefined
  const int64_t byte = (int64_t)roundf(value) + zero_point;
  *out = (uint8_t)tvmq_min_s64(tvmq_max_s64(byte, 0), UINT8_MAX);
  return true;
}

bool tvmq_rescaled_table(struct tvmq_byte_scale in, struct tvmq_byte_scale out, uint8_t table[256]) {
  const float inverse = 1.0f / out.scale, scale = in.scale * inverse, bias = (float)-in.zero_point * scale;
  for (int x = 0; x <= UINT8_MAX; x++) {
    const float product = (float)((double)x * (double)scale);  // exact in double, so the compiler cannot contract it
    const float compiled[] = {product + bias, fmaf((float)x, scale, bias), (float)(x - in.zero_point) * scale};
    for (size_t i = 0; i < sizeof compiled / sizeof compiled[0]; i++) {
      uint8_t byte;
      if (!round_to_byte(compiled[i], out.zero_point, &byte) || (i > 0 && byte != table[x])) return false;
      table[x] = byte;
    }
  }
  return true;
}
