// The option backend=opencl where the library, the device or a call fails: the network runs on the CPU, and says why.
//
//     test_fallback FAKE_OPENCL_LIBRARY
#include <dlfcn.h>
#include <stdlib.h>

#include "base/memory.h"
#include "fake_opencl.h"
#include "opencl/open.h"
#include "opencl/programs.h"
#include "tvmq_delegate.h"
#include "unit/fake_network.h"
#include "unit/unit.h"

enum { OUT = 4096 };

static struct {
  fake_opencl_fail_fn *fail;
  fake_opencl_calls_fn *calls, *live;
  fake_opencl_fault_fn *set_fault;
} fake;

// Outcome of two inferences of a network.
struct outcome {
  bool first_right, second_right;  // results of the reference
  bool first_fake;                 // results of the fake device
  bool offloaded;                  // at the end
  char refusal[200];               // of its first node, at the end
};

static bool is_fake(const int8_t *out, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (out[i] != FAKE_OPENCL_BYTE) return false;
  }
  return true;
}

static struct outcome run_with(const char *library, const char *device, const char *constants, const char *verify) {
  const size_t blocks = tvmq_alloc_live();
  struct outcome outcome = {0};
  struct network network = network_create(false);
  TfLiteDelegate *base = network_delegate((const char *const[]){"backend", "opencl", "opencl_library", library, "opencl_device", device, "isa", "c",
                                                                "constants", constants, "opencl_verify", verify, NULL});
  if (!CHECK(base != NULL, "%s", network_message())) return outcome;
  CHECK(fake_apply(network.graph, base) == kTfLiteOk, "%s", network.fake->error);
  int8_t got[2][OUT], wanted[2][OUT];
  for (size_t i = 0; i < 2; i++) {
    const size_t n = network_run(&network, i, got[i], OUT), n_wanted = network_reference(false, NULL, i, wanted[i], OUT);
    CHECK(n > 0 && n == n_wanted, "%s", network.fake->error);
    const bool right = memcmp(got[i], wanted[i], n) == 0;
    if (i == 0) outcome.first_fake = is_fake(got[i], n);
    *(i == 0 ? &outcome.first_right : &outcome.second_right) = right;
  }
  const struct tvmq_node_info *node = tvmq_get_node(base, 0);
  snprintf(outcome.refusal, sizeof outcome.refusal, "%s", node->refusal);
  outcome.offloaded = strcmp(node->algorithm, "OpenCL") == 0;
  CHECK(node->claimed == 1, "%s", node->reason);
  fake_destroy(network.fake);
  network_delegate_destroy(base);
  CHECK(tvmq_alloc_live() == blocks, "%zu blocks left", tvmq_alloc_live() - blocks);
  return outcome;
}

// Results of the fake device are not compared with the CPU's.
static struct outcome run(const char *library, const char *device) { return run_with(library, device, "assume", "0"); }

static void check_cpu(const struct outcome *outcome, const char *refusal, const char *what) {
  CHECK(outcome->first_right && outcome->second_right && !outcome->offloaded, "%s: results %d %d, offloaded %d", what, outcome->first_right,
        outcome->second_right, outcome->offloaded);
  CHECK(strstr(outcome->refusal, refusal) != NULL, "%s: \"%s\"", what, outcome->refusal);
}

static void check_libraries(const char *program) {
  const char *const libraries[] = {"/nonexistent/libOpenCL.so", program, "libm.so.6"};
  for (size_t i = 0; i < N_ELEMENTS(libraries); i++) {
    const struct outcome outcome = run(libraries[i], "auto");
    check_cpu(&outcome, "no device", libraries[i]);
  }
}

