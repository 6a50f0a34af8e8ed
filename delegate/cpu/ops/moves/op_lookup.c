// EMBEDDING_LOOKUP: rows of a table, copied or multiplied by their scales. Threads divide the rows of the output. An index outside the table makes the
// inference fail.
#include <string.h>

#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "cpu/ops/moves/move.h"

struct lookup {
  struct tvmq_cut cut;  // rows of the output
  bool converts;
  size_t n_rows, row, in_bytes, out_bytes;  // rows of the table, elements of a row, and bytes of a row in the table and in the output
  size_t n_scales;
  float scales[];
};

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  const struct tvmq_lookup_desc *d = &desc->lookup;
  const bool converts = tvmq_lookup_converts(d);
  const size_t n_scales = converts ? (size_t)d->n_scales : 0, row = (size_t)d->row;
  tvmq_free(*op);
  *op = tvmq_alloc(sizeof(struct lookup) + n_scales * sizeof(float));
  struct lookup *l = (struct lookup *)*op;
  if (!l) return "out of memory";
  l->converts = converts;
  l->n_rows = (size_t)d->rows;
  l->row = row;
  l->in_bytes = row * tvmq_type_bytes(d->table_type);
  l->out_bytes = row * tvmq_type_bytes(d->out_type);
  l->n_scales = n_scales;
  if (n_scales > 0) memcpy(l->scales, d->scales, n_scales * sizeof(float));
  tvmq_cut_units(&l->cut, (size_t)d->n, 1, (float)d->n * (float)l->out_bytes / 8, env);
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct lookup *l = (const struct lookup *)op;
  *out = (struct tvmq_op_info){.kernel = "", .algorithm = l->converts ? "rows" : "copies", .cycles = l->cut.cycles};
}

// The reference multiplies in float64 and rounds to float32. Products are exact in float64, so that those in float32 are the same. uint8 is read as int8.
static void scale_row(const void *in, float *restrict out, size_t n, float scale) {
  const int8_t *restrict from = in;
  for (size_t i = 0; i < n; i++) out[i] = scale * (float)from[i];
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct lookup *l = (const struct lookup *)op;
  const struct tvmq_piece piece = tvmq_cut_piece(&l->cut, task.index);
  const int32_t *indices = pass->in[0];
  for (size_t i = piece.first; i < piece.first + piece.n; i++) {
    const size_t index = (size_t)(uint32_t)indices[i];  // a negative index is beyond all rows
    uint8_t *const out = (uint8_t *)pass->outs[0] + i * l->out_bytes;
    if (index >= l->n_rows) {
      tvmq_pass_fail(pass, "EMBEDDING_LOOKUP of an index outside the table");
      continue;
    }
    const uint8_t *const in = (const uint8_t *)pass->in[1] + index * l->in_bytes;
    if (l->converts)
      scale_row(in, (float *)out, l->row, l->scales[l->n_scales > 1 ? index : 0]);
    else
      tvmq_move(out, in, l->out_bytes);
  }
}

const struct tvmq_implementation tvmq_op_lookup = {.n_tasks = tvmq_cut_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .info = info)};
