#include "opencl/network.h"

#include <string.h>

#include "base/arith.h"
#include "base/clock.h"
#include "base/memory.h"
#include "opencl/programs.h"

struct kernel {
  tvmq_cl_kernel kernel;
  size_t global[3], local[3], step;
};

struct tvmq_opencl_network {
  struct tvmq_opencl_device *device;
  struct tvmq_opencl_memory about;
  tvmq_cl_queue queue;
  tvmq_cl_memory memory, constants;
  size_t n;
  struct kernel kernels[];
};

// Says which call failed; returns whether it succeeded.
static bool check(int32_t status, const char *call, struct tvmq_text *why) {
  if (status != TVMQ_CL_SUCCESS) tvmq_say(why, "%s returned %d", call, status);
  return status == TVMQ_CL_SUCCESS;
}

static bool make_memory(struct tvmq_opencl_network *network, const struct tvmq_opencl_plan *plan, struct tvmq_text *why) {
  const struct tvmq_cl *const cl = &network->device->library.call;
  const size_t bytes = tvmq_max(network->about.bytes, TVMQ_ALIGNMENT), most = tvmq_min(network->device->most_bytes, INT32_MAX);
  static uint8_t nothing[TVMQ_ALIGNMENT];
  int32_t status;
  if (bytes > most || plan->constant_bytes > most) {
    tvmq_say(why, "%zu bytes of tensors or %zu of constants exceed the device's buffers of %zu", bytes, plan->constant_bytes, most);
    return false;
  }
  network->queue = cl->CreateCommandQueue(network->device->context, network->device->device, 0, &status);
  if (!check(status, "clCreateCommandQueue", why)) return false;
  network->memory = cl->CreateBuffer(network->device->context, TVMQ_CL_MEM_READ_WRITE | TVMQ_CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &status);
  if (!check(status, "clCreateBuffer", why)) return false;
  const bool has_constants = plan->constant_bytes > 0;
  network->constants = cl->CreateBuffer(network->device->context, TVMQ_CL_MEM_READ_ONLY | TVMQ_CL_MEM_COPY_HOST_PTR,
                                        has_constants ? plan->constant_bytes : sizeof nothing, has_constants ? plan->constants : nothing, &status);
  return check(status, "clCreateBuffer", why);
}

static bool make_kernel(struct tvmq_opencl_network *network, struct kernel *kernel, const struct tvmq_opencl_launch *launch, struct tvmq_text *why) {
  const struct tvmq_cl *const cl = &network->device->library.call;
  char options[TVMQ_CL_OPTIONS];
  struct tvmq_text text = {.at = options, .size = sizeof options};
  tvmq_say(&text, "%s -DLOCAL_X=%zu -DLOCAL_Y=%zu", launch->options, launch->local[0], launch->local[1]);
  kernel->kernel = tvmq_opencl_kernel(network->device, launch->kernel, options, why);
  if (kernel->kernel == NULL) return false;
  kernel->step = launch->step;
  for (size_t d = 0; d < 3; d++) {
    kernel->local[d] = d < 2 ? launch->local[d] : 1;
    kernel->global[d] = tvmq_round_up(launch->items[d], kernel->local[d]);
  }
  uint32_t index = 0;
  int32_t status = cl->SetKernelArg(kernel->kernel, index++, sizeof network->memory, &network->memory);
  if (status == TVMQ_CL_SUCCESS) status = cl->SetKernelArg(kernel->kernel, index++, sizeof network->constants, &network->constants);
  for (uint32_t i = 0; i < launch->n_args && status == TVMQ_CL_SUCCESS; i++)
    status = cl->SetKernelArg(kernel->kernel, index++, sizeof launch->args[0], &launch->args[i]);
  return check(status, "clSetKernelArg", why);
}

struct tvmq_opencl_network *tvmq_opencl_network_create(struct tvmq_opencl_device *device, const struct tvmq_opencl_plan *plan,
                                                       const struct tvmq_opencl_memory *memory, struct tvmq_text *why) {
  struct tvmq_opencl_network *const network = plan->failed ? NULL : tvmq_alloc(sizeof *network + plan->n_launches * sizeof network->kernels[0]);
  if (network == NULL) {
    tvmq_say(why, "out of memory, or beyond offsets of 32 bits");
    return NULL;
  }
  network->device = device;
  network->about = *memory;
  bool made = make_memory(network, plan, why);
  for (; made && network->n < plan->n_launches; network->n++) made = make_kernel(network, &network->kernels[network->n], &plan->launches[network->n], why);
  if (made) return network;
  tvmq_opencl_network_destroy(network);
  return NULL;
}

