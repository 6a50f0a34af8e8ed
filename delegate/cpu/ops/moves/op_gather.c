// GATHER_ND, and GATHER of computed indices: copies slices. Threads divide the output. An index outside the input makes the inference fail.
#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "cpu/ops/moves/move.h"
#include "operators/gather.h"

struct gather {
  struct tvmq_cut cut;  // slices of the output
  struct tvmq_gather_desc desc;
  size_t slice_bytes;
};

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  tvmq_free(*op);
  *op = tvmq_alloc(sizeof(struct gather));
  struct gather *g = (struct gather *)*op;
  if (!g) return "out of memory";
  g->desc = desc->gather;
  g->desc.indices = NULL;  // they are an input
  g->slice_bytes = (size_t)g->desc.slice * tvmq_type_bytes(g->desc.in_type);
  const size_t n = (size_t)g->desc.outer * (size_t)g->desc.n;
  const float slice_cycles = (float)g->slice_bytes * env->machine->joined_byte_cycles + env->machine->joined_copy_cycles;
  tvmq_cut_units(&g->cut, n, 1, (float)n * slice_cycles, env);
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  *out = (struct tvmq_op_info){.kernel = "", .algorithm = "copies", .cycles = ((const struct gather *)op)->cut.cycles};
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct gather *g = (const struct gather *)op;
  const struct tvmq_piece piece = tvmq_cut_piece(&g->cut, task.index);
  for (size_t i = piece.first; i < piece.first + piece.n; i++) {
    const int64_t slice = tvmq_gather_slice(&g->desc, pass->in[1], i);
    if (slice < 0)
      tvmq_pass_fail(pass, "an index to gather is outside the input");
    else
      tvmq_move((uint8_t *)pass->outs[0] + i * g->slice_bytes, (const uint8_t *)pass->in[0] + (size_t)slice * g->slice_bytes, g->slice_bytes);
  }
}

const struct tvmq_implementation tvmq_op_gather = {.n_tasks = tvmq_cut_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .info = info)};
