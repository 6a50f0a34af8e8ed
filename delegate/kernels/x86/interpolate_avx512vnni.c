// Linear interpolation between two rows.
#define ISA avx512vnni
#include "kernels/interpolate_template.h"
