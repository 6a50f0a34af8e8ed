// Begins every program: arithmetic that all kernels share. Every function equals its namesake in arithmetic/stage.h.
//
// Macros: ROUNDING, 0 reference, 1 upward, 2 single; DOT, 0 plain C, 1 cl_khr_integer_dot_product,
// 2 cl_arm_integer_dot_product_accumulate_int8.
//
// Every kernel gets `memory`, in which all tensors of a partition lie, and `constants`. Tensors and constants are byte
// offsets into these.
#pragma OPENCL FP_CONTRACT OFF

#if DOT == 1
#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable
#define MULTIPLY_ADD(sum, a, b) ((sum) + (uint)dot_4x8packed_ss_int((a), (b)))
#elif DOT == 2
#pragma OPENCL EXTENSION cl_arm_integer_dot_product_accumulate_int8 : enable
#define MULTIPLY_ADD(sum, a, b) as_uint(arm_dot_acc(as_char4(a), as_char4(b), as_int(sum)))
#else
static inline uint multiply_add(uint sum, uint a, uint b) {
  const int4 products = convert_int4(convert_short4(as_char4(a)) * convert_short4(as_char4(b)));
  return sum + (uint)((products.s0 + products.s1) + (products.s2 + products.s3));
}
#define MULTIPLY_ADD(sum, a, b) multiply_add((sum), (a), (b))
#endif

static inline int high_multiply(int x, int multiplier, int left) {
  const int shifted = (int)((uint)x << left);
  const uint low = (uint)shifted * (uint)multiplier;
  return (int)(((uint)mul_hi(shifted, multiplier) << 1) + (low >> 31) + ((low >> 30) & 1u));
}

static inline int rescale(int x, int multiplier, int shift) {
#if ROUNDING == 2
  return (int)(((long)x * multiplier + (1L << (30 - shift))) >> (31 - shift));
#else
  const int left = max(shift, 0), right = left - shift;
  const int high = high_multiply(x, multiplier, left);
  const int mask = (int)((1u << right) - 1u), rest = high & mask;
#if ROUNDING == 1
  const int most = (int)((uint)mask >> 1);  // the greatest rest that is rounded down
#else
  const int most = (int)((uint)mask >> 1) + (high < 0 ? 1 : 0);
#endif
  return (high >> right) + (rest > most ? 1 : 0);
#endif
}

static inline int add_wrap(int a, int b) { return (int)((uint)a + (uint)b); }

// Reads the first n of four bytes; the others are 0.
static inline uint load_bytes(global const uchar *at, int n) {
  if (n >= 4) return as_uint(vload4(0, at));
  uint word = at[0];
  if (n > 1) word |= (uint)at[1] << 8;
  if (n > 2) word |= (uint)at[2] << 16;
  return word;
}

static inline void store_bytes(global uchar *at, uchar4 bytes, int n) {
  if (n >= 4) {
    vstore4(bytes, 0, at);
    return;
  }
  at[0] = bytes.s0;
  if (n > 1) at[1] = bytes.s1;
  if (n > 2) at[2] = bytes.s2;
}