void tvmq_opencl_network_destroy(struct tvmq_opencl_network *network) {
  if (network == NULL) return;
  const struct tvmq_cl *const cl = &network->device->library.call;
  if (network->queue != NULL) cl->Finish(network->queue);
  for (size_t i = 0; i < network->n; i++) {
    if (network->kernels[i].kernel != NULL) cl->ReleaseKernel(network->kernels[i].kernel);
  }
  if (network->constants != NULL) cl->ReleaseMemObject(network->constants);
  if (network->memory != NULL) cl->ReleaseMemObject(network->memory);
  if (network->queue != NULL) cl->ReleaseCommandQueue(network->queue);
  tvmq_free(network);
}

// ---- an inference

// Returns the address of a part of the memory, once everything before is done; NULL: failed.
static uint8_t *map(const struct tvmq_opencl_network *network, uint64_t how, size_t offset, size_t bytes, struct tvmq_text *why) {
  int32_t status;
  uint8_t *const mapped =
      network->device->library.call.EnqueueMapBuffer(network->queue, network->memory, TVMQ_CL_TRUE, how, offset, bytes, 0, NULL, NULL, &status);
  if (!check(status, "clEnqueueMapBuffer", why)) return NULL;
  if (mapped == NULL) tvmq_say(why, "clEnqueueMapBuffer returned no address");
  return mapped;
}

static bool unmap(const struct tvmq_opencl_network *network, void *mapped, struct tvmq_text *why) {
  return check(network->device->library.call.EnqueueUnmapMemObject(network->queue, network->memory, mapped, 0, NULL, NULL), "clEnqueueUnmapMemObject", why);
}

static bool copy_in(const struct tvmq_opencl_network *network, const void *const *ins, struct tvmq_text *why) {
  const struct tvmq_opencl_memory *const about = &network->about;
  if (about->in_bytes == 0) return true;
  uint8_t *const mapped = map(network, TVMQ_CL_MAP_WRITE, 0, about->in_bytes, why);
  if (mapped == NULL) return false;
  for (size_t i = 0; i < about->n_ins; i++) memcpy(mapped + about->ins[i].offset, ins[i], about->ins[i].bytes);
  return unmap(network, mapped, why);
}

static bool copy_out(const struct tvmq_opencl_network *network, void *const *outs, struct tvmq_text *why) {
  const struct tvmq_opencl_memory *const about = &network->about;
  uint8_t *const mapped = map(network, TVMQ_CL_MAP_READ, about->in_bytes, about->out_bytes, why);
  if (mapped == NULL) return false;
  for (size_t i = 0; i < about->n_outs; i++) memcpy(outs[i], mapped + about->outs[i].offset - about->in_bytes, about->outs[i].bytes);
  return unmap(network, mapped, why);
}

static bool launch(const struct tvmq_opencl_network *network, const struct kernel *kernel, uint64_t *step_ns, struct tvmq_text *why) {
  const struct tvmq_cl *const cl = &network->device->library.call;
  const uint64_t start = step_ns != NULL ? tvmq_now_ns() : 0;
  const int32_t status = cl->EnqueueNDRangeKernel(network->queue, kernel->kernel, 3, NULL, kernel->global, kernel->local, 0, NULL, NULL);
  if (!check(status, "clEnqueueNDRangeKernel", why)) return false;
  if (step_ns == NULL) return true;
  if (!check(cl->Finish(network->queue), "clFinish", why)) return false;
  step_ns[kernel->step] += tvmq_now_ns() - start;
  return true;
}

bool tvmq_opencl_network_run(struct tvmq_opencl_network *network, const void *const *ins, void *const *outs, uint64_t *step_ns, struct tvmq_text *why) {
  if (!copy_in(network, ins, why)) return false;
  for (size_t i = 0; i < network->n; i++) {
    if (!launch(network, &network->kernels[i], step_ns, why)) return false;
  }
  return copy_out(network, outs, why);
}
