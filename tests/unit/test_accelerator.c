// The accelerator of LiteRT's CompiledModel: what it makes of text, and what it does with runtimes that it knows and that it does not.
#define _GNU_SOURCE
#include <stdlib.h>

#include "litert/cpu_options.h"
#include "litert/litert_abi.h"
#include "tvmq_accelerator.h"
#include "unit.h"

extern LiteRtAcceleratorDef LiteRtAcceleratorImpl;

static void test_settings(void) {
  static const struct {
    const char *text;
    char separator;
    bool read;
    size_t n;
    const char *a, *b;
  } rows[] = {
      {"", '\0', true, 0, NULL, NULL},
      {"a=1\nb = 2 \n", '\0', true, 2, "1", "2"},
      {"a=1;b=2", ';', true, 2, "1", "2"},
      {"a=1;b=2", '\0', true, 1, "1;b=2", NULL},
      {"a=1\na=2\r\n\n # b=3\n", '\0', true, 1, "2", NULL},
      {"b=", '\0', true, 1, NULL, ""},
      {"a", '\0', false, 0, NULL, NULL},
      {"a=1\n=2", '\0', false, 1, "1", NULL},
  };
  for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
    struct tvmq_settings *settings = calloc(1, sizeof *settings);
    if (!CHECK(settings != NULL, "no memory")) return;
    CHECK(tvmq_settings_read(settings, rows[i].text, rows[i].separator) == rows[i].read, "\"%s\"", rows[i].text);
    CHECK(settings->n == rows[i].n, "\"%s\": %zu", rows[i].text, settings->n);
    CHECK_STRING(tvmq_settings_get(settings, "a"), rows[i].a, rows[i].text);
    CHECK_STRING(tvmq_settings_take(settings, "b"), rows[i].b, rows[i].text);
    CHECK_STRING(tvmq_settings_get(settings, "b"), NULL, rows[i].text);
    free(settings);
  }
}

// More than there is room for is refused, and nothing is written behind it.
static void test_settings_are_full(void) {
  struct tvmq_settings *settings = calloc(1, sizeof *settings);
  if (!CHECK(settings != NULL, "no memory")) return;
  char name[16];
  for (int i = 0; i < TVMQ_SETTINGS; i++) {
    snprintf(name, sizeof name, "n%d", i);
    CHECK(tvmq_settings_put(settings, name, "1"), "%d", i);
  }
  CHECK(!tvmq_settings_put(settings, "more", "1"), "%d", TVMQ_SETTINGS);
  char *text = malloc(TVMQ_SETTINGS_TEXT + 1);
  if (CHECK(text != NULL, "no memory")) {
    memset(text, 'x', TVMQ_SETTINGS_TEXT);
    text[TVMQ_SETTINGS_TEXT] = '\0';
    CHECK(!tvmq_settings_put(settings, "n0", text), "a long value");
  }
  free(text);
  free(settings);
}

static void test_cpu_options(void) {
  static const struct {
    const char *text;
    bool read, delegates;
    const char *num_threads;
  } rows[] = {
      {NULL, true, true, ""},
      {"", true, true, ""},
      {"num_threads = 4\n", true, true, "4"},
      {"num_threads = 0\n", true, true, "1"},
      {"kernel_mode = \"delegate\"\nnum_threads = 2\nflags = 7\n", true, true, "2"},
      {"kernel_mode = \"builtin\"\n", true, false, ""},
      {"kernel_mode = \"reference\"\n", true, false, ""},
      {"num_threads = 12345678901234567890\n", false, true, NULL},
      {"[table]\n", false, true, ""},
  };
  for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
    struct tvmq_cpu_options options;
    const char *name = rows[i].text != NULL ? rows[i].text : "NULL";
    CHECK(tvmq_cpu_options_read(rows[i].text, &options) == rows[i].read, "%s", name);
    CHECK(options.delegates == rows[i].delegates, "%s", name);
    if (rows[i].num_threads != NULL) CHECK_STRING(options.num_threads, rows[i].num_threads, name);
  }
}

// ---- a runtime

static struct {
  int calls;
  void *delegate;
  void (*destroy)(void *);
  LiteRtStatus outcome;
} wrapped;

static LiteRtStatus wrap(void *delegate, void (*destroy)(void *), LiteRtDelegateWrapper *wrapper) {
  wrapped.calls++;
  wrapped.delegate = delegate;
  wrapped.destroy = destroy;
  if (wrapped.outcome == kLiteRtStatusOk) *wrapper = (LiteRtDelegateWrapper)&wrapped;
  return wrapped.outcome;
}

static LiteRtStatus get_opaque(LiteRtOptions options, LiteRtOpaqueOptions *opaque) {
  *opaque = (LiteRtOpaqueOptions)options;
  return kLiteRtStatusOk;
}

static LiteRtStatus find_data(LiteRtOpaqueOptions opaque, const char *identifier, void **data) {
  *data = opaque;
  return opaque != NULL && strcmp(identifier, "xnnpack") == 0 ? kLiteRtStatusOk : kLiteRtStatusErrorNotFound;
}

static LiteRtRuntimeContext runtime(uint16_t major, uint16_t minor, size_t size) {
  return (LiteRtRuntimeContext){
      .abi_header = {.struct_size = (uint16_t)size, .major_version = major, .minor_version = minor},
      .get_opaque_options = get_opaque,
      .find_opaque_options_data = find_data,
      .wrap_delegate = wrap,
  };
}

