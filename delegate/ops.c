#include "op.h"
#include "op_names.h"

static const struct {
  int32_t builtin_code;
  const struct tvmq_op_class *op_class;
} classes[] = {
    {TVMQ_BUILTIN_CONV_2D, &tvmq_op_conv},
    {TVMQ_BUILTIN_DEPTHWISE_CONV_2D, &tvmq_op_depthwise},
    {TVMQ_BUILTIN_QUANTIZE, &tvmq_op_requantize},
};

const struct tvmq_op_class *tvmq_op_class_find(int32_t builtin_code) {
  for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
    if (classes[i].builtin_code == builtin_code) return classes[i].op_class;
  }
  return NULL;
}
