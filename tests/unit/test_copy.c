// Copies of tensors: the reasons for which they are refused, what the kinds of dimensions read, how dimensions merge, and which outputs are views.
#include "claims.h"
#include "cpu/ops/op.h"

#define WHOLE(N, STRIDE) {.n = N, .size = N, .stride = STRIDE, .step = 1}
// [6][5][4] of bytes
#define COPY(...) {.in_type = S8, .out_type = S8, .rank = 3, .axes = {WHOLE(6, 20), WHOLE(5, 4), WHOLE(4, 1)}, .in_bytes = 120, .n_out = 1, __VA_ARGS__}

static const int32_t good_list[] = {4, 0, 4}, bad_list[] = {4, 5, 0}, negative_list[] = {4, -1, 0};
#define WOVEN(FIRST, N) {.kind = TVMQ_COPY_WOVEN, .n = N, .size = 6, .stride = 20, .first = FIRST, .step = 2, .apart = 3}
#define LISTED(LIST) {.kind = TVMQ_COPY_LISTED, .n = 3, .size = 5, .stride = 4, .list_type = S32, .list = LIST}

static const struct {
  struct tvmq_copy_desc desc;
  const char *reason;
} claims[] = {
    {COPY(), NULL},
    {COPY(.in_type = U8, .out_type = U8), NULL},
    {COPY(.in_type = S16, .out_type = S16), NULL},
    {COPY(.rank = 0), NULL},
    {COPY(.axes[1] = LISTED(good_list)), NULL},
    {COPY(.axes[1].n = 6), "an index is outside the input"},
    {COPY(.axes[1].first = -1), "an index is outside the input"},
    {COPY(.axes[1].first = 4, .axes[1].step = -1), NULL},
    {COPY(.axes[1].first = 3, .axes[1].step = -1), "an index is outside the input"},
    {COPY(.axes[1] = LISTED(bad_list)), "an index is outside the input"},
    {COPY(.axes[1] = LISTED(negative_list)), "an index is outside the input"},
    {COPY(.axes[1].kind = TVMQ_COPY_PADDED, .axes[1].n = 9), NULL},
    {COPY(.axes[1].kind = TVMQ_COPY_PADDED, .value = 128), "the padding value is out of range for its type"},
    {COPY(.axes[1].kind = TVMQ_COPY_PADDED, .axes[1].n = 9, .axes[1].phases = 3), NULL},
    {COPY(.axes[1].kind = TVMQ_COPY_PADDED, .axes[1].n = 9, .axes[1].phases = 2), "a dimension is not a multiple of its phases"},
    {COPY(.axes[0] = WOVEN(0, 6)), NULL},
    {COPY(.axes[0] = WOVEN(2, 4)), NULL},
    {COPY(.axes[0] = WOVEN(2, 5)), "an index is outside the input"},
    {COPY(.axes[0] = WOVEN(-1, 5)), "an index is outside the input"},
    {COPY(.axes[1].kind = TVMQ_COPY_MIRRORED, .axes[1].n = 15, .axes[1].first = 5), NULL},
    {COPY(.axes[1].kind = TVMQ_COPY_MIRRORED, .axes[1].n = 15, .axes[1].first = 5, .axes[1].step = 0), "an index is outside the input"},
    {COPY(.axes[1] = {.kind = TVMQ_COPY_NEAREST, .n = 2, .align_corners = 1, .half_pixel_centers = 1}),
     "an index is outside the input"},  // without a conversion that only sanitizers see
    {COPY(.in_type = F32, .out_type = F32), NULL},
    {COPY(.in_type = S32, .out_type = S32), NULL},
    {COPY(.in_type = S4, .out_type = S4), "activations are not int8, uint8 or int16"},
    {COPY(.out_type = U8), "input and output types differ"},
    {COPY(.axes[0].n = 0), "empty tensor"},
    {COPY(.axes[0] = {.kind = TVMQ_COPY_WRAPPED, .n = (size_t)1 << 27, .size = 6, .stride = 20}), "tensor has more than 2^31 - 1 elements"},
    {COPY(.axes[0].n = SIZE_MAX / 2), "tensor has more than 2^31 - 1 elements"},
    {COPY(.wants_same_quant = true), "input and output scales or zero points differ"},
    {COPY(.wants_same_quant = true, .same_quant = true), NULL},
};

// The input indices that output indices 0, 1 and on read.
static const struct {
  struct tvmq_copy_axis axis;
  int64_t index[9];
} kinds[] = {
    {{.n = 5, .size = 5, .step = 1}, {0, 1, 2, 3, 4}},
    {{.n = 3, .size = 5, .first = 4, .step = -2}, {4, 2, 0}},
    {{.kind = TVMQ_COPY_WRAPPED, .n = 6, .size = 3}, {0, 1, 2, 0, 1, 2}},
    {{.kind = TVMQ_COPY_PADDED, .n = 6, .size = 3, .first = 1}, {-1, 0, 1, 2, -1, -1}},
    {{.kind = TVMQ_COPY_MIRRORED, .n = 7, .size = 3, .first = 2}, {2, 1, 0, 1, 2, 1, 0}},
    {{.kind = TVMQ_COPY_MIRRORED, .n = 9, .size = 3, .first = 3, .step = 1}, {2, 1, 0, 0, 1, 2, 2, 1, 0}},
    {{.kind = TVMQ_COPY_NEAREST, .n = 5, .size = 3}, {0, 0, 1, 1, 2}},
    {{.kind = TVMQ_COPY_NEAREST, .n = 5, .size = 3, .half_pixel_centers = 1}, {0, 0, 1, 2, 2}},
    {{.kind = TVMQ_COPY_NEAREST, .n = 5, .size = 3, .align_corners = 1}, {0, 1, 1, 2, 2}},
    {{.kind = TVMQ_COPY_NEAREST, .n = 2, .size = 7, .align_corners = 1}, {0, 6}},
    {{.kind = TVMQ_COPY_LISTED, .n = 3, .size = 5, .list_type = S32, .list = good_list}, {4, 0, 4}},
    {WOVEN(0, 6), {0, 3, 1, 4, 2, 5}},
    {WOVEN(1, 4), {3, 1, 4, 2}},
};

