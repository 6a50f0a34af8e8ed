// DEPTHWISE_CONV_2D of bytes, NHWC. A work item computes one pixel in four channels.
//
// Macros: FLOATS, whether sums are float32: whole numbers below 2^24, which fma adds exactly; WORDS: 1 if the four input
// channels are an aligned word, 0 if they are bytes at any address, or one input channel has several outputs.
// Weights: [block of 4 channels][tap] four int16, zero points subtracted.
// Range: blocks, columns, rows of all images.
#if FLOATS
typedef float4 sum4;
#define PRODUCT(sum, a, b) fma(convert_float4(a), convert_float4(b), (sum))
#define BITS(sum) as_uint4(convert_int4(sum))
#else
typedef uint4 sum4;
#define PRODUCT(sum, a, b) ((sum) + as_uint4(convert_int4(a) * convert_int4(b)))
#define BITS(sum) (sum)
#endif

__attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1)))
kernel void depthwise(global uchar *memory, global const uchar *constants, int in, int out, int weights, int channels, int in_h, int in_w, int in_c, int out_h,
                      int out_w, int out_c, int filter_h, int filter_w, int stride_h, int stride_w, int dilation_h, int dilation_w, int pad_top, int pad_left,
                      int in_zero, int multiplier, int in_flip, int out_flip, int zero_point, int min_value, int max_value) {
  const int block = (int)get_global_id(0), x0 = (int)get_global_id(1), row = (int)get_global_id(2);
  if (block * 4 >= out_c || x0 >= out_w) return;
  const int image = row / out_h, y0 = row - image * out_h, n = out_c - block * 4;
  global const struct channel *const params = (global const struct channel *)(constants + channels) + block * 4;
  const struct channel c[4] = {params[0], params[1], params[2], params[3]};
#if FLOATS
  sum4 sums = (float4)((float)c[0].bias, (float)c[1].bias, (float)c[2].bias, (float)c[3].bias);
#else
  sum4 sums = (uint4)((uint)c[0].bias, (uint)c[1].bias, (uint)c[2].bias, (uint)c[3].bias);
#endif
#if !WORDS
  const int last = out_c - 1, first = block * 4;
  const int4 from = (int4)(first, min(first + 1, last), min(first + 2, last), min(first + 3, last)) / multiplier;
#endif
  global const short4 *w = (global const short4 *)(constants + weights) + block * (filter_h * filter_w);
  for (int ky = 0; ky < filter_h; ky++) {
    const int y = y0 * stride_h + ky * dilation_h - pad_top;
    for (int kx = 0; kx < filter_w; kx++, w++) {
      const int x = x0 * stride_w + kx * dilation_w - pad_left;
      uint word = (uint)in_zero;
      if (y >= 0 && y < in_h && x >= 0 && x < in_w) {
        global const uchar *const at = memory + in + ((image * in_h + y) * in_w + x) * in_c;
#if WORDS
        word = *(global const uint *)(at + block * 4) ^ (uint)in_flip;
#else
        word = as_uint((uchar4)(at[from.s0], at[from.s1], at[from.s2], at[from.s3])) ^ (uint)in_flip;
#endif
      }
      sums = PRODUCT(sums, as_char4(word), *w);
    }
  }
  const struct range range = {zero_point, min_value, max_value};
  store_bytes(memory + out + (row * out_w + x0) * out_c + block * 4, finish(c, BITS(sums), range, out_flip), n);
}
