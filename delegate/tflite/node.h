// The only reader of TFLite's nodes. It converts them into plain descriptions and does not trust anything that comes
// from the model's file.
#pragma once

#include <stdint.h>

#include "base/content.h"
#include "tflite/node_kind.h"

// Fills *out except for `reference`, `values`, `variables` and `settable`. Like the functions below, returns NULL, or a
// static string that says why the node is malformed or unknown.
const char *tvmq_node_read(const TfLiteContext *context, const TfLiteNode *node, const TfLiteRegistration *registration, struct tvmq_node *out);

// Describes the node with the current shapes of its tensors. Computes the output's shape from the inputs, as TFLite
// does, and ignores the shape of the output tensor. Sets every byte of *desc, so that descriptions can be compared with
// memcmp.
//
// Before a graph is prepared, tensors between nodes have the shapes from the file, which may be missing. `known` then
// has the shapes computed so far; pass NULL once the graph is prepared.
struct tvmq_known_shapes {
  size_t n;                       // tensors
  const struct tvmq_shape *of[];  // NULL: what the tensor itself says
};
const char *tvmq_node_describe(const TfLiteContext *context, const struct tvmq_node *node, const struct tvmq_known_shapes *known, union tvmq_desc *desc,
                               struct tvmq_shapes *shapes);

// `evaluate` computes the outputs of a described and claimed node if they are a few integers that depend only on
// constants and shapes. `forget` discards them.
void tvmq_node_evaluate(const TfLiteContext *context, const struct tvmq_node *node, const union tvmq_desc *desc, const struct tvmq_shapes *shapes);
void tvmq_node_forget(const struct tvmq_node *node);

// For runtimes that flush subnormal numbers to zero: returns a reason if a scale of the node's tensors, or its
// reciprocal, is subnormal or nearly so; otherwise NULL. Ignores scales per channel.
const char *tvmq_node_scales(const TfLiteContext *context, const struct tvmq_node *node);

// Hashes the contents of the node's constants, which a program may change, to *content. Returns a checksum of the
// contents and addresses.
uint64_t tvmq_node_constants(const TfLiteContext *context, const struct tvmq_node *node, const struct tvmq_hasher *hasher, struct tvmq_key *content);

// `same_shapes` returns whether the inputs still have the shapes with which the node was described. `reads_computed`
// returns whether a constant of the node is not in the model's file, because the graph computes it each time it is
// prepared.
bool tvmq_node_same_shapes(const TfLiteContext *context, const struct tvmq_node *node, const struct tvmq_shapes *shapes);
bool tvmq_node_reads_computed(const TfLiteContext *context, const struct tvmq_node *node);
