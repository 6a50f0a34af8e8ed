// CONCATENATION: copies. Rows are what lies at one place of all dimensions before the axis: a row of the output is one of each input after the other. Threads
// share the rows, and pieces of them where they are few.
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "ops/claims/claim.h"
#include "ops/op.h"
#include "plan/blocks.h"

// Pieces begin on cache lines.
enum { LINE = TVMQ_LINE, CHUNK = 16, MOST_INLINE = 256 };

struct concatenation {
  int n_in;
  size_t in_bytes[TVMQ_MAX_IN], out_bytes;           // of a row
  size_t rows, task_rows, row_tasks, piece, pieces;  // pieces of `piece` bytes of a row; a task has one of them of each of its rows
};

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct concatenation));
  struct concatenation *c = (struct concatenation *)*op;
  if (!c) return "out of memory";
  const struct tvmq_concatenation_desc *d = &desc->concatenation;
  *c = (struct concatenation){.n_in = d->n_in, .rows = d->rows};
  memcpy(c->in_bytes, d->row_bytes, sizeof c->in_bytes);
  for (int i = 0; i < c->n_in; i++) c->out_bytes += c->in_bytes[i];
  const float row_cycles = (float)c->out_bytes * env->machine->joined_byte_cycles + (float)c->n_in * env->machine->joined_copy_cycles;
  const size_t wanted = tvmq_tasks_wanted(env->machine, env->threads, (float)c->rows * row_cycles);
  c->task_rows = tvmq_ceil_div(c->rows, tvmq_min(wanted, c->rows));
  c->row_tasks = tvmq_ceil_div(c->rows, c->task_rows);
  c->piece = tvmq_round_up(tvmq_ceil_div(c->out_bytes, tvmq_ceil_div(wanted, c->row_tasks)), LINE);
  c->pieces = tvmq_ceil_div(c->out_bytes, c->piece);
  return NULL;
}

static void release(struct tvmq_op *op) { tvmq_free(op); }

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  (void)op;
  *out = (struct tvmq_op_info){.kernel = "", .algorithm = "copies"};
}

// Short copies in place: a call would take as long.
static inline void copy(uint8_t *out, const uint8_t *in, size_t n) {
  if (n < CHUNK || n > MOST_INLINE) {
    memcpy(out, in, n);
    return;
  }
  for (size_t i = 0; i + CHUNK < n; i += CHUNK) memcpy(out + i, in + i, CHUNK);
  memcpy(out + n - CHUNK, in + n - CHUNK, CHUNK);
}

// What a task copies of an input in each row.
struct segment {
  const uint8_t *in;
  size_t in_bytes, at, n;  // of the input's row; where in the output's
};

static int find_segments(const struct concatenation *c, const void *const *in, const uint8_t *out, size_t first_row, size_t begin, size_t end,
                         struct segment *segments) {
  int n = 0;
  for (size_t i = 0, at = 0; i < (size_t)c->n_in; at += c->in_bytes[i++]) {
    const size_t from = tvmq_max(begin, at), to = tvmq_min(end, at + c->in_bytes[i]);
    const uint8_t *source = (const uint8_t *)in[i] + first_row * c->in_bytes[i] + (from - at);
    if (from >= to || source == out + first_row * c->out_bytes + from) continue;  // it has been computed there
    segments[n++] = (struct segment){source, c->in_bytes[i], from, to - from};
  }
  return n;
}

static size_t n_tasks(const struct tvmq_op *op, size_t pass) {
  const struct concatenation *c = (const struct concatenation *)op;
  return pass > 0 ? 0 : c->row_tasks * c->pieces;
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct concatenation *c = (const struct concatenation *)op;
  const size_t first = task.index / c->pieces * c->task_rows, end = tvmq_min(first + c->task_rows, c->rows);
  const size_t begin = task.index % c->pieces * c->piece;
  struct segment segments[TVMQ_MAX_IN];
  const int n = find_segments(c, pass->in, pass->out, first, begin, tvmq_min(begin + c->piece, c->out_bytes), segments);
  for (size_t row = first; row < end; row++) {
    for (struct segment *s = segments; s < segments + n; s++) {
      copy((uint8_t *)pass->out + row * c->out_bytes + s->at, s->in, s->n);
      s->in += s->in_bytes;
    }
  }
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_concatenation(&desc->concatenation); }

// Of a single row the inputs lie in the output one behind the other.
static uint32_t moves(const union tvmq_desc *desc, size_t offsets[]) {
  const struct tvmq_concatenation_desc *d = &desc->concatenation;
  if (d->rows != 1) return 0;
  size_t at = 0;
  for (int i = 0; i < d->n_in; at += d->row_bytes[i++]) offsets[i] = at;
  return d->n_in == 1 ? TVMQ_MOVES_INTO_OUT | TVMQ_MOVES_OUT_OF_IN : TVMQ_MOVES_INTO_OUT;
}

const struct tvmq_op_class tvmq_op_concatenation = {
    .claim = claim, .plan = plan, .n_tasks = n_tasks, .run_task = run_task, .release = release, .info = info, .moves = moves};
