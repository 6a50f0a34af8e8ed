#include "cpu/ops/conv/conv_key.h"

#include <assert.h>
#include <string.h>

#include "base/recording.h"
#include "packing/packed.h"
#include "packing/weight_file.h"
#include "packing/weight_list.h"

enum { MOST_BYTES = 512 };

// Everything that determines packed weights, as bytes.
struct identity {
  size_t n;
  uint8_t bytes[MOST_BYTES];
};

static void add(struct identity *identity, const void *value, size_t bytes) {
  assert(identity->n + bytes <= MOST_BYTES);
  memcpy(identity->bytes + identity->n, value, bytes);
  identity->n += bytes;
}
#define ADD(identity, value) add(identity, &(value), sizeof(value))

static bool is_same(const struct identity *a, const struct identity *b) { return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0; }

// Adds the weights' part of a description. Shapes of activations are left out: the same weights serve any shape.
static void add_weights(struct identity *identity, const struct tvmq_conv_desc *desc, const struct tvmq_trim *trim) {
  const bool flags[] = {desc->depthwise, desc->fully_connected, desc->bias != NULL};
  const int32_t numbers[] = {(int32_t)desc->scaling,
                             (int32_t)desc->in_type,
                             (int32_t)desc->filter_type,
                             (int32_t)desc->out_type,
                             (int32_t)desc->bias_type,
                             desc->in_c,
                             desc->out_c,
                             desc->filter_h,
                             desc->filter_w,
                             desc->filter_c,
                             desc->depth_multiplier,
                             (int32_t)desc->activation,
                             desc->filter_zero_point,
                             desc->n_filter_scales};
  ADD(identity, flags);
  ADD(identity, numbers);
  ADD(identity, desc->in);
  ADD(identity, desc->out);
  ADD(identity, *trim);
}

static void add_arrangement(struct identity *identity, const struct tvmq_arrangement *arrangement) {
  _Static_assert(_Alignof(struct tvmq_layout) == 1, "no padding between its members");
  const uint64_t numbers[] = {(uint64_t)arrangement->packer, (uint64_t)arrangement->form, arrangement->transposed, arrangement->n_taps, arrangement->k,
                              arrangement->side_by_side,     arrangement->panels,         arrangement->panel_bytes};
  ADD(identity, *arrangement->layout);
  ADD(identity, numbers);
}

bool tvmq_conv_same_weights(const struct tvmq_conv_desc *a, const struct tvmq_trim *a_trim, const struct tvmq_conv_desc *b, const struct tvmq_trim *b_trim) {
  struct identity of_a = {0}, of_b = {0};
  add_weights(&of_a, a, a_trim);
  add_weights(&of_b, b, b_trim);
  return is_same(&of_a, &of_b) && a->filter == b->filter && a->bias == b->bias && a->filter_scales == b->filter_scales;
}

void tvmq_conv_note_packed(const struct tvmq_conv_desc *desc) {
  tvmq_recording_note_unread(&desc->filter);
  tvmq_recording_note_unread(&desc->filter_scales);
  tvmq_recording_note_unread(&desc->bias);
}

bool tvmq_same_arrangement(const struct tvmq_arrangement *a, const struct tvmq_arrangement *b) {
  struct identity of_a = {0}, of_b = {0};
  add_arrangement(&of_a, a);
  add_arrangement(&of_b, b);
  return is_same(&of_a, &of_b);
}

bool tvmq_conv_key(const struct tvmq_conv_desc *desc, const struct tvmq_trim *trim, const struct tvmq_arrangement *arrangement, const struct tvmq_env *env,
                   struct tvmq_key *key) {
  if (env->content == NULL || env->hasher == NULL || tvmq_recording_is_on()) return false;
  const struct tvmq_key scales = tvmq_content(env->hasher, desc->filter_scales, (size_t)desc->n_filter_scales * sizeof *desc->filter_scales);
  struct identity identity = {0};
  ADD(&identity, *env->content);
  ADD(&identity, scales);
  ADD(&identity, env->rounding);
  add_weights(&identity, desc, trim);
  add_arrangement(&identity, arrangement);
  *key = tvmq_content(env->hasher, identity.bytes, identity.n);
  return true;
}

const char tvmq_no_room[] = "its packed weights do not fit into memory_megabytes";

bool tvmq_take_weights(struct tvmq_weight_budget *budget, size_t bytes) {
  if (budget == NULL) return true;
  if (bytes > budget->left) {
    budget->refused = bytes;
    return false;
  }
  budget->left -= bytes;
  return true;
}

const char *tvmq_conv_weights(const struct tvmq_key *key, bool has_key, size_t bytes, const struct tvmq_env *env,
                              bool (*fill)(void *context, uint8_t *panels, uint32_t *invariants), void *context, struct tvmq_packed **weights) {
  *weights = NULL;
  if (!tvmq_take_weights(env->weights, bytes)) return tvmq_no_room;
  struct tvmq_packed *packed = has_key ? tvmq_packed_find(key, bytes, env->weight_file) : NULL;
  if (packed == NULL) {
    packed = tvmq_packed_create(bytes, env->slabs);
    if (packed == NULL) return "out of memory";
    if (!fill(context, packed->memory, &packed->invariants)) {
      tvmq_packed_release(packed);
      return "out of memory";
    }
    if (has_key) packed = tvmq_packed_share(packed, key);
  }
  // Damaged weights in the file count as missing. Weights from the file have been checked already.
  struct tvmq_weights there;
  const bool from_file = packed->file != NULL, has_file = env->weight_file != NULL;
  const bool kept = has_file && (from_file ? tvmq_weight_file_has(env->weight_file, key) : tvmq_weight_file_find(env->weight_file, key, &there));
  if (env->new_weights != NULL && packed->is_shared && !kept) tvmq_weight_list_add(env->new_weights, packed);
  *weights = packed;
  return NULL;
}

enum { RIGHT_SHIFTS = 1 << 0, HEADROOM = 1 << 1, FITS_INT16 = 1 << 2 };

uint32_t tvmq_invariants_of(const struct tvmq_stage *stage) {
  return (stage->right_shifts ? RIGHT_SHIFTS : 0) | (stage->headroom ? HEADROOM : 0) | (stage->fits_int16 ? FITS_INT16 : 0);
}

struct tvmq_stage tvmq_stage_with(const struct tvmq_stage *stage, uint32_t invariants) {
  struct tvmq_stage lowered = *stage;
  lowered.right_shifts = (invariants & RIGHT_SHIFTS) != 0;
  lowered.headroom = (invariants & HEADROOM) != 0;
  lowered.fits_int16 = (invariants & FITS_INT16) != 0;
  return lowered;
}
