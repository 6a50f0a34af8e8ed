// Own declarations of the parts of TFLite's C interface that the delegate uses. So the library needs no TFLite symbol,
// and one file works with every runtime.
//
// Valid for 64-bit builds of tflite-runtime 2.14, ai-edge-litert 2.1.6 to 2.3.0 and TensorFlow 2.12 to 2.21. The
// comment at each layout says why it is the same in all of them. abi_check.c tests at run time what can be tested, and
// the delegate claims nothing in an implausible runtime.
//
// Structures are declared up to the last member that is used, because TFLite appends members and never reorders them.
// If the size of a whole structure matters, its comment says so.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

_Static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8 && sizeof(int) == 4, "only 64-bit layouts are known");

typedef enum { kTfLiteOk = 0, kTfLiteError = 1 } TfLiteStatus;

// The types that the delegate supports or checks for; nodes with other types are refused.
typedef enum {
  kTfLiteFloat32 = 1,
  kTfLiteInt32 = 2,
  kTfLiteUInt8 = 3,
  kTfLiteInt64 = 4,
  kTfLiteBool = 6,
  kTfLiteInt16 = 7,
  kTfLiteInt8 = 9,
  kTfLiteResource = 14,  // a handle of what the interpreter keeps between inferences
  kTfLiteInt4 = 18,
  kTfLiteTypeLimit = 64  // not TFLite's: limit for the plausibility check; the highest type in use is below 30
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

// A count and that many values. The runtime owns all of these arrays that the delegate reads.
typedef struct {
  int size;
  int data[];
} TfLiteIntArray;

typedef struct {
  int size;
  float data[];
} TfLiteFloatArray;

enum { kTfLiteAffineQuantization = 1 };

// params points to a TfLiteAffineQuantization if `type` says so. Newer types are refused.
typedef struct {
  int type;
  void *params;
} TfLiteQuantization;

typedef struct {
  TfLiteFloatArray *scale;
  TfLiteIntArray *zero_point;
  int32_t quantized_dimension;
} TfLiteAffineQuantization;

// A C++ object that starts the same for a model in memory, a mapped file and a copied file. graph_inputs.c trusts it
// only if a model begins at `base` and all constants of the graph are within these bytes.
typedef struct {
  const void *vtable, *error_reporter;
  int type;
  const void *base;  // of the model's bytes
  size_t bytes;
} TfLiteAllocation;
_Static_assert(offsetof(TfLiteAllocation, base) == 24, "behind an enumeration and, for a mapped file, an int");

// The whole structure, because context->tensors is an array: 112 bytes in all versions above.
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

// Passed by pointer. 80 bytes in all versions above, which only matters to abi_check.c.
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

// The runtime passes its registrations by pointer. The delegate reads the first eight members, which are the same in
// all versions above.
//
// The delegate passes its own registration to ReplaceNodeSubsetsWithDelegateKernels by value, and the structure has
// grown: 72 bytes in TensorFlow 2.12, 80 and 88 later. A callee compiled for a shorter structure still reads its
// members correctly. x86-64 passes the structure on the stack and all other arguments in registers; AArch64 passes a
// pointer to a copy. So this structure is longer than any known version, and the unknown members are zero, which means
// "none" for all appended so far.
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

// The argument of init, and the element of a partitioning preview. Unchanged since delegates were introduced.
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

// Declared up to the last function that the delegate calls; newer versions have more. Functions marked * fail unless a
// delegate is being applied.
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
  // *; gets the context of another graph of the model, for which functions marked * work until it is released. Fails if
  // there is no such graph
  TfLiteStatus (*AcquireSubgraphContext)(TfLiteContext *context, int index, TfLiteContext **acquired);
  TfLiteStatus (*ReleaseSubgraphContext)(TfLiteContext *context, int index);
};

enum { kTfLiteDelegateFlagsAllowDynamicTensors = 1 };

// Allocated by the delegate and read by the runtime: 56 bytes so far. The zeros after them stand for members that later
// versions may append.
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

// Options of the operators. TFLite appends members here too: quantized_bias_type came with version 7 of CONV_2D, and a
// runtime without it does not load such nodes.
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
  bool asymmetric_quantize_inputs;  // the members below are for the runtime's kernels
} TfLiteFullyConnectedParams;

typedef struct {
  bool adj_x;
  bool adj_y;  // the members below are for the runtime's kernels
} TfLiteBatchMatMulParams;

typedef struct {
  TfLitePadding padding;
  int stride_width;
  int stride_height;
  int filter_width;
  int filter_height;
  TfLiteFusedActivation activation;  // the members below are for the runtime's kernels
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

// Options of operators that copy elements. The layout is the same in all versions above.
typedef struct {
  int num_splits;
} TfLiteSplitParams;  // SPLIT_V's are the same

typedef struct {
  int begin_mask;
  int end_mask;
  int ellipsis_mask;
  int new_axis_mask;
  int shrink_axis_mask;
  // Whether `end` counts from `begin`, in any version of the operator. A byte, so that any value can be read safely.
  // Runtimes before 2.14 may lack this member and allocate 20 bytes, but malloc() provides at least four more. Their
  // contents can only cause a node to be refused.
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
