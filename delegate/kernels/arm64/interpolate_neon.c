// Linear interpolation between two rows.
#define ISA neon
#include "kernels/interpolate_template.h"
