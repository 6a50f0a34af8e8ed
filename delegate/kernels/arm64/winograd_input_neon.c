// Transform of Winograd inputs for Armv8.0: sixteen channels, a whole register of bytes.
#define SYMBOL tvmq_winograd_input_s8_16c__neon
#define LANES 16
#include "kernels/winograd_input_template.h"
