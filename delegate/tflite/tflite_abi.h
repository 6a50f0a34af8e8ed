// The parts of TFLite's C interface that a delegate touches, declared by us: the library links no TFLite symbol and one file serves every runtime.
//
// Valid for tflite-runtime 2.14, ai-edge-litert 2.1.6 to 2.3.0 and TensorFlow 2.12 to 2.21, 64-bit. Why each layout is safe across them stands above it;
// abi_check.c tests at run time what can be tested, and an implausible runtime means that nothing is claimed. Structs whose tail we do not use are declared up
// to the last field that we read: TFLite appends fields and never reorders them. Where the size of a whole struct matters, the comment says so.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

_Static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8 && sizeof(int) == 4, "only 64-bit layouts are known");

typedef enum { kTfLiteOk = 0, kTfLiteError = 1 } TfLiteStatus;

// Only the types that the delegate meets; an unknown one is a reason to refuse.
typedef enum {
  kTfLiteFloat32 = 1,
  kTfLiteInt32 = 2,
  kTfLiteUInt8 = 3,
  kTfLiteInt64 = 4,
  kTfLiteInt16 = 7,
  kTfLiteInt8 = 9,
  kTfLiteResource = 14,  // a handle of what the interpreter keeps between inferences
  kTfLiteInt4 = 18,
  kTfLiteTypeLimit = 64  // ours, for the plausibility check: the highest in use is below 30
} TfLiteType;

typedef enum {
  kTfLiteMmapRo = 1,
  kTfLiteArenaRw = 2,
  kTfLiteDynamic = 4,
  kTfLitePersistentRo = 5,
  kTfLiteCustom = 6,
  kTfLiteAllocationTypeLimit = 32  // ours, as above
} TfLiteAllocationType;

typedef struct TfLiteContext TfLiteContext;
typedef struct TfLiteDelegate TfLiteDelegate;

// A count and that many values. Owned by the runtime wherever the delegate meets one.
typedef struct {
  int size;
  int data[];
} TfLiteIntArray;

typedef struct {
  int size;
  float data[];
} TfLiteFloatArray;

enum { kTfLiteAffineQuantization = 1 };

// params points at a TfLiteAffineQuantization if type says so. Newer types exist; they are refused.
typedef struct {
  int type;
  void *params;
} TfLiteQuantization;

typedef struct {
  TfLiteFloatArray *scale;
  TfLiteIntArray *zero_point;
  int32_t quantized_dimension;
} TfLiteAffineQuantization;

// A C++ object, the beginning of which is the same for a model in memory, in a file that is mapped and in one that was copied. graph_inputs.c believes it only
// if all constants of the graph lie between these addresses, and a model begins there.
typedef struct {
  const void *vtable, *error_reporter;
  int type;
  const void *base;  // of the model's bytes
  size_t bytes;
} TfLiteAllocation;
_Static_assert(offsetof(TfLiteAllocation, base) == 24, "behind an enumeration and, for a mapped file, an int");

// The whole struct, since context->tensors is an array of them: 112 bytes in all the versions above.
typedef struct {
  TfLiteType type;
  void *data;
  TfLiteIntArray *dims;
  struct {
    float scale;
    int32_t zero_point;
  } params;  // scale 0 if the tensor is not quantized per tensor
  TfLiteAllocationType allocation_type;
  size_t bytes;
  const TfLiteAllocation *allocation;  // that holds a constant's data; NULL: unknown
  const char *name;
  TfLiteDelegate *delegate;
  int buffer_handle;
  uint8_t data_is_stale;  // bool in TFLite; a byte here, so that abi_check.c may look at any value
  uint8_t is_variable;    // likewise
  TfLiteQuantization quantization;
  void *sparsity;  // NULL if dense
  const TfLiteIntArray *dims_signature;
} TfLiteTensor;
_Static_assert(sizeof(TfLiteTensor) == 112, "stride of context->tensors");

// Handed out by pointer. 80 bytes in all the versions above, which matters to abi_check.c alone.
typedef struct {
  TfLiteIntArray *inputs;  // tensor indices; -1 stands for an input left out
  TfLiteIntArray *outputs;
  TfLiteIntArray *intermediates;
  TfLiteIntArray *temporaries;
  void *user_data;  // what the registration's init returned
  void *builtin_data;
  const void *custom_initial_data;
  int custom_initial_data_size;
  TfLiteDelegate *delegate;  // of a delegate's node, else NULL
  bool might_have_side_effect;
} TfLiteNode;
_Static_assert(sizeof(TfLiteNode) == 80, "distance of a node and its registration");

