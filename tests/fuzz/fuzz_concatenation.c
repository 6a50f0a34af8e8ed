// CONCATENATION of up to as many inputs as an operator may have, some of them empty.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "support/random.h"

// A byte of an input as it is in the output, by two roundings.
static uint8_t expect(const struct tvmq_concatenation_desc *d, int input, uint8_t byte) {
  if (d->type != TVMQ_TYPE_U8 || tvmq_same_quant(d->in[input], d->out)) return byte;
  volatile float scale = 1.0f / d->out.scale;
  scale = d->in[input].scale * scale;
  volatile float bias = (float)-d->in[input].zero_point * scale, value = (float)byte * scale;
  value = value + bias;
  const double rounded = round(value) + d->out.zero_point;
  return rounded < 0 ? 0 : rounded > UINT8_MAX ? UINT8_MAX : (uint8_t)rounded;
}

void fuzz_concatenation(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static uint8_t expected[FUZZ_MAX_BYTES];
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_concatenation_desc d = {.n_in = (int32_t)fuzz_pick(b, 1, fuzz_pick(b, 0, 1) ? 4 : TVMQ_MAX_IN)};
  d.type = fuzz_pick(b, 0, 15) ? (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_S8, TVMQ_TYPE_S16) : (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4);
  d.activation = fuzz_pick(b, 0, 15) ? TVMQ_ACTIVATION_NONE : (enum tvmq_activation)fuzz_pick(b, TVMQ_ACTIVATION_NONE, TVMQ_ACTIVATION_OTHER);
  d.out = (struct tvmq_quant){0.25f, d.type == TVMQ_TYPE_S16 && fuzz_pick(b, 0, 15) ? 0 : (int32_t)fuzz_pick(b, -128, 127)};
  d.rows = (size_t)fuzz_pick(b, fuzz_pick(b, 0, 7) == 0 ? 0 : 1, fuzz_pick(b, 0, 1) ? 3 : 1000);
  const size_t element = tvmq_type_bytes(d.type), most = (size_t)fuzz_pick(b, 1, fuzz_pick(b, 0, 1) ? 20 : FUZZ_MAX_BYTES / 8);
  size_t row = 0;
  for (int i = 0; i < d.n_in; i++) {
    d.in[i] = d.out;
    d.row_bytes[i] = fuzz_pick(b, 0, 7) ? element * (size_t)fuzz_pick(b, 0, (int64_t)most) : 0;
    row += d.row_bytes[i];
  }
  if (fuzz_pick(b, 0, 7) == 0) d.in[d.n_in - 1].scale = (float)fuzz_pick(b, 0, 1 << 20) * 0x1p-20f;
  if (fuzz_pick(b, 0, 15) == 0) d.in[0].zero_point++;

  char text[200];
  snprintf(text, sizeof text, "concatenation of %d inputs of type %d, activation %d, %zu rows of %zu bytes, cpu %#x", d.n_in, d.type, d.activation, d.rows, row,
           env->cpu);
  fuzz_about(text);
  const union tvmq_desc desc = {.concatenation = d};
  const char *why = fuzz_claim(&tvmq_operator_concatenation, &desc);
  if (why || d.rows * row > FUZZ_MAX_BYTES) return;
  const void *in[TVMQ_MAX_IN];
  for (int i = 0; i < d.n_in; i++) {
    const struct fuzz_tensor tensor = fuzz_tensor(i, d.rows * d.row_bytes[i], side);
    check_random_bytes(tensor.write, d.rows * d.row_bytes[i]);
    in[i] = d.row_bytes[i] > 0 ? tensor.read : NULL;
  }
  size_t n = 0;
  for (size_t r = 0; r < d.rows; r++) {
    for (int i = 0; i < d.n_in; i++) {
      for (size_t at = 0; at < d.row_bytes[i]; at++) expected[n++] = expect(&d, i, ((const uint8_t *)in[i])[r * d.row_bytes[i] + at]);
    }
  }
  struct tvmq_op *op = NULL;
  fuzz_run(&tvmq_op_concatenation, &op, &desc, env, in, expected, n, side);
  tvmq_op_release(&tvmq_op_concatenation, op);
}
