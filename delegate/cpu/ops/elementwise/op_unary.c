// Functions of one element: bytes through a table, int16 by the formula. Elementwise; threads divide the elements.
#include "arithmetic/stage.h"
#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "cpu/plan/select.h"
#include "exact/byte_slopes.h"
#include "operators/unary_table.h"
#include "operators/word_function.h"

struct unary {
  struct tvmq_cut cut;
  struct tvmq_unary_desc desc;
  const struct tvmq_variant *variant;  // a byte_map or word_map kernel; NULL: int16 by `line`
  enum tvmq_rounding rounding;
  size_t bytes;  // per element
  union {
    struct tvmq_byte_map map;     // of bytes; the memory ends here, because long networks have hundreds of these operators
    struct tvmq_word_map words;   // of int16
    struct tvmq_unary_line line;  // of int16
  };
};

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  const size_t bytes = tvmq_type_bytes(desc->unary.in_type), used = offsetof(struct unary, map) + sizeof(struct tvmq_byte_map);
  tvmq_free(*op);
  *op = tvmq_alloc(bytes == 1 ? used : sizeof(struct unary));
  struct unary *u = (struct unary *)*op;
  if (!u) return "out of memory";
  const struct tvmq_target target = tvmq_target(env);
  u->desc = desc->unary;
  u->rounding = env->rounding;
  u->bytes = bytes;
  float cycles = (float)u->desc.n * 4;
  const char *reason = NULL;
  if (u->bytes == 1) {
    reason = tvmq_unary_table(&u->desc, env->rounding, u->map.table);
    u->variant = tvmq_select_untyped(TVMQ_FAMILY_BYTE_MAP, &target);
    if (reason == NULL) tvmq_complete_byte_map(&u->map, u->variant->flags & TVMQ_SLOPES);
  } else if (!tvmq_unary_line(&u->desc, &u->line)) {
    reason = tvmq_unary_words(&u->desc, &u->words);
    u->variant = tvmq_select_untyped(TVMQ_FAMILY_WORD_MAP, &target);
  }
  if (reason != NULL) return reason;
  if (u->variant != NULL) cycles = (float)u->desc.n / tvmq_speed_of(u->variant, env->machine).rate;
  tvmq_cut_units(&u->cut, u->desc.n, TVMQ_LINE, cycles, env);
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct unary *u = (const struct unary *)op;
  *out = (struct tvmq_op_info){.kernel = u->variant != NULL ? u->variant->name : "",
                               .algorithm = u->variant == NULL ? "elementwise"
                                            : u->bytes == 1    ? "byte table"
                                                               : "interpolated",
                               .cycles = u->cut.cycles};
}

static void run_line(const struct unary *u, const int16_t *in, int16_t *out, size_t n) {
  const struct tvmq_unary_line line = u->line;
  for (size_t i = 0; i < n; i++) {
    const struct tvmq_scale *scale = &line.scale[in[i] < 0];
    out[i] = (int16_t)tvmq_clamp(tvmq_rescale(u->rounding, in[i] < 0 ? line.sign * in[i] : in[i], scale->multiplier, scale->shift), line.min, line.max);
  }
}

static bool has_negative(const int16_t *x, size_t n) {
  int16_t bits = 0;
  for (size_t i = 0; i < n; i++) bits |= x[i];
  return bits < 0;
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct unary *u = (const struct unary *)op;
  const struct tvmq_piece piece = tvmq_cut_piece(&u->cut, task.index);
  const void *in = (const uint8_t *)pass->in[0] + piece.first * u->bytes;
  void *out = (uint8_t *)pass->outs[0] + piece.first * u->bytes;
  if (u->variant == NULL) {
    run_line(u, in, out, piece.n);
    return;
  }
  if (u->bytes == 1) {
    u->variant->fn.byte_map(&(struct tvmq_byte_map_args){.in = in, .out = out, .n = piece.n, .map = &u->map});
    return;
  }
  if (u->desc.function == TVMQ_FUNCTION_RSQRT && has_negative(in, piece.n)) tvmq_pass_fail(pass, "RSQRT of a negative element");
  u->variant->fn.word_map(&(struct tvmq_word_map_args){.in = in, .out = out, .n = piece.n, .map = &u->words});
}

static const struct tvmq_implementation *computed_by(const union tvmq_desc *desc, const struct tvmq_env *env) {
  (void)env;
  if (desc->unary.in_type != TVMQ_TYPE_F32) return NULL;
  return tvmq_function_is_transcendental(desc->unary.function) ? &tvmq_op_float_function : &tvmq_op_float_map;
}

const struct tvmq_implementation tvmq_op_unary = {
    .n_tasks = tvmq_cut_tasks, .run_task = run_task, .in_place = true, TVMQ_PLANNING(.computed_by = computed_by, .plan = plan, .info = info)};
