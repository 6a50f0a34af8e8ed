// DEPTH_TO_SPACE and SPACE_TO_DEPTH: the pixels of a block, row by row, are the channels of one pixel.
#include <string.h>

#include "tflite/node_kind.h"

enum { BATCH, HEIGHT, WIDTH, CHANNELS, RANK };
enum { MERGED = 6 };  // dimensions, with those of the block

static const char *read_depth_to_space(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  options->copy_options.block = ((const TfLiteDepthToSpaceParams *)builtin_data)->block_size;
  return options->copy_options.block > 0 ? NULL : "block_size is not positive";
}

static const char *begin(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  return reason == NULL && desc->copy.rank != RANK ? "the input is not 4-dimensional" : reason;
}

static const char *describe_depth_to_space(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const char *reason = begin(view, shapes, desc);
  if (reason != NULL) return reason;
  struct tvmq_copy_desc *copy = &desc->copy;
  const size_t block = (size_t)view->node->options.copy_options.block, channels = copy->axes[CHANNELS].n, element = copy->axes[CHANNELS].stride;
  if (block > INT16_MAX || channels % (block * block) != 0) return "channels are not a multiple of block_size x block_size";
  const size_t depth = channels / (block * block);
  const struct tvmq_copy_axis height = copy->axes[HEIGHT], width = copy->axes[WIDTH];
  const struct tvmq_copy_axis axes[MERGED] = {
      copy->axes[BATCH],
      height,
      tvmq_copy_whole(block, block * depth * element),
      width,
      tvmq_copy_whole(block, depth * element),
      tvmq_copy_whole(depth, element),
  };
  memcpy(copy->axes, axes, sizeof axes);
  copy->rank = MERGED;
  if (height.n * block > INT32_MAX || width.n * block > INT32_MAX) return "a dimension exceeds 2^31 - 1";
  shapes->out = (struct tvmq_shape){.rank = RANK, .dims = {shapes->in[0].dims[BATCH], (int)(height.n * block), (int)(width.n * block), (int)depth}};
  return NULL;
}

static const char *describe_space_to_depth(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const char *reason = begin(view, shapes, desc);
  if (reason != NULL) return reason;
  struct tvmq_copy_desc *copy = &desc->copy;
  const size_t block = (size_t)view->node->options.copy_options.block;
  const struct tvmq_copy_axis height = copy->axes[HEIGHT], width = copy->axes[WIDTH], channels = copy->axes[CHANNELS];
  if (block > INT16_MAX || height.n % block != 0 || width.n % block != 0) return "height or width is not a multiple of block_size";
  const struct tvmq_copy_axis axes[MERGED] = {
      copy->axes[BATCH],
      tvmq_copy_whole(height.n / block, height.stride * block),
      tvmq_copy_whole(width.n / block, width.stride * block),
      tvmq_copy_whole(block, height.stride),
      tvmq_copy_whole(block, width.stride),
      channels,
  };
  memcpy(copy->axes, axes, sizeof axes);
  copy->rank = MERGED;
  if (channels.n > INT32_MAX / (block * block)) return "a dimension exceeds 2^31 - 1";
  shapes->out = (struct tvmq_shape){.rank = RANK,
                                    .dims = {shapes->in[0].dims[BATCH], (int)(height.n / block), (int)(width.n / block), (int)(channels.n * block * block)}};
  return NULL;
}

const struct tvmq_node_kind tvmq_node_depth_to_space = {
    .op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 1, .max_inputs = 1, .read = read_depth_to_space, .describe = describe_depth_to_space};
const struct tvmq_node_kind tvmq_node_space_to_depth = {
    .op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 1, .max_inputs = 1, .read = read_depth_to_space, .describe = describe_space_to_depth};
