// Decimal numbers of files, which look the same in every locale.
#pragma once

// Reads digits, a point and digits, and an exponent, the last two if they are there, from [at, end). Returns what follows them, and sets *number; NULL: no such
// number stands there. A number beyond what a double holds is infinite.
const char *tvmq_decimal_read(const char *at, const char *end, double *number);
