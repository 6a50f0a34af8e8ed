// LiteRT's C interface as far as examples/compiled_model/run.cpp uses it, declared by us: LiteRT's wheel has the library without its headers.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { kLiteRtStatusOk = 0 } LiteRtStatus;
typedef int LiteRtHwAcceleratorSet;
enum { kLiteRtHwAcceleratorCpu = 1 };
typedef size_t LiteRtParamIndex;

typedef struct LiteRtEnvironmentT *LiteRtEnvironment;
typedef struct LiteRtModelT *LiteRtModel;
typedef struct LiteRtSubgraphT *LiteRtSubgraph;
typedef struct LiteRtTensorT *LiteRtTensor;
typedef struct LiteRtOptionsT *LiteRtOptions;
typedef struct LiteRtOpaqueOptionsT *LiteRtOpaqueOptions;
typedef struct LiteRtCompiledModelT *LiteRtCompiledModel;
typedef struct LiteRtTensorBufferT *LiteRtTensorBuffer;
typedef struct LiteRtTensorBufferRequirementsT *LiteRtTensorBufferRequirements;

typedef enum { kLiteRtAnyTypeString = 8 } LiteRtAnyType;
typedef struct {
  LiteRtAnyType type;
  union {
    int64_t int_value;
    const char *str_value;
  };
} LiteRtAny;

typedef enum { kLiteRtEnvOptionTagRuntimeLibraryDir = 22 } LiteRtEnvOptionTag;
typedef struct {
  LiteRtEnvOptionTag tag;
  LiteRtAny value;
} LiteRtEnvOption;

typedef struct {
  int element_type;
  struct {
    unsigned rank_and_strides;
    int32_t dimensions[8];
    uint32_t strides[8];
  } layout;
} LiteRtRankedTensorType;

typedef enum { kLiteRtTensorBufferLockModeRead = 0, kLiteRtTensorBufferLockModeWrite = 1 } LiteRtTensorBufferLockMode;

LiteRtStatus LiteRtCreateEnvironment(int n_options, const LiteRtEnvOption *options, LiteRtEnvironment *environment);
LiteRtStatus LiteRtCreateModelFromFile(LiteRtEnvironment environment, const char *path, LiteRtModel *model);
LiteRtStatus LiteRtGetMainModelSubgraphIndex(LiteRtModel model, LiteRtParamIndex *index);
LiteRtStatus LiteRtGetModelSubgraph(LiteRtModel model, LiteRtParamIndex index, LiteRtSubgraph *graph);
LiteRtStatus LiteRtGetNumSubgraphInputs(LiteRtSubgraph graph, LiteRtParamIndex *n);
LiteRtStatus LiteRtGetNumSubgraphOutputs(LiteRtSubgraph graph, LiteRtParamIndex *n);
LiteRtStatus LiteRtGetSubgraphInput(LiteRtSubgraph graph, LiteRtParamIndex index, LiteRtTensor *tensor);
LiteRtStatus LiteRtGetSubgraphOutput(LiteRtSubgraph graph, LiteRtParamIndex index, LiteRtTensor *tensor);
LiteRtStatus LiteRtGetRankedTensorType(LiteRtTensor tensor, LiteRtRankedTensorType *type);
LiteRtStatus LiteRtCreateOptions(LiteRtOptions *options);
LiteRtStatus LiteRtSetOptionsHardwareAccelerators(LiteRtOptions options, LiteRtHwAcceleratorSet hardware);
LiteRtStatus LiteRtCreateOpaqueOptions(const char *identifier, void *data, void (*destroy)(void *data), LiteRtOpaqueOptions *opaque);
LiteRtStatus LiteRtAddOpaqueOptions(LiteRtOptions options, LiteRtOpaqueOptions opaque);
LiteRtStatus LiteRtCreateCompiledModel(LiteRtEnvironment environment, LiteRtModel model, LiteRtOptions options, LiteRtCompiledModel *compiled);
LiteRtStatus LiteRtGetCompiledModelInputBufferRequirements(LiteRtCompiledModel compiled, LiteRtParamIndex signature, LiteRtParamIndex index,
                                                           LiteRtTensorBufferRequirements *requirements);
LiteRtStatus LiteRtGetCompiledModelOutputBufferRequirements(LiteRtCompiledModel compiled, LiteRtParamIndex signature, LiteRtParamIndex index,
                                                            LiteRtTensorBufferRequirements *requirements);
LiteRtStatus LiteRtCreateManagedTensorBufferFromRequirements(LiteRtEnvironment environment, const LiteRtRankedTensorType *type,
                                                             LiteRtTensorBufferRequirements requirements, LiteRtTensorBuffer *buffer);
LiteRtStatus LiteRtGetTensorBufferPackedSize(LiteRtTensorBuffer buffer, size_t *size);
LiteRtStatus LiteRtLockTensorBuffer(LiteRtTensorBuffer buffer, void **memory, LiteRtTensorBufferLockMode mode);
LiteRtStatus LiteRtUnlockTensorBuffer(LiteRtTensorBuffer buffer);
LiteRtStatus LiteRtRunCompiledModel(LiteRtCompiledModel compiled, LiteRtParamIndex signature, size_t n_inputs, LiteRtTensorBuffer *inputs, size_t n_outputs,
                                    LiteRtTensorBuffer *outputs);
void LiteRtDestroyTensorBuffer(LiteRtTensorBuffer buffer);
void LiteRtDestroyCompiledModel(LiteRtCompiledModel compiled);
void LiteRtDestroyOptions(LiteRtOptions options);
void LiteRtDestroyModel(LiteRtModel model);
void LiteRtDestroyEnvironment(LiteRtEnvironment environment);

#ifdef __cplusplus
}
#endif
