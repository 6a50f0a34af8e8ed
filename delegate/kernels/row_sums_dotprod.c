// Row sums by dot products with ones (udot, sdot).
#define ROW_SUMS tvmq_row_sums__dotprod
#include "kernels/row_sums_neon_template.h"
