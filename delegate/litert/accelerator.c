// The delegate as an accelerator of LiteRT's CompiledModel.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "litert/configuration.h"
#include "litert/cpu_options.h"
#include "litert/litert_abi.h"
#include "litert/live.h"
#include "litert/plugin.h"

#pragma GCC visibility push(default)
#include "tvmq_accelerator.h"
extern LiteRtAcceleratorDef LiteRtAcceleratorImpl;
#pragma GCC visibility pop

const void *tvmq_accelerator_delegate(int index) { return tvmq_live_at(index); }

static void complain(const char *what) { tvmq_plugin_complain("CompiledModel", what); }

static void destroy_delegate(void *delegate) {
  tvmq_live_remove(delegate);
  tvmq_plugin_destroy(delegate);
}

// ---- callbacks of the runtime

static LiteRtStatus get_name(LiteRtAccelerator accelerator, const char **name) {
  (void)accelerator;
  if (name == NULL) return kLiteRtStatusErrorInvalidArgument;
  *name = "tvmq-delegate";
  return kLiteRtStatusOk;
}

static LiteRtStatus get_version(LiteRtAccelerator accelerator, LiteRtApiVersion *version) {
  (void)accelerator;
  if (version == NULL) return kLiteRtStatusErrorInvalidArgument;
  *version = (LiteRtApiVersion){.major = 1};
  return kLiteRtStatusOk;
}

static const LiteRtAcceleratorDef *gpu;  // the GPU accelerator that this one replaces, or NULL

static LiteRtStatus get_hardware_support(LiteRtAccelerator accelerator, int *hardware) {
  (void)accelerator;
  if (hardware == NULL) return kLiteRtStatusErrorInvalidArgument;
  *hardware = kLiteRtHwAcceleratorCpu | (gpu != NULL ? kLiteRtHwAcceleratorGpu : 0);
  return kLiteRtStatusOk;
}

// Always responsible: the runtime creates the delegate only for models that request hardware which the accelerator
// supports.
static LiteRtStatus is_responsible(LiteRtAccelerator accelerator, bool *responsible) {
  (void)accelerator;
  if (responsible == NULL) return kLiteRtStatusErrorInvalidArgument;
  *responsible = true;
  return kLiteRtStatusOk;
}

// Returns the model's CPU options as text, or NULL if there are none.
static const char *find_cpu_options(const LiteRtRuntimeContext *context, LiteRtOptions options) {
  LiteRtOpaqueOptions opaque = NULL;
  void *text = NULL;
  if (context->get_opaque_options(options, &opaque) != kLiteRtStatusOk) return NULL;
  return context->find_opaque_options_data(opaque, "xnnpack", &text) == kLiteRtStatusOk ? text : NULL;
}

// Returns whether the GPU accelerator gets the model. If the runtime does not tell which hardware the model requests,
// the GPU accelerator gets it.
static bool wants_gpu(const LiteRtRuntimeContext *context, LiteRtOptions options) {
  int hardware = kLiteRtHwAcceleratorGpu;
  if (gpu != NULL && LITERT_HAS(context, get_options_hardware_accelerators)) context->get_options_hardware_accelerators(options, &hardware);
  return gpu != NULL && (hardware & kLiteRtHwAcceleratorGpu) != 0;
}

// Adds options of the model that the configuration does not set.
static bool complete(struct tvmq_settings *settings, const struct tvmq_cpu_options *cpu) {
  const bool threads = tvmq_settings_get(settings, "num_threads") != NULL || cpu->num_threads[0] == '\0';
  const bool scaling = tvmq_settings_get(settings, "fully_connected") != NULL;
  return (threads || tvmq_settings_put(settings, "num_threads", cpu->num_threads)) && (scaling || tvmq_settings_put(settings, "fully_connected", "float64"));
}

