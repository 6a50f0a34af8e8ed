#include "cpu/ops/moves/move.h"

#define MOVE_ROWS(N) \
  for (size_t i = 0; i < rows; i++, out += out_stride, in += in_stride) memcpy(out, in, N)

void tvmq_move_rows(uint8_t *restrict out, ptrdiff_t out_stride, const uint8_t *restrict in, ptrdiff_t in_stride, size_t n, size_t rows) {
  switch (n) {
    case 1:
      MOVE_ROWS(1);
      break;
    case 2:
      MOVE_ROWS(2);
      break;
    case 4:
      MOVE_ROWS(4);
      break;
    case 8:
      MOVE_ROWS(8);
      break;
    case 16:
      MOVE_ROWS(16);
      break;
    case 32:
      MOVE_ROWS(32);
      break;
    case 64:
      MOVE_ROWS(64);
      break;
    default:
      for (size_t i = 0; i < rows; i++, out += out_stride, in += in_stride) tvmq_move(out, in, n);
  }
}
