// Information about the library and about a delegate. A delegate itself is made by the runtime: load the library as an external delegate.
//
// Plain C, and parsed as it stands by cffi's cdef. C++ includes tvmq_delegate.hpp.
//
// - Functions with an index count from 0 and return NULL past the end: for (int i = 0; (kernel = tvmq_get_kernel(i)); i++) ...
// - `delegate` is the TfLiteDelegate pointer that tflite_plugin_create_delegate returned. For NULL and for delegates of other libraries the functions return
//   NULL (or -1); passing any other pointer is undefined behaviour.
// - Structures belong to the library and only ever grow at their end, so a program compiled for an older header may read those of a newer library.
//   Those of a delegate, and their strings, stay valid until the interpreter applies the delegate again or the delegate is destroyed; their numbers change
//   as it runs. The others stay valid until the same thread calls the same function again, or ends; NULL also means out of memory.
// - Strings are never NULL; truth values are 0 and 1.
// - Functions that take a delegate may be called only while no other thread prepares or runs its interpreter; all others from any thread at any time.
#pragma once

// Returns the release, and of a development build its commit, too: "0.1.0.dev829+g20d7cbe".
const char *tvmq_version(void);

// ---- this CPU

struct tvmq_cpu_info {
  const char *name;      // "Cortex-A76", "AMD EPYC ...", "unknown"
  const char *isa;       // the best instruction set that it offers: a name from tvmq_get_isa
  int count;             // processors that this process may use: affinity and cgroup quota
  int in_order;          // 1 if all cores that this process may use are known to be in-order. The option tune=auto applies the same test, to the cores that
                         // cpu_affinity names if it is set
  const char *identity;  // tells CPUs of the same name apart: vendor, family and model on x86, and features: "GenuineIntel 6-143 avx2+avxvnni+..."
};
const struct tvmq_cpu_info *tvmq_get_cpu(void);

// Instruction sets that the option `isa` may name, on any CPU.
struct tvmq_isa_info {
  const char *name;
  int available;  // on this CPU
};
const struct tvmq_isa_info *tvmq_get_isa(int index);

// ---- kernels in this library

struct tvmq_kernel_info {
  const char *name;
  const char *family;   // "gemm_s8", "depthwise_s16", "quantize", "add", "max_pool", ...
  const char *isa;      // the instruction set that it needs
  const char *packing;  // layout of the packed weights, "" without weights; kernels with equal packing read the same bytes
  int available;        // on this CPU
  int mr, nr;           // rows and channels of a tile
};
const struct tvmq_kernel_info *tvmq_get_kernel(int index);

// A checksum of the kernels' names, 16 hexadecimal digits: equal where two libraries have the same kernels.
const char *tvmq_kernels_checksum(void);

// ---- machines whose costs this library knows: those of the option `estimate`, and names for the option `machine`

struct tvmq_machine_info {
  const char *name;
  const char *isa;   // the best instruction set of such cores
  int in_order;      // 1 if they execute instructions in program order
  const char *text;  // as a machine file (docs/cost-model.md); valid until the same thread calls this function again
};
const struct tvmq_machine_info *tvmq_get_machine(int index);

// ---- options of tflite_plugin_create_delegate
//
// A program may write to constants of a graph, such as weights, between preparations only with constants=verify, which compares them before each inference.

struct tvmq_option_info {
  const char *name;           // hyphens may stand for the underscores
  const char *kind;           // "bool", "int", "name", "path" or "cpus" (processors: "any", or numbers and ranges joined by "+")
  const char *names;          // kind "name": the allowed values, separated by "|"; else ""
  const char *default_value;  // as text
  const char *help;           // one sentence
  int min, max;               // kind "int"
};
const struct tvmq_option_info *tvmq_get_option(int index);

// ---- a delegate

struct tvmq_delegate_info {
  int subgraphs;   // that the interpreter has offered
  int nodes;       // of all subgraphs
  int claimed;     // nodes that the delegate runs, or ran until its interpreter was destroyed; 0 after a failed delegation
  int partitions;  // delegate kernels in the graph, one for each partition
  int threads;     // that share the work of an operator
  const char *isa;
  const char *rounding;
  const char *error;                 // the last error, "" if there was none
  unsigned long long packed_bytes;   // of the packed weights of all nodes
  unsigned long long scratch_bytes;  // of the scratch memory that all nodes share: the most that any node has needed so far
  unsigned long long arena_bytes;    // of the arenas of all partitions, which hold their intermediate tensors
  unsigned long long plans;          // number of times that an operator was planned
  unsigned long long packs;          // number of times that weights were packed
  int in_order;                      // 1 if kernels are chosen for in-order cores
  const char *machine;               // the machine whose costs decide: a name from tvmq_get_machine or from a machine file
};
const struct tvmq_delegate_info *tvmq_get_delegate(const void *delegate);

