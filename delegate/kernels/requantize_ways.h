// The ways of the vector kernels of requantize: constants wherever they are passed on.
#pragma once

// How an element becomes an int32. SHORT is reference rounding with a right shift, where is_short() allows; DOUBLE is reference and upward rounding with any
// shift; MULTIPLY and DIVIDE quantize float32.
enum way { SHORT, DOUBLE, SINGLE, MULTIPLY, DIVIDE };

// What a line needs. PLAIN: no drop, and shift 8, which leaves the high byte of the sum; SHIFT: no drop.
enum line_way { PLAIN, DROP, SHIFT };
