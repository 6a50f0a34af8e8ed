// Broadcasting: output shapes and refusals by a table; of random shapes, every element read, in pieces of every kind, against its coordinates.
#include "base/arith.h"
#include "operators/broadcast.h"
#include "unit.h"

#define DIMS(...)                                                       \
  {                                                                     \
    .rank = N_ELEMENTS(((int[]){__VA_ARGS__})), .dims = { __VA_ARGS__ } \
  }

static const struct {
  struct tvmq_shape in[2], out;
  int rank;  // of the broadcast; 0: neither input repeats
  const char *reason;
} cases[] = {
    {{DIMS(2, 3), DIMS(2, 3)}, DIMS(2, 3), 0, NULL},
    {{DIMS(1, 2, 3), DIMS(2, 3)}, DIMS(1, 2, 3), 0, NULL},
    {{{0}, {0}}, {0}, 0, NULL},
    {{{0}, DIMS(1, 1)}, DIMS(1, 1), 0, NULL},
    {{DIMS(4, 5, 6, 7), {0}}, DIMS(4, 5, 6, 7), 1, NULL},
    {{DIMS(2, 5, 6, 7), DIMS(1, 5, 6, 7)}, DIMS(2, 5, 6, 7), 2, NULL},
    {{DIMS(7), DIMS(2, 5, 6, 7)}, DIMS(2, 5, 6, 7), 2, NULL},
    {{DIMS(2, 5, 6, 7), DIMS(2, 1, 1, 7)}, DIMS(2, 5, 6, 7), 3, NULL},
    {{DIMS(2, 5, 1, 7), DIMS(2, 1, 6, 1)}, DIMS(2, 5, 6, 7), 4, NULL},
    {{DIMS(3, 1), DIMS(1, 1, 4)}, DIMS(1, 3, 4), 2, NULL},
    {{DIMS(0, 4), DIMS(1, 4)}, DIMS(0, 4), 2, NULL},
    {{DIMS(2, 3), DIMS(3, 2)}, {0}, 0, "the inputs' shapes cannot be broadcast"},
    {{DIMS(2), DIMS(0)}, {0}, 0, "the inputs' shapes cannot be broadcast"},
};

static void check_shapes(void) {
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    char name[32];
    snprintf(name, sizeof name, "shapes, case %zu", i);
    struct tvmq_shape out = {0};
    struct tvmq_broadcast broadcast;
    const char *reason = tvmq_broadcast_shapes(cases[i].in, 2, &out, &broadcast);
    CHECK_STRING(reason, cases[i].reason, name);
    if (reason != NULL) continue;
    CHECK(out.rank == cases[i].out.rank && memcmp(out.dims, cases[i].out.dims, sizeof out.dims) == 0, "%s", name);
    CHECK(broadcast.rank == cases[i].rank, "%s: rank %d", name, broadcast.rank);
  }
}

enum { MAX_DIM = 5, LONGEST = 80, RANK = 5, MAX_ELEMENTS = MAX_DIM * MAX_DIM * MAX_DIM * MAX_DIM * LONGEST, MAX_PIECE = 400 };

// The element of an input that the output's element i is computed from.
static size_t element_at(const struct tvmq_shape *in, const struct tvmq_shape *out, size_t i) {
  size_t element = 0, stride = 1;
  for (int d = out->rank - 1, e = in->rank - 1; e >= 0; d--, e--) {
    if (in->dims[e] > 1) element += i % (size_t)out->dims[d] * stride;
    stride *= (size_t)in->dims[e];
    i /= (size_t)out->dims[d];
  }
  return element;
}

static struct tvmq_shape shapes[3];  // drawn for inputs that are broadcast

// Any dimension may be the one that repeats, or be left out; lines are short, or longer than the vectors that write them.
static void draw_shapes(unsigned long long *state) {
  shapes[0] = (struct tvmq_shape){.rank = RANK};
  for (int i = 1; i < 3; i++) shapes[i] = (struct tvmq_shape){.rank = 1 + (int)(unit_random(state) % RANK)};
  for (int d = 0; d < RANK; d++) {
    const int most = d == RANK - 1 && unit_random(state) % 2 > 0 ? LONGEST : MAX_DIM, size = 1 + (int)(unit_random(state) % (unsigned)most);
    for (int i = 0; i < 3; i++) {
      const int e = d - (RANK - shapes[i].rank);
      if (e >= 0) shapes[i].dims[e] = unit_random(state) % 3 > 0 ? size : 1;
    }
  }
}

