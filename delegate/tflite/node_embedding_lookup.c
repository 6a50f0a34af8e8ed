// EMBEDDING_LOOKUP.
#include "tflite/node_kind.h"

enum { INDICES, TABLE };  // inputs

static const char *describe_scales(const TfLiteTensor *table, struct tvmq_lookup_desc *lookup) {
  const TfLiteAffineQuantization *affine = table->quantization.type == kTfLiteAffineQuantization ? table->quantization.params : NULL;
  if (affine == NULL || affine->scale == NULL) return NULL;  // the claim rules say where a scale is needed
  lookup->scales = affine->scale->data;
  lookup->n_scales = affine->scale->size;
  for (int i = 0; affine->zero_point != NULL && i < affine->zero_point->size; i++) lookup->offset |= affine->zero_point->data[i] != 0;
  return lookup->n_scales > 1 && affine->quantized_dimension != 0 ? "the table's scales are not those of its rows" : NULL;
}

static const char *describe_embedding_lookup(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_lookup_desc *lookup = &desc->lookup;
  const struct tvmq_shape *indices = &shapes->in[INDICES], *table = &shapes->in[TABLE];
  lookup->table_type = tvmq_tensor_type(view->in[TABLE]);
  lookup->out_type = tvmq_tensor_type(view->out);
  // The versions that scale FULLY_CONNECTED in float64 know scales of rows.
  lookup->knows_row_scales = view->node->reference.scaling == TVMQ_SCALING_FLOAT64;
  if (tvmq_tensor_type(view->in[INDICES]) != TVMQ_TYPE_S32) return "the indices are not int32";
  if (indices->rank != 1) return "the indices have not 1 dimension";
  if (table->rank < 2) return "the table has fewer than 2 dimensions";
  lookup->n = indices->dims[0];
  lookup->rows = table->dims[0];
  lookup->row = 1;
  for (int d = 1; d < table->rank; d++) {
    if (__builtin_mul_overflow(lookup->row, table->dims[d], &lookup->row)) return "tensor has more than 2^31 - 1 elements";
  }
  shapes->out = *table;
  shapes->out.dims[0] = lookup->n;
  return describe_scales(view->in[TABLE], lookup);
}

const struct tvmq_node_kind tvmq_node_embedding_lookup = {
    .op_def = &tvmq_operator_lookup, .n_in = 2, .min_inputs = 2, .max_inputs = 2, .describe = describe_embedding_lookup};