// Calls create_delegate for a runtime and the CPU options of a model.
static void check_created(LiteRtRuntimeContext context, const char *options, LiteRtStatus status, bool has_delegate, const char *name) {
  LiteRtDelegateWrapper wrapper = (LiteRtDelegateWrapper)&context;
  char text[64];
  snprintf(text, sizeof text, "%s", options);
  wrapped.calls = 0;
  CHECK(LiteRtAcceleratorImpl.create_delegate(&context, NULL, NULL, (LiteRtOptions)text, &wrapper) == status, "%s", name);
  CHECK((wrapper != NULL) == has_delegate, "%s", name);
  CHECK(wrapped.calls == (has_delegate || wrapped.outcome != kLiteRtStatusOk), "%s: %d", name, wrapped.calls);
  CHECK(tvmq_accelerator_delegate(0) == (has_delegate ? wrapped.delegate : NULL), "%s", name);
  if (has_delegate) wrapped.destroy(wrapped.delegate);
  CHECK(tvmq_accelerator_delegate(0) == NULL, "%s", name);
}

static void test_runtimes(void) {
  const size_t oldest = offsetof(LiteRtRuntimeContext, get_options_hardware_accelerators);  // of LiteRT 2.2
  check_created(runtime(1, 0, oldest), "", kLiteRtStatusOk, true, "2.2");
  check_created(runtime(1, 2, 416), "num_threads = 1\n", kLiteRtStatusOk, true, "2.3");
  check_created(runtime(1, 0, oldest), "kernel_mode = \"builtin\"\n", kLiteRtStatusOk, false, "builtin");
  check_created(runtime(1, 0, oldest), "[table]\n", kLiteRtStatusErrorInvalidArgument, false, "unreadable");
  check_created(runtime(2, 0, 416), "", kLiteRtStatusOk, false, "another version");
  check_created(runtime(0, 0, 0), "", kLiteRtStatusOk, false, "2.1");
  check_created(runtime(1, 0, offsetof(LiteRtRuntimeContext, wrap_delegate)), "", kLiteRtStatusOk, false, "too short");
  LiteRtRuntimeContext without = runtime(1, 0, oldest);
  without.find_opaque_options_data = NULL;
  check_created(without, "", kLiteRtStatusOk, false, "without a function");
  wrapped.outcome = kLiteRtStatusErrorRuntimeFailure;
  check_created(runtime(1, 0, oldest), "", kLiteRtStatusErrorRuntimeFailure, false, "refused by the runtime");
  wrapped.outcome = kLiteRtStatusOk;
}

// Options from the process precede those of the variable; what cannot be read changes nothing.
static void test_configured(void) {
  static char many[TVMQ_SETTINGS_TEXT + 16];
  memset(many, 'x', sizeof many - 1);
  many[1] = '=';
  const LiteRtRuntimeContext context = runtime(1, 2, 416);
  CHECK(tvmq_accelerator_configure("enabled=false\n") == 0, "lines");
  check_created(context, "", kLiteRtStatusOk, false, "configured");
  CHECK(tvmq_accelerator_configure("enabled") == -1 && tvmq_accelerator_configure(many) == -1, "lines that cannot be read");
  check_created(context, "", kLiteRtStatusOk, false, "still configured");
  CHECK(tvmq_accelerator_configure("isa=none of all\n") == 0, "other lines");
  check_created(context, "", kLiteRtStatusErrorInvalidArgument, false, "configured anew");
  CHECK(tvmq_accelerator_configure(NULL) == 0, "no lines");
  check_created(context, "", kLiteRtStatusOk, true, "no longer configured");
}

static void test_description(void) {
  const char *name = NULL;
  int hardware = 0;
  bool responsible = false;
  LiteRtApiVersion version;
  CHECK(LiteRtAcceleratorImpl.abi_header.struct_size == 200 && LiteRtAcceleratorImpl.abi_header.major_version == 1, "header");
  CHECK(LiteRtAcceleratorImpl.get_name(NULL, &name) == kLiteRtStatusOk && name != NULL, "name");
  CHECK(LiteRtAcceleratorImpl.get_version(NULL, &version) == kLiteRtStatusOk && version.major == 1, "version");
  CHECK(LiteRtAcceleratorImpl.get_hardware_support(NULL, &hardware) == kLiteRtStatusOk && hardware == kLiteRtHwAcceleratorCpu, "%d", hardware);
  CHECK(LiteRtAcceleratorImpl.is_delegate_responsible_for_jit(NULL, &responsible) == kLiteRtStatusOk && responsible, "responsible");
  CHECK(LiteRtAcceleratorImpl.buffer_handlers.n_buffer_types == 0, "buffers");
  CHECK(tvmq_accelerator_delegate(-1) == NULL && tvmq_accelerator_delegate(1000) == NULL, "no delegates");
}

// The library of the delegate: its path is the argument.
int main(int argc, char **argv) {
  char variable[4096];
  snprintf(variable, sizeof variable, "library=%s;log_severity=silent", argc > 1 ? argv[1] : "");
  setenv("TVMQ_OPTIONS", variable, 1);
  test_settings();
  test_settings_are_full();
  test_cpu_options();
  test_description();
  test_configured();
  test_runtimes();
  return unit_report();
}
