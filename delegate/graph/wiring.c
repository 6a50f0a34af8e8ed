#include "graph/wiring.h"

#include "base/memory.h"
#include "base/room.h"
#include "graph/separate_variables.h"

enum { UNPLACED = -2 };  // value of tvmq_place.buffer

static void make_step(struct tvmq_step *step, struct tvmq_room *room) {
  const size_t n_in = (size_t)step->record->node.n_in, n_out = (size_t)step->record->node.n_out;
  step->sources = tvmq_room_take(room, n_in, sizeof step->sources[0]);
  step->in_places = tvmq_room_take(room, n_in, sizeof step->in_places[0]);
  step->in = tvmq_room_take(room, n_in, sizeof step->in[0]);
  step->out_places = tvmq_room_take(room, n_out, sizeof step->out_places[0]);
  step->out = tvmq_room_take(room, n_out, sizeof step->out[0]);
  step->inside = tvmq_room_take(room, n_out, sizeof step->inside[0]);
  step->last_reader = tvmq_room_take(room, n_out, sizeof step->last_reader[0]);
  step->writers = tvmq_room_take(room, n_out, sizeof step->writers[0]);
}

void *tvmq_make_steps(struct tvmq_step *steps, size_t n) {
  struct tvmq_room room = {0};
  for (size_t i = 0; i < n; i++) make_step(&steps[i], &room);
  room = (struct tvmq_room){.base = tvmq_alloc(room.used)};
  for (size_t i = 0; room.base != NULL && i < n; i++) make_step(&steps[i], &room);
  return room.base;
}

static int n_out(const struct tvmq_step *step) { return step->record->node.n_out; }
static size_t out_bytes(const struct tvmq_step *step, int output) { return step->record->shapes.outs[output].bytes; }

static struct tvmq_source find_source(const struct tvmq_step *steps, size_t n, int tensor) {
  for (size_t i = n; i-- > 0;) {
    for (int k = 0; k < n_out(&steps[i]); k++) {
      if (steps[i].record->node.outs[k] == tensor) return (struct tvmq_source){steps[i].inside[k] ? (int)i : -1, k};
    }
  }
  return (struct tvmq_source){-1, 0};
}

size_t tvmq_wire(struct tvmq_step *steps, size_t n) {
  size_t n_buffers = 0;
  for (size_t i = 0; i < n; i++) {
    const int *reads, n_reads = tvmq_record_reads(steps[i].record, &reads);
    for (int j = 0; j < n_reads; j++) steps[i].sources[j] = find_source(steps, i, reads[j]);
    steps[i].first_buffer = n_buffers;
    n_buffers += (size_t)n_out(&steps[i]);
  }
  return n_buffers;
}

static void find_needed(struct tvmq_step *steps, size_t n) {
  for (size_t i = 0; i < n; i++) {
    for (int k = 0; k < n_out(&steps[i]); k++) steps[i].last_reader[k] = -1;
  }
  for (size_t i = n; i-- > 0;) {
    struct tvmq_step *step = &steps[i];
    step->needed = false;
    for (int k = 0; k < n_out(step); k++) step->needed |= out_bytes(step, k) > 0 && (!step->inside[k] || step->last_reader[k] >= 0);
    step->needed &= !step->record->is_border;
    const int *reads, n_reads = tvmq_record_reads(step->record, &reads);
    for (int j = 0; step->needed && j < n_reads; j++) {
      const struct tvmq_source *source = &step->sources[j];
      if (source->step < 0) continue;
      int *last_reader = &steps[source->step].last_reader[source->output];
      if (*last_reader < 0) *last_reader = (int)i;
    }
  }
}

static uint32_t moves_of(const struct tvmq_step *step, size_t offsets[TVMQ_MAX_OUT]) {
  const struct tvmq_operator *op_def = tvmq_record_operator(step->record);
  return op_def->moves != NULL && !step->copies ? op_def->moves(&step->record->desc, offsets) : 0;
}

