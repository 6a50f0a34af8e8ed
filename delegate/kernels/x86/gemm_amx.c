// GEMM on AMX: tiles of up to 16 rows x 16 channels, 64 depths a step; a panel has nr = 16, 32 or 64 channels.
//
// A quad is a group of four tiles, each with an accumulator: 4 x 1, 2 x 2 or 1 x 4 tiles of rows and of channels. Tiles
// of rows have about equal height; the last one shares rows with the previous one. Reads: 64 bytes of each row at a
// constant distance (TVMQ_MATRIX_ROWS); 16 groups of nr x 4 weights. k is a multiple of 64. Rows are signed bytes, or
// unsigned ones (a_offset 128).
//
// Registers: tmm0-3 accumulators, tmm4 rows, tmm5 and tmm6 weights. Reloading a register during products with its old
// content costs nothing, but using more register names does. The threads of a core share the physical registers. With
// all eight names in use, a thread waits two to three times as long while the other thread multiplies, too.
//
// Accumulators begin with zeros, because loading the bias would take as long as 64 depths. They pass through memory to
// the vector registers of the output stage. The output stage of a quad runs between the products of the next quad, a
// few vectors at a time, so that both units are busy. If all weights stay in the first-level cache, a group of quads
// computes all panels in turn before the next group begins. The group's rows must stay in that cache, too.
//
// Hazards: the tile configuration belongs to the thread; a kernel sets it and releases the tiles.
#include <immintrin.h>

#include "kernels/x86/store_avx512.h"

enum { TILE_ROWS = 16, ACCUMULATORS = 4, STEP = 64, MAX_VECTORS = 4, STORED_VECTORS = 4, LINE = 64, BLOCK_BYTES = 16 * 1024 };

static void configure(size_t rows) {
  struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
  } config = {.palette = 1, .row_bytes = {64, 64, 64, 64, 64, 64, 64}, .rows = {[5] = TILE_ROWS, [6] = TILE_ROWS}};
  for (int i = 0; i < 5; i++) config.rows[i] = (uint8_t)rows;
  __asm__ volatile("" : "+m"(config));  // gcc assumes that the intrinsic reads 8 bytes, and would drop the other stores
  _tile_loadconfig(&config);
}

// Inputs of all quads of a call.
struct call {
  const struct tvmq_gemm_args *args;
  struct tvmq_stage stage;  // copied, because the compiler must assume that stores change the original
  bool packs;               // the stage neither clamps nor flips
  bool is_plain;            // there are no row terms and no gaps
  size_t out_stride, gap, depth;
  size_t rows, tile_rows, tile_groups;  // rows of the call, rows per tile, and groups of STORED_VECTORS vectors per tile
  size_t quota;                         // groups that are stored at once
  size_t row_bytes;                     // bytes of a row of a panel's results
};

// A tile of rows: its first row, the byte offset of that row, the row's position in its line, and its output row.
struct place {
  size_t row, offset, in_line, out_row;
};

// A quad. Its accumulators are stored row by row, one tile of rows after the other.
struct quad {
  const char *panel;
  enum tvmq_path path;
  size_t n;  // number of tiles of rows; 0: there is no quad
  struct place tiles[ACCUMULATORS];
  uint8_t *out;  // the panel's results for row 0 of the call
  int32_t (*acc)[16];
};

// Inputs of a panel's output stage.
struct constants {
  const int32_t *multiplier, *shift;
  struct tvmq_short_stage short_stage[MAX_VECTORS];
  __m512i bias[MAX_VECTORS];
};

// Returns a panel's multipliers, which follow the biases and weights, and precede the shifts.
TVMQ_INLINE const int32_t *multipliers(const struct call *call, const char *panel, int nv) {
  return (const int32_t *)(panel + 64 * (size_t)nv * (1 + call->depth / 4));
}

TVMQ_INLINE struct constants load_constants(const struct call *call, const char *panel, int nv, enum tvmq_path path) {
  struct constants c = {.multiplier = multipliers(call, panel, nv)};
  c.shift = c.multiplier + 16 * nv;
  UNROLL for (int v = 0; v < nv; v++) {
    c.bias[v] = tvmq_short_bias(path, _mm512_loadu_si512(panel + 64 * v));
    if (path == TVMQ_PATH_LONG) continue;
    c.short_stage[v] = tvmq_short_stage_make(&call->stage, path, _mm512_loadu_si512(c.multiplier + 16 * v), _mm512_loadu_si512(c.shift + 16 * v));
  }
  return c;
}

