// GEMM on AMX: up to 16 rows x nr = 16, 32 or 64 channels, 64 depths a step.
//
// Tile: as many rows as make all tiles of a call about equal, by one, two or four tiles of 16 channels. With one or two of these, two tiles of rows at a time
// while there are as many, for which weights are loaded once. Reads: 64 bytes of each row, a constant distance apart (TVMQ_MATRIX_ROWS); 16 groups of nr x 4
// weights. k is a multiple of 64. Rows are signed bytes, or unsigned ones (a_offset 128).
//
// Registers: tmm0-3 accumulators, 4 rows, 5-7 weights: that a register is loaded while the products of its last content are under way costs nothing. A step
// takes 16 cycles for each of its products, that of a single tile of 16 or 32 channels some more. Accumulators begin with zeros, because to load the bias would
// take as long as 64 depths; they go through memory to the vector registers of the output stage, which tiles pass between the steps of the next ones, so that
// both units are busy.
//
// Hazards: the configuration of the tiles belongs to the thread; a kernel sets it and gives the tiles back.
#include <immintrin.h>

#include "kernels/stage_avx512.h"

enum { TILE_ROWS = 16, ACCUMULATORS = 4, STEP = 64, MAX_VECTORS = 4, STORED_VECTORS = 4, LINE = 64 };

static void configure(size_t rows) {
  struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
  } config = {.palette = 1, .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {[5] = TILE_ROWS, [6] = TILE_ROWS, [7] = TILE_ROWS}};
  for (int i = 0; i < 5; i++) config.rows[i] = (uint8_t)rows;
  __asm__ volatile("ldtilecfg %0" ::"m"(config));  // gcc's intrinsic reads 8 bytes as far as the compiler knows, which then drops the others
}

TVMQ_INLINE void clear(void) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

// A macro, because registers of tiles are names to gcc.
#define DOT(ACC, ROW_TILE, WEIGHTS)         \
  do {                                      \
    if (is_unsigned)                        \
      _tile_dpbusd(ACC, ROW_TILE, WEIGHTS); \
    else                                    \
      _tile_dpbssd(ACC, ROW_TILE, WEIGHTS); \
  } while (0)

// One step of `n` tiles, the second one's rows from `next_rows` on.
TVMQ_INLINE void step(const char *rows, const char *next_rows, size_t stride, const char *weights, size_t n, int nv, bool is_unsigned) {
  const size_t group = 64 * (size_t)nv;
  _tile_loadd(4, rows, stride);
  _tile_loadd(5, weights, group);
  DOT(0, 4, 5);
  if (nv > 1) {
    _tile_loadd(6, weights + 64, group);
    DOT(1, 4, 6);
  }
  if (nv > 2) {
    _tile_loadd(7, weights + 128, group);
    DOT(2, 4, 7);
    _tile_loadd(5, weights + 192, group);
    DOT(3, 4, 5);
  } else if (n > 1) {
    _tile_loadd(4, next_rows, stride);
    DOT(2, 4, 5);
    if (nv > 1) DOT(3, 4, 6);
  }
}

// Accumulators lie row by row, those of the second tile behind the first one's.
TVMQ_INLINE void spill(int32_t (*acc)[16], size_t tile_rows, size_t n, int nv) {
  const size_t stride = 64 * (size_t)nv;
  int32_t(*const next)[16] = nv > 2 ? acc + 2 : acc + tile_rows * (size_t)nv;
  _tile_stored(0, acc[0], stride);
  if (nv > 1) _tile_stored(1, acc[1], stride);
  if (nv <= 2 && n == 1) return;
  _tile_stored(2, next[0], stride);
  if (nv > 1) _tile_stored(3, next[1], stride);
}

// The inputs of a panel's output stage.
struct panel {
  enum tvmq_path path;
  const char *weights, *multiplier, *shift;
  struct tvmq_short_stage short_stage[MAX_VECTORS];
  __m512i bias[MAX_VECTORS];
};

// Tiles whose accumulators wait for their output stage.
struct waiting {
  const struct panel *panel;
  const int32_t (*acc)[16];
  const int32_t *row_terms;  // NULL: there are none
  uint8_t *out;
  int left;  // stores
};

TVMQ_INLINE void load_stage(struct panel *p, const char *bias, const struct tvmq_stage *stage, int nv, enum tvmq_path path) {
  UNROLL for (int v = 0; v < nv; v++) {
    p->bias[v] = tvmq_short_bias(path, _mm512_loadu_si512(bias + 64 * v));
    if (path == TVMQ_PATH_LONG) continue;
    p->short_stage[v] = tvmq_short_stage_make(stage, path, _mm512_loadu_si512(p->multiplier + 64 * v), _mm512_loadu_si512(p->shift + 64 * v));
  }
}

TVMQ_INLINE void load_panel(struct panel *p, const char *bytes, size_t depth, const struct tvmq_stage *stage, int nv) {
  const size_t group = 64 * (size_t)nv;
  p->weights = bytes + group;
  p->multiplier = p->weights + depth / 4 * group;
  p->shift = p->multiplier + group;
  p->path = tvmq_panel_path(stage, (const int32_t *)p->multiplier);
  TVMQ_FOR_PATH_OR_SUMS(p->path, load_stage, p, bytes, stage, nv);
}

