// Elementwise requantization and affine quantization on any Arm processor, sixteen elements at a time so that in-order cores find independent work.
//
// Reads and writes the elements given; the last few by way of the stack. Hazards: the zero point wraps where the definition does (requant.h).
#include <string.h>

#include "inline.h"
#include "requant_neon.h"

enum { STEP = 16, VECTORS = 4, TABLE_PARTS = 4, PART = 64 };

// ---- bytes to bytes: a table of 256 in sixteen registers, looked up in four parts; or an xor

static void look_up(const struct tvmq_requantize_args *args) {
  const uint8_t *in = args->in, *const table = args->table, flip = args->flip;
  uint8_t *out = args->out;
  size_t n = args->n;
  if (!table) {
    for (; n >= STEP; n -= STEP, in += STEP, out += STEP) vst1q_u8(out, veorq_u8(vld1q_u8(in), vdupq_n_u8(flip)));
    for (; n > 0; n--) *out++ = *in++ ^ flip;
    return;
  }
  uint8x16x4_t part[TABLE_PARTS];
  UNROLL for (int i = 0; i < TABLE_PARTS; i++) UNROLL for (int v = 0; v < 4; v++) part[i].val[v] = vld1q_u8(table + PART * i + 16 * v);
  for (; n >= STEP; n -= STEP, in += STEP, out += STEP) {
    uint8x16_t index = vld1q_u8(in), value = vqtbl4q_u8(part[0], index);
    UNROLL for (int i = 1; i < TABLE_PARTS; i++) {
      index = vsubq_u8(index, vdupq_n_u8(PART));
      value = vqtbx4q_u8(value, part[i], index);
    }
    vst1q_u8(out, value);
  }
  for (; n > 0; n--) *out++ = table[*in++];
}

void tvmq_requantize_s8_s8__neon(const struct tvmq_requantize_args *args) { look_up(args); }
void tvmq_requantize_s8_u8__neon(const struct tvmq_requantize_args *args) { look_up(args); }
void tvmq_requantize_u8_s8__neon(const struct tvmq_requantize_args *args) { look_up(args); }
void tvmq_requantize_u8_u8__neon(const struct tvmq_requantize_args *args) { look_up(args); }

// ---- all others: sixteen elements as int32, or as float32, and back

TVMQ_INLINE void from_s16(int16x8_t low, int16x8_t high, int32x4_t x[VECTORS]) {
  x[0] = vmovl_s16(vget_low_s16(low));
  x[1] = vmovl_high_s16(low);
  x[2] = vmovl_s16(vget_low_s16(high));
  x[3] = vmovl_high_s16(high);
}

TVMQ_INLINE void load_s8(const void *p, int32x4_t x[VECTORS]) {
  const int8x16_t bytes = vld1q_s8(p);
  from_s16(vmovl_s8(vget_low_s8(bytes)), vmovl_high_s8(bytes), x);
}

TVMQ_INLINE void load_u8(const void *p, int32x4_t x[VECTORS]) {
  const uint8x16_t bytes = vld1q_u8(p);
  from_s16(vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(bytes))), vreinterpretq_s16_u16(vmovl_high_u8(bytes)), x);
}

TVMQ_INLINE void load_s16(const void *p, int32x4_t x[VECTORS]) { from_s16(vld1q_s16(p), vld1q_s16((const int16_t *)p + 8), x); }

// Float32 too: bits are not looked at.
TVMQ_INLINE void load_s32(const void *p, int32x4_t x[VECTORS]) {
  const int32_t *in = p;
  x[0] = vld1q_s32(in), x[1] = vld1q_s32(in + 4), x[2] = vld1q_s32(in + 8), x[3] = vld1q_s32(in + 12);
}

TVMQ_INLINE int16x8_t to_s16(int32x4_t a, int32x4_t b) { return vqmovn_high_s32(vqmovn_s32(a), b); }

TVMQ_INLINE void store_s8(void *p, const int32x4_t x[VECTORS]) { vst1q_s8(p, vqmovn_high_s16(vqmovn_s16(to_s16(x[0], x[1])), to_s16(x[2], x[3]))); }

TVMQ_INLINE void store_u8(void *p, const int32x4_t x[VECTORS]) { vst1q_u8(p, vqmovun_high_s16(vqmovun_s16(to_s16(x[0], x[1])), to_s16(x[2], x[3]))); }

