#include "cpu/plan/choice.h"

const char *tvmq_algorithm_name(enum tvmq_algorithm algorithm) {
  static const char *const names[TVMQ_N_ALGORITHMS] = {
      [TVMQ_ALGORITHM_ANY] = "",          [TVMQ_ALGORITHM_ROW_TABLE] = "row table",     [TVMQ_ALGORITHM_IM2COL] = "im2col",
      [TVMQ_ALGORITHM_MATRIX] = "matrix", [TVMQ_ALGORITHM_PADDED_COPY] = "padded copy", [TVMQ_ALGORITHM_MATRIX_IM2COL] = "matrix im2col",
      [TVMQ_ALGORITHM_DIRECT] = "direct", [TVMQ_ALGORITHM_WINOGRAD] = "winograd",       [TVMQ_ALGORITHM_PIXEL_TABLE] = "pixel table",
      [TVMQ_ALGORITHM_PLAIN] = "plain",   [TVMQ_ALGORITHM_RUNTIME] = "runtime",
  };
  return names[algorithm];
}

void tvmq_choices_add(struct tvmq_choices *choices, const struct tvmq_choice *choice) {
  size_t at = choices->n;
  while (at > 0 && choices->list[at - 1].cycles > choice->cycles) at--;
  if (at == choices->max) return;
  if (choices->n < choices->max) choices->n++;
  for (size_t i = choices->n - 1; i > at; i--) choices->list[i] = choices->list[i - 1];
  choices->list[at] = *choice;
}
