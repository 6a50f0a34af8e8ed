// Body of the 16x8 depthwise kernels on x86, down the rows: two rows of a column are interleaved, so that each 32-bit
// lane has the two pixels of one channel. One instruction multiplies them by a column of the filter. The includer
// defines before
//   multiply_add(acc, x, w)        adds the dot products of two int16 in each 32-bit lane
//
// Tile: one output row, one column at a time. Reads: all channels of each pixel of the window. If the filter height is
// odd, the last row is read twice; the second time its weights are zero. Hazards: an int16 times an int8 is at most
// 2^22, so 511 products fit int32. After every MOST_PAIRS pairs, sums are multiplied in the output stage and added up
// there.
enum { VECTORS = 2, VECTOR_VALUES = sizeof(vec) / sizeof(int32_t), CHANNELS = VECTORS * VECTOR_VALUES, MOST_PAIRS = 255 };

// Interleaves two rows to two vectors, each with half of the channels.
TVMQ_INLINE void interleave(const vec row[2], vec pair[2]) {
  pair[0] = MM(unpacklo_epi16)(row[0], row[1]);
  pair[1] = MM(unpackhi_epi16)(row[0], row[1]);
}

static void single_row(const struct tvmq_depthwise_args *args) {
  const size_t pairs = (args->filter_h + 1) / 2;
  const int64_t *const bias = args->panel;
  const int16_t *const weights = (const int16_t *)(bias + CHANNELS);
  const int32_t *const multiplier = (const int32_t *)(weights + pairs * args->filter_w * 2 * CHANNELS), *const shift = multiplier + CHANNELS;
  const struct tvmq_stage stage = *args->stage;
  struct tvmq_s64_stage s64[VECTORS];
  UNROLL for (int v = 0, c = 0; v < VECTORS; v++, c += VECTOR_VALUES) s64[v] = tvmq_s64_stage_make(&stage, bias + c, multiplier + c, shift + c);

  char *out = args->out;
  for (size_t col = 0; col < args->n_cols; col++, out += args->out_col_stride) {
    struct tvmq_s64_sum sum[VECTORS] = {tvmq_s64_first(&s64[0]), tvmq_s64_first(&s64[1])};
    vec acc[VECTORS] = {(vec){0}, (vec){0}};
    size_t room = MOST_PAIRS;
    const int16_t *w = weights;
    for (size_t kx = 0; kx < args->filter_w; kx++) {
      const void *const *pixel = args->pixels + col * args->stride_w + kx;
      for (size_t p = 0; p < pairs; p++, room--, pixel += 2 * args->pixels_stride, w += 2 * CHANNELS) {
        if (room == 0) {
          UNROLL for (int v = 0; v < VECTORS; v++) {
            tvmq_s64_add(&s64[v], acc[v], &sum[v]);
            acc[v] = (vec){0};
          }
          room = MOST_PAIRS;
        }
        const void *const *second = pixel + (2 * p + 1 < args->filter_h ? args->pixels_stride : 0);
        const vec row[2] = {vec_load((const char *)*pixel + args->channel_offset), vec_load((const char *)*second + args->channel_offset)};
        vec pair[VECTORS];
        interleave(row, pair);
        UNROLL for (int v = 0; v < VECTORS; v++) acc[v] = multiply_add(acc[v], pair[v], vec_load(w + v * 2 * VECTOR_VALUES));
      }
    }
    UNROLL for (int v = 0; v < VECTORS; v++) tvmq_s64_add(&s64[v], acc[v], &sum[v]);
    vec_store(out, tvmq_pack_lanes_s16(&stage, tvmq_s64_value(&s64[0], &sum[0]), tvmq_s64_value(&s64[1], &sum[1])));
  }
}