// Prefetches the constants while the panel is multiplied: the output stage runs one quad later.
TVMQ_INLINE void prefetch_constants(const struct call *call, const char *panel, int nv) {
  const int32_t *const multiplier = multipliers(call, panel, nv), *const shift = multiplier + 16 * nv;
  UNROLL for (int v = 0; v < nv; v++) {
    _mm_prefetch(panel + 64 * v, _MM_HINT_T0);
    _mm_prefetch((const char *)(multiplier + 16 * v), _MM_HINT_T0);
    _mm_prefetch((const char *)(shift + 16 * v), _MM_HINT_T0);
  }
}

// Progress of the output stage of a quad.
struct storing {
  const struct quad *quad;
  const int32_t (*acc)[16];
  size_t left, tile, left_of_tile;  // groups left in the quad; the current tile, and groups left in it
  uint8_t *out;                     // where to store the next row
  size_t in_line;
  const int32_t *terms;
};

TVMQ_INLINE void begin_tile(const struct call *call, struct storing *s) {
  const struct place *const tile = &s->quad->tiles[s->tile];
  s->left_of_tile = call->tile_groups;
  s->out = s->quad->out + tile->out_row * call->out_stride;
  s->in_line = tile->in_line;
  s->terms = call->args->row_terms ? call->args->row_terms + tile->row : NULL;
}

TVMQ_INLINE struct storing begin_quad(const struct call *call, const struct quad *quad) {
  struct storing s = {.quad = quad, .acc = (const int32_t(*)[16])quad->acc, .left = quad->n * call->tile_groups};
  begin_tile(call, &s);
  return s;
}

// Returns where the next row is stored. A row of the gap is stored where the next line begins.
TVMQ_INLINE uint8_t *next_row(const struct call *call, struct storing *s) {
  uint8_t *const row = s->out;
  s->out += call->out_stride;
  if (++s->in_line == call->args->pitch) {
    s->in_line = 0;
    s->out -= call->gap * call->out_stride;
  }
  return row;
}

TVMQ_INLINE void store(const struct call *call, struct storing *s, const struct constants *c, size_t most, int nv, enum tvmq_path path) {
  const int n_rows = STORED_VECTORS / nv;
  size_t n = tvmq_min(most, s->left);
  for (s->left -= n; n > 0; n--) {
    __m512i value[STORED_VECTORS];
    UNROLL for (int i = 0; i < STORED_VECTORS; i++) value[i] = _mm512_add_epi32(c->bias[i % nv], _mm512_load_si512(s->acc[i]));
    uint8_t *rows[STORED_VECTORS];
    UNROLL for (int i = 0; i < n_rows; i++) rows[i] = s->out + (size_t)i * call->out_stride;
    if (call->is_plain) {
      s->out += (size_t)n_rows * call->out_stride;
    } else {
      UNROLL for (int i = 0; i < n_rows; i++) rows[i] = next_row(call, s);
      if (s->terms != NULL) {
        UNROLL for (int i = 0; i < STORED_VECTORS; i++) value[i] = _mm512_add_epi32(value[i], _mm512_set1_epi32(s->terms[i / nv]));
        s->terms += n_rows;
      }
    }
    UNROLL for (int i = 0; i < STORED_VECTORS; i++) {
      const int v = i % nv;
      value[i] = path != TVMQ_PATH_LONG
                     ? tvmq_short_rescale(&c->short_stage[v], path, value[i])
                     : tvmq_long_rescale(&call->stage, value[i], _mm512_loadu_si512(c->multiplier + 16 * v), _mm512_loadu_si512(c->shift + 16 * v));
    }
    if (call->packs)
      tvmq_store_at(&(struct tvmq_stage){.zero_point = call->stage.zero_point, .min = INT8_MIN, .max = INT8_MAX}, path, value, nv, rows);
    else
      tvmq_store_at(&call->stage, path, value, nv, rows);
    s->acc += STORED_VECTORS;
    if (--s->left_of_tile > 0 || s->tile + 1 == s->quad->n) continue;
    s->tile++;
    begin_tile(call, s);
  }
}

// Macros, because gcc requires constant names of tile registers.
#define PRODUCT(ACC, WEIGHTS)        \
  do {                               \
    if (is_unsigned)                 \
      _tile_dpbusd(ACC, 4, WEIGHTS); \
    else                             \
      _tile_dpbssd(ACC, 4, WEIGHTS); \
  } while (0)
