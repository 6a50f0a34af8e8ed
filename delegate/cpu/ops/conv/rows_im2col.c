// im2col (rows.h). Most windows do not cross the image's sides, and the pieces of most first layers are short. Such
// rows are written one after the other, each piece by one move of constant size. The bytes that a move writes after its
// piece are overwritten by the next piece or row. The bytes that a move reads after its piece are in the image.
#include <string.h>

#include "base/arith.h"
#include "base/inline.h"
#include "cpu/ops/conv/rows.h"
#include "cpu/ops/conv/rows_windows.h"

// Copies one filter row of pixels [s.begin, s.end) of a run, tap by tap. `x` and `to` belong to the run's first pixel.
static void copy_taps(const struct tvmq_rows *rows, const uint8_t *line, ptrdiff_t x, struct span s, uint8_t *to, size_t row_bytes) {
  if (s.begin == s.end) return;
  const size_t n = s.end - s.begin, bytes = rows->tap_bytes, step = rows->stride_w * rows->pixel_bytes;
  x += (ptrdiff_t)(s.begin * rows->stride_w);
  to += s.begin * row_bytes;
  for (size_t kx = 0; kx < rows->filter_w; kx++, to += bytes, x += (ptrdiff_t)rows->dilation_w) {
    const struct span in = line ? inside(rows, x, n) : (struct span){n, n};
    copy_pieces(to, row_bytes, rows->padding, 0, in.begin, bytes);
    if (in.begin < in.end) copy_pieces(to + in.begin * row_bytes, row_bytes, pixel_at(rows, line, x, in.begin), step, in.end - in.begin, bytes);
    copy_pieces(to + in.end * row_bytes, row_bytes, rows->padding, 0, n - in.end, bytes);
  }
}

// Copies the rows of pixels [s.begin, s.end) of a run; `to` belongs to the run's first pixel. The windows of pixels in
// `whole` do not cross the image's sides.
static void copy_pixels(const struct tvmq_rows *rows, const struct run *run, struct span s, struct span whole, uint8_t *to, size_t row_bytes) {
  const size_t line_bytes = rows->filter_w * rows->tap_bytes;
  const size_t begin = tvmq_max(tvmq_min(whole.begin, s.end), s.begin), end = tvmq_max(tvmq_min(whole.end, s.end), begin);
  for (size_t ky = 0; s.begin < s.end && ky < rows->filter_h; ky++, to += line_bytes) {
    const uint8_t *line = line_of(rows, run, ky);
    if (rows->piece_taps < rows->filter_w) {
      copy_taps(rows, line, run->x, s, to, row_bytes);
    } else if (!line) {
      copy_pieces(to + s.begin * row_bytes, row_bytes, rows->padding, 0, s.end - s.begin, line_bytes);
    } else {
      copy_windows(rows, line, run->x, (struct span){s.begin, begin}, to, row_bytes);
      if (begin < end)
        copy_pieces(to + begin * row_bytes, row_bytes, pixel_at(rows, line, run->x, begin), rows->stride_w * rows->pixel_bytes, end - begin, line_bytes);
      copy_windows(rows, line, run->x, (struct span){end, s.end}, to, row_bytes);
    }
  }
}

// ---- short pieces

// Windows that are copied by moves. Their lines are `pitch` bytes apart: `above` lines above the image, `inside` lines
// in the image, `below` lines below.
struct moves {
  const struct tvmq_rows *rows;
  const uint8_t *line;  // the first line in the image
  size_t pitch, above, inside, below;
  size_t piece_bytes, row_bytes;
};

static struct moves moves_of(const struct tvmq_rows *rows, const struct run *run, size_t row_bytes) {
  struct moves m = {
      .rows = rows, .pitch = rows->dilation_h * rows->in_w * rows->pixel_bytes, .piece_bytes = rows->filter_w * rows->tap_bytes, .row_bytes = row_bytes};
  while (m.above < rows->filter_h && !line_of(rows, run, m.above)) m.above++;
  m.line = m.above < rows->filter_h ? line_of(rows, run, m.above) : NULL;
  while (m.above + m.inside < rows->filter_h && line_of(rows, run, m.above + m.inside)) m.inside++;
  m.below = rows->filter_h - m.above - m.inside;
  return m;
}

// Types of moves, 4 to TVMQ_ROWS_MOVE bytes.
typedef uint8_t sixteen __attribute__((vector_size(16)));
struct thirty_two {
  sixteen half[2];
};

// Moves the rows of `n` pixels whose windows do not cross the image's sides. `from`: the first tap of the first line in
// the image. Three lines are loaded before any is stored, because in-order cores would wait for each.
#define MOVE_ROWS(name, type)                                                                               \
  static void name(const struct moves *m, const uint8_t *from, size_t n, uint8_t *to) {                     \
    const size_t step = m->rows->stride_w * m->rows->pixel_bytes, pitch = m->pitch, bytes = m->piece_bytes; \
    const uint8_t *const padding = m->rows->padding;                                                        \
    type a, b, c;                                                                                           \
    if (m->inside == 3 && m->above + m->below == 0) {                                                       \
      for (const size_t row_bytes = m->row_bytes; n > 0; n--, from += step, to += row_bytes) {              \
        memcpy(&a, from, sizeof a);                                                                         \
        memcpy(&b, from + pitch, sizeof b);                                                                 \
        memcpy(&c, from + 2 * pitch, sizeof c);                                                             \
        memcpy(to, &a, sizeof a);                                                                           \
        memcpy(to + bytes, &b, sizeof b);                                                                   \
        memcpy(to + 2 * bytes, &c, sizeof c);                                                               \
      }                                                                                                     \
      return;                                                                                               \
    }                                                                                                       \
    for (; n > 0; n--, from += step, to += m->row_bytes) {                                                  \
      const uint8_t *line = from;                                                                           \
      uint8_t *at = to;                                                                                     \
      for (size_t i = m->above; i > 0; i--, at += bytes) memcpy(at, padding, sizeof a);                     \
      for (size_t i = m->inside; i > 0; i--, line += pitch, at += bytes) memcpy(at, line, sizeof a);        \
      for (size_t i = m->below; i > 0; i--, at += bytes) memcpy(at, padding, sizeof a);                     \
    }                                                                                                       \
  }
