// Own declarations of the parts of OpenCL 1.2 that this library uses. So it needs no OpenCL library to be built or
// loaded. tests/opencl/test_abi.c compares them with the headers of the Khronos Group.
//
// Valid for 64-bit programs. Integers have the sizes that the standard gives them; every handle is a pointer.
#pragma once

#include <stddef.h>
#include <stdint.h>

_Static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8 && sizeof(int) == 4, "only 64-bit layouts are known");

// The constants, without their prefix CL_.
#define TVMQ_CL_CONSTANTS(ROW)            \
  ROW(SUCCESS, 0)                         \
  ROW(TRUE, 1)                            \
  ROW(DEVICE_TYPE_CPU, 1 << 1)            \
  ROW(DEVICE_TYPE_GPU, 1 << 2)            \
  ROW(DEVICE_TYPE_ALL, UINT32_MAX)        \
  ROW(DEVICE_TYPE, 0x1000)                \
  ROW(DEVICE_MAX_WORK_GROUP_SIZE, 0x1004) \
  ROW(DEVICE_MAX_MEM_ALLOC_SIZE, 0x1010)  \
  ROW(DEVICE_SINGLE_FP_CONFIG, 0x101b)    \
  ROW(DEVICE_ENDIAN_LITTLE, 0x1026)       \
  ROW(DEVICE_AVAILABLE, 0x1027)           \
  ROW(DEVICE_COMPILER_AVAILABLE, 0x1028)  \
  ROW(DEVICE_NAME, 0x102b)                \
  ROW(DRIVER_VERSION, 0x102d)             \
  ROW(DEVICE_VERSION, 0x102f)             \
  ROW(DEVICE_EXTENSIONS, 0x1030)          \
  ROW(PROGRAM_BUILD_LOG, 0x1183)          \
  ROW(FP_ROUND_TO_NEAREST, 1 << 2)        \
  ROW(FP_FMA, 1 << 5)                     \
  ROW(MEM_READ_WRITE, 1 << 0)             \
  ROW(MEM_READ_ONLY, 1 << 2)              \
  ROW(MEM_ALLOC_HOST_PTR, 1 << 4)         \
  ROW(MEM_COPY_HOST_PTR, 1 << 5)          \
  ROW(MAP_READ, 1 << 0)                   \
  ROW(MAP_WRITE, 1 << 1)

#define TVMQ_CL_CONSTANT(name, value) TVMQ_CL_##name = (value),
enum tvmq_cl_constant { TVMQ_CL_CONSTANTS(TVMQ_CL_CONSTANT) };
#undef TVMQ_CL_CONSTANT

typedef struct tvmq_cl_platform_t *tvmq_cl_platform;
typedef struct tvmq_cl_device_t *tvmq_cl_device;
typedef struct tvmq_cl_context_t *tvmq_cl_context;
typedef struct tvmq_cl_queue_t *tvmq_cl_queue;
typedef struct tvmq_cl_program_t *tvmq_cl_program;
typedef struct tvmq_cl_kernel_t *tvmq_cl_kernel;
typedef struct tvmq_cl_memory_t *tvmq_cl_memory;
typedef struct tvmq_cl_event_t *tvmq_cl_event;

// The functions, without their prefix cl. The last two arguments of those that enqueue are events to wait for and an
// event to make, which are NULL.
#define TVMQ_CL_FUNCTIONS(ROW)                                                                                                                             \
  ROW(int32_t, GetPlatformIDs, (uint32_t n, tvmq_cl_platform *platforms, uint32_t *found))                                                                 \
  ROW(int32_t, GetDeviceIDs, (tvmq_cl_platform platform, uint64_t type, uint32_t n, tvmq_cl_device *devices, uint32_t *found))                             \
  ROW(int32_t, GetDeviceInfo, (tvmq_cl_device device, uint32_t what, size_t size, void *value, size_t *needed))                                            \
  ROW(tvmq_cl_context, CreateContext,                                                                                                                      \
      (const intptr_t *properties, uint32_t n, const tvmq_cl_device *devices, void (*notify)(const char *, const void *, size_t, void *), void *user_data, \
       int32_t *error))                                                                                                                                    \
  ROW(int32_t, ReleaseContext, (tvmq_cl_context context))                                                                                                  \
  ROW(tvmq_cl_queue, CreateCommandQueue, (tvmq_cl_context context, tvmq_cl_device device, uint64_t properties, int32_t *error))                            \
  ROW(int32_t, ReleaseCommandQueue, (tvmq_cl_queue queue))                                                                                                 \
  ROW(tvmq_cl_program, CreateProgramWithSource, (tvmq_cl_context context, uint32_t n, const char **texts, const size_t *lengths, int32_t *error))          \
  ROW(int32_t, BuildProgram,                                                                                                                               \
      (tvmq_cl_program program, uint32_t n, const tvmq_cl_device *devices, const char *options, void (*notify)(tvmq_cl_program, void *), void *user_data)) \
  ROW(int32_t, GetProgramBuildInfo, (tvmq_cl_program program, tvmq_cl_device device, uint32_t what, size_t size, void *value, size_t *needed))             \
  ROW(int32_t, ReleaseProgram, (tvmq_cl_program program))                                                                                                  \
  ROW(tvmq_cl_kernel, CreateKernel, (tvmq_cl_program program, const char *name, int32_t *error))                                                           \
  ROW(int32_t, ReleaseKernel, (tvmq_cl_kernel kernel))                                                                                                     \
  ROW(int32_t, SetKernelArg, (tvmq_cl_kernel kernel, uint32_t index, size_t size, const void *value))                                                      \
  ROW(tvmq_cl_memory, CreateBuffer, (tvmq_cl_context context, uint64_t flags, size_t size, void *host, int32_t *error))                                    \
  ROW(int32_t, ReleaseMemObject, (tvmq_cl_memory memory))                                                                                                  \
  ROW(int32_t, EnqueueNDRangeKernel,                                                                                                                       \
      (tvmq_cl_queue queue, tvmq_cl_kernel kernel, uint32_t dimensions, const size_t *offset, const size_t *global, const size_t *local, uint32_t n_waits, \
       const tvmq_cl_event *waits, tvmq_cl_event *event))                                                                                                  \
  ROW(void *, EnqueueMapBuffer,                                                                                                                            \
      (tvmq_cl_queue queue, tvmq_cl_memory memory, uint32_t blocking, uint64_t flags, size_t offset, size_t size, uint32_t n_waits,                        \
       const tvmq_cl_event *waits, tvmq_cl_event *event, int32_t *error))                                                                                  \
  ROW(int32_t, EnqueueUnmapMemObject,                                                                                                                      \
      (tvmq_cl_queue queue, tvmq_cl_memory memory, void *mapped, uint32_t n_waits, const tvmq_cl_event *waits, tvmq_cl_event *event))                      \
  ROW(int32_t, Finish, (tvmq_cl_queue queue))

// The functions as an opened library has them.
struct tvmq_cl {
#define TVMQ_CL_MEMBER(result, name, arguments) result(*name) arguments;
  TVMQ_CL_FUNCTIONS(TVMQ_CL_MEMBER)
#undef TVMQ_CL_MEMBER
};
