// A small interpreter behind TFLite's C interface, as strict as the real ones are lax: arrays that the interface calls short-lived are poisoned, structures and
// tensor data move whenever they may, functions that must not be called fail, and its own kernels say what the right result is.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tflite/tflite_abi.h"

enum { FAKE_MAX_TENSORS = 64, FAKE_MAX_NODES = 64, FAKE_SUBGRAPHS = 2 };

struct fake_node {
  TfLiteNode node;
  TfLiteRegistration registration;
};

struct fake_subgraph {
  TfLiteContext context;  // impl_ points back
  struct fake *fake;
  TfLiteTensor *tensors;
  size_t n_tensors;
  char *nodes;  // pairs of TfLiteNode and the first registration_size bytes of a TfLiteRegistration
  size_t n_nodes;
  int plan[FAKE_MAX_NODES], original_plan[FAKE_MAX_NODES];
  int n_plan, n_original_plan;
  TfLiteIntArray *lent_plan;
  TfLiteDelegateParams *lent_partitions;
  int n_lent_partitions;
};

struct fake {
  struct fake_subgraph subgraphs[FAKE_SUBGRAPHS];
  TfLiteExternalContext own, *cpu_backend;  // what tells interpreters apart: its own, unless a test makes it another's
  size_t registration_size;                 // what this runtime's TfLiteRegistration measures
  bool refuses_resize;                      // ResizeTensor fails
  bool applying;                            // functions for delegates work
  int misuses;                              // calls that the interface forbids
  char error[1024];                         // the last report
};

struct fake *fake_create(size_t registration_size);
void fake_destroy(struct fake *fake);

// Each returns the index of what it adds. `dims` ends with 0. Data makes a tensor constant; the caller keeps it. The scale is that of all channels, 0 for none.
int fake_tensor(struct fake_subgraph *subgraph, TfLiteType type, const int *dims, float scale, int zero_point, const void *data);
int fake_conv(struct fake_subgraph *subgraph, bool depthwise, int in, int filter, int bias, int out, int stride, TfLitePadding padding);
// Any operator; its options come from malloc().
int fake_builtin(struct fake_subgraph *subgraph, int code, int n_inputs, const int *inputs, int out, void *options);
int fake_quantize(struct fake_subgraph *subgraph, int in, int out);
int fake_other(struct fake_subgraph *subgraph, int in, int out);  // adds 1 to every byte; no delegate knows it

// As ModifyGraphWithDelegate, AllocateTensors, Invoke: for one subgraph. fake_undo gives the nodes back, as before a delegation is done anew.
TfLiteStatus fake_apply(struct fake_subgraph *subgraph, TfLiteDelegate *delegate);
TfLiteStatus fake_allocate(struct fake_subgraph *subgraph);
TfLiteStatus fake_invoke(struct fake_subgraph *subgraph);
void fake_undo(struct fake_subgraph *subgraph);

void fake_resize(struct fake_subgraph *subgraph, int tensor, const int *dims);
struct fake_node fake_node_at(const struct fake_subgraph *subgraph, int index);  // a copy; its arrays are the runtime's
int fake_delegate_nodes(const struct fake_subgraph *subgraph);                   // in the plan
