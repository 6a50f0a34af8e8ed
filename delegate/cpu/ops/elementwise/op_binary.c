// Operations on two tensors. Elementwise; threads share the elements. Inputs that are broadcast are read in pieces, as the output has their elements.
#include "base/arith.h"
#include "base/memory.h"
#include "base/recording.h"
#include "cpu/ops/elementwise/binary.h"
#include "cpu/ops/op.h"
#include "cpu/plan/blocks.h"
#include "cpu/plan/select.h"

// Tasks begin on cache lines.
enum { LINE = TVMQ_LINE, PIECE_BYTES = 4096, ROOM_BYTES = PIECE_BYTES + TVMQ_BROADCAST_MARGIN, SLICE_BYTES = 2 * ROOM_BYTES };  // a piece of either input
enum { ROWS_BYTES = 12288 };  // a piece that stays in the first-level cache while rows are read column by column

static const struct tvmq_binary_method *const methods[] = {
    [TVMQ_OPERATION_ADD] = &tvmq_binary_sums,
    [TVMQ_OPERATION_SUB] = &tvmq_binary_sums,
    [TVMQ_OPERATION_MUL] = &tvmq_binary_products,
    [TVMQ_OPERATION_MAXIMUM] = &tvmq_binary_extrema,
    [TVMQ_OPERATION_MINIMUM] = &tvmq_binary_extrema,
    [TVMQ_OPERATION_PRELU] = &tvmq_binary_prelu,
    [TVMQ_OPERATION_SQUARED_DIFFERENCE] = &tvmq_binary_products,
};

static bool is_integer(const union tvmq_desc *desc) { return desc->binary.type == TVMQ_TYPE_S32 || desc->binary.type == TVMQ_TYPE_S64; }

static const struct tvmq_binary_method *method_of(const struct tvmq_binary_desc *desc) {
  return desc->type == TVMQ_TYPE_F32 ? &tvmq_binary_floats : methods[desc->operation];
}

static const struct tvmq_variant *select_kernel(const union tvmq_desc *desc, const struct tvmq_target *target) {
  const enum tvmq_type type = tvmq_kernel_type(desc->binary.type);
  return tvmq_select_elementwise(method_of(&desc->binary)->family, type, type, target);
}

static size_t candidates(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_choice *list, size_t max) {
  if (is_integer(desc)) return 0;
  return tvmq_plain_candidates(select_kernel, desc, desc->binary.n, env, list, max);
}

static void sign(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_text *text) {
  const struct tvmq_binary_desc *d = &desc->binary;
  (void)env;
  if (is_integer(desc)) return;
  tvmq_plain_sign(d->type, d->type, d->n, text);
  if (d->broadcast.rank > 0) tvmq_say(text, " line=%zu", d->broadcast.dims[d->broadcast.rank - 1]);
}

// Elements that pieces are a multiple of: lines, so that one that repeats is laid out for many pieces at once, and cache lines, if not too many.
static size_t granule_of(const struct tvmq_binary *b, size_t most) {
  size_t granule = b->line;
  while (granule % LINE != 0 && 2 * granule <= most) granule *= 2;
  return granule % LINE == 0 ? granule : b->line;
}

// Whether one input is a line that all lines of the other meet.
static bool is_line(const struct tvmq_broadcast *broadcast) {
  if (broadcast->rank != 2 || broadcast->in[0].repeats == broadcast->in[1].repeats) return false;
  return broadcast->in[broadcast->in[1].repeats].strides[0] == 0;
}

// Whether one input has one element for each line, and the method is fast on lines of that length.
static bool is_lone(const struct tvmq_binary_method *method, const struct tvmq_broadcast *broadcast) {
  const int last = broadcast->rank - 1;
  if (method->lone.blocks == 0 || last < 0) return false;
  if (broadcast->in[0].repeats == broadcast->in[1].repeats || broadcast->in[broadcast->in[1].repeats].strides[last] != 0) return false;
  return broadcast->dims[last] % method->lone.blocks == 0 || broadcast->dims[last] >= method->lone.length;
}

// Returns the bytes in which a thread lays out its pieces of broadcast inputs, 0 if both inputs are read where they are.
static size_t slice_bytes(const struct tvmq_binary *b) { return b->broadcast.rank > 0 && !b->takes_lone ? SLICE_BYTES : 0; }

