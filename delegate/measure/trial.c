#include "measure/trial.h"

#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "base/checksum.h"
#include "base/clock.h"
#include "base/memory.h"
#include "cpu/cpu.h"
#include "host/options.h"
#include "measure/words.h"

// One pass of a step.
struct tvmq_trial_pass {
  const struct tvmq_trial_step *step;
  size_t number;
};

enum { SLICE_NS = 4000000, LEAST_RUNS = 3, MOST_THREADS = 64 };
enum { N_VALUES = 3 };  // values of each option that signatures contain

static bool fail_trial(struct tvmq_trial *trial, size_t step, const char *why) {
  snprintf(trial->error, sizeof trial->error, "step %zu: %s", step, why);
  return false;
}

// ---- preparing

static const struct tvmq_machine *this_machine(void) {
  const char *known = tvmq_cpu_machine();
  const struct tvmq_machine *found = known != NULL ? tvmq_machine_named(known) : NULL;
  return found != NULL ? found : tvmq_machine_for(tvmq_cpu_in_order());
}

// Reads an option from a signature. Leaves *value unchanged if the signature does not have the option. Returns false if
// the value is unknown.
static bool read_option(const char *signature, const char *option, int *value) {
  char text[16], name[16];
  if (!tvmq_word_there(signature, option)) return true;
  if (!tvmq_word_text(signature, option, text, sizeof text)) return false;
  for (int i = 0; i < N_VALUES; i++) {
    tvmq_option_name(option, i, name, sizeof name);
    if (strcmp(name, text) != 0) continue;
    *value = i;
    return true;
  }
  return false;
}

// Takes options and the number of threads from the first step, because a delegate has the same ones for all nodes.
static bool prepare_environment(struct tvmq_trial *trial, const char *signature, uint32_t cpu) {
  int rounding = TVMQ_ROUNDING_REFERENCE, winograd = TVMQ_WINOGRAD_AUTO;
  int32_t threads = 1;
  if (!read_option(signature, "rounding", &rounding) || !read_option(signature, "winograd", &winograd))
    return fail_trial(trial, 0, "unknown value of rounding or winograd");
  if (tvmq_word_there(signature, "threads") && (!tvmq_word_numbers(signature, "threads", 1, &threads) || threads < 1 || threads > MOST_THREADS))
    return fail_trial(trial, 0, "threads is not a number from 1 to 64");
  trial->transformed.limit = SIZE_MAX;
  trial->env = (struct tvmq_env){
      .cpu = cpu,
      .machine = this_machine(),
      .rounding = (enum tvmq_rounding)rounding,
      .winograd = (enum tvmq_winograd_use)winograd,
      .transformed = &trial->transformed,
      .scratch = &trial->scratch,
  };
  if (threads > tvmq_cpu_count()) return fail_trial(trial, 0, "more threads than processors");
  if (threads > 1) trial->env.threads = tvmq_threads_create(threads);
  return tvmq_threads_count(trial->env.threads) == threads || fail_trial(trial, 0, "cannot start the threads");
}

static const char *plan_step(struct tvmq_trial_step *step, const struct tvmq_env *env) {
  step->by = tvmq_op_computed_by(tvmq_implementation_of(step->made.op_def), &step->made.desc, env);
  const char *why = tvmq_op_plan(step->by, &step->op, &step->made.desc, env);
  if (why == NULL) step->by->info(step->op, &step->info);
  return why;
}

static const char *prepare_step(struct tvmq_trial *trial, struct tvmq_trial_step *step, const struct tvmq_plan_step *wanted, size_t most_bytes) {
  struct tvmq_choice choice;
  struct tvmq_env env = trial->env;
  const char *why = tvmq_make_operator(wanted->task, most_bytes, &step->made);
  if (why != NULL) return why;
  tvmq_sign(step->made.op, step->made.op_def, &step->made.desc, &trial->env, step->signature);
  if (!tvmq_same_operator(wanted->task, step->signature)) return "the signature has words that contradict each other or are unknown";
  if (wanted->has_choice && !tvmq_choice_known(&wanted->choice, &choice)) return "the choice has an unknown algorithm or kernel";
  if (wanted->has_choice) env.constraint = &choice;
  why = plan_step(step, &env);
  if (why != NULL) return why;
  return wanted->has_choice && !tvmq_same_choice(&step->info.choice, &choice) ? "the choice is not legal here" : NULL;
}