// The runtime hands us its own by pointer, of which the first eight fields are read; they stand there in all the versions above.
//
// We hand ours to ReplaceNodeSubsetsWithDelegateKernels by value, and the struct has grown: 72 bytes in TensorFlow 2.12, 80 and 88 later. A callee that was
// compiled for a shorter struct sees its own fields, in both calling conventions: x86-64 passes the struct on the stack and all other arguments in registers;
// AArch64 passes a pointer to a copy. So ours is longer than any known, and zero where we do not know the fields, which means "none" for all appended so far.
typedef struct {
  void *(*init)(TfLiteContext *context, const char *buffer, size_t length);
  void (*free)(TfLiteContext *context, void *user_data);
  TfLiteStatus (*prepare)(TfLiteContext *context, TfLiteNode *node);
  TfLiteStatus (*invoke)(TfLiteContext *context, TfLiteNode *node);
  const char *(*profiling_string)(const TfLiteContext *context, const TfLiteNode *node);
  int32_t builtin_code;
  const char *custom_name;  // NULL for builtin operators
  int version;              // of the operator, as the model's file says
  uint64_t appended[16];
} TfLiteRegistration;
enum { TFLITE_REGISTRATION_MIN_SIZE = 64 };
_Static_assert(offsetof(TfLiteRegistration, appended) == TFLITE_REGISTRATION_MIN_SIZE, "fields that every version has");

// The buffer that init gets, and the element of a preview of partitions. Unchanged since delegates exist.
typedef struct {
  TfLiteDelegate *delegate;  // NULL in a preview
  TfLiteIntArray *nodes_to_replace;
  TfLiteIntArray *input_tensors;
  TfLiteIntArray *output_tensors;
} TfLiteDelegateParams;

typedef struct {
  int type;
} TfLiteExternalContext;
enum { kTfLiteCpuBackendContext = 3 };

// Up to the last function that the delegate calls; newer versions have more behind it. The functions marked * fail unless a delegate is being applied.
struct TfLiteContext {
  size_t tensors_size;
  TfLiteStatus (*GetExecutionPlan)(TfLiteContext *context, TfLiteIntArray **plan);  // *; the next call invalidates the array
  TfLiteTensor *tensors;                                                            // moves when tensors are added
  void *impl_;
  TfLiteStatus (*ResizeTensor)(TfLiteContext *context, TfLiteTensor *tensor, TfLiteIntArray *dims);  // takes dims over and will free() it
  void (*ReportError)(TfLiteContext *context, const char *format, ...);
  TfLiteStatus (*AddTensors)(TfLiteContext *context, int n, int *first_index);
  TfLiteStatus (*GetNodeAndRegistration)(TfLiteContext *context, int index, TfLiteNode **node, TfLiteRegistration **registration);  // *
  TfLiteStatus (*ReplaceNodeSubsetsWithDelegateKernels)(TfLiteContext *context, TfLiteRegistration registration, const TfLiteIntArray *nodes,
                                                        TfLiteDelegate *delegate);  // *
  int recommended_num_threads;                                                      // -1: the delegate's choice
  TfLiteExternalContext *(*GetExternalContext)(TfLiteContext *context, int type);
  void (*SetExternalContext)(TfLiteContext *context, int type, TfLiteExternalContext *external);
  bool allow_fp32_relax_to_fp16;
  void *profiler;  // a C++ object
  void *(*AllocatePersistentBuffer)(TfLiteContext *context, size_t bytes);
  TfLiteStatus (*AllocateBufferForEval)(TfLiteContext *context, size_t bytes, void **buffer);
  TfLiteStatus (*RequestScratchBufferInArena)(TfLiteContext *context, size_t bytes, int *index);
  void *(*GetScratchBuffer)(TfLiteContext *context, int index);
  TfLiteStatus (*ResizeTensorExplicit)(TfLiteContext *context, TfLiteTensor *tensor, int n_dims, const int *dims);
  // *; the array belongs to the context, and the next call invalidates it
  TfLiteStatus (*PreviewDelegatePartitioning)(TfLiteContext *context, const TfLiteIntArray *nodes, TfLiteDelegateParams **partitions, int *n_partitions);
  TfLiteTensor *(*GetTensor)(const TfLiteContext *context, int index);
  void *(*GetEvalTensor)(const TfLiteContext *context, int index);
  TfLiteStatus (*GetModelMetadata)(const TfLiteContext *context, const char *name, const char **data, size_t *bytes);
  // *; the context of another graph of the model, in which functions marked * may be called until it is released. An error: there is no such graph
  TfLiteStatus (*AcquireSubgraphContext)(TfLiteContext *context, int index, TfLiteContext **acquired);
  TfLiteStatus (*ReleaseSubgraphContext)(TfLiteContext *context, int index);
};

enum { kTfLiteDelegateFlagsAllowDynamicTensors = 1 };

// Allocated by us, read by the runtime: 56 bytes so far. Zeros behind them stand for the fields that later versions append.
struct TfLiteDelegate {
  void *data_;
  TfLiteStatus (*Prepare)(TfLiteContext *context, TfLiteDelegate *delegate);
  TfLiteStatus (*CopyFromBufferHandle)(TfLiteContext *context, TfLiteDelegate *delegate, int handle, TfLiteTensor *tensor);
  TfLiteStatus (*CopyToBufferHandle)(TfLiteContext *context, TfLiteDelegate *delegate, int handle, TfLiteTensor *tensor);
  void (*FreeBufferHandle)(TfLiteContext *context, TfLiteDelegate *delegate, int *handle);
  int64_t flags;
  void *opaque_delegate_builder;
  uint64_t appended[9];
};

