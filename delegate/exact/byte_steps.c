#include "exact/byte_steps.h"

#include "kernels/stage.h"

enum { GROUP = TVMQ_BYTE_GROUP, ANY = -1 };

static uint8_t index_of(const struct tvmq_byte_steps *steps, int x) {
  return (uint8_t)tvmq_clamp((int8_t)(x ^ steps->flip) + steps->offset, INT8_MIN, INT8_MAX);
}

static uint8_t value_of(const struct tvmq_byte_steps *steps, int x) {
  const int index = index_of(steps, x), group = index / GROUP, left = GROUP - index % GROUP;
  int value = steps->base[group] - left * steps->slope[group];
  for (int i = 0; i < steps->n; i++) value += __builtin_popcount(steps->steps[i][group] >> left);
  return (uint8_t)value;
}

// Finds what each index is to become: ANY where no byte has it. False: bytes of one index become different ones.
static bool values_of_indices(const uint8_t table[TVMQ_N_BYTES], const struct tvmq_byte_steps *steps, int wanted[TVMQ_N_BYTES]) {
  for (int i = 0; i < TVMQ_N_BYTES; i++) wanted[i] = ANY;
  for (int x = 0; x < TVMQ_N_BYTES; x++) {
    int *const value = &wanted[index_of(steps, x)];
    if (*value != ANY && *value != table[x]) return false;
    *value = table[x];
  }
  return true;
}

// Tries a slope for a group, whose wanted values are neighbours from the first on; there is one.
static bool fit_slope(const int wanted[GROUP], int first, uint8_t slope, struct tvmq_byte_steps *steps, int group) {
  uint8_t bits[2] = {0};
  for (int i = first; i + 1 < GROUP && wanted[i + 1] != ANY; i++) {
    const uint8_t more = (uint8_t)(wanted[i + 1] - wanted[i] - slope);
    if (more > steps->n) return false;
    for (int k = 0; k < more; k++) bits[k] |= (uint8_t)(1 << (GROUP - 1 - i));
  }
  steps->base[group] = (uint8_t)(wanted[first] + (GROUP - first) * slope);
  steps->slope[group] = slope;
  for (int k = 0; k < steps->n; k++) steps->steps[k][group] = bits[k];
  return true;
}

static bool fit_group(const int wanted[GROUP], struct tvmq_byte_steps *steps, int group) {
  int first = 0;
  while (first < GROUP - 1 && wanted[first] == ANY) first++;
  if (wanted[first] == ANY) return true;
  const bool alone = first == GROUP - 1 || wanted[first + 1] == ANY;
  const int climb = alone ? 0 : wanted[first + 1] - wanted[first];
  for (int less = 0; less <= steps->n; less++) {
    if (fit_slope(wanted, first, (uint8_t)(climb - less), steps, group)) return true;
  }
  return false;
}

static bool fit(const uint8_t table[TVMQ_N_BYTES], int n, uint8_t flip, int offset, struct tvmq_byte_steps *steps) {
  *steps = (struct tvmq_byte_steps){.n = n, .flip = flip, .offset = (int8_t)offset};
  int wanted[TVMQ_N_BYTES];
  if (!values_of_indices(table, steps, wanted)) return false;
  for (int group = 0; group < TVMQ_BYTE_GROUPS; group++) {
    if (!fit_group(wanted + group * GROUP, steps, group)) return false;
  }
  for (int x = 0; x < TVMQ_N_BYTES; x++) {
    if (value_of(steps, x) != table[x]) return false;
  }
  return true;
}

bool tvmq_find_byte_steps(const uint8_t table[TVMQ_N_BYTES], struct tvmq_byte_steps *steps) {
  if (fit(table, 1, 0, 0, steps)) return true;
  for (int offset = 1; offset < GROUP; offset++) {
    for (int flip = 0; flip <= 0x80; flip += 0x80) {
      if (fit(table, 1, (uint8_t)flip, offset, steps) || fit(table, 1, (uint8_t)flip, -offset, steps)) return true;
    }
  }
  return fit(table, 2, 0, 0, steps);
}

void tvmq_make_byte_map(const struct tvmq_variant *variant, struct tvmq_byte_map *map) {
  tvmq_complete_byte_map(map);
  map->in_steps = (variant->flags & TVMQ_STEPS) != 0 && tvmq_find_byte_steps(map->table, &map->steps);
}