// One node of the graph as the interpreter offered it, in order of execution, one subgraph after the other.
struct tvmq_node_info {
  int subgraph;        // counts the subgraphs offered; 0 is the main one
  int node;            // index in the subgraph
  int builtin_code;    // BuiltinOperator of TFLite's schema
  const char *op;      // "CONV_2D", ..., or the name of a custom operator
  int claimed;         // 1 if the delegate runs it, or ran it until its interpreter was destroyed
  const char *reason;  // why it was left to the runtime; "" if claimed. All that follows is 0, "" and -1 unless claimed
  int partition;       // index of its delegate kernel in the subgraph
  const char *kernel;  // the kernel that does most of the work, as tvmq_get_kernel names it; "" where none is needed, as for copies
  // How it is computed, for people to read; the way is that of the candidate that `runs` (tvmq_get_candidate):
  // - CONV_2D, TRANSPOSE_CONV, FULLY_CONNECTED: "rows", "row table", "im2col", "padded copy", "direct", or "winograd 4x4", "winograd 1x4", "winograd 4x1",
  //   by the outputs of a tile
  // - DEPTHWISE_CONV_2D: "pixel table", "pixels side by side", "gathered channels", or as CONV_2D
  // - BATCH_MATMUL, and FULLY_CONNECTED with computed weights: "packed at each inference"
  // - poolings, and MEAN, SUM and REDUCE_MAX where poolings can compute them: "windows", "sliding windows"; reductions along the last dimension: "rows";
  // others:
  //   "loops"
  // - SOFTMAX: "rows"; ARG_MAX: "rows", "columns"; RESIZE_BILINEAR: "rows between rows"
  // - QUANTIZE, functions of one element, operations on two tensors: "elementwise", "byte table"; ADD and SUB also "plane", a linear function of both inputs;
  //   operations on int32 and int64: "integers"
  // - CONCATENATION and others that move elements: "copies", "transposes", "byte tables" where bytes are rescaled, "view" where nothing has to be moved
  // - SHAPE and others that depend on shapes and constants alone: "constant" where the result is known before anything runs
  // - a PAD or a function of single bytes that other nodes do along with their own work: "folded into node 7", or a list of nodes
  const char *algorithm;
  const char *packing;               // layout of the packed weights, as in tvmq_kernel_info; "" without weights
  unsigned long long macs;           // multiply-accumulates of one inference, padding included
  unsigned long long packed_bytes;   // of its packed weights, which nodes of equal weights may share
  unsigned long long scratch_bytes;  // scratch memory that it uses, in all threads. Nodes share these bytes, so the numbers do not add up
  int folded_into;      // index in the subgraph of the first node that it is folded into, -1 if it is not folded. A folded node has no kernel and takes no time
  int forced;           // 1 if it runs as tvmq_force demanded
  const char *refusal;  // why it runs by default although tvmq_force or a tuning record asked for another choice; else ""
  int tuned;            // 1 if it runs as a record of the option tuning_records says
  double cycles;        // estimate in core cycles: one inference on one thread of tvmq_delegate_info's `machine`; 0 if nothing is computed
};
const struct tvmq_node_info *tvmq_get_node(const void *delegate, int index);

// A buffer in the arena of a partition. It holds the output of one node, or of several that write side by side or one after the other, and is in use from the
// start of `first_node` to the end of `last_node`. Buffers in use at the same time do not overlap. `index` counts the buffers of all partitions.
// The answer stays valid until the next call for the delegate.
struct tvmq_buffer_info {
  int subgraph, partition;  // as in tvmq_node_info
  int first_node, last_node;
  unsigned long long offset, bytes;
};
const struct tvmq_buffer_info *tvmq_get_buffer(const void *delegate, int index);