#define ROWS(TILE) _tile_loadd(4, rows + quad->tiles[TILE].offset, stride)
#define WEIGHTS(REGISTER, VECTOR) _tile_loadd(REGISTER, weights + 64 * (VECTOR), group)
#define STORE() store(call, &storing, &constants, call->quota, nv, path)
// Stores the accumulator of the tile of rows ACC / nv, if the quad has this tile.
#define SPILL(ACC)                                                                                                                        \
  do {                                                                                                                                    \
    if ((int)quad->n > (ACC) / nv) _tile_stored(ACC, quad->acc[(ACC) / nv * call->tile_rows * (size_t)nv + (size_t)((ACC) % nv)], group); \
  } while (0)

// Multiplies a quad during the output stage of the previous one. Prefetches some of the next panel from the outer
// caches: every second line of weights, with which the processor fetches the following line. The lines are `ahead_by`
// bytes apart, from `ahead` on.
TVMQ_INLINE void multiply(const struct call *call, const struct quad *quad, const struct quad *last, size_t ahead, size_t ahead_by, bool is_unsigned, int nv,
                          enum tvmq_path path) {
  const struct tvmq_gemm_args *const args = call->args;
  const size_t group = 64 * (size_t)nv, step_bytes = STEP / 4 * group, stride = args->row_stride;
  const struct constants constants = load_constants(call, last->panel, nv, path);
  struct storing storing = begin_quad(call, last);
  const char *weights = quad->panel + group;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (size_t t = 0; t < args->n_taps; t++) {
    const char *rows = args->rows[t];
    for (const char *const end = rows + args->k; rows < end; rows += STEP, weights += step_bytes) {
      for (size_t i = ahead; i < step_bytes; i += ahead_by) _mm_prefetch(weights + args->panel_bytes + i, _MM_HINT_T1);
      ROWS(0);
      WEIGHTS(5, 0);
      PRODUCT(0, 5);
      if (nv == 4) {
        WEIGHTS(5, 1);
        PRODUCT(1, 5);
      } else if (nv == 2) {
        WEIGHTS(6, 1);
        PRODUCT(1, 6);
      } else if (quad->n > 1) {
        ROWS(1);
        PRODUCT(1, 5);
      }
      STORE();
      if (nv == 4) {
        WEIGHTS(5, 2);
        PRODUCT(2, 5);
        WEIGHTS(5, 3);
        PRODUCT(3, 5);
      } else if (nv == 2 && quad->n > 1) {
        ROWS(1);
        PRODUCT(2, 5);
        PRODUCT(3, 6);
      } else if (nv == 1 && quad->n > 2) {
        ROWS(2);
        PRODUCT(2, 5);
        if (quad->n > 3) {
          ROWS(3);
          PRODUCT(3, 5);
        }
      }
      STORE();
    }
  }
  SPILL(0);
  SPILL(1);
  SPILL(2);
  SPILL(3);
}

TVMQ_INLINE void store_quad(const struct call *call, const struct quad *quad, int nv, enum tvmq_path path) {
  const struct constants constants = load_constants(call, quad->panel, nv, path);
  struct storing storing = begin_quad(call, quad);
  store(call, &storing, &constants, storing.left, nv, path);
}

// Returns the tile after `at`; the last tile ends with the last row.
TVMQ_INLINE struct place next_place(const struct call *call, struct place at) {
  const size_t pitch = call->args->pitch, last = call->rows - call->tile_rows, row = tvmq_min(at.row + call->tile_rows, last);
  struct place next = {.row = row, .offset = row * call->args->row_stride, .out_row = row};
  if (call->gap == 0) return next;
  if (row == last) {
    next.in_line = row % pitch;
    next.out_row = row - row / pitch * call->gap;
    return next;
  }
  next.out_row = at.out_row + call->tile_rows;
  for (next.in_line = at.in_line + call->tile_rows; next.in_line >= pitch; next.in_line -= pitch) next.out_row -= call->gap;
  return next;
}

