// The weights of RESIZE_BILINEAR along an axis: they add up to one, lie between neighbours, and are refused where the reference reads past the input or float32
// rounds.
#include "operators/claims/claim.h"
#include "operators/resize_weights.h"
#include "unit.h"

static void check_axis(enum tvmq_type type, int32_t in, int32_t out, bool align_corners, bool half_pixel_centers, bool refused) {
  const struct tvmq_resize_desc desc = {.in_type = type, .align_corners = align_corners, .half_pixel_centers = half_pixel_centers};
  const int32_t shift = tvmq_resize_shift(&desc, in, out);
  CHECK((shift < 0) == refused, "type %d, %d to %d: shift %d", type, in, out, shift);
  for (int32_t i = 0; shift >= 0 && i < out; i++) {
    const struct tvmq_between between = tvmq_resize_at(&desc, in, out, shift, i);
    CHECK(between.at[0] >= 0 && between.at[1] < in && between.at[1] - between.at[0] >= 0 && between.at[1] - between.at[0] <= 1, "%d to %d, output %d", in, out,
          i);
    CHECK(between.weights[0] + between.weights[1] == 1 << shift, "%d to %d, output %d", in, out, i);
  }
}

int main(void) {
  check_axis(TVMQ_TYPE_S8, 7, 20, false, false, false);
  check_axis(TVMQ_TYPE_S8, 7, 20, true, false, false);
  check_axis(TVMQ_TYPE_S8, 7, 20, false, true, false);
  check_axis(TVMQ_TYPE_S8, 20, 7, false, true, false);
  check_axis(TVMQ_TYPE_S8, 1, 512, false, false, false);
  check_axis(TVMQ_TYPE_S8, 1, 600, false, false, true);  // the scale is rounded up: the last outputs lie behind the only input
  check_axis(TVMQ_TYPE_U8, 33, 513, true, false, false);
  check_axis(TVMQ_TYPE_U8, 8, 16, false, true, false);
  check_axis(TVMQ_TYPE_U8, 3, 7, false, false, true);  // sevenths are not exact
  const struct tvmq_resize_desc fine = {
      .in_type = TVMQ_TYPE_U8, .out_type = TVMQ_TYPE_U8, .batch = 1, .in_h = 33, .in_w = 33, .channels = 2, .out_h = 513, .out_w = 513, .align_corners = true};
  CHECK_STRING(tvmq_claim_resize_bilinear(&fine), NULL, "exact on both axes");
  // Before the first input weights are up to 1.5: 15 bits are too many for both axes.
  struct tvmq_resize_desc before = fine;
  before.align_corners = false;
  before.half_pixel_centers = true;
  before.in_h = before.in_w = 2;
  before.out_h = before.out_w = 128;
  CHECK_STRING(tvmq_claim_resize_bilinear(&before), NULL, "7 bits on both axes");
  before.out_w = 256;
  CHECK_STRING(tvmq_claim_resize_bilinear(&before), "interpolation weights are not exact in float32, and runtimes round them differently", "7 and 8 bits");
  before.out_h = 1;
  CHECK_STRING(tvmq_claim_resize_bilinear(&before), NULL, "1 and 8 bits");
  struct tvmq_resize_desc beyond = fine;
  beyond.in_type = beyond.out_type = TVMQ_TYPE_S8;
  beyond.in_h = 1;
  beyond.out_h = 600;
  beyond.align_corners = false;
  CHECK_STRING(tvmq_claim_resize_bilinear(&beyond), "the reference reads past the end of the input", "a scale that is rounded up");
  return unit_report();
}
