// Row sums without dot products: bytes added in pairs to 16 bits, these in pairs to 32.
#define ROW_SUMS tvmq_row_sums__neon
#include "kernels/arm64/row_sums_neon_template.h"
