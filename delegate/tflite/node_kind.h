// The operators that the delegate knows, each in a file of its own: how a node of it is read and described, and what claims, plans and runs it.
#pragma once

#include "cpu/ops/op.h"
#include "operators/desc.h"
#include "tflite/tensor.h"
#include "tflite/tflite_abi.h"
#include "tflite/values.h"

struct tvmq_node_kind;
struct tvmq_variables;

// A node may have to do with variables (variables.h).
enum tvmq_state {
  TVMQ_STATE_NONE,
  TVMQ_STATE_FIRST_VALUES,  // it has a graph run that assigns them
  TVMQ_STATE_HANDLE,        // its output names one
  TVMQ_STATE_READ,          // its first input names one, which it reads
  TVMQ_STATE_ASSIGN         // its first input names one, which it writes in place of an output
};

// The delegate's own record of a claimed node: the runtime moves its structures, and gives no access to them while it prepares or runs.
struct tvmq_node {
  const struct tvmq_node_kind *kind;
  int n_inputs, inputs[TVMQ_MAX_IN];  // tensor indices in the operator's order; -1: has none
  int n_in, in[TVMQ_MAX_IN];          // those of them that change with each inference; where a PAD is folded into the node, the PAD's
  int n_out;
  union {
    int out;  // the only one, or the first
    int outs[TVMQ_MAX_OUT];
  };
  bool settable;                     // one of its constants is an input of the graph
  int handle;                        // the tensor that names the variable that is read, written or named; -1: none
  struct tvmq_reference reference;   // the runtime's
  struct tvmq_values *values;        // of the graph's tensors
  struct tvmq_variables *variables;  // of the graph; NULL: none
  union tvmq_desc options;           // of the description, what the node itself says; all else is zero
};

// Shapes of tensors that change with each inference. Readers of several outputs set `outs`, others `out`; both stand for the first once a node is described.
struct tvmq_shapes {
  struct tvmq_shape *in, *outs;
  struct tvmq_shape out;
};

// A node and the tensors that change with each inference, as they are now.
struct tvmq_node_view {
  const TfLiteContext *context;
  const struct tvmq_node *node;
  const TfLiteTensor *in[TVMQ_MAX_IN];
  union {
    const TfLiteTensor *out;  // the only one, or the first
    const TfLiteTensor *outs[TVMQ_MAX_OUT];
  };
};

struct tvmq_node_kind {
  const struct tvmq_op_class *op_class;
  const struct tvmq_node_kind *computed;  // of nodes whose second input is no constant, where these are another kind
  int n_in;                               // tensors that change with each inference, or all where there are fewer
  int first_in;                           // the first of them among the inputs
  int min_inputs, max_inputs;             // constants included
  int max_outputs;                        // 0: one output
  enum tvmq_state state;
  bool flat;                // the runtime's kernels look at no more of the first input's shape than how many elements there are
  union tvmq_desc options;  // what the description of every such node begins with
  // Reads the node's own options. `builtin_data` is not NULL. NULL: it has none.
  const char *(*read)(const void *builtin_data, int version, union tvmq_desc *options);
  // Completes the description, which begins as a copy of the options, and computes the output's rank and dimensions. The shapes of the inputs are known.
  const char *(*describe)(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc);
};

#define TVMQ_OPERATOR(name, code, reader) extern const struct tvmq_node_kind tvmq_node_##reader;
#include "operators/operators.def"

// The tensor at one of the node's inputs that decides on its shape or holds its weights: a constant, or of known value; else it has no data. And its shape.
const char *tvmq_node_parameter(const struct tvmq_node_view *view, int input, const TfLiteTensor **tensor, struct tvmq_shape *shape);

// ---- options that several operators have

const char *tvmq_read_padding(TfLitePadding padding, enum tvmq_padding *out);
enum tvmq_activation tvmq_read_activation(TfLiteFusedActivation activation);

// ---- copies

// Begins the description of a copy, in place of the node's options, as that of the whole of the first tensor that changes, and checks types.
const char *tvmq_begin_copy(const struct tvmq_node_view *view, const struct tvmq_shapes *shapes, union tvmq_desc *desc);
const char *tvmq_copy_shape(const struct tvmq_copy_desc *copy, struct tvmq_shape *shape);  // of the output, or of all its pieces together

