// Comparisons, operations on conditions, and selections. Elementwise; threads share the elements. Inputs that are broadcast are read in pieces, as the output
// has their elements.
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "operators/ranks.h"

enum { PIECE_BYTES = 4096, ROOM_BYTES = PIECE_BYTES + TVMQ_BROADCAST_MARGIN, INPUTS = TVMQ_BROADCAST_INPUTS, SLICE_BYTES = INPUTS * ROOM_BYTES };

// How elements are compared: as they are, or bytes by their ranks.
enum form { FORM_F32, FORM_S8, FORM_U8, FORM_S32, FORM_S64, FORM_RANKS, N_FORMS };

struct condition {
  struct tvmq_cut cut;
  enum tvmq_condition condition;
  enum form form;  // of comparisons
  int n_in;
  size_t in_bytes[INPUTS], out_bytes;  // of an element
  size_t piece;                        // elements that are computed at once
  struct tvmq_broadcast broadcast;
  const struct tvmq_scratch *scratch;  // where inputs are broadcast
  size_t n_threads;
  int32_t ranks[2][TVMQ_N_BYTES];  // of bytes that are compared
};

typedef void (*compute_fn)(const struct condition *c, const void *const in[INPUTS], void *out, size_t n);

// ---- loops over elements

#define COMPARE(name, type, relation)                                                                       \
  static void name##_##type(const struct condition *c, const void *const in[INPUTS], void *out, size_t n) { \
    (void)c;                                                                                                \
    const type *const a = in[0], *const b = in[1];                                                          \
    uint8_t *const to = out;                                                                                \
    for (size_t i = 0; i < n; i++) to[i] = a[i] relation b[i];                                              \
  }

// Bytes are compared by their ranks.
#define COMPARE_RANKS(name, relation)                                                                      \
  static void name##_ranks(const struct condition *c, const void *const in[INPUTS], void *out, size_t n) { \
    const int32_t *const a_ranks = c->ranks[0], *const b_ranks = c->ranks[1];                              \
    const uint8_t *const a = in[0], *const b = in[1];                                                      \
    uint8_t *const to = out;                                                                               \
    for (size_t i = 0; i < n; i++) to[i] = a_ranks[a[i]] relation b_ranks[b[i]];                           \
  }

#define COMPARISON(name, relation) \
  COMPARE(name, float, relation)   \
  COMPARE(name, int8_t, relation)  \
  COMPARE(name, uint8_t, relation) \
  COMPARE(name, int32_t, relation) \
  COMPARE(name, int64_t, relation) \
  COMPARE_RANKS(name, relation)
COMPARISON(equal, ==)
COMPARISON(not_equal, !=)
COMPARISON(greater, >)
COMPARISON(greater_equal, >=)
COMPARISON(less, <)
COMPARISON(less_equal, <=)

static void and_all(const struct condition *c, const void *const in[INPUTS], void *out, size_t n) {
  (void)c;
  const uint8_t *const a = in[0], *const b = in[1];
  for (size_t i = 0; i < n; i++) ((uint8_t *)out)[i] = (a[i] != 0) & (b[i] != 0);
}

static void or_all(const struct condition *c, const void *const in[INPUTS], void *out, size_t n) {
  (void)c;
  const uint8_t *const a = in[0], *const b = in[1];
  for (size_t i = 0; i < n; i++) ((uint8_t *)out)[i] = (a[i] | b[i]) != 0;
}

static void not_all(const struct condition *c, const void *const in[INPUTS], void *out, size_t n) {
  (void)c;
  const uint8_t *const a = in[0];
  for (size_t i = 0; i < n; i++) ((uint8_t *)out)[i] = a[i] == 0;
}

#define SELECT(type)                                                                                        \
  static void select_##type(const struct condition *c, const void *const in[INPUTS], void *out, size_t n) { \
    (void)c;                                                                                                \
    const uint8_t *const selects = in[0];                                                                   \
    const type *const a = in[1], *const b = in[2];                                                          \
    type *const to = out;                                                                                   \
    for (size_t i = 0; i < n; i++) {                                                                        \
      const type mask = (type) - (selects[i] != 0);                                                         \
      to[i] = (a[i] & mask) | (b[i] & (type)~mask);                                                         \
    }                                                                                                       \
  }
SELECT(uint8_t)
SELECT(uint16_t)
SELECT(uint32_t)
SELECT(uint64_t)

