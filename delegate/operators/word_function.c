#include "operators/word_function.h"

#include <stddef.h>

#include "exact/float_words.h"
#include "operators/sigmoid.h"

static const struct {
  enum tvmq_function function;
  enum tvmq_word_function in_float;
} tables[] = {{TVMQ_FUNCTION_GELU, TVMQ_WORDS_GELU},
              {TVMQ_FUNCTION_GELU_TANH, TVMQ_WORDS_GELU_TANH},
              {TVMQ_FUNCTION_EXP, TVMQ_WORDS_EXP},
              {TVMQ_FUNCTION_LOG, TVMQ_WORDS_LOG},
              {TVMQ_FUNCTION_RSQRT, TVMQ_WORDS_RSQRT}};

// Kernels that round a product before a sum in one place do so everywhere, because one compiler made them.
static enum tvmq_contraction contraction_of(enum tvmq_hybrid floats) {
  return floats == TVMQ_HYBRID_SSE || floats == TVMQ_HYBRID_PORTABLE ? TVMQ_CONTRACTION_NONE : TVMQ_CONTRACTION_UNKNOWN;
}

const char *tvmq_unary_words(const struct tvmq_unary_desc *desc, struct tvmq_word_map *map) {
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
    if (tables[i].function != desc->function) continue;
    if (desc->floats == TVMQ_HYBRID_UNKNOWN) return "int16: the runtime's arithmetic is unknown: see the option hybrid";
    return tvmq_word_function_map(tables[i].in_float, desc->in.scale, desc->out.scale, contraction_of(desc->floats), map);
  }
  return tvmq_sigmoid_map(desc, map);
}
