// The contract of a kernel: one function type and one argument struct per family, and the struct that a row of variants.def becomes.
//
// Conventions shared by all families
// - Eight-bit tensors are handled as int8. A uint8 tensor is the same bytes xor 0x80 with its zero point lowered by 128: `in_flip` and `stage->flip` hold that
//   0x80 or 0. A kernel whose operand is unsigned (layout a_offset = 128) works on value + 128; its caller turns in_flip around, and fold.c repays the offset.
// - Accumulators wrap, as the reference's do: int32, or int64 where the layout's acc_bytes is 8 (16x8).
// - Nothing is read outside the rows, pixels and panels given; nothing is written outside the output named in the contract.
// - Kernels allocate nothing, lock nothing and keep no state.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arith.h"
#include "base/types.h"
#include "cpu/cpu_bits.h"
#include "kernels/arg_max.h"
#include "kernels/byte_map.h"
#include "kernels/floats.h"
#include "kernels/hybrid.h"
#include "kernels/inline.h"
#include "kernels/interpolate.h"
#include "kernels/line.h"
#include "kernels/mean.h"
#include "kernels/plane.h"
#include "kernels/softmax.h"
#include "kernels/winograd.h"
#include "packing/layout.h"

// How a product x * multiplier * 2^shift is rounded; the formulas are in stage.h.
enum tvmq_rounding { TVMQ_ROUNDING_REFERENCE, TVMQ_ROUNDING_UPWARD, TVMQ_ROUNDING_SINGLE };

// The output stage: accumulator -> int8 (or int16). Per channel multiplier and shift lie in the panel; what is said of them leaves out panels in other
// forms.
struct tvmq_stage {
  enum tvmq_rounding rounding;
  bool right_shifts;   // every shift of the op is <= -1: the short path of a vector epilogue
  bool headroom;       // every accumulator is proven within +-2^30, every shift is >= -22 and the zero point fits int8: rounding and zero point may be added
                       // before a right shift
  bool fits_int16;     // every requantized value + zero point, unclamped, as int8 and as stored, is proven to fit int16: narrowing need not saturate
  uint8_t flip;        // xor on the stored byte: 0x80 for a uint8 output
  int32_t zero_point;  // of the output as int8 (or int16)
  int32_t min, max;    // clamp of the output as int8 (or int16), zero point included
  bool sums;           // none of the above: accumulators are stored as they are, int32 (TVMQ_SUMS)
};
TVMQ_INLINE size_t tvmq_stored_bytes(const struct tvmq_stage *stage) { return stage->sums ? sizeof(int32_t) : 1; }  // of kernels on bytes