// In pieces of at most so many elements. Behind a piece's room and margin nothing is written.
static void check_elements(unsigned long long *state, int n_in, size_t bytes) {
  static uint8_t tensor[MAX_ELEMENTS * sizeof(uint64_t)], room[MAX_PIECE * sizeof(uint64_t) + TVMQ_BROADCAST_MARGIN + 1];
  draw_shapes(state);
  struct tvmq_shape out = {0};
  struct tvmq_broadcast broadcast;
  CHECK_STRING(tvmq_broadcast_shapes(shapes, n_in, &out, &broadcast), NULL, "random shapes");
  const size_t most = unit_random(state) % 2 > 0 ? MAX_PIECE : 40;
  size_t n = 1;
  for (int d = 0; d < out.rank; d++) n *= (size_t)out.dims[d];
  for (size_t i = 0; i < sizeof tensor; i++) tensor[i] = (uint8_t)unit_random(state);
  for (int input = 0; input < n_in; input++) {
    int wrong = 0, beyond = 0;
    struct tvmq_broadcast_copy copy = {.data = room};
    for (size_t first = 0, count; first < n; first += count) {
      count = tvmq_min(n - first, 1 + unit_random(state) % most);
      uint8_t *const end = room + most * bytes + TVMQ_BROADCAST_MARGIN;
      *end = (uint8_t)first;
      const uint8_t *got = tvmq_broadcast_read(&broadcast, input, tensor, bytes, first, count, &copy);
      for (size_t i = 0; i < count; i++) wrong += memcmp(got + i * bytes, tensor + element_at(&shapes[input], &out, first + i) * bytes, bytes) != 0;
      beyond += *end != (uint8_t)first;
    }
    CHECK(wrong == 0, "input %d of %zu elements of %zu bytes: %d elements", input, n, bytes, wrong);
    CHECK(beyond == 0, "input %d of %zu elements of %zu bytes: written behind the margin, %d times", input, n, bytes, beyond);
  }
}

// Inputs that have one element for each line: the elements of as many lines as are said to be alike follow each other.
static int check_lone_elements(unsigned long long *state) {
  draw_shapes(state);
  struct tvmq_shape out = {0};
  struct tvmq_broadcast broadcast;
  CHECK_STRING(tvmq_broadcast_shapes(shapes, 2, &out, &broadcast), NULL, "random shapes");
  const struct tvmq_broadcast_input *in = broadcast.in;
  const int lone = in[1].repeats, last = broadcast.rank - 1;
  if (broadcast.rank == 0 || in[0].repeats == in[1].repeats || in[lone].strides[last] != 0) return 0;
  size_t n = 1, wrong = 0;
  for (int d = 0; d < broadcast.rank; d++) n *= broadcast.dims[d];
  for (size_t at = 0; at < n; at++) {
    size_t lines;
    const size_t first = tvmq_broadcast_element(&broadcast, lone, at, &lines), line = at / broadcast.dims[last];
    wrong += lines == 0 || (line + lines) * broadcast.dims[last] > n;
    for (size_t i = 0; i < lines; i++) wrong += first + i != element_at(&shapes[lone], &out, (line + i) * broadcast.dims[last]);
  }
  CHECK(wrong == 0, "lone elements of input %d, %zu elements: %zu are wrong", lone, n, wrong);
  return 1;
}

int main(void) {
  unsigned long long state = 1;
  check_shapes();
  int lone = 0;
  for (int i = 0; i < 1000; i++) lone += check_lone_elements(&state);
  CHECK(lone > 50, "%d shapes with lone elements", lone);
  for (int i = 0; i < 2000; i++) check_elements(&state, 2 + i % 2, (size_t)1 << i / 2 % 4);
  return unit_report();
}
