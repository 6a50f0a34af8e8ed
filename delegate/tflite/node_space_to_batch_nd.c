// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: the pixels at one place of all blocks are an image of the batch. The images of a place lie one behind the other, the
// places row by row.
#include "tflite/node_kind.h"

enum { IN, BLOCK_SHAPE, MARGINS };                     // inputs; the margins are paddings or crops
enum { BATCH, FIRST, MOST_SPATIAL = 2, MOST = 4096 };  // MOST: pixels of a block, because each place has a plan of its own

struct blocks {
  int n;          // dimensions of a block
  size_t pixels;  // of a block
  int64_t block[MOST_SPATIAL], margins[MOST_SPATIAL][2];
};

// Initializes the description as a copy of the input and reads the constants. The reference reads these as int32 whatever their type.
static const char *begin(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc, const struct tvmq_integers_asked *asked,
                         struct blocks *blocks) {
  struct tvmq_copy_desc *copy = &desc->copy;
  int64_t margins[2 * MOST_SPATIAL];
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  if (reason != NULL) return reason;
  copy->wants_same_quant = tvmq_type_bytes(copy->in_type) <= 2 && copy->in_type != TVMQ_TYPE_BOOL;
  if (copy->rank != 3 && copy->rank != 4) return "the input has neither 3 nor 4 dimensions";
  *blocks = (struct blocks){.n = copy->rank - 2, .pixels = 1};
  reason = tvmq_read_n_integers(view, BLOCK_SHAPE, TVMQ_INT32_LIST("block_shape is"), blocks->n, blocks->block);
  if (reason == NULL) reason = tvmq_read_n_integers(view, MARGINS, asked, 2 * blocks->n, margins);
  for (int i = 0; reason == NULL && i < blocks->n; i++) {
    if (blocks->block[i] <= 0) return "block_shape is not positive";
    if (blocks->block[i] > MOST || (blocks->pixels *= (size_t)blocks->block[i]) > MOST) return "a block has more than 4096 pixels";
    for (int end = 0; end < 2; end++) blocks->margins[i][end] = margins[2 * i + end];
    if (blocks->margins[i][0] < 0 || blocks->margins[i][1] < 0) return "a padding or crop is negative";
  }
  return reason;
}

static const char *describe_space_to_batch_nd(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_copy_desc *copy = &desc->copy;
  struct blocks blocks;
  const char *reason = begin(view, shapes, desc, TVMQ_INT32S("paddings are"), &blocks);
  if (reason != NULL) return reason;
  shapes->out = shapes->in[IN];
  if (shapes->out.dims[BATCH] > INT32_MAX / (int)blocks.pixels) return "a dimension exceeds 2^31 - 1";
  shapes->out.dims[BATCH] *= (int)blocks.pixels;
  if (tvmq_type_is_byte(copy->in_type)) copy->value = copy->zero_point = tvmq_tensor_quant(view->out).zero_point;
  for (int i = 0; i < blocks.n; i++) {
    struct tvmq_copy_axis *axis = &copy->axes[FIRST + i];
    if (blocks.margins[i][0] > 0 || blocks.margins[i][1] > 0) axis->kind = TVMQ_COPY_PADDED;
    axis->first = blocks.margins[i][0];
    axis->n += (size_t)(blocks.margins[i][0] + blocks.margins[i][1]);
    axis->phases = (size_t)blocks.block[i];
    if (axis->n % axis->phases != 0) return "a padded dimension is not a multiple of the block's";
    if (axis->n > INT32_MAX) return "a dimension exceeds 2^31 - 1";
    shapes->out.dims[FIRST + i] = (int)(axis->n / axis->phases);
  }
  return NULL;
}

static const char *describe_batch_to_space_nd(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_copy_desc *copy = &desc->copy;
  struct blocks blocks;
  const char *reason = begin(view, shapes, desc, TVMQ_INT32S("crops are"), &blocks);
  if (reason != NULL) return reason;
  if (copy->axes[BATCH].n % blocks.pixels != 0) return "the batch is not a multiple of the block's pixels";
  const size_t images = copy->axes[BATCH].n / blocks.pixels, image_bytes = copy->axes[BATCH].stride;
  copy->axes[BATCH].n = copy->axes[BATCH].size = images;
  size_t apart = images * image_bytes;  // bytes from a place of the block to the next
  for (int i = blocks.n; i-- > 0; apart *= (size_t)blocks.block[i]) {
    struct tvmq_copy_axis *axis = &copy->axes[FIRST + i];
    const int64_t size = (int64_t)axis->size * blocks.block[i], left = size - blocks.margins[i][0] - blocks.margins[i][1];
    if (left < 0) return "crops exceed a dimension";
    if (blocks.block[i] > 1) {
      axis->kind = TVMQ_COPY_WOVEN;
      axis->step = blocks.block[i];
      axis->apart = axis->stride > 0 ? apart / axis->stride : 0;
    }
    axis->size = (size_t)size;
    axis->first = blocks.margins[i][0];
    axis->n = (size_t)left;
  }
  return tvmq_copy_shape(copy, &shapes->out);
}

const struct tvmq_node_kind tvmq_node_space_to_batch_nd = {
    .op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 3, .max_inputs = 3, .describe = describe_space_to_batch_nd};
const struct tvmq_node_kind tvmq_node_batch_to_space_nd = {
    .op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 3, .max_inputs = 3, .describe = describe_batch_to_space_nd};
