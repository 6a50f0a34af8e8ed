// The only reader of TFLite's nodes: turns them into plain descriptions, and trusts nothing that a model's file decides.
#pragma once

#include <stdint.h>

#include "base/content.h"
#include "tflite/node_kind.h"

// Fills *out but for `reference`, `values`, `variables` and `settable`. NULL, or the reason why the node is malformed or unknown (a static string), as for all
// below.
const char *tvmq_node_read(const TfLiteContext *context, const TfLiteNode *node, const TfLiteRegistration *registration, struct tvmq_node *out);

// Describes the node as its tensors are now. The output's shape is computed from the others, as TFLite does; what the output tensor says of it is not looked
// at. Every byte of *desc is set, so that two descriptions may be compared as memory.
//
// Before a graph has been prepared, the tensors between nodes have the shapes that the file says, which may be none: those that are known to be computed are in
// `known`, NULL once the graph is prepared.
struct tvmq_known_shapes {
  size_t n;                       // tensors
  const struct tvmq_shape *of[];  // NULL: what the tensor itself says
};
const char *tvmq_node_describe(const TfLiteContext *context, const struct tvmq_node *node, const struct tvmq_known_shapes *known, union tvmq_desc *desc,
                               struct tvmq_shapes *shapes);

// Computes the outputs of a node that has been described and claimed, if they are a few integers that follow from constants and shapes; and forgets them.
void tvmq_node_evaluate(const TfLiteContext *context, const struct tvmq_node *node, const union tvmq_desc *desc, const struct tvmq_shapes *shapes);
void tvmq_node_forget(const struct tvmq_node *node);

// For runtimes that take subnormal numbers for zero: NULL, or the reason if a scale of the node's tensors is one, or nearly, or its reciprocal is. Scales per
// channel are not looked at.
const char *tvmq_node_scales(const TfLiteContext *context, const struct tvmq_node *node);

// Names the contents of the node's constants, which a program may change. Returns a checksum of them and of where they lie.
uint64_t tvmq_node_constants(const TfLiteContext *context, const struct tvmq_node *node, const struct tvmq_hasher *hasher, struct tvmq_key *content);

// Whether its inputs have the shapes that it was described with; and whether one of its constants does not lie in the model's file, since the graph computes it
// whenever it is prepared.
bool tvmq_node_same_shapes(const TfLiteContext *context, const struct tvmq_node *node, const struct tvmq_shapes *shapes);
bool tvmq_node_reads_computed(const TfLiteContext *context, const struct tvmq_node *node);
