#include "exact/byte_slopes.h"

#include "arithmetic/stage.h"

enum { GROUP = TVMQ_BYTE_GROUP, ANY = -1 };

static uint8_t index_of(const struct tvmq_byte_slopes *slopes, int x) {
  return (uint8_t)tvmq_clamp((int8_t)(x ^ slopes->flip) + slopes->offset, INT8_MIN, INT8_MAX);
}

static uint8_t value_of(const struct tvmq_byte_slopes *slopes, int x) {
  const int index = index_of(slopes, x), group = index / GROUP, left = GROUP - index % GROUP;
  int value = slopes->base[group] - left * slopes->slope[group];
  for (int i = 0; i < slopes->n; i++) value += __builtin_popcount(slopes->extra[i][group] >> left);
  return (uint8_t)value;
}

// Tries a slope for a group. The wanted values are contiguous and begin at `first`; entries after the last may be anything.
static bool fit_slope(const int wanted[GROUP], int first, uint8_t slope, struct tvmq_byte_slopes *slopes, int group) {
  uint8_t extra[2] = {0};
  for (int i = first; i + 1 < GROUP && wanted[i + 1] != ANY; i++) {
    const uint8_t more = (uint8_t)(wanted[i + 1] - wanted[i] - slope);
    if (more > slopes->n) return false;
    for (int k = 0; k < more; k++) extra[k] |= (uint8_t)(1 << (GROUP - 1 - i));
  }
  slopes->base[group] = (uint8_t)(wanted[first] + (GROUP - first) * slope);
  slopes->slope[group] = slope;
  for (int k = 0; k < slopes->n; k++) slopes->extra[k][group] = extra[k];
  return true;
}

// Fits a group. The first difference of wanted values is the slope plus 0 to n extras, so each such slope is tried. At
// least one value of a group is wanted, because an offset is smaller than a group.
static bool fit_group(const int wanted[GROUP], struct tvmq_byte_slopes *slopes, int group) {
  int first = 0;
  while (wanted[first] == ANY) first++;
  const int climb = first + 1 < GROUP ? wanted[first + 1] - wanted[first] : 0;
  for (int less = 0; less <= slopes->n; less++) {
    if (fit_slope(wanted, first, (uint8_t)(climb - less), slopes, group)) return true;
  }
  return false;
}

static bool fit(const uint8_t table[TVMQ_N_BYTES], int n, uint8_t flip, int offset, struct tvmq_byte_slopes *slopes) {
  int wanted[TVMQ_N_BYTES];  // wanted value of each index; ANY: no byte has the index
  *slopes = (struct tvmq_byte_slopes){.n = n, .flip = flip, .offset = (int8_t)offset};
  for (int i = 0; i < TVMQ_N_BYTES; i++) wanted[i] = ANY;
  for (int x = 0; x < TVMQ_N_BYTES; x++) wanted[index_of(slopes, x)] = table[x];
  bool fits = true;
  for (int group = 0; group < TVMQ_BYTE_GROUPS && fits; group++) fits = fit_group(wanted + group * GROUP, slopes, group);
  for (int x = 0; x < TVMQ_N_BYTES && fits; x++) fits = value_of(slopes, x) == table[x];
  if (!fits) slopes->n = 0;
  return fits;
}

bool tvmq_find_byte_slopes(const uint8_t table[TVMQ_N_BYTES], struct tvmq_byte_slopes *slopes) {
  if (fit(table, 1, 0, 0, slopes)) return true;
  for (int offset = 1; offset < GROUP; offset++) {
    for (int flip = 0; flip <= 0x80; flip += 0x80) {
      if (fit(table, 1, (uint8_t)flip, offset, slopes) || fit(table, 1, (uint8_t)flip, -offset, slopes)) return true;
    }
  }
  return fit(table, 2, 0, 0, slopes);
}

void tvmq_complete_byte_map(struct tvmq_byte_map *map, bool slopes) {
  tvmq_find_live_bytes(map);
  if (slopes) tvmq_find_byte_slopes(map->table, &map->slopes);
}
