#include "graph/basis.h"

#include "base/memory.h"
#include "tflite/variables.h"

// Returns the interpreter's tensor that is input `j` of the step; -1 if the input is not a tensor of the interpreter.
static int borrowed_input(const struct tvmq_step *step, int j) {
  const int *reads, n_reads = tvmq_record_reads(step->record, &reads);
  if (j >= n_reads || reads[j] < 0 || step->sources[j].step >= 0) return -1;
  return tvmq_variables_find(step->record->node.variables, reads[j]) == NULL ? reads[j] : -1;
}

bool tvmq_basis_create(struct tvmq_basis *basis, const struct tvmq_step *steps, size_t n) {
  size_t n_shapes = 0;
  for (size_t i = 0; i < n; i++) {
    for (int j = 0; j < steps[i].record->node.n_in; j++) n_shapes += borrowed_input(&steps[i], j) >= 0;
  }
  basis->shapes = tvmq_alloc(n_shapes * sizeof basis->shapes[0]);
  return basis->shapes != NULL;
}

void tvmq_basis_free(struct tvmq_basis *basis) { tvmq_free(basis->shapes); }

// Stores the shape of a tensor. Skips constants in the model's file, whose shapes cannot change.
static void note_shape(struct tvmq_basis *basis, const TfLiteContext *context, int index) {
  const TfLiteTensor *tensor = tvmq_tensor_at(context, index);
  if (tensor == NULL || tensor->allocation_type == kTfLiteMmapRo) return;
  for (size_t i = basis->n_shapes; i-- > 0 && i + 4 > basis->n_shapes;) {  // adjacent nodes often read the same tensor
    if (basis->shapes[i].tensor == index) return;
  }
  struct tvmq_basis_shape *noted = &basis->shapes[basis->n_shapes];
  noted->tensor = index;
  basis->n_shapes += tvmq_tensor_shape(tensor, &noted->shape) == NULL;
}

void tvmq_basis_note(struct tvmq_basis *basis, const struct tvmq_step *steps, size_t n, const TfLiteContext *context) {
  basis->n_shapes = 0;
  basis->computed = false;
  for (size_t i = 0; i < n; i++) {
    for (int j = 0; j < steps[i].record->node.n_in; j++) note_shape(basis, context, borrowed_input(&steps[i], j));
    basis->computed |= tvmq_node_reads_computed(context, &steps[i].record->node);
  }
}

bool tvmq_basis_same_shapes(const struct tvmq_basis *basis, const TfLiteContext *context) {
  for (size_t i = 0; i < basis->n_shapes; i++) {
    const TfLiteIntArray *dims = context->tensors[basis->shapes[i].tensor].dims;
    if (dims == NULL || !tvmq_shape_has_dims(&basis->shapes[i].shape, dims->size, dims->data)) return false;
  }
  return true;
}
