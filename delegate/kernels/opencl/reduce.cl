// MEAN and SUM of bytes over the middle one of three dimensions: [outer][n][inner]. A work item computes one output.
//
// Macros: SIGNED, whether bytes are int8. Range: inner, outer.
#if SIGNED
#define VALUE(byte) ((int)as_char(byte))
#else
#define VALUE(byte) ((int)(byte))
#endif

__attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1)))
kernel void reduce(global uchar *memory, global const uchar *constants, int in, int out, int outer, int n, int inner, int bias, int multiplier, int shift,
                   int zero_point, int min_value, int max_value) {
  const int i = (int)get_global_id(0), o = (int)get_global_id(1);
  if (i >= inner || o >= outer) return;
  global const uchar *const at = memory + in + o * n * inner + i;
  int sum = bias;
  for (int k = 0; k < n; k++) sum = add_wrap(sum, VALUE(at[k * inner]));
  memory[out + o * inner + i] = (uchar)clamp(add_wrap(rescale(sum, multiplier, shift), zero_point), min_value, max_value);
}
