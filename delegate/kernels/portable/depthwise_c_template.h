// Body of a portable depthwise kernel. depthwise_c.c includes it once per variant, with the macros of gemm_c_template.h
// except MR, which is 1.
//
// Tile: one output row, one pixel at a time, NR channels in accumulators. Reads NR channels of each pixel of the
// window. The steps from bytes to products are separate loops without unrolling: gcc 12 vectorizes them only if they
// are not unrolled first.

static void TILE(SYMBOL)(const struct tvmq_depthwise_args *args) {
  const ACC *const bias = args->panel;
  const int8_t *const weights = (const int8_t *)(bias + NR);
  const int32_t *const multiplier = (const int32_t *)(weights + args->filter_h * args->filter_w * NR), *const shift = multiplier + NR;
  const int16_t filter_zero_point = (int16_t)args->filter_zero_point;
  for (size_t col = 0; col < args->n_cols; col++) {
    char *const out = (char *)args->out + col * args->out_col_stride;
    UNSIGNED_ACC acc[NR];
    for (size_t n = 0; n < NR; n++) acc[n] = (UNSIGNED_ACC)bias[n];
    const int8_t *w = weights;
    for (size_t ky = 0; ky < args->filter_h; ky++) {
      const void *const *pixels = args->pixels + ky * args->pixels_stride + col * args->stride_w;
      for (size_t kx = 0; kx < args->filter_w; kx++, w += NR) {
        const IN *x = (const IN *)((const char *)pixels[kx] + args->channel_offset);
        int16_t operand[NR], d[NR];
#pragma GCC unroll 1
        for (size_t n = 0; n < NR; n++) operand[n] = LOAD(x[n]);
#pragma GCC unroll 1
        for (size_t n = 0; n < NR; n++) d[n] = (int16_t)(w[n] - filter_zero_point);
#pragma GCC unroll 1
        for (size_t n = 0; n < NR; n++) acc[n] += (UNSIGNED_ACC)(operand[n] * d[n]);
      }
    }
    if (args->stage->sums) {
      memcpy(out, acc, sizeof acc);
      continue;
    }
    for (size_t n = 0; n < NR; n++) ((OUT *)out)[n] = STORE((ACC)acc[n], multiplier[n], shift[n]);
  }
}

void SYMBOL(const struct tvmq_depthwise_args *args) { tvmq_depthwise_tiles(args, 1, NR * sizeof(IN), TILE(SYMBOL)); }

#undef SYMBOL
#undef NR
#undef IN
#undef OUT
#undef ACC
#undef UNSIGNED_ACC
#undef LOAD
#undef STORE
