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
    const char *reason = tvmq_broadcast_shapes(cases[i].in, &out, &broadcast);
    CHECK_STRING(reason, cases[i].reason, name);
    if (reason != NULL) continue;
    CHECK(out.rank == cases[i].out.rank && memcmp(out.dims, cases[i].out.dims, sizeof out.dims) == 0, "%s", name);
    CHECK(broadcast.rank == cases[i].rank, "%s: rank %d", name, broadcast.rank);
  }
}

enum { MAX_DIM = 5, RANK = 5, MAX_ELEMENTS = 3125 };

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

static void check_elements(unsigned long long *state, size_t bytes) {
  static uint16_t tensor[MAX_ELEMENTS], room[MAX_ELEMENTS];
  struct tvmq_shape in[2] = {{.rank = RANK}, {.rank = 1 + (int)(unit_random(state) % RANK)}}, out = {0};
  for (int d = 0; d < RANK; d++) {
    const int size = 1 + (int)(unit_random(state) % MAX_DIM), e = d - (RANK - in[1].rank);
    in[0].dims[d] = unit_random(state) % 3 > 0 ? size : 1;
    if (e >= 0) in[1].dims[e] = unit_random(state) % 3 > 0 ? size : 1;
  }
  struct tvmq_broadcast broadcast;
  CHECK_STRING(tvmq_broadcast_shapes(in, &out, &broadcast), NULL, "random shapes");
  size_t n = 1;
  for (int d = 0; d < out.rank; d++) n *= (size_t)out.dims[d];
  for (size_t i = 0; i < MAX_ELEMENTS; i++) {
    if (bytes == 1) ((uint8_t *)tensor)[i] = (uint8_t)(i * 167 >> 3);
    if (bytes == 2) tensor[i] = (uint16_t)i;
  }
  for (int input = 0; input < 2; input++) {
    int wrong = 0;
    struct tvmq_broadcast_copy copy = {.data = room};
    for (size_t first = 0, count; first < n; first += count) {
      count = tvmq_min(n - first, 1 + unit_random(state) % 40);
      const uint8_t *got = tvmq_broadcast_read(&broadcast, input, tensor, bytes, first, count, &copy);
      for (size_t i = 0; i < count; i++) wrong += memcmp(got + i * bytes, (uint8_t *)tensor + element_at(&in[input], &out, first + i) * bytes, bytes) != 0;
    }
    CHECK(wrong == 0, "input %d of %zu elements of %zu bytes: %d elements", input, n, bytes, wrong);
  }
}

int main(void) {
  unsigned long long state = 1;
  check_shapes();
  for (int i = 0; i < 1000; i++) check_elements(&state, 1 + (size_t)i % 2);
  return unit_report();
}
