// BATCH_MATMUL multiplies the matrices in the last two dimensions, either of which may be transposed. The other
// dimensions are broadcast.
#include "tflite/node_kind.h"

enum { LEFT, RIGHT, N_SIDES };  // inputs
enum { MOST_RANK = TVMQ_MATMUL_BATCH_DIMS + 2 };

static const char *read_batch_matmul(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteBatchMatMulParams *params = builtin_data;
  struct tvmq_conv_desc *conv = &options->matmul.conv;
  options->matmul.adj_x = params->adj_x;
  options->matmul.adj_y = params->adj_y;
  tvmq_describe_product(conv);
  conv->scaling = TVMQ_SCALING_FIXED_POINT;  // as a FULLY_CONNECTED with one scale
  conv->bias_type = TVMQ_TYPE_S32;
  conv->activation = TVMQ_ACTIVATION_NONE;
  return NULL;
}

// Returns batch dimension `d`, aligned at the last one, or 1 if the tensor does not have it.
static int32_t batch_dim(const struct tvmq_shape *shape, int d) {
  const int index = d + shape->rank - MOST_RANK;
  return index >= 0 ? shape->dims[index] : 1;
}

// Computes the number of matrices of a tensor and their strides, which are 0 in broadcast dimensions.
static const char *stride_over(const struct tvmq_shape *shape, int32_t strides[TVMQ_MATMUL_BATCH_DIMS], int32_t *n) {
  *n = 1;
  for (int d = TVMQ_MATMUL_BATCH_DIMS; d-- > 0;) {
    strides[d] = batch_dim(shape, d) == 1 ? 0 : *n;
    if (__builtin_mul_overflow(*n, batch_dim(shape, d), n)) return "input has more than 2^31 - 1 elements";
  }
  return NULL;
}

static const char *describe_batch(const struct tvmq_shape in[N_SIDES], struct tvmq_matmul_desc *matmul, struct tvmq_shape *out) {
  out->rank = in[LEFT].rank > in[RIGHT].rank ? in[LEFT].rank : in[RIGHT].rank;
  matmul->products = 1;
  for (int d = 0; d < TVMQ_MATMUL_BATCH_DIMS; d++) {
    const int32_t left = batch_dim(&in[LEFT], d), right = batch_dim(&in[RIGHT], d), index = d + out->rank - MOST_RANK;
    if (left != right && left != 1 && right != 1) return "batch dimensions of the inputs cannot be broadcast";
    matmul->batch[d] = left == 1 ? right : left;
    if (index >= 0) out->dims[index] = matmul->batch[d];
    if (__builtin_mul_overflow(matmul->products, matmul->batch[d], &matmul->products)) return "output has more than 2^31 - 1 elements";
  }
  const char *reason = stride_over(&in[LEFT], matmul->left_strides, &matmul->lefts);
  return reason != NULL ? reason : stride_over(&in[RIGHT], matmul->right_strides, &matmul->rights);
}

// If there is one right matrix for all left matrices, merges their rows into one matrix.
static const char *merge_rows(struct tvmq_matmul_desc *matmul) {
  if (matmul->rights > 1 || matmul->adj_x || matmul->products <= 0) return NULL;
  if (__builtin_mul_overflow(matmul->conv.in_w, matmul->products, &matmul->conv.in_w)) return "output has more than 2^31 - 1 elements";
  matmul->lefts = matmul->products = 1;
  for (int d = 0; d < TVMQ_MATMUL_BATCH_DIMS; d++) matmul->batch[d] = 1;
  return NULL;
}

static const char *describe_batch_matmul(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_matmul_desc *matmul = &desc->matmul;
  struct tvmq_conv_desc *conv = &matmul->conv;
  const struct tvmq_shape *left = &shapes->in[LEFT], *right = &shapes->in[RIGHT];
  if (left->rank < 2 || right->rank < 2 || left->rank > MOST_RANK || right->rank > MOST_RANK) return "the rank of an input is not 2 to 5";
  // tflite-runtime 2.14 computes something else.
  const bool has_batch = left->rank > 2 || right->rank > 2;
  if (matmul->adj_x && has_batch && batch_dim(right, TVMQ_MATMUL_BATCH_DIMS - 1) == 1)
    return "adj_x is not supported if the second input's last batch dimension is 1";
  const int32_t *l = &left->dims[left->rank - 2], *r = &right->dims[right->rank - 2];
  tvmq_describe_activations(view, conv);
  conv->hybrid = view->node->reference.hybrid;
  conv->float32 = view->node->reference.float32;
  conv->in_w = matmul->adj_x ? l[1] : l[0];
  conv->in_c = conv->filter_c = matmul->adj_x ? l[0] : l[1];
  conv->out_c = matmul->adj_y ? r[0] : r[1];
  if ((matmul->adj_y ? r[1] : r[0]) != conv->in_c) return "inner dimensions of the matrices differ";
  const char *reason = tvmq_describe_weights(view->in[RIGHT], conv);
  if (reason == NULL) reason = describe_batch(shapes->in, matmul, &shapes->out);
  if (reason != NULL) return reason;
  shapes->out.dims[shapes->out.rank - 2] = conv->in_w;
  shapes->out.dims[shapes->out.rank - 1] = conv->out_c;
  reason = merge_rows(matmul);
  conv->out_w = conv->in_w;
  return reason;
}

const struct tvmq_node_kind tvmq_node_batch_matmul = {.op_def = &tvmq_operator_matmul,
                                                      .n_in = N_SIDES,
                                                      .min_inputs = N_SIDES,
                                                      .max_inputs = N_SIDES,
                                                      .read = read_batch_matmul,
                                                      .describe = describe_batch_matmul};