// Options of the operators. TFLite appends to these as well: quantized_bias_type came with version 7 of CONV_2D, and a runtime without it loads no such node.
typedef enum { kTfLitePaddingSame = 1, kTfLitePaddingValid = 2 } TfLitePadding;
typedef enum { kTfLiteActNone = 0, kTfLiteActRelu = 1, kTfLiteActReluN1To1 = 2, kTfLiteActRelu6 = 3 } TfLiteFusedActivation;

typedef struct {
  TfLitePadding padding;
  int stride_width;
  int stride_height;
  TfLiteFusedActivation activation;
  int dilation_width_factor;
  int dilation_height_factor;
  TfLiteType quantized_bias_type;
} TfLiteConvParams;

typedef struct {
  TfLitePadding padding;
  int stride_width;
  int stride_height;
  int depth_multiplier;  // ignored by 8-bit kernels, which divide the channels of filter and input, but not by every 16x8 kernel
  TfLiteFusedActivation activation;
  int dilation_width_factor;
  int dilation_height_factor;
} TfLiteDepthwiseConvParams;

typedef struct {
  TfLitePadding padding;
  int stride_width;
  int stride_height;
  TfLiteFusedActivation activation;  // came with TensorFlow 2.12 and version 4 of the operator
} TfLiteTransposeConvParams;

typedef struct {
  TfLiteFusedActivation activation;
  int weights_format;  // 0: as the filter's shape says
  bool keep_num_dims;
  bool asymmetric_quantize_inputs;  // what follows belongs to the runtime's kernels
} TfLiteFullyConnectedParams;

typedef struct {
  bool adj_x;
  bool adj_y;  // what follows belongs to the runtime's kernels
} TfLiteBatchMatMulParams;

typedef struct {
  TfLitePadding padding;
  int stride_width;
  int stride_height;
  int filter_width;
  int filter_height;
  TfLiteFusedActivation activation;  // what follows belongs to the runtime's kernels
} TfLitePoolParams;

typedef struct {
  bool keep_dims;
} TfLiteReducerParams;

typedef struct {
  float beta;
} TfLiteSoftmaxParams;

typedef struct {
  TfLiteType output_type;
} TfLiteArgMaxParams;

typedef struct {
  bool align_corners;
  bool half_pixel_centers;
} TfLiteResizeBilinearParams;

typedef struct {
  TfLiteFusedActivation activation;
  bool pot_scale_int16;
} TfLiteAddParams;  // SUB's are the same

typedef struct {
  TfLiteFusedActivation activation;
} TfLiteMulParams;  // DIV's are the same

typedef struct {
  float alpha;
} TfLiteLeakyReluParams;

typedef struct {
  bool approximate;
} TfLiteGeluParams;

typedef struct {
  int axis;
  TfLiteFusedActivation activation;
} TfLiteConcatenationParams;

// Options of the operators that copy elements, with the same layout in all the versions above.
typedef struct {
  int num_splits;
} TfLiteSplitParams;  // SPLIT_V's are the same

typedef struct {
  int begin_mask;
  int end_mask;
  int ellipsis_mask;
  int new_axis_mask;
  int shrink_axis_mask;
  // Whether `end` counts from `begin`, whatever the operator's version. A byte, so that any value may be looked at: runtimes before 2.14 may lack the field,
  // and allocate 20 bytes, behind which malloc() has at least another four. What lies there can make a node refused, and no more.
  uint8_t offset;
} TfLiteStridedSliceParams;

typedef struct {
  int32_t squeeze_dims[8];
  int num_squeeze_dims;
} TfLiteSqueezeParams;

typedef struct {
  int32_t shape[8];
  int num_dimensions;
} TfLiteReshapeParams;

typedef struct {
  bool align_corners;
  bool half_pixel_centers;
} TfLiteResizeNearestNeighborParams;

typedef struct {
  int block_size;
} TfLiteDepthToSpaceParams;  // SPACE_TO_DEPTH's are the same

typedef struct {
  int axis;
  int batch_dims;
} TfLiteGatherParams;

typedef struct {
  int values_count;
  int axis;
} TfLitePackParams;

typedef struct {
  int num;
  int axis;
} TfLiteUnpackParams;

typedef struct {
  const char *container;
  const char *shared_name;
} TfLiteVarHandleParams;

typedef struct {
  int init_subgraph_index;
} TfLiteCallOnceParams;

enum { kTfLiteMirrorPaddingReflect = 1, kTfLiteMirrorPaddingSymmetric = 2 };
typedef struct {
  int mode;
} TfLiteMirrorPaddingParams;