static void check_devices(const char *library) {
  static const enum fake_opencl_fault faults[] = {FAKE_OPENCL_NO_DEVICE, FAKE_OPENCL_NO_COMPILER,     FAKE_OPENCL_NO_FMA,
                                                  FAKE_OPENCL_OLD,       FAKE_OPENCL_GPU_WITHOUT_DOT, FAKE_OPENCL_WRONG_SUM};
  for (size_t i = 0; i < N_ELEMENTS(faults); i++) {
    char what[32];
    snprintf(what, sizeof what, "fault %d", (int)faults[i]);
    fake.set_fault(faults[i]);
    const struct outcome outcome = run(library, "auto");
    check_cpu(&outcome, "no device", what);
    CHECK(fake.live() == 0, "%s: %d objects left", what, fake.live());
  }
  fake.set_fault(FAKE_OPENCL_SOUND);
  const struct outcome other = run(library, "Mali");
  check_cpu(&other, "no device", "another device");
}

// Another path of the library, which is therefore opened anew.
static const char *alias(const char *library, int number) {
  static char path[1000];
  const char *const base = strrchr(library, '/') + 1;
  int length = snprintf(path, sizeof path, "%.*s", (int)(base - library), library);
  for (int i = 0; i < number && length + 2 < (int)sizeof path; i++) length += snprintf(path + length, sizeof path - (size_t)length, "./");
  snprintf(path + length, sizeof path - (size_t)length, "%s", base);
  return path;
}

// Has call 1, 2, ... fail until none does: of the calls that open the device, or else only of those that use it. Either the
// device computes both inferences all the same, or the CPU does from the failure on. Returns how many failures made the CPU
// compute.
static int check_calls(const char *library, bool opens) {
  int on_cpu = 0;
  for (int call = 1;; call++) {
    const int kept = fake.live();
    fake.fail(call);
    const struct outcome outcome = run(opens ? alias(library, call) : library, "auto");
    const bool failed = fake.calls() >= call;
    fake.fail(0);
    CHECK(outcome.offloaded || outcome.refusal[0] != '\0', "call %d: no reason", call);
    CHECK(outcome.offloaded ? outcome.first_fake : outcome.second_right && (outcome.first_right || outcome.first_fake), "call %d: wrong results", call);
    const bool opened = strstr(outcome.refusal, "no device") == NULL;  // devices stay open
    CHECK((opens && opened) || fake.live() == kept, "call %d: %d objects left", call, fake.live() - kept);
    on_cpu += !outcome.offloaded;
    if (!failed) return on_cpu;
  }
}

// A program is built of all of its options or not at all.
static void check_options(const char *library) {
  char options[TVMQ_CL_OPTIONS], reason[200] = "";
  struct tvmq_text why = {.at = reason, .size = sizeof reason};
  struct tvmq_opencl_device *const device = tvmq_opencl_open(library, "auto", &why);
  if (!CHECK(device != NULL, "%s", reason)) return;
  memset(options, ' ', sizeof options);
  options[sizeof options - 1] = '\0';
  CHECK(tvmq_opencl_kernel(device, "conv", options, &why) == NULL && strstr(reason, "too long") != NULL, "options that may be cut off: %s", reason);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  void *const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!CHECK(library != NULL, "%s", dlerror())) return unit_report();
  *(void **)&fake.fail = dlsym(library, "fake_opencl_fail");
  *(void **)&fake.calls = dlsym(library, "fake_opencl_calls");
  *(void **)&fake.live = dlsym(library, "fake_opencl_live");
  *(void **)&fake.set_fault = dlsym(library, "fake_opencl_set_fault");
  check_libraries(argv[0]);
  check_devices(argv[1]);
  const int opening = check_calls(argv[1], true);
  const struct outcome sound = run(argv[1], "auto"), changed = run_with(argv[1], "auto", "verify", "0"), verified = run_with(argv[1], "auto", "assume", "1");
  CHECK(sound.offloaded && sound.first_fake && sound.refusal[0] == '\0', "the fake device is not used: %s", sound.refusal);
  check_cpu(&changed, "constants=verify", "constants=verify");
  check_cpu(&verified, "other results", "opencl_verify=1");
  check_options(argv[1]);
  const int running = check_calls(argv[1], false);
  CHECK(running > 20 && opening > running + 60, "%d failures when opening and %d when running", opening, running);
  return unit_report();
}
