// ARG_MAX: the index of the first maximum. A task computes several outputs: rows if the elements along the axis are
// contiguous, else columns.
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "cpu/plan/select.h"

enum { COLUMNS = 64 };  // columns whose maxima are found together

struct arg_max {
  struct tvmq_cut cut;  // rows, or groups of COLUMNS columns
  struct tvmq_arg_max_desc desc;
  const struct tvmq_variant *variant;  // kernel for rows; NULL: columns
};

static size_t groups(const struct tvmq_arg_max_desc *d) { return tvmq_ceil_div((size_t)d->inner, COLUMNS); }

// Returns the estimated cycles of one output.
static float cycles_of(const struct arg_max *a, const struct tvmq_env *env) {
  const float depth = (float)a->desc.depth;
  if (!a->variant) return depth / 4 + 8;
  const struct tvmq_speed speed = tvmq_speed_of(a->variant, env->machine);
  return speed.tile_cycles + depth / speed.rate;
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct arg_max));
  struct arg_max *a = (struct arg_max *)*op;
  if (!a) return "out of memory";
  *a = (struct arg_max){.desc = desc->arg_max};
  const struct tvmq_arg_max_desc *d = &a->desc;
  if (d->inner == 1) {
    const struct tvmq_target target = tvmq_target(env);
    a->variant = tvmq_select_arg_max((size_t)d->depth, &target);
    if (!a->variant) return "no kernel";
  }
  tvmq_cut_units(&a->cut, (size_t)d->outer * groups(d), 1, (float)d->outer * (float)d->inner * cycles_of(a, env), env);
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct arg_max *a = (const struct arg_max *)op;
  *out = (struct tvmq_op_info){.kernel = a->variant ? a->variant->name : "", .algorithm = a->variant ? "rows" : "columns", .cycles = a->cut.cycles};
}

// Finds the index of the maximum of each of `n` columns; the elements of a column are `stride` bytes apart. Compares
// bytes as uint8; `flip` inverts the sign bit of int8, which preserves the order.
static void first_in_columns(const uint8_t *in, size_t depth, size_t stride, size_t n, uint8_t flip, int32_t *found) {
  uint8_t greatest[COLUMNS];
  for (size_t i = 0; i < n; i++) {
    greatest[i] = in[i] ^ flip;
    found[i] = 0;
  }
  for (size_t k = 1; k < depth; k++) {
    const uint8_t *const row = in + k * stride;
    for (size_t i = 0; i < n; i++) {
      const uint8_t x = row[i] ^ flip;
      found[i] = x > greatest[i] ? (int32_t)k : found[i];
      greatest[i] = x > greatest[i] ? x : greatest[i];
    }
  }
}

static void store(enum tvmq_type type, void *out, size_t at, const int32_t *found, size_t n) {
  if (type == TVMQ_TYPE_S32) {
    memcpy((int32_t *)out + at, found, n * sizeof *found);
  } else {
    for (size_t i = 0; i < n; i++) ((int64_t *)out)[at + i] = found[i];
  }
}

static void run_rows(const struct arg_max *a, const struct tvmq_pass *pass, size_t first, size_t end) {
  const struct tvmq_arg_max_desc *d = &a->desc;
  int32_t found[COLUMNS];
  struct tvmq_arg_max_args args = {.depth = (size_t)d->depth, .flip = tvmq_flip_to_u8(d->in_type), .found = found};
  for (; first < end; first += args.rows) {
    args.in = (const uint8_t *)pass->in[0] + first * args.depth;
    args.rows = tvmq_min(end - first, COLUMNS);
    a->variant->fn.arg_max(&args);
    store(d->out_type, pass->outs[0], first, found, args.rows);
  }
}

static void run_columns(const struct arg_max *a, const struct tvmq_pass *pass, size_t first_unit, size_t end) {
  const struct tvmq_arg_max_desc *d = &a->desc;
  const size_t depth = (size_t)d->depth, inner = (size_t)d->inner, n_groups = groups(d);
  for (size_t unit = first_unit; unit < end; unit++) {
    const size_t outer = unit / n_groups, first = unit % n_groups * COLUMNS, n = tvmq_min(inner - first, COLUMNS);
    int32_t found[COLUMNS];
    first_in_columns((const uint8_t *)pass->in[0] + outer * depth * inner + first, depth, inner, n, tvmq_flip_to_u8(d->in_type), found);
    store(d->out_type, pass->outs[0], outer * inner + first, found, n);
  }
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct arg_max *a = (const struct arg_max *)op;
  const struct tvmq_piece piece = tvmq_cut_piece(&a->cut, task.index);
  (a->variant ? run_rows : run_columns)(a, pass, piece.first, piece.first + piece.n);
}

const struct tvmq_implementation tvmq_op_arg_max = {.n_tasks = tvmq_cut_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .info = info)};
