// How the vector kernels of add take the reference's steps: constants wherever they are passed on.
#pragma once

// EQUAL: both inputs are rescaled by a half. SHORT: only the first is. Either with reference rounding and shifts to the right that is_short() allows. LONG:
// any.
enum steps_way { EQUAL, SHORT, LONG };

// Which input is subtracted.
enum sign { PLUS, LESS_FIRST, LESS_SECOND };

// By how many bits the reference shifts elements before it rescales them. The first input, rescaled by a half, is shifted by one less, and done with.
enum { RAISED_BYTES = 20, RAISED_S16 = 15 };
