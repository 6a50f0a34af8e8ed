// Plans: what is to be measured, an object of JSON a line (docs/measure.md).
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "records/members.h"
#include "records/records.h"

enum { TVMQ_MOST_STEPS = 1024, TVMQ_MOST_REPEATS = 1000 };

struct tvmq_plan_step {
  char task[TVMQ_TASK_SIZE];  // its signature
  bool has_choice;
  struct tvmq_choice_text choice;
};

// A line. Steps run one after the other, each on tensors of its own.
struct tvmq_plan_line {
  struct tvmq_plan_step *steps;
  size_t n, room;
  const char *full;  // why there is no room for another step; NULL: there is
  double repeats;
  bool compare;     // with what plain C computes
  bool candidates;  // are listed, of the first step, and nothing is measured
};

// Reads a line. NULL, or why it is none (static string). The line is to be released either way, and may be read into again.
const char *tvmq_plan_read(struct tvmq_plan_line *line, const char *text, size_t size);
void tvmq_plan_release(struct tvmq_plan_line *line);
