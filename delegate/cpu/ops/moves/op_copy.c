// Operators that copy elements (operators/copy.h). The last dimension of the merged copy is a line, a sequence of
// pieces. A piece is contiguous in input and output. The other dimensions give the start of each line. If neighbours in
// the input are not neighbours in the output, matrices are transposed instead. Threads divide lines, pieces of lines,
// or rows of matrices.
#include <inttypes.h>
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "base/room.h"
#include "cpu/ops/moves/move.h"
#include "cpu/ops/op.h"
#include "cpu/plan/blocks.h"
#include "cpu/plan/select.h"

enum { LONGEST_PIECE = 1 << 14, STRIP = 64 };

#define NOWHERE TVMQ_COPY_NOWHERE  // a piece of padding, which is in no input

struct piece {
  ptrdiff_t from;    // input offset from the start of the line, in bytes, or NOWHERE
  size_t to, bytes;  // output offset in the line, and size
};

struct outer_axis {
  size_t n, out_stride;
  ptrdiff_t step;
  const ptrdiff_t *offsets;  // input offset of each index in bytes, or NOWHERE; NULL: index * step
};

enum shape { WHOLE, PIECES, STEPS, MATRICES };

// Plan for writing one part.
struct part {
  enum shape shape;
  int output;                     // number of the output
  size_t to;                      // byte offset in the output
  size_t begin, run, line_bytes;  // WHOLE: one run from `begin` on
  int rank;
  const struct outer_axis *axes;  // the last axis changes fastest
  size_t n_lines;                 // MATRICES: number of matrices
  size_t n_pieces;                // pieces per line; MATRICES: rows of the input matrix
  const struct piece *pieces;     // PIECES
  ptrdiff_t step;                 // input bytes from a piece to the next
  size_t piece_stride;            // STEPS: the same of the output
  size_t columns, out_stride;     // MATRICES
  // A task copies task_pieces pieces of each of task_lines lines.
  size_t task_lines, line_tasks, task_pieces, piece_tasks;
};

struct copy {
  size_t element;
  uint8_t value[sizeof(int32_t)];  // element for padding, at most 4 bytes
  size_t n_parts;
  float cycles;  // estimate for one thread
  const struct tvmq_variant *transpose;
  struct part parts[];
};

// ---- planning

static bool continues(const struct piece *piece, ptrdiff_t from) {
  if (piece->from == NOWHERE || from == NOWHERE) return piece->from == from;
  return piece->from + (ptrdiff_t)piece->bytes == from;
}

// Lists the pieces of a line; returns their number. Adjacent pieces are merged up to LONGEST_PIECE bytes, so that
// threads can divide long ones. `pieces` NULL: counts only.
static size_t list_pieces(const struct tvmq_merged_axis *axis, size_t run, struct piece *pieces) {
  size_t n = 0;
  struct piece last = {0};
  for (size_t i = 0; i < axis->n; i++) {
    const ptrdiff_t from = tvmq_merged_offset(axis, i);
    for (size_t at = 0; at < run; at += LONGEST_PIECE) {
      const struct piece next = {from == NOWHERE ? NOWHERE : from + (ptrdiff_t)at, i * run + at, tvmq_min(run - at, LONGEST_PIECE)};
      if (n > 0 && continues(&last, next.from) && last.bytes + next.bytes <= LONGEST_PIECE) {
        last.bytes += next.bytes;
      } else {
        last = next;
        n++;
      }
      if (pieces != NULL) pieces[n - 1] = last;
    }
  }
  return n;
}

