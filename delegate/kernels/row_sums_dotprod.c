// Row sums by dot products with ones (udot, sdot).
#define ROW_SUMS tvmq_row_sums__dotprod
#include "row_sums_neon_template.h"
