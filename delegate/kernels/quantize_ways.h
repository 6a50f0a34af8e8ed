// Algorithms of the vector kernels of quantize. These values are compile-time constants in every inlined function.
#pragma once

// How an element is converted to int32. SHORT: reference rounding with a right shift that is_short() accepts. DOUBLE:
// reference and upward rounding with any shift. SINGLE: single rounding. The others quantize float32; MULTIPLY: with an
// inverse whose rest is 0.
enum way { SHORT, DOUBLE, SINGLE, MULTIPLY, MULTIPLY_ADD, DIVIDE };

// Operations of a line. PLAIN: shift 8, which keeps the high byte of the sum, and no drop. DROP: shift 8. SEVEN: shift
// 7, and no drop. ANY: every line.
enum line_way { PLAIN, DROP, SEVEN, ANY };
