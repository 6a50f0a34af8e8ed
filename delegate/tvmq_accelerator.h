// The delegate for LiteRT's CompiledModel, from LiteRT 2.2 on: the library libtvmq_accelerator.so. Under the name of libLiteRtGpuAccelerator.so, the first GPU
// accelerator that a runtime looks for, it stands in for that one, and hands the delegate to the runtime ahead of XNNPACK. The folder in which it has this name
// is the environment's runtime path (kLiteRtEnvOptionTagRuntimeLibraryDir).
//
// Options, as lines of name=value (those of tflite_plugin_create_delegate, and the three below), come from
//   - the environment variable TVMQ_OPTIONS, where semicolons may stand for line breaks,
//   - the file tvmq_delegate.conf beside the library, which precedes the variable, and
//   - tvmq_accelerator_configure, which precedes both.
// num_threads is the CPU options' of the model if neither names it; fully_connected is "float64", LiteRT's way.
//
//   library=PATH          libtvmq_delegate.so; by default the one beside this library, or one folder above, or else where the linker finds it
//   gpu_accelerator=PATH  the accelerator whose place ours takes: models that ask for a GPU are handed to it, all others to the delegate
//   enabled=false         the delegate takes no model
//
// A model whose CPU options ask for the kernel mode "builtin" or "reference" gets no delegate. Plain C, and parsed as it stands by cffi's cdef.
#pragma once

// Delegates of models that are alive, the oldest first, for the functions of tvmq_delegate.h; NULL past the end. From any thread; a delegate lasts as long as
// its model.
const void *tvmq_accelerator_delegate(int index);

// Takes a copy of options for the models that are created from now on, in place of those of the last call; NULL for none. gpu_accelerator counts for
// environments alone that are made later. From any thread. 0, or -1 where the lines cannot be read or memory is short: then nothing changes.
int tvmq_accelerator_configure(const char *lines);