static void run_trial_task(void *context, struct tvmq_task task) {
  const struct tvmq_trial_pass *pass = context;
  const struct tvmq_trial_step *step = pass->step;
  void *out = step->out;
  const struct tvmq_pass what = {.number = pass->number, .in = step->in, .outs = &out};
  step->by->run_task(step->op, &what, task);
}

static bool find_rooms(struct tvmq_trial *trial) {
  size_t bytes[TVMQ_TRIAL_ROOMS] = {0};
  for (size_t i = 0; i < trial->n; i++) {
    const struct tvmq_made *made = &trial->steps[i].made;
    bytes[i % 2] = tvmq_max(bytes[i % 2], made->in_bytes[0]);
    bytes[(i + 1) % 2] = tvmq_max(bytes[(i + 1) % 2], made->out_bytes);
    bytes[2] = tvmq_max(bytes[2], made->in_bytes[1]);
  }
  for (int k = 0; k < TVMQ_TRIAL_ROOMS; k++) {
    trial->rooms[k] = tvmq_alloc(bytes[k]);
    if (trial->rooms[k] == NULL) return fail_trial(trial, 0, "out of memory");
  }
  for (size_t i = 0; i < trial->n; i++) {
    struct tvmq_trial_step *step = &trial->steps[i];
    step->in[0] = trial->rooms[i % 2];
    step->in[1] = trial->rooms[2];
    step->out = trial->rooms[(i + 1) % 2];
  }
  return true;
}

static bool line_up(struct tvmq_trial *trial) {
  size_t n = 0;
  for (size_t i = 0; i < trial->n; i++) {
    struct tvmq_trial_step *step = &trial->steps[i];
    step->first_pass = n;
    while (step->by->n_tasks(step->op, step->n_passes) > 0) step->n_passes++;
    n += step->n_passes;
  }
  struct tvmq_sequence_pass *passes = tvmq_alloc(n * sizeof *passes);
  trial->passes = tvmq_alloc(n * sizeof trial->passes[0]);
  if (passes != NULL && trial->passes != NULL) {
    for (size_t i = 0, at = 0; i < trial->n; i++) {
      const struct tvmq_trial_step *step = &trial->steps[i];
      for (size_t number = 0; number < step->n_passes; number++, at++) {
        trial->passes[at] = (struct tvmq_trial_pass){step, number};
        passes[at] = (struct tvmq_sequence_pass){step->by->n_tasks(step->op, number), run_trial_task, &trial->passes[at]};
      }
    }
    trial->sequence = tvmq_sequence_create(trial->env.threads, passes, n);
  }
  tvmq_free(passes);
  return trial->sequence != NULL || fail_trial(trial, 0, "out of memory");
}

bool tvmq_trial_prepare(struct tvmq_trial *trial, const struct tvmq_plan_line *line, uint32_t cpu, size_t most_bytes) {
  size_t bytes = 0;
  *trial = (struct tvmq_trial){.n = 0};
  if (!prepare_environment(trial, line->steps[0].task, cpu)) return false;
  trial->steps = tvmq_alloc(line->n * sizeof trial->steps[0]);
  if (trial->steps == NULL) return fail_trial(trial, 0, "out of memory");
  for (size_t i = 0; i < line->n; i++) {
    trial->n++;
    const char *why = prepare_step(trial, &trial->steps[i], &line->steps[i], most_bytes);
    if (why != NULL) return fail_trial(trial, i, why);
    bytes += trial->steps[i].info.packed_bytes;
    if (bytes > most_bytes) return fail_trial(trial, i, "the weights of all steps together are too large");
  }
  return find_rooms(trial) && line_up(trial);
}

