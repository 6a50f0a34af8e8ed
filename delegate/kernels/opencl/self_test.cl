// What exactness rests on, as the device computes it: each work item i computes one result of each kind from the words
// i and i + 1 of the input. Results of one kind lie together.
__attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1)))
kernel void self_test(global uchar *memory, global const uchar *constants, int in_offset, int out_offset, int n) {
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  global const int *const in = (global const int *)(memory + in_offset);
  global int *const out = (global int *)(memory + out_offset);
  const int a = in[i], b = in[i + 1];
  const float slope = ldexp(1.0f + (float)(b & 0x7fffff) * 0x1p-23f, -(a & 15) - 1), whole = (float)(a >> 6);
  out[i] = as_int((float)a);
  out[n + i] = as_int(fma(slope, whole, (float)(b >> 20) * 0.125f));
  out[2 * n + i] = convert_int_rte((float)(a >> 8) * 0.5f);
  out[3 * n + i] = (int)MULTIPLY_ADD((uint)i, (uint)a, (uint)b);
  out[4 * n + i] = high_multiply(a, b & INT_MAX, (uint)a % 8);
  out[5 * n + i] = rescale(a >> 8, (b & 0x3fffffff) | 0x40000000, 7 - (int)((uint)b % 28));
  out[6 * n + i] = (int)(((long)a * b + (1L << 30)) >> 31);
  out[7 * n + i] = (int)clz((uint)a >> ((uint)b % 31)) + as_char4(a).s1 + (int)as_uchar4(b).s3 * convert_int4(as_char4(b)).s2;
}
