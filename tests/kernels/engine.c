#include "engine.h"

#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "cpu/cpu.h"

bool check_quick;

static struct {
  const char *program, *filter, *shape;
  uint64_t seed;
  int calls;
  bool list, bench, counted;
} options = {.filter = ""};

static struct {
  unsigned passed, failed, skipped;
} totals;

// The function being checked: how many cases it has seen, the last of them, and where a failure jumps to.
static size_t cases;
static char parameters[512], message[1024];
static sigjmp_buf escape;
static volatile sig_atomic_t guarded;  // a check runs, so a fault is its failure

static const struct check_family *const families[TVMQ_N_FAMILIES] = {
    [TVMQ_FAMILY_GEMM_S8] = &check_gemm,
    [TVMQ_FAMILY_GEMM_S16] = &check_gemm,
    [TVMQ_FAMILY_DEPTHWISE_S8] = &check_depthwise,
    [TVMQ_FAMILY_DEPTHWISE_S16] = &check_depthwise,
    [TVMQ_FAMILY_QUANTIZE] = &check_quantize,
    [TVMQ_FAMILY_BYTE_MAP] = &check_byte_map,
    [TVMQ_FAMILY_WORD_MAP] = &check_word_map,
    [TVMQ_FAMILY_ADD] = &check_add,
    [TVMQ_FAMILY_FLOAT_RANGE] = &check_float_range,
    [TVMQ_FAMILY_FLOAT_QUANTIZE] = &check_float_quantize,
    [TVMQ_FAMILY_FLOAT_DEQUANTIZE] = &check_float_dequantize,
    [TVMQ_FAMILY_FLOAT_PAIR] = &check_float_pair,
    [TVMQ_FAMILY_FLOAT_MAP] = &check_float_map,
    [TVMQ_FAMILY_FLOAT_POOL] = &check_float_pool,
    [TVMQ_FAMILY_FLOAT_FUNCTION] = &check_float_function,
    [TVMQ_FAMILY_FLOAT_SOFTMAX] = &check_float_softmax,
    [TVMQ_FAMILY_FLOAT_PRODUCT] = &check_float_product,
    [TVMQ_FAMILY_INTERPOLATE] = &check_interpolate,
    [TVMQ_FAMILY_ROW_SUMS] = &check_row_sums,
    [TVMQ_FAMILY_MUL] = &check_mul,
    [TVMQ_FAMILY_SOFTMAX] = &check_softmax,
    [TVMQ_FAMILY_ARG_MAX] = &check_arg_max,
    [TVMQ_FAMILY_MAXIMUM] = &check_maximum,
    [TVMQ_FAMILY_TRANSPOSE] = &check_transpose,
    [TVMQ_FAMILY_AVERAGE_POOL] = &check_pool,
    [TVMQ_FAMILY_MAX_POOL] = &check_pool,
    [TVMQ_FAMILY_WINOGRAD_INPUT] = &check_winograd_input,
    [TVMQ_FAMILY_WINOGRAD_GEMM] = &check_winograd_gemm,
    [TVMQ_FAMILY_WINOGRAD_OUTPUT] = &check_winograd_output,
};
static const struct check *const stand_alone[] = {check_stage, check_layout, check_pack, check_pack_winograd};

void check_case(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(parameters, sizeof parameters, format, arguments);
  va_end(arguments);
  cases++;
}

void check_more(size_t n) { cases += n; }

void check_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  siglongjmp(escape, 1);
}

static void on_fault(int number, siginfo_t *info, void *context) {
  (void)context;
  if (!guarded) {
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  if (number == SIGSEGV || number == SIGBUS) {
    check_fail("%s at address %p", strsignal(number), info->si_addr);
  }
  check_fail("%s", strsignal(number));
}

static void catch_faults(void) {
  static const int faults[] = {SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGABRT, SIGTRAP};
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) sigaction(faults[i], &action, NULL);
}

static bool selected(const char *name) { return strstr(name, options.filter) != NULL; }

// Runs one function's check; false if it ended in check_fail(). `variant` is NULL for a check that stands alone.
static bool holds(void (*alone)(void), const struct tvmq_variant *variant) {
  if (sigsetjmp(escape, 1)) return false;
  if (variant) {
    if (!families[variant->family]) check_fail("there is no check for the variant's family");
    families[variant->family]->check(variant);
  } else {
    alone();
  }
  if (cases == 0) check_fail("the check has tried no case");
  return true;
}

static void run(const char *name, void (*alone)(void), const struct tvmq_variant *variant) {
  check_random_seed(options.seed, name);
  cases = 0;
  parameters[0] = '\0';
  guarded = 1;
  const bool ok = holds(alone, variant);
  guarded = 0;
  if (ok) {
    totals.passed++;
    printf("  %-44s ok  %9zu cases\n", name, cases);
  } else {
    totals.failed++;
    printf("  %-44s FAILED\n    case %zu: %s\n    %s\n    repeat: %s --seed %" PRIu64 " --filter %s%s\n", name, cases, parameters, message, options.program,
           options.seed, name, check_quick ? " --quick" : "");
  }
  fflush(stdout);
}

static void list_or_run(const char *name, void (*alone)(void), const struct tvmq_variant *variant) {
  if (!selected(name)) return;
  if (options.list) {
    puts(name);
  } else {
    run(name, alone, variant);
  }
}

