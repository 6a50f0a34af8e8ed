// How the vector kernels of add follow the reference's steps. These values are compile-time constants in every inlined
// function.
#pragma once

// EQUAL: both inputs are rescaled by a half. SHORT: only the first input is rescaled by a half. EQUAL and SHORT need
// reference rounding and right shifts that is_short() accepts. LONG: no requirement.
enum steps_way { EQUAL, SHORT, LONG };

// Which input is subtracted.
enum sign { PLUS, LESS_FIRST, LESS_SECOND };

// Bits by which the reference shifts elements to the left before rescaling. The first input is rescaled by a half, so
// shifting it by one bit less completes its rescaling.
enum { RAISED_BYTES = 20, RAISED_S16 = 15 };
