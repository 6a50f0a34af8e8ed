// Own declarations of OpenCL against the headers of the Khronos Group: constants, and the types of functions.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "unit/unit.h"

// Handles are pointers to the structures that the headers name.
#define tvmq_cl_platform_t _cl_platform_id
#define tvmq_cl_device_t _cl_device_id
#define tvmq_cl_context_t _cl_context
#define tvmq_cl_queue_t _cl_command_queue
#define tvmq_cl_program_t _cl_program
#define tvmq_cl_kernel_t _cl_kernel
#define tvmq_cl_memory_t _cl_mem
#define tvmq_cl_event_t _cl_event
#include "opencl/opencl_abi.h"

int main(void) {
  const struct tvmq_cl functions = {0};
#define CHECK_VALUE(name, value) CHECK((long long)(value) == (long long)(CL_##name), "CL_" #name);
  TVMQ_CL_CONSTANTS(CHECK_VALUE)
#define CHECK_TYPE(result, name, arguments) CHECK(__builtin_types_compatible_p(__typeof__(&cl##name), __typeof__(functions.name)), "cl" #name);
  TVMQ_CL_FUNCTIONS(CHECK_TYPE)
  return unit_report();
}
