// RESIZE_BILINEAR.
#include "base/arith.h"
#include "opencl/lower.h"
#include "operators/resize_weights.h"

enum { BLOCK = 4, LOCAL = 4 };  // channels of a work item; work items of a group in each direction

// Appends the positions of an axis. Returns their place.
static int32_t positions(const struct tvmq_resize_desc *desc, int32_t in, int32_t out, int32_t shift, struct tvmq_opencl_plan *plan) {
  int32_t at;
  struct tvmq_between *const table = tvmq_opencl_constants(plan, (size_t)out * sizeof *table, &at);
  for (int32_t i = 0; table != NULL && i < out; i++) table[i] = tvmq_resize_at(desc, in, out, shift, i);
  return at;
}

const char *tvmq_opencl_lower_resize(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan) {
  const struct tvmq_resize_desc *const d = &node->desc->resize;
  if (!tvmq_type_is_byte(d->in_type)) return TVMQ_OPENCL_BYTES;
  const int32_t row_shift = tvmq_resize_shift(d, d->in_h, d->out_h), column_shift = tvmq_resize_shift(d, d->in_w, d->out_w);
  const int32_t rows = positions(d, d->in_h, d->out_h, row_shift, plan), columns = positions(d, d->in_w, d->out_w, column_shift, plan);
  struct tvmq_opencl_launch *const launch = tvmq_opencl_launch(plan, "resize", TVMQ_ROUNDING_REFERENCE);
  if (launch == NULL) return NULL;
  launch->items[0] = tvmq_ceil_div((size_t)d->channels, BLOCK);
  launch->items[1] = (size_t)d->out_w;
  launch->items[2] = (size_t)d->batch * (size_t)d->out_h;
  launch->local[0] = launch->local[1] = LOCAL;
  TVMQ_OPENCL_PASS(launch, node->ins[0], node->outs[0], rows, columns, d->in_h, d->in_w, d->channels, d->out_h, d->out_w, row_shift + column_shift);
  tvmq_opencl_define(launch, "SIGNED", d->in_type == TVMQ_TYPE_S8);
  return NULL;
}
