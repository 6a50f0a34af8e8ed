// SOFTMAX of bytes (arithmetic/softmax.h). A work item computes one row.
//
// Exps: 256, of the difference d at 255 + d. Macros: SIGNED, whether inputs are int8. Range: rows.
#if SIGNED
#define VALUE(byte) ((int)as_char(byte))
#else
#define VALUE(byte) ((int)(byte))
#endif

// 1 / (1 + a) as Q0.31, saturated, for a in [0, 2^31) as Q0.31: three steps of Newton's method.
static inline int reciprocal(int a) {
  const int half_a = (a >> 1) + (1 << 30);
  int z = high_multiply(half_a, -1010580540, 0) + 1515870810;
  for (int i = 0; i < 3; i++) z += 4 * high_multiply(z, (1 << 29) - high_multiply(half_a, z, 0), 0);
  return z > (1 << 30) - 1 ? INT_MAX : (int)((uint)z << 1);
}

__attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1)))
kernel void softmax(global uchar *memory, global const uchar *constants, int in, int out, int rows, int depth, int exps, int out_flip) {
  const int row = (int)get_global_id(0);
  if (row >= rows) return;
  global const uchar *const from = memory + in + row * depth;
  global uchar *const to = memory + out + row * depth;
  global const int *const table = (global const int *)(constants + exps) + 255;
  int greatest = VALUE(from[0]);
  for (int i = 1; i < depth; i++) greatest = max(greatest, VALUE(from[i]));
  uint sum = 0;
  for (int i = 0; i < depth; i++) sum += ((uint)table[VALUE(from[i]) - greatest] + (1u << 11)) >> 12;
  const int zeros = (int)clz(sum), shift = 12 - zeros + 31 - 8;
  const int scale = reciprocal((int)((sum << zeros) ^ (1u << 31)));
  const bool ties = sum == 1u << 28;
  for (int i = 0; i < depth; i++) {
    const int e = table[VALUE(from[i]) - greatest];
    // Beyond a shift of 31, where the reference is undefined, no quotient exceeds half of a step.
    const long value = shift > 31 ? (long)(ties && e == INT_MAX) : ((long)high_multiply(e, scale, 0) + (1L << (shift - 1))) >> shift;
    to[i] = (uchar)min(value, 255L) ^ (uchar)out_flip;
  }
}
