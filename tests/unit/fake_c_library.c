#include "unit/fake_c_library.h"

#include <stddef.h>

// Places are used again at once, as by an allocator.
enum { PLACES = 8 };
static TfLiteInterpreterOptions all_options[PLACES];
static TfLiteInterpreter interpreters[PLACES];

TfLiteInterpreterOptions *TfLiteInterpreterOptionsCreate(void) {
  size_t i = 0;
  while (all_options[i].alive) i++;
  all_options[i] = (TfLiteInterpreterOptions){.alive = true};
  return &all_options[i];
}

TfLiteInterpreterOptions *TfLiteInterpreterOptionsCopy(const TfLiteInterpreterOptions *options) {
  TfLiteInterpreterOptions *copy = TfLiteInterpreterOptionsCreate();
  *copy = *options;
  return copy;
}

void TfLiteInterpreterOptionsAddDelegate(TfLiteInterpreterOptions *options, void *delegate) { options->delegates[options->n++] = delegate; }

void TfLiteInterpreterOptionsDelete(TfLiteInterpreterOptions *options) { options->alive = false; }

TfLiteInterpreter *TfLiteInterpreterCreate(const TfLiteModel *model, const TfLiteInterpreterOptions *options) {
  if (model->refuses_delegates && options != NULL && options->n > 0) return NULL;
  size_t i = 0;
  while (interpreters[i].alive) i++;
  interpreters[i] = (TfLiteInterpreter){.alive = true};
  if (options != NULL) interpreters[i].options = *options;
  return &interpreters[i];
}

TfLiteInterpreter *TfLiteInterpreterCreateWithSelectedOps(const TfLiteModel *model, const TfLiteInterpreterOptions *options) {
  return TfLiteInterpreterCreate(model, options);
}

void TfLiteInterpreterDelete(TfLiteInterpreter *interpreter) { interpreter->alive = false; }

int fake_alive(void) {
  int n = 0;
  for (size_t i = 0; i < PLACES; i++) n += all_options[i].alive + interpreters[i].alive;
  return n;
}
