#include "operators/broadcast.h"

#include <string.h>

#include "base/arith.h"

// The dimension `back` places before the last.
static int32_t dim_of(const struct tvmq_shape *shape, int back) { return back < shape->rank ? shape->dims[shape->rank - 1 - back] : 1; }

const char *tvmq_broadcast_shapes(const struct tvmq_shape in[2], struct tvmq_shape *out, struct tvmq_broadcast *broadcast) {
  struct tvmq_broadcast found = {0};  // its dimensions from the last to the first
  size_t elements[2] = {1, 1};        // of the inputs, in the dimensions so far
  out->rank = in[0].rank > in[1].rank ? in[0].rank : in[1].rank;
  for (int back = 0; back < out->rank; back++) {
    const int32_t dims[2] = {dim_of(&in[0], back), dim_of(&in[1], back)}, size = dims[0] != 1 ? dims[0] : dims[1];
    if (dims[1] != 1 && dims[1] != size) return "the inputs' shapes cannot be broadcast";
    out->dims[out->rank - 1 - back] = size;
    if (size == 1) continue;
    const bool repeats[2] = {dims[0] != size, dims[1] != size};
    const int before = found.rank - 1;
    bool merges = before >= 0;
    for (int i = 0; i < 2 && merges; i++) merges = repeats[i] == (found.in[i].strides[before] == 0);
    if (merges) {
      found.dims[before] *= (size_t)size;
    } else {
      for (int i = 0; i < 2; i++) found.in[i].strides[found.rank] = repeats[i] ? 0 : elements[i];
      found.dims[found.rank++] = (size_t)size;
    }
    for (int i = 0; i < 2; i++) {
      found.in[i].repeats |= repeats[i];
      elements[i] *= (size_t)dims[i];
    }
  }
  *broadcast = (struct tvmq_broadcast){0};
  if (!found.in[0].repeats && !found.in[1].repeats) return NULL;
  broadcast->rank = found.rank;
  for (int d = 0; d < found.rank; d++) broadcast->dims[d] = found.dims[found.rank - 1 - d];
  for (int i = 0; i < 2; i++) {
    broadcast->in[i].repeats = found.in[i].repeats;
    for (int d = 0; d < found.rank; d++) broadcast->in[i].strides[d] = found.in[i].strides[found.rank - 1 - d];
  }
  return NULL;
}

// The element of an input at which a line of the output begins.
static size_t line_begin(const struct tvmq_broadcast *broadcast, int input, size_t line) {
  size_t begin = 0;
  for (int d = broadcast->rank - 2; d >= 0; d--) {
    begin += line % broadcast->dims[d] * broadcast->in[input].strides[d];
    line /= broadcast->dims[d];
  }
  return begin;
}

// Twice as many at each step.
static void repeat(uint8_t *out, const uint8_t *element, size_t bytes, size_t n) {
  memcpy(out, element, bytes);
  for (size_t done = bytes; done < n * bytes; done *= 2) memcpy(out + done, out, tvmq_min(done, n * bytes - done));
}

// Whether what begins at a line is the same line again and again, for as many as the dimension before has.
static bool line_repeats(const struct tvmq_broadcast *broadcast, int input, size_t line, size_t n_lines) {
  const int before = broadcast->rank - 2;
  if (before < 0 || broadcast->in[input].strides[before] != 0) return false;
  return line % broadcast->dims[before] + n_lines <= broadcast->dims[before];
}

const void *tvmq_broadcast_read(const struct tvmq_broadcast *broadcast, int input, const void *tensor, size_t bytes, size_t first, size_t n,
                                struct tvmq_broadcast_copy *copy) {
  const uint8_t *in = tensor;
  if (!broadcast->in[input].repeats) return in + first * bytes;
  const size_t last = (size_t)broadcast->rank - 1, length = broadcast->dims[last];
  const bool stays = broadcast->in[input].strides[last] == 0;
  size_t line = first / length, skipped = first % length;
  const size_t begins = line_begin(broadcast, input, line);
  const bool within = n <= length - skipped;
  if (!stays && within) return in + (begins + skipped) * bytes;
  const bool repeats = (stays && within) || (skipped == 0 && line_repeats(broadcast, input, line, tvmq_ceil_div(n, length)));
  if (repeats && n <= copy->n && copy->begin == begins) return copy->data;
  copy->n = repeats ? n : 0;
  copy->begin = begins;
  uint8_t *out = copy->data;
  for (size_t left = n; left > 0; line++, skipped = 0) {
    const size_t count = tvmq_min(left, length - skipped);
    const uint8_t *begin = in + line_begin(broadcast, input, line) * bytes;
    if (stays) {
      repeat(out, begin, bytes, count);
    } else {
      memcpy(out, begin + skipped * bytes, count * bytes);
    }
    out += count * bytes;
    left -= count;
  }
  return copy->data;
}
