// Measurement plans: each line is a JSON object that says what to measure (docs/measure.md).
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "records/members.h"
#include "records/records.h"

enum { TVMQ_MOST_STEPS = 1024, TVMQ_MOST_REPEATS = 1000 };

struct tvmq_plan_step {
  char task[TVMQ_TASK_SIZE];  // signature of the operator
  bool has_choice;
  struct tvmq_choice_text choice;
};

// A line of a plan. Its steps run one after the other.
struct tvmq_plan_line {
  struct tvmq_plan_step *steps;
  size_t n, room;
  const char *full;  // why there is no room for another step, or NULL
  double repeats;
  bool compare;     // compare outputs with those of plain C kernels
  bool candidates;  // only list the candidates of the first step, without measuring
};

// Parses a line. Returns NULL, or a static string that says why the line is invalid. Release the line in either case;
// it may be reused for another read.
const char *tvmq_plan_read(struct tvmq_plan_line *line, const char *text, size_t size);
void tvmq_plan_release(struct tvmq_plan_line *line);
