// A stand-in for TFLite's C library: its interpreters only remember the delegates that they were created with.
#pragma once

#include <stdbool.h>

#pragma GCC visibility push(default)

enum { FAKE_DELEGATES = 4 };

typedef struct TfLiteModel {
  bool refuses_delegates;
} TfLiteModel;

typedef struct TfLiteInterpreterOptions {
  bool alive;
  int num_threads, n;
  void *delegates[FAKE_DELEGATES];
} TfLiteInterpreterOptions;

typedef struct TfLiteInterpreter {
  bool alive;
  TfLiteInterpreterOptions options;
} TfLiteInterpreter;

TfLiteInterpreterOptions *TfLiteInterpreterOptionsCreate(void);
TfLiteInterpreterOptions *TfLiteInterpreterOptionsCopy(const TfLiteInterpreterOptions *options);
void TfLiteInterpreterOptionsAddDelegate(TfLiteInterpreterOptions *options, void *delegate);
void TfLiteInterpreterOptionsDelete(TfLiteInterpreterOptions *options);
TfLiteInterpreter *TfLiteInterpreterCreate(const TfLiteModel *model, const TfLiteInterpreterOptions *options);
TfLiteInterpreter *TfLiteInterpreterCreateWithSelectedOps(const TfLiteModel *model, const TfLiteInterpreterOptions *options);
void TfLiteInterpreterDelete(TfLiteInterpreter *interpreter);

// Returns the number of options and interpreters that are alive.
int fake_alive(void);

#pragma GCC visibility pop
