#include "network/symbols.h"

#include "cpu/ops/conv/conv_direct.h"
#include "cpu/ops/conv/conv_gemm.h"
#include "cpu/ops/conv/conv_matrix.h"
#include "cpu/ops/conv/conv_table.h"
#include "cpu/ops/conv/conv_winograd.h"
#include "cpu/ops/conv/rows.h"
#include "cpu/ops/elementwise/binary.h"
#include "cpu/ops/op.h"

#define IMPLEMENTATION(name) PART(tvmq_op_##name)
#define PART(symbol) REFUSED(symbol, NULL)
#define REFUSED(symbol, why) {(uintptr_t)&symbol, NAME(symbol), why},
#define NAME(symbol) #symbol
#define ROWS_TABLE(mr) PART(tvmq_rows_table_##mr)
#define LIBRARY "float32: results of the math library are those of the device's library, which is not known here"

// Everything that a plan may point to. FULLY_CONNECTED has the implementation of CONV_2D.
const struct tvmq_symbol tvmq_symbols[] = {
    TVMQ_EACH_OPERATOR(IMPLEMENTATION)        //
    REFUSED(tvmq_op_float_function, LIBRARY)  //
    REFUSED(tvmq_op_float_softmax, LIBRARY)   //
    PART(tvmq_op_float_map)                   //
    PART(tvmq_op_float_matmul)                //
    PART(tvmq_op_float_pool)                  //
    PART(tvmq_op_hybrid)                      //
    PART(tvmq_op_integers)                    //
    PART(tvmq_op_line_pool)                   //
    PART(tvmq_op_matmul_s16)                  //
    PART(tvmq_op_reduce_by_pool)              //
    PART(tvmq_op_reduce_rows)                 //
    PART(tvmq_binary_sums)                    //
    PART(tvmq_binary_products)                //
    PART(tvmq_binary_prelu)                   //
    PART(tvmq_binary_extrema)                 //
    PART(tvmq_binary_floats)                  //
    PART(tvmq_conv_by_table)                  //
    PART(tvmq_conv_by_im2col)                 //
    PART(tvmq_conv_by_matrix)                 //
    PART(tvmq_conv_by_padding)                //
    PART(tvmq_conv_by_matrix_im2col)          //
    PART(tvmq_conv_direct)                    //
    PART(tvmq_conv_by_winograd)               //
    PART(tvmq_conv_run_gemm)                  //
    PART(tvmq_conv_run_single)                //
    PART(tvmq_conv_run_winograd)              //
    PART(tvmq_rows_im2col)                    //
    PART(tvmq_rows_table_any)                 //
    TVMQ_EACH_ROWS_TABLE(ROWS_TABLE)          //
};

const size_t tvmq_n_symbols = sizeof tvmq_symbols / sizeof tvmq_symbols[0];

const struct tvmq_symbol *tvmq_symbol_at(uintptr_t address) {
  for (size_t i = 0; i < tvmq_n_symbols; i++) {
    if (tvmq_symbols[i].address == address) return &tvmq_symbols[i];
  }
  return NULL;
}

const struct tvmq_variant *tvmq_variant_with_fn(uintptr_t address) {
  const uintptr_t first = (uintptr_t)tvmq_variants, bytes = tvmq_n_variants * sizeof tvmq_variants[0];
  if (address - first >= bytes) return NULL;
  const struct tvmq_variant *variant = &tvmq_variants[(address - first) / sizeof tvmq_variants[0]];
  return address == (uintptr_t)&variant->fn ? variant : NULL;
}
