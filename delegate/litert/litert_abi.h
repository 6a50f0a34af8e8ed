// Own declarations of the parts of LiteRT's accelerator interface that this library implements and calls. So the
// library needs no LiteRT symbol, and one file works with every version.
//
// Valid for 64-bit LiteRT from 2.2 on (major version 1 of both structures). LiteRT up to 2.1 has another structure; it
// rejects this one by the version in its header. Both structures start with their size and version, which accelerator.c
// checks before it calls anything.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

_Static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8 && sizeof(int) == 4, "only 64-bit layouts are known");

enum { LITERT_ABI_MAJOR = 1 };

// The statuses that this library returns or checks; LiteRT has many more.
typedef enum { kLiteRtStatusOk = 0, kLiteRtStatusErrorInvalidArgument = 1, kLiteRtStatusErrorRuntimeFailure = 3, kLiteRtStatusErrorNotFound = 6 } LiteRtStatus;

enum { kLiteRtHwAcceleratorCpu = 1, kLiteRtHwAcceleratorGpu = 2 };  // bit mask
enum { kLiteRtEnvOptionTagNull = 255 };

typedef struct LiteRtEnvironmentT *LiteRtEnvironment;
typedef struct LiteRtAcceleratorT *LiteRtAccelerator;
typedef struct LiteRtOptionsT *LiteRtOptions;
typedef struct LiteRtOpaqueOptionsT *LiteRtOpaqueOptions;
typedef struct LiteRtDelegateWrapperT *LiteRtDelegateWrapper;

typedef struct {
  uint16_t struct_size;  // bytes of the whole structure
  uint16_t major_version, minor_version;
  uint16_t reserved;
} LiteRtAbiHeader;

typedef struct {
  int major, minor, patch;
} LiteRtApiVersion;

// The runtime's table of functions for accelerators. Arrays stand for functions that this library does not call.
typedef struct {
  LiteRtAbiHeader abi_header;
  void (*buffers[9])(void);
  LiteRtStatus (*get_opaque_options)(LiteRtOptions options, LiteRtOpaqueOptions *opaque);
  LiteRtStatus (*find_opaque_options_data)(LiteRtOpaqueOptions opaque, const char *identifier, void **data);
  void (*environment[6])(void);
  LiteRtStatus (*wrap_delegate)(void *delegate, void (*destroy)(void *delegate), LiteRtDelegateWrapper *wrapper);
  void (*tensors[31])(void);
  LiteRtStatus (*get_options_hardware_accelerators)(LiteRtOptions options, int *hardware);  // from minor version 1 on
} LiteRtRuntimeContext;

_Static_assert(offsetof(LiteRtRuntimeContext, get_opaque_options) == 80, "layout of version 1");
_Static_assert(offsetof(LiteRtRuntimeContext, find_opaque_options_data) == 88, "layout of version 1");
_Static_assert(offsetof(LiteRtRuntimeContext, wrap_delegate) == 144, "layout of version 1");
_Static_assert(offsetof(LiteRtRuntimeContext, get_options_hardware_accelerators) == 400, "layout of version 1.1");

// Returns whether the runtime's table is long enough to contain `member`, and `member` is not NULL.
#define LITERT_HAS(context, member)                           \
  ((context)->abi_header.major_version == LITERT_ABI_MAJOR && \
   (context)->abi_header.struct_size >= offsetof(LiteRtRuntimeContext, member) + sizeof((context)->member) && (context)->member != NULL)

// Functions with which an accelerator creates its own buffers. This library has none; it passes on those of a GPU
// accelerator.
typedef struct {
  LiteRtAbiHeader abi_header;
  void (*functions[6])(void);
  int device_tag, queue_tag;
  size_t n_buffer_types;
  int buffer_types[16];
} LiteRtBufferHandlers;

// An accelerator. The runtime reads it from a library's symbol LiteRtAcceleratorImpl.
typedef struct {
  LiteRtAbiHeader abi_header;
  LiteRtStatus (*get_name)(LiteRtAccelerator accelerator, const char **name);
  LiteRtStatus (*get_version)(LiteRtAccelerator accelerator, LiteRtApiVersion *version);
  LiteRtStatus (*get_hardware_support)(LiteRtAccelerator accelerator, int *hardware);
  LiteRtStatus (*is_delegate_responsible_for_jit)(LiteRtAccelerator accelerator, bool *responsible);
  LiteRtStatus (*create_delegate)(LiteRtRuntimeContext *context, LiteRtEnvironment environment, LiteRtAccelerator accelerator, LiteRtOptions options,
                                  LiteRtDelegateWrapper *wrapper);
  void (*metrics[2])(void);
  LiteRtBufferHandlers buffer_handlers;
} LiteRtAcceleratorDef;

_Static_assert(sizeof(LiteRtBufferHandlers) == 136, "layout of version 1");
_Static_assert(offsetof(LiteRtBufferHandlers, device_tag) == 56 && offsetof(LiteRtBufferHandlers, n_buffer_types) == 64, "layout of version 1");
_Static_assert(sizeof(LiteRtAcceleratorDef) == 200, "layout of version 1");
_Static_assert(offsetof(LiteRtAcceleratorDef, create_delegate) == 40 && offsetof(LiteRtAcceleratorDef, buffer_handlers) == 64, "layout of version 1");
