// Linear interpolation between two rows.
#define ISA avx2
#include "kernels/interpolate_template.h"