#define COMPARISONS(name)                                                                \
  {[FORM_F32] = name##_float,   [FORM_S8] = name##_int8_t,   [FORM_U8] = name##_uint8_t, \
   [FORM_S32] = name##_int32_t, [FORM_S64] = name##_int64_t, [FORM_RANKS] = name##_ranks}
static const compute_fn comparisons[][N_FORMS] = {
    [TVMQ_CONDITION_EQUAL] = COMPARISONS(equal),     [TVMQ_CONDITION_NOT_EQUAL] = COMPARISONS(not_equal),
    [TVMQ_CONDITION_GREATER] = COMPARISONS(greater), [TVMQ_CONDITION_GREATER_EQUAL] = COMPARISONS(greater_equal),
    [TVMQ_CONDITION_LESS] = COMPARISONS(less),       [TVMQ_CONDITION_LESS_EQUAL] = COMPARISONS(less_equal),
};

static compute_fn compute_of(const struct condition *c) {
  static const compute_fn select_by_bytes[] = {[1] = select_uint8_t, [2] = select_uint16_t, [4] = select_uint32_t, [8] = select_uint64_t};
  switch (c->condition) {
    case TVMQ_CONDITION_AND:
      return and_all;
    case TVMQ_CONDITION_OR:
      return or_all;
    case TVMQ_CONDITION_NOT:
      return not_all;
    case TVMQ_CONDITION_SELECT:
      return select_by_bytes[c->out_bytes];
    default:
      return comparisons[c->condition][c->form];
  }
}

// ---- planning

// Returns whether bytes compare as their ranks do: both inputs have the same ranks, which differ from one another.
static bool ranks_are_values(const struct condition *c, enum tvmq_type type) {
  const int lowest = tvmq_type_range(type).min;
  bool climbs = memcmp(c->ranks[0], c->ranks[1], sizeof c->ranks[0]) == 0;
  for (int x = lowest; climbs && x < lowest + TVMQ_N_BYTES - 1; x++) climbs = c->ranks[0][(uint8_t)x] < c->ranks[0][(uint8_t)(x + 1)];
  return climbs;
}

static enum form form_of(const struct condition *c, enum tvmq_type type) {
  switch (type) {
    case TVMQ_TYPE_F32:
      return FORM_F32;
    case TVMQ_TYPE_S32:
      return FORM_S32;
    case TVMQ_TYPE_S64:
      return FORM_S64;
    case TVMQ_TYPE_S8:
      return ranks_are_values(c, type) ? FORM_S8 : FORM_RANKS;
    case TVMQ_TYPE_U8:
      return ranks_are_values(c, type) ? FORM_U8 : FORM_RANKS;
    default:
      return FORM_U8;
  }
}

static size_t slice_bytes(const struct condition *c) { return c->broadcast.rank > 0 ? SLICE_BYTES : 0; }

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  const struct tvmq_condition_desc *d = &desc->condition;
  if (!*op) *op = tvmq_alloc(sizeof(struct condition));
  struct condition *c = (struct condition *)*op;
  if (!c) return "out of memory";
  const size_t bytes = tvmq_type_bytes(d->type);
  const bool selects = d->condition == TVMQ_CONDITION_SELECT;
  *c = (struct condition){
      .condition = d->condition,
      .n_in = tvmq_condition_inputs(d->condition),
      .in_bytes = {selects ? 1 : bytes, bytes, bytes},
      .out_bytes = selects ? bytes : 1,
      .piece = d->broadcast.rank > 0 ? PIECE_BYTES / bytes : tvmq_max(d->n, 1),
      .broadcast = d->broadcast,
      .scratch = env->scratch,
      .n_threads = (size_t)tvmq_threads_count(env->threads),
  };
  const bool has_ranks = tvmq_condition_compares(d->condition) && tvmq_type_is_byte(d->type);
  if (has_ranks) tvmq_comparison_ranks(d, env->rounding, c->ranks);
  c->form = form_of(c, d->type);
  tvmq_cut_units(&c->cut, d->n, TVMQ_LINE, (float)d->n, env);
  return tvmq_scratch_reserve(env->scratch, 0, slice_bytes(c), c->n_threads) ? NULL : "out of memory";
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct condition *c = (const struct condition *)op;
  *out = (struct tvmq_op_info){.kernel = "", .algorithm = "elementwise", .cycles = c->cut.cycles, .scratch_bytes = slice_bytes(c) * c->n_threads};
}

// ---- running

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct condition *c = (const struct condition *)op;
  const struct tvmq_piece share = tvmq_cut_piece(&c->cut, task.index);
  uint8_t *const room = slice_bytes(c) > 0 ? c->scratch->memory + (size_t)task.thread * SLICE_BYTES : NULL;
  const compute_fn compute = compute_of(c);
  struct tvmq_broadcast_copy held[INPUTS] = {0};
  for (int i = 0; i < c->n_in && room != NULL; i++) held[i].data = room + i * ROOM_BYTES;
  for (size_t at = share.first, end = share.first + share.n, n; at < end; at += n) {
    const void *in[INPUTS] = {0};
    n = tvmq_min(end - at, c->piece);
    for (int i = 0; i < c->n_in; i++) in[i] = tvmq_broadcast_read(&c->broadcast, i, pass->in[i], c->in_bytes[i], at, n, &held[i]);
    compute(c, in, (uint8_t *)pass->outs[0] + at * c->out_bytes, n);
  }
}

const struct tvmq_implementation tvmq_op_condition = {.n_tasks = tvmq_cut_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .info = info)};
