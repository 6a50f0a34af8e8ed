#include "op.h"

// Values of the flatbuffer schema's BuiltinOperator.
static const struct {
  int32_t builtin_code;
  const struct tvmq_op_class *op_class;
} classes[] = {
    {3, &tvmq_op_conv},
    {4, &tvmq_op_depthwise},
    {114, &tvmq_op_requantize},
};

const struct tvmq_op_class *tvmq_op_class_find(int32_t builtin_code) {
  for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
    if (classes[i].builtin_code == builtin_code) return classes[i].op_class;
  }
  return NULL;
}
