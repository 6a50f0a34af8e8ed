// Node kinds: how to read and describe the nodes of a builtin operator, and which operator of the delegate they are. Each
// kind has a file of its own.
#pragma once

#include <string.h>

#include "operators/desc.h"
#include "operators/operator.h"
#include "tflite/tensor.h"
#include "tflite/tflite_abi.h"
#include "tflite/values.h"

struct tvmq_node_kind;
struct tvmq_variables;

// How a node uses variables (variables.h).
enum tvmq_state {
  TVMQ_STATE_NONE,
  TVMQ_STATE_FIRST_VALUES,  // runs a graph that assigns initial values to variables
  TVMQ_STATE_HANDLE,        // outputs the handle of a variable
  TVMQ_STATE_READ,          // reads the variable that the first input refers to
  TVMQ_STATE_ASSIGN         // writes the variable that the first input refers to, and has no output
};

// The part of a description that comes from a node's options: the first bytes of union tvmq_desc. All other bytes are
// zero, because the members behind them are lists for the inputs or outputs of one node.
union tvmq_node_options {
  struct tvmq_copy_options copy_options;
  uint8_t bytes[sizeof(struct tvmq_binary_desc)];
};

// The delegate's own copy of a claimed node, because the runtime moves its structures and gives no access to them while
// it prepares or runs.
struct tvmq_node {
  const struct tvmq_node_kind *kind;
  int n_inputs, inputs[TVMQ_MAX_IN];  // tensor indices in the operator's order; -1: omitted
  int n_in, in[TVMQ_MAX_IN];          // the inputs that change with each inference; those of the PAD if one is folded into the node
  int n_out;
  union {
    int out;  // the only output, or the first
    int outs[TVMQ_MAX_OUT];
  };
  bool settable;                     // a constant of the node is an input of the graph
  int handle;                        // tensor with the handle of the node's variable; -1: none
  struct tvmq_reference reference;   // reference kernels of the runtime
  struct tvmq_values *values;        // known values of the graph's tensors
  struct tvmq_variables *variables;  // variables of the graph, or NULL
  union tvmq_node_options options;
};

// Return a description with the node's options and zeros, and keep the options of a description.
static inline void tvmq_node_get_options(const struct tvmq_node *node, union tvmq_desc *desc) {
  memset(desc, 0, sizeof *desc);
  memcpy(desc, &node->options, sizeof node->options);
}
static inline void tvmq_node_set_options(struct tvmq_node *node, const union tvmq_desc *desc) { memcpy(&node->options, desc, sizeof node->options); }

// Shapes of the tensors that change with each inference. Readers of nodes with several outputs set `outs`, others set
// `out`. After a node is described, `out` equals `outs[0]`.
struct tvmq_shapes {
  struct tvmq_shape *in, *outs;
  struct tvmq_shape out;
};

// A node and the current tensors that change with each inference.
struct tvmq_node_view {
  const TfLiteContext *context;
  const struct tvmq_node *node;
  const TfLiteTensor *in[TVMQ_MAX_IN];
  union {
    const TfLiteTensor *out;  // the only output, or the first
    const TfLiteTensor *outs[TVMQ_MAX_OUT];
  };
};

struct tvmq_node_kind {
  const struct tvmq_operator *op_def;
  const struct tvmq_node_kind *computed;  // kind to use instead if the second input is not constant, or NULL
  int n_in;                               // maximum number of inputs that change with each inference
  int first_in;                           // index of the first of these inputs
  int min_inputs, max_inputs;             // numbers of inputs, including constants
  int max_outputs;                        // 0: one output
  enum tvmq_state state;
  bool flat;                // the runtime's kernels use only the number of elements of the first input's shape
  union tvmq_desc options;  // initial description of every node of this kind
  // Reads the node's own options from `builtin_data`, which is not NULL. The function is NULL if there are no options.
  const char *(*read)(const void *builtin_data, int version, union tvmq_desc *options);
  // Completes the description, which is initially a copy of the options, and computes the output's rank and dimensions
  // from the known shapes of the inputs.
  const char *(*describe)(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc);
};

#define TVMQ_OPERATOR(name, code, reader) extern const struct tvmq_node_kind tvmq_node_##reader;
#include "operators/operators.def"

// Finds an input that determines the output's shape or contains weights, and its shape. The tensor's data is NULL
// unless it is a constant or its value is known.
const char *tvmq_node_parameter(const struct tvmq_node_view *view, int input, const TfLiteTensor **tensor, struct tvmq_shape *shape);

// ---- options shared by several operators

const char *tvmq_read_padding(TfLitePadding padding, enum tvmq_padding *out);
enum tvmq_activation tvmq_read_activation(TfLiteFusedActivation activation);