// ---- gemm: out[m][n] = requantize(bias[n] + row_terms[m] + sum over taps t and depths k of rows[t][m][k] * weights[t][k][n])
//
// One call computes row_tiles * mr rows of one panel of nr channels. Tile i reads the pointers rows[i * n_taps * mr + t * mr + r], r < mr, each to k elements.
// A caller with fewer rows repeats the last valid pointer; it gives `out` room for all row_tiles * mr rows of nr elements.
//
// Kernels with TVMQ_MATRIX_ROWS read a pointer a tap: rows[t] is the first of row_tiles * mr rows, row_stride bytes apart, less those that the last tile shares
// with the one before. Their in_flip is 0. They compute n_panels panels, each nr channels behind the last.
//
// Those with TVMQ_LINES flip, and compute n_lines times as many: a line lies line_stride bytes behind the last, its row terms follow, its output lies
// out_line_stride bytes behind.
//
// Those with TVMQ_GAPS take rows in lines of pitch rows, the first line_rows of which are wanted: row m is stored at row m - m / pitch * (pitch - line_rows) of
// the output. A row between lines may be stored there too, where the next line's row m + pitch - line_rows goes later. No gap is longer than a line. What tiles
// compute beyond the last wanted row may be stored behind it, where `out` has room.
//
// Kernels with TVMQ_ZIPPED_ROWS, whose tiles have eight rows, read a tile at its first pointer, rows[i * n_taps * mr]: eight depths of each row, then the next
// eight, from tap to tap. The other pointers are not looked at. Their in_flip is 0.
struct tvmq_gemm_args {
  const void *const *rows;
  size_t row_stride;  // TVMQ_MATRIX_ROWS: bytes from a row to the next
  size_t row_tiles, n_taps;
  size_t overlap;  // TVMQ_MATRIX_ROWS: rows that the last tile shares with the one before, less than mr; 0 for a single tile
  size_t k;        // elements per tap, a multiple of the layout's ku
  const void *panel;
  size_t wanted;                                 // TVMQ_NARROW: so many channels of the last panel, from 1 to nr, are computed and stored
  size_t n_panels, panel_bytes;                  // TVMQ_MATRIX_ROWS: panels to compute, and bytes from one to the next
  size_t n_lines, line_stride, out_line_stride;  // TVMQ_LINES
  size_t pitch, line_rows;                       // TVMQ_GAPS; a pitch of 0: all rows are wanted
  bool panel_follows;                            // another panel lies behind this one, and will be wanted next: it may be fetched ahead
  const int32_t *row_terms;  // [rows]: what a filter zero point owes for the row, else zeros; in 16x8 less than 2^23 in size. TVMQ_MATRIX_ROWS
                             // takes NULL for zeros
  bool no_row_terms;         // all of them are zero, and need not be read
  void *out;
  size_t out_stride;  // bytes between output rows
  uint8_t in_flip;    // xor on each input byte
  const struct tvmq_stage *stage;
};
typedef void (*tvmq_gemm_fn)(const struct tvmq_gemm_args *args);

// ---- row sums: terms[m] = factor * (sum over taps t and bytes i of (rows[..][i] ^ mask) - offset), modulo 2^32, bytes unsigned
//
// The term that a filter zero point adds to each row of a gemm. `rows` is the gemm's table for tiles of mr rows; n <= row_tiles * mr rows are summed.
struct tvmq_row_sums_args {
  const void *const *rows;
  size_t n, mr, n_taps;
  size_t k;      // bytes per tap, any number
  uint8_t mask;  // xor on each byte: 0, or 0x80
  int32_t offset, factor;
  int32_t *terms;  // [n]
};
typedef void (*tvmq_row_sums_fn)(const struct tvmq_row_sums_args *args);

// ---- depthwise: out[y][x][c] = requantize(bias[c] + sum over ky, kx of pixels[y * stride_h + ky][x * stride_w + kx][c] * weights[ky][kx][c])
//
// One call computes n_rows output rows of n_cols pixels for n_blocks blocks of nr channels, side by side, some rows perhaps twice: tiles of mr rows may
// overlap. `pixels` is a table of pointers to channel 0 of each input pixel, row by row (the caller builds it for a strip of output rows); padding pixels point
// at a vector of zero points. A kernel reads nr channels of each pixel and writes nr of each output pixel: a caller with fewer copies the block aside.
struct tvmq_depthwise_args {
  const void *const *pixels;  // output pixel (y, x) reads [(y * stride_h + ky) * pixels_stride + x * stride_w + kx]; a column may lie behind whole rows
  size_t pixels_stride;       // pointers between table rows
  size_t channel_offset;      // bytes from each pixel pointer to the first channel
  size_t n_rows, n_cols;      // n_rows >= mr
  size_t filter_h, filter_w, stride_h, stride_w;
  int32_t filter_zero_point;  // kr = 1 and int8 weights: times the sum of the window's pixels, subtracted
  size_t n_planes;            // vertical layouts: planes of weights, all for the same pixels
  size_t n_blocks;
  const void *panel;   // of the first block
  size_t panel_bytes;  // to the next one
  void *out;
  size_t out_col_stride, out_row_stride;  // bytes
  uint8_t in_flip;
  const struct tvmq_stage *stage;
};
typedef void (*tvmq_depthwise_fn)(const struct tvmq_depthwise_args *args);

// Kernels compute a call's tiles one after the other: row 0, the rows that this returns, until it returns n_rows. The last tile may overlap the one before.
static inline size_t tvmq_next_tile(size_t row, size_t mr, size_t n_rows) {
  const size_t next = row + mr;
  return next >= n_rows || next + mr <= n_rows ? next : n_rows - mr;
}

