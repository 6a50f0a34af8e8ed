// A trial: runs the operators of a plan's line one after the other and measures their times.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/ops/op.h"
#include "cpu/threads/threads.h"
#include "graph/signature.h"
#include "measure/plan.h"
#include "measure/recipe.h"

enum { TVMQ_TRIAL_ROOMS = 3 };

// A planned operator.
struct tvmq_trial_step {
  struct tvmq_made made;
  const struct tvmq_implementation *by;  // implementation that runs the operator
  struct tvmq_op *op;
  struct tvmq_op_info info;
  char signature[TVMQ_TASK_SIZE];  // on this machine
  const void *in[TVMQ_RECIPE_INPUTS];
  void *out;
  size_t first_pass, n_passes;
  uint64_t checksum;  // checksum of the output
  bool compared, exact;
};

struct tvmq_trial {
  struct tvmq_env env;
  struct tvmq_scratch scratch;
  struct tvmq_budget transformed;
  struct tvmq_trial_step *steps;
  size_t n;
  // rooms[0] and rooms[1] alternate as input and output, so that each step reads its predecessor's output, as in a
  // network's arena. rooms[2]: second inputs.
  void *rooms[TVMQ_TRIAL_ROOMS];
  struct tvmq_trial_pass *passes;
  struct tvmq_sequence *sequence;
  char error[200];  // "" if there is none
};

// Makes and plans the steps of a line for this machine. cpu: the CPU features to use, all or some of this CPU's.
// most_bytes: limit for each tensor, and for all weights together. On failure, returns false and trial->error says why.
// Release the trial in either case.
bool tvmq_trial_prepare(struct tvmq_trial *trial, const struct tvmq_plan_line *line, uint32_t cpu, size_t most_bytes);
void tvmq_trial_release(struct tvmq_trial *trial);

// Runs each step once on pseudo-random inputs and computes the checksum of its output. With `compare`, also compares
// each output with that of plain C kernels. On failure, returns false and trial->error says why.
bool tvmq_trial_check(struct tvmq_trial *trial, bool compare);

// Returns the shortest time of an inference, in ns, over the runs that fit into a few milliseconds. step: index of the
// step to run, or SIZE_MAX for all steps.
uint64_t tvmq_trial_time(const struct tvmq_trial *trial, size_t step);

// Lists the candidates of the first step and returns their number, at most `max`.
size_t tvmq_trial_candidates(const struct tvmq_trial *trial, struct tvmq_choice *list, size_t max);
