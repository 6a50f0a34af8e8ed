// Operations on two tensors of bytes (operators/pair_values.h).
//
// Macros: OPERATION, a number of enum tvmq_operation; SIGNED, whether bytes are int8; BROADCAST, whether an input
// repeats. Range: four elements each, or one with BROADCAST, whose index has the digits of dims 1 to 3 below that of
// the outermost dimension.
#if SIGNED
#define VALUES(bytes) convert_int4(as_char4(bytes))
#define VALUE(byte) ((int)as_char(byte))
#else
#define VALUES(bytes) convert_int4(bytes)
#define VALUE(byte) ((int)(byte))
#endif

struct formula {
  int left_shift, zero_a, zero_b, zero_out, multiplier_a, shift_a, multiplier_b, shift_b, multiplier_out, shift_out, min_value, max_value;
};

static inline int combine(struct formula f, int a, int b) {
#if OPERATION == 3 || OPERATION > 7
#error "no such operation"
#elif OPERATION == 4
  return max(a, b);
#elif OPERATION == 5
  return min(a, b);
#else
  const int x = a - f.zero_a, y = b - f.zero_b;
  int value;
#if OPERATION == 2
  value = rescale(x * y, f.multiplier_out, f.shift_out);
#elif OPERATION == 6
  value = x >= 0 ? rescale(x, f.multiplier_a, f.shift_a) : rescale(x * y, f.multiplier_b, f.shift_b);
#else
  const int raised_a = rescale((int)((uint)x << f.left_shift), f.multiplier_a, f.shift_a);
  const int raised_b = rescale((int)((uint)y << f.left_shift), f.multiplier_b, f.shift_b);
#if OPERATION == 0
  value = rescale(add_wrap(raised_a, raised_b), f.multiplier_out, f.shift_out);
#elif OPERATION == 1
  value = rescale(add_wrap(raised_a, -raised_b), f.multiplier_out, f.shift_out);
#else
  const uint difference = (uint)add_wrap(raised_a, -raised_b);
  value = rescale((int)(difference * difference), f.multiplier_out, f.shift_out);
#endif
#endif
  return clamp(add_wrap(value, f.zero_out), f.min_value, f.max_value);
#endif
}

__attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1)))
kernel void binary(global uchar *memory, global const uchar *constants, int in_a, int in_b, int out, int n, int left_shift, int zero_a, int zero_b,
                   int zero_out, int multiplier_a, int shift_a, int multiplier_b, int shift_b, int multiplier_out, int shift_out, int min_value, int max_value,
                   int dim1, int dim2, int dim3, int a0, int a1, int a2, int a3, int b0, int b1, int b2, int b3) {
  const struct formula f = {left_shift, zero_a,  zero_b,         zero_out,  multiplier_a, shift_a,
                            multiplier_b, shift_b, multiplier_out, shift_out, min_value,    max_value};
#if BROADCAST
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  const int i3 = i % dim3, above = i / dim3, i2 = above % dim2, higher = above / dim2, i1 = higher % dim1, i0 = higher / dim1;
  const uchar a = memory[in_a + i0 * a0 + i1 * a1 + i2 * a2 + i3 * a3], b = memory[in_b + i0 * b0 + i1 * b1 + i2 * b2 + i3 * b3];
  memory[out + i] = (uchar)combine(f, VALUE(a), VALUE(b));
#else
  const int i = (int)get_global_id(0) * 4;
  if (i >= n) return;
  const int4 a = VALUES(as_uchar4(load_bytes(memory + in_a + i, n - i))), b = VALUES(as_uchar4(load_bytes(memory + in_b + i, n - i)));
  const int4 value = (int4)(combine(f, a.s0, b.s0), combine(f, a.s1, b.s1), combine(f, a.s2, b.s2), combine(f, a.s3, b.s3));
  store_bytes(memory + out + i, convert_uchar4(as_uint4(value) & 0xffu), n - i);
#endif
}
