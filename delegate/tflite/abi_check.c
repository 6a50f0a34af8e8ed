#include "tflite/abi_check.h"

// Checks first the fields that can be read without following a pointer, so that a different layout is found before a
// wrong pointer is followed. With a wrong offset or stride, halves of pointers appear where small numbers and aligned
// addresses are expected. One tensor rarely passes; all tensors of a model never do.

static bool plausible_pointer(const void *p) { return (uintptr_t)p >= 4096 && (uintptr_t)p % sizeof(int) == 0; }

static bool plausible_functions(const TfLiteContext *context) {
  return context->GetExecutionPlan && context->ResizeTensor && context->ReportError && context->AddTensors && context->GetNodeAndRegistration &&
         context->ReplaceNodeSubsetsWithDelegateKernels && context->GetExternalContext && context->PreviewDelegatePartitioning;
}

static bool plausible_numbers(const TfLiteTensor *tensor) {
  return tensor->type < kTfLiteTypeLimit && tensor->allocation_type < kTfLiteAllocationTypeLimit && tensor->data_is_stale <= 1 && tensor->is_variable <= 1 &&
         tensor->quantization.type >= 0 && tensor->quantization.type < 16;
}

static bool plausible_pointers(const TfLiteTensor *tensor) {
  // Without quantization its parameters are left uninitialised by tflite-runtime 2.14.
  const void *const params = tensor->quantization.type != 0 ? tensor->quantization.params : NULL;
  const void *const pointers[] = {tensor->dims, params, tensor->sparsity, tensor->dims_signature};
  for (size_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++) {
    if (pointers[i] != NULL && !plausible_pointer(pointers[i])) return false;
  }
  return true;
}

static const char *check_tensors(const TfLiteContext *context) {
  if (context->tensors_size > INT32_MAX || (context->tensors_size > 0 && !plausible_pointer(context->tensors)))
    return "the runtime's tensors have an unknown layout";
  for (size_t i = 0; i < context->tensors_size; i++) {
    if (!plausible_numbers(&context->tensors[i]) || !plausible_pointers(&context->tensors[i])) return "the runtime's tensors have an unknown layout";
  }
  return NULL;
}

// The interpreter keeps pairs of a node and its registration in one array, so the distances between their addresses
// reveal the sizes of both structures.
static const char *check_nodes(TfLiteContext *context) {
  TfLiteIntArray *plan = NULL;
  if (context->GetExecutionPlan(context, &plan) != kTfLiteOk || !plausible_pointer(plan) || plan->size < 0) return "the runtime has no execution plan";
  const char *previous = NULL;
  for (int i = 0; i < plan->size; i++) {
    TfLiteNode *node = NULL;
    TfLiteRegistration *registration = NULL;
    if (context->GetNodeAndRegistration(context, plan->data[i], &node, &registration) != kTfLiteOk) return "the runtime's execution plan names an unknown node";
    if (!plausible_pointer(node) || (const char *)registration - (const char *)node != sizeof(TfLiteNode)) return "the runtime's nodes have an unknown layout";
    if (previous != NULL && plan->data[i] == plan->data[i - 1] + 1) {
      const ptrdiff_t size = (const char *)node - previous;
      if (size < TFLITE_REGISTRATION_MIN_SIZE || size > (ptrdiff_t)sizeof(TfLiteRegistration) || size % 8 != 0)
        return "the runtime's registrations have an unknown layout";
    }
    previous = (const char *)registration;
    if (!plausible_pointer(node->inputs) || !plausible_pointer(node->outputs)) return "the runtime's nodes have an unknown layout";
  }
  return NULL;
}

const char *tvmq_abi_check(TfLiteContext *context) {
  if (!plausible_functions(context)) return "the runtime lacks a function that delegates need";
  const char *reason = check_tensors(context);
  return reason != NULL ? reason : check_nodes(context);
}