// Computes a call with a function for one tile of one block, of `block_bytes` bytes of a pixel.
TVMQ_INLINE void tvmq_depthwise_tiles(const struct tvmq_depthwise_args *args, size_t mr, size_t block_bytes, tvmq_depthwise_fn compute) {
  struct tvmq_depthwise_args tile = *args;
  tile.n_rows = mr;
  tile.n_blocks = 1;
  for (size_t block = 0; block < args->n_blocks; block++) {
    for (size_t row = 0; row < args->n_rows; row = tvmq_next_tile(row, mr, args->n_rows)) {
      tile.pixels = args->pixels + row * args->stride_h * args->pixels_stride;
      tile.out = (char *)args->out + block * block_bytes * tvmq_stored_bytes(args->stage) + row * args->out_row_stride;
      compute(&tile);
    }
    tile.channel_offset += block_bytes;
    tile.panel = (const char *)tile.panel + args->panel_bytes;
  }
}

// ---- quantize: out[i] = clamp(rescale(in[i] - in_zero_point) + out_zero_point), or affine quantization of float32
//
// Types are those of the variant's name; zero points are the tensors' own. The tensors do not overlap. From bytes to bytes the caller has computed what each of
// the 256 becomes, and says how a kernel gets there without a table; the rest is not looked at. Where there is no such way, byte_map does it.
enum tvmq_byte_rule {
  TVMQ_BYTES_FLIP,  // byte ^ flip
  TVMQ_BYTES_LINE   // line.h; a uint8 tensor is read and written as int8 by byte ^ 0x80
};

struct tvmq_quantize_args {
  const void *in;
  void *out;
  size_t n;
  const struct tvmq_byte_map *map;  // whatever the rule
  enum tvmq_byte_rule rule;
  uint8_t flip;
  struct tvmq_line line;
  enum tvmq_rounding rounding;
  int32_t multiplier, shift;  // Q31, >0 left, <=0 right
  float scale;                // float32 input: the output's scale; 0: the value is in * inverse, and the rest is 0
  float inverse, rest;        // fma(in, inverse, in * rest), or in * inverse if the rest is 0, may stand for in / scale (reciprocal.h), unless both are 0
  int32_t in_zero_point, out_zero_point;
};
typedef void (*tvmq_quantize_fn)(const struct tvmq_quantize_args *args);

// ---- byte_map: out[i] = map->table[in[i]], of bytes of either type
//
// The tensors are one or do not overlap.
struct tvmq_byte_map_args {
  const void *in;
  void *out;
  size_t n;
  const struct tvmq_byte_map *map;
};
typedef void (*tvmq_byte_map_fn)(const struct tvmq_byte_map_args *args);

// ---- add: out[i] = clamp(rescale(rescale((a - zero_point_a) << left_shift) + rescale((b - zero_point_b) << left_shift)) + out_zero_point), a = in[0][i] and
// b = in[1][i]; tvmq_add_value() in stage.h
//
// One of the inputs may be subtracted: its rescaled value is. The inputs may be one tensor; in[0] is that of the greater scale, which is rescaled by a half and
// so exactly. int16 have zero points 0. For bytes the caller may have found a plane that gives the same for every pair; what the steps need is then not looked
// at.
struct tvmq_scale {
  int32_t multiplier, shift;  // Q31, >0 left, <=0 right
};

struct tvmq_add_args {
  const void *in[2];
  void *out;
  size_t n;
  uint8_t flip;   // xor on each byte read and written: 0x80 for uint8 tensors
  bool minus[2];  // which of the inputs is subtracted; not both
  bool planar;    // out[i] = clamp(value of `plane`), but for its exceptions
  struct tvmq_plane plane;
  enum tvmq_rounding rounding;
  int32_t left_shift;
  int32_t in_zero_point[2], out_zero_point;
  struct tvmq_scale in_scale[2], out_scale;  // in_scale[0] is a half, in_scale[1] at most that: nothing wraps
  int32_t min, max;
};
typedef void (*tvmq_add_fn)(const struct tvmq_add_args *args);

