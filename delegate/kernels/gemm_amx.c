// GEMM on AMX: 32 rows x nr = 16 or 32 channels, 64 depths a step.
//
// Tile: two tiles of 16 rows by one or two of 16 channels. Reads: 64 bytes of each row, a constant distance apart (TVMQ_MATRIX_ROWS); 16 groups of nr x 4
// weights. k is a multiple of 64. Rows are signed bytes, or unsigned ones (a_offset 128).
//
// Registers: tmm0-3 accumulators, 4 and 5 rows, 6 and 7 weights. Accumulators go through memory to the vector registers of the output stage, which a tile
// passes between the steps of the next one, so that both units are busy.
//
// Hazards: the configuration of the tiles belongs to the thread; a kernel sets it and gives the tiles back.
#include <immintrin.h>

#include "requant_avx512.h"

enum { ROWS = 32, TILE_ROWS = 16, STEP = 64, MAX_VECTORS = 2, STORED_VECTORS = 4, LINE = 64 };

static void configure(void) {
  static const struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
  } config = {.palette = 1, .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
  _tile_loadconfig(&config);
}

TVMQ_INLINE void load_bias(const int32_t (*bias)[16], int nv) {
  _tile_loadd(0, bias[0], 0);
  _tile_loadd(2, bias[0], 0);
  if (nv == 1) return;
  _tile_loadd(1, bias[1], 0);
  _tile_loadd(3, bias[1], 0);
}

// A macro, because registers of tiles are names to gcc.
#define DOT(ACC, ROW_TILE, WEIGHTS)         \
  do {                                      \
    if (is_unsigned)                        \
      _tile_dpbusd(ACC, ROW_TILE, WEIGHTS); \
    else                                    \
      _tile_dpbssd(ACC, ROW_TILE, WEIGHTS); \
  } while (0)

TVMQ_INLINE void step(const char *rows, size_t stride, const char *weights, int nv, bool is_unsigned) {
  _tile_loadd(4, rows, stride);
  _tile_loadd(6, weights, 64 * (size_t)nv);
  DOT(0, 4, 6);
  _tile_loadd(5, rows + TILE_ROWS * stride, stride);
  DOT(2, 5, 6);
  if (nv == 1) return;
  _tile_loadd(7, weights + 64, 64 * (size_t)nv);
  DOT(1, 4, 7);
  DOT(3, 5, 7);
}

TVMQ_INLINE void spill(int32_t (*acc)[16], int nv) {
  const size_t stride = 64 * (size_t)nv;
  _tile_stored(0, acc[0], stride);
  _tile_stored(2, acc[TILE_ROWS * nv], stride);
  if (nv == 1) return;
  _tile_stored(1, acc[1], stride);
  _tile_stored(3, acc[TILE_ROWS * nv + 1], stride);
}

// The output stage of a panel, and where the tile that waits for it stands.
struct output {
  const struct tvmq_stage *stage;
  const char *multiplier, *shift;
  struct tvmq_short_stage short_stage[MAX_VECTORS];
  size_t stride;
};

struct waiting {
  const int32_t (*acc)[16];
  const int32_t *row_terms;
  uint8_t *out;
  int left;  // stores
};

TVMQ_INLINE void store(const struct output *o, struct waiting *w, int most, int nv, enum tvmq_path path) {
  const int n = most < w->left ? most : w->left, rows = STORED_VECTORS / nv;
  w->left -= n;
  for (int s = 0; s < n; s++) {
    __m512i value[STORED_VECTORS];
    UNROLL for (int i = 0; i < STORED_VECTORS; i++) {
      const int v = i % nv;
      const __m512i a = _mm512_add_epi32(_mm512_load_si512(w->acc[i]), _mm512_set1_epi32(w->row_terms[i / nv]));
      value[i] = path != TVMQ_PATH_LONG ? tvmq_short_rescale(&o->short_stage[v], path, a)
                                        : tvmq_long_rescale(o->stage, a, _mm512_loadu_si512(o->multiplier + 64 * v), _mm512_loadu_si512(o->shift + 64 * v));
    }
    tvmq_store_rows(o->stage, value, nv, w->out, o->stride);
    w->acc += STORED_VECTORS;
    w->row_terms += rows;
    w->out += (size_t)rows * o->stride;
  }
}

TVMQ_INLINE void gemm(const struct tvmq_gemm_args *args, int nv, bool is_unsigned, enum tvmq_path path) {
  const size_t group = 64 * (size_t)nv, depth = args->n_taps * args->k;
  const char *const panel = args->panel, *const weights = panel + group;
  const struct tvmq_stage stage = *args->stage;
  struct output output = {.stage = &stage, .multiplier = weights + depth / 4 * group, .stride = args->out_stride};
  output.shift = output.multiplier + group;
  _Alignas(64) int32_t bias[MAX_VECTORS][16];
  UNROLL for (int v = 0; v < nv; v++) {
    const __m512i b = _mm512_loadu_si512(panel + 64 * v);
    _mm512_store_si512(bias[v], path == TVMQ_PATH_LONG ? b : tvmq_short_bias(b));
    if (path == TVMQ_PATH_LONG) continue;
    output.short_stage[v] = tvmq_short_stage_make(&stage, path, _mm512_loadu_si512(output.multiplier + 64 * v), _mm512_loadu_si512(output.shift + 64 * v));
  }

  const int stores = ROWS * nv / STORED_VECTORS, stores_per_step = (stores + (int)(depth / STEP) - 1) / (int)(depth / STEP);
  const size_t stride = args->row_stride, next_panel = (size_t)(output.shift + group - panel);
  _Alignas(64) int32_t acc[ROWS * MAX_VECTORS][16];
  struct waiting waiting = {.left = 0};
  configure();
  for (size_t tile = 0; tile < args->row_tiles; tile++) {
    const bool last = tile + 1 == args->row_tiles;
    const char *w = weights;
    load_bias(bias, nv);
    for (size_t t = 0; t < args->n_taps; t++) {
      const char *row = (const char *)args->rows[t] + tile * ROWS * stride, *const end = row + args->k;
      for (; row < end; row += STEP, w += STEP / 4 * group) {
        step(row, stride, w, nv, is_unsigned);
        // The next panel is on its way from the outer caches while this one is still multiplied.
        for (size_t i = 0; last && i < STEP / 4 * group; i += LINE) _mm_prefetch(w + next_panel + i, _MM_HINT_T1);
        store(&output, &waiting, stores_per_step, nv, path);
      }
    }
    spill(acc, nv);
    waiting =
        (struct waiting){.acc = acc, .row_terms = args->row_terms + tile * ROWS, .out = (uint8_t *)args->out + tile * ROWS * args->out_stride, .left = stores};
  }
  store(&output, &waiting, stores, nv, path);
  _tile_release();
}

void tvmq_gemm_s8_32x32c4__amx(const struct tvmq_gemm_args *args) { TVMQ_FOR_PATH(args->stage, gemm, args, 2, false); }
void tvmq_gemm_s8_32x16c4__amx(const struct tvmq_gemm_args *args) { TVMQ_FOR_PATH(args->stage, gemm, args, 1, false); }
void tvmq_gemm_s8_32x32c4u__amx(const struct tvmq_gemm_args *args) { TVMQ_FOR_PATH(args->stage, gemm, args, 2, true); }
void tvmq_gemm_s8_32x16c4u__amx(const struct tvmq_gemm_args *args) { TVMQ_FOR_PATH(args->stage, gemm, args, 1, true); }
