// Whole networks without a TFLite runtime: a model that the delegate can take as a whole is opened, planned and run by
// this library alone. Results equal those of TFLite's reference kernels bit for bit.
//
// Plain C that cffi's cdef can parse unchanged. C++ programs include tvmq_delegate.hpp.
//
//   char error[1024];
//   struct tvmq_network *network = tvmq_network_open_file("model.tflite", NULL, NULL, 0, error, sizeof error);
//   if (network == NULL) fail(error);
//   memcpy(tvmq_network_input(network, 0)->data, image, tvmq_network_input(network, 0)->bytes);
//   if (tvmq_network_run(network) != 0) fail(tvmq_network_error(network));
//   use(tvmq_network_output(network, 0)->data);
//   tvmq_network_close(network);
//
// - Supported are models of one subgraph without control flow, custom operators, strings, resources and variables, all
//   of whose nodes the delegate claims (docs/operators.md). All others are refused with the reasons.
// - A network may be used by any thread, but only by one at a time. Different networks may be used at the same time, also
//   of the same model; they share packed weights.
// - The library owns the returned structures. New members are only ever added at the end.
#pragma once

struct tvmq_network;

// Opens a model: `model` points to the `bytes` bytes of a .tflite file. They must neither change nor be released before
// the network is closed. Bytes that are not aligned to 16 bytes are copied and may be released at once.
//
// `keys` and `values` are `n_options` pairs of names and values: the delegate's options (tvmq_get_option), and "runtime",
// whose reference kernels are reproduced where runtimes differ: "litert" (the default: LiteRT) or "tflite"
// (tflite-runtime 2.14). It decides fully_connected, fast_math, hybrid and float32 where these are "auto". Options that
// limit what a delegate takes (require_full_delegation, min_nodes_per_partition, max_delegated_partitions) have no
// effect. num_threads is 1 by default.
//
// Returns NULL on failure and writes a text of at most `error_bytes` bytes, with its NUL, to `error`, unless that is
// NULL. If nodes cannot be computed, the text lists as many of them as fit, one a line, with the reasons.
struct tvmq_network *tvmq_network_open(const void *model, unsigned long long bytes, const char *const *keys, const char *const *values, int n_options,
                                       char *error, unsigned long long error_bytes);

// Opens a model in a file, which is mapped. The file must not be changed in place before the network is closed. Replacing
// it by another file (rename) is safe.
struct tvmq_network *tvmq_network_open_file(const char *path, const char *const *keys, const char *const *values, int n_options, char *error,
                                            unsigned long long error_bytes);

// Releases the network and everything that its functions returned. NULL is fine.
void tvmq_network_close(struct tvmq_network *network);

// An input or output.
struct tvmq_tensor_info {
  const char *name;
  const char *type;  // "int8", "uint8", "int16", "int32", "int64", "float32" or "bool"
  int rank;
  const int *dims;           // `rank` dimensions, outermost first
  unsigned long long bytes;  // size of `data`
  void *data;                // row-major elements, aligned to 64 bytes; constant outputs lie in the model. NULL if a resize awaits tvmq_network_prepare
  float scale;               // value = scale * (element - zero_point); 0 if the tensor has not exactly one scale
  int zero_point;
  int index;  // number of the tensor in the model's file
};

// Return an input or output; NULL past the end. The structure and its data stay at their addresses until
// tvmq_network_prepare. Inputs keep what was written to them; before, their contents are arbitrary. Outputs have the
// contents of the last successful run.
const struct tvmq_tensor_info *tvmq_network_input(struct tvmq_network *network, int index);
const struct tvmq_tensor_info *tvmq_network_output(struct tvmq_network *network, int index);

// Changes the shape of an input. After all inputs have their new shapes, tvmq_network_prepare plans for these shapes and
// gives inputs and outputs memory of the new sizes. If it fails, for example because shapes do not fit together, the
// network runs again after inputs have been resized to shapes that do. Both return 0, or -1 and set the error.
int tvmq_network_resize_input(struct tvmq_network *network, int index, const int *dims, int rank);
int tvmq_network_prepare(struct tvmq_network *network);

// Runs one inference: reads the inputs' data and writes the outputs'. Returns 0, or -1 and sets the error.
int tvmq_network_run(struct tvmq_network *network);

// Returns the text of the last error, "" if there was none. It stays valid until the next call with this network.
const char *tvmq_network_error(const struct tvmq_network *network);

// Returns the delegate that computes the network, as the functions of tvmq_delegate.h take it: for the report of every
// node, times, candidates. It belongs to the network.
const void *tvmq_network_delegate(const struct tvmq_network *network);

// ---- the plan of a network as data, which `tvmq compile` makes a library of

// A pointer in the image: the word at byte `at` is an offset from a base. 0: the arena, which begins with a copy of the
// image; 1: the constants; 2 + i: symbol i.
struct tvmq_frozen_pointer {
  unsigned at, base;
};

// The image is a list of words of 32 bits, most of which are 0.
struct tvmq_frozen_network {
  const unsigned *present;  // bit i % 32 of present[i / 32]: whether word i is another than 0
  const unsigned *words;    // these words
  unsigned long long n_words, image_bytes, arena_bytes;
  const void *constants;  // packed weights and other constants
  unsigned long long constants_bytes;
  const struct tvmq_frozen_pointer *pointers;
  int n_pointers;
  const char *const *symbols;  // names of the code that the plan needs
  int n_symbols;
  unsigned cpu;  // features that the kernels need, as bits
};

// Plans a network and copies its plan. Takes the arguments of tvmq_network_open; `error` is required. Returns NULL on
// failure.
const struct tvmq_frozen_network *tvmq_network_freeze(const void *model, unsigned long long bytes, const char *const *keys, const char *const *values,
                                                      int n_options, char *error, unsigned long long error_bytes);
void tvmq_frozen_release(const struct tvmq_frozen_network *network);