TVMQ_INLINE void store_path(struct waiting *waiting, int n, const struct tvmq_stage *stage, size_t out_stride, int nv, enum tvmq_path path) {
  struct waiting w = *waiting;  // copies, which no stored byte can be part of
  const struct panel panel = *w.panel;
  const int rows = STORED_VECTORS / nv;
  for (int s = 0; s < n; s++) {
    __m512i value[STORED_VECTORS];
    UNROLL for (int i = 0; i < STORED_VECTORS; i++) {
      const int v = i % nv;
      __m512i a = _mm512_add_epi32(panel.bias[v], _mm512_load_si512(w.acc[i]));
      if (w.row_terms) a = _mm512_add_epi32(a, _mm512_set1_epi32(w.row_terms[i / nv]));
      value[i] = path != TVMQ_PATH_LONG ? tvmq_short_rescale(&panel.short_stage[v], path, a)
                                        : tvmq_long_rescale(stage, a, _mm512_loadu_si512(panel.multiplier + 64 * v), _mm512_loadu_si512(panel.shift + 64 * v));
    }
    tvmq_store_rows(stage, path, value, nv, w.out, out_stride);
    w.acc += STORED_VECTORS;
    if (w.row_terms) w.row_terms += rows;
    w.out += (size_t)rows * out_stride;
  }
  w.left -= n;
  *waiting = w;
}

TVMQ_INLINE void store(struct waiting *w, int most, const struct tvmq_stage *stage, size_t out_stride, int nv) {
  const int n = most < w->left ? most : w->left;
  if (n > 0) TVMQ_FOR_PATH_OR_SUMS(w->panel->path, store_path, w, n, stage, out_stride, nv);
}

TVMQ_INLINE void gemm(const struct tvmq_gemm_args *args, int nv, bool is_unsigned) {
  const size_t group = 64 * (size_t)nv, stride = args->row_stride, out_stride = args->out_stride, depth = args->n_taps * args->k;
  const size_t panel_bytes = 16 * (size_t)nv * tvmq_stored_bytes(args->stage);
  const size_t n_steps = depth / STEP, n_rows = args->row_tiles * TILE_ROWS - args->overlap, most_tiles = nv > 2 ? 1 : 2;
  const size_t tile_rows = tvmq_round_up(tvmq_ceil_div(n_rows, args->row_tiles), STORED_VECTORS / (size_t)nv),
               turns = tvmq_ceil_div(args->row_tiles, most_tiles);
  const struct tvmq_stage stage = *args->stage;
  const int tile_stores = (int)tile_rows * nv / STORED_VECTORS, stores_per_step = (int)tvmq_ceil_div((size_t)tile_stores * most_tiles, n_steps);
  _Alignas(64) int32_t acc[TILE_ROWS * ACCUMULATORS][16];
  struct panel panels[2];  // one is multiplied, the last tiles of the other may still wait
  struct waiting waiting = {.left = 0};
  configure(tile_rows);
  for (size_t p = 0; p < args->n_panels; p++) {
    struct panel *const panel = &panels[p % 2];
    load_panel(panel, (const char *)args->panel + p * args->panel_bytes, depth, &stage, nv);
    for (size_t done = 0, turn = 0; done < n_rows; turn++) {
      const size_t n = n_rows - done > tile_rows && n_rows >= most_tiles * tile_rows ? most_tiles : 1, first = tvmq_min(done, n_rows - n * tile_rows);
      const char *w = panel->weights;
      clear();
      for (size_t t = 0; t < args->n_taps; t++) {
        const char *row = (const char *)args->rows[t] + first * stride, *const end = row + args->k;
        for (; row < end; row += STEP, w += STEP / 4 * group) {
          step(row, row + tile_rows * stride, stride, w, n, nv, is_unsigned);
          // The next panel is on its way from the outer caches while this one is still multiplied: each turn brings its part, two lines at a time.
          for (size_t i = turn * 2 * LINE; i < STEP / 4 * group; i += turns * 2 * LINE) _mm_prefetch(w + args->panel_bytes + i, _MM_HINT_T1);
          store(&waiting, stores_per_step, &stage, out_stride, nv);
        }
      }
      spill(acc, tile_rows, n, nv);
      waiting = (struct waiting){
          .panel = panel,
          .acc = acc,
          .row_terms = args->row_terms ? args->row_terms + first : NULL,
          .out = (uint8_t *)args->out + first * out_stride + p * panel_bytes,
          .left = (int)n * tile_stores,
      };
      done = first + n * tile_rows;
    }
  }
  store(&waiting, waiting.left, &stage, out_stride, nv);
  _tile_release();
}

void tvmq_gemm_s8_16x64c4__amx(const struct tvmq_gemm_args *args) { gemm(args, 4, false); }
void tvmq_gemm_s8_16x32c4__amx(const struct tvmq_gemm_args *args) { gemm(args, 2, false); }
void tvmq_gemm_s8_16x16c4__amx(const struct tvmq_gemm_args *args) { gemm(args, 1, false); }
void tvmq_gemm_s8_16x64c4u__amx(const struct tvmq_gemm_args *args) { gemm(args, 4, true); }
void tvmq_gemm_s8_16x32c4u__amx(const struct tvmq_gemm_args *args) { gemm(args, 2, true); }
void tvmq_gemm_s8_16x16c4u__amx(const struct tvmq_gemm_args *args) { gemm(args, 1, true); }
