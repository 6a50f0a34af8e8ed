#include "cpu/ops/depthwise/depthwise_rows.h"

#include "base/arith.h"
#include "cpu/ops/pixels.h"

// Computes an output of one column with a filter of one column: whole tiles of rows are passed to the kernel as
// adjacent columns. Advances `args`; sets `*n` to the number of rows that remain.
static void run_column(const struct tvmq_variant *variant, struct tvmq_depthwise_args *args, size_t *n) {
  const size_t mr = variant->mr, rest = *n % mr == 0 ? 0 : mr;
  struct tvmq_depthwise_args tiles = *args;
  tiles.n_rows = mr;
  tiles.n_cols = *n / mr;
  tiles.stride_w = mr * args->stride_h * args->pixels_stride;
  tiles.out_col_stride = mr * args->out_row_stride;
  variant->fn.depthwise(&tiles);
  args->pixels += (*n - rest) * args->stride_h * args->pixels_stride;
  args->out = (uint8_t *)args->out + (*n - rest) * args->out_row_stride;
  *n = rest;
}

// Computes every tile of every block into `tile`, and copies the part that is in the output.
static void run_overhanging(const struct tvmq_variant *variant, const struct tvmq_depthwise_args *call, size_t n, size_t copied, size_t block_bytes,
                            uint8_t *tile) {
  const size_t mr = variant->mr, n_blocks = call->n_blocks, pixel = call->out_col_stride, line = call->out_row_stride;
  const void *const *const pixels = call->pixels;
  uint8_t *out = call->out;
  struct tvmq_depthwise_args args = *call;
  args.n_rows = mr;
  args.n_blocks = 1;
  args.out = tile;
  args.out_col_stride = block_bytes;
  args.out_row_stride = args.n_cols * block_bytes;
  for (size_t b = 0; b < n_blocks; b++) {
    for (size_t y = 0; y < n; y = tvmq_next_tile(y, mr, n)) {
      args.pixels = pixels + y * args.stride_h * args.pixels_stride;
      variant->fn.depthwise(&args);
      const uint8_t *from = tile;
      for (size_t row = y; row < tvmq_min(y + mr, n); row++) {
        for (size_t x = 0; x < args.n_cols; x++, from += block_bytes) tvmq_copy_pixel(out + row * line + x * pixel, from, copied);
      }
    }
    out += block_bytes;
    args.channel_offset += block_bytes / tvmq_stored_bytes(args.stage);
    args.panel = (const uint8_t *)args.panel + args.panel_bytes;
  }
}

void tvmq_depthwise_rows(const struct tvmq_variant *variant, struct tvmq_depthwise_args *args, size_t n, size_t channels, size_t bytes, uint8_t *tile) {
  const size_t nr = variant->layout.nr;
  if (n < variant->mr || channels < nr) {
    run_overhanging(variant, args, n, channels * bytes, nr * bytes, tile);
    return;
  }
  if (args->n_cols == 1 && args->filter_w == 1 && n > variant->mr) run_column(variant, args, &n);
  args->n_rows = n;
  if (n > 0) variant->fn.depthwise(args);
}
