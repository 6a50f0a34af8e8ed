#include "tflite/schema.h"

#include <stdint.h>

const void *tvmq_schema_data(struct tvmq_flatbuffer *file, const struct tvmq_vector *buffers, const struct tvmq_table *tensor, size_t *bytes) {
  const uint32_t index = (uint32_t)tvmq_table_number(file, tensor, TENSOR_BUFFER, sizeof index, 0);
  *bytes = 0;
  if (index == 0) return NULL;  // buffer 0 stands for none
  const struct tvmq_table buffer = tvmq_vector_table(file, buffers, index);
  const struct tvmq_vector data = tvmq_table_vector(file, &buffer, BUFFER_DATA, 1);
  *bytes = data.n;
  if (data.n > 0) return data.data;
  const uint64_t offset = tvmq_table_number(file, &buffer, BUFFER_OFFSET, sizeof offset, 0),
                 size = tvmq_table_number(file, &buffer, BUFFER_SIZE, sizeof size, 0);
  if (offset <= 1) return NULL;  // 1 stands for none
  if (offset > file->size || size > file->size - offset) {
    if (file->fault == NULL) file->fault = "a tensor's data exceeds the file";
    return NULL;
  }
  *bytes = (size_t)size;
  return file->base + offset;
}
