// GEMM on AMX: 32 rows x nr = 16 or 32 channels, 64 depths a step.
//
// Tile: two tiles of 16 rows by one or two of 16 channels. Reads: 64 bytes of each row; 16 groups of nr x 4 weights. k is a multiple of 64, there is one tap
// and the rows of a tile lie a constant distance apart (TVMQ_MATRIX_ROWS).
//
// Registers: tmm0-3 accumulators, 4 and 5 rows, 6 and 7 weights. Accumulators go through memory to the vector registers of the output stage, which a tile
// passes between the steps of the next one, so that both units are busy.
//
// Hazards: the configuration of the tiles belongs to the thread; a kernel sets it and gives the tiles back.
#include <immintrin.h>

#include "requant_avx512.h"

enum { ROWS = 32, TILE_ROWS = 16, STEP = 64, MAX_VECTORS = 2 };

struct accumulators {
  _Alignas(64) int32_t lanes[ROWS][MAX_VECTORS][16];
};

static void configure(void) {
  static const struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
  } config = {.palette = 1, .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
  _tile_loadconfig(&config);
}

TVMQ_INLINE void spill(struct accumulators *acc, int nv) {
  const size_t stride = sizeof acc->lanes[0];
  _tile_stored(0, acc->lanes[0][0], stride);
  _tile_stored(2, acc->lanes[TILE_ROWS][0], stride);
  if (nv == 1) return;
  _tile_stored(1, acc->lanes[0][1], stride);
  _tile_stored(3, acc->lanes[TILE_ROWS][1], stride);
}

// A tile on its way through the output stage, four vectors at a time.
struct pending {
  const struct tvmq_stage *stage;
  const int32_t *multiplier, *shift;
  struct tvmq_short_stage short_stage[MAX_VECTORS];
  const int32_t *row_terms;
  uint8_t *out;
  size_t out_stride;
  int row;  // the next
};

TVMQ_INLINE void store(struct pending *p, const struct accumulators *acc, int end, int nv, enum tvmq_path path) {
  const int store_rows = 4 / nv;
  for (; p->row < end; p->row += store_rows, p->out += (size_t)store_rows * p->out_stride) {
    __m512i value[4];
    UNROLL for (int i = 0; i < 4; i++) {
      const int row = p->row + i / nv, v = i % nv;
      const __m512i a = _mm512_add_epi32(_mm512_load_si512(acc->lanes[row][v]), _mm512_set1_epi32(p->row_terms[row]));
      value[i] = path != TVMQ_PATH_LONG ? tvmq_short_rescale(&p->short_stage[v], path, a)
                                        : tvmq_long_rescale(p->stage, a, _mm512_loadu_si512(p->multiplier + 16 * v), _mm512_loadu_si512(p->shift + 16 * v));
    }
    tvmq_store_rows(p->stage, value, nv, p->out, p->out_stride);
  }
}

// Sums of one tile into the accumulator registers, each row starting as the bias; between the steps, the pending tile passes through the output stage.
TVMQ_INLINE void multiply(const char *rows, size_t stride, size_t k, const char *weights, const int32_t (*bias)[16], struct pending *pending,
                          const struct accumulators *acc, int nv, enum tvmq_path path) {
  const size_t group = 64 * (size_t)nv;
  const int rows_per_step = (int)((ROWS / 4 + k / STEP - 1) / (k / STEP)) * 4;
  _tile_loadd(0, bias[0], 0);
  _tile_loadd(2, bias[0], 0);
  if (nv == 2) {
    _tile_loadd(1, bias[1], 0);
    _tile_loadd(3, bias[1], 0);
  }
  for (size_t i = 0; i < k; i += STEP, weights += STEP / 4 * group) {
    _tile_loadd(4, rows + i, stride);
    _tile_loadd(6, weights, group);
    _tile_dpbssd(0, 4, 6);
    _tile_loadd(5, rows + TILE_ROWS * stride + i, stride);
    _tile_dpbssd(2, 5, 6);
    if (nv == 2) {
      _tile_loadd(7, weights + 64, group);
      _tile_dpbssd(1, 4, 7);
      _tile_dpbssd(3, 5, 7);
    }
    const int end = pending->row + rows_per_step;
    store(pending, acc, end < ROWS ? end : ROWS, nv, path);
  }
}

TVMQ_INLINE void gemm(const struct tvmq_gemm_args *args, int nv, enum tvmq_path path) {
  const char *const panel = args->panel, *const weights = panel + 64 * (size_t)nv;
  const struct tvmq_stage stage = *args->stage;
  struct pending pending = {.stage = &stage, .row = ROWS, .out_stride = args->out_stride};
  pending.multiplier = (const int32_t *)(weights + args->k * 16 * (size_t)nv);
  pending.shift = pending.multiplier + 16 * nv;
  _Alignas(64) int32_t bias[MAX_VECTORS][16];
  UNROLL for (int v = 0; v < nv; v++) {
    const __m512i b = _mm512_loadu_si512(panel + 64 * v);
    _mm512_store_si512(bias[v], path == TVMQ_PATH_LONG ? b : tvmq_short_bias(b));
    if (path == TVMQ_PATH_LONG) continue;
    pending.short_stage[v] = tvmq_short_stage_make(&stage, path, _mm512_loadu_si512(pending.multiplier + 16 * v), _mm512_loadu_si512(pending.shift + 16 * v));
  }

  configure();
  struct accumulators acc;
  for (size_t tile = 0; tile < args->row_tiles; tile++) {
    const char *const *rows = (const char *const *)args->rows + tile * ROWS;
    multiply(rows[0], (size_t)(rows[1] - rows[0]), args->k, weights, bias, &pending, &acc, nv, path);
    spill(&acc, nv);
    pending.row = 0;
    pending.row_terms = args->row_terms + tile * ROWS;
    pending.out = (uint8_t *)args->out + tile * ROWS * args->out_stride;
  }
  store(&pending, &acc, ROWS, nv, path);
  _tile_release();
}

void tvmq_gemm_s8_32x32c4__amx(const struct tvmq_gemm_args *args) { TVMQ_FOR_PATH(args->stage, gemm, args, 2); }
void tvmq_gemm_s8_32x16c4__amx(const struct tvmq_gemm_args *args) { TVMQ_FOR_PATH(args->stage, gemm, args, 1); }