void tvmq_trial_release(struct tvmq_trial *trial) {
  tvmq_sequence_destroy(trial->sequence);
  for (size_t i = 0; i < trial->n; i++) {
    if (trial->steps[i].by != NULL) tvmq_op_release(trial->steps[i].by, trial->steps[i].op);
    tvmq_made_release(&trial->steps[i].made);
  }
  for (int k = 0; k < TVMQ_TRIAL_ROOMS; k++) tvmq_free(trial->rooms[k]);
  tvmq_free(trial->steps);
  tvmq_free(trial->passes);
  tvmq_scratch_free(&trial->scratch);
  tvmq_threads_destroy(trial->env.threads);
  *trial = (struct tvmq_trial){.n = 0};
}

// ---- running

// Compares the step's output with that of plain C kernels on the same inputs. Returns NULL, or why it cannot.
static const char *compare_with_plain(const struct tvmq_trial *trial, struct tvmq_trial_step *step) {
  struct tvmq_trial_step plain = {.made = step->made, .in = {step->in[0], step->in[1]}};
  struct tvmq_env env = trial->env;
  struct tvmq_scratch scratch = {0};
  struct tvmq_budget transformed = {.limit = SIZE_MAX};
  env.cpu = 0;
  env.winograd = TVMQ_WINOGRAD_OFF;
  env.scratch = &scratch;
  env.transformed = &transformed;
  plain.out = tvmq_alloc(step->made.out_bytes);
  const char *why = plain.out != NULL ? plan_step(&plain, &env) : "out of memory";
  for (size_t number = 0, n; why == NULL && (n = plain.by->n_tasks(plain.op, number)) > 0; number++)
    tvmq_threads_run(env.threads, n, run_trial_task, &(struct tvmq_trial_pass){&plain, number});
  if (why == NULL) step->exact = memcmp(plain.out, step->out, step->made.out_bytes) == 0;
  step->compared = why == NULL;
  if (plain.by != NULL) tvmq_op_release(plain.by, plain.op);
  tvmq_free(plain.out);
  tvmq_scratch_free(&scratch);
  return why;
}

bool tvmq_trial_check(struct tvmq_trial *trial, bool wanted) {
  for (size_t i = 0; i < trial->n; i++) {
    struct tvmq_trial_step *step = &trial->steps[i];
    tvmq_made_draw(&step->made, 0, trial->rooms[i % 2]);
    if (step->made.n_in > 1) tvmq_made_draw(&step->made, 1, trial->rooms[2]);
    tvmq_sequence_run(trial->sequence, step->first_pass, step->first_pass + step->n_passes);
    step->checksum = tvmq_checksum(0, step->out, step->made.out_bytes);
    const char *why = wanted ? compare_with_plain(trial, step) : NULL;
    if (why != NULL) return fail_trial(trial, i, why);
  }
  return true;
}

uint64_t tvmq_trial_time(const struct tvmq_trial *trial, size_t step) {
  const size_t first = step == SIZE_MAX ? 0 : trial->steps[step].first_pass, end = step == SIZE_MAX ? SIZE_MAX : first + trial->steps[step].n_passes;
  const uint64_t begin = tvmq_now_ns();
  uint64_t least = UINT64_MAX, now;
  int runs = 0;
  do {
    const uint64_t start = tvmq_now_ns();
    tvmq_sequence_run(trial->sequence, first, end);
    now = tvmq_now_ns();
    least = now - start < least ? now - start : least;
  } while (++runs < LEAST_RUNS || now - begin < SLICE_NS);
  return least > 0 ? least : 1;
}

size_t tvmq_trial_candidates(const struct tvmq_trial *trial, struct tvmq_choice *list, size_t max) {
  const struct tvmq_made *made = &trial->steps[0].made;
  const struct tvmq_implementation *own = tvmq_implementation_of(made->op_def);
  return own->candidates != NULL ? own->candidates(&made->desc, &trial->env, list, max) : 0;
}
