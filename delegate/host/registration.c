#include "host/registration.h"

#include "base/checksum.h"
#include "base/fp_mode.h"
#include "graph/partition.h"
#include "host/delegate.h"
#include "host/offload.h"
#include "operators/op_names.h"
#include "tflite/node_inputs.h"

static bool same_nodes(const struct tvmq_partition *partition, const TfLiteIntArray *nodes) {
  if ((size_t)nodes->size != partition->n) return false;
  for (size_t i = 0; i < partition->n; i++) {
    if (partition->steps[i].record->info.node != nodes->data[i]) return false;
  }
  return true;
}

static struct tvmq_partition *find_partition(const struct tvmq_delegate *delegate, const TfLiteContext *context, const TfLiteDelegateParams *params) {
  for (struct tvmq_subgraph *subgraph = delegate->subgraphs; subgraph != NULL; subgraph = subgraph->next) {
    for (struct tvmq_partition *p = subgraph->partitions; subgraph->context == context && p != NULL; p = p->next) {
      if (!p->live && same_nodes(p, params->nodes_to_replace)) return p;
    }
  }
  return NULL;
}

static void *init_partition(TfLiteContext *context, const char *buffer, size_t length) {
  (void)length;  // 0: the buffer is a structure, not bytes of a model
  const TfLiteDelegateParams *params = (const void *)buffer;
  struct tvmq_delegate *delegate = params->delegate->data_;
  struct tvmq_partition *partition = find_partition(delegate, context, params);
  if (partition == NULL) return NULL;  // the nodes differ from the preview; prepare_partition reports that
  partition->live = true;
  const int number = partition->subgraph->n_partitions++;
  delegate->n_live++;
  for (size_t i = 0; i < partition->n; i++) {
    partition->steps[i].record->info.claimed = 1;
    partition->steps[i].record->info.partition = number;
  }
  return partition;
}

// Frees a partition. The interpreter calls this both at its end and to undo a delegation. Only a failed subgraph is an
// undo; otherwise the report continues to say how nodes ran.
static void free_partition(TfLiteContext *context, void *user_data) {
  (void)context;
  struct tvmq_partition *partition = user_data;
  if (partition == NULL) return;
  struct tvmq_delegate *delegate = partition->delegate;
  if (partition->subgraph->failed) {
    partition->subgraph->n_partitions--;
    for (size_t i = 0; i < partition->n; i++) tvmq_record_undo(partition->steps[i].record);
  }
  tvmq_partition_destroy(partition);
  tvmq_delegate_leave(delegate);
}

static TfLiteStatus fail_at(struct tvmq_partition *partition, TfLiteContext *context, const struct tvmq_record *record, const char *what, const char *why) {
  return tvmq_delegate_fail(partition->delegate, context, "node %d (%s) %s: %s", record->info.node, record->info.op, what, why);
}

// Fails with the shapes of the node's inputs, because `why` is a constant text without numbers.
static TfLiteStatus fail_with_inputs(struct tvmq_partition *partition, TfLiteContext *context, const struct tvmq_record *record, const char *what,
                                     const char *why) {
  char inputs[160];
  tvmq_node_inputs(context, &record->node, inputs, sizeof inputs);
  return tvmq_delegate_fail(partition->delegate, context, "node %d (%s) %s: %s (inputs: %s)", record->info.node, record->info.op, what, why, inputs);
}

static TfLiteStatus fail_to_plan(struct tvmq_partition *partition, TfLiteContext *context, const struct tvmq_record *record, const char *why) {
  return fail_with_inputs(partition, context, record, "cannot be prepared", why);
}

// Resizes the step's outputs to the shapes in its record. Skips variables, which are not tensors of the runtime.
static TfLiteStatus resize_outputs(struct tvmq_partition *partition, TfLiteContext *context, const struct tvmq_step *step, bool inside_too) {
  const struct tvmq_record *record = step->record;
  for (int k = 0; k < record->node.n_out; k++) {
    if (record->node.outs[k] == record->node.handle || (step->inside[k] && !inside_too)) continue;
    if (!tvmq_tensor_resize(context, record->node.outs[k], &record->shapes.outs[k], !step->inside[k]))
      return fail_to_plan(partition, context, record, "the runtime cannot resize its output");
  }
  return kTfLiteOk;
}