// For operators of which runtimes believe the output's shape in the file: NULL if it is the computed one.
const char *tvmq_same_shape(const TfLiteTensor *tensor, const struct tvmq_shape *shape);

// ---- concatenations

// Begins the description of a concatenation of all inputs, and checks types.
const char *tvmq_begin_concatenation(const struct tvmq_node_view *view, struct tvmq_concatenation_desc *concatenation);
// Completes it: rows are what the dimensions before `axis` count, and those of the inputs follow one another in each. Nothing is empty.
void tvmq_concatenate_rows(const struct tvmq_shapes *shapes, int axis, struct tvmq_concatenation_desc *concatenation);

// ---- convolutions

// A product of matrices as a convolution: of 1x1, over one line of pixels.
void tvmq_describe_product(struct tvmq_conv_desc *conv);
// The activations: types, scales and zero points.
void tvmq_describe_activations(const struct tvmq_node_view *view, struct tvmq_conv_desc *conv);
// Likewise, and the input's dimensions, which must be those of images.
const char *tvmq_describe_images(const struct tvmq_node_view *view, const struct tvmq_shape *in, struct tvmq_conv_desc *conv);

// ---- constants that several operators have

// An axis of `rank` dimensions; negative ones count from behind.
const char *tvmq_read_axis(int64_t axis, int rank, int *out);

// How the reasons name a constant of integers and its fault, and what it must be.
struct tvmq_integers_asked {
  const char *type, *constant, *number;
  bool only_s32;  // else int32 or int64
  bool list;      // of one dimension; looked at by tvmq_read_n_integers alone
};
#define TVMQ_INTEGERS_AS(they_are, types, ...)                                                                                  \
  &(const struct tvmq_integers_asked) {                                                                                         \
    .type = they_are types, .constant = they_are " not constant", .number = they_are " not of the expected length", __VA_ARGS__ \
  }
#define TVMQ_INTEGERS(they_are) TVMQ_INTEGERS_AS(they_are, " neither int32 nor int64", )
#define TVMQ_INT32S(they_are) TVMQ_INTEGERS_AS(they_are, " not int32", .only_s32 = true)
#define TVMQ_INT32_LIST(they_are) TVMQ_INTEGERS_AS(they_are, " not int32", .only_s32 = true, .list = true)

// Integers as they lie in the model's file, at any address: base/integers.h loads them.
struct tvmq_integer_constant {
  const void *data;
  enum tvmq_type type;
  size_t n;
  struct tvmq_shape shape;
};

// Finds a constant of integers, however many they are.
const char *tvmq_find_integers(const struct tvmq_node_view *view, int input, const struct tvmq_integers_asked *asked, struct tvmq_integer_constant *found);
// Reads at most `most` of them; exactly `n`; or a single one, as an axis of `rank` dimensions.
const char *tvmq_read_integers(const struct tvmq_node_view *view, int input, const struct tvmq_integers_asked *asked, int most, int64_t *values, int *n);
const char *tvmq_read_n_integers(const struct tvmq_node_view *view, int input, const struct tvmq_integers_asked *asked, int n, int64_t *values);
const char *tvmq_read_one_axis(const struct tvmq_node_view *view, int input, int rank, int *axis);
// Reads a pair for each of `rank` dimensions: what is padded before and after it. None is negative, or exceeds 32 bits.
const char *tvmq_read_paddings(const struct tvmq_node_view *view, int input, int rank, int64_t paddings[][2]);

// The type, scales and zero point of weights.
const char *tvmq_describe_weights(const TfLiteTensor *weights, struct tvmq_conv_desc *conv);

// The filter at `input`: its type, data, scales and zero point; and its shape.
const char *tvmq_describe_filter(const struct tvmq_node_view *view, int input, struct tvmq_conv_desc *conv, struct tvmq_shape *shape);

// The bias at `input`, which a node may do without. conv->bias_type is the type that the options ask of one of 16x8; OTHER: any.
const char *tvmq_describe_bias(const struct tvmq_node_view *view, int input, struct tvmq_conv_desc *conv);