// Creates a delegate for the model. Leaves *wrapper NULL if the model is for another accelerator.
static LiteRtStatus hand_out(LiteRtRuntimeContext *context, LiteRtOptions options, struct tvmq_configuration *configuration, LiteRtDelegateWrapper *wrapper) {
  if (!configuration->enabled) return kLiteRtStatusOk;
  struct tvmq_cpu_options *cpu = &(struct tvmq_cpu_options){0};
  struct tvmq_settings *settings = &configuration->settings;
  if (!tvmq_cpu_options_read(find_cpu_options(context, options), cpu) || !complete(settings, cpu)) {
    complain("the model's CPU options cannot be read");
    return kLiteRtStatusErrorInvalidArgument;
  }
  if (!cpu->delegates) return kLiteRtStatusOk;
  if (!tvmq_plugin_load(configuration, complain)) return kLiteRtStatusErrorRuntimeFailure;
  void *delegate = tvmq_plugin_create(settings, complain);
  if (delegate == NULL) return kLiteRtStatusErrorInvalidArgument;
  if (!tvmq_live_add(delegate) || context->wrap_delegate(delegate, destroy_delegate, wrapper) != kLiteRtStatusOk) {
    destroy_delegate(delegate);
    complain("the runtime does not accept the delegate");
    return kLiteRtStatusErrorRuntimeFailure;
  }
  return kLiteRtStatusOk;
}

static LiteRtStatus create_delegate(LiteRtRuntimeContext *context, LiteRtEnvironment environment, LiteRtAccelerator accelerator, LiteRtOptions options,
                                    LiteRtDelegateWrapper *wrapper) {
  if (context == NULL || wrapper == NULL) return kLiteRtStatusErrorInvalidArgument;
  *wrapper = NULL;
  if (!LITERT_HAS(context, wrap_delegate) || !LITERT_HAS(context, get_opaque_options) || !LITERT_HAS(context, find_opaque_options_data)) {
    tvmq_log(TVMQ_LOG_VERBOSE, TVMQ_LOG_ERROR, "CompiledModel: unknown interface %d.%d of %d bytes; the model is left to the runtime",
             context->abi_header.major_version, context->abi_header.minor_version, context->abi_header.struct_size);
    return kLiteRtStatusOk;
  }
  if (wants_gpu(context, options)) return gpu->create_delegate(context, environment, accelerator, options, wrapper);
  struct tvmq_configuration *configuration = tvmq_configuration_read(&LiteRtAcceleratorImpl);
  if (configuration == NULL || configuration->complaint[0] != '\0') {
    complain(configuration != NULL ? configuration->complaint : "out of memory");
    free(configuration);
    return kLiteRtStatusErrorInvalidArgument;
  }
  const LiteRtStatus status = hand_out(context, options, configuration, wrapper);
  free(configuration);
  return status;
}

LiteRtAcceleratorDef LiteRtAcceleratorImpl = {
    .abi_header = {.struct_size = sizeof(LiteRtAcceleratorDef), .major_version = LITERT_ABI_MAJOR},
    .get_name = get_name,
    .get_version = get_version,
    .get_hardware_support = get_hardware_support,
    .is_delegate_responsible_for_jit = is_responsible,
    .create_delegate = create_delegate,
    .buffer_handlers = {.device_tag = kLiteRtEnvOptionTagNull, .queue_tag = kLiteRtEnvOptionTagNull},
};

// ---- the GPU accelerator that this one replaces

static bool fits(const LiteRtAcceleratorDef *def) {
  return def != NULL && def->abi_header.major_version == LITERT_ABI_MAJOR && def->abi_header.struct_size >= sizeof *def && def->create_delegate != NULL;
}

// Loads the GPU accelerator as soon as this library is loaded, because the runtime then immediately reads the buffer
// handlers.
__attribute__((constructor)) static void chain(void) {
  struct tvmq_configuration *configuration = tvmq_configuration_read(&LiteRtAcceleratorImpl);
  if (configuration != NULL && configuration->gpu_accelerator != NULL) {
    void *library = dlopen(configuration->gpu_accelerator, RTLD_NOW | RTLD_LOCAL);
    const LiteRtAcceleratorDef *def = library != NULL ? dlsym(library, "LiteRtAcceleratorImpl") : NULL;
    if (fits(def)) {
      gpu = def;
      LiteRtAcceleratorImpl.buffer_handlers = def->buffer_handlers;
    } else {
      const char *why = dlerror();
      complain(why != NULL ? why : "the library of gpu_accelerator has an unknown interface and is not used");
    }
  }
  free(configuration);
}

int tvmq_accelerator_configure(const char *lines) {
  if (!tvmq_configuration_tell(lines)) return -1;
  chain();
  return 0;
}
