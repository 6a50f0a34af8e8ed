// CAST: integers of one type to another, of which low bits stay, or to float32, rounded to nearest. Elementwise; threads share the elements.
#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "operators/claims/claim.h"

struct cast {
  struct tvmq_cut cut;
  struct tvmq_cast_desc desc;
};

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct cast));
  struct cast *c = (struct cast *)*op;
  if (!c) return "out of memory";
  c->desc = desc->cast;
  tvmq_cut_units(&c->cut, c->desc.n, TVMQ_LINE, (float)c->desc.n, env);
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  *out = (struct tvmq_op_info){.kernel = "", .algorithm = "elementwise", .cycles = ((const struct cast *)op)->cut.cycles};
}

#define CONVERT(from, to)                                                                           \
  static void from##_as_##to(const void *restrict in, void *restrict out, size_t first, size_t n) { \
    const from *const x = (const from *)in + first;                                                 \
    to *const y = (to *)out + first;                                                                \
    for (size_t i = 0; i < n; i++) y[i] = (to)x[i];                                                 \
  }
#define CONVERT_FROM(from) \
  CONVERT(from, uint8_t)   \
  CONVERT(from, int16_t)   \
  CONVERT(from, int32_t)   \
  CONVERT(from, int64_t)   \
  CONVERT(from, float)
CONVERT_FROM(int8_t)
CONVERT_FROM(uint8_t)
CONVERT_FROM(int16_t)
CONVERT_FROM(int32_t)
CONVERT_FROM(int64_t)

// Low bits are the same of a signed type and of the unsigned one.
#define ROW(from)                                                                                                 \
  {[TVMQ_TYPE_S8] = from##_as_uint8_t,  [TVMQ_TYPE_U8] = from##_as_uint8_t,  [TVMQ_TYPE_S16] = from##_as_int16_t, \
   [TVMQ_TYPE_S32] = from##_as_int32_t, [TVMQ_TYPE_S64] = from##_as_int64_t, [TVMQ_TYPE_F32] = from##_as_float}
static void (*const conversions[][TVMQ_TYPE_F32 + 1])(const void *restrict in, void *restrict out, size_t first, size_t n) = {
    [TVMQ_TYPE_S8] = ROW(int8_t), [TVMQ_TYPE_U8] = ROW(uint8_t), [TVMQ_TYPE_S16] = ROW(int16_t), [TVMQ_TYPE_S32] = ROW(int32_t), [TVMQ_TYPE_S64] = ROW(int64_t),
};

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct cast *c = (const struct cast *)op;
  const struct tvmq_piece piece = tvmq_cut_piece(&c->cut, task.index);
  conversions[c->desc.in_type][c->desc.out_type](pass->in[0], pass->outs[0], piece.first, piece.n);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_cast(&desc->cast); }

// A byte stays the same byte of the other type.
static bool byte_function(const union tvmq_desc *desc, enum tvmq_rounding rounding, const uint8_t *const in[], uint8_t out[TVMQ_N_BYTES]) {
  (void)desc, (void)rounding;
  for (int x = 0; x < TVMQ_N_BYTES; x++) out[x] = in[0][x];
  return true;
}

static bool evaluate(const union tvmq_desc *desc, const void *const in[], void *const outs[]) {
  if (in[0] != NULL) conversions[desc->cast.in_type][desc->cast.out_type](in[0], outs[0], 0, desc->cast.n);
  return in[0] != NULL;
}

const struct tvmq_op_class tvmq_op_cast = {.claim = claim,
                                           .plan = plan,
                                           .n_tasks = tvmq_cut_tasks,
                                           .run_task = run_task,
                                           .info = info,
                                           .byte_function = byte_function,
                                           .evaluate = evaluate,
                                           .light = TVMQ_LIGHT("converts elements")};