TVMQ_INLINE struct call begin_call(const struct tvmq_gemm_args *args, int nv) {
  const size_t quad_tiles = ACCUMULATORS / (size_t)nv, rows = args->row_tiles * TILE_ROWS - args->overlap, depth = args->n_taps * args->k;
  const size_t tile_rows = tvmq_round_up(tvmq_ceil_div(rows, args->row_tiles), quad_tiles), tile_groups = tile_rows / quad_tiles;
  return (struct call){
      .args = args,
      .stage = *args->stage,
      .packs = args->stage->min == INT8_MIN && args->stage->max == INT8_MAX && args->stage->flip == 0,
      .is_plain = args->row_terms == NULL && (args->pitch == 0 || args->pitch == args->line_rows),
      .out_stride = args->out_stride,
      .gap = args->pitch > 0 ? args->pitch - args->line_rows : 0,
      .depth = depth,
      .rows = rows,
      .tile_rows = tile_rows,
      .tile_groups = tile_groups,
      .quota = tvmq_ceil_div(quad_tiles * tile_groups, 2 * depth / STEP),
      .row_bytes = 16 * (size_t)nv * tvmq_stored_bytes(args->stage),
  };
}

// Returns the number of tiles that are multiplied by all panels in turn before the next tiles.
TVMQ_INLINE size_t block_tiles(const struct call *call, size_t quad_tiles) {
  const struct tvmq_gemm_args *const args = call->args;
  if (args->n_panels * args->panel_bytes > BLOCK_BYTES) return args->row_tiles;
  const size_t tile_bytes = call->tile_rows * (args->row_stride + args->n_panels * call->row_bytes);
  return tvmq_max(BLOCK_BYTES / tile_bytes / quad_tiles, 1) * quad_tiles;
}

TVMQ_INLINE void gemm(const struct tvmq_gemm_args *args, int nv, bool is_unsigned) {
  const size_t quad_tiles = ACCUMULATORS / (size_t)nv;
  const struct call held = begin_call(args, nv), *const call = &held;
  const size_t most = block_tiles(call, quad_tiles);
  const char *const panels = args->panel;
  _Alignas(64) int32_t acc[TILE_ROWS * ACCUMULATORS][16];
  // The first quad follows a quad without tiles.
  const enum tvmq_path first_path = tvmq_panel_path(&call->stage, multipliers(call, panels, nv));
  struct quad quads[2] = {{.panel = panels, .path = first_path, .out = args->out, .acc = acc}, {.acc = acc}}, *last = &quads[0], *now = &quads[1];
  struct place begin = {0}, end = begin;
  configure(call->tile_rows);
  for (size_t done = 0; done < args->row_tiles; done += most, begin = end) {
    const size_t n = tvmq_min(args->row_tiles - done, most), ahead_by = tvmq_ceil_div(n, quad_tiles) * 2 * LINE;
    for (size_t p = 0; p < args->n_panels; p++) {
      size_t ahead = done == 0 ? 0 : SIZE_MAX;
      prefetch_constants(call, panels + p * args->panel_bytes, nv);
      end = begin;
      for (size_t tile = 0; tile < n; tile += quad_tiles) {
        now->panel = panels + p * args->panel_bytes;
        now->path = tvmq_panel_path(&call->stage, multipliers(call, now->panel, nv));
        now->out = (uint8_t *)args->out + p * call->row_bytes;
        now->n = tvmq_min(quad_tiles, n - tile);
        for (size_t i = 0; i < now->n; i++, end = next_place(call, end)) now->tiles[i] = end;
        TVMQ_FOR_PATH_OR_SUMS(last->path, multiply, call, now, last, ahead, ahead_by, is_unsigned, nv);
        if (done == 0) ahead += 2 * LINE;
        struct quad *const stored = last;
        last = now;
        now = stored;
      }
    }
  }
  TVMQ_FOR_PATH_OR_SUMS(last->path, store_quad, call, last, nv);
  _tile_release();
}

void tvmq_gemm_s8_16x64c4__amx(const struct tvmq_gemm_args *args) { gemm(args, 4, false); }
void tvmq_gemm_s8_16x32c4__amx(const struct tvmq_gemm_args *args) { gemm(args, 2, false); }
void tvmq_gemm_s8_16x16c4__amx(const struct tvmq_gemm_args *args) { gemm(args, 1, false); }
void tvmq_gemm_s8_16x64c4u__amx(const struct tvmq_gemm_args *args) { gemm(args, 4, true); }
void tvmq_gemm_s8_16x32c4u__amx(const struct tvmq_gemm_args *args) { gemm(args, 2, true); }
void tvmq_gemm_s8_16x16c4u__amx(const struct tvmq_gemm_args *args) { gemm(args, 1, true); }
