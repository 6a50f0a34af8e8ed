// Copies the plan of a network so that it depends on no address. The network is opened twice, in different memory, and
// both plans are walked in step. A word is a pointer if it points to blocks at the same place in both. Words that differ
// otherwise, or that point to code or data without a name, are refused: nothing is guessed.
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "network/flat_plan.h"
#include "network/mappings.h"
#include "network/symbols.h"

enum { SYMBOL = TVMQ_MEMORY_FOREIGN + 1, N_KINDS = TVMQ_MEMORY_FOREIGN, NOWHERE = -1 };

// One of the two networks.
struct side {
  void *model;
  struct tvmq_network *network;
  struct tvmq_compiled *plan;
  struct tvmq_recording recording;
};

// A block that the plan points to: its number in the recording of each side, and its place among those of its kind.
struct object {
  size_t number[2];
  size_t at;
};

// A pointer in the image. kind: of the block that it points to, or SYMBOL.
struct pointer {
  size_t at, offset;
  int kind;
  uint32_t symbol;
};

struct walk {
  struct side sides[2];
  struct tvmq_mappings mappings;
  struct object *objects;
  size_t n_objects;
  size_t *object_of;  // for each block of the first side: number of its object, from 1; 0: none yet
  size_t bytes[N_KINDS];
  struct pointer *pointers;
  size_t n_pointers, pointer_room;
  const char **symbols;
  size_t n_symbols, symbol_room;
  uint32_t cpu;
  struct tvmq_text *why;
};

struct frozen {
  struct tvmq_frozen_network info;  // first member
  uint8_t *constants;
  unsigned *present, *words;
  struct tvmq_frozen_pointer *pointers;
  const char **symbols;
};

// ---- lists

// Returns the list with room for one more element, or NULL if out of memory; the list then stays as it is.
static void *longer(void *list, size_t n, size_t *room, size_t bytes) {
  if (n < *room) return list;
  const size_t wanted = tvmq_max(2 * *room, 64);
  void *copy = realloc(list, wanted * bytes);
  if (copy != NULL) *room = wanted;
  return copy;
}

static bool add_pointer(struct walk *walk, struct pointer pointer) {
  struct pointer *list = longer(walk->pointers, walk->n_pointers, &walk->pointer_room, sizeof *list);
  if (list == NULL) return false;
  walk->pointers = list;
  list[walk->n_pointers++] = pointer;
  return true;
}

// Returns the number of a symbol, or NOWHERE if out of memory.
static int symbol_number(struct walk *walk, const char *name) {
  for (size_t i = 0; i < walk->n_symbols; i++) {
    if (strcmp(walk->symbols[i], name) == 0) return (int)i;
  }
  const char **list = longer(walk->symbols, walk->n_symbols, &walk->symbol_room, sizeof *list);
  if (list == NULL) return NOWHERE;
  walk->symbols = list;
  list[walk->n_symbols] = name;
  return (int)walk->n_symbols++;
}

// ---- blocks

static int by_start(const void *a, const void *b) {
  const struct tvmq_memory_block *x = a, *y = b;
  if (x->start != y->start) return x->start < y->start ? -1 : 1;
  return x->size > y->size ? -1 : x->size < y->size;
}

static int by_address(const void *a, const void *b) {
  const uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
  return x < y ? -1 : x > y;
}

// Sorts the recording. Of blocks that begin at the same place, such as tensors that share a buffer, the largest remains.
static void sort(struct tvmq_recording *recording) {
  size_t n = 0;
  if (recording->n > 0) qsort(recording->blocks, recording->n, sizeof recording->blocks[0], by_start);
  for (size_t i = 0; i < recording->n; i++) {
    if (n == 0 || recording->blocks[n - 1].start != recording->blocks[i].start) recording->blocks[n++] = recording->blocks[i];
  }
  recording->n = n;
  if (recording->n_unread > 0) qsort(recording->unread, recording->n_unread, sizeof recording->unread[0], by_address);
}

