#include "measure/plan.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"

// Reads a step's choice and sets has_choice.
static bool read_step_choice(struct tvmq_json *json, const struct tvmq_member *member, void *object) {
  struct tvmq_plan_step *step = object;
  step->has_choice = true;
  return tvmq_read_choice(json, member, object) && tvmq_choice_sane(&step->choice);
}

static const struct tvmq_member step_members[] = {
    {"task", tvmq_read_text, offsetof(struct tvmq_plan_step, task), TVMQ_TASK_SIZE, false},
    {"choice", read_step_choice, offsetof(struct tvmq_plan_step, choice), 0, true},
};

// Appends an empty step. Returns NULL and sets line->full if there is no room.
static struct tvmq_plan_step *add_step(struct tvmq_plan_line *line) {
  if (line->n == line->room) {
    const size_t room = line->room > 0 ? 4 * line->room : 4;
    struct tvmq_plan_step *steps = line->room < TVMQ_MOST_STEPS ? tvmq_alloc(room * sizeof *steps) : NULL;
    if (steps == NULL) line->full = line->room < TVMQ_MOST_STEPS ? "out of memory" : "more than 1024 steps";
    if (steps == NULL) return NULL;
    if (line->n > 0) memcpy(steps, line->steps, line->n * sizeof *steps);
    tvmq_free(line->steps);
    line->steps = steps;
    line->room = room;
  }
  line->steps[line->n] = (struct tvmq_plan_step){.has_choice = false};
  return &line->steps[line->n++];
}

static bool read_steps(struct tvmq_json *json, const struct tvmq_member *member, void *object) {
  struct tvmq_plan_line *line = object;
  size_t n = 0;
  (void)member;
  if (!tvmq_json_begin(json, '[')) return false;
  while (tvmq_json_next(json, ']', &n)) {
    struct tvmq_plan_step *step = add_step(line);
    if (step == NULL || !tvmq_read_members(json, step_members, sizeof step_members / sizeof step_members[0], step)) return false;
  }
  return !json->failed;
}

static const struct tvmq_member line_members[] = {
    {"steps", read_steps, 0, 0, false},
    {"repeats", tvmq_read_number, offsetof(struct tvmq_plan_line, repeats), 0, true},
    {"compare", tvmq_read_truth, offsetof(struct tvmq_plan_line, compare), 0, true},
    {"candidates", tvmq_read_truth, offsetof(struct tvmq_plan_line, candidates), 0, true},
};

const char *tvmq_plan_read(struct tvmq_plan_line *line, const char *text, size_t size) {
  struct tvmq_json json = {.at = text, .end = text + size};
  line->n = 0;
  line->full = NULL;
  line->repeats = 5;
  line->compare = line->candidates = false;
  if (!tvmq_read_members(&json, line_members, sizeof line_members / sizeof line_members[0], line) || !tvmq_json_done(&json))
    return line->full != NULL ? line->full : "not an object with steps, each with a task, and optionally repeats, compare and candidates";
  if (line->n == 0) return "no steps";
  if (!(line->repeats >= 1 && line->repeats <= TVMQ_MOST_REPEATS) || line->repeats != floor(line->repeats))
    return "repeats is not a whole number from 1 to 1000";
  return NULL;
}

void tvmq_plan_release(struct tvmq_plan_line *line) {
  tvmq_free(line->steps);
  line->steps = NULL;
  line->n = line->room = 0;
}
