// The parts of LiteRT's accelerator interface that we offer and call, declared by us: the library links no LiteRT symbol and one file serves every version.
//
// Valid for LiteRT from 2.2 on (major version 1 of both structures), 64-bit. Versions up to 2.1 have another structure, and never look at ours: its header
// holds a version that they do not know. Both structures begin with their own size and version, which accelerator.c compares before it calls anything.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

_Static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8 && sizeof(int) == 4, "only 64-bit layouts are known");

enum { LITERT_ABI_MAJOR = 1 };

// The statuses that we return or tell apart; there are many more.
typedef enum { kLiteRtStatusOk = 0, kLiteRtStatusErrorInvalidArgument = 1, kLiteRtStatusErrorRuntimeFailure = 3, kLiteRtStatusErrorNotFound = 6 } LiteRtStatus;

enum { kLiteRtHwAcceleratorCpu = 1, kLiteRtHwAcceleratorGpu = 2 };  // bits of a set
enum { kLiteRtEnvOptionTagNull = 255 };

typedef struct LiteRtEnvironmentT *LiteRtEnvironment;
typedef struct LiteRtAcceleratorT *LiteRtAccelerator;
typedef struct LiteRtOptionsT *LiteRtOptions;
typedef struct LiteRtOpaqueOptionsT *LiteRtOpaqueOptions;
typedef struct LiteRtDelegateWrapperT *LiteRtDelegateWrapper;

typedef struct {
  uint16_t struct_size;  // of the whole structure
  uint16_t major_version, minor_version;
  uint16_t reserved;
} LiteRtAbiHeader;

typedef struct {
  int major, minor, patch;
} LiteRtApiVersion;

// The runtime offers accelerators a table of functions. Those that we do not call are counted.
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

// Whether the runtime's table reaches as far as `member`, and has it.
#define LITERT_HAS(context, member)                           \
  ((context)->abi_header.major_version == LITERT_ABI_MAJOR && \
   (context)->abi_header.struct_size >= offsetof(LiteRtRuntimeContext, member) + sizeof((context)->member) && (context)->member != NULL)

// How an accelerator makes buffers of its own. Ours makes none; a GPU's are handed on as they are.
typedef struct {
  LiteRtAbiHeader abi_header;
  void (*functions[6])(void);
  int device_tag, queue_tag;
  size_t n_buffer_types;
  int buffer_types[16];
} LiteRtBufferHandlers;

// An accelerator: what the runtime reads from the symbol LiteRtAcceleratorImpl of a library.
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
