// The operators of a line of a plan, one after the other, and their times.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/threads/threads.h"
#include "graph/signature.h"
#include "measure/plan.h"
#include "measure/recipe.h"

enum { TVMQ_TRIAL_ROOMS = 3 };

// A planned operator.
struct tvmq_trial_step {
  struct tvmq_made made;
  const struct tvmq_op_class *by;  // the class that runs it
  struct tvmq_op *op;
  struct tvmq_op_info info;
  char signature[TVMQ_TASK_SIZE];  // on this machine
  const void *in[TVMQ_RECIPE_INPUTS];
  void *out;
  size_t first_pass, n_passes;
  uint64_t checksum;  // of the output
  bool compared, exact;
};

struct tvmq_trial {
  struct tvmq_env env;
  struct tvmq_scratch scratch;
  struct tvmq_budget transformed;
  struct tvmq_trial_step *steps;
  size_t n;
  // Inputs and outputs of the steps: each its predecessor's output, in two rooms by turns, as networks have their tensors in few places; and second inputs.
  void *rooms[TVMQ_TRIAL_ROOMS];
  struct tvmq_trial_pass *passes;
  struct tvmq_sequence *sequence;
  char error[200];  // "" where there is none
};

// Makes and plans the steps of a line for this CPU with these of its features, or with fewer. False: error says why. To be released either way.
// most_bytes: of each tensor, and of all weights.
bool tvmq_trial_prepare(struct tvmq_trial *trial, const struct tvmq_plan_line *line, uint32_t cpu, size_t most_bytes);
void tvmq_trial_release(struct tvmq_trial *trial);

// Runs each step once on inputs that are made up for it, and takes the checksum of its output; with `compare` each output is compared with what kernels of
// plain C compute. False: error says why.
bool tvmq_trial_check(struct tvmq_trial *trial, bool compare);

// The least time of an inference, of as many as some milliseconds have room for. SIZE_MAX: of all steps; else of one.
uint64_t tvmq_trial_time(const struct tvmq_trial *trial, size_t step);

// The candidates of the first step; how many there are.
size_t tvmq_trial_candidates(const struct tvmq_trial *trial, struct tvmq_choice *list, size_t max);