static void check_kinds(void) {
  for (size_t i = 0; i < N_ELEMENTS(kinds); i++) {
    for (size_t n = 0; n < kinds[i].axis.n; n++) {
      const long long got = tvmq_copy_index(&kinds[i].axis, n), wanted = kinds[i].index[n];
      CHECK(got == wanted, "kind %zu, index %zu: %lld instead of %lld", i, n, got, wanted);
    }
  }
}

// Outputs that are pieces of [6][5][4]: their runs, dimensions and begins.
static const struct {
  struct tvmq_copy_desc desc;
  int output, rank;
  size_t run, begin, bytes;
  bool view;
} merges[] = {
    {COPY(), 0, 0, 120, 0, 120, true},
    {COPY(.rank = 0), 0, 0, 1, 0, 1, true},
    {COPY(.axes[0].first = 2, .axes[0].n = 3), 0, 0, 60, 40, 60, true},
    {COPY(.axes[1].first = 1, .axes[1].n = 3), 0, 1, 12, 4, 72, false},
    {COPY(.axes[0].n = 1, .axes[0].first = 5, .axes[1].first = 1, .axes[1].n = 3), 0, 0, 12, 104, 12, true},
    {COPY(.axes[2].n = 2), 0, 1, 2, 0, 60, false},  // the two before it are one
    {COPY(.axes[1].n = 5, .axes[1].first = 4, .axes[1].step = -1), 0, 2, 4, 16, 120, false},
    {COPY(.axes[0] = WHOLE(5, 4), .axes[1] = WHOLE(6, 20)), 0, 2, 4, 0, 120, false},
    {COPY(.axes[0] = {.kind = TVMQ_COPY_WRAPPED, .n = 18, .size = 6, .stride = 20}), 0, 1, 120, 0, 360, false},
    {COPY(.axes[1] = LISTED(good_list)), 0, 2, 4, 0, 72, false},
    {COPY(.axes[0] = WOVEN(0, 6)), 0, 1, 20, 0, 120, false},
    {COPY(.axes[0].phases = 2), 1, 1, 20, 20, 60, false},
    {COPY(.axes[0].phases = 3, .axes[2].phases = 2), 3, 2, 1, 21, 20, false},
    {COPY(.axes[1].kind = TVMQ_COPY_PADDED, .axes[1].phases = 5), 4, 2, 4, 0, 24, false},
    {COPY(.n_out = 2, .pieces = {2, 4}), 1, 0, 80, 40, 80, true},
    {COPY(.n_out = 2, .piece_axis = 1, .pieces = {2, 3}), 1, 1, 12, 8, 72, false},
    {COPY(.n_out = 3, .piece_axis = 2, .pieces = {1, 0, 3}), 2, 1, 3, 1, 90, false},
    {COPY(.n_out = 3, .piece_axis = 2, .pieces = {1, 0, 3}), 1, 0, 1, 0, 0, false},
};

static void check_merges(void) {
  for (size_t i = 0; i < N_ELEMENTS(merges); i++) {
    const struct tvmq_merged_copy copy = tvmq_merge_copy(&merges[i].desc, (size_t)merges[i].output);
    CHECK(copy.rank == merges[i].rank && copy.run == merges[i].run, "merge %zu: rank %d, run %zu", i, copy.rank, copy.run);
    const size_t to = merges[i].desc.n_out > 1 ? 0 : (size_t)merges[i].output * merges[i].bytes;
    CHECK(copy.to == to && copy.output == (merges[i].desc.n_out > 1 ? merges[i].output : 0), "merge %zu: to %zu of output %d", i, copy.to, copy.output);
    CHECK(copy.begin == merges[i].begin && copy.bytes == merges[i].bytes, "merge %zu: begin %zu, %zu bytes", i, copy.begin, copy.bytes);
    size_t offsets[TVMQ_MAX_OUT];
    const union tvmq_desc desc = {.copy = merges[i].desc};
    const uint32_t moves = tvmq_operator_copy.moves(&desc, offsets), whole = TVMQ_MOVES_INTO_OUT | TVMQ_MOVES_OUT_OF_IN;
    CHECK((moves & TVMQ_MOVES_OUT_OF_IN) == (merges[i].view ? TVMQ_MOVES_OUT_OF_IN : 0u), "merge %zu: moves %u", i, moves);
    CHECK(!merges[i].view || offsets[merges[i].output] == merges[i].begin, "merge %zu: a view elsewhere", i);
    CHECK((moves == whole) == (merges[i].view && merges[i].bytes == 120), "merge %zu: moves %u of the whole", i, moves);
  }
}

int main(void) {
  CHECK_CLAIMS(tvmq_claim_copy, claims);
  check_kinds();
  check_merges();
  return unit_report();
}
