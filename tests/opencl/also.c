// Linked with the fuzz target: every output that it compares with the oracle is also computed on an OpenCL device.
// Ends with code 77, which meson takes for a skipped test, if there is no device.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "fuzz/fuzz.h"
#include "opencl/lower.h"
#include "opencl/network.h"
#include "opencl/open.h"
#include "opencl/source.h"
#include "support/random.h"

enum { SKIPPED = 77, MOST_KERNELS = 32, ALL_KERNELS = 500 };  // ALL_KERNELS: so many outputs need all kernels

static struct tvmq_opencl_device *device;
static size_t outputs, elements, refused;

// Outputs that each kernel has computed, in the order of the sources.
static size_t seen[MOST_KERNELS];

static void count(const char *kernel) {
  size_t i = 0;
  while (strcmp(tvmq_opencl_sources[i].name, kernel) != 0) i++;
  seen[i]++;
}

// Returns a kernel that has computed nothing, or NULL.
static const char *unseen(void) {
  static const char *const no_operators[] = {"common", "stage", "self_test"};
  for (size_t i = 0; tvmq_opencl_sources[i].name != NULL; i++) {
    bool computes = seen[i] == 0;
    for (size_t j = 0; j < sizeof no_operators / sizeof no_operators[0]; j++) computes &= strcmp(tvmq_opencl_sources[i].name, no_operators[j]) != 0;
    if (computes) return tvmq_opencl_sources[i].name;
  }
  return NULL;
}

static size_t inputs_of(const struct fuzz_compared *c) {
  return c->op_def == &tvmq_operator_binary ? 2 : c->op_def == &tvmq_operator_concatenation ? (size_t)c->desc->concatenation.n_in : 1;
}

// Places a tensor at an address that is a multiple of 16, of 4, or of nothing.
static size_t place(size_t end) {
  static const size_t steps[] = {0, 16, 4, 1};
  return tvmq_round_up(end, TVMQ_ALIGNMENT) + steps[check_below(sizeof steps / sizeof steps[0])];
}

static void compute(const struct fuzz_compared *c) {
  struct tvmq_opencl_border ins[TVMQ_MAX_IN], outs[TVMQ_MAX_OUT];
  const void *addresses[TVMQ_MAX_IN];
  int32_t in_at[TVMQ_MAX_IN] = {0}, out_at[TVMQ_MAX_OUT] = {0};
  struct tvmq_opencl_memory memory = {.ins = ins, .outs = &outs[0], .n_outs = 1};
  for (size_t i = 0; i < inputs_of(c); i++) {
    const size_t bytes = fuzz_tensor_bytes(c->in[i]);
    in_at[i] = (int32_t)place(memory.in_bytes);
    if (bytes == 0) continue;
    ins[memory.n_ins] = (struct tvmq_opencl_border){(size_t)in_at[i], bytes};
    addresses[memory.n_ins++] = c->in[i];
    memory.in_bytes = (size_t)in_at[i] + bytes;
  }
  size_t end = memory.in_bytes;
  // Several outputs have room each; one is compared.
  for (int k = 0; k < TVMQ_MAX_OUT; k++) {
    out_at[k] = (int32_t)place(end);
    if (k == c->which) outs[0] = (struct tvmq_opencl_border){(size_t)out_at[k], c->n};
    if (c->op_def != &tvmq_operator_copy || k >= c->desc->copy.n_out) {
      end = (size_t)out_at[k] + c->n;
      break;
    }
    end = (size_t)out_at[k] + FUZZ_MAX_BYTES;
  }
  memory.bytes = end;
  memory.out_bytes = end - memory.in_bytes;

  char reason[600] = "";
  struct tvmq_text why = {.at = reason, .size = sizeof reason};
  struct tvmq_opencl_plan plan = {.rounding = c->rounding, .dot = device->dot};
  if (getenv("TVMQ_OPENCL_FAULT") != NULL) in_at[0] -= 1 << 20;  // for Oclgrind to find
  const struct tvmq_opencl_node node = {c->op_def, c->desc, in_at, out_at, c->n};
  const char *const refusal = c->n > 0 ? tvmq_opencl_lower(&node, &plan) : "empty";
  static uint8_t got[FUZZ_MAX_BYTES];
  if (refusal == NULL) {
    struct tvmq_opencl_network *const network = tvmq_opencl_network_create(device, &plan, &memory, &why);
    if (network == NULL || !tvmq_opencl_network_run(network, addresses, (void *const[]){got}, NULL, &why)) fuzz_fail("OpenCL: %s", reason);
    tvmq_opencl_network_destroy(network);
    const uint8_t *const wanted = c->expected;
    for (size_t i = 0; i < c->n; i++) {
      if (got[i] != wanted[i])
        fuzz_fail("OpenCL: byte %zu of %zu: got %#x, want %#x (%s%s)", i, c->n, got[i], wanted[i], plan.launches[0].kernel, plan.launches[0].options);
    }
    outputs++;
    elements += c->n;
    count(plan.launches[0].kernel);
  } else {
    refused++;
  }
  tvmq_opencl_plan_free(&plan);
}

static void report(void) {
  printf("OpenCL: %zu outputs of %zu bytes, 0 differ; %zu left to the CPU\n", outputs, elements, refused);
  const char *const missing = outputs >= ALL_KERNELS ? unseen() : NULL;
  if (missing != NULL) printf("kernel %s has computed nothing\n", missing);
  fflush(stdout);
  if (outputs == 0 || missing != NULL) _Exit(1);
}

// Opens the first device of a library without asking whether it is exact: Oclgrind does not claim to have fma.
static struct tvmq_opencl_device *open_unasked(const char *path, struct tvmq_text *why) {
  static struct tvmq_opencl_device unasked = {.most_bytes = 1 << 28, .name = "the first device, unasked"};
  const struct tvmq_cl *const cl = &unasked.library.call;
  tvmq_cl_platform platform;
  uint32_t n;
  int32_t status;
  if (!tvmq_cl_library_open(&unasked.library, path, why)) return NULL;
  if (cl->GetPlatformIDs(1, &platform, &n) != TVMQ_CL_SUCCESS || cl->GetDeviceIDs(platform, TVMQ_CL_DEVICE_TYPE_ALL, 1, &unasked.device, &n) != TVMQ_CL_SUCCESS)
    return NULL;
  unasked.context = cl->CreateContext(NULL, 1, &unasked.device, NULL, NULL, &status);
  return status == TVMQ_CL_SUCCESS ? &unasked : NULL;
}

__attribute__((constructor)) static void begin(void) {
  char reason[600] = "";
  struct tvmq_text why = {.at = reason, .size = sizeof reason};
  const char *const library = getenv("TVMQ_OPENCL_LIBRARY"), *const unasked = getenv("TVMQ_OPENCL_UNASKED");
  device = unasked != NULL ? open_unasked(unasked, &why) : tvmq_opencl_open(library != NULL ? library : "auto", "auto", &why);
  if (device == NULL) {
    printf("SKIPPED: %s\n", reason);
    exit(SKIPPED);
  }
  printf("OpenCL: %s, driver %s\n", device->name, device->driver);
  fuzz_also = compute;
  atexit(report);
}
