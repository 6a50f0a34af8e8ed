#include "operators/broadcast.h"

#include <string.h>

#include "base/arith.h"

enum { VECTOR = 32 };  // bytes, at most TVMQ_BROADCAST_MARGIN

// Returns the dimension `back` places before the last; 1 if there is none.
static int32_t dim_of(const struct tvmq_shape *shape, int back) { return back < shape->rank ? shape->dims[shape->rank - 1 - back] : 1; }

// Returns the size of the output's dimension `back` places before the last, or -1 if the inputs cannot be broadcast.
static int32_t out_dim(const struct tvmq_shape *in, int n_in, int back) {
  int32_t size = 1;
  for (int i = 0; i < n_in; i++) {
    const int32_t dim = dim_of(&in[i], back);
    if (dim == 1 || dim == size) continue;
    if (size != 1) return -1;
    size = dim;
  }
  return size;
}

const char *tvmq_broadcast_shapes(const struct tvmq_shape *in, int n_in, struct tvmq_shape *out, struct tvmq_broadcast *broadcast) {
  struct tvmq_broadcast found = {0};                   // dimensions in reverse order, last first
  size_t elements[TVMQ_BROADCAST_INPUTS] = {1, 1, 1};  // elements of each input in the dimensions processed so far
  out->rank = 0;
  for (int i = 0; i < n_in; i++) out->rank = in[i].rank > out->rank ? in[i].rank : out->rank;
  bool any_repeats = false;
  for (int back = 0; back < out->rank; back++) {
    const int32_t size = out_dim(in, n_in, back);
    if (size < 0) return "the inputs' shapes cannot be broadcast";
    out->dims[out->rank - 1 - back] = size;
    if (size == 1) continue;
    const int before = found.rank - 1;
    bool merges = before >= 0;
    for (int i = 0; i < n_in && merges; i++) merges = (dim_of(&in[i], back) != size) == (found.in[i].strides[before] == 0);
    if (merges)
      found.dims[before] *= (size_t)size;
    else
      found.dims[found.rank++] = (size_t)size;
    for (int i = 0; i < n_in; i++) {
      const bool repeats = dim_of(&in[i], back) != size;
      if (!merges) found.in[i].strides[found.rank - 1] = repeats ? 0 : elements[i];
      found.in[i].repeats |= repeats;
      any_repeats |= repeats;
      elements[i] *= (size_t)dim_of(&in[i], back);
    }
  }
  *broadcast = (struct tvmq_broadcast){0};
  if (!any_repeats) return NULL;
  broadcast->rank = found.rank;
  for (int d = 0; d < found.rank; d++) broadcast->dims[d] = found.dims[found.rank - 1 - d];
  for (int i = 0; i < n_in; i++) {
    broadcast->in[i].repeats = found.in[i].repeats;
    for (int d = 0; d < found.rank; d++) broadcast->in[i].strides[d] = found.in[i].strides[found.rank - 1 - d];
  }
  return NULL;
}

// Line: a run along the last dimension of the output. `at` has its index in each other dimension; `begin` is its first
// element in an input.
struct line {
  size_t at[TVMQ_MAX_RANK], begin;
};

static struct line line_of(const struct tvmq_broadcast *broadcast, int input, size_t number) {
  struct line line = {.begin = 0};
  for (int d = broadcast->rank - 2; d >= 0; d--) {
    line.at[d] = number % broadcast->dims[d];
    line.begin += line.at[d] * broadcast->in[input].strides[d];
    number /= broadcast->dims[d];
  }
  return line;
}

// Advances by `n` lines, at most to the end of the dimension before the last.
static void go_on(const struct tvmq_broadcast *broadcast, int input, struct line *line, size_t n) {
  for (int d = broadcast->rank - 2; d >= 0; d--, n = 1) {
    const size_t stride = broadcast->in[input].strides[d];
    line->begin += n * stride;
    line->at[d] += n;
    if (line->at[d] < broadcast->dims[d]) return;
    line->begin -= line->at[d] * stride;
    line->at[d] = 0;
  }
}

// Writes an element `n` times, doubling the copied part at each step.
static void repeat(uint8_t *out, const uint8_t *element, size_t bytes, size_t n) {
  memcpy(out, element, bytes);
  for (size_t done = bytes; done < n * bytes; done *= 2) memcpy(out + done, out, tvmq_min(done, n * bytes - done));
}

