// AVERAGE_POOL_2D and MAX_POOL_2D of bytes, NHWC. A work item computes one pixel in four channels.
//
// Macros: MAXIMUM; SIGNED, whether bytes are int8, whose means are rounded half away from zero.
// Range: blocks of four channels, columns, rows of all images.
#if SIGNED
#define VALUES(word) convert_int4(as_char4(word))
#else
#define VALUES(word) convert_int4(as_uchar4(word))
#endif

__attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1)))
kernel void pool(global uchar *memory, global const uchar *constants, int in, int out, int in_h, int in_w, int n_channels, int out_h, int out_w, int filter_h,
                 int filter_w, int stride_h, int stride_w, int pad_top, int pad_left, int border_top, int border_bottom, int border_left, int border_right,
                 int border_value, int min_value, int max_value) {
  const int block = (int)get_global_id(0), x0 = (int)get_global_id(1), row = (int)get_global_id(2);
  if (block * 4 >= n_channels || x0 >= out_w) return;
  const int image = row / out_h, y0 = row - image * out_h, n = n_channels - block * 4;
  const int top = y0 * stride_h - pad_top, left = x0 * stride_w - pad_left;
  const int first_y = max(top, 0), end_y = min(top + filter_h, in_h), first_x = max(left, 0), end_x = min(left + filter_w, in_w);
#if MAXIMUM
  // Elements of the border count, those of the padding around it do not.
  const bool bordered = max(top, -border_top) < 0 || min(top + filter_h, in_h + border_bottom) > in_h || max(left, -border_left) < 0 ||
                        min(left + filter_w, in_w + border_right) > in_w;
  int4 value = (int4)(bordered ? max(border_value, min_value) : min_value);
#else
  int4 sum = (int4)(0);
#endif
  for (int y = first_y; y < end_y; y++) {
    for (int x = first_x; x < end_x; x++) {
      const int4 element = VALUES(load_bytes(memory + in + ((image * in_h + y) * in_w + x) * n_channels + block * 4, n));
#if MAXIMUM
      value = element > value ? element : value;  // Oclgrind takes max() of vectors for unsigned
#else
      sum += element;
#endif
    }
  }
#if !MAXIMUM
  const int taps = max((end_y - first_y) * (end_x - first_x), 1), half_taps = taps / 2;
  int4 value = (sum + select((int4)(half_taps), (int4)(-half_taps), sum < 0)) / taps;
#endif
  value = value < min_value ? (int4)(min_value) : value > max_value ? (int4)(max_value) : value;
  store_bytes(memory + out + (row * out_w + x0) * n_channels + block * 4, convert_uchar4(as_uint4(value) & 0xffu), n);
}
