#include "ops/conv/conv_key.h"

#include <assert.h>
#include <string.h>

#include "packing/packed.h"
#include "packing/weight_file.h"
#include "packing/weight_list.h"

enum { MOST_WORDS = 64 };

struct words {
  size_t n;
  uint64_t at[MOST_WORDS];
};

static void add(struct words *words, uint64_t word) {
  assert(words->n < MOST_WORDS);
  words->at[words->n++] = word;
}

static void add_key(struct words *words, struct tvmq_key key) {
  add(words, key.words[0]);
  add(words, key.words[1]);
}

static void add_quant(struct words *words, struct tvmq_quant quant) {
  uint32_t bits;
  memcpy(&bits, &quant.scale, sizeof bits);
  add(words, bits);
  add(words, (uint32_t)quant.zero_point);
}

// Shapes of activations do not count: the same weights serve any.
static void add_desc(struct words *words, const struct tvmq_conv_desc *desc) {
  const bool flags[] = {desc->depthwise, desc->fully_connected, desc->bias != NULL};
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) add(words, flags[i]);
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
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) add(words, (uint32_t)numbers[i]);
  add_quant(words, desc->in);
  add_quant(words, desc->out);
}

static void add_layout(struct words *words, const struct tvmq_layout *layout) {
  const int32_t numbers[] = {layout->nr,       layout->kr,       layout->ku,    layout->weight_bytes, layout->acc_bytes,
                             layout->out_rows, layout->row_step, layout->lanes, layout->a_offset,     layout->rotation};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) add(words, (uint32_t)numbers[i]);
}

bool tvmq_conv_key(const struct tvmq_conv_desc *desc, const struct tvmq_trim *trim, const struct tvmq_arrangement *arrangement, const struct tvmq_env *env,
                   struct tvmq_key *key) {
  if (env->content == NULL || env->hasher == NULL) return false;
  struct words words = {0};
  add_key(&words, *env->content);
  add_key(&words, tvmq_content(env->hasher, desc->filter_scales, (size_t)desc->n_filter_scales * sizeof *desc->filter_scales));
  add(&words, (uint64_t)env->rounding);
  add_desc(&words, desc);
  const int32_t kept[] = {trim->filter_h, trim->filter_w, trim->top, trim->left};
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) add(&words, (uint32_t)kept[i]);
  add_layout(&words, arrangement->layout);
  const uint64_t numbers[] = {(uint64_t)arrangement->way, (uint64_t)arrangement->form, arrangement->transposed, arrangement->n_taps, arrangement->k,
                              arrangement->side_by_side,  arrangement->panels,         arrangement->panel_bytes};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) add(&words, numbers[i]);
  *key = tvmq_content(env->hasher, words.at, words.n * sizeof words.at[0]);
  return true;
}

struct tvmq_packed *tvmq_conv_weights(const struct tvmq_key *key, bool has_key, size_t bytes, const struct tvmq_env *env,
                                      bool (*fill)(void *context, uint8_t *panels, uint32_t *promises), void *context) {
  struct tvmq_packed *packed = has_key ? tvmq_packed_find(key, bytes, env->weight_file) : NULL;
  if (packed == NULL) {
    packed = tvmq_packed_create(bytes);
    if (packed == NULL) return NULL;
    if (!fill(context, packed->memory, &packed->promises)) {
      tvmq_packed_release(packed);
      return NULL;
    }
    if (has_key) packed = tvmq_packed_share(packed, key);
  }
  // Weights that lie damaged in the file count as missing; those that were taken from it have been checked.
  struct tvmq_weights there;
  const bool from_file = packed->file != NULL, has_file = env->weight_file != NULL;
  const bool kept = has_file && (from_file ? tvmq_weight_file_has(env->weight_file, key) : tvmq_weight_file_find(env->weight_file, key, &there));
  if (env->new_weights != NULL && packed->is_shared && !kept) tvmq_weight_list_add(env->new_weights, packed);
  return packed;
}

enum { RIGHT_SHIFTS = 1 << 0, HEADROOM = 1 << 1, FITS_INT16 = 1 << 2 };

uint32_t tvmq_promises_of(const struct tvmq_stage *stage) {
  return (stage->right_shifts ? RIGHT_SHIFTS : 0) | (stage->headroom ? HEADROOM : 0) | (stage->fits_int16 ? FITS_INT16 : 0);
}

struct tvmq_stage tvmq_stage_promised(const struct tvmq_stage *stage, uint32_t promises) {
  struct tvmq_stage lowered = *stage;
  lowered.right_shifts = (promises & RIGHT_SHIFTS) != 0;
  lowered.headroom = (promises & HEADROOM) != 0;
  lowered.fits_int16 = (promises & FITS_INT16) != 0;
  return lowered;
}
