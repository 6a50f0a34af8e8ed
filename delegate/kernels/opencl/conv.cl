// CONV_2D and FULLY_CONNECTED of bytes, NHWC. A work item computes PIXELS adjacent pixels of a row in four channels.
//
// Macros: WORDS, words of four input channels that are loaded together: 4, 1, or 0 for bytes at any address;
// FILTER_ZERO, whether weights have a zero point.
// Weights: [block of 4 channels][tap][word of input channels][channel of the block], a word of four int8 each.
// Range: blocks, tiles of a row, rows of all images.
#define PIXELS 4

#if WORDS == 4
typedef uint4 words;
#define N_WORDS 4
#define LOAD(at, left) (*(global const uint4 *)(at))
#define WORD(v, i) ((i) == 0 ? (v).s0 : (i) == 1 ? (v).s1 : (i) == 2 ? (v).s2 : (v).s3)
#elif WORDS == 1
typedef uint words;
#define N_WORDS 1
#define LOAD(at, left) (*(global const uint *)(at))
#define WORD(v, i) (v)
#else
typedef uint words;
#define N_WORDS 1
#define LOAD(at, left) load_bytes((at), (left))
#define WORD(v, i) (v)
#endif

__attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1)))
kernel void conv(global uchar *memory, global const uchar *constants, int in, int out, int weights, int channels, int in_h, int in_w, int in_c, int out_h,
                 int out_w, int out_c, int filter_h, int filter_w, int stride_h, int stride_w, int dilation_h, int dilation_w, int pad_top, int pad_left,
                 int in_zero, int filter_zero, int in_flip, int out_flip, int zero_point, int min_value, int max_value) {
  const int block = (int)get_global_id(0), x0 = (int)get_global_id(1) * PIXELS, row = (int)get_global_id(2);
  if (block * 4 >= out_c || x0 >= out_w) return;
  const int image = row / out_h, y0 = row - image * out_h;
  global const struct channel *const params = (global const struct channel *)(constants + channels) + block * 4;
  const struct channel c[4] = {params[0], params[1], params[2], params[3]};
  const uint4 bias = (uint4)((uint)c[0].bias, (uint)c[1].bias, (uint)c[2].bias, (uint)c[3].bias);
  uint4 sums[PIXELS] = {bias, bias, bias, bias};
#if FILTER_ZERO
  uint totals[PIXELS] = {0, 0, 0, 0};
#endif
  const int depth = (in_c + 3) / 4;
  global const uint4 *w = (global const uint4 *)(constants + weights) + block * (filter_h * filter_w * depth);
  for (int ky = 0; ky < filter_h; ky++) {
    const int y = y0 * stride_h + ky * dilation_h - pad_top;
    for (int kx = 0; kx < filter_w; kx++) {
      global const uchar *at[PIXELS];
      bool inside[PIXELS];
      #pragma unroll
      for (int i = 0; i < PIXELS; i++) {
        const int x = (x0 + i) * stride_w + kx * dilation_w - pad_left;
        inside[i] = y >= 0 && y < in_h && x >= 0 && x < in_w;
        at[i] = memory + in + (inside[i] ? ((image * in_h + y) * in_w + x) * in_c : 0);
      }
      for (int k = 0; k < in_c; k += 4 * N_WORDS) {
        words a[PIXELS];
        #pragma unroll
        for (int i = 0; i < PIXELS; i++) {
          const words loaded = LOAD(at[i] + k, in_c - k) ^ (words)((uint)in_flip);
          a[i] = inside[i] ? loaded : (words)((uint)in_zero);
#if WORDS == 0
          if (in_c - k < 4) a[i] &= (1u << (in_c - k) * 8) - 1u;
#endif
        }
        #pragma unroll
        for (int u = 0; u < N_WORDS; u++) {
          const uint4 v = *w++;
          #pragma unroll
          for (int i = 0; i < PIXELS; i++) {
            const uint word = WORD(a[i], u);
            sums[i] = (uint4)(MULTIPLY_ADD(sums[i].s0, word, v.s0), MULTIPLY_ADD(sums[i].s1, word, v.s1), MULTIPLY_ADD(sums[i].s2, word, v.s2),
                              MULTIPLY_ADD(sums[i].s3, word, v.s3));
#if FILTER_ZERO
            totals[i] = MULTIPLY_ADD(totals[i], word, 0x01010101u);
#endif
          }
        }
      }
    }
  }
  const struct range range = {zero_point, min_value, max_value};
  #pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    if (x0 + i >= out_w) continue;
#if FILTER_ZERO
    sums[i] -= (uint4)(totals[i] * (uint)filter_zero);
#endif
    store_bytes(memory + out + (row * out_w + x0 + i) * out_c + block * 4, finish(c, sums[i], range, out_flip), out_c - block * 4);
  }
}