TVMQ_INLINE void store_s16(void *p, const int32x4_t x[VECTORS]) {
  vst1q_s16(p, to_s16(x[0], x[1]));
  vst1q_s16((int16_t *)p + 8, to_s16(x[2], x[3]));
}

TVMQ_INLINE void store_s32(void *p, const int32x4_t x[VECTORS]) {
  int32_t *out = p;
  vst1q_s32(out, x[0]), vst1q_s32(out + 4, x[1]), vst1q_s32(out + 8, x[2]), vst1q_s32(out + 12, x[3]);
}

typedef void (*load_fn)(const void *, int32x4_t *);
typedef void (*store_fn)(void *, const int32x4_t *);

// How an element becomes an int32: rescaled by one of requant_neon.h's paths, or divided by the scale.
enum way { RIGHT = TVMQ_NEON_S8_AWAY, DOUBLE = TVMQ_NEON_DOUBLE, SINGLE = TVMQ_NEON_SINGLE, DIVIDE, MULTIPLY };

// A conversion and its constants; `way` is a constant wherever this is inlined.
struct conversion {
  enum way way;
  struct tvmq_neon_stage stage;
  int32x4_t in_zero_point, multiplier, shift;
  float32x4_t scale, inverse, limit;
};

// Whether quotient() divides by this scale: its significand is not all ones, and what remains after a step is no subnormal number.
static bool has_quotient(float scale) {
  int32_t bits;
  memcpy(&bits, &scale, sizeof bits);
  return scale > 0x1p-80f && scale < 0x1p80f && ~bits << 9 != 0;
}

// x / scale as the division rounds it, as far as int32 goes: one step from x * (1 / scale) comes within one unit in the last place, from where another leads to
// the nearest number (Markstein, Computation of elementary functions on the IBM RISC System/6000 processor, 1990). What exceeds int32 by far is cut off first,
// so that infinity remains a number. Quotients below an eighth may be wrong and do not matter.
TVMQ_INLINE float32x4_t quotient(const struct conversion *c, float32x4_t x) {
  const float32x4_t near = vminq_f32(vmaxq_f32(x, vnegq_f32(c->limit)), c->limit);
  float32x4_t q = vmulq_f32(near, c->inverse);
  q = vfmaq_f32(q, vfmsq_f32(near, q, c->scale), c->inverse);
  return vfmaq_f32(q, vfmsq_f32(near, q, c->scale), c->inverse);
}

TVMQ_INLINE int32x4_t convert(const struct conversion *c, int32x4_t x) {
  // Conversion rounds ties away from zero, saturates and takes NaN as 0, as the definition has it on this architecture.
  int32x4_t value;
  if (c->way == DIVIDE)
    value = vcvtaq_s32_f32(vdivq_f32(vreinterpretq_f32_s32(x), c->scale));
  else if (c->way == MULTIPLY)
    value = vcvtaq_s32_f32(quotient(c, vreinterpretq_f32_s32(x)));
  else
    value = tvmq_neon_rescale((enum tvmq_neon_path)c->way, &c->stage, vsubq_s32(x, c->in_zero_point), c->multiplier, c->shift);
  return vaddq_s32(value, c->stage.zero_point);
}

TVMQ_INLINE void convert_sixteen(const struct conversion *c, load_fn load, store_fn store, const void *in, void *out) {
  int32x4_t x[VECTORS];
  load(in, x);
  const int32x4_t value[VECTORS] = {convert(c, x[0]), convert(c, x[1]), convert(c, x[2]), convert(c, x[3])};
  store(out, value);
}

TVMQ_INLINE void elementwise(const struct tvmq_requantize_args *args, enum way way, size_t in_bytes, size_t out_bytes, load_fn load, store_fn store) {
  const struct conversion c = {
      .way = way,
      .stage = {.ties = vdupq_n_s32(args->rounding == TVMQ_ROUNDING_REFERENCE ? -1 : 0), .zero_point = vdupq_n_s32(args->out_zero_point)},
      .in_zero_point = vdupq_n_s32(args->in_zero_point),
      .multiplier = vdupq_n_s32(args->multiplier),
      .shift = vdupq_n_s32(args->shift),
      .scale = vdupq_n_f32(args->scale),
      .inverse = vdupq_n_f32(1 / args->scale),
      .limit = vdupq_n_f32(args->scale * 0x1p40f),
  };
  const uint8_t *in = args->in;
  uint8_t *out = args->out;
  size_t n = args->n;
  for (; n >= STEP; n -= STEP, in += STEP * in_bytes, out += STEP * out_bytes) convert_sixteen(&c, load, store, in, out);
}

