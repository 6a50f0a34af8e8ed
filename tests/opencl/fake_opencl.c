#include "fake_opencl.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl_abi.h"
#include "opencl/self_test_values.h"

#define EXPORT __attribute__((visibility("default")))

enum { FAILURE = -5, MOST_ARGS = 48 };

static int fail_at, calls, live;
static enum fake_opencl_fault fault;

EXPORT fake_opencl_fail_fn fake_opencl_fail;
EXPORT fake_opencl_calls_fn fake_opencl_calls, fake_opencl_live;
EXPORT fake_opencl_fault_fn fake_opencl_set_fault;
void fake_opencl_fail(int call) {
  fail_at = call;
  calls = 0;
}
int fake_opencl_calls(void) { return calls; }
int fake_opencl_live(void) { return live; }
void fake_opencl_set_fault(enum fake_opencl_fault wanted) { fault = wanted; }

struct tvmq_cl_context_t {
  int unused;
};
struct tvmq_cl_queue_t {
  int unused;
};
struct tvmq_cl_memory_t {
  size_t bytes;
  uint8_t *at;
};
struct tvmq_cl_program_t {
  enum tvmq_rounding rounding;
};
struct tvmq_cl_kernel_t {
  bool tests;  // it is the self-test
  enum tvmq_rounding rounding;
  tvmq_cl_memory memory;
  int32_t args[MOST_ARGS];
};

// Every function begins so: its call may be the one that fails.
static bool fails(void) { return ++calls == fail_at; }

static void *make(size_t size, int32_t *error) {
  const bool failed = fails();
  *error = failed ? FAILURE : TVMQ_CL_SUCCESS;
  live += !failed;
  return failed ? NULL : calloc(1, size);
}

static int32_t release(void *object) {
  live--;
  free(object);
  return fails() ? FAILURE : TVMQ_CL_SUCCESS;
}

#define DECLARE(result, name, arguments) EXPORT result cl##name arguments;
TVMQ_CL_FUNCTIONS(DECLARE)

int32_t clGetPlatformIDs(uint32_t n, tvmq_cl_platform *platforms, uint32_t *found) {
  if (fails() || n == 0) return FAILURE;
  platforms[0] = NULL;
  *found = 1;
  return TVMQ_CL_SUCCESS;
}

int32_t clGetDeviceIDs(tvmq_cl_platform platform, uint64_t type, uint32_t n, tvmq_cl_device *devices, uint32_t *found) {
  static int device;
  if (fails() || platform != NULL || type != TVMQ_CL_DEVICE_TYPE_ALL || n == 0) return FAILURE;
  devices[0] = (tvmq_cl_device)&device;
  *found = fault != FAKE_OPENCL_NO_DEVICE;
  return TVMQ_CL_SUCCESS;
}

static int32_t answer(const void *value, size_t bytes, size_t size, void *out, size_t *needed) {
  if (needed != NULL) *needed = bytes;
  if (out != NULL && size < bytes) return FAILURE;
  if (out != NULL) memcpy(out, value, bytes);
  return TVMQ_CL_SUCCESS;
}

static int32_t answer_text(const char *text, size_t size, void *out, size_t *needed) { return answer(text, strlen(text) + 1, size, out, needed); }

int32_t clGetDeviceInfo(tvmq_cl_device device, uint32_t what, size_t size, void *value, size_t *needed) {
  (void)device;
  if (fails()) return FAILURE;
  switch (what) {
    case TVMQ_CL_DEVICE_NAME:
      return answer_text("fake\n device", size, value, needed);
    case TVMQ_CL_DRIVER_VERSION:
      return answer_text("1", size, value, needed);
    case TVMQ_CL_DEVICE_VERSION:
      return answer_text(fault == FAKE_OPENCL_OLD ? "OpenCL 1.1 fake" : "OpenCL 3.0 fake", size, value, needed);
    case TVMQ_CL_DEVICE_EXTENSIONS:
      return answer_text("cl_khr_integer_dot_product_of_another_kind", size, value, needed);
    case TVMQ_CL_DEVICE_TYPE:
      return answer(&(uint64_t){fault == FAKE_OPENCL_GPU_WITHOUT_DOT ? TVMQ_CL_DEVICE_TYPE_GPU : TVMQ_CL_DEVICE_TYPE_CPU}, 8, size, value, needed);
    case TVMQ_CL_DEVICE_SINGLE_FP_CONFIG:
      return answer(&(uint64_t){TVMQ_CL_FP_ROUND_TO_NEAREST | (fault == FAKE_OPENCL_NO_FMA ? 0 : TVMQ_CL_FP_FMA)}, 8, size, value, needed);
    case TVMQ_CL_DEVICE_MAX_MEM_ALLOC_SIZE:
      return answer(&(uint64_t){1 << 28}, 8, size, value, needed);
    case TVMQ_CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return answer(&(size_t){256}, 8, size, value, needed);
    case TVMQ_CL_DEVICE_COMPILER_AVAILABLE:
      return answer(&(uint32_t){fault != FAKE_OPENCL_NO_COMPILER}, 4, size, value, needed);
    case TVMQ_CL_DEVICE_AVAILABLE:
    case TVMQ_CL_DEVICE_ENDIAN_LITTLE:
      return answer(&(uint32_t){1}, 4, size, value, needed);
    default:
      return FAILURE;
  }
}

tvmq_cl_context clCreateContext(const intptr_t *properties, uint32_t n, const tvmq_cl_device *devices,
                                void (*notify)(const char *, const void *, size_t, void *), void *user_data, int32_t *error) {
  (void)properties, (void)n, (void)devices, (void)notify, (void)user_data;
  return make(sizeof(struct tvmq_cl_context_t), error);
}

