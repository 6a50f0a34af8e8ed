// Functions of single bytes and operations on two bytes.
#include <string.h>

#include "base/arith.h"
#include "opencl/lower.h"
#include "operators/pair_values.h"

enum { EACH = 4, DIMS = 4 };  // elements of a work item; dimensions of a broadcast

static void lower_table(const struct tvmq_opencl_node *node, const uint8_t table[TVMQ_N_BYTES], struct tvmq_opencl_plan *plan) {
  int32_t at;
  uint8_t *const constants = tvmq_opencl_constants(plan, TVMQ_N_BYTES, &at);
  if (constants == NULL) return;
  memcpy(constants, table, TVMQ_N_BYTES);
  struct tvmq_opencl_launch *const launch = tvmq_opencl_launch(plan, "byte_map", TVMQ_ROUNDING_REFERENCE);
  if (launch == NULL) return;
  launch->items[0] = tvmq_ceil_div(node->out_bytes, EACH);
  launch->local[0] = TVMQ_OPENCL_LINE;
  TVMQ_OPENCL_PASS(launch, node->ins[0], node->outs[0], (int32_t)node->out_bytes, at);
}

const char *tvmq_opencl_lower_byte_map(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan) {
  const struct tvmq_byte_map_desc *const d = &node->desc->byte_map;
  uint8_t table[TVMQ_N_BYTES];
  for (int x = 0; x < TVMQ_N_BYTES; x++) table[x] = d->table[x ^ d->in_flip] ^ d->out_flip;
  lower_table(node, table, plan);
  return NULL;
}

const char *tvmq_opencl_lower_function(const struct tvmq_opencl_node *node, enum tvmq_type in, enum tvmq_type out, struct tvmq_opencl_plan *plan) {
  if (!tvmq_type_is_byte(in) || !tvmq_type_is_byte(out)) return TVMQ_OPENCL_BYTES;
  uint8_t all[TVMQ_N_BYTES], table[TVMQ_N_BYTES];
  for (int x = 0; x < TVMQ_N_BYTES; x++) all[x] = (uint8_t)x;
  if (!node->op_def->byte_function(node->desc, plan->rounding, (const uint8_t *const[]){all}, table)) return TVMQ_OPENCL_BYTES;
  lower_table(node, table, plan);
  return NULL;
}

const char *tvmq_opencl_lower_unary(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan) {
  // The reference fails at a negative element, which only the CPU looks for.
  if (node->desc->unary.function == TVMQ_FUNCTION_RSQRT) return "OpenCL: no kernel for RSQRT";
  return tvmq_opencl_lower_function(node, node->desc->unary.in_type, node->desc->unary.out_type, plan);
}

// ---- operations on two tensors

// Passes the dimensions below the outermost one, and the strides of both inputs.
static void pass_broadcast(const struct tvmq_broadcast *broadcast, struct tvmq_opencl_launch *launch) {
  int32_t dims[DIMS] = {1, 1, 1, 1}, strides[2][DIMS] = {{0}};
  for (int i = 0; i < broadcast->rank; i++) {
    const int at = DIMS - broadcast->rank + i;
    dims[at] = (int32_t)broadcast->dims[i];
    for (int input = 0; input < 2; input++) strides[input][at] = (int32_t)broadcast->in[input].strides[i];
  }
  tvmq_opencl_pass(launch, dims + 1, DIMS - 1);
  for (int input = 0; input < 2; input++) tvmq_opencl_pass(launch, strides[input], DIMS);
}

const char *tvmq_opencl_lower_binary(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan) {
  const struct tvmq_binary_desc *const d = &node->desc->binary;
  if (!tvmq_type_is_byte(d->type)) return TVMQ_OPENCL_BYTES;
  if (d->broadcast.rank > DIMS) return "OpenCL: inputs are broadcast along more than four dimensions";
  struct tvmq_pair_formula f;
  tvmq_set_pair_formula(d, plan->rounding, &f);
  const bool repeats = d->broadcast.rank > 0;
  struct tvmq_opencl_launch *const launch = tvmq_opencl_launch(plan, "binary", plan->rounding);
  if (launch == NULL) return NULL;
  launch->items[0] = repeats ? d->n : tvmq_ceil_div(d->n, EACH);
  launch->local[0] = TVMQ_OPENCL_LINE;
  TVMQ_OPENCL_PASS(launch, node->ins[0], node->ins[1], node->outs[0], (int32_t)d->n, f.left_shift, f.in_zero_point[0], f.in_zero_point[1], f.out_zero_point,
                   f.in_scale[0].multiplier, f.in_scale[0].shift, f.in_scale[1].multiplier, f.in_scale[1].shift, f.out_scale.multiplier, f.out_scale.shift,
                   f.min, f.max);
  pass_broadcast(&d->broadcast, launch);
  tvmq_opencl_define(launch, "OPERATION", (int)d->operation);
  tvmq_opencl_define(launch, "SIGNED", d->type == TVMQ_TYPE_S8);
  tvmq_opencl_define(launch, "BROADCAST", repeats);
  return NULL;
}