// Tiers from the least instruction set up, each tested on its own: a variant belongs to the first tier that has every feature it needs.
static const struct tvmq_isa *tier_of(const struct tvmq_variant *variant) {
  for (size_t i = 0; i < tvmq_n_isas; i++) {
    if ((variant->cpu & ~tvmq_isas[i].cpu) == 0) return &tvmq_isas[i];
  }
  return NULL;
}

static void skip(const struct tvmq_variant *variant) {
  if (!selected(variant->name)) return;
  totals.skipped++;
  printf("  %-44s skipped: this CPU lacks what it needs\n", variant->name);
}

static void check_tier(const struct tvmq_isa *tier, uint32_t cpu) {
  bool titled = false;
  for (size_t i = 0; i < tvmq_n_variants; i++) {
    const struct tvmq_variant *variant = &tvmq_variants[i];
    if (tier_of(variant) != tier || variant->fn.gemm == NULL || !selected(variant->name)) continue;
    if (!titled && !options.list) printf("%s\n", tier ? tier->name : "in no tier of tvmq_isas");
    titled = true;
    if (tvmq_runs_on(variant, cpu) || options.list) {
      list_or_run(variant->name, NULL, variant);
    } else {
      skip(variant);
    }
  }
}

static bool family_selected(enum tvmq_family family) {
  for (size_t i = 0; i < tvmq_n_variants; i++) {
    if (tvmq_variants[i].family == family && selected(tvmq_variants[i].name)) return true;
  }
  return false;
}

// Runs what an emulator counts: nothing but calls, the same ones in every process of the same arguments.
static void bench_counted(uint32_t cpu) {
  check_random_seed(options.seed, "bench");
  check_bench_counted(options.calls, options.shape);
  for (size_t i = 0; i < tvmq_n_variants; i++) {
    const struct tvmq_variant *variant = &tvmq_variants[i];
    if (selected(variant->name) && tvmq_runs_on(variant, cpu)) families[variant->family]->bench(variant);
  }
}

// Portable variants are timed even if the filter leaves them out, since the others are compared with them.
static void bench(uint32_t cpu) {
  printf("%-46s %-36s %9s %9s\n", "bench", "", "work/ns", "to C");
  check_random_seed(options.seed, "bench");
  for (size_t i = 0; i < tvmq_n_variants; i++) {
    const struct tvmq_variant *variant = &tvmq_variants[i];
    check_bench_quiet(!selected(variant->name));
    if (selected(variant->name) ? tvmq_runs_on(variant, cpu) : variant->cpu == 0 && family_selected(variant->family)) families[variant->family]->bench(variant);
  }
}

static _Noreturn void usage(const char *wrong) {
  fprintf(stderr, "%s%susage: %s [--seed N] [--filter SUBSTRING] [--quick] [--bench] [--list] [--calls N [--shape SHAPE]]\n", wrong ? wrong : "",
          wrong ? "\n" : "", options.program);
  exit(wrong ? 2 : 0);
}

static void parse(int argc, char **argv) {
  options.program = argv[0];
  options.seed = (uint64_t)time(NULL);
  for (int i = 1; i < argc; i++) {
    const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(name, "--quick") == 0) {
      check_quick = true;
    } else if (strcmp(name, "--bench") == 0) {
      options.bench = true;
    } else if (strcmp(name, "--list") == 0) {
      options.list = true;
    } else if (strcmp(name, "--filter") == 0 && value) {
      options.filter = argv[++i];
    } else if (strcmp(name, "--shape") == 0 && value) {
      options.shape = argv[++i];
    } else if (strcmp(name, "--calls") == 0 && value) {
      options.counted = true;
      options.calls = atoi(argv[++i]);
    } else if (strcmp(name, "--seed") == 0 && value) {
      char *end;
      options.seed = strtoull(argv[++i], &end, 0);
      if (*value == '\0' || *end != '\0') usage("--seed takes a number");
    } else {
      usage(strcmp(name, "--help") == 0 ? NULL : name);
    }
  }
}

int main(int argc, char **argv) {
  parse(argc, argv);
  const uint32_t cpu = tvmq_cpu_detect();
  if (options.counted) {
    bench_counted(cpu);
    return 0;
  }
  if (!options.list) printf("%s, seed %" PRIu64 "\n", tvmq_cpu_name(), options.seed);
  catch_faults();
  for (size_t list = 0; list < sizeof stand_alone / sizeof stand_alone[0]; list++) {
    for (const struct check *check = stand_alone[list]; check->name; check++) list_or_run(check->name, check->run, NULL);
  }
  for (size_t i = 0; i < tvmq_n_isas; i++) check_tier(&tvmq_isas[i], cpu);
  check_tier(NULL, cpu);
  if (options.list) return 0;
  printf("%u passed, %u failed, %u skipped\n", totals.passed, totals.failed, totals.skipped);
  if (totals.failed == 0 && totals.passed + totals.skipped == 0) usage("no function has that in its name");
  if (options.bench && totals.failed) fprintf(stderr, "no bench while a check fails\n");
  if (options.bench && !totals.failed) bench(cpu);
  return totals.failed != 0;
}