// ---- copies

// Checks types and initializes the description as a copy of the whole first changing input. Overwrites the node's
// options.
const char *tvmq_begin_copy(const struct tvmq_node_view *view, const struct tvmq_shapes *shapes, union tvmq_desc *desc);
// Computes the shape of the output, or of all pieces together.
const char *tvmq_copy_shape(const struct tvmq_copy_desc *copy, struct tvmq_shape *shape);

// Returns NULL if the tensor has this shape, otherwise a reason. For operators whose output shape runtimes take from
// the file.
const char *tvmq_same_shape(const TfLiteTensor *tensor, const struct tvmq_shape *shape);

// ---- concatenations

// Checks types and initializes the description of a concatenation of all inputs.
const char *tvmq_begin_concatenation(const struct tvmq_node_view *view, struct tvmq_concatenation_desc *concatenation);
// Completes the description. The dimensions before `axis` count rows; each output row consists of the rows of all
// inputs. No tensor may be empty.
void tvmq_concatenate_rows(const struct tvmq_shapes *shapes, int axis, struct tvmq_concatenation_desc *concatenation);

// ---- convolutions

// Describes a matrix product as a 1x1 convolution of one line of pixels.
void tvmq_describe_product(struct tvmq_conv_desc *conv);
// Describes the types, scales and zero points of the activations.
void tvmq_describe_activations(const struct tvmq_node_view *view, struct tvmq_conv_desc *conv);
// As tvmq_describe_activations, and describes the dimensions of the input, which must have 4.
const char *tvmq_describe_images(const struct tvmq_node_view *view, const struct tvmq_shape *in, struct tvmq_conv_desc *conv);

// ---- constants shared by several operators

// Checks an axis of `rank` dimensions and stores it as nonnegative; negative ones count from the end.
const char *tvmq_read_axis(int64_t axis, int rank, int *out);

// Requirements on an integer constant, with the reason for each violation.
struct tvmq_integers_asked {
  const char *type, *constant, *number;
  bool only_s32;  // must be int32; false: int32 or int64
  bool list;      // must have one dimension; only tvmq_read_n_integers checks this
};
#define TVMQ_INTEGERS_AS(they_are, types, ...)                                                                                  \
  &(const struct tvmq_integers_asked) {                                                                                         \
    .type = they_are types, .constant = they_are " not constant", .number = they_are " not of the expected length", __VA_ARGS__ \
  }
#define TVMQ_INTEGERS(they_are) TVMQ_INTEGERS_AS(they_are, " neither int32 nor int64", )
#define TVMQ_INT32S(they_are) TVMQ_INTEGERS_AS(they_are, " not int32", .only_s32 = true)
#define TVMQ_INT32_LIST(they_are) TVMQ_INTEGERS_AS(they_are, " not int32", .only_s32 = true, .list = true)

// Integers in the model's file at any address; base/integers.h loads them.
struct tvmq_integer_constant {
  const void *data;
  enum tvmq_type type;
  size_t n;
  struct tvmq_shape shape;
};

// Finds an integer constant of any length.
const char *tvmq_find_integers(const struct tvmq_node_view *view, int input, const struct tvmq_integers_asked *asked, struct tvmq_integer_constant *found);
// Read an integer constant: at most `most` integers, exactly `n` integers, or a single axis of `rank` dimensions.
const char *tvmq_read_integers(const struct tvmq_node_view *view, int input, const struct tvmq_integers_asked *asked, int most, int64_t *values, int *n);
const char *tvmq_read_n_integers(const struct tvmq_node_view *view, int input, const struct tvmq_integers_asked *asked, int n, int64_t *values);
const char *tvmq_read_one_axis(const struct tvmq_node_view *view, int input, int rank, int *axis);
// Reads the padding before and after each of `rank` dimensions. Refuses values that are negative or exceed 32 bits.
const char *tvmq_read_paddings(const struct tvmq_node_view *view, int input, int rank, int64_t paddings[][2]);

// Describes the type, scales and zero point of weights.
const char *tvmq_describe_weights(const TfLiteTensor *weights, struct tvmq_conv_desc *conv);

// Describes the filter at `input`: its type, data, scales and zero point. Sets *shape.
const char *tvmq_describe_filter(const struct tvmq_node_view *view, int input, struct tvmq_conv_desc *conv, struct tvmq_shape *shape);

// Describes the optional bias at `input`. conv->bias_type: type that the options require of a 16x8 bias; OTHER: any.
const char *tvmq_describe_bias(const struct tvmq_node_view *view, int input, struct tvmq_conv_desc *conv);
