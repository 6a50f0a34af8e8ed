#include "cpu/plan/choice.h"

const char *tvmq_way_name(enum tvmq_way way) {
  static const char *const names[TVMQ_N_WAYS] = {
      [TVMQ_WAY_ANY] = "",          [TVMQ_WAY_ROW_TABLE] = "row table",     [TVMQ_WAY_IM2COL] = "im2col",
      [TVMQ_WAY_MATRIX] = "matrix", [TVMQ_WAY_PADDED_COPY] = "padded copy", [TVMQ_WAY_MATRIX_IM2COL] = "matrix im2col",
      [TVMQ_WAY_DIRECT] = "direct", [TVMQ_WAY_WINOGRAD] = "winograd",       [TVMQ_WAY_PIXEL_TABLE] = "pixel table",
      [TVMQ_WAY_PLAIN] = "plain",   [TVMQ_WAY_RUNTIME] = "runtime",
  };
  return names[way];
}

void tvmq_choices_add(struct tvmq_choices *choices, const struct tvmq_choice *choice) {
  size_t at = choices->n;
  while (at > 0 && choices->list[at - 1].cycles > choice->cycles) at--;
  if (at == choices->max) return;
  if (choices->n < choices->max) choices->n++;
  for (size_t i = choices->n - 1; i > at; i--) choices->list[i] = choices->list[i - 1];
  choices->list[at] = *choice;
}
