#include "tflite/tensor.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

const TfLiteTensor *tvmq_tensor_at(const TfLiteContext *context, int index) {
  return index >= 0 && (size_t)index < context->tensors_size ? &context->tensors[index] : NULL;
}

enum tvmq_type tvmq_tensor_type(const TfLiteTensor *tensor) {
  switch (tensor->type) {
    case kTfLiteInt8:
      return TVMQ_TYPE_S8;
    case kTfLiteUInt8:
      return TVMQ_TYPE_U8;
    case kTfLiteInt16:
      return TVMQ_TYPE_S16;
    case kTfLiteInt32:
      return TVMQ_TYPE_S32;
    case kTfLiteInt64:
      return TVMQ_TYPE_S64;
    case kTfLiteFloat32:
      return TVMQ_TYPE_F32;
    case kTfLiteInt4:
      return TVMQ_TYPE_S4;
    case kTfLiteBool:
      return TVMQ_TYPE_BOOL;
    default:
      return TVMQ_TYPE_OTHER;
  }
}

struct tvmq_quant tvmq_tensor_quant(const TfLiteTensor *tensor) {
  if (tensor->quantization.type != kTfLiteAffineQuantization) return (struct tvmq_quant){0};
  return (struct tvmq_quant){.scale = tensor->params.scale, .zero_point = tensor->params.zero_point};
}

const char *tvmq_shape_set_bytes(struct tvmq_shape *shape, enum tvmq_type type) {
  size_t bytes = tvmq_type_bytes(type);
  for (int i = 0; i < shape->rank; i++) {
    if (shape->dims[i] < 0) return "a tensor has a negative dimension";
    if (__builtin_mul_overflow(bytes, (size_t)shape->dims[i], &bytes)) return "a tensor exceeds the address space";
  }
  shape->bytes = bytes;
  return NULL;
}

const char *tvmq_tensor_shape(const TfLiteTensor *tensor, struct tvmq_shape *shape) {
  *shape = (struct tvmq_shape){0};
  if (tensor->dims == NULL || tensor->dims->size < 0) return "a tensor has no shape";
  if (tensor->dims->size > TVMQ_MAX_RANK) return "a tensor has more than 8 dimensions";
  if (tensor->sparsity != NULL) return "sparse tensors are not supported";
  shape->rank = tensor->dims->size;
  for (int i = 0; i < shape->rank; i++) shape->dims[i] = tensor->dims->data[i];
  return tvmq_shape_set_bytes(shape, tvmq_tensor_type(tensor));
}

bool tvmq_tensor_is_constant(const TfLiteTensor *tensor) {
  return (tensor->allocation_type == kTfLiteMmapRo || tensor->allocation_type == kTfLitePersistentRo) && tensor->data != NULL;
}

static const char *check_length(const TfLiteTensor *tensor, const struct tvmq_shape *shape) {
  const bool packed = tvmq_tensor_type(tensor) == TVMQ_TYPE_S4;
  return tvmq_tensor_is_constant(tensor) && !packed && tensor->bytes < shape->bytes ? "a constant has fewer bytes than its shape needs" : NULL;
}

const char *tvmq_tensor_constant_shape(const TfLiteTensor *tensor, struct tvmq_shape *shape) {
  if (tensor == NULL) return "a tensor index is out of range";
  const char *reason = tvmq_tensor_shape(tensor, shape);
  return reason != NULL ? reason : check_length(tensor, shape);
}

const char *tvmq_tensor_parameter(const TfLiteContext *context, int index, const TfLiteTensor **tensor, struct tvmq_shape *shape) {
  *tensor = tvmq_tensor_at(context, index);
  return tvmq_tensor_constant_shape(*tensor, shape);
}

static bool is_readable(const TfLiteTensor *tensor) { return tensor->allocation_type >= kTfLiteMmapRo && tensor->allocation_type <= kTfLiteCustom; }
static bool is_writable(const TfLiteTensor *tensor) {
  return tensor->allocation_type == kTfLiteArenaRw || tensor->allocation_type == kTfLiteDynamic || tensor->allocation_type == kTfLiteCustom;
}

// Returns whether the data is aligned to its elements, as kernels need. A file may place constants at any address.
static bool is_aligned(const TfLiteTensor *tensor) { return (uintptr_t)tensor->data % tvmq_type_bytes(tvmq_tensor_type(tensor)) == 0; }

const char *tvmq_tensor_input(const TfLiteTensor *tensor, struct tvmq_shape *shape) {
  if (tensor == NULL) return "a tensor index is out of range";
  if (!is_readable(tensor)) return "the input is not in memory that the CPU can read";
  if (tvmq_tensor_is_constant(tensor) && !is_aligned(tensor)) return "a constant input is not aligned";
  if (tensor->is_variable) return "variable tensors (is_variable) are not supported";
  const char *reason = tvmq_tensor_shape(tensor, shape);
  return reason != NULL ? reason : check_length(tensor, shape);
}

const char *tvmq_tensor_output(const TfLiteTensor *tensor) {
  if (tensor == NULL) return "a tensor index is out of range";
  if (!is_writable(tensor) || tensor->sparsity != NULL) return "the output is not in memory that the CPU can write";
  return tensor->is_variable ? "variable tensors (is_variable) are not supported" : NULL;
}

bool tvmq_tensor_resize(TfLiteContext *context, int index, const struct tvmq_shape *shape, bool always) {
  TfLiteTensor *tensor = &context->tensors[index];
  const bool same = tensor->dims != NULL && tvmq_shape_has_dims(shape, tensor->dims->size, tensor->dims->data);
  if (same && !always) return true;
  TfLiteIntArray *dims = tvmq_alloc_foreign(sizeof *dims + (size_t)shape->rank * sizeof(int));
  if (dims == NULL) return false;
  dims->size = shape->rank;
  memcpy(dims->data, shape->dims, (size_t)shape->rank * sizeof(int));
  return context->ResizeTensor(context, tensor, dims) == kTfLiteOk;  // owns dims, even when it fails
}

void *tvmq_tensor_data(const TfLiteContext *context, int index, size_t bytes) {
  const TfLiteTensor *tensor = tvmq_tensor_at(context, index);
  if (tensor == NULL) return NULL;
  return tensor->bytes == bytes || (tvmq_tensor_is_constant(tensor) && tensor->bytes > bytes) ? tensor->data : NULL;
}