// Plans all dimensions except that of the pieces and, for matrices, the dimension of the columns.
static void plan_outer_axes(const struct tvmq_merged_copy *merged, int piece_axis, int column_axis, struct part *out, struct tvmq_room *room) {
  struct outer_axis *axes = merged->rank > 0 ? tvmq_room_take(room, (size_t)merged->rank, sizeof axes[0]) : NULL;
  out->axes = axes;
  out->n_lines = 1;
  for (int d = 0; d < merged->rank; d++) {
    const struct tvmq_merged_axis *axis = &merged->axes[d];
    size_t out_stride = merged->run;
    for (int inner = d + 1; inner < merged->rank; inner++) out_stride *= merged->axes[inner].n;
    if (d == piece_axis) {
      out->piece_stride = out_stride;
      continue;
    }
    if (d == column_axis) {
      out->columns = axis->n;
      out->out_stride = out_stride;
      continue;
    }
    ptrdiff_t *offsets = axis->table != NULL ? tvmq_room_take(room, axis->n, sizeof offsets[0]) : NULL;
    for (size_t i = 0; offsets != NULL && i < axis->n; i++) offsets[i] = tvmq_merged_offset(axis, i);
    if (axes != NULL) axes[out->rank] = (struct outer_axis){.n = axis->n, .out_stride = out_stride, .step = axis->step, .offsets = offsets};
    out->rank++;
    out->n_lines *= axis->n;
  }
}

// Returns the dimension whose neighbours are adjacent in the input but not in the output. Returns -1 if there is none,
// or if the copy cannot be a transposition.
static int find_column_axis(const struct tvmq_merged_copy *merged) {
  int found = -1;
  for (int d = 0; d < merged->rank; d++) {
    const struct tvmq_merged_axis *axis = &merged->axes[d];
    if (axis->table != NULL && (d == merged->rank - 1 || axis->table->kind == TVMQ_COPY_PADDED)) return -1;
    if (d < merged->rank - 1 && axis->table == NULL && axis->step == (ptrdiff_t)merged->run) found = d;
  }
  return tvmq_transposes(merged->run) ? found : -1;
}

// Returns the dimension whose elements are pieces. Of dimensions without tables it may be any, so it is the one of most pieces, since a line takes longer to
// find than a piece.
static int find_piece_axis(const struct tvmq_merged_copy *merged, int column_axis) {
  int found = merged->rank - 1;
  if (column_axis >= 0 || merged->run > LONGEST_PIECE) return found;
  for (int d = 0; d < merged->rank; d++) {
    if (merged->axes[d].table != NULL) return merged->rank - 1;
    if (merged->axes[d].n > merged->axes[found].n) found = d;
  }
  return found;
}

static void plan_part(const struct tvmq_merged_copy *merged, struct part *out, struct tvmq_room *room) {
  *out = (struct part){.output = merged->output, .to = merged->to, .begin = merged->begin, .run = merged->run};
  if (merged->bytes == 0) return;
  const int column_axis = find_column_axis(merged), piece_axis = find_piece_axis(merged, column_axis);
  const struct tvmq_merged_axis single = {.n = 1}, *last = merged->rank > 0 ? &merged->axes[piece_axis] : &single;
  out->line_bytes = last->n * merged->run;
  out->n_pieces = last->n;
  out->step = last->step;
  plan_outer_axes(merged, piece_axis, column_axis, out, room);
  if (column_axis >= 0) {
    out->shape = MATRICES;
  } else if (last->n > 1 && last->table == NULL && merged->run <= LONGEST_PIECE) {
    out->shape = STEPS;
  } else if (out->rank == 0 && last->n == 1 && last->table == NULL && merged->run <= LONGEST_PIECE) {
    out->shape = WHOLE;
  } else {
    out->shape = PIECES;
    out->n_pieces = list_pieces(last, merged->run, NULL);
    struct piece *pieces = tvmq_room_take(room, out->n_pieces, sizeof pieces[0]);
    if (pieces != NULL) list_pieces(last, merged->run, pieces);
    out->pieces = pieces;
  }
}

