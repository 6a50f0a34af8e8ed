#include "graph/separate_variables.h"

#include "tflite/variables.h"

static int n_out(const struct tvmq_step *step) { return step->record->node.n_out; }

static struct tvmq_variable *variable_at(const struct tvmq_step *step, const struct tvmq_place *place) {
  return place->buffer < 0 ? tvmq_variables_find(step->record->node.variables, place->tensor) : NULL;
}

static bool writes(const struct tvmq_step *step, const struct tvmq_variable *variable) {
  bool found = false;
  for (int k = 0; !step->idle && k < n_out(step); k++) found |= variable_at(step, &step->out_places[k]) == variable;
  return found;
}

// Returns a variable of which the step would read a wrong value, or that the step would overwrite while reading it;
// otherwise NULL.
static const struct tvmq_variable *misread(const struct tvmq_step *steps, const struct tvmq_step *step) {
  const int *reads, n_reads = tvmq_record_reads(step->record, &reads);
  for (int j = 0; j < n_reads; j++) {
    const struct tvmq_variable *variable = variable_at(step, &step->in_places[j]);
    const struct tvmq_source *source = &step->sources[j];
    if (variable == NULL) continue;
    const size_t meant = source->step < 0 ? variable->assigned : steps[source->step].writers[source->output];
    if (meant != variable->writer || writes(step, variable)) return variable;
  }
  return NULL;
}

static void note_writes(struct tvmq_step *step, size_t number) {
  for (int k = 0; k < n_out(step); k++) {
    struct tvmq_variable *variable = variable_at(step, &step->out_places[k]);
    if (variable == NULL) continue;
    if (!step->idle) variable->writer = number;
    step->writers[k] = variable->writer;
    if (step->record->node.outs[k] == variable->resource) variable->assigned = variable->writer;
  }
}

static bool copy(struct tvmq_step *steps, size_t n, const struct tvmq_variable *variable) {
  bool found = false;
  for (size_t i = 0; i < n; i++) {
    if (steps[i].record->node.handle != variable->resource || steps[i].copies) continue;
    steps[i].copies = found = true;
  }
  return found;
}

bool tvmq_separate_variables(struct tvmq_step *steps, size_t n) {
  struct tvmq_variables *variables = n > 0 ? steps[0].record->node.variables : NULL;
  bool found = false;
  for (size_t v = 0; variables != NULL && v < variables->n; v++) variables->of[v].writer = variables->of[v].assigned = 0;
  for (size_t i = 0; variables != NULL && variables->n > 0 && i < n; i++) {
    if (!steps[i].needed) continue;
    const struct tvmq_variable *variable = misread(steps, &steps[i]);
    if (variable != NULL) found |= copy(steps, n, variable);
    note_writes(&steps[i], i + 1);
  }
  return found;
}
