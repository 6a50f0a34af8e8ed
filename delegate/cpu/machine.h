// The costs of a machine: every number by which kernels, blocks and tasks are chosen, apart from the speeds of the kernels themselves
// (kernels/variants.def). docs/cost-model.md says how each number is measured.
//
// Cycles are those of the core clock, bytes are bytes of memory. None of these numbers changes a result.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { TVMQ_LINE = 64 };  // bytes of a cache line, on every machine served

// How large the blocks of one way of computing a convolution may be.
struct tvmq_block_limits {
  size_t least_tiles;  // a block has at least so many kernel tiles of rows, or all: fewer reload a panel too often
  size_t most_rows;    // a block has at most so many rows: more only make its output longer in the cache
};

// A kernel that is faster or slower on a machine than kernels/variants.def has it: the same two numbers (kernel.h).
struct tvmq_kernel_speed {
  const char *kernel;
  float rate, tile_cycles;
};

struct tvmq_machine {
  const char *name;
  bool in_order;  // its cores execute instructions in program order: a kernel's second speed counts (kernel.h)

  // Bringing the rows of A to a gemm kernel
  float pointer_cycles;       // to write one pointer of a row table
  float list_cycles;          // to write one pointer where rows lie a constant distance apart
  float copied_piece_cycles;  // im2col, padded copies: to begin the copy of one piece
  float copied_byte_cycles;   // and for each of its bytes
  float widened_byte_cycles;  // to widen one int8 to int16
  float zipped_piece_cycles;  // to interleave one piece of a row with those of its tile
  float zipped_byte_cycles;   // and for each of its bytes
  float lone_tile;            // matrix kernels of up to 32 channels share weights between two tiles: what a tile without a partner takes more, in tiles
  float flipped_use_cycles;   // to flip one byte of a row in the kernel, each time that it is used
  float flipped_byte_cycles;  // to flip one byte of the input in a copy

  // Bringing pixels to a depthwise kernel
  float pixel_pointer_cycles;  // to write one pointer of a pixel table
  float strip_start_cycles;    // for a kernel to begin with a tile of rows of one block of channels
  float strip_column_cycles;   // and for each group of rows of each column that it prepares before its first output
  float gathered_lane_cycles;  // to look up one lane of a block, where a channel serves several outputs
  float copied_pixel_cycles;   // to copy one pixel with fewer channels than a block
  float line_byte_cycles;      // to copy one byte of a line, where pixels side by side fill a block
  size_t short_row;            // output rows of fewer pixels are worth exchanging with columns

  // Caches
  size_t block_bytes;          // rows of A that stay in the cache while panels pass over them
  size_t strip_bytes;          // input of a depthwise strip
  size_t window_bytes;         // rows of a pooling window: half of the first-level cache
  size_t tile_bytes;           // output of a matrix kernel that is copied from scratch
  size_t winograd_bytes;       // values and sums of a block of Winograd tiles; transformed weights beyond it are streamed for each wave
  float streamed_byte_cycles;  // for each byte of those
  float weight_byte_cycles;    // to read a byte of packed weights once, from the cache that cores share
  struct tvmq_block_limits gemm, matrix, winograd, depthwise;

  // Sharing work between threads
  size_t tasks_per_thread;   // most tasks worth looking at, for each thread
  float task_cycles;         // for a thread's first task, or any task where one thread does all
  float next_task_cycles;    // for each further one that threads share
  float panel_cycles;        // for a panel that passes over a block
  float moved_byte_cycles;   // for a byte of activations that another core has in its cache, or reads from here later
  float shared_line_cycles;  // for a cache line that two cores write
  float done_cycles;         // for threads to find out that all are done
  float small_cycles;        // operators of less work have neighbours that one thread does, mostly: nothing lies in other cores
  float imbalance;           // allowance for load imbalance, as a fraction of one task

  // Copies, and the output stage
  float joined_copy_cycles;  // CONCATENATION: to begin a copy
  float joined_byte_cycles;  // and for each of its bytes
  size_t float_results;      // outputs of a channel from which the float form of the output stage repays the proof that it is exact

  const struct tvmq_kernel_speed *speeds;  // of kernels that differ
  size_t n_speeds;
};

// Machines known.
extern const struct tvmq_machine tvmq_machines[];
extern const size_t tvmq_n_machines;

// The row of that name; NULL: there is none.
const struct tvmq_machine *tvmq_machine_named(const char *name);

// The row that serves computers of this architecture which have none of their own: cores that execute in order, or out of order.
const struct tvmq_machine *tvmq_machine_for(bool in_order);