// Returns the number of the block that the address lies in, or SIZE_MAX.
static size_t find(const struct tvmq_recording *recording, uintptr_t address) {
  size_t low = 0, high = recording->n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (recording->blocks[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return SIZE_MAX;
  const struct tvmq_memory_block *block = &recording->blocks[low - 1];
  return address - block->start < tvmq_max(block->size, 1) ? low - 1 : SIZE_MAX;
}

static const struct tvmq_memory_block *block_of(const struct walk *walk, const struct object *object, int side) {
  return &walk->sides[side].recording.blocks[object->number[side]];
}

// Returns the object of a pair of blocks, which is new if the pair is. Returns NULL if the blocks do not match.
static const struct object *object_of(struct walk *walk, const size_t number[2]) {
  size_t *known = &walk->object_of[number[0]];
  if (*known != 0) return walk->objects[*known - 1].number[1] == number[1] ? &walk->objects[*known - 1] : NULL;
  struct object *object = &walk->objects[walk->n_objects];
  *object = (struct object){.number = {number[0], number[1]}};
  const struct tvmq_memory_block *a = block_of(walk, object, 0), *b = block_of(walk, object, 1);
  if (a->size != b->size || a->kind != b->kind || a->kind == TVMQ_MEMORY_FOREIGN) return NULL;
  object->at = walk->bytes[a->kind];
  walk->bytes[a->kind] = tvmq_round_up(object->at + a->size, TVMQ_ALIGNMENT);
  *known = ++walk->n_objects;
  return object;
}

// ---- words

static bool refuse(const struct walk *walk, const char *what, size_t at, const struct tvmq_memory_block *block) {
  tvmq_say(walk->why, "the plan cannot be copied: %s (byte %zu of a block of %zu)", what, at, block->size);
  return false;
}

static bool is_unread(const struct walk *walk, uintptr_t address) {
  const struct tvmq_recording *recording = &walk->sides[0].recording;
  return bsearch(&address, recording->unread, recording->n_unread, sizeof address, by_address) != NULL;
}

static bool point_to_symbol(struct walk *walk, size_t at, const char *name) {
  const int symbol = symbol_number(walk, name);
  return symbol != NOWHERE && add_pointer(walk, (struct pointer){.at = at, .kind = SYMBOL, .symbol = (uint32_t)symbol});
}

// Walks over a word of a block of both sides.
static bool walk_word(struct walk *walk, const struct object *object, size_t at) {
  const struct tvmq_memory_block *blocks[2] = {block_of(walk, object, 0), block_of(walk, object, 1)};
  const size_t to = object->at + at;
  const struct tvmq_variant *variant = tvmq_variant_with_fn(blocks[0]->start + at);
  uintptr_t words[2];
  size_t targets[2];
  if (is_unread(walk, blocks[0]->start + at)) return add_pointer(walk, (struct pointer){.at = to, .kind = NOWHERE});
  if (variant != NULL) {
    walk->cpu |= variant->cpu;
    return point_to_symbol(walk, to, variant->name);
  }
  for (int side = 0; side < 2; side++) {
    memcpy(&words[side], (const void *)(blocks[side]->start + at), sizeof words[side]);
    targets[side] = find(&walk->sides[side].recording, words[side]);
  }
  if (targets[0] != SIZE_MAX && targets[1] != SIZE_MAX) {
    const size_t offset = words[0] - walk->sides[0].recording.blocks[targets[0]].start;
    const struct object *target = object_of(walk, targets);
    if (target == NULL || words[1] - walk->sides[1].recording.blocks[targets[1]].start != offset) return refuse(walk, "a pointer has no block", at, blocks[0]);
    return add_pointer(walk, (struct pointer){.at = to, .offset = target->at + offset, .kind = (int)block_of(walk, target, 0)->kind});
  }
  if (words[0] != words[1]) return refuse(walk, "it depends on addresses", at, blocks[0]);
  if (!tvmq_mappings_have(&walk->mappings, words[0])) return true;
  const struct tvmq_symbol *symbol = tvmq_symbol_at(words[0]);
  if (symbol == NULL) return refuse(walk, "it points to something without a name", at, blocks[0]);
  if (symbol->refusal == NULL) return point_to_symbol(walk, to, symbol->name);
  tvmq_say(walk->why, "the network cannot be compiled: %s", symbol->refusal);
  return false;
}

static bool walk_object(struct walk *walk, size_t number) {
  const struct object object = walk->objects[number];
  const struct tvmq_memory_block *a = block_of(walk, &object, 0), *b = block_of(walk, &object, 1);
  if (a->kind == TVMQ_MEMORY_ROOM) return true;
  if (a->kind == TVMQ_MEMORY_CONSTANT) return memcmp((const void *)a->start, (const void *)b->start, a->size) == 0 || refuse(walk, "constants differ", 0, a);
  size_t at = 0;
  for (; at + sizeof(uintptr_t) <= a->size; at += sizeof(uintptr_t)) {
    if (!walk_word(walk, &object, at)) return false;
  }
  return memcmp((const char *)a->start + at, (const char *)b->start + at, a->size - at) == 0 || refuse(walk, "it depends on addresses", at, a);
}

// Walks over everything that can be reached from the plans.
static bool walk_plans(struct walk *walk) {
  const size_t roots[2] = {find(&walk->sides[0].recording, (uintptr_t)walk->sides[0].plan), find(&walk->sides[1].recording, (uintptr_t)walk->sides[1].plan)};
  if (roots[0] == SIZE_MAX || roots[1] == SIZE_MAX || object_of(walk, roots) == NULL) return false;
  for (size_t i = 0; i < walk->n_objects; i++) {
    if (!walk_object(walk, i)) return false;
  }
  return true;
}

// ---- the copy

static void copy_object(const struct walk *walk, const struct object *object, uint8_t *image, const struct frozen *frozen) {
  const struct tvmq_memory_block *block = block_of(walk, object, 0);
  uint8_t *const to = block->kind == TVMQ_MEMORY_PLAN ? image : block->kind == TVMQ_MEMORY_CONSTANT ? frozen->constants : NULL;
  if (to != NULL) memcpy(to + object->at, (const void *)block->start, block->size);
}

static void set_pointer(const struct walk *walk, const struct pointer *pointer, uint8_t *image, struct frozen *frozen) {
  const size_t room_begin = pointer->kind == TVMQ_MEMORY_ROOM ? walk->bytes[TVMQ_MEMORY_PLAN] : 0;
  const uintptr_t word = pointer->kind == NOWHERE || pointer->kind == SYMBOL ? 0 : room_begin + pointer->offset;
  memcpy(image + pointer->at, &word, sizeof word);
  if (pointer->kind == NOWHERE) return;
  const uint32_t base = pointer->kind == SYMBOL                 ? TVMQ_BASE_SYMBOLS + pointer->symbol
                        : pointer->kind == TVMQ_MEMORY_CONSTANT ? TVMQ_BASE_CONSTANTS
                                                                : TVMQ_BASE_ARENA;
  frozen->pointers[frozen->info.n_pointers++] = (struct tvmq_frozen_pointer){(unsigned)pointer->at, base};
}

static unsigned word_at(const uint8_t *image, size_t number) {
  unsigned word;
  memcpy(&word, image + number * sizeof word, sizeof word);
  return word;
}

// Lists the words of the image that are not 0. Returns false if out of memory.
static bool list_words(const uint8_t *image, size_t bytes, struct frozen *frozen) {
  const size_t n = bytes / sizeof(unsigned);  // blocks are whole words
  size_t n_words = 0;
  for (size_t i = 0; i < n; i++) n_words += word_at(image, i) != 0;
  frozen->present = tvmq_alloc((n / 32 + 1) * sizeof frozen->present[0]);
  frozen->words = tvmq_alloc(n_words * sizeof frozen->words[0]);
  if (frozen->present == NULL || frozen->words == NULL) return false;
  for (size_t i = 0; i < n; i++) {
    if (word_at(image, i) == 0) continue;
    frozen->present[i / 32] |= 1u << i % 32;
    frozen->words[frozen->info.n_words++] = word_at(image, i);
  }
  return true;
}

static struct frozen *copy(struct walk *walk) {
  struct frozen *frozen = tvmq_alloc(sizeof *frozen);
  if (frozen == NULL) return NULL;
  uint8_t *image = tvmq_alloc(walk->bytes[TVMQ_MEMORY_PLAN]);
  frozen->constants = tvmq_alloc(walk->bytes[TVMQ_MEMORY_CONSTANT]);
  frozen->pointers = tvmq_alloc(walk->n_pointers * sizeof frozen->pointers[0]);
  frozen->symbols = tvmq_alloc(walk->n_symbols * sizeof frozen->symbols[0]);
  bool complete = image != NULL && frozen->constants != NULL && frozen->pointers != NULL && frozen->symbols != NULL;
  for (size_t i = 0; complete && i < walk->n_objects; i++) copy_object(walk, &walk->objects[i], image, frozen);
  for (size_t i = 0; complete && i < walk->n_pointers; i++) set_pointer(walk, &walk->pointers[i], image, frozen);
  for (size_t i = 0; complete && i < walk->n_symbols; i++) frozen->symbols[i] = walk->symbols[i];
  complete = complete && list_words(image, walk->bytes[TVMQ_MEMORY_PLAN], frozen);
  tvmq_free(image);
  if (!complete) {
    tvmq_frozen_release(&frozen->info);
    return NULL;
  }
  frozen->info.present = frozen->present;
  frozen->info.words = frozen->words;
  frozen->info.image_bytes = walk->bytes[TVMQ_MEMORY_PLAN];
  frozen->info.constants = frozen->constants;
  frozen->info.constants_bytes = walk->bytes[TVMQ_MEMORY_CONSTANT];
  frozen->info.arena_bytes = walk->bytes[TVMQ_MEMORY_PLAN] + walk->bytes[TVMQ_MEMORY_ROOM];
  frozen->info.pointers = frozen->pointers;
  frozen->info.symbols = frozen->symbols;
  frozen->info.n_symbols = (int)walk->n_symbols;
  frozen->info.cpu = walk->cpu;
  return frozen;
}

// ---- opening

// Arguments of tvmq_network_freeze().
struct request {
  const void *model;
  size_t bytes;
  const char *const *keys, *const *values;
  int n_options;
};

// Opens the network with a copy of the model, so that no address is the other side's.
static bool open_side(struct side *side, const struct request *request, struct tvmq_text *why) {
  side->model = tvmq_alloc_unset(request->bytes);
  if (side->model == NULL) {
    tvmq_say(why, "out of memory");
    return false;
  }
  memcpy(side->model, request->model, request->bytes);
  tvmq_recording_start(&side->recording);
  side->network = tvmq_network_open(side->model, request->bytes, request->keys, request->values, request->n_options, why->at, why->size);
  if (side->network != NULL) side->plan = tvmq_flat_plan(side->network, &side->recording, why);
  tvmq_recording_stop();
  sort(&side->recording);
  if (side->plan != NULL && !side->recording.complete) tvmq_say(why, "out of memory");
  return side->plan != NULL && side->recording.complete;
}

static void close_side(struct side *side) {
  tvmq_flat_plan_free(side->plan);
  tvmq_network_close(side->network);
  tvmq_free(side->model);
  tvmq_recording_free(&side->recording);
}

static struct frozen *freeze(struct walk *walk) {
  const size_t n = walk->sides[0].recording.n;
  walk->objects = tvmq_alloc_unset(n * sizeof walk->objects[0]);
  walk->object_of = tvmq_alloc(n * sizeof walk->object_of[0]);
  struct frozen *frozen = NULL;
  if (walk->objects != NULL && walk->object_of != NULL && tvmq_mappings_read(&walk->mappings) && walk_plans(walk)) frozen = copy(walk);
  if (frozen == NULL && walk->why->length == 0) tvmq_say(walk->why, "out of memory");
  return frozen;
}

const struct tvmq_frozen_network *tvmq_network_freeze(const void *model, unsigned long long bytes, const char *const *keys, const char *const *values,
                                                      int n_options, char *error, unsigned long long error_bytes) {
  const struct request request = {model, (size_t)bytes, keys, values, n_options};
  struct tvmq_text why = {.at = error, .size = (size_t)error_bytes};
  struct walk *walk = tvmq_alloc(sizeof *walk);
  struct frozen *frozen = NULL;
  error[0] = '\0';
  if (walk == NULL) {
    tvmq_say(&why, "out of memory");
  } else {
    bool opened = true;
    walk->why = &why;
    for (int i = 0; opened && i < 2; i++) opened = open_side(&walk->sides[i], &request, &why);
    if (opened) frozen = freeze(walk);
    for (int i = 0; i < 2; i++) close_side(&walk->sides[i]);
    tvmq_mappings_free(&walk->mappings);
    tvmq_free(walk->objects);
    tvmq_free(walk->object_of);
    free(walk->pointers);
    free(walk->symbols);
  }
  tvmq_free(walk);
  return frozen != NULL ? &frozen->info : NULL;
}

void tvmq_frozen_release(const struct tvmq_frozen_network *network) {
  struct frozen *frozen = (struct frozen *)(uintptr_t)network;
  if (frozen == NULL) return;
  tvmq_free(frozen->present);
  tvmq_free(frozen->words);
  tvmq_free(frozen->constants);
  tvmq_free(frozen->pointers);
  tvmq_free(frozen->symbols);
  tvmq_free(frozen);
}
