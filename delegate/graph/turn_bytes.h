// Chooses the sign of bytes. VNNI multiplies unsigned bytes by signed bytes, so its kernels must flip int8 activations
// at each use. On processors with VNNI, int8 tensors between the nodes of a partition are turned to uint8
// (operators/turn.h), so no flip is needed. AMX multiplies both signs, and kernels for Arm and AVX2 exist for both.
#pragma once

#include "graph/graph.h"
#include "tflite/tflite_abi.h"

// Finds the tensors to turn in each partition; replaces earlier results. Records must be described, and functions of a
// byte must be known. Returns false if out of memory.
bool tvmq_turn_bytes(struct tvmq_subgraph *subgraph, const TfLiteContext *context, const struct tvmq_env *env, const TfLiteDelegateParams *partitions,
                     int n_partitions);
