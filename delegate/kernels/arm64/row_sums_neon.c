// Row sums without dot products: pairs of bytes are added in 16 bits, pairs of sums in 32 bits.
#define ROW_SUMS tvmq_row_sums__neon
#include "kernels/arm64/row_sums_neon_template.h"
