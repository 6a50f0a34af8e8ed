// A depthwise convolution is computed as itself, or as a convolution where one channel becomes many outputs and that is estimated to cost less.
#include "cpu/ops/op.h"
#include "cpu/plan/select.h"
#include "unit.h"

enum { CHANNELS = 32, TAPS = 100 };

static const float scales[CHANNELS] = {[0 ... CHANNELS - 1] = 0.1f};
static const int8_t filter[CHANNELS * TAPS];

// in_c channels, each of which becomes `multiplier` outputs.
struct shape {
  enum tvmq_type type;
  int32_t in_h, in_w, in_c, multiplier, filter_h, filter_w, stride;
};

static union tvmq_desc describe(const struct shape *s) {
  const int32_t out_c = s->in_c * s->multiplier;
  return (union tvmq_desc){.conv = {
                               .depthwise = true,
                               .in_type = s->type,
                               .filter_type = TVMQ_TYPE_S8,
                               .out_type = s->type,
                               .bias_type = s->type == TVMQ_TYPE_S16 ? TVMQ_TYPE_S64 : TVMQ_TYPE_S32,
                               .batch = 1,
                               .in_h = s->in_h,
                               .in_w = s->in_w,
                               .in_c = s->in_c,
                               .out_h = (s->in_h + s->stride - 1) / s->stride,
                               .out_w = (s->in_w + s->stride - 1) / s->stride,
                               .out_c = out_c,
                               .filter_h = s->filter_h,
                               .filter_w = s->filter_w,
                               .filter_c = 1,
                               .stride_h = s->stride,
                               .stride_w = s->stride,
                               .dilation_h = 1,
                               .dilation_w = 1,
                               .depth_multiplier = s->multiplier,
                               .padding = TVMQ_PADDING_SAME,
                               .in = {.scale = 0.5f},
                               .out = {.scale = 0.5f},
                               .filter_scales = scales,
                               .n_filter_scales = out_c,
                               .filter = filter,
                           }};
}

// Plans it so, too: the class that is chosen names a kernel of its own family.
static void check_on(const struct tvmq_machine *machine, const char *name, uint32_t cpu, const struct shape *shape, bool as_conv) {
  const union tvmq_desc desc = describe(shape);
  struct tvmq_budget transformed = {0};
  struct tvmq_scratch scratch = {0};
  const struct tvmq_env env = {.cpu = cpu, .machine = machine, .winograd = TVMQ_WINOGRAD_OFF, .transformed = &transformed, .scratch = &scratch};
  CHECK_STRING(tvmq_operator_depthwise.claim(&desc), NULL, name);
  const struct tvmq_implementation *class = tvmq_op_computed_by(&tvmq_op_depthwise, &desc, &env);
  CHECK(class == (as_conv ? &tvmq_op_conv : &tvmq_op_depthwise), "%s, cpu %#x", name, cpu);
  struct tvmq_op *op = NULL;
  if (CHECK(class->plan(&op, &desc, &env) == NULL, "%s, cpu %#x", name, cpu)) {
    struct tvmq_op_info info = {0};
    class->info(op, &info);
    CHECK((strstr(info.kernel, as_conv ? "tvmq_gemm" : "tvmq_depthwise") == info.kernel), "%s, cpu %#x: %s", name, cpu, info.kernel);
  }
  tvmq_op_release(class, op);
  tvmq_scratch_free(&scratch);
}

static void check(const char *name, uint32_t cpu, const struct shape *shape, bool as_conv) {
  check_on(tvmq_machine_named("sapphire-rapids"), name, cpu, shape, as_conv);
}

static const struct tvmq_machine *arm(bool in_order) { return tvmq_machine_named(in_order ? "arm-in-order" : "arm-out-of-order"); }

// The layers: micro_speech's, and 3x3 ones.
static const struct shape speech = {TVMQ_TYPE_S8, 49, 40, 1, 8, 10, 8, 2}, grouped = {TVMQ_TYPE_S8, 32, 32, 4, 2, 3, 3, 1},
                          single = {TVMQ_TYPE_S8, 32, 32, 1, 1, 3, 3, 1}, twofold = {TVMQ_TYPE_S8, 32, 32, 1, 2, 3, 3, 1},
                          strided = {TVMQ_TYPE_S8, 32, 32, 1, 16, 3, 3, 2}, wide = {TVMQ_TYPE_S16, 32, 32, 1, 2, 3, 3, 1};

int main(void) {
  check("one to one", 0, &single, false);
  check("many channels", 0, &grouped, false);
  const uint32_t avx512vnni = TVMQ_CPU_AVX2 | TVMQ_CPU_AVX512VNNI;
  check("micro_speech", avx512vnni, &speech, true);
  check("twofold", avx512vnni, &twofold, true);
  check("many channels", avx512vnni, &grouped, false);
  check("micro_speech", TVMQ_CPU_AVX2, &speech, true);
  check("twofold of 16 bits", TVMQ_CPU_AVX2, &wide, true);
  check("strided", TVMQ_CPU_AVX2, &strided, true);
  for (int in_order = 0; in_order < 2; in_order++) {
    const struct tvmq_machine *machine = arm(in_order);
    const uint32_t dotprod = TVMQ_CPU_NEON | TVMQ_CPU_DOTPROD;
    check_on(machine, "micro_speech", dotprod, &speech, true);
    check_on(machine, "twofold", dotprod, &twofold, true);
    check_on(machine, "strided", dotprod, &strided, true);
    check_on(machine, "many channels", dotprod, &grouped, false);
  }
  // The portable gemm of 64-bit sums is slower than the depthwise kernel.
  for (int in_order = 0; in_order < 2; in_order++) {
    const struct tvmq_target target = {.cpu = TVMQ_CPU_NEON, .machine = arm(in_order)};
    const struct tvmq_gemm_problem gemm = {.m = 32 * 32, .n = 2, .k = 9, .n_taps = 1, .acc_bytes = 8, .target = target};
    float cycles;
    const struct tvmq_variant *v = tvmq_select_gemm(TVMQ_FAMILY_GEMM_S16, &gemm, &cycles);
    check_on(target.machine, "twofold of 16 bits", target.cpu, &wide, (v->cpu & TVMQ_CPU_NEON) != 0);
  }
  return unit_report();
}
