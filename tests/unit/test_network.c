// Whole networks in C: opened from bytes and files, run, resized, shared, refused; and models that are cut off or damaged
// anywhere. The argument is the path of a model.
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "network/builtin_data.h"
#include "packing/packed.h"
#include "tflite/node_kind.h"
#include "tvmq_delegate.h"
#include "tvmq_network.h"
#include "unit.h"

enum { MOST_MODEL = 8192, ERROR = 1024, MOST_OUT = 64 };

static const char *path;
static uint8_t *model;
static size_t model_bytes;
static char error[ERROR];

// Opens a copy of `n` bytes whose end sanitizers know, with an option unless `key` is NULL. The copy lives until release().
static void *copy;
static struct tvmq_network *open_copy(const uint8_t *bytes, size_t n, const char *key, const char *value) {
  const char *const keys[] = {"log_severity", key}, *const values[] = {"silent", value};
  copy = malloc(n > 0 ? n : 1);
  memcpy(copy, bytes, n);
  return tvmq_network_open(copy, n, keys, values, key != NULL ? 2 : 1, error, sizeof error);
}

static void release(struct tvmq_network *network) {
  tvmq_network_close(network);
  free(copy);
}

static struct tvmq_network *open_model(const char *key, const char *value) { return open_copy(model, model_bytes, key, value); }

// Feeds the same numbers each time. Returns the bytes of the first output, 0 if it does not run.
static size_t run(struct tvmq_network *network, uint8_t out[MOST_OUT]) {
  const struct tvmq_tensor_info *in = tvmq_network_input(network, 0), *result = tvmq_network_output(network, 0);
  unsigned long long seed = 1;
  for (size_t i = 0; i < in->bytes; i++) ((uint8_t *)in->data)[i] = (uint8_t)(unit_random(&seed) >> 56);
  if (tvmq_network_run(network) != 0 || result->bytes > MOST_OUT) return 0;
  memcpy(out, result->data, result->bytes);
  return result->bytes;
}

static uint8_t expected[MOST_OUT];
static size_t n_expected;

static void check_same(struct tvmq_network *network, const char *what) {
  uint8_t out[MOST_OUT];
  const size_t n = network != NULL ? run(network, out) : 0;
  CHECK(n == n_expected && memcmp(out, expected, n) == 0, "%s: %s", what, network != NULL ? tvmq_network_error(network) : error);
}

static void check_described(void) {
  struct tvmq_network *network = open_model(NULL, NULL);
  if (!CHECK(network != NULL, "%s", error)) return;
  const struct tvmq_tensor_info *in = tvmq_network_input(network, 0), *out = tvmq_network_output(network, 0);
  const int dims[] = {1, 8, 8, 3};
  CHECK_STRING(in->type, "uint8", "type of the input");
  CHECK(in->rank == 4 && memcmp(in->dims, dims, sizeof dims) == 0 && in->bytes == 192 && (uintptr_t)in->data % 64 == 0, "the input");
  CHECK(out->rank == 2 && out->bytes == 4 && out->scale == 1.0f / 256 && out->zero_point == 0, "the output");
  CHECK(tvmq_network_input(network, 1) == NULL && tvmq_network_input(network, -1) == NULL && tvmq_network_output(network, 1) == NULL, "the only ones");
  n_expected = run(network, expected);
  CHECK(n_expected == 4, "%s", tvmq_network_error(network));
  const void *delegate = tvmq_network_delegate(network);
  const struct tvmq_delegate_info *info = tvmq_get_delegate(delegate);
  CHECK(info != NULL && info->claimed == info->nodes && info->nodes > 8 && info->partitions == 1 && info->threads == 1, "the delegate");
  int n_tuned = 0;
  for (int i = 0; tvmq_get_node(delegate, i) != NULL; i++) n_tuned += tvmq_get_candidate(delegate, i, 0) != NULL && tvmq_get_signature(delegate, i) != NULL;
  CHECK(n_tuned > 2, "%d nodes with candidates", n_tuned);
  release(network);
}

static void check_ways_to_open(void) {
  struct tvmq_network *network = tvmq_network_open_file(path, NULL, NULL, 0, NULL, 0);
  check_same(network, "a file");
  tvmq_network_close(network);
  uint8_t *unaligned = malloc(model_bytes + 1);
  memcpy(unaligned + 1, model, model_bytes);
  network = tvmq_network_open(unaligned + 1, model_bytes, NULL, NULL, 0, error, sizeof error);
  free(unaligned);  // it has been copied
  check_same(network, "bytes at an odd address");
  tvmq_network_close(network);
  network = open_model("num_threads", "2");
  check_same(network, "two threads");
  release(network);
  tvmq_network_close(NULL);
}

