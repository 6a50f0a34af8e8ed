// Body of a portable gemm kernel. gemm_c.c includes it once per variant, with
//   SYMBOL, MR, NR        name and tile
//   IN, OUT               element types of the rows and of the output
//   ACC, UNSIGNED_ACC     type of bias and accumulator, and the unsigned type in which sums wrap
//   LOAD(x), STORE(acc, multiplier, shift)   element -> operand, accumulator -> element; `args` is in scope
//
// Tile: MR x NR accumulators. Reads weights one depth (NR bytes) at a time. The loops over NR become vectors. A
// separate loop widens operands to int16 first: compilers know a widening vector multiply of int16, and baseline x86-64
// has none of int32.

void SYMBOL(const struct tvmq_gemm_args *args) {
  const ACC *const bias = args->panel;
  const void *const *rows = args->rows;
  const int32_t *row_terms = args->row_terms;
  char *out = args->out;
  for (size_t tile = 0; tile < args->row_tiles; tile++, row_terms += MR) {
    UNSIGNED_ACC acc[MR][NR];
    for (size_t m = 0; m < MR; m++) {
      for (size_t n = 0; n < NR; n++) acc[m][n] = (UNSIGNED_ACC)bias[n] + (UNSIGNED_ACC)row_terms[m];
    }
    const int8_t *weights = (const int8_t *)(bias + NR);
    for (size_t t = 0; t < args->n_taps; t++, rows += MR) {
      const IN *x[MR];
      for (size_t m = 0; m < MR; m++) x[m] = rows[m];
      for (size_t k = 0; k < args->k; k++, weights += NR) {
        int16_t w[NR];
        for (size_t n = 0; n < NR; n++) w[n] = weights[n];
        for (size_t m = 0; m < MR; m++) {
          const int16_t operand = LOAD(x[m][k]);
          for (size_t n = 0; n < NR; n++) acc[m][n] += (UNSIGNED_ACC)(operand * w[n]);
        }
      }
    }
    const int32_t *const multiplier = (const int32_t *)weights, *const shift = multiplier + NR;
    for (size_t m = 0; m < MR; m++, out += args->out_stride) {
      if (args->stage->sums) {
        memcpy(out, acc[m], sizeof acc[m]);
        continue;
      }
      for (size_t n = 0; n < NR; n++) ((OUT *)out)[n] = STORE((ACC)acc[m][n], multiplier[n], shift[n]);
    }
  }
}

#undef SYMBOL
#undef MR
#undef NR
#undef IN
#undef OUT
#undef ACC
#undef UNSIGNED_ACC
#undef LOAD
#undef STORE
