// QUANTIZE: requantization between integer types, and affine quantization of float32. Elementwise; threads divide the
// elements.
#include "arithmetic/stage.h"
#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "cpu/ops/plain.h"
#include "cpu/plan/select.h"
#include "exact/byte_slopes.h"
#include "exact/fit_line.h"
#include "exact/reciprocal.h"
#include "operators/quant_params.h"
#include "operators/unary_table.h"

struct quantize {
  struct tvmq_cut cut;
  const struct tvmq_variant *variant;  // a kernel of the family quantize or byte_map
  struct tvmq_quantize_args args;      // the kernel's arguments without tensors
  struct tvmq_byte_map map;            // bytes to bytes
  size_t in_bytes, out_bytes;          // bytes per element
};

// Computes the output of each byte, and finds a rule for all bytes: a single xor, as between int8 and uint8 of the same
// scale, or a line. Returns false if no rule fits.
static bool find_rule(struct quantize *r, const struct tvmq_quantize_desc *d) {
  struct tvmq_quantize_args *args = &r->args;
  const uint8_t in_flip = tvmq_flip_to_s8(d->in_type), out_flip = tvmq_flip_to_s8(d->out_type);
  struct tvmq_byte_table bytes = {.in_zero_point = args->in_zero_point - in_flip, .multiplier = args->multiplier, .shift = args->shift};
  uint8_t every[TVMQ_N_BYTES];
  for (int x = 0; x < TVMQ_N_BYTES; x++) every[x] = (uint8_t)x;
  tvmq_rescale_bytes(d, args->rounding, every, r->map.table);
  for (int x = INT8_MIN; x <= INT8_MAX; x++) bytes.wanted[x - INT8_MIN] = (int8_t)(r->map.table[(uint8_t)x ^ in_flip] ^ out_flip);
  args->flip = r->map.table[0];
  bool flips = true;
  for (int byte = 0; byte < TVMQ_N_BYTES; byte++) flips &= r->map.table[byte] == (byte ^ args->flip);
  args->rule = flips ? TVMQ_BYTES_FLIP : TVMQ_BYTES_LINE;
  return flips || tvmq_fit_line(&bytes, &args->line);
}

static void find_reciprocal(struct tvmq_quantize_args *args, enum tvmq_type out_type) {
  const struct tvmq_range range = tvmq_type_range(out_type);
  struct tvmq_reciprocal reciprocal;
  if (!tvmq_find_reciprocal(args->scale, args->out_zero_point, range.min, range.max, &reciprocal)) return;
  args->inverse = reciprocal.inverse;
  args->rest = reciprocal.rest;
}

static void describe(const struct tvmq_quantize_desc *d, enum tvmq_rounding rounding, struct quantize *r) {
  *r = (struct quantize){
      .args = {.rounding = rounding, .scale = d->out.scale, .in_zero_point = d->in.zero_point, .out_zero_point = d->out.zero_point},
      .in_bytes = tvmq_type_bytes(d->in_type),
      .out_bytes = tvmq_type_bytes(d->out_type),
  };
  if (d->in_type != TVMQ_TYPE_F32) tvmq_quantize_multiplier((double)d->in.scale / (double)d->out.scale, &r->args.multiplier, &r->args.shift);
}

static bool maps_bytes(const struct tvmq_quantize_desc *d) { return tvmq_type_bytes(d->in_type) == 1 && tvmq_type_bytes(d->out_type) == 1; }

static const struct tvmq_variant *select_table(const union tvmq_desc *desc, const struct tvmq_target *target) {
  return maps_bytes(&desc->quantize) ? tvmq_select_untyped(TVMQ_FAMILY_BYTE_MAP, target) : NULL;
}

static const struct tvmq_variant *select_kernel(const union tvmq_desc *desc, const struct tvmq_target *target) {
  const struct tvmq_variant *computing = tvmq_select_elementwise(TVMQ_FAMILY_QUANTIZE, desc->quantize.in_type, desc->quantize.out_type, target),
                            *table = select_table(desc, target);
  if (computing == NULL || table == NULL) return computing != NULL ? computing : table;
  const float computed = tvmq_speed_of(computing, target->machine).rate, looked_up = tvmq_speed_of(table, target->machine).rate;
  return looked_up > computed ? table : computing;
}

static size_t candidates(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_choice *list, size_t max) {
  const struct tvmq_quantize_desc *d = &desc->quantize;
  struct quantize r;
  describe(d, env->rounding, &r);
  const bool needs_table = maps_bytes(d) && !find_rule(&r, d);
  return tvmq_plain_candidates(needs_table ? select_table : select_kernel, desc, d->n, env, list, max);
}

static void sign(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_text *text) {
  const struct tvmq_quantize_desc *d = &desc->quantize;
  (void)env;
  tvmq_plain_sign(d->in_type, d->out_type, d->n, text);
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct quantize));
  struct quantize *r = (struct quantize *)*op;
  if (!r) return "out of memory";
  const struct tvmq_quantize_desc *d = &desc->quantize;
  const struct tvmq_variant *variant_before = r->variant;
  const struct tvmq_quantize_args before = r->args;
  describe(d, env->rounding, r);
  const bool needs_table = maps_bytes(d) && !find_rule(r, d);
  r->variant = tvmq_plain_choose(needs_table ? select_table : select_kernel, desc, env);
  if (!r->variant) return env->constraint ? "not legal here: this kernel" : "no kernel for this combination of types";
  if (maps_bytes(d)) {
    tvmq_complete_byte_map(&r->map, r->variant->flags & TVMQ_SLOPES);
    r->args.map = &r->map;
  }
  if (d->in_type == TVMQ_TYPE_F32 && d->reciprocal) {
    r->args.scale = 0;
    r->args.inverse = 1 / d->out.scale;
  } else if (d->in_type == TVMQ_TYPE_F32 && r->variant == variant_before && before.scale == d->out.scale && before.out_zero_point == d->out.zero_point) {
    r->args.inverse = before.inverse;  // int16 has too many thresholds to repeat the proof at every resize
    r->args.rest = before.rest;
  } else if (d->in_type == TVMQ_TYPE_F32) {
    find_reciprocal(&r->args, d->out_type);
  }
  tvmq_cut_units(&r->cut, d->n, TVMQ_LINE, (float)d->n / tvmq_speed_of(r->variant, env->machine).rate, env);
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct quantize *r = (const struct quantize *)op;
  *out = (struct tvmq_op_info){.kernel = r->variant->name, .algorithm = "elementwise", .cycles = r->cut.cycles, .choice = tvmq_plain_choice(r->variant)};
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct quantize *r = (const struct quantize *)op;
  const struct tvmq_piece piece = tvmq_cut_piece(&r->cut, task.index);
  struct tvmq_quantize_args args = r->args;
  args.in = (const uint8_t *)pass->in[0] + piece.first * r->in_bytes;
  args.out = (uint8_t *)pass->outs[0] + piece.first * r->out_bytes;
  args.n = piece.n;
  if (r->variant->family == TVMQ_FAMILY_BYTE_MAP)
    r->variant->fn.byte_map(&(struct tvmq_byte_map_args){.in = args.in, .out = args.out, .n = args.n, .map = args.map});
  else
    r->variant->fn.quantize(&args);
}

const struct tvmq_implementation tvmq_op_quantize = {
    .n_tasks = tvmq_cut_tasks, .run_task = run_task, TVMQ_PLANNING(.candidates = candidates, .sign = sign, .plan = plan, .info = info)};