static struct tvmq_place whole_tensor(int tensor, size_t bytes) { return (struct tvmq_place){.buffer = -1, .tensor = tensor, .tensor_bytes = bytes}; }

static struct tvmq_place behind(struct tvmq_place place, size_t offset) {
  place.offset += offset;
  return place;
}

static bool is_placed(const struct tvmq_step *step, int output) { return step->out_places[output].buffer != UNPLACED; }

// Returns the place of an output that lies in no other tensor.
static struct tvmq_place own_place(const struct tvmq_step *step, int output) {
  if (!step->inside[output]) return whole_tensor(step->record->node.outs[output], out_bytes(step, output));
  return (struct tvmq_place){.buffer = (int)step->first_buffer + output};
}

static void set_place(struct tvmq_step *step, int output, struct tvmq_place place, struct tvmq_arena_buffer *buffers) {
  step->out_places[output] = place;
  if (step->needed && place.buffer >= 0) buffers[place.buffer].n_tensors++;
}

// Places the inputs of steps that join their inputs directly in the output. Begins with the last step, so that an
// output is placed before the tensors inside it.
static void place_inputs(struct tvmq_step *steps, size_t n, struct tvmq_arena_buffer *buffers) {
  for (size_t i = n; i-- > 0;) {
    struct tvmq_step *step = &steps[i];
    size_t offsets[TVMQ_MAX_IN];
    const uint32_t moves = step->needed ? moves_of(step, offsets) : 0;
    const bool is_view = (moves & TVMQ_MOVES_OUT_OF_IN) != 0 && step->inside[0] && !is_placed(step, 0);
    if ((moves & TVMQ_MOVES_INTO_OUT) == 0 || is_view) continue;
    if (!is_placed(step, 0)) set_place(step, 0, own_place(step, 0), buffers);
    for (int j = 0; j < step->record->node.n_in; j++) {
      const struct tvmq_source *source = &step->sources[j];
      if (source->step < 0) continue;
      struct tvmq_step *producer = &steps[source->step];
      if (!is_placed(producer, source->output) && out_bytes(producer, source->output) == step->record->shapes.in[j].bytes)
        set_place(producer, source->output, behind(step->out_places[0], offsets[j]), buffers);
    }
  }
}

// Returns whether the step may overwrite its first input. No later step may read the input, and it must be the only
// tensor of its buffer.
static bool may_overwrite(const struct tvmq_step *steps, size_t index, const struct tvmq_arena_buffer *buffers) {
  const struct tvmq_place *place = &steps[index].in_places[0];
  const struct tvmq_source *source = &steps[index].sources[0];
  if (source->step < 0 || place->buffer != (int)steps[source->step].first_buffer + source->output || place->offset != 0) return false;
  return steps[source->step].last_reader[source->output] == (int)index && buffers[place->buffer].n_tensors == 1;
}

static bool same_place(const struct tvmq_place *a, const struct tvmq_place *b) {
  return a->buffer == b->buffer && a->offset == b->offset && (a->buffer >= 0 || a->tensor == b->tensor);
}

// Returns whether nothing is left to move: each output, or each input, already lies where the operator would move it.
static bool is_moved(const struct tvmq_step *step, uint32_t moves, const size_t offsets[]) {
  bool views = (moves & TVMQ_MOVES_OUT_OF_IN) != 0, pieces = (moves & TVMQ_MOVES_INTO_OUT) != 0;
  for (int k = 0; views && k < n_out(step); k++) {
    const struct tvmq_place wanted = behind(step->in_places[0], offsets[k]);
    views = (step->inside[k] && step->last_reader[k] < 0) || out_bytes(step, k) == 0 || same_place(&step->out_places[k], &wanted);
  }
  for (int j = 0; pieces && j < step->record->node.n_in; j++) {
    const struct tvmq_place wanted = behind(step->out_places[0], offsets[j]);
    pieces = step->record->shapes.in[j].bytes == 0 || same_place(&step->in_places[j], &wanted);
  }
  return views || pieces;
}