// The last few elements: sixteen of which those that are none are dropped.
static void convert_rest(const struct tvmq_requantize_args *args, size_t in_bytes, size_t out_bytes, tvmq_requantize_fn kernel) {
  const size_t done = args->n / STEP * STEP, rest = args->n - done;
  if (rest == 0) return;
  uint8_t from[STEP * sizeof(int32_t)] = {0}, to[STEP * sizeof(int32_t)];
  memcpy(from, (const uint8_t *)args->in + done * in_bytes, rest * in_bytes);
  struct tvmq_requantize_args sixteen = *args;
  sixteen.in = from;
  sixteen.out = to;
  sixteen.n = STEP;
  kernel(&sixteen);
  memcpy((uint8_t *)args->out + done * out_bytes, to, rest * out_bytes);
}

TVMQ_INLINE void requantize(const struct tvmq_requantize_args *args, size_t in_bytes, size_t out_bytes, load_fn load, store_fn store,
                            tvmq_requantize_fn kernel) {
  if (args->rounding == TVMQ_ROUNDING_SINGLE)
    elementwise(args, SINGLE, in_bytes, out_bytes, load, store);
  else if (args->rounding == TVMQ_ROUNDING_REFERENCE && args->shift < 0)
    elementwise(args, RIGHT, in_bytes, out_bytes, load, store);  // results need not fit int16: narrowing saturates here
  else
    elementwise(args, DOUBLE, in_bytes, out_bytes, load, store);
  convert_rest(args, in_bytes, out_bytes, kernel);
}

void tvmq_requantize_s8_s16__neon(const struct tvmq_requantize_args *args) { requantize(args, 1, 2, load_s8, store_s16, tvmq_requantize_s8_s16__neon); }
void tvmq_requantize_u8_s16__neon(const struct tvmq_requantize_args *args) { requantize(args, 1, 2, load_u8, store_s16, tvmq_requantize_u8_s16__neon); }
void tvmq_requantize_s16_s8__neon(const struct tvmq_requantize_args *args) { requantize(args, 2, 1, load_s16, store_s8, tvmq_requantize_s16_s8__neon); }
void tvmq_requantize_s16_s16__neon(const struct tvmq_requantize_args *args) { requantize(args, 2, 2, load_s16, store_s16, tvmq_requantize_s16_s16__neon); }
void tvmq_requantize_s16_s32__neon(const struct tvmq_requantize_args *args) { requantize(args, 2, 4, load_s16, store_s32, tvmq_requantize_s16_s32__neon); }
void tvmq_requantize_s32_s8__neon(const struct tvmq_requantize_args *args) { requantize(args, 4, 1, load_s32, store_s8, tvmq_requantize_s32_s8__neon); }
void tvmq_requantize_s32_s16__neon(const struct tvmq_requantize_args *args) { requantize(args, 4, 2, load_s32, store_s16, tvmq_requantize_s32_s16__neon); }

TVMQ_INLINE void quantize(const struct tvmq_requantize_args *args, size_t out_bytes, store_fn store, tvmq_requantize_fn kernel) {
  if (has_quotient(args->scale))
    elementwise(args, MULTIPLY, sizeof(float), out_bytes, load_s32, store);
  else
    elementwise(args, DIVIDE, sizeof(float), out_bytes, load_s32, store);
  convert_rest(args, sizeof(float), out_bytes, kernel);
}

void tvmq_requantize_f32_s8__neon(const struct tvmq_requantize_args *args) { quantize(args, 1, store_s8, tvmq_requantize_f32_s8__neon); }
void tvmq_requantize_f32_u8__neon(const struct tvmq_requantize_args *args) { quantize(args, 1, store_u8, tvmq_requantize_f32_u8__neon); }
void tvmq_requantize_f32_s16__neon(const struct tvmq_requantize_args *args) { quantize(args, 2, store_s16, tvmq_requantize_f32_s16__neon); }
