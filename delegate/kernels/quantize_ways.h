// The ways of the vector kernels of quantize: constants wherever they are passed on.
#pragma once

// How an element becomes an int32. SHORT is reference rounding with a right shift, where is_short() allows; DOUBLE is reference and upward rounding with any
// shift; the others quantize float32, MULTIPLY with an inverse that needs no rest.
enum way { SHORT, DOUBLE, SINGLE, MULTIPLY, MULTIPLY_ADD, DIVIDE };

// The steps of a line. PLAIN: shift 8, which leaves the high byte of the sum, and no drop; DROP: shift 8; SEVEN: shift 7, and no drop; ANY: all of it.
enum line_way { PLAIN, DROP, SEVEN, ANY };