static void place_outputs(struct tvmq_step *steps, size_t index, struct tvmq_arena_buffer *buffers) {
  struct tvmq_step *step = &steps[index];
  const int *reads, n_reads = tvmq_record_reads(step->record, &reads);
  for (int j = 0; j < n_reads; j++) {
    const struct tvmq_source *source = &step->sources[j];
    step->in_places[j] = source->step >= 0 ? steps[source->step].out_places[source->output] : whole_tensor(reads[j], tvmq_record_read_bytes(step->record, j));
  }
  size_t offsets[TVMQ_MAX_IN > TVMQ_MAX_OUT ? TVMQ_MAX_IN : TVMQ_MAX_OUT];
  const uint32_t moves = moves_of(step, offsets);
  for (int k = 0; k < n_out(step); k++) {
    if (is_placed(step, k)) continue;
    struct tvmq_place place = own_place(step, k);
    if ((moves & TVMQ_MOVES_OUT_OF_IN) != 0 && step->inside[k])
      place = behind(step->in_places[0], offsets[k]);
    else if (step->record->implementation->in_place && k == 0 && step->inside[0] && may_overwrite(steps, index, buffers))
      place = step->in_places[0];
    set_place(step, k, place, buffers);
  }
  step->idle = is_moved(step, moves, offsets);
}

static void extend(struct tvmq_arena_buffer *buffers, const struct tvmq_place *place, size_t step) {
  if (place->buffer < 0) return;
  struct tvmq_arena_buffer *buffer = &buffers[place->buffer];
  if (step < buffer->first) buffer->first = step;
  if (step > buffer->last) buffer->last = step;
}

static void size_buffers(const struct tvmq_step *steps, size_t n, struct tvmq_arena_buffer *buffers, size_t n_buffers) {
  for (size_t i = 0; i < n_buffers; i++) buffers[i] = (struct tvmq_arena_buffer){.first = n};
  for (size_t i = 0; i < n; i++) {
    const struct tvmq_step *step = &steps[i];
    if (!step->needed) continue;
    for (int k = 0; k < n_out(step); k++) {
      const int own = (int)step->first_buffer + k;
      if (step->out_places[k].buffer == own) buffers[own].size = out_bytes(step, k);
    }
    if (step->idle) continue;
    const int *reads, n_reads = tvmq_record_reads(step->record, &reads);
    for (int j = 0; j < n_reads; j++) extend(buffers, &step->in_places[j], i);
    for (int k = 0; k < n_out(step); k++) extend(buffers, &step->out_places[k], i);
  }
  for (size_t i = 0; i < n_buffers; i++) {
    if (buffers[i].first == n) buffers[i] = (struct tvmq_arena_buffer){0};  // no step writes or reads the buffer
  }
}

static void place(struct tvmq_step *steps, size_t n, struct tvmq_arena_buffer *buffers, size_t n_buffers) {
  for (size_t i = 0; i < n_buffers; i++) buffers[i].n_tensors = 0;
  for (size_t i = 0; i < n; i++) {
    steps[i].idle = true;
    for (int k = 0; k < n_out(&steps[i]); k++) steps[i].out_places[k].buffer = UNPLACED;
  }
  place_inputs(steps, n, buffers);
  for (size_t i = 0; i < n; i++) {
    if (steps[i].needed) place_outputs(steps, i, buffers);
  }
}

void tvmq_place_tensors(struct tvmq_step *steps, size_t n, struct tvmq_arena_buffer *buffers, size_t n_buffers) {
  find_needed(steps, n);
  for (size_t i = 0; i < n; i++) steps[i].copies = false;
  do {
    place(steps, n, buffers, n_buffers);
  } while (tvmq_separate_variables(steps, n));
  size_buffers(steps, n, buffers, n_buffers);
}
