// The matrices of Winograd convolution (kernels/winograd.h) as tables, and its outputs from the definition: what kernels and packers are measured against.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { TABLE_POINTS = 6 };

// Weights -> points.
static const int32_t table_g[TABLE_POINTS][3] = {{6, 0, 0}, {1, 1, 1}, {1, -1, 1}, {1, 2, 4}, {1, -2, 4}, {0, 0, 6}};

// A tile of one direction; the first has no taps.
static const struct table {
  size_t inputs, outputs;
  int32_t b[TABLE_POINTS][TABLE_POINTS], a[4][TABLE_POINTS];  // [point][input], [output][point]; rows and columns of points that it has not are 0
  int32_t f[4];                                               // what its outputs are multiplied by
} tables[] = {
    {1, 1, {{1}}, {{1}}, {1}},
    {3, 1, {{1, -1, 0}, {0, 6, 0}, {0}, {0}, {0}, {0, -1, 1}}, {{1, 1, 0, 0, 0, 1}}, {6}},
    {4, 2, {{1, 0, -1, 0}, {0, 3, 3, 0}, {0, -3, 3, 0}, {0}, {0}, {0, -1, 0, 1}}, {{1, 1, 1}, {0, 1, -1, 0, 0, 1}}, {6, 6}},
    {5,
     3,
     {{2, -1, -2, 1, 0}, {0, 2, 1, -1, 0}, {0, -2, 3, -1, 0}, {0, -1, 0, 1, 0}, {0}, {0, 2, -1, -2, 1}},
     {{1, 6, 2, 2}, {0, 3, -1, 2}, {0, 3, 1, 4, 0, 1}},
     {12, 6, 6}},
    {6,
     4,
     {{4, 0, -5, 0, 1, 0}, {0, 4, 4, -1, -1, 0}, {0, -4, 4, 1, -1, 0}, {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}},
     {{1, 4, 4, 1, 1}, {0, 2, -2, 1, -1}, {0, 1, 1, 1, 1}, {0, 1, -1, 2, -2, 1}},
     {24, 12, 6, 6}},
};
enum { N_TABLES = sizeof tables / sizeof tables[0] };

// Points in a direction, of weights and of values.
static inline size_t table_points(const struct table *t) { return t->inputs == 1 ? 1 : TABLE_POINTS; }

// Whether a tile has the point.
static inline int table_has(const struct table *t, size_t point) {
  for (size_t i = 0; i < t->inputs; i++) {
    if (t->b[point][i] != 0) return 1;
  }
  return 0;
}