MOVE_ROWS(move_rows_4, uint32_t)
MOVE_ROWS(move_rows_8, uint64_t)
MOVE_ROWS(move_rows_16, sixteen)
MOVE_ROWS(move_rows_32, struct thirty_two)

// Moves the row of any pixel; its first tap is at input column `x`. Writes padding, then the taps inside the image over
// it.
TVMQ_INLINE void move_edge(const struct moves *m, ptrdiff_t x, uint8_t *to) {
  const ptrdiff_t pixel = (ptrdiff_t)m->rows->pixel_bytes, left = x * pixel, right = (ptrdiff_t)m->rows->in_w * pixel - left;
  const ptrdiff_t begin = left < 0 ? -left : 0, end = right < (ptrdiff_t)m->piece_bytes ? right : (ptrdiff_t)m->piece_bytes;
  for (size_t i = 0; i < m->rows->filter_h; i++, to += m->piece_bytes) {
    memcpy(to, m->rows->padding, TVMQ_ROWS_MOVE);
    if (i < m->above || i >= m->above + m->inside) continue;
    const uint8_t *const line = m->line + (i - m->above) * m->pitch;
    for (ptrdiff_t j = begin; j < end; j++) to[j] = line[left + j];
  }
}

// Returns the bytes of a move that covers a piece. Returns 0 if pieces are too long or there are several groups.
static size_t move_of(const struct tvmq_rows *rows) {
  const size_t bytes = rows->filter_w * rows->tap_bytes;
  if (rows->piece_taps < rows->filter_w || rows->tap_bytes != rows->pixel_bytes || bytes > TVMQ_ROWS_MOVE) return 0;
  return bytes <= 4 ? 4 : bytes <= 8 ? 8 : bytes <= 16 ? 16 : TVMQ_ROWS_MOVE;
}

bool tvmq_rows_moved(const struct tvmq_rows *rows) { return move_of(rows) > 0; }

// Moves the rows of a run's pixels one by one, without writing past `end`, the end of the output. Returns the number of
// moved pixels.
TVMQ_INLINE size_t move_pixels(const struct tvmq_rows *rows, const struct run *run, struct span whole, size_t move, uint8_t *to, const uint8_t *end,
                               size_t row_bytes) {
  const struct moves m = moves_of(rows, run, row_bytes);
  const size_t room = (size_t)(end - to), written = (rows->filter_h - 1) * m.piece_bytes + TVMQ_ROWS_MOVE;
  const size_t n = room < written ? 0 : tvmq_min((room - written) / row_bytes + 1, run->n), begin = tvmq_min(whole.begin, n);
  const ptrdiff_t stride = (ptrdiff_t)rows->stride_w;
  for (size_t i = 0; i < begin; i++) move_edge(&m, run->x + (ptrdiff_t)i * stride, to + i * row_bytes);
  size_t done = begin;
  if (begin < n && m.inside > 0) {
    // A move reads past its piece, so the last pixels of an image are handled as edges, too.
    const uint8_t *const from = pixel_at(rows, m.line, run->x, begin);
    const size_t left = (size_t)(run->image + rows->in_h * rows->in_w * rows->pixel_bytes - from), step = rows->stride_w * rows->pixel_bytes;
    const size_t read = (m.inside - 1) * m.pitch + move;
    size_t count = tvmq_max(tvmq_min(whole.end, n), begin) - begin;
    while (count > 0 && (count - 1) * step + read > left) count--;
    to += begin * row_bytes;
    if (move == 4)
      move_rows_4(&m, from, count, to);
    else if (move == 8)
      move_rows_8(&m, from, count, to);
    else if (move == 16)
      move_rows_16(&m, from, count, to);
    else
      move_rows_32(&m, from, count, to);
    to -= begin * row_bytes;
    done += count;
  }
  for (; done < n; done++) move_edge(&m, run->x + (ptrdiff_t)done * stride, to + done * row_bytes);
  return n;
}

void tvmq_rows_im2col(const struct tvmq_rows *rows, const uint8_t *in, size_t first, size_t n, uint8_t *out, size_t row_bytes) {
  const size_t move = move_of(rows);
  const uint8_t *const end = out + n * row_bytes;
  struct run run = run_at(rows, in, first, n);
  for (size_t m = 0; m < n; m += run.n, run = run_after(rows, &run, n - m)) {
    const struct span whole = whole_windows(rows, &run);
    uint8_t *const to = out + m * row_bytes;
    const size_t done = move > 0 ? move_pixels(rows, &run, whole, move, to, end, row_bytes) : 0;
    if (done < run.n) copy_pixels(rows, &run, (struct span){done, run.n}, whole, to, row_bytes);
  }
}
