// RESIZE_BILINEAR of bytes, NHWC. A work item computes one pixel in four channels.
//
// Tables of rows and columns: struct tvmq_between for each index. Macros: SIGNED, whether bytes are int8.
// Range: blocks of four channels, columns, rows of all images.
#if SIGNED
#define VALUES(word) convert_int4(as_char4(word))
#else
#define VALUES(word) convert_int4(as_uchar4(word))
#endif

__attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1)))
kernel void resize(global uchar *memory, global const uchar *constants, int in, int out, int rows, int columns, int in_h, int in_w, int n_channels, int out_h,
                   int out_w, int shift) {
  const int block = (int)get_global_id(0), x = (int)get_global_id(1), row = (int)get_global_id(2);
  if (block * 4 >= n_channels || x >= out_w) return;
  const int image = row / out_h, n = n_channels - block * 4;
  const int4 down = ((global const int4 *)(constants + rows))[row - image * out_h], across = ((global const int4 *)(constants + columns))[x];
  global const uchar *const above = memory + in + (image * in_h + down.s0) * in_w * n_channels + block * 4;
  global const uchar *const below = memory + in + (image * in_h + down.s1) * in_w * n_channels + block * 4;
  const int4 upper = VALUES(load_bytes(above + across.s0 * n_channels, n)) * across.s2 + VALUES(load_bytes(above + across.s1 * n_channels, n)) * across.s3;
  const int4 lower = VALUES(load_bytes(below + across.s0 * n_channels, n)) * across.s2 + VALUES(load_bytes(below + across.s1 * n_channels, n)) * across.s3;
  const int4 sum = upper * down.s2 + lower * down.s3;
  // Half away from zero; true is -1.
  const int4 value = shift == 0 ? sum : (sum + (1 << (shift - 1)) + (sum < 0)) >> shift;
  store_bytes(memory + out + (row * out_w + x) * n_channels + block * 4, convert_uchar4(as_uint4(value) & 0xffu), n);
}