// ---- mul: out[i] = requantize(bias + (a - zero_point_a) * (b - zero_point_b)), a = in[0][i] and b = in[1][i % n], i < rows * n
//
// Bias, multiplier and shift are those of a channel of a panel, in float form where the variant has TVMQ_FLOAT_STAGE and the caller has a proof for every
// product; else the bias is 0. int16 have zero points 0. Rows are whole cache lines if several; then the output may be the first input, else either.
struct tvmq_mul_args {
  const void *in[2];
  void *out;
  size_t n, rows;
  int32_t in_zero_point[2];
  int32_t bias, multiplier, shift;
  struct tvmq_stage stage;  // its flip is also that of the bytes read
};
typedef void (*tvmq_mul_fn)(const struct tvmq_mul_args *args);

// ---- square: out[i] = requantize(difference^2), of bytes; difference = rescale((a - zero_point_a) << 7) - rescale((b - zero_point_b) << 7), a = in[0][i]
// and b = in[1][i % n], i < rows * n; tvmq_difference() in stage.h
//
// One input at least is rescaled by a half, and so exactly, the other by no more: differences fit int16. Multiplier and shift are those of a channel of a
// panel, in float form where the variant has TVMQ_FLOAT_STAGE and the caller has a proof for every square. No square is negative: reference rounding is upward
// rounding, which is faster. Rows are whole cache lines if several. The inputs may be one tensor.
enum { TVMQ_SQUARE_SHIFT = 7 };

struct tvmq_square_args {
  const void *in[2];
  void *out;
  size_t n, rows;
  enum tvmq_rounding rounding;  // of the inputs; that of squares is the stage's
  int32_t in_zero_point[2];
  struct tvmq_scale in_scale[2];
  int32_t multiplier, shift;
  struct tvmq_stage stage;  // its flip is also that of the bytes read
};
typedef void (*tvmq_square_fn)(const struct tvmq_square_args *args);

// ---- maximum: out[i] = the greater of a ^ flip and b ^ flip, ^ flip; a = in[0][i] and b = in[1][i], all signed, flip for every byte
//
// A flip of 0xff makes it the minimum; uint8 tensors are int8 by 0x80 more, modulo 256. The inputs may be one tensor, and the output one of them.
struct tvmq_maximum_args {
  const void *in[2];
  void *out;
  size_t n;
  uint8_t flip;  // int16: 0 or 0xff
};
typedef void (*tvmq_maximum_fn)(const struct tvmq_maximum_args *args);

// ---- average_pool, max_pool: out[x][c] = clamp(mean, or largest, over the rows y and the columns x' of window x that lie in the input, of in[y][x'][c])
//
// One call computes one row of output pixels. The type is that of the variant's name; means are rounded as mean.h says, or are rescaled sums. Window x begins
// at column x * stride_w - pad_left. It has a column in the input, except those of max_pool: the largest of none is the type's smallest value.
struct tvmq_pool_span {
  size_t n_cols;          // output pixels side by side
  int32_t min;            // of each of them, at least
  struct tvmq_mean mean;  // average_pool: of as many taps in the input as the windows of each of them have
};

// In place of a mean: rescale(sum + bias) + zero_point.
struct tvmq_rescaled_sum {
  enum tvmq_rounding rounding;
  int32_t bias, zero_point;
  int32_t multiplier, shift;  // Q31, >0 left, <=0 right
};

struct tvmq_pool_args {
  const void *in;                       // column 0 of the windows' first row in the input
  size_t in_row_stride, in_col_stride;  // bytes
  size_t n_rows, n_cols;                // of the windows in the input, >= 1; of the input, which max_pool may find without columns
  size_t channels;                      // at least nr
  size_t filter_w, stride_w, pad_left;
  const struct tvmq_pool_span *spans;  // all output pixels
  size_t n_spans;
  const struct tvmq_rescaled_sum *rescaled;  // average_pool: of all of them, and no span's mean is looked at; NULL: they are means
  int32_t max;                               // of all of them, at most: also where that is less than a span's min
  void *out;
  size_t out_col_stride;  // bytes
};
typedef void (*tvmq_pool_fn)(const struct tvmq_pool_args *args);

