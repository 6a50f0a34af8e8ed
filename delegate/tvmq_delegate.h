// Information about the library and about a delegate. The runtime creates the delegate: load the library as an external
// delegate.
//
// Plain C that cffi's cdef can parse unchanged. C++ programs include tvmq_delegate.hpp.
//
// - Functions with an index count from 0 and return NULL past the end: for (int i = 0; (kernel = tvmq_get_kernel(i)); i++) ...
// - `delegate` is the TfLiteDelegate pointer that tflite_plugin_create_delegate returned. If it is NULL or belongs to
//   another library, the functions return NULL (or -1). Passing any other pointer is undefined behaviour.
// - The library owns the returned structures. New members are only ever added at the end, so a program compiled with an
//   older header can read the structures of a newer library.
// - Structures about a delegate, and their strings, stay valid until the interpreter applies the delegate again or the
//   delegate is destroyed. Their numbers change as the delegate runs.
// - All other structures stay valid until the same thread calls the same function again or ends. For these functions,
//   NULL can also mean out of memory.
// - Strings are never NULL; flags are 0 or 1.
// - Call functions that take a delegate only while no other thread prepares or runs its interpreter. All other
//   functions may be called from any thread at any time.
#pragma once

// Returns the version, which includes the commit for development builds: "0.1.0.dev829+g20d7cbe".
const char *tvmq_version(void);

// ---- this CPU

struct tvmq_cpu_info {
  const char *name;      // "Cortex-A76", "AMD EPYC ...", "unknown"
  const char *isa;       // best instruction set that this CPU offers: a name from tvmq_get_isa
  int count;             // logical CPUs that this process may use, limited by affinity and cgroup quota
  int in_order;          // 1 if all cores that this process may use are known to be in-order. The option tune=auto
                         // applies the same test, but to the cores in cpu_affinity if that option is set
  const char *identity;  // tells CPUs of the same name apart by their features, and on x86 by vendor, family and model: "GenuineIntel 6-143 avx2+avxvnni+..."
  const char *unused;    // instruction set that it offers and no kernel here uses, although a runtime's kernels may: "sme2", "sme"; "" if there is none
};
const struct tvmq_cpu_info *tvmq_get_cpu(void);

// An instruction set that the option `isa` accepts. The list is the same on every CPU.
struct tvmq_isa_info {
  const char *name;
  int available;  // 1 if this CPU has it
};
const struct tvmq_isa_info *tvmq_get_isa(int index);

// ---- kernels in this library

struct tvmq_kernel_info {
  const char *name;
  const char *family;   // "gemm_s8", "depthwise_s16", "quantize", "add", "max_pool", ...
  const char *isa;      // instruction set that it needs
  const char *packing;  // layout of packed weights, "" without weights; kernels with equal packing read the same bytes
  int available;        // 1 if this CPU can run it
  int mr, nr;           // rows and output channels of a tile
};
const struct tvmq_kernel_info *tvmq_get_kernel(int index);

// Returns a checksum of the kernels' names as 16 hexadecimal digits. Libraries with the same kernels have equal
// checksums.
const char *tvmq_kernels_checksum(void);

// ---- machines whose costs this library knows: the values of the option `estimate`, and names for the option `machine`

struct tvmq_machine_info {
  const char *name;
  const char *isa;   // best instruction set of these cores
  int in_order;      // 1 if these cores execute instructions in program order
  const char *text;  // contents of a machine file (docs/cost-model.md); valid until the same thread calls this function again
};
const struct tvmq_machine_info *tvmq_get_machine(int index);

// ---- Arm cores that this library knows by name

struct tvmq_core_info {
  const char *name;     // "Cortex-A76"
  const char *machine;  // whose costs stand for the core's: a name from tvmq_get_machine, "" if there is none
  int in_order;         // 1 if it executes instructions in program order
  double ghz;           // the usual clock in products, 0 if it is not known
};
const struct tvmq_core_info *tvmq_get_core(int index);

// ---- options of tflite_plugin_create_delegate
//
// With constants=verify, a program may write to constants of a graph, such as weights, between preparations: they are
// compared before each inference. With any other value of `constants` it must not.

struct tvmq_option_info {
  const char *name;           // options may also be written with hyphens instead of underscores
  const char *kind;           // "bool", "int", "name", "path" or "cpus" ("any", or numbers and ranges joined by "+")
  const char *names;          // for kind "name": the allowed values, separated by "|"; for "int": a word that is allowed, too, or ""; otherwise ""
  const char *default_value;  // as text
  const char *help;           // one sentence
  int min, max;               // for kind "int": the allowed range
};
const struct tvmq_option_info *tvmq_get_option(int index);

// Returns the most threads that the option num_threads=auto uses on the processors that the calling thread may use.
int tvmq_auto_threads(void);

// ---- a delegate