// One way to compute a planned node. All candidates give the same results, bit for bit. They are sorted by estimated time; the first one runs, unless another
// is forced or the option winograd decides. `index` counts nodes as in tvmq_get_node. Returns NULL past the last candidate, and for every `candidate` if the
// node is not planned or leaves no choice. Candidates depend on shapes, options and the number of threads. The answer stays valid until the next call for the
// node.
struct tvmq_candidate_info {
  const char *way;  // "row table", "im2col", "matrix", "padded copy", "matrix im2col", "direct", "winograd", "pixel table"; "plain": only the kernel differs
  const char *kernel;
  int flipped_copy;                 // 1 if signed input is copied as unsigned once, instead of converted by the kernel at each use
  unsigned long long rows, panels;  // of a block of work: rows of the kernel's left operand, and panels of packed weights; 0 where there are no blocks
  double cycles;                    // estimate in core cycles, comparable with those of the node's other candidates only
  int runs;                         // 1 if the node runs so now
};
const struct tvmq_candidate_info *tvmq_get_candidate(const void *delegate, int index, int candidate);

// Everything that determines the candidates of node `index` and their times, in one line of ASCII: operator, types, shapes, strides, rounding, instruction
// sets, threads. Nodes with equal signatures are the same tuning task, whatever network they are in; only whether Winograd is exact depends on the weights too.
// NULL if the node has no candidates and tuning records cannot leave it to the runtime. docs/records.md explains the words.
const char *tvmq_get_signature(const void *delegate, int index);

// Makes node `index` run as its candidate number `candidate`, counted as in tvmq_get_candidate, or by default again if `candidate` is negative. The node is
// planned anew at once, and the next inference already runs so. The demand lasts until the delegate is applied again. When the interpreter prepares the node
// for other shapes, the same choice is made again if it is legal for them; if not, the node runs by default, and tvmq_node_info's `refusal` says why.
//
// Returns 0, or -1 if the pointer is NULL or foreign, if there is no such node or candidate, or if the node is not planned: nothing has changed then. Returns
// -2 if memory is short: inferences fail until the interpreter has been prepared again.
int tvmq_force(const void *delegate, int index, int candidate);

// From now on, estimates candidates and plans nodes for the machine that the text of a machine file describes, instead of that of the option `machine`. Nodes
// keep running as they are planned until they are planned again: by tvmq_force, or when the interpreter prepares them for other shapes. Returns 0, or -1 for a
// foreign pointer and for a text that is not a machine file: tvmq_get_delegate's `error` says why.
int tvmq_set_machine(const void *delegate, const char *text);

// Time of a claimed node, if the delegate has the option profile=true: one sample per inference. `index` as for tvmq_get_node.
struct tvmq_profile_info {
  unsigned long long count;  // 0: not claimed, not profiled or not run; all else is 0 then
  unsigned long long first_ns, last_ns, min_ns, max_ns, total_ns;
  double mean_ns, stddev_ns;
};
const struct tvmq_profile_info *tvmq_get_profile(const void *delegate, int index);

// With profile=true: when each claimed node ran, and when each thread worked on its tasks if several threads shared the node. Sorted by thread, then by time;
// only the last 4096 spans of each thread are kept.
struct tvmq_span_info {
  int subgraph, node;                   // as in tvmq_node_info
  int thread;                           // 0: the one that runs the interpreter
  int task;                             // index of the task in its pass of the node; -1: the whole node
  unsigned long long start_ns, end_ns;  // of CLOCK_MONOTONIC
};
const struct tvmq_span_info *tvmq_get_span(const void *delegate, int index);

int tvmq_reset_profile(const void *delegate);  // forgets times and spans; 0, or -1 for a foreign pointer

// The peak speed of the delegate's threads on this machine with its instruction set, to compare nodes with. The call measures it, which keeps all of these
// threads busy for about a fifth of a second. Returns NULL if the pointer is NULL or foreign, if the option estimate is set (nothing runs then), or if memory
// is short. The answer stays valid until the next call for the delegate.
struct tvmq_peak_info {
  const char *kernel;              // the int8 matrix kernel that is fastest on data in the first-level cache
  int threads;                     // that worked at the same time
  double macs_per_second;          // multiply-accumulates of that kernel, of all threads together
  double cache_bytes_per_second;   // of all threads together, each of which reads its own 256 KiB repeatedly
  double memory_bytes_per_second;  // of all threads together, which read 64 MiB in turn
};
const struct tvmq_peak_info *tvmq_measure_peak(const void *delegate);