// Columns that max_pool keeps from one window to the next: all that they share, if those are not too many, else none.
enum { TVMQ_POOL_MOST_KEPT = 16 };
static inline size_t tvmq_pool_kept(size_t filter_w, size_t stride_w) {
  return filter_w > stride_w && filter_w - stride_w <= TVMQ_POOL_MOST_KEPT ? filter_w - stride_w : 0;
}

// Families of kernels, each with the name that it has in reports, in the order in which variants.def has their variants.
#define TVMQ_FAMILIES(FAMILY)                                     \
  FAMILY(GEMM_S8, "gemm_s8")   /* int8 x int8 -> int8 */          \
  FAMILY(GEMM_S16, "gemm_s16") /* int16 x int8 -> int16 (16x8) */ \
  FAMILY(ROW_SUMS, "row_sums")                                    \
  FAMILY(DEPTHWISE_S8, "depthwise_s8")                            \
  FAMILY(DEPTHWISE_S16, "depthwise_s16")                          \
  FAMILY(QUANTIZE, "quantize")                                    \
  FAMILY(BYTE_MAP, "byte_map")                                    \
  FAMILY(ADD, "add")                                              \
  FAMILY(MUL, "mul")                                              \
  FAMILY(SQUARE, "square")                                        \
  FAMILY(INTERPOLATE, "interpolate")                              \
  FAMILY(SOFTMAX, "softmax")                                      \
  FAMILY(ARG_MAX, "arg_max")                                      \
  FAMILY(FLOAT_RANGE, "float_range")                              \
  FAMILY(FLOAT_STEPS, "float_steps")                              \
  FAMILY(FLOAT_SUMS, "float_sums")                                \
  FAMILY(FLOAT_PAIR, "float_pair")                                \
  FAMILY(FLOAT_MAP, "float_map")                                  \
  FAMILY(FLOAT_POOL, "float_pool")                                \
  FAMILY(MAXIMUM, "maximum")                                      \
  FAMILY(AVERAGE_POOL, "average_pool")                            \
  FAMILY(MAX_POOL, "max_pool")                                    \
  FAMILY(WINOGRAD_INPUT, "winograd_input")                        \
  FAMILY(WINOGRAD_GEMM, "winograd_gemm")                          \
  FAMILY(WINOGRAD_OUTPUT, "winograd_output")

#define TVMQ_FAMILY_ID(id, name) TVMQ_FAMILY_##id,
enum tvmq_family { TVMQ_FAMILIES(TVMQ_FAMILY_ID) TVMQ_N_FAMILIES };
#undef TVMQ_FAMILY_ID

enum tvmq_variant_flags {
  TVMQ_NO_MIN_WEIGHT = 1u << 0,  // exact only if no weight is -128, or in depthwise at most one of a channel
  TVMQ_WIDE_ROWS = 1u << 1,      // GEMM_S8 on rows of int16: the caller has widened the int8 values
  TVMQ_MATRIX_ROWS = 1u << 2,    // gemm on rows that lie a constant distance apart
  TVMQ_ZIPPED_ROWS = 1u << 3,    // GEMM_S8 on tiles of zipped rows: the caller has zipped, and flipped, the bytes
  TVMQ_FLOAT_STAGE = 1u << 4,    // any of the panels may be in float form (stage.h)
  TVMQ_LINES = 1u << 5,          // TVMQ_MATRIX_ROWS, and flips, and computes several lines of rows
  TVMQ_SUMS = 1u << 6,           // the stage may have `sums`
  TVMQ_NARROW = 1u << 7,         // of the last panel, channels that are not wanted are not stored, nor computed where they fill vectors
  TVMQ_GAPS = 1u << 8,           // TVMQ_MATRIX_ROWS, of which those between lines need not be stored
  TVMQ_FUSED_STAGE = 1u << 9     // any of the panels may be in fused form (stage.h)
};
enum { TVMQ_NARROWING = 16 };  // channels of a vector of kernels with TVMQ_NARROW