static void check_failures(void) {
  static const struct {
    const char *key, *value, *error;
  } options[] = {
      {"runtime", "tensorflow", "option runtime cannot have the value 'tensorflow'; allowed: litert, tflite"},
      {"log-severity", "info", "option log_severity is given twice, the second time with value 'info'"},
      {"num_threads", NULL, "option 2 of 2 has no value"},
      {"tune", "x", "option tune cannot have the value 'x'; allowed: auto, in_order, out_of_order"},
  };
  for (size_t i = 0; i < N_ELEMENTS(options); i++) {
    struct tvmq_network *network = open_model(options[i].key, options[i].value);
    CHECK(network == NULL, "%s=%s", options[i].key, options[i].value);
    CHECK_STRING(error, options[i].error, options[i].key);
    release(network);
  }
  CHECK(tvmq_network_open(NULL, 5, NULL, NULL, 0, error, sizeof error) == NULL, "no model");
  CHECK_STRING(error, "the file has the wrong identifier", "no model");
  CHECK(tvmq_network_open(model, model_bytes, NULL, NULL, 1, error, sizeof error) == NULL, "no options");
  CHECK_STRING(error, "there are options without names or values", "no options");
  CHECK(tvmq_network_open_file("/nonexistent", NULL, NULL, 0, error, sizeof error) == NULL, "no file");
  CHECK_STRING(error, "/nonexistent: No such file or directory", "no file");
  CHECK(tvmq_network_open_file("/", NULL, NULL, 0, error, sizeof error) == NULL, "a folder");
  CHECK_STRING(error, "/: it is not a regular file", "a folder");
  CHECK(tvmq_network_open_file("/dev/null", NULL, NULL, 0, error, 6) == NULL, "a device");
  CHECK_STRING(error, "/dev/", "a text that is cut off");
}

static void check_reference(void) {
  struct tvmq_network *tflite = open_model("runtime", "tflite"), *same = tflite;
  uint8_t out[MOST_OUT];
  CHECK(tflite != NULL && run(tflite, out) == 4, "the other runtime: %s", error);
  release(same);
}

// A plan for another processor is one for the runtime's kernels there.
static void check_reference_elsewhere(void) {
  static const struct {
    const char *machine, *runtime, *fully_connected, *fast_math, *hybrid, *float32;
  } cases[] = {
      {"cortex-a72", "litert", "float64", "off", "neon", "fused"},
      {"neoverse-v1", "tflite", "fixed_point", "on", "auto", "auto"},
      {"cascade-lake", "litert", "float64", "off", "sse", "packets"},
      {"cascade-lake", "tflite", "fixed_point", "off", "portable", "library"},
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    const char *const keys[] = {"log_severity", "estimate", "runtime"}, *const values[] = {"silent", cases[i].machine, cases[i].runtime};
    struct tvmq_network *network = tvmq_network_open(model, model_bytes, keys, values, 3, error, sizeof error);
    if (!CHECK(network != NULL, "%s", error)) continue;
    const struct tvmq_delegate_info *info = tvmq_get_delegate(tvmq_network_delegate(network));
    CHECK_STRING(info->fully_connected, cases[i].fully_connected, cases[i].machine);
    CHECK_STRING(info->fast_math, cases[i].fast_math, cases[i].machine);
    CHECK_STRING(info->hybrid, cases[i].hybrid, cases[i].machine);
    CHECK_STRING(info->float32, cases[i].float32, cases[i].machine);
    tvmq_network_close(network);
  }
}

static void check_resize(void) {
  struct tvmq_network *network = open_model(NULL, NULL);
  uint8_t out[MOST_OUT];
  if (!CHECK(network != NULL, "%s", error)) return;
  CHECK(tvmq_network_resize_input(network, 0, (int[]){3, 12, 10, 3}, 4) == 0, "a resize");
  CHECK(tvmq_network_input(network, 0)->data == NULL && tvmq_network_run(network) == -1, "it waits");
  CHECK_STRING(tvmq_network_error(network), "the network is not prepared for the shapes of its inputs", "it waits");
  CHECK(tvmq_network_prepare(network) == 0 && run(network, out) == 12, "%s", tvmq_network_error(network));
  CHECK(tvmq_network_output(network, 0)->dims[0] == 3, "shape of the output");
  CHECK(tvmq_network_resize_input(network, 0, (int[]){1, 8, 8, 4}, 4) == 0 && tvmq_network_prepare(network) == -1, "too many channels");
  CHECK(strstr(tvmq_network_error(network), "cannot be prepared") != NULL, "%s", tvmq_network_error(network));
  CHECK(tvmq_network_run(network) == -1, "it does not run");
  CHECK(tvmq_network_resize_input(network, 1, (int[]){1}, 1) == -1 && tvmq_network_resize_input(network, -1, (int[]){1}, 1) == -1, "no such input");
  CHECK(tvmq_network_resize_input(network, 0, (int[9]){1}, 9) == -1 && tvmq_network_resize_input(network, 0, (int[]){-1}, 1) == -1, "no shape");
  CHECK(tvmq_network_resize_input(network, 0, (int[]){1, 8, 8, 3}, 4) == 0 && tvmq_network_prepare(network) == 0, "as before");
  check_same(network, "as before");
  release(network);
}

