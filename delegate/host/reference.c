#include "host/reference.h"

#include <string.h>

#include "cpu/cpu.h"
#include "cpu/machine.h"
#include "tflite/kernel_code.h"

static const struct known_runtime {
  const char *name;
  struct tvmq_key key;
  size_t bytes;
  struct tvmq_kernel_answers answers;
} known_runtimes[] = {
    {.name = "", .bytes = 0},  // the table may be empty
#define TVMQ_RUNTIME(runtime, word0, word1, size, scaling, fast, form, floats) \
  {.name = (runtime),                                                          \
   .key = {{(word0), (word1)}},                                                \
   .bytes = (size),                                                            \
   .answers = {                                                                \
       .fully_connected = TVMQ_SCALING_##scaling, .fast_math = TVMQ_FAST_MATH_##fast, .hybrid = TVMQ_HYBRID_##form, .float32 = TVMQ_FLOAT32_##floats}},
#include "host/known_runtimes.def"
#undef TVMQ_RUNTIME
};

static const struct known_runtime *find_known(const struct tvmq_kernel_code *code) {
  for (size_t i = 1; i < sizeof known_runtimes / sizeof known_runtimes[0]; i++) {
    if (known_runtimes[i].bytes == code->bytes && tvmq_key_equal(&known_runtimes[i].key, &code->key)) return &known_runtimes[i];
  }
  return NULL;
}

// The runtime's build as text, and the answers of its kernels as far as they are known or given; the others are 0.
struct identity {
  char runtime[sizeof((struct tvmq_delegate *)0)->runtime];
  struct tvmq_kernel_answers answers;
};

static void identify(TfLiteContext *context, struct identity *identity) {
  struct tvmq_kernel_code code;
  const char *why = tvmq_kernel_code_read(context, &code);
  const struct known_runtime *known = why == NULL ? find_known(&code) : NULL;
  struct tvmq_text text = {.at = identity->runtime, .size = sizeof identity->runtime};
  if (why != NULL) {
    tvmq_say(&text, "unknown: %s", why);
  } else {
    tvmq_say(&text, "%s: code %016llx%016llx of %zu bytes in %s", known != NULL ? known->name : "unknown", (unsigned long long)code.key.words[0],
             (unsigned long long)code.key.words[1], code.bytes, code.file[0] != '\0' ? code.file : "the program");
  }
  if (known != NULL) identity->answers = known->answers;
}

// Stores what was found for tvmq_delegate_info, and logs it if the build was looked up.
static void tell(struct tvmq_delegate *delegate, const struct identity *identity) {
  const struct tvmq_kernel_answers *answers = &identity->answers;
  memcpy(delegate->runtime, identity->runtime, sizeof delegate->runtime);
  tvmq_option_name("fully_connected", answers->fully_connected, delegate->fully_connected, sizeof delegate->fully_connected);
  tvmq_option_name("fast_math", answers->fast_math, delegate->fast_math, sizeof delegate->fast_math);
  tvmq_option_name("hybrid", answers->hybrid, delegate->hybrid, sizeof delegate->hybrid);
  tvmq_option_name("float32", answers->float32, delegate->float32, sizeof delegate->float32);
  if (delegate->runtime[0] == '\0') return;
  tvmq_log(delegate->options.log_severity, TVMQ_LOG_INFO, "runtime: %s; fully_connected=%s, fast_math=%s, hybrid=%s, float32=%s", delegate->runtime,
           delegate->fully_connected, delegate->fast_math, delegate->hybrid, delegate->float32);
}

struct tvmq_reference tvmq_reference_find(struct tvmq_delegate *delegate, TfLiteContext *context) {
  const struct tvmq_options *options = &delegate->options;
  struct tvmq_kernel_answers answers = options->kernels;
  struct identity identity = {.runtime = ""};
  if (answers.fully_connected == 0 || answers.fast_math == 0 || answers.hybrid == 0 || answers.float32 == 0) identify(context, &identity);
  tvmq_kernel_answers_default(&answers, &identity.answers);
  identity.answers = answers;
  if (delegate->subgraphs == NULL) tell(delegate, &identity);  // the main graph's; the others would say the same, or have no kernels
  const uint32_t cpu = options->estimate > 0 ? tvmq_machines[options->estimate - 1].cpu : tvmq_cpu_detect();
  return (struct tvmq_reference){
      .scaling = (enum tvmq_scaling)answers.fully_connected,
      .hybrid = (enum tvmq_hybrid)answers.hybrid,
      .float32 = (enum tvmq_float32)answers.float32,
      .dot_products = (cpu & TVMQ_CPU_DOTPROD) != 0,
      .fast_math = answers.fast_math == TVMQ_FAST_MATH_ON,
  };
}
