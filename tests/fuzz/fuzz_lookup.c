// EMBEDDING_LOOKUP of copied and of converted rows.
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "support/random.h"

enum { MOST_ROWS = 300 };

static enum tvmq_type random_type(struct fuzz_bytes *b) {
  static const enum tvmq_type usual[] = {TVMQ_TYPE_S8, TVMQ_TYPE_U8, TVMQ_TYPE_F32};
  return fuzz_pick(b, 0, 15) ? usual[fuzz_pick(b, 0, 2)] : (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_BOOL);
}

static float random_scale(struct fuzz_bytes *b) {
  static const float odd[] = {0, -1, 1e-45f, 3e38f};
  return fuzz_pick(b, 0, 255) ? (float)(1 + check_below(1 << 24)) * 0x1p-26f : odd[fuzz_pick(b, 0, 3)];
}

static void lookup(const struct tvmq_lookup_desc *d, const int32_t *indices, const void *table, void *out) {
  const size_t row = (size_t)d->row, bytes = row * tvmq_type_bytes(d->table_type);
  for (size_t i = 0; i < (size_t)d->n; i++) {
    const size_t index = (size_t)indices[i];
    if (!tvmq_lookup_converts(d)) {
      memcpy((uint8_t *)out + i * bytes, (const uint8_t *)table + index * bytes, bytes);
      continue;
    }
    const double scale = (double)d->scales[d->n_scales > 1 ? index : 0];
    for (size_t k = 0; k < row; k++) ((float *)out)[i * row + k] = (float)(((const int8_t *)table)[index * row + k] * scale);
  }
}

void fuzz_lookup(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static _Alignas(8) uint8_t expected[FUZZ_MAX_BYTES];
  static float scales[MOST_ROWS];
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_lookup_desc d = {
      .table_type = random_type(b),
      .knows_row_scales = fuzz_pick(b, 0, 7) > 0,
      .offset = fuzz_pick(b, 0, 15) == 0,
      .scales = fuzz_pick(b, 0, 15) ? scales : NULL,
      .n = (int32_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 3) ? 20 : 2000),
      .rows = (int32_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 1) ? 10 : MOST_ROWS),
      .row = (int32_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 1) ? 40 : 600),
  };
  d.out_type = fuzz_pick(b, 0, 1) ? TVMQ_TYPE_F32 : fuzz_pick(b, 0, 7) ? d.table_type : random_type(b);
  d.n_scales = fuzz_pick(b, 0, 1) ? 1 : fuzz_pick(b, 0, 15) ? d.rows : (int32_t)fuzz_pick(b, -1, MOST_ROWS);
  for (size_t i = 0; i < MOST_ROWS; i++) scales[i] = i < 4 ? random_scale(b) : (float)(1 + check_below(1 << 24)) * 0x1p-26f;
  if (fuzz_pick(b, 0, 31) == 0) d.n = (int32_t)fuzz_pick(b, INT32_MIN, INT32_MAX);
  if (fuzz_pick(b, 0, 31) == 0) d.row = (int32_t)fuzz_pick(b, INT32_MIN, INT32_MAX);
  char text[200];
  snprintf(text, sizeof text, "lookup, types %d -> %d, %d of %d rows of %d, %d scales, cpu %#x", d.table_type, d.out_type, d.n, d.rows, d.row, d.n_scales,
           env->cpu);
  fuzz_about(text);
  const union tvmq_desc desc = {.lookup = d};
  const char *why = fuzz_claim(&tvmq_operator_lookup, &desc);
  if (why) return;
  const size_t n = (size_t)d.n, row = (size_t)d.row, table_bytes = (size_t)d.rows * row * tvmq_type_bytes(d.table_type),
               out_bytes = n * row * tvmq_type_bytes(d.out_type);
  if (table_bytes > FUZZ_MAX_BYTES || out_bytes > FUZZ_MAX_BYTES || n * sizeof(int32_t) > FUZZ_MAX_BYTES) return;
  const struct fuzz_tensor indices = fuzz_tensor(FUZZ_IN, n * sizeof(int32_t), side), table = fuzz_tensor(FUZZ_IN_2, table_bytes, side);
  for (size_t i = 0; i < n; i++) ((int32_t *)indices.write)[i] = (int32_t)check_below((uint32_t)d.rows);
  check_random_bytes(table.write, table_bytes);
  lookup(&d, indices.read, table.read, expected);
  struct tvmq_op *op = NULL;
  const void *in[] = {indices.read, table.read};
  fuzz_run(&tvmq_op_lookup, &op, &desc, env, in, expected, out_bytes, side);
  tvmq_op_release(&tvmq_op_lookup, op);
}