static void check_shared(void) {
  const size_t before = tvmq_packed_shared();
  struct tvmq_network *first = open_model("isa", "c");
  void *first_copy = copy;
  const size_t one = tvmq_packed_shared();
  struct tvmq_network *second = open_model("isa", "c");
  CHECK(one > before && tvmq_packed_shared() == one, "%zu sets of weights, then %zu", one, tvmq_packed_shared());
  check_same(first, "the first");
  check_same(second, "the second");
  tvmq_network_close(first);
  free(first_copy);
  check_same(second, "the second alone");
  release(second);
  CHECK(tvmq_packed_shared() == before, "all are released");
}

static void check_memory_failures(void) {
  size_t n = 1;
  for (struct tvmq_network *network = NULL; network == NULL && n < 10000; n++) {
    tvmq_alloc_fail_at(n);
    network = open_model(NULL, NULL);
    tvmq_alloc_fail_at(0);
    if (network == NULL) CHECK(error[0] != '\0', "failure %zu has a reason", n);
    if (network != NULL) check_same(network, "enough memory");
    release(network);
  }
  CHECK(n > 20 && n < 10000, "%zu allocations", n);
}

// Each operator whose reader wants options has them in the table of the schema, but for variables, which networks have not.
static void check_options(void) {
#define TVMQ_OPERATOR(name, code, reader) {#name, code, &tvmq_node_##reader},
  static const struct {
    const char *name;
    int32_t code;
    const struct tvmq_node_kind *kind;
  } operators[] = {
#include "operators/operators.def"
  };
  struct tvmq_flatbuffer file = {0};
  for (size_t i = 0; i < N_ELEMENTS(operators); i++) {
    union tvmq_builtin_data data;
    const bool wanted = operators[i].kind->read != NULL && operators[i].kind->state == TVMQ_STATE_NONE;
    CHECK(tvmq_read_builtin_data(&file, &(struct tvmq_table){0}, operators[i].code, &data) == wanted, "%s", operators[i].name);
  }
}

// ---- models that are cut off or damaged

static void check_truncated(void) {
  for (size_t n = 0; n < model_bytes; n++) {
    struct tvmq_network *network = open_copy(model, n, NULL, NULL);
    CHECK(network == NULL && error[0] != '\0', "%zu bytes", n);
    release(network);
  }
}

static bool is_small(struct tvmq_network *network) {
  const struct tvmq_node_info *node;
  unsigned long long macs = 0;
  for (int i = 0; (node = tvmq_get_node(tvmq_network_delegate(network), i)) != NULL; i++) macs += node->macs;
  return macs < 1 << 20 && tvmq_network_input(network, 0) != NULL && tvmq_network_input(network, 0)->bytes < 1 << 16;
}

static void check_damaged(void) {
  static const uint8_t flips[] = {0x01, 0x80, 0xff};
  uint8_t out[MOST_OUT];
  size_t n_opened = 0, n_refused = 0, n_run = 0;
  for (size_t i = 0; i < model_bytes * N_ELEMENTS(flips); i++) {
    model[i / N_ELEMENTS(flips)] ^= flips[i % N_ELEMENTS(flips)];
    struct tvmq_network *network = open_model(NULL, NULL);
    model[i / N_ELEMENTS(flips)] ^= flips[i % N_ELEMENTS(flips)];
    n_opened += network != NULL;
    n_refused += network == NULL && error[0] != '\0';
    n_run += network != NULL && is_small(network) && run(network, out) > 0;
    release(network);
  }
  CHECK(n_opened + n_refused == model_bytes * N_ELEMENTS(flips), "each is opened or refused with a reason");
  CHECK(n_refused > 100 && n_run > 100, "%zu opened, %zu refused, %zu run", n_opened, n_refused, n_run);
}

int main(int argc, char **argv) {
  static uint8_t bytes[MOST_MODEL];
  path = argc > 1 ? argv[1] : "";
  FILE *file = fopen(path, "rb");
  model = bytes;
  model_bytes = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
  if (file != NULL) fclose(file);
  if (!CHECK(model_bytes > 0 && model_bytes < MOST_MODEL, "model %s", path)) return unit_report();
  const size_t blocks = tvmq_alloc_live();
  check_described();
  check_ways_to_open();
  check_failures();
  check_reference();
  check_reference_elsewhere();
  check_options();
  check_resize();
  check_shared();
  check_memory_failures();
  check_truncated();
  check_damaged();
  CHECK(tvmq_alloc_live() == blocks, "all memory is released");
  return unit_report();
}
