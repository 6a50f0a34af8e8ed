// libtvmq_accelerator.so: the delegate for LiteRT's CompiledModel, from LiteRT 2.2 on.
//
// Install it as libLiteRtGpuAccelerator.so, the name of the first GPU accelerator that LiteRT looks for. It then
// replaces that accelerator and applies the delegate before XNNPACK. The folder with this file is the environment's
// runtime path (kLiteRtEnvOptionTagRuntimeLibraryDir).
//
// Options are lines of the form name=value. Allowed are the options of tflite_plugin_create_delegate and the three
// below. Sources, in order of increasing priority:
//   - the environment variable TVMQ_OPTIONS, in which semicolons may replace line breaks
//   - the file tvmq_delegate.conf in the library's folder
//   - tvmq_accelerator_configure
// If none of these sets num_threads, the value in the model's CPU options applies. The default of fully_connected is
// "float64", which matches LiteRT.
//
//   library=PATH          path of libtvmq_delegate.so. Default: in this library's folder, then in its parent folder,
//                         then in the dynamic linker's search path
//   gpu_accelerator=PATH  the GPU accelerator that this library replaces. It gets the models that ask for a GPU; the
//                         delegate gets all others
//   enabled=false         applies the delegate to no model
//
// A model whose CPU options request the kernel mode "builtin" or "reference" gets no delegate. Plain C that cffi's cdef
// can parse unchanged.
#pragma once

// Returns the delegate of a live model for use with the functions of tvmq_delegate.h, oldest model first, or NULL past
// the end. A delegate lives as long as its model. May be called from any thread.
const void *tvmq_accelerator_delegate(int index);

// Copies `lines`, which replace the options of the previous call and apply to models that are created later. NULL
// removes them. gpu_accelerator affects only environments that are created later. May be called from any thread.
// Returns 0, or -1 if the lines cannot be parsed or memory is short; nothing changes then.
int tvmq_accelerator_configure(const char *lines);
