// The sign of bytes: VNNI multiplies unsigned bytes with signed ones, so that its kernels flip int8 activations at each use. There, tensors of int8 between the
// nodes of a partition, which nobody else sees, are turned to uint8 (operators/turn.h), and nothing is left to flip. AMX multiplies both signs, and kernels of
// Arm and AVX2 come for both.
#pragma once

#include "graph/graph.h"
#include "tflite/tflite_abi.h"

// Finds the tensors to turn in each partition, anew. The records are described, and functions of a byte are known. False: out of memory.
bool tvmq_turn_bytes(struct tvmq_subgraph *subgraph, const TfLiteContext *context, const struct tvmq_env *env, const TfLiteDelegateParams *partitions,
                     int n_partitions);
