#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

// Digits that are read; the value goes on from *value. NULL: there are none.
static const char *digits(const char *at, const char *end, double *value) {
  const char *first = at;
  for (; at < end && *at >= '0' && *at <= '9'; at++) *value = *value * 10 + (*at - '0');
  return at > first ? at : NULL;
}

const char *tvmq_decimal_read(const char *at, const char *end, double *number) {
  double value = 0, exponent = 0;
  long places = 0;
  at = digits(at, end, &value);
  if (at != NULL && at < end && *at == '.') {
    const char *point = at + 1;
    at = digits(point, end, &value);
    places = at != NULL ? (long)(at - point) : 0;
  }
  if (at != NULL && at < end && (*at == 'e' || *at == 'E')) {
    at++;
    const bool down = at < end && *at == '-';
    at += down || (at < end && *at == '+');
    at = digits(at, end, &exponent);
    if (down) exponent = -exponent;
  }
  exponent -= (double)places;
  if (value != 0) value = exponent < 0 ? value / pow(10, -exponent) : value * pow(10, exponent);  // a quotient by a power that is exact is rounded once
  *number = value;
  return at;
}
