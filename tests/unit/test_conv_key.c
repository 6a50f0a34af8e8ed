// The key of packed weights: whatever decides on their bytes changes it, and keeps weights from being taken for those of another operator; nothing else does.
#include <stddef.h>
#include <string.h>

#include "cpu/ops/conv/conv_key.h"
#include "unit.h"

static const float scales[3] = {0.5f, 0.25f, 0.125f}, other_scales[3] = {0.5f, 0.25f, 1};
static const int8_t filter[27], other_filter[27];
static const int32_t bias[3], other_bias[3];

// All that a key is made of.
struct all {
  struct tvmq_conv_desc desc;
  struct tvmq_trim trim;
  struct tvmq_layout layout;
  struct tvmq_arrangement arrangement;
  struct tvmq_env env;
  struct tvmq_key content;
};

static struct tvmq_hasher hasher;

static struct all usual(void) {
  return (struct all){
      .desc = {.in_type = TVMQ_TYPE_S8,
               .filter_type = TVMQ_TYPE_S8,
               .out_type = TVMQ_TYPE_S8,
               .bias_type = TVMQ_TYPE_S32,
               .batch = 1,
               .in_h = 9,
               .in_w = 9,
               .in_c = 1,
               .out_h = 9,
               .out_w = 9,
               .out_c = 3,
               .filter_h = 3,
               .filter_w = 3,
               .filter_c = 1,
               .stride_h = 1,
               .stride_w = 1,
               .dilation_h = 1,
               .dilation_w = 1,
               .depth_multiplier = 1,
               .in = {0.5f, 3},
               .out = {0.25f, -4},
               .filter_scales = scales,
               .n_filter_scales = 3,
               .filter = filter,
               .bias = bias},
      .trim = {3, 3, 0, 0},
      .layout = {.nr = 16, .kr = 4, .ku = 4, .weight_bytes = 1, .acc_bytes = 4},
      .arrangement = {.packer = TVMQ_PACKER_GEMM, .n_taps = 9, .k = 4, .panels = 1, .panel_bytes = 768},
      .env = {.hasher = &hasher, .rounding = TVMQ_ROUNDING_REFERENCE},
  };
}

static struct tvmq_key key_of(struct all *a) {
  struct tvmq_key key = {{0}};
  a->arrangement.layout = &a->layout;
  a->env.content = &a->content;
  CHECK(tvmq_conv_key(&a->desc, &a->trim, &a->arrangement, &a->env, &key), "it has a key");
  return key;
}

static bool has_usual_key(struct all *a) {
  struct all b = usual();
  const struct tvmq_key key = key_of(a), usual_key = key_of(&b);
  return memcmp(&key, &usual_key, sizeof key) == 0;
}

static bool has_usual_weights(struct all *a) {
  struct all b = usual();
  return tvmq_conv_same_weights(&a->desc, &a->trim, &b.desc, &b.trim);
}

static bool has_usual_arrangement(struct all *a) {
  struct all b = usual();
  a->arrangement.layout = &a->layout;
  b.arrangement.layout = &b.layout;
  return tvmq_same_arrangement(&a->arrangement, &b.arrangement);
}

// A member of struct all, the lowest byte of which is changed.
struct member {
  const char *name;
  size_t offset;
};
#define MEMBER(name) {#name, offsetof(struct all, name)}

static struct all changed(const struct member *member) {
  struct all a = usual();
  ((uint8_t *)&a)[member->offset] ^= 1;
  return a;
}

static const struct member of_weights[] = {
    MEMBER(desc.depthwise),
    MEMBER(desc.fully_connected),
    MEMBER(desc.scaling),
    MEMBER(desc.in_type),
    MEMBER(desc.filter_type),
    MEMBER(desc.out_type),
    MEMBER(desc.bias_type),
    MEMBER(desc.in_c),
    MEMBER(desc.out_c),
    MEMBER(desc.filter_h),
    MEMBER(desc.filter_w),
    MEMBER(desc.filter_c),
    MEMBER(desc.activation),
    MEMBER(desc.depth_multiplier),
    MEMBER(desc.in.scale),
    MEMBER(desc.in.zero_point),
    MEMBER(desc.out.scale),
    MEMBER(desc.out.zero_point),
    MEMBER(desc.filter_zero_point),
    MEMBER(trim.filter_h),
    MEMBER(trim.filter_w),
    MEMBER(trim.top),
    MEMBER(trim.left),
};
static const struct member of_arrangement[] = {
    MEMBER(layout.nr),
    MEMBER(layout.kr),
    MEMBER(layout.ku),
    MEMBER(layout.weight_bytes),
    MEMBER(layout.acc_bytes),
    MEMBER(layout.out_rows),
    MEMBER(layout.row_step),
    MEMBER(layout.lanes),
    MEMBER(layout.a_offset),
    MEMBER(layout.rotation),
    MEMBER(arrangement.packer),
    MEMBER(arrangement.form),
    MEMBER(arrangement.transposed),
    MEMBER(arrangement.n_taps),
    MEMBER(arrangement.k),
    MEMBER(arrangement.side_by_side),
    MEMBER(arrangement.panels),
    MEMBER(arrangement.panel_bytes),
};
static const struct member of_neither[] = {
    MEMBER(desc.batch), MEMBER(desc.in_h),     MEMBER(desc.in_w),     MEMBER(desc.out_h),
    MEMBER(desc.out_w), MEMBER(desc.stride_h), MEMBER(desc.stride_w), MEMBER(desc.padding),
};

static void check_members(void) {
  struct all same = usual();
  CHECK(has_usual_key(&same) && has_usual_weights(&same) && has_usual_arrangement(&same), "nothing changed");
  for (size_t i = 0; i < N_ELEMENTS(of_weights); i++) {
    struct all a = changed(&of_weights[i]);
    CHECK(!has_usual_weights(&a) && !has_usual_key(&a), "%s", of_weights[i].name);
  }
  for (size_t i = 0; i < N_ELEMENTS(of_arrangement); i++) {
    struct all a = changed(&of_arrangement[i]);
    CHECK(!has_usual_arrangement(&a) && !has_usual_key(&a), "%s", of_arrangement[i].name);
  }
  for (size_t i = 0; i < N_ELEMENTS(of_neither); i++) {
    struct all a = changed(&of_neither[i]);
    CHECK(has_usual_weights(&a) && has_usual_arrangement(&a) && has_usual_key(&a), "%s", of_neither[i].name);
  }
}

// The key goes by the contents of constants, the comparison by where they are.
static void check_constants(void) {
  struct all a = usual();
  a.desc.filter = other_filter;
  CHECK(!has_usual_weights(&a) && has_usual_key(&a), "a filter elsewhere");
  a = usual();
  a.desc.bias = other_bias;
  CHECK(!has_usual_weights(&a) && has_usual_key(&a), "a bias elsewhere");
  a = usual();
  a.desc.bias = NULL;
  CHECK(!has_usual_weights(&a) && !has_usual_key(&a), "no bias");
  a = usual();
  a.desc.filter_scales = other_scales;
  CHECK(!has_usual_weights(&a) && !has_usual_key(&a), "other scales");
  a = usual();
  a.content.words[0] = 1;
  CHECK(!has_usual_key(&a), "other contents");
  a = usual();
  a.env.rounding = TVMQ_ROUNDING_SINGLE;
  CHECK(!has_usual_key(&a), "another rounding");
}

int main(void) {
  tvmq_hasher_init(&hasher, (const uint64_t[2]){7, 8});
  check_members();
  check_constants();
  return unit_report();
}