static float plan_tasks(struct part *out, const struct tvmq_env *env) {
  if (out->n_lines == 0) return 0;
  const float elements = out->shape == MATRICES ? (float)out->columns : 1;
  const float line_cycles = (float)out->line_bytes * elements * env->machine->joined_byte_cycles + (float)out->n_pieces * env->machine->joined_copy_cycles;
  const float cycles = (float)out->n_lines * line_cycles;
  const size_t wanted = tvmq_tasks_wanted(env->machine, env->threads, cycles);
  out->task_lines = tvmq_ceil_div(out->n_lines, tvmq_min(wanted, out->n_lines));
  out->line_tasks = tvmq_ceil_div(out->n_lines, out->task_lines);
  out->task_pieces = tvmq_ceil_div(out->n_pieces, tvmq_ceil_div(wanted, out->line_tasks));
  // No two tasks write the same cache line.
  if (out->shape == MATRICES || out->shape == STEPS) out->task_pieces = tvmq_round_up(out->task_pieces, STRIP);
  out->piece_tasks = tvmq_ceil_div(out->n_pieces, out->task_pieces);
  return cycles;
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  const struct tvmq_copy_desc *d = &desc->copy;
  tvmq_free(*op);
  *op = NULL;
  struct tvmq_room room = {0};
  const size_t n_parts = tvmq_copy_parts(d);
  for (size_t k = 0; k < n_parts; k++) {
    const struct tvmq_merged_copy merged = tvmq_merge_copy(d, k);
    struct part counted;
    plan_part(&merged, &counted, &room);
  }
  const size_t own = tvmq_round_up(sizeof(struct copy) + n_parts * sizeof(struct part), TVMQ_ALIGNMENT);
  struct copy *copy = tvmq_alloc(own + room.used);
  if (copy == NULL) return "out of memory";
  copy->element = tvmq_type_bytes(d->in_type);
  copy->n_parts = n_parts;
  const struct tvmq_target target = tvmq_target(env);
  copy->transpose = tvmq_select_untyped(TVMQ_FAMILY_TRANSPOSE, &target);
  memcpy(copy->value, &d->value, sizeof d->value);  // smaller elements use the first bytes
  room = (struct tvmq_room){.base = (uint8_t *)copy + own};
  for (size_t k = 0; k < n_parts; k++) {
    const struct tvmq_merged_copy merged = tvmq_merge_copy(d, k);
    plan_part(&merged, &copy->parts[k], &room);
    copy->cycles += plan_tasks(&copy->parts[k], env);
  }
  *op = (struct tvmq_op *)copy;
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct copy *copy = (const struct copy *)op;
  const bool transposes = copy->parts[0].shape == MATRICES;
  *out = (struct tvmq_op_info){.kernel = transposes ? copy->transpose->name : "", .algorithm = transposes ? "transposes" : "copies", .cycles = copy->cycles};
}

// ---- running

static void fill(const struct copy *copy, uint8_t *out, size_t n) {
  if (memcmp(copy->value, copy->value + 1, copy->element - 1) == 0) {  // all bytes of the element are equal
    memset(out, copy->value[0], n);
    return;
  }
  for (size_t i = 0; i < n; i += copy->element) memcpy(out + i, copy->value, copy->element);
}

static void copy_pieces(const struct copy *copy, const struct part *o, const uint8_t *in, uint8_t *out, size_t first, size_t end) {
  for (const struct piece *piece = o->pieces + first; piece < o->pieces + end; piece++) {
    if (piece->from == NOWHERE)
      fill(copy, out + piece->to, piece->bytes);
    else
      tvmq_move(out + piece->to, in + piece->from, piece->bytes);
  }
}

static void copy_steps(const struct part *o, const uint8_t *in, uint8_t *out, size_t first, size_t end) {
  tvmq_move_rows(out + first * o->piece_stride, (ptrdiff_t)o->piece_stride, in + (ptrdiff_t)first * o->step, o->step, o->run, end - first);
}

static void copy_matrix(const struct copy *copy, const struct part *o, const uint8_t *in, uint8_t *out, size_t first, size_t end) {
  copy->transpose->fn.transpose(&(struct tvmq_transpose_args){
      .in = in + (ptrdiff_t)first * o->step,
      .out = out + first * o->run,
      .element = o->run,
      .rows = end - first,
      .columns = o->columns,
      .in_stride = o->step,
      .out_stride = o->out_stride,
  });
}