struct tvmq_delegate_info {
  int subgraphs;   // subgraphs that the interpreter has offered
  int nodes;       // nodes of all subgraphs
  int claimed;     // nodes that the delegate runs, or ran until its interpreter was destroyed; 0 after a failed delegation
  int partitions;  // delegate kernels in the graph, one for each partition
  int threads;     // threads that share the work of an operator
  const char *isa;
  const char *rounding;
  const char *error;                 // last error, "" if there was none
  unsigned long long packed_bytes;   // bytes of the packed weights of all nodes
  unsigned long long scratch_bytes;  // bytes of the scratch memory that all nodes share: the maximum needed so far
  unsigned long long arena_bytes;    // bytes of the arena for tensors inside of partitions, which all share it: the maximum needed so far
  unsigned long long plans;          // number of times that an operator was planned
  unsigned long long packs;          // number of times that weights were packed
  int in_order;                      // 1 if kernels are chosen for in-order cores
  const char *machine;               // machine whose costs decide: a name from tvmq_get_machine or from a machine file
  // The runtime's build: a name with version and platform, or "unknown", followed by a hash of its code. "" if all
  // options below were given, or no graph was offered.
  const char *runtime;
  const char *fully_connected, *fast_math, *hybrid, *float32;  // values of these options in use, given or found; "auto": unknown
};
const struct tvmq_delegate_info *tvmq_get_delegate(const void *delegate);

// One node of the graph that the interpreter offered. Nodes are listed by subgraph, and in execution order within one.
struct tvmq_node_info {
  int subgraph;        // index among the subgraphs offered; 0 is the main one
  int node;            // index in the subgraph
  int builtin_code;    // BuiltinOperator of TFLite's schema
  const char *op;      // "CONV_2D", ..., or the name of a custom operator
  int claimed;         // 1 if the delegate runs this node, or ran it until its interpreter was destroyed
  const char *reason;  // why the node was left to the runtime, "" if it is claimed. If it is not claimed, the members below are 0, "" or -1
  int partition;       // index of the node's delegate kernel in the subgraph
  const char *kernel;  // kernel that does most of the work: a name from tvmq_get_kernel, or "" without one, as for copies
  // How the node is computed, as text for people. It contains the algorithm of the candidate that `runs`
  // (tvmq_get_candidate):
  // - CONV_2D, TRANSPOSE_CONV, FULLY_CONNECTED: "rows", "row table", "im2col", "padded copy", "direct", or
  //   "winograd 4x4", "winograd 1x4", "winograd 4x1", named after the outputs of a tile
  // - DEPTHWISE_CONV_2D: "pixel table", "pixels side by side", "gathered channels", or the algorithms of CONV_2D
  // - BATCH_MATMUL, and FULLY_CONNECTED with computed weights: "packed at each inference"
  // - pooling operators, and MEAN, SUM and REDUCE_MAX if they can be computed by pooling: "windows", "sliding windows"
  // - other reductions: "rows" along the last dimension, otherwise "loops"
  // - SOFTMAX: "rows"; ARG_MAX: "rows", "columns"; RESIZE_BILINEAR: "rows between rows"
  // - EMBEDDING_LOOKUP: "copies" of rows as they are, otherwise "rows"
  // - QUANTIZE, functions of one element, operations on two tensors: "elementwise", "byte table"
  // - ADD and SUB also: "plane", a linear function of both inputs; operations on int32 and int64: "integers"
  // - operators that move elements, such as CONCATENATION: "copies", "transposes", "byte tables" (rescaled bytes),
  //   "view" (nothing to move)
  // - operators that depend only on shapes and constants, such as SHAPE: "constant" if the result is known in advance
  // - any operator on another device (the option backend): "OpenCL", without a kernel
  // - a PAD or a function of single bytes that other nodes compute as part of their own work: "folded into node 7", or
  //   a list of nodes
  const char *algorithm;
  const char *packing;               // layout of the packed weights, as in tvmq_kernel_info; "" without weights
  unsigned long long macs;           // multiply-accumulates of one inference, padding included
  unsigned long long packed_bytes;   // bytes of the node's packed weights; nodes with equal weights may share these bytes
  unsigned long long scratch_bytes;  // scratch memory that the node uses in all threads; nodes share it, so do not add up
  int folded_into;                   // index in the subgraph of the first node that this node is folded into, or -1. A
                                     // folded node has no kernel and takes no time
  int forced;                        // 1 if the node runs as requested by tvmq_force
  const char *refusal;               // why the node runs by default although tvmq_force, a tuning record or the option backend asks for more; else ""
  int tuned;                         // 1 if the node runs as requested by a record of the option tuning_records
  double cycles;                     // estimated core cycles of one inference on one thread of tvmq_delegate_info's `machine`; 0 if nothing is computed
};
const struct tvmq_node_info *tvmq_get_node(const void *delegate, int index);

// A buffer in the arena. It holds the output of one node, or the outputs of several nodes of a partition, and is in use
// from the start of `first_node` to the end of `last_node`. Buffers of a partition that are in use at the same time do
// not overlap. `index` counts the buffers of all partitions. The result stays valid until the next call for the delegate.
struct tvmq_buffer_info {
  int subgraph, partition;  // as in tvmq_node_info
  int first_node, last_node;
  unsigned long long offset, bytes;
};
const struct tvmq_buffer_info *tvmq_get_buffer(const void *delegate, int index);

