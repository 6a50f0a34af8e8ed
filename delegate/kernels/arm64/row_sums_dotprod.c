// Row sums by dot products with ones (udot, sdot).
#define ROW_SUMS tvmq_row_sums__dotprod
#include "kernels/arm64/row_sums_neon_template.h"
