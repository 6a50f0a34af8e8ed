#include "opencl/self_test.h"

#include "arithmetic/stage.h"
#include "base/memory.h"
#include "opencl/network.h"
#include "opencl/self_test_values.h"

enum { N = 4096, KINDS = TVMQ_SELF_TEST_KINDS };

static const char *const kinds[KINDS] = {"conversions from int32 to float32",
                                         "fused multiply-adds",
                                         "conversions from float32 to int32",
                                         "products of four bytes",
                                         "high products",
                                         "rescaled sums",
                                         "products of 64 bits",
                                         "bytes of words"};

struct self_test {
  int32_t in[N + 1], out[KINDS * N];
};

// Fills the input with words of xorshift, and the ends of int32.
static void fill(int32_t in[N + 1]) {
  uint32_t state = 0x9e3779b9u;
  for (size_t i = 0; i <= N; i++) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    in[i] = i % 64 == 0 ? INT32_MIN : i % 64 == 1 ? INT32_MAX : i % 64 == 2 ? 0 : i % 64 == 3 ? (int32_t)state >> 20 : (int32_t)state;
  }
}

static bool compare(enum tvmq_rounding rounding, const struct self_test *test, struct tvmq_text *why) {
  for (int32_t i = 0; i < N; i++) {
    int32_t wanted[KINDS];
    tvmq_self_test_values(rounding, test->in[i], test->in[i + 1], i, wanted);
    for (size_t k = 0; k < KINDS; k++) {
      const int32_t got = test->out[k * N + (size_t)i];
      if (got == wanted[k]) continue;
      tvmq_say(why, "the self-test found wrong %s: %#x, not %#x, for %#x and %#x", kinds[k], (unsigned)got, (unsigned)wanted[k], (unsigned)test->in[i],
               (unsigned)test->in[i + 1]);
      return false;
    }
  }
  return true;
}

static bool run(struct tvmq_opencl_device *device, enum tvmq_rounding rounding, struct self_test *test, struct tvmq_text *why) {
  enum { OUT = sizeof test->in + TVMQ_ALIGNMENT - sizeof test->in % TVMQ_ALIGNMENT, GROUP = 16 };
  static const struct tvmq_opencl_border in = {0, sizeof test->in}, out = {OUT, sizeof test->out};
  const struct tvmq_opencl_memory memory = {
      .in_bytes = OUT, .out_bytes = sizeof test->out, .bytes = OUT + sizeof test->out, .ins = &in, .outs = &out, .n_ins = 1, .n_outs = 1};
  struct tvmq_opencl_plan plan = {.rounding = rounding, .dot = device->dot};
  struct tvmq_opencl_launch *const launch = tvmq_opencl_launch(&plan, "self_test", rounding);
  if (launch != NULL) {
    launch->items[0] = N;
    launch->local[0] = GROUP;
    TVMQ_OPENCL_PASS(launch, 0, OUT, N);
  }
  struct tvmq_opencl_network *const network = tvmq_opencl_network_create(device, &plan, &memory, why);
  const bool ran = network != NULL && tvmq_opencl_network_run(network, (const void *const[]){test->in}, (void *const[]){test->out}, NULL, why);
  tvmq_opencl_network_destroy(network);
  tvmq_opencl_plan_free(&plan);
  return ran && compare(rounding, test, why);
}

bool tvmq_opencl_self_test(struct tvmq_opencl_device *device, struct tvmq_text *why) {
  static const enum tvmq_rounding roundings[] = {TVMQ_ROUNDING_REFERENCE, TVMQ_ROUNDING_UPWARD, TVMQ_ROUNDING_SINGLE};
  struct self_test *const test = tvmq_alloc(sizeof *test);
  if (test == NULL) {
    tvmq_say(why, "out of memory");
    return false;
  }
  fill(test->in);
  bool passed = true;
  for (size_t i = 0; passed && i < sizeof roundings / sizeof roundings[0]; i++) passed = run(device, roundings[i], test, why);
  tvmq_free(test);
  return passed;
}