// One candidate: an algorithm, kernel and block size for a planned node. All candidates give bit-identical results.
struct tvmq_candidate_info {
  const char *algorithm;  // algorithm: "row table", "im2col", "matrix", "padded copy", "matrix im2col", "direct", "winograd",
                          // "pixel table", or "plain" if only the kernel differs
  const char *kernel;
  int flipped_copy;                 // 1 if signed input is first copied as unsigned, 0 if the kernel converts it at each use
  unsigned long long rows, panels;  // size of a block of work in rows of the kernel's left operand and in panels of
                                    // packed weights; 0 if the work is not divided into blocks
  double cycles;                    // estimated core cycles; comparable only between candidates of the same node
  int runs;                         // 1 if the node currently runs this candidate
};

// Returns candidate number `candidate` of node `index`, which counts as in tvmq_get_node. Candidates are sorted by
// estimated time. The first one runs, unless another is forced or the option winograd decides. Returns NULL past the
// last candidate, and always if the node is not planned or leaves no choice. Candidates depend on shapes, options and
// the number of threads. The result stays valid until the next call for the node.
const struct tvmq_candidate_info *tvmq_get_candidate(const void *delegate, int index, int candidate);

// Returns everything that determines the candidates of node `index` and their times, as one line of ASCII: operator,
// types, shapes, strides, rounding, instruction sets, threads. Nodes with equal signatures are the same tuning task,
// even in different networks; only whether Winograd is exact also depends on the weights. Returns NULL if the node has
// no candidates and tuning records cannot leave it to the runtime. docs/records.md documents the format.
const char *tvmq_get_signature(const void *delegate, int index);

// Makes node `index` run candidate number `candidate` of tvmq_get_candidate, or the default again if `candidate` is
// negative. Replans the node immediately. The change takes effect at the next inference and lasts until the delegate is
// applied again. When the interpreter prepares the node for other shapes, the same choice is applied again if it is
// legal. If it is not, the node runs by default and tvmq_node_info's `refusal` says why.
//
// Returns 0 on success. Returns -1 and changes nothing if the pointer is NULL or foreign, if the node or candidate does
// not exist, or if the node is not planned. Returns -2 if out of memory: inferences then fail until the interpreter is
// prepared again.
int tvmq_force(const void *delegate, int index, int candidate);

// Replaces the machine of the option `machine` by the one that `text`, the contents of a machine file, describes. Later
// estimates and plans use the new costs. Nodes keep their plans until tvmq_force replans them or the interpreter
// prepares them for other shapes. Returns 0, or -1 if the pointer is foreign or the text is not a machine file. In the
// second case tvmq_get_delegate's `error` says why.
int tvmq_set_machine(const void *delegate, const char *text);

// Times of a claimed node if the delegate has the option profile=true, with one sample per inference. `index` counts as
// in tvmq_get_node.
struct tvmq_profile_info {
  unsigned long long count;  // samples; if the node is not claimed, not profiled or has not run, all members are 0
  unsigned long long first_ns, last_ns, min_ns, max_ns, total_ns;
  double mean_ns, stddev_ns;
};
const struct tvmq_profile_info *tvmq_get_profile(const void *delegate, int index);

// A time span in which a claimed node ran or, if several threads shared the node, a thread ran one of its tasks.
// Recorded only with profile=true. Spans are sorted by thread, then by time; only the last 4096 spans of each thread
// are kept.
struct tvmq_span_info {
  int subgraph, node;                   // as in tvmq_node_info
  int thread;                           // 0 for the thread that runs the interpreter
  int task;                             // index of the task in its pass of the node, or -1 for the whole node
  unsigned long long start_ns, end_ns;  // time of CLOCK_MONOTONIC in nanoseconds
};
const struct tvmq_span_info *tvmq_get_span(const void *delegate, int index);

// Discards all profiled times and spans. Returns 0, or -1 if the pointer is foreign.
int tvmq_reset_profile(const void *delegate);

// Peak throughput of the delegate's threads with its instruction set on this machine, as a yardstick for nodes.
// Throughputs are totals over all threads.
struct tvmq_peak_info {
  const char *kernel;              // int8 matrix kernel that is fastest on data in the L1 cache
  int threads;                     // threads that ran at the same time
  double macs_per_second;          // multiply-accumulates per second of that kernel
  double cache_bytes_per_second;   // bytes per second when each thread repeatedly reads its own 256 KiB
  double memory_bytes_per_second;  // bytes per second when the threads together read 64 MiB
};

// Measures the peak throughput, which keeps the delegate's threads busy for about a fifth of a second. Returns NULL if
// the pointer is NULL or foreign, if the option estimate is set (then nothing can run), or if out of memory. The result
// stays valid until the next call for the delegate.
const struct tvmq_peak_info *tvmq_measure_peak(const void *delegate);
