#include "host/offload.h"

#include "base/log.h"
#include "graph/offload.h"
#include "opencl/open.h"

static const char no_device[] = "OpenCL: no device can be used";

static void warn(const struct tvmq_delegate *delegate, const struct tvmq_partition *partition, const char *why) {
  tvmq_log(delegate->options.log_severity, TVMQ_LOG_WARNING, "backend=opencl: a partition of %zu nodes runs on the CPU: %s", partition->n, why);
}

// Opens the device at the first partition.
static struct tvmq_opencl_device *open_device(struct tvmq_delegate *delegate) {
  char reason[800] = "";
  struct tvmq_text why = {.at = reason, .size = sizeof reason};
  if (delegate->opencl != NULL || delegate->opencl_refused) return delegate->opencl;
  delegate->opencl = tvmq_opencl_open(delegate->options.opencl_library, delegate->options.opencl_device, &why);
  delegate->opencl_refused = delegate->opencl == NULL;
  if (delegate->opencl_refused)
    tvmq_log(delegate->options.log_severity, TVMQ_LOG_WARNING, "backend=opencl: everything runs on the CPU: %s", reason);
  else
    tvmq_log(delegate->options.log_severity, TVMQ_LOG_INFO, "backend=opencl: %s, driver %s", delegate->opencl->name, delegate->opencl->driver);
  return delegate->opencl;
}

void tvmq_delegate_offload(struct tvmq_delegate *delegate, struct tvmq_partition *partition) {
  const struct tvmq_options *const options = &delegate->options;
  if (options->backend != TVMQ_BACKEND_OPENCL || options->estimate > 0) return;
  if (open_device(delegate) == NULL) {
    tvmq_offload_refuse(partition, no_device);
    return;
  }
  if (options->constants == TVMQ_CONSTANTS_VERIFY) {
    static const char reason[] = "OpenCL: constants=verify";
    tvmq_offload_refuse(partition, reason);
    warn(delegate, partition, reason);
    return;
  }
  char reason[800] = "";
  if (!tvmq_offload(partition, delegate->opencl, delegate->env.rounding, &(struct tvmq_text){.at = reason, .size = sizeof reason}))
    warn(delegate, partition, reason);
}

// Computes the first inferences on the CPU as well. Returns false if the results differ.
static bool verify(const struct tvmq_options *options, struct tvmq_partition *partition) {
  struct tvmq_offload *const offload = partition->offload;
  if (offload->n_verified >= options->opencl_verify) return true;
  offload->n_verified++;
  return offload->verify(partition);
}

bool tvmq_delegate_run_offload(struct tvmq_delegate *delegate, struct tvmq_partition *partition) {
  char reason[200] = "";
  if (partition->offload == NULL) return false;
  const bool ran = partition->offload->run(partition, delegate->options.profile, &(struct tvmq_text){.at = reason, .size = sizeof reason});
  if (ran && verify(&delegate->options, partition)) return true;
  warn(delegate, partition, ran ? "results differ from those of the CPU" : reason);
  tvmq_partition_drop_offload(partition);
  tvmq_offload_refuse(partition, ran ? "OpenCL: the device gave other results than the CPU" : "OpenCL: the device failed");
  return ran;
}