// The speed of a variant on one kind of core, measured on x86 and estimated from instruction timings on Arm; compared only within a family.
struct tvmq_speed {
  float rate;         // multiply-accumulates (quantize to arg_max: elements; row sums: bytes; pools: inputs taken; winograd transforms: values) per cycle
  float tile_cycles;  // cycles per tile (row sums, arg_max: row; softmax: call; pools: nr outputs) besides the inner loop: start, epilogue, stores
};

// One row of variants.def.
struct tvmq_variant {
  const char *name;
  enum tvmq_family family;
  uint32_t cpu;                      // every bit of this set is needed
  uint32_t flags;                    // enum tvmq_variant_flags
  enum tvmq_type in_type, out_type;  // quantize, add, mul, maximum, softmax and pools only
  struct {
    uint8_t filter_h, filter_w,
        stride;  // depthwise only: the one value that the kernel computes, or 0 for any; stride along a row unless filter_w is 1, and down unless mr is 1
  } only;
  uint8_t mr;  // rows (gemm: output pixels; depthwise: output rows) of a tile
  struct tvmq_layout layout;
  struct tvmq_speed speeds[2];  // on cores that execute out of order, and in order; the second is zeros where the first serves both
  union {
    tvmq_gemm_fn gemm;
    tvmq_row_sums_fn row_sums;
    tvmq_depthwise_fn depthwise;
    tvmq_quantize_fn quantize;
    tvmq_byte_map_fn byte_map;
    tvmq_add_fn add;
    tvmq_mul_fn mul;
    tvmq_square_fn square;
    tvmq_interpolate_fn interpolate;
    tvmq_maximum_fn maximum;
    tvmq_softmax_fn softmax;
    tvmq_arg_max_fn arg_max;
    tvmq_float_range_fn float_range;
    tvmq_float_steps_fn float_steps;
    tvmq_float_sums_fn float_sums;
    tvmq_float_pair_fn float_pair;
    tvmq_float_map_fn float_map;
    tvmq_float_pool_fn float_pool;
    tvmq_pool_fn pool;
    tvmq_winograd_input_fn winograd_input;
    tvmq_winograd_gemm_fn winograd_gemm;
    tvmq_winograd_output_fn winograd_output;
  } fn;
};

#define TVMQ_GEMM(family, symbol, ...) void symbol(const struct tvmq_gemm_args *args);
#define TVMQ_ROW_SUMS(symbol, ...) void symbol(const struct tvmq_row_sums_args *args);
#define TVMQ_DEPTHWISE(family, symbol, ...) void symbol(const struct tvmq_depthwise_args *args);
#define TVMQ_QUANTIZE(symbol, ...) void symbol(const struct tvmq_quantize_args *args);
#define TVMQ_BYTE_MAP(symbol, ...) void symbol(const struct tvmq_byte_map_args *args);
#define TVMQ_ADD(symbol, ...) void symbol(const struct tvmq_add_args *args);
#define TVMQ_MUL(symbol, ...) void symbol(const struct tvmq_mul_args *args);
#define TVMQ_SQUARE(symbol, ...) void symbol(const struct tvmq_square_args *args);
#define TVMQ_INTERPOLATE(symbol, ...) void symbol(const struct tvmq_interpolate_args *args);
#define TVMQ_SOFTMAX(symbol, ...) void symbol(const struct tvmq_softmax_args *args);
#define TVMQ_ARG_MAX(symbol, ...) void symbol(const struct tvmq_arg_max_args *args);
#define TVMQ_MAXIMUM(symbol, ...) void symbol(const struct tvmq_maximum_args *args);
#define TVMQ_HYBRID(family, id, symbol, ...) void symbol(const struct tvmq_##family##_args *args);
#define TVMQ_POOL(family, symbol, ...) void symbol(const struct tvmq_pool_args *args);
#define TVMQ_WINOGRAD_INPUT(symbol, ...) void symbol(const struct tvmq_winograd_input_args *args);
#define TVMQ_WINOGRAD_GEMM(symbol, ...) void symbol(const struct tvmq_winograd_gemm_args *args);
#define TVMQ_WINOGRAD_OUTPUT(symbol, ...) void symbol(const struct tvmq_winograd_output_args *args);
#include "kernels/variants.def"
