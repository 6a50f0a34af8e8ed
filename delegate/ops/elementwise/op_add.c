// ADD of two quantized tensors. Elementwise; threads share the elements. Inputs that are broadcast are read in pieces, as the output has their elements.
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "exact/fit_plane.h"
#include "kernels/stage.h"
#include "ops/claims/claim.h"
#include "ops/op.h"
#include "ops/plain.h"
#include "ops/quant_params.h"
#include "plan/blocks.h"
#include "plan/select.h"

// Tasks begin on cache lines.
enum { LINE = TVMQ_LINE, PIECE_BYTES = 896 };

struct add {
  const struct tvmq_variant *variant;
  struct tvmq_add_args args;   // but for the tensors
  struct tvmq_add_args asked;  // what the plane has been looked for: the same without it
  struct tvmq_broadcast broadcast;
  int first;        // the input of the greater scale, which is the kernel's first
  size_t n, bytes;  // elements; bytes of one
  size_t task_elements, tasks;
  size_t piece;  // elements that the kernel computes at once, at most
};

static int first_of(const struct tvmq_add_desc *desc) { return desc->in[1].scale > desc->in[0].scale; }

// What is to be computed. Every byte is set, so that two may be compared as memory. Bytes are int8 from here on.
static void describe(const struct tvmq_add_desc *desc, enum tvmq_rounding rounding, struct tvmq_add_args *args) {
  const int32_t offset = desc->type == TVMQ_TYPE_U8 ? 1 << 7 : 0;
  memset(args, 0, sizeof *args);
  args->flip = (uint8_t)offset;
  args->rounding = rounding;
  struct tvmq_scale in_scale[2];
  tvmq_add_scales(desc, &args->left_shift, in_scale, &args->out_scale);
  for (int i = 0; i < 2; i++) {
    const int input = i ^ first_of(desc);
    args->in_scale[i] = in_scale[input];
    args->in_zero_point[i] = desc->in[input].zero_point - offset;
  }
  args->out_zero_point = desc->out.zero_point - offset;
  tvmq_activation_range(desc->activation, desc->type, desc->out, &args->min, &args->max);
  args->min -= offset;
  args->max -= offset;
}

static const struct tvmq_variant *select_kernel(const union tvmq_desc *desc, const struct tvmq_target *target) {
  return tvmq_select_add(desc->add.type, target);
}

static size_t candidates(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_choice *list, size_t max) {
  return tvmq_plain_candidates(select_kernel, desc, desc->add.n, env, list, max);
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct add));
  struct add *a = (struct add *)*op;
  if (!a) return "out of memory";
  const struct tvmq_add_desc *d = &desc->add;
  a->variant = tvmq_plain_choose(select_kernel, desc, env);
  if (!a->variant) return "no kernel for this type";
  struct tvmq_add_args asked;
  describe(d, env->rounding, &asked);
  if (memcmp(&asked, &a->asked, sizeof asked) != 0) {
    a->args = a->asked = asked;
    a->args.planar = d->type != TVMQ_TYPE_S16 && tvmq_fit_plane(&asked, &a->args.plane);
  }
  a->first = first_of(d);
  a->broadcast = d->broadcast;
  a->n = d->n;
  a->bytes = tvmq_type_bytes(d->type);
  const float cycles = (float)a->n / tvmq_speed_of(a->variant, env->machine).rate;
  a->task_elements = tvmq_round_up(tvmq_ceil_div(a->n, tvmq_tasks_wanted(env->machine, env->threads, cycles)), LINE);
  a->tasks = a->n > 0 ? tvmq_ceil_div(a->n, a->task_elements) : 0;
  a->piece = a->broadcast.rank > 0 ? PIECE_BYTES / a->bytes : a->task_elements;
  return NULL;
}

static void release(struct tvmq_op *op) { tvmq_free(op); }

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct add *a = (const struct add *)op;
  *out = (struct tvmq_op_info){.kernel = a->variant->name, .algorithm = a->args.planar ? "plane" : "elementwise", .choice = tvmq_plain_choice(a->variant)};
}

static size_t n_tasks(const struct tvmq_op *op, size_t pass) { return pass > 0 ? 0 : ((const struct add *)op)->tasks; }

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct add *a = (const struct add *)op;
  const size_t first = task.index * a->task_elements, end = first + tvmq_min(a->n - first, a->task_elements);
  _Alignas(LINE) uint8_t copies[2][PIECE_BYTES];
  struct tvmq_add_args args = a->args;
  for (size_t at = first; at < end; at += args.n) {
    args.n = tvmq_min(end - at, a->piece);
    for (int i = 0; i < 2; i++) args.in[i ^ a->first] = tvmq_broadcast_read(&a->broadcast, i, pass->in[i], a->bytes, at, args.n, copies[i]);
    args.out = (uint8_t *)pass->out + at * a->bytes;
    a->variant->fn.add(&args);
  }
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_add(&desc->add); }

static bool byte_function(const union tvmq_desc *desc, enum tvmq_rounding rounding, const uint8_t *const in[], uint8_t out[TVMQ_N_BYTES]) {
  struct tvmq_add_args args;
  describe(&desc->add, rounding, &args);
  const int first = first_of(&desc->add);
  for (int x = 0; x < TVMQ_N_BYTES; x++)
    out[x] = (uint8_t)tvmq_add_value(&args, (int8_t)(in[first][x] ^ args.flip), (int8_t)(in[!first][x] ^ args.flip)) ^ args.flip;
  return true;
}

const struct tvmq_op_class tvmq_op_add = {.claim = claim,
                                          .candidates = candidates,
                                          .plan = plan,
                                          .n_tasks = n_tasks,
                                          .run_task = run_task,
                                          .release = release,
                                          .info = info,
                                          .byte_function = byte_function};