// Shares the elements among tasks, and these out in pieces.
static void divide(struct tvmq_binary *b, size_t n, const struct tvmq_env *env) {
  const float cycles = (float)n * (b->method->cycles + 1 / tvmq_speed_of(b->variant, env->machine).rate);
  size_t granule = LINE;
  b->line = b->piece = tvmq_max(n, 1);
  b->period = 0;
  b->takes_lone = is_lone(b->method, &b->broadcast);
  if (b->broadcast.rank > 0) {
    const size_t most = PIECE_BYTES / b->bytes;
    b->line = b->broadcast.dims[b->broadcast.rank - 1];
    if (b->line < most) granule = granule_of(b, most);
    b->piece = b->line < most ? most / granule * granule : tvmq_ceil_div(b->line, tvmq_ceil_div(b->line, most));
    if (b->method->rows && b->line < most && granule % LINE == 0 && is_line(&b->broadcast)) {
      b->period = granule;
      b->piece = ROWS_BYTES / b->bytes / granule * granule;
    }
  }
  tvmq_cut_units(&b->cut, n, granule, cycles, env);
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct tvmq_binary));
  struct tvmq_binary *b = (struct tvmq_binary *)*op;
  if (!b) return "out of memory";
  const struct tvmq_binary_desc *d = &desc->binary;
  b->method = method_of(d);
  const struct tvmq_variant *variant = tvmq_plain_choose(select_kernel, desc, env);
  if (variant == NULL) return "no kernel for this type";
  if (b->method != &tvmq_binary_floats) tvmq_set_pair_formula(d, env->rounding, &b->formula);
  b->method->plan(b, d, env->rounding, variant);
  tvmq_recording_note_unread(&b->algorithm);
  b->variant = variant;
  b->broadcast = d->broadcast;
  b->bytes = tvmq_type_bytes(d->type);
  b->scratch = env->scratch;
  b->n_threads = (size_t)tvmq_threads_count(env->threads);
  divide(b, d->n, env);
  return tvmq_scratch_reserve(env->scratch, 0, slice_bytes(b), b->n_threads) ? NULL : "out of memory";
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct tvmq_binary *b = (const struct tvmq_binary *)op;
  *out = (struct tvmq_op_info){.kernel = b->variant->name, .algorithm = b->algorithm, .cycles = b->cut.cycles, .choice = tvmq_plain_choice(b->variant)};
  out->scratch_bytes = slice_bytes(b) * b->n_threads;
}

// Pieces are whole lines, but for the first and the last of a task, so that a line that repeats is laid out for a piece once; or lie within a line.
static size_t piece_at(const struct tvmq_binary *b, size_t at, size_t end) {
  const size_t skipped = at % b->line;
  return tvmq_min(end - at, b->line < b->piece ? b->piece - skipped : tvmq_min(b->piece, b->line - skipped));
}

// Sets the inputs of the elements from `at` on. Returns how many may be computed at once: those of whole lines, or a part of one line.
static size_t read_lone(const struct tvmq_binary *b, const struct tvmq_pass *pass, size_t at, size_t end, const void *in[2]) {
  const int lone = b->broadcast.in[1].repeats;
  const size_t skipped = at % b->line, left = end - at;
  size_t lines;
  in[lone] = (const uint8_t *)pass->in[lone] + tvmq_broadcast_element(&b->broadcast, lone, at, &lines) * b->bytes;
  in[!lone] = (const uint8_t *)pass->in[!lone] + at * b->bytes;
  return skipped > 0 || left < b->line ? tvmq_min(left, b->line - skipped) : tvmq_min(left / b->line, lines) * b->line;
}

// The same where inputs are laid out.
static size_t read_piece(const struct tvmq_binary *b, const struct tvmq_pass *pass, size_t at, size_t end, struct tvmq_broadcast_copy held[2],
                         const void *in[2]) {
  const size_t n = piece_at(b, at, end);
  for (int i = 0; i < 2; i++) {
    const size_t read = b->period > 0 && b->broadcast.in[i].repeats ? tvmq_min(n, b->period) : n;
    in[i] = tvmq_broadcast_read(&b->broadcast, i, pass->in[i], b->bytes, at, read, &held[i]);
  }
  return n;
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct tvmq_binary *b = (const struct tvmq_binary *)op;
  const struct tvmq_piece share = tvmq_cut_piece(&b->cut, task.index);
  const size_t end = share.first + share.n;
  uint8_t *const room = slice_bytes(b) > 0 ? b->scratch->memory + (size_t)task.thread * SLICE_BYTES : NULL;
  struct tvmq_broadcast_copy held[2] = {{.data = room}, {.data = room != NULL ? room + ROOM_BYTES : NULL}};
  for (size_t at = share.first, n; at < end; at += n) {
    const void *in[2];
    n = b->takes_lone ? read_lone(b, pass, at, end, in) : read_piece(b, pass, at, end, held, in);
    b->method->compute(b, in, (uint8_t *)pass->outs[0] + at * b->bytes, n);
  }
}

static const struct tvmq_implementation *computed_by(const union tvmq_desc *desc, const struct tvmq_env *env) {
  (void)env;
  return is_integer(desc) ? &tvmq_op_integers : NULL;
}

const struct tvmq_implementation tvmq_op_binary = {
    .n_tasks = tvmq_cut_tasks,
    .run_task = run_task,
    TVMQ_PLANNING(.computed_by = computed_by, .candidates = candidates, .sign = sign, .plan = plan, .info = info)};
