// Operators that move bytes: copies of any order, and CONCATENATION.
#include <string.h>

#include "base/arith.h"
#include "exact/rescaled_bytes.h"
#include "opencl/lower.h"

enum { DIMS = 4, LOCAL_Y = 4, LOCAL_X = 16 };

// The arguments of kernels/opencl/move.cl.
struct move {
  int32_t in, out, run;
  int32_t n[DIMS], tables[DIMS], in_steps[DIMS], out_steps[DIMS];
  int32_t value, element, map;
};

static void launch_move(const struct move *m, struct tvmq_opencl_plan *plan) {
  struct tvmq_opencl_launch *const launch = tvmq_opencl_launch(plan, "move", TVMQ_ROUNDING_REFERENCE);
  if (launch == NULL) return;
  launch->items[0] = (size_t)m->run;
  launch->items[1] = (size_t)m->n[3];
  launch->items[2] = (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2];
  launch->local[0] = LOCAL_X;
  launch->local[1] = LOCAL_Y;
  TVMQ_OPENCL_PASS(launch, m->in, m->out, m->run);
  tvmq_opencl_pass(launch, m->n + 1, DIMS - 1);
  tvmq_opencl_pass(launch, m->tables, DIMS);
  tvmq_opencl_pass(launch, m->in_steps, DIMS);
  tvmq_opencl_pass(launch, m->out_steps, DIMS);
  TVMQ_OPENCL_PASS(launch, m->value, m->element, m->map);
  tvmq_opencl_define(launch, "MAP", m->map >= 0);
}

static const struct move nothing = {.n = {1, 1, 1, 1}, .tables = {-1, -1, -1, -1}, .element = 1, .map = -1};

// ---- copies

// Sets the dimension `d` of a move; its positions go into a table if they are no multiples of a step.
static void set_axis(struct move *m, int d, const struct tvmq_merged_axis *axis, struct tvmq_opencl_plan *plan) {
  m->n[d] = (int32_t)axis->n;
  m->in_steps[d] = (int32_t)axis->step;
  if (axis->table == NULL) return;
  int32_t *const table = tvmq_opencl_constants(plan, axis->n * sizeof *table, &m->tables[d]);
  for (size_t i = 0; table != NULL && i < axis->n; i++) {
    const ptrdiff_t offset = tvmq_merged_offset(axis, i);
    table[i] = offset == TVMQ_COPY_NOWHERE ? INT32_MIN : (int32_t)offset;
  }
}

const char *tvmq_opencl_lower_copy(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan) {
  const struct tvmq_copy_desc *const d = &node->desc->copy;
  const size_t parts = tvmq_copy_parts(d);
  if (parts > TVMQ_COPY_OUT) return "OpenCL: a copy in more than 64 parts";
  for (size_t k = 0; k < parts; k++) {
    const struct tvmq_merged_copy copy = tvmq_merge_copy(d, k);
    if (copy.rank > DIMS) return "OpenCL: a copy of more than four dimensions";
    if (copy.bytes == 0) continue;
    struct move m = nothing;
    m.in = node->ins[0] + (int32_t)copy.begin;
    m.out = node->outs[copy.output] + (int32_t)copy.to;
    m.run = (int32_t)copy.run;
    m.value = d->value;
    m.element = (int32_t)tvmq_type_bytes(d->in_type);
    size_t step = copy.run;
    for (int i = copy.rank; i-- > 0;) {
      const int at = DIMS - copy.rank + i;
      set_axis(&m, at, &copy.axes[i], plan);
      m.out_steps[at] = (int32_t)step;
      step *= copy.axes[i].n;
    }
    launch_move(&m, plan);
  }
  return NULL;
}

// ---- CONCATENATION

// Moves the bytes of an input whose scale differs from the output's through a table.
static int32_t table_of(const struct tvmq_concatenation_desc *d, int input, struct tvmq_opencl_plan *plan) {
  const struct tvmq_byte_scale in = {d->in[input].scale, d->in[input].zero_point}, out = {d->out.scale, d->out.zero_point};
  int32_t at;
  uint8_t *const table = tvmq_opencl_constants(plan, TVMQ_N_BYTES, &at);
  if (table != NULL) tvmq_rescaled_table(in, out, table);
  return at;
}

const char *tvmq_opencl_lower_concatenation(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan) {
  const struct tvmq_concatenation_desc *const d = &node->desc->concatenation;
  size_t out_row = 0, at = 0;
  for (int i = 0; i < d->n_in; i++) out_row += d->row_bytes[i];
  for (int i = 0; i < d->n_in; at += d->row_bytes[i++]) {
    const bool rescales = tvmq_concatenation_rescales(d, i);
    struct move m = nothing;
    m.in = node->ins[i];
    m.out = node->outs[0] + (int32_t)at;
    m.run = (int32_t)d->row_bytes[i];
    m.n[3] = (int32_t)d->rows;
    m.in_steps[3] = m.run;
    m.out_steps[3] = (int32_t)out_row;
    if (rescales) m.map = table_of(d, i, plan);
    if (m.run > 0 && d->rows > 0 && (m.in != m.out || rescales)) launch_move(&m, plan);  // an input may have been computed in its place
  }
  return NULL;
}
