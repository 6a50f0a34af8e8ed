// Threads that share the packing of a convolution make the same panels and invariants as one.
#include "cpu/cpu.h"
#include "cpu/machine.h"
#include "cpu/ops/conv/conv.h"
#include "packing/packed.h"
#include "unit.h"

enum { IN = 128, OUT = 144, TAPS = 9, THREADS = 3, SIZE = 12 };

static float scales[OUT];
static int8_t filter[OUT * TAPS * IN];
static int32_t bias[OUT];

static union tvmq_desc describe(void) {
  return (union tvmq_desc){.conv = {
                               .in_type = TVMQ_TYPE_S8,
                               .filter_type = TVMQ_TYPE_S8,
                               .out_type = TVMQ_TYPE_S8,
                               .bias_type = TVMQ_TYPE_S32,
                               .batch = 1,
                               .in_h = SIZE,
                               .in_w = SIZE,
                               .in_c = IN,
                               .out_h = SIZE,
                               .out_w = SIZE,
                               .out_c = OUT,
                               .filter_h = 3,
                               .filter_w = 3,
                               .filter_c = IN,
                               .stride_h = 1,
                               .stride_w = 1,
                               .dilation_h = 1,
                               .dilation_w = 1,
                               .depth_multiplier = 1,
                               .padding = TVMQ_PADDING_SAME,
                               .in = {.scale = 0.5f, .zero_point = 3},
                               .out = {.scale = 0.5f, .zero_point = -7},
                               .filter_scales = scales,
                               .n_filter_scales = OUT,
                               .filter = filter,
                               .bias = bias,
                           }};
}

static void check(enum tvmq_winograd_use winograd, uint32_t cpu, struct tvmq_threads *pool) {
  const union tvmq_desc desc = describe();
  struct tvmq_scratch scratch[2] = {{0}};
  struct tvmq_budget transformed[2] = {{.limit = SIZE_MAX}, {.limit = SIZE_MAX}};
  struct tvmq_op *ops[2] = {NULL};
  struct tvmq_choice constraint;  // what one thread chose: several might choose another algorithm
  for (int i = 0; i < 2; i++) {
    const struct tvmq_env env = {.cpu = cpu,
                                 .machine = tvmq_machine_for(false),
                                 .winograd = winograd,
                                 .transformed = &transformed[i],
                                 .scratch = &scratch[i],
                                 .threads = i > 0 ? pool : NULL,
                                 .constraint = i > 0 ? &constraint : NULL};
    CHECK_STRING(tvmq_op_conv.plan(&ops[i], &desc, &env), NULL, "planned");
    const struct tvmq_conv_choice *choice = &((const struct tvmq_conv *)ops[i])->choice;
    constraint = (struct tvmq_choice){.algorithm = choice->algorithm->id, .variant = choice->variant};
  }
  const struct tvmq_conv *a = (const struct tvmq_conv *)ops[0], *b = (const struct tvmq_conv *)ops[1];
  const bool comparable = a->choice.algorithm == b->choice.algorithm && a->choice.variant == b->choice.variant && a->weights->bytes == b->weights->bytes;
  if (CHECK(comparable, "the same algorithm and kernel")) {
    CHECK(a->weights->bytes >= 1 << 16, "%zu bytes are worth sharing", a->weights->bytes);
    CHECK(memcmp(a->packed, b->packed, a->weights->bytes) == 0, "cpu %#x, winograd %d: panels", cpu, winograd);
    CHECK(a->weights->invariants == b->weights->invariants, "cpu %#x: invariants %u and %u", cpu, a->weights->invariants, b->weights->invariants);
  }
  for (int i = 0; i < 2; i++) {
    tvmq_op_release(&tvmq_op_conv, ops[i]);
    tvmq_scratch_free(&scratch[i]);
  }
}

int main(void) {
  unsigned long long state = 1;
  for (size_t i = 0; i < N_ELEMENTS(filter); i++) filter[i] = (int8_t)(unit_random(&state) >> 56);
  for (size_t o = 0; o < OUT; o++) {
    scales[o] = 0.001f * (1 + (float)(unit_random(&state) >> 60));
    bias[o] = (int32_t)(unit_random(&state) >> 48);
  }
  bias[OUT - 1] = INT32_MAX;  // whose accumulators exceed those of the others
  struct tvmq_threads *pool = tvmq_threads_create(THREADS);
  CHECK(pool != NULL, "a pool");
  for (enum tvmq_winograd_use winograd = TVMQ_WINOGRAD_AUTO; winograd <= TVMQ_WINOGRAD_OFF; winograd++) {
    check(winograd, tvmq_cpu_detect(), pool);
    check(winograd, 0, pool);
  }
  tvmq_threads_destroy(pool);
  return unit_report();
}