// Returns whether nothing has changed since the partition was prepared. This is common for the body of a loop, which
// the runtime prepares for each iteration.
static bool is_settled(const struct tvmq_partition *partition, const TfLiteContext *context) {
  return partition->ready && !partition->basis.computed && tvmq_basis_same_shapes(&partition->basis, context);
}

// Resizes the outputs again, because the runtime may have released their memory.
static TfLiteStatus settle(struct tvmq_partition *partition, TfLiteContext *context) {
  for (size_t i = 0; i < partition->n; i++) {
    const TfLiteStatus status = resize_outputs(partition, context, &partition->steps[i], false);
    if (status != kTfLiteOk) return status;
  }
  return kTfLiteOk;
}

static bool same_constants(const struct tvmq_partition *partition, const struct tvmq_record *record, const TfLiteContext *context) {
  struct tvmq_key content;
  return record->constants == tvmq_node_constants(context, &record->node, partition->delegate->env.hasher, &content);
}

// Whether the node's plan holds: it was made for these shapes when the partition was last prepared, or for them and these constants when it was made.
static bool has_plan(const struct tvmq_partition *partition, const struct tvmq_record *record, const TfLiteContext *context) {
  if (tvmq_node_reads_computed(context, &record->node) || !tvmq_node_same_shapes(context, &record->node, &record->shapes)) return false;
  return partition->ready || (partition->fresh && record->planned && same_constants(partition, record, context));
}

// Plans the steps in execution order, so that each output has its shape before the next step reads it.
static TfLiteStatus plan_partition(struct tvmq_partition *partition, TfLiteContext *context) {
  bool kept = partition->fresh;
  for (size_t i = 0; i < partition->n; i++) {
    const struct tvmq_step *step = &partition->steps[i];
    struct tvmq_record *record = step->record;
    const unsigned long long plans = record->plans;
    const bool holds = has_plan(partition, record, context);
    const char *reason = holds ? NULL : tvmq_record_plan(record, context, NULL, &partition->delegate->env);
    kept &= holds;
    if (reason != NULL) return fail_to_plan(partition, context, record, reason);
    if (record->plans != plans) tvmq_delegate_log_plan(partition->delegate, record);
    const TfLiteStatus status = resize_outputs(partition, context, step, true);
    if (status != kTfLiteOk) return status;
  }
  tvmq_basis_note(&partition->basis, partition->steps, partition->n, context);
  if (kept) return kTfLiteOk;
  if (!tvmq_partition_size_up(partition))
    return tvmq_delegate_fail(partition->delegate, context, "no memory for tensors of a partition of %zu nodes", partition->n);
  tvmq_delegate_offload(partition->delegate, partition);
  return kTfLiteOk;
}

static TfLiteStatus prepare_partition(TfLiteContext *context, TfLiteNode *node) {
  struct tvmq_partition *partition = node->user_data;
  if (partition == NULL) {
    context->ReportError(context, "tvmq-delegate: the runtime's partitions differ from its preview");
    return kTfLiteError;
  }
  const struct tvmq_fp_mode fp_mode = tvmq_fp_enter();
  const TfLiteStatus status = is_settled(partition, context) ? settle(partition, context) : plan_partition(partition, context);
  tvmq_fp_leave(fp_mode);
  partition->ready = status == kTfLiteOk;
  partition->fresh = false;
  partition->subgraph->failed = !partition->ready;
  return status;
}

static uint64_t out_shapes(const struct tvmq_record *record) {
  uint64_t sum = 0;
  for (int k = 0; k < record->node.n_out; k++) {
    const struct tvmq_shape *shape = &record->shapes.outs[k];
    sum = tvmq_checksum(tvmq_checksum_word(sum, (uint64_t)shape->rank), shape->dims, (size_t)shape->rank * sizeof shape->dims[0]);
  }
  return sum;
}

// Replans a node whose constants have changed. Its outputs must keep their shapes, because the runtime allocates
// tensors only when it prepares the graph.
static const char *plan_for_same_shapes(struct tvmq_record *record, TfLiteContext *context, const struct tvmq_env *env) {
  const uint64_t before = out_shapes(record);
  const char *reason = tvmq_record_plan(record, context, NULL, env);
  return reason != NULL || out_shapes(record) == before ? reason : "constants that determine shapes have changed";
}

// Returns whether each inference compares the node's constants: for all nodes with constants=verify, otherwise for
// nodes with a constant that is an input of the graph.
static bool verified(const struct tvmq_partition *partition, const struct tvmq_record *record) {
  return record->node.settable || partition->delegate->options.constants == TVMQ_CONSTANTS_VERIFY;
}