tvmq_cl_queue clCreateCommandQueue(tvmq_cl_context context, tvmq_cl_device device, uint64_t properties, int32_t *error) {
  (void)context, (void)device, (void)properties;
  return make(sizeof(struct tvmq_cl_queue_t), error);
}

tvmq_cl_program clCreateProgramWithSource(tvmq_cl_context context, uint32_t n, const char **texts, const size_t *lengths, int32_t *error) {
  (void)context, (void)n, (void)texts, (void)lengths;
  return make(sizeof(struct tvmq_cl_program_t), error);
}

int32_t clBuildProgram(tvmq_cl_program program, uint32_t n, const tvmq_cl_device *devices, const char *options, void (*notify)(tvmq_cl_program, void *),
                       void *user_data) {
  (void)n, (void)devices, (void)notify, (void)user_data;
  const char *const macro = strstr(options, "-DROUNDING=");
  if (fails() || macro == NULL) return FAILURE;
  program->rounding = (enum tvmq_rounding)atoi(macro + strlen("-DROUNDING="));
  return TVMQ_CL_SUCCESS;
}

int32_t clGetProgramBuildInfo(tvmq_cl_program program, tvmq_cl_device device, uint32_t what, size_t size, void *value, size_t *needed) {
  (void)program, (void)device;
  return fails() || what != TVMQ_CL_PROGRAM_BUILD_LOG ? FAILURE : answer_text("it is not to be built", size, value, needed);
}

tvmq_cl_kernel clCreateKernel(tvmq_cl_program program, const char *name, int32_t *error) {
  tvmq_cl_kernel kernel = make(sizeof *kernel, error);
  if (kernel != NULL) *kernel = (struct tvmq_cl_kernel_t){.tests = strcmp(name, "self_test") == 0, .rounding = program->rounding};
  return kernel;
}

int32_t clSetKernelArg(tvmq_cl_kernel kernel, uint32_t index, size_t size, const void *value) {
  if (fails() || index >= MOST_ARGS) return FAILURE;
  if (index == 0) memcpy(&kernel->memory, value, size);
  if (index >= 2) memcpy(&kernel->args[index - 2], value, size);
  return TVMQ_CL_SUCCESS;
}

tvmq_cl_memory clCreateBuffer(tvmq_cl_context context, uint64_t flags, size_t size, void *host, int32_t *error) {
  (void)context, (void)flags, (void)host;
  tvmq_cl_memory memory = make(sizeof *memory, error);
  if (memory != NULL) *memory = (struct tvmq_cl_memory_t){size, calloc(1, size)};
  return memory;
}

static void self_test(const struct tvmq_cl_kernel_t *kernel) {
  const int32_t *const in = (const int32_t *)(const void *)(kernel->memory->at + kernel->args[0]), n = kernel->args[2];
  int32_t *const out = (int32_t *)(void *)(kernel->memory->at + kernel->args[1]);
  for (int32_t i = 0; i < n; i++) {
    int32_t results[TVMQ_SELF_TEST_KINDS];
    tvmq_self_test_values(kernel->rounding, in[i], in[i + 1], i, results);
    for (int32_t k = 0; k < TVMQ_SELF_TEST_KINDS; k++) out[k * n + i] = results[k];
  }
  if (fault == FAKE_OPENCL_WRONG_SUM) out[n + n / 2]++;
}

int32_t clEnqueueNDRangeKernel(tvmq_cl_queue queue, tvmq_cl_kernel kernel, uint32_t dimensions, const size_t *offset, const size_t *global, const size_t *local,
                               uint32_t n_waits, const tvmq_cl_event *waits, tvmq_cl_event *event) {
  (void)queue, (void)offset, (void)n_waits, (void)waits, (void)event;
  if (fails()) return FAILURE;
  for (uint32_t d = 0; d < dimensions; d++) {
    if (local[d] == 0 || global[d] % local[d] != 0) return FAILURE;
  }
  if (kernel->tests)
    self_test(kernel);
  else
    memset(kernel->memory->at, FAKE_OPENCL_BYTE, kernel->memory->bytes);
  return TVMQ_CL_SUCCESS;
}

void *clEnqueueMapBuffer(tvmq_cl_queue queue, tvmq_cl_memory memory, uint32_t blocking, uint64_t flags, size_t offset, size_t size, uint32_t n_waits,
                         const tvmq_cl_event *waits, tvmq_cl_event *event, int32_t *error) {
  (void)queue, (void)flags, (void)n_waits, (void)waits, (void)event;
  const bool failed = fails() || !blocking || offset + size > memory->bytes;
  *error = failed ? FAILURE : TVMQ_CL_SUCCESS;
  return failed ? NULL : memory->at + offset;
}

int32_t clEnqueueUnmapMemObject(tvmq_cl_queue queue, tvmq_cl_memory memory, void *mapped, uint32_t n_waits, const tvmq_cl_event *waits, tvmq_cl_event *event) {
  (void)queue, (void)memory, (void)mapped, (void)n_waits, (void)waits, (void)event;
  return fails() ? FAILURE : TVMQ_CL_SUCCESS;
}

int32_t clFinish(tvmq_cl_queue queue) { return fails() || queue == NULL ? FAILURE : TVMQ_CL_SUCCESS; }
int32_t clReleaseContext(tvmq_cl_context context) { return release(context); }
int32_t clReleaseCommandQueue(tvmq_cl_queue queue) { return release(queue); }
int32_t clReleaseProgram(tvmq_cl_program program) { return release(program); }
int32_t clReleaseKernel(tvmq_cl_kernel kernel) { return release(kernel); }
int32_t clReleaseMemObject(tvmq_cl_memory memory) {
  free(memory->at);
  return release(memory);
}