// Writes `n` lines of `line_bytes` bytes; line i repeats element i of `in`. Writes whole vectors: excess bytes are
// later overwritten by the next line, or lie in the margin of the buffer.
#define SPREAD(type)                                                                                        \
  static void spread_##type(uint8_t *out, const uint8_t *in, size_t line_bytes, size_t n) {                 \
    typedef type vector __attribute__((vector_size(VECTOR)));                                               \
    for (; n > 0; n--, in += sizeof(type), out += line_bytes) {                                             \
      type element;                                                                                         \
      memcpy(&element, in, sizeof element);                                                                 \
      const vector elements = element - (vector){0};                                                        \
      for (size_t i = 0; i < line_bytes; i += sizeof elements) memcpy(out + i, &elements, sizeof elements); \
    }                                                                                                       \
  }
SPREAD(uint8_t)
SPREAD(uint16_t)
SPREAD(uint32_t)
SPREAD(uint64_t)

static void spread(uint8_t *out, const uint8_t *in, size_t bytes, size_t length, size_t n) {
  static void (*const by_bytes[])(uint8_t *, const uint8_t *, size_t, size_t) = {
      [1] = spread_uint8_t, [2] = spread_uint16_t, [4] = spread_uint32_t, [8] = spread_uint64_t};
  by_bytes[bytes](out, in, bytes * length, n);
}

// Returns the number of lines of one kind from `line` on. In the input, such lines are contiguous, or one contiguous
// element each, or all the same line or element.
static size_t lines_alike(const struct tvmq_broadcast *broadcast, const struct line *line) {
  const int before = broadcast->rank - 2;
  return before < 0 ? 1 : broadcast->dims[before] - line->at[before];
}

size_t tvmq_broadcast_element(const struct tvmq_broadcast *broadcast, int input, size_t at, size_t *lines) {
  const struct line line = line_of(broadcast, input, at / broadcast->dims[broadcast->rank - 1]);
  *lines = lines_alike(broadcast, &line);
  return line.begin;
}

// Returns whether `n_lines` lines from `line` on are the same line of the input.
static bool line_repeats(const struct tvmq_broadcast *broadcast, int input, const struct line *line, size_t n_lines) {
  const int before = broadcast->rank - 2;
  return before >= 0 && broadcast->in[input].strides[before] == 0 && n_lines <= lines_alike(broadcast, line);
}

// Writes elements [skipped, skipped + n) of each of `lines` lines of one kind (lines_alike()).
static void lay_out(const struct tvmq_broadcast *broadcast, int input, const uint8_t *begin, size_t bytes, size_t skipped, size_t n, size_t lines,
                    uint8_t *out) {
  const int last = broadcast->rank - 1;
  const size_t *const strides = broadcast->in[input].strides;
  const bool same_line = lines > 1 && strides[last - 1] == 0;
  if (strides[last] == 0)
    spread(out, begin, bytes, same_line ? n * lines : n, same_line ? 1 : lines);
  else if (same_line)
    repeat(out, begin, n * bytes, lines);
  else
    memcpy(out, begin + skipped * bytes, lines * n * bytes);
}

const void *tvmq_broadcast_read(const struct tvmq_broadcast *broadcast, int input, const void *tensor, size_t bytes, size_t first, size_t n,
                                struct tvmq_broadcast_copy *copy) {
  const uint8_t *in = tensor;
  if (!broadcast->in[input].repeats) return in + first * bytes;
  const size_t last = (size_t)broadcast->rank - 1, length = broadcast->dims[last];
  const bool stays = broadcast->in[input].strides[last] == 0;
  size_t skipped = first % length;
  struct line line = line_of(broadcast, input, first / length);
  const bool within = n <= length - skipped;
  if (!stays && within) return in + (line.begin + skipped) * bytes;
  const bool repeats = (stays && within) || (skipped == 0 && line_repeats(broadcast, input, &line, tvmq_ceil_div(n, length)));
  if (repeats && n <= copy->n && copy->begin == line.begin) return copy->data;
  copy->n = repeats ? n : 0;
  copy->begin = line.begin;
  uint8_t *out = copy->data;
  for (size_t left = n, count, lines; left > 0; left -= lines * count, skipped = 0) {
    count = tvmq_min(left, length - skipped);
    lines = count < length ? 1 : tvmq_min(left / length, lines_alike(broadcast, &line));
    lay_out(broadcast, input, in + line.begin * bytes, bytes, skipped, count, lines, out);
    out += lines * count * bytes;
    go_on(broadcast, input, &line, lines);
  }
  return copy->data;
}
