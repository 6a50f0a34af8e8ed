// Adds products of int16 in int32 for COLUMNS columns of 8 channels. The includers depthwise_neon.c and
// depthwise_s16_neon.c define before: NR, COLUMNS, struct half with a member `args`, and load_weight() and
// load_pixel(), which load the panel's and the image's elements as int16.

enum { MAX_SPAN = 11 };  // pixels under a row of 5 weights for 4 columns of stride 2

TVMQ_INLINE void add_product(int16x8_t value, int16x8_t weight, int32x4_t acc[2]) {
  acc[0] = vmlal_s16(acc[0], vget_low_s16(value), vget_low_s16(weight));
  acc[1] = vmlal_high_s16(acc[1], value, weight);
}

// Adds the products of a filter row: n_kx weights, and the pixels of all columns, which are `stride` apart. Loads each
// pixel once.
TVMQ_INLINE void add_row(const struct half *h, const void *const *row, int n_kx, int stride, const int8_t *weights, int32x4_t *acc) {
  int16x8_t value[MAX_SPAN];
  UNROLL for (int x = 0; x < (COLUMNS - 1) * stride + n_kx; x++) value[x] = load_pixel(h, row[x]);
  UNROLL for (int kx = 0; kx < n_kx; kx++) {
    const int16x8_t weight = load_weight(h, weights + kx * NR);
    UNROLL for (int i = 0; i < COLUMNS; i++) add_product(value[i * stride + kx], weight, acc + 2 * i);
  }
}

// The same for taps `first` to `end` of any row; columns after `n` repeat the last column.
TVMQ_INLINE void add_taps(const struct half *h, const void *const *row, size_t n, size_t first, size_t end, const int8_t *weights, int32x4_t *acc) {
  const void *const *column[COLUMNS];
  UNROLL for (size_t i = 0; i < COLUMNS; i++) column[i] = row + (i < n ? i : n - 1) * h->args->stride_w;
  for (size_t kx = first; kx < end; kx++) {
    const int16x8_t weight = load_weight(h, weights + kx * NR);
    int16x8_t value[COLUMNS];
    UNROLL for (int i = 0; i < COLUMNS; i++) value[i] = load_pixel(h, column[i][kx]);
    UNROLL for (int i = 0; i < COLUMNS; i++) add_product(value[i], weight, acc + 2 * i);
  }
}
