// CONCATENATION and PACK: copies the inputs. uint8 inputs whose scale differs from the output's are mapped through a
// table. Row of an input: its elements at one index of all dimensions before the axis. An output row is one row of each
// input, in order. Threads divide the rows, or pieces of rows if there are few rows.
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "cpu/ops/moves/move.h"
#include "cpu/ops/op.h"
#include "cpu/plan/blocks.h"
#include "cpu/plan/select.h"
#include "exact/byte_slopes.h"
#include "exact/rescaled_bytes.h"

// Pieces begin on cache lines.
enum { LINE = TVMQ_LINE, BLOCK = 1 << 13 };

struct concatenation {
  int n_in;
  size_t in_bytes[TVMQ_MAX_IN], out_bytes;           // bytes of a row
  size_t rows, task_rows, row_tasks, piece, pieces;  // a row has `pieces` pieces of `piece` bytes; a task copies one piece of each of its rows
  size_t block;                                      // output rows that stay in the cache until all inputs have been copied into them
  const struct tvmq_variant *byte_map;
  int map_of[TVMQ_MAX_IN];  // index in `maps`; -1: the input is copied
  float cycles;             // estimate for one thread
  struct tvmq_byte_map maps[];
};

static void make_maps(struct concatenation *c, const struct tvmq_concatenation_desc *d) {
  int n = 0;
  for (int i = 0; i < c->n_in; i++) {
    c->map_of[i] = tvmq_concatenation_rescales(d, i) ? n++ : -1;
    if (c->map_of[i] < 0) continue;
    const struct tvmq_byte_scale in = {d->in[i].scale, d->in[i].zero_point}, out = {d->out.scale, d->out.zero_point};
    struct tvmq_byte_map *map = &c->maps[c->map_of[i]];
    tvmq_rescaled_table(in, out, map->table);
    tvmq_complete_byte_map(map, c->byte_map->flags & TVMQ_SLOPES);
  }
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  const struct tvmq_concatenation_desc *d = &desc->concatenation;
  const struct tvmq_target target = tvmq_target(env);
  size_t n_maps = 0;
  for (int i = 0; i < d->n_in; i++) n_maps += tvmq_concatenation_rescales(d, i);
  tvmq_free(*op);
  struct concatenation *c = tvmq_alloc(sizeof *c + n_maps * sizeof c->maps[0]);
  *op = (struct tvmq_op *)c;
  if (!c) return "out of memory";
  c->n_in = d->n_in;
  c->rows = d->rows;
  c->byte_map = n_maps > 0 ? tvmq_select_untyped(TVMQ_FAMILY_BYTE_MAP, &target) : NULL;
  make_maps(c, d);
  memcpy(c->in_bytes, d->row_bytes, sizeof c->in_bytes);
  for (int i = 0; i < c->n_in; i++) c->out_bytes += c->in_bytes[i];
  const float row_cycles = (float)c->out_bytes * env->machine->joined_byte_cycles + (float)c->n_in * env->machine->joined_copy_cycles;
  c->cycles = (float)c->rows * row_cycles;
  const size_t wanted = tvmq_tasks_wanted(env->machine, env->threads, c->cycles);
  c->task_rows = tvmq_ceil_div(c->rows, tvmq_min(wanted, c->rows));
  c->row_tasks = tvmq_ceil_div(c->rows, c->task_rows);
  c->piece = tvmq_round_up(tvmq_ceil_div(c->out_bytes, tvmq_ceil_div(wanted, c->row_tasks)), LINE);
  c->pieces = tvmq_ceil_div(c->out_bytes, c->piece);
  c->block = tvmq_max(1, BLOCK / tvmq_max(c->out_bytes, 1));
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct concatenation *c = (const struct concatenation *)op;
  const bool rescales = c->byte_map != NULL;
  *out = (struct tvmq_op_info){.kernel = rescales ? c->byte_map->name : "", .algorithm = rescales ? "byte tables" : "copies", .cycles = c->cycles};
}

// The part of an input that one task copies: `n` bytes of each of some rows.
struct segment {
  const uint8_t *in;
  const struct tvmq_byte_map *map;  // NULL: copy without a map
  uint8_t *out;
  size_t in_bytes, n, rows;  // in_bytes: bytes of a row of the input
};

static void move_segment(const struct concatenation *c, const struct segment *s) {
  if (s->map == NULL) {
    if (s->in != s->out) tvmq_move_rows(s->out, (ptrdiff_t)c->out_bytes, s->in, (ptrdiff_t)s->in_bytes, s->n, s->rows);
    return;
  }
  for (size_t i = 0; i < s->rows; i++)
    c->byte_map->fn.byte_map(&(struct tvmq_byte_map_args){.in = s->in + i * s->in_bytes, .out = s->out + i * c->out_bytes, .n = s->n, .map = s->map});
}

// Writes bytes [begin, end) of `rows` output rows. An input that was computed in its place in the output is skipped; it
// has a single row.
static void move_rows(const struct concatenation *c, const struct tvmq_pass *pass, size_t row, size_t rows, size_t begin, size_t end) {
  for (size_t i = 0, at = 0; i < (size_t)c->n_in; at += c->in_bytes[i++]) {
    const size_t from = tvmq_max(begin, at), to = tvmq_min(end, at + c->in_bytes[i]);
    if (from >= to) continue;
    const struct tvmq_byte_map *map = c->map_of[i] < 0 ? NULL : &c->maps[c->map_of[i]];
    const uint8_t *in = (const uint8_t *)pass->in[i] + row * c->in_bytes[i] + (from - at);
    uint8_t *out = (uint8_t *)pass->outs[0] + row * c->out_bytes + from;
    move_segment(c, &(struct segment){.in = in, .map = map, .out = out, .in_bytes = c->in_bytes[i], .n = to - from, .rows = rows});
  }
}

static size_t n_tasks(const struct tvmq_op *op, size_t pass) {
  const struct concatenation *c = (const struct concatenation *)op;
  return pass > 0 ? 0 : c->row_tasks * c->pieces;
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct concatenation *c = (const struct concatenation *)op;
  const size_t begin = tvmq_take_digit(&task.index, c->pieces) * c->piece, last = tvmq_min(begin + c->piece, c->out_bytes);
  const size_t first = task.index * c->task_rows, end = tvmq_min(first + c->task_rows, c->rows);
  for (size_t row = first; row < end; row += c->block) move_rows(c, pass, row, tvmq_min(c->block, end - row), begin, last);
}

// Appends nothing for more than MOST_SIGNED inputs, for which a signature has no room.
static void sign(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_text *text) {
  enum { MOST_SIGNED = 16 };
  (void)env;
  const struct tvmq_concatenation_desc *d = &desc->concatenation;
  if (!tvmq_operator_concatenation.leavable(desc) || d->n_in > MOST_SIGNED) return;
  tvmq_say(text, " in=%s rows=%zu bytes=", tvmq_type_name(d->type), d->rows);
  for (int i = 0; i < d->n_in; i++) tvmq_say(text, "%s%zu", i > 0 ? "," : "", d->row_bytes[i]);
}

const struct tvmq_implementation tvmq_op_concatenation = {.n_tasks = n_tasks, .run_task = run_task, TVMQ_PLANNING(.sign = sign, .plan = plan, .info = info)};
