#include "host/delegate.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cpu/cpu.h"
#include "cpu/machine.h"
#include "cpu/plan/machine_file.h"
#include "graph/partition.h"

static uint32_t cpu_of(const struct tvmq_options *options) {
  if (options->estimate > 0) return tvmq_machines[options->estimate - 1].cpu;
  return (options->isa > 0 ? tvmq_isas[options->isa - 1].cpu : tvmq_cpu_detect()) & tvmq_built;
}

static const struct tvmq_machine *detected_machine(const struct tvmq_options *options) {
  struct tvmq_affinity affinity;
  tvmq_affinity_enter(&affinity, &options->cpu_affinity);  // detect the cores that inferences will run on
  const bool in_order = options->tune == TVMQ_TUNE_AUTO ? tvmq_cpu_in_order() : options->tune == TVMQ_TUNE_IN_ORDER;
  const char *known = tvmq_cpu_machine();
  tvmq_affinity_leave(&affinity);
  const struct tvmq_machine *machine = known != NULL ? tvmq_machine_named(known) : NULL;
  return machine != NULL && machine->in_order == in_order ? machine : tvmq_machine_for(in_order);
}

// Sets env.machine as the options say. If the option machine names an invalid file, returns false and *message says
// why.
static bool find_machine(struct tvmq_delegate *delegate, struct tvmq_text *message) {
  const struct tvmq_options *options = &delegate->options;
  if (options->estimate > 0) {
    delegate->env.machine = &tvmq_machines[options->estimate - 1];
  } else if (strcmp(options->machine, "auto") == 0) {
    delegate->env.machine = detected_machine(options);
  } else {
    delegate->env.machine = tvmq_machine_named(options->machine);
  }
  if (delegate->env.machine != NULL) return true;
  size_t skipped;
  tvmq_say(message, "option machine: %.300s: ", options->machine);
  delegate->own_machine = tvmq_machine_read(options->machine, &skipped, message);
  if (delegate->own_machine == NULL) {
    struct stat about;
    const bool is_name = stat(options->machine, &about) != 0;
    for (size_t i = 0; is_name && i < tvmq_n_machines; i++) tvmq_say(message, "%s%s", i == 0 ? "; known machines are " : ", ", tvmq_machines[i].name);
    return false;
  }
  delegate->env.machine = delegate->own_machine;
  if (skipped > 0) tvmq_log(options->log_severity, TVMQ_LOG_WARNING, "%s: skipped %zu lines for another version of the library", options->machine, skipped);
  return true;
}

bool tvmq_delegate_set_machine(struct tvmq_delegate *delegate, const char *text, struct tvmq_text *message) {
  size_t skipped;
  struct tvmq_machine *machine = tvmq_machine_parse(text, strlen(text), &skipped, message);
  if (machine == NULL) return false;
  tvmq_machine_release(delegate->own_machine);
  delegate->env.machine = delegate->own_machine = machine;
  return true;
}

struct tvmq_delegate *tvmq_delegate_create(const struct tvmq_options *options, tvmq_apply_fn apply, struct tvmq_text *message) {
  struct tvmq_delegate *delegate = tvmq_alloc(sizeof *delegate);
  if (delegate == NULL) {
    tvmq_say(message, "out of memory");
    return NULL;
  }
  delegate->base = (TfLiteDelegate){
      .data_ = delegate,
      .Prepare = apply,
      // Shapes may change after delegation, and other delegates may follow. The delegate's kernels compute all shapes
      // each time they are prepared.
      .flags = kTfLiteDelegateFlagsAllowDynamicTensors,
  };
  delegate->options = *options;
  delegate->transformed.limit = (size_t)options->winograd_megabytes << 20;
  delegate->memory_limit = (size_t)options->memory_megabytes << 20;
  delegate->env = (struct tvmq_env){
      .cpu = cpu_of(options),
      .rounding = (enum tvmq_rounding)options->rounding,
      .winograd = (enum tvmq_winograd_use)options->winograd,
      .transformed = &delegate->transformed,
      .scratch = &delegate->scratch,
  };
  if (!find_machine(delegate, message)) {
    tvmq_free(delegate);
    return NULL;
  }
  tvmq_weight_cache_open(&delegate->weight_cache, delegate->options.weight_cache, delegate->options.log_severity, &delegate->env);
  tvmq_option_name("rounding", options->rounding, delegate->rounding, sizeof delegate->rounding);
  tvmq_delegate_read_records(delegate);
  return delegate;
}

void tvmq_delegate_drop(struct tvmq_subgraph **link) {
  struct tvmq_subgraph *subgraph = *link;
  while (subgraph->partitions != NULL) tvmq_partition_destroy(subgraph->partitions);
  *link = subgraph->next;
  tvmq_subgraph_free(subgraph);
}

