// Decimal numbers in files, parsed independently of the locale.
#pragma once

// Parses a number at the start of [at, end): digits, then optionally a point with more digits, then optionally an
// exponent. Sets *number and returns the end of the number, or NULL if there is none. Numbers too large for a double
// become infinity.
const char *tvmq_decimal_read(const char *at, const char *end, double *number);