static TfLiteStatus plan_changed(struct tvmq_partition *partition, TfLiteContext *context) {
  bool changed = false;
  for (size_t i = 0; i < partition->n; i++) {
    struct tvmq_record *record = partition->steps[i].record;
    if (!verified(partition, record) || !record->planned || same_constants(partition, record, context)) continue;
    const char *reason = plan_for_same_shapes(record, context, &partition->delegate->env);
    partition->ready = reason == NULL;
    if (reason != NULL) return fail_at(partition, context, record, "has to be prepared again", reason);
    tvmq_delegate_log_plan(partition->delegate, record);
    changed = true;
  }
  partition->ready = !changed || tvmq_partition_size_up(partition);
  return partition->ready ? kTfLiteOk : tvmq_delegate_fail(partition->delegate, context, "no memory for tensors of a partition of %zu nodes", partition->n);
}

// Fails if an input has another shape than when its node was prepared. LiteRT reshapes tensors in place between
// inferences without preparing their readers again. Its own kernels then mix the new shape with data prepared for the
// old one, and some write past the end of their outputs. Nodes that depend only on the number of elements are safe.
static TfLiteStatus check_shapes(struct tvmq_partition *partition, TfLiteContext *context) {
  if (tvmq_basis_same_shapes(&partition->basis, context)) return kTfLiteOk;
  for (size_t i = 0; i < partition->n; i++) {
    const struct tvmq_record *record = partition->steps[i].record;
    if (record->node.kind->flat || tvmq_node_same_shapes(context, &record->node, &record->shapes)) continue;
    return fail_with_inputs(partition, context, record, "cannot run", "its input was reshaped, and the runtime did not prepare the node again");
  }
  return kTfLiteOk;
}

static TfLiteStatus run_partition(struct tvmq_partition *partition, TfLiteContext *context) {
  const TfLiteStatus checked = check_shapes(partition, context);
  if (checked != kTfLiteOk) return checked;
  if (partition->settable || partition->delegate->options.constants == TVMQ_CONSTANTS_VERIFY) {
    const TfLiteStatus status = plan_changed(partition, context);
    if (status != kTfLiteOk) return status;
  }
  const struct tvmq_record *record = tvmq_partition_find_tensors(partition, context);
  if (record != NULL) return fail_at(partition, context, record, "cannot run", "the runtime provides no memory for a tensor");
  if (tvmq_delegate_run_offload(partition->delegate, partition)) return kTfLiteOk;
  partition->failure = NULL;
  if (partition->delegate->options.profile) {
    tvmq_partition_run_profiled(partition, partition->delegate->trace);
  } else {
    tvmq_partition_run(partition);
  }
  const char *failure = partition->failure;
  return failure == NULL ? kTfLiteOk : tvmq_delegate_fail(partition->delegate, context, "the inference failed, as the reference's would: %s", failure);
}

static TfLiteStatus invoke_partition(TfLiteContext *context, TfLiteNode *node) {
  struct tvmq_partition *partition = node->user_data;
  if (partition == NULL) return kTfLiteError;  // prepare_partition has reported the reason
  if (partition->delegate->options.estimate > 0)
    return tvmq_delegate_fail(partition->delegate, context, "nothing can run: the option estimate plans for %s", partition->delegate->env.machine->name);
  if (!partition->ready) return tvmq_delegate_fail(partition->delegate, context, "a partition of %zu nodes is not prepared", partition->n);
  struct tvmq_affinity affinity;
  tvmq_affinity_enter(&affinity, &partition->delegate->options.cpu_affinity);
  const struct tvmq_fp_mode fp_mode = tvmq_fp_enter();
  const TfLiteStatus status = run_partition(partition, context);
  tvmq_fp_leave(fp_mode);
  if (!tvmq_affinity_leave(&affinity))
    tvmq_log(partition->delegate->options.log_severity, TVMQ_LOG_WARNING,
             "cannot restore the affinity of the caller's thread, which stays on the processors of cpu_affinity");
  return status;
}

TfLiteRegistration tvmq_registration(void) {
  return (TfLiteRegistration){
      .init = init_partition,
      .free = free_partition,
      .prepare = prepare_partition,
      .invoke = invoke_partition,
      .builtin_code = TVMQ_BUILTIN_DELEGATE,
      .custom_name = "TvmqDelegate",
      .version = 1,
  };
}