void tvmq_delegate_log_plan(const struct tvmq_delegate *delegate, const struct tvmq_record *record) {
  const struct tvmq_node_info *info = &record->info;
  const bool has_kernel = info->kernel[0] != '\0', has_weights = info->packing[0] != '\0';
  tvmq_log(delegate->options.log_severity, TVMQ_LOG_VERBOSE, "subgraph %d, node %d (%s): %s%s%s%s%s, %llu multiply-accumulates, %llu bytes packed",
           info->subgraph, info->node, info->op, info->algorithm[0] != '\0' ? info->algorithm : "nothing to compute", has_kernel ? " by " : "", info->kernel,
           has_weights ? ", weights as " : "", info->packing, info->macs, info->packed_bytes);
}

// Says once in a process that a host asks for more threads than there are processors.
static void tell_limit(const struct tvmq_delegate *delegate, int wanted, int most) {
  static atomic_bool told;
  if (wanted <= most || atomic_exchange(&told, true)) return;
  tvmq_log(delegate->options.log_severity, TVMQ_LOG_WARNING, "using %d thread%s instead of %d: the process may not use more processors", most,
           most == 1 ? "" : "s", wanted);
}

static int wanted_threads(const struct tvmq_options *options, const TfLiteContext *context) {
  if (options->num_threads == TVMQ_THREADS_AUTO) return tvmq_cpu_auto_count();
  return options->num_threads > 0 ? options->num_threads : context->recommended_num_threads;
}

static void start_threads(struct tvmq_delegate *delegate, const TfLiteContext *context) {
  struct tvmq_affinity affinity;
  delegate->env.wary = delegate->options.num_threads == TVMQ_THREADS_AUTO;
  tvmq_affinity_enter(&affinity, &delegate->options.cpu_affinity);  // count processors and start threads on this set
  const int wanted = wanted_threads(&delegate->options, context);
  const int most = wanted > 1 ? tvmq_cpu_count() : 1;  // counting reads system files
  const int n = wanted < most ? wanted : most;
  tell_limit(delegate, wanted, most);
  if (n > 1) delegate->env.threads = tvmq_threads_create_on(most, n);
  tvmq_affinity_leave(&affinity);
  if (n > 1 && delegate->env.threads == NULL)
    tvmq_log(delegate->options.log_severity, TVMQ_LOG_WARNING, "cannot start threads: everything runs on the caller's thread");
}

static void start_trace(struct tvmq_delegate *delegate) {
  if (!delegate->options.profile) return;
  delegate->trace = tvmq_trace_create(tvmq_threads_count(delegate->env.threads));
  if (delegate->trace == NULL) tvmq_log(delegate->options.log_severity, TVMQ_LOG_WARNING, "no memory for a trace");
  if (delegate->env.threads != NULL) tvmq_threads_trace(delegate->env.threads, delegate->trace);
}

void tvmq_delegate_start_threads(struct tvmq_delegate *delegate, const TfLiteContext *context) {
  if (delegate->has_threads) return;
  delegate->has_threads = true;
  start_threads(delegate, context);
  start_trace(delegate);
}

static void stop_threads(struct tvmq_delegate *delegate) {
  tvmq_threads_destroy(delegate->env.threads);
  tvmq_free(delegate->trace);
  delegate->env.threads = NULL;
  delegate->trace = NULL;
  delegate->has_threads = false;
}

void tvmq_delegate_reset(struct tvmq_delegate *delegate) {
  while (delegate->subgraphs != NULL) tvmq_delegate_drop(&delegate->subgraphs);
  stop_threads(delegate);
}

static void release_delegate(struct tvmq_delegate *delegate) {
  tvmq_delegate_reset(delegate);
  tvmq_scratch_free(&delegate->scratch);
  tvmq_tuning_records_free(&delegate->tuned);
  tvmq_machine_release(delegate->own_machine);
  tvmq_weight_cache_close(&delegate->env);
  tvmq_free(delegate);
}

void tvmq_delegate_destroy(struct tvmq_delegate *delegate) {
  delegate->destroyed = true;
  if (delegate->n_live == 0) release_delegate(delegate);
}

void tvmq_delegate_leave(struct tvmq_delegate *delegate) {
  delegate->n_live--;
  if (delegate->n_live == 0) delegate->owner = NULL;  // a new interpreter may reuse the owner's address
  if (delegate->destroyed && delegate->n_live == 0) release_delegate(delegate);
}

TfLiteStatus tvmq_delegate_fail(struct tvmq_delegate *delegate, TfLiteContext *context, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(delegate->error, sizeof delegate->error, format, args);
  va_end(args);
  context->ReportError(context, "tvmq-delegate: %s\n", delegate->error);  // \n: the runtime appends its own message
  return kTfLiteError;
}

struct tvmq_record *tvmq_delegate_record(const struct tvmq_delegate *delegate, int index) {
  for (struct tvmq_subgraph *s = delegate->subgraphs; s != NULL && index >= 0; s = s->next) {
    if ((size_t)index < s->n_records) return &s->records[index];
    index -= (int)s->n_records;
  }
  return NULL;
}