// Returns the input offset of a line, or NOWHERE; sets *to to its output offset.
static ptrdiff_t find_line(const struct part *o, size_t line, size_t *to) {
  ptrdiff_t from = (ptrdiff_t)o->begin;
  *to = 0;
  for (int d = o->rank; d-- > 0;) {
    const struct outer_axis *axis = &o->axes[d];
    const size_t i = line % axis->n;
    line /= axis->n;
    const ptrdiff_t offset = axis->offsets != NULL ? axis->offsets[i] : (ptrdiff_t)i * axis->step;
    from = from == NOWHERE || offset == NOWHERE ? NOWHERE : from + offset;
    *to += i * axis->out_stride;
  }
  return from;
}

// Fills pieces [first, end) of a line with padding.
static void fill_line(const struct copy *copy, const struct part *o, uint8_t *out, size_t first, size_t end) {
  if (o->shape == STEPS) {
    fill(copy, out + first * o->run, (end - first) * o->run);
    return;
  }
  const struct piece *last = &o->pieces[end - 1];
  const size_t from = o->pieces[first].to;
  fill(copy, out + from, last->to + last->bytes - from);
}

static void write_line(const struct copy *copy, const struct part *o, const uint8_t *in, uint8_t *out, size_t line, size_t first, size_t end) {
  size_t to;
  const ptrdiff_t from = find_line(o, line, &to);
  if (from == NOWHERE)
    fill_line(copy, o, out + to, first, end);
  else if (o->shape == PIECES)
    copy_pieces(copy, o, in + from, out + to, first, end);
  else if (o->shape == STEPS)
    copy_steps(o, in + from, out + to, first, end);
  else
    copy_matrix(copy, o, in + from, out + to, first, end);
}

static size_t tasks_of(const struct part *o) { return o->line_tasks * o->piece_tasks; }

static size_t n_tasks(const struct tvmq_op *op, size_t pass) {
  const struct copy *copy = (const struct copy *)op;
  size_t n = 0;
  for (size_t k = 0; pass == 0 && k < copy->n_parts; k++) n += tasks_of(&copy->parts[k]);
  return n;
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct copy *copy = (const struct copy *)op;
  const struct part *o = copy->parts;
  size_t index = task.index;
  for (; index >= tasks_of(o); o++) index -= tasks_of(o);
  uint8_t *out = (uint8_t *)pass->outs[o->output] + o->to;
  const uint8_t *in = pass->in[0];
  if (in + o->begin == out) return;  // the output is a view of the input
  if (o->shape == WHOLE) {
    tvmq_move(out, in + o->begin, o->run);
    return;
  }
  const size_t first = tvmq_take_digit(&index, o->piece_tasks) * o->task_pieces, first_line = index * o->task_lines;
  const size_t end_line = tvmq_min(first_line + o->task_lines, o->n_lines), end = tvmq_min(first + o->task_pieces, o->n_pieces);
  for (size_t line = first_line; line < end_line; line++) write_line(copy, o, in, out, line, first, end);
}

static void sign(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_text *text) {
  (void)env;
  const struct tvmq_copy_desc *d = &desc->copy;
  tvmq_say(text, " in=%s outputs=%d axes=", tvmq_type_name(d->in_type), d->n_out);
  for (int i = 0; i < d->rank; i++) {
    const struct tvmq_copy_axis *axis = &d->axes[i];
    tvmq_say(text, "%s%zu:%zu:%zu:%d", i > 0 ? "," : "", axis->n, axis->size, axis->stride, axis->kind);
    if (axis->first != 0 || axis->step != 1) tvmq_say(text, ":%" PRId64 ":%" PRId64, axis->first, axis->step);
    if (axis->phases > 1) tvmq_say(text, "/%zu", axis->phases);
  }
}

#define COPY(...) {.n_tasks = n_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .info = info, __VA_ARGS__)}

const struct tvmq_implementation tvmq_op_copy = COPY(.sign = sign);
const struct tvmq_implementation tvmq_op_pad = COPY(.sign = sign);
const struct tvmq_implementation tvmq_op_variable = COPY();
