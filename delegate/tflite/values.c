#include "tflite/values.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

struct tvmq_value {
  bool known;
  TfLiteTensor tensor;
  int dims[1 + TVMQ_MAX_RANK];  // a TfLiteIntArray
  uint64_t data[TVMQ_VALUE_BYTES / sizeof(uint64_t)];
};
_Static_assert(sizeof(TfLiteIntArray) == sizeof(int), "the dimensions lie behind their number");

struct tvmq_values *tvmq_values_create(size_t n) {
  struct tvmq_values *values = tvmq_alloc(sizeof *values + n * sizeof values->of[0]);
  if (values != NULL) values->n = n;
  return values;
}

void tvmq_values_free(struct tvmq_values *values) {
  for (size_t i = 0; values != NULL && i < values->n; i++) tvmq_free(values->of[i]);
  tvmq_free(values);
}

static bool has_place(const struct tvmq_values *values, int index) { return values != NULL && index >= 0 && (size_t)index < values->n; }

void *tvmq_values_set(struct tvmq_values *values, int index, const TfLiteTensor *tensor, const struct tvmq_shape *shape) {
  if (!has_place(values, index) || shape->bytes > TVMQ_VALUE_BYTES) return NULL;
  if (values->of[index] == NULL) values->of[index] = tvmq_alloc(sizeof *values->of[index]);
  struct tvmq_value *value = values->of[index];
  if (value == NULL) return NULL;
  value->known = true;
  value->tensor = *tensor;
  value->tensor.allocation_type = kTfLitePersistentRo;
  value->tensor.data = value->data;
  value->tensor.bytes = shape->bytes;
  value->tensor.dims = (TfLiteIntArray *)value->dims;
  value->dims[0] = shape->rank;
  memcpy(&value->dims[1], shape->dims, (size_t)shape->rank * sizeof value->dims[0]);
  return value->data;
}

void tvmq_values_drop(struct tvmq_values *values, int index) {
  if (has_place(values, index) && values->of[index] != NULL) values->of[index]->known = false;
}

bool tvmq_values_known(const struct tvmq_values *values, int index) {
  return has_place(values, index) && values->of[index] != NULL && values->of[index]->known;
}

const TfLiteTensor *tvmq_values_at(const struct tvmq_values *values, const TfLiteContext *context, int index) {
  return tvmq_values_known(values, index) ? &values->of[index]->tensor : tvmq_tensor_at(context, index);
}
