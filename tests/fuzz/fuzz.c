#include "fuzz.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "support/random.h"

int64_t fuzz_pick(struct fuzz_bytes *bytes, int64_t lo, int64_t hi) {
  const uint64_t span = (uint64_t)hi - (uint64_t)lo + 1;
  uint64_t word = 0;
  for (uint64_t rest = span - 1; rest != 0 && bytes->left > 0; rest >>= 8, bytes->left--) word = word << 8 | *bytes->at++;
  return (int64_t)((uint64_t)lo + (span ? word % span : word));
}

static char about[600];
struct fuzz_counts fuzz_counts;

void fuzz_about(const char *text) { snprintf(about, sizeof about, "%s", text); }
static const struct tvmq_operator *asked;

const char *fuzz_claim(const struct tvmq_operator *op_def, const union tvmq_desc *desc) {
  const char *const why = op_def->claim(desc);
  asked = op_def;
  why ? fuzz_counts.refused++ : fuzz_counts.claimed++;
  return why;
}

void (*fuzz_also)(const struct fuzz_compared *compared);

void fuzz_fail(const char *format, ...) {
  fprintf(stderr, "%s\n", about);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  abort();
}

static struct {
  const void *read;
  size_t bytes;
} tensors[FUZZ_N_CONSTANTS];

size_t fuzz_tensor_bytes(const void *read) {
  size_t bytes = 0;
  for (size_t i = 0; i < FUZZ_N_CONSTANTS; i++) bytes = tensors[i].read == read ? tensors[i].bytes : bytes;
  return bytes;
}

struct fuzz_tensor fuzz_tensor(int which, size_t bytes, enum guard_side side) {
  static struct guard guard;
  if (!guard.first) guard = guard_create(FUZZ_N_CONSTANTS, FUZZ_MAX_BYTES, GUARD_READ_ONLY);
  const void *read = guard_at(&guard, (size_t)which, bytes, side);
  tensors[which].read = read;
  tensors[which].bytes = bytes;
  return (struct fuzz_tensor){read, guard_writable(&guard, read)};
}

void fuzz_numbers(void *tensor, size_t n) {
  for (size_t i = 0; i < n; i++) {
    int32_t bits;
    memcpy(&bits, (char *)tensor + i * sizeof bits, sizeof bits);
    const float number = ldexpf((float)bits, bits % 64 - 31);
    memcpy((char *)tensor + i * sizeof number, &number, sizeof number);
  }
}

float fuzz_cut(enum tvmq_activation activation, float value) {
  static const struct {
    float least, most;
  } ranges[] = {
      [TVMQ_ACTIVATION_NONE] = {-FLT_MAX, FLT_MAX},
      [TVMQ_ACTIVATION_RELU] = {0, FLT_MAX},
      [TVMQ_ACTIVATION_RELU6] = {0, 6},
      [TVMQ_ACTIVATION_RELU_N1_TO_1] = {-1, 1},
  };
  if (value < ranges[activation].least) return ranges[activation].least;
  return value > ranges[activation].most ? ranges[activation].most : value;
}

struct inference {
  const struct tvmq_implementation *op_class;
  const struct tvmq_op *op;
  struct tvmq_pass pass;
};

static void run_task(void *context, struct tvmq_task task) {
  const struct inference *inference = context;
  inference->op_class->run_task(inference->op, &inference->pass, task);
}

// A planned operator on its inputs, and what is to come of it.
struct trial {
  const void *const *in;
  const void *expected;
  size_t n;
  enum guard_side side;
  int which;  // of the outputs is compared
  void **outs;
};

static void compute(const struct tvmq_implementation *class, const struct tvmq_op *op, const struct tvmq_env *env, const struct trial *trial) {
  enum { MARGIN = 256 };
  static struct guard guard;
  static uint8_t background[MARGIN];
  if (!guard.first) {
    guard = guard_create(1, FUZZ_MAX_BYTES + MARGIN, GUARD_READ_WRITE);
    check_random_bytes(background, sizeof background);
  }
  struct tvmq_op_info info;
  class->info(op, &info);
  const size_t n = trial->n;
  uint8_t *out = guard_at(&guard, 0, n, trial->side), *margin = trial->side == GUARD_END ? out - MARGIN : out + n;
  memset(out, 0x5a, n);
  memcpy(margin, background, MARGIN);
  trial->outs[trial->which] = out;
  struct inference inference = {class, op, {.in = trial->in, .outs = trial->outs}};
  for (size_t n_tasks; (n_tasks = class->n_tasks(op, inference.pass.number)) > 0; inference.pass.number++)
    tvmq_threads_run(env->threads, n_tasks, run_task, &inference);
  char choice[120];
  snprintf(choice, sizeof choice, "%s, %s, blocks of %zu x %zu%s", info.kernel, info.algorithm, info.choice.rows, info.choice.panels,
           info.choice.flip == TVMQ_FLIP_COPY ? ", flipped copy" : "");
  for (size_t i = 0; i < n; i++) {
    const uint8_t *wanted = trial->expected;
    if (out[i] != wanted[i]) fuzz_fail("byte %zu of %zu: got %#x, want %#x (%s)", i, n, out[i], wanted[i], choice);
  }
  fuzz_counts.compared++;
  if (memcmp(margin, background, MARGIN) != 0) fuzz_fail("bytes outside the output were written (%s)", choice);
}

// Has it computed by some of its candidates: drawn at random, so that in the long run all of them are. What is listed is legal.
static void force(const struct tvmq_implementation *class, struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env,
                  const struct trial *trial) {
  enum { MOST = 512, DRAWN = 5 };
  static struct tvmq_choice list[MOST];
  const size_t n = class->candidates != NULL ? class->candidates(desc, env, list, MOST) : 0;
  struct tvmq_op_info planned_info = {0};
  class->info(*op, &planned_info);
  const bool chosen = class->candidates != NULL && planned_info.choice.algorithm != TVMQ_ALGORITHM_ANY;
  if (chosen ? n == 0 || n == MOST : n != 0) fuzz_fail("%zu candidates", n);
  for (size_t drawn = 0; drawn < DRAWN && drawn < n; drawn++) {
    const struct tvmq_choice *constraint = &list[n <= DRAWN ? drawn : check_below((uint32_t)n)];
    struct tvmq_env constrained = *env;
    constrained.constraint = constraint;
    const struct tvmq_implementation *by = tvmq_op_computed_by(class, desc, &constrained);
    struct tvmq_op *other = NULL, **planned = by == class ? op : &other;
    const char *why = tvmq_op_plan(by, planned, desc, &constrained);
    if (why)
      fuzz_fail("candidate %s, %s, %zu x %zu is refused: %s", tvmq_algorithm_name(constraint->algorithm), constraint->variant->name, constraint->rows,
                constraint->panels, why);
    struct tvmq_op_info info = {0};
    by->info(*planned, &info);
    if (!tvmq_same_choice(constraint, &info.choice))
      fuzz_fail("constrained for %s, %s, %zu x %zu, got %s, %s, %zu x %zu", tvmq_algorithm_name(constraint->algorithm), constraint->variant->name,
                constraint->rows, constraint->panels, tvmq_algorithm_name(info.choice.algorithm), info.choice.variant->name, info.choice.rows,
                info.choice.panels);
    compute(by, *planned, env, trial);
    fuzz_counts.forced++;
    tvmq_op_release(by, other);
  }
}

void fuzz_run(const struct tvmq_implementation *class, struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env, const void *const *in,
              const void *expected, size_t n, enum guard_side side) {
  void *outs[1];
  fuzz_run_output(class, op, desc, env, in, expected, n, side, 0, outs);
}

void fuzz_run_output(const struct tvmq_implementation *class, struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env,
                     const void *const *in, const void *expected, size_t n, enum guard_side side, int which, void *outs[]) {
  const struct trial trial = {in, expected, n, side, which, outs};
  const char *why = class->plan(op, desc, env);
  if (why) fuzz_fail("claimed, but planning failed: %s", why);
  compute(class, *op, env, &trial);
  force(class, op, desc, env, &trial);
  if (fuzz_also != NULL) fuzz_also(&(struct fuzz_compared){asked, desc, env->rounding, in, expected, n, which});
}

// The features that runs may use: those of the CPU, or of the instruction set that TVMQ_FUZZ_ISA names.
static uint32_t allowed(void) {
  const char *name = getenv("TVMQ_FUZZ_ISA");
  uint32_t cpu = tvmq_cpu_detect() & tvmq_built;
  for (size_t i = 0; name != NULL; i++) {
    if (i == tvmq_n_isas) fuzz_fail("TVMQ_FUZZ_ISA=%s is no instruction set", name);
    if (strcmp(name, tvmq_isas[i].name) != 0) continue;
    if (tvmq_isas[i].cpu & ~cpu) fuzz_fail("TVMQ_FUZZ_ISA=%s: not on this CPU, or not built", name);
    cpu &= tvmq_isas[i].cpu;
    break;
  }
  return cpu;
}

// Half of the first 200 values are convolutions. The others are for operators that have come later: corpora of before keep nearly all of their meaning.
static fuzz_operator *draw_operator(struct fuzz_bytes *bytes) {
  static fuzz_operator *const operators[] = {fuzz_conv, fuzz_binary, fuzz_concatenation, fuzz_quantize, fuzz_reduce,
                                             fuzz_pool, fuzz_copy,   fuzz_unary,         fuzz_cast,     fuzz_dequantize};
  static fuzz_operator *const later[] = {fuzz_arg_max, fuzz_softmax, fuzz_matmul, fuzz_transpose_conv, fuzz_resize_bilinear, fuzz_shape};
  static fuzz_operator *const last[] = {fuzz_hybrid, fuzz_condition, fuzz_lookup, fuzz_gather};
  enum { N = sizeof operators / sizeof operators[0], N_LATER = sizeof later / sizeof later[0], N_LAST = sizeof last / sizeof last[0] };
  enum { FIRST_LATER = 200, FIRST_LAST = 246 };
  const int64_t drawn = fuzz_pick(bytes, 0, UINT8_MAX), half = drawn % (2 * N);
  if (drawn >= FIRST_LAST) return last[(drawn - FIRST_LAST) % N_LAST];
  return drawn >= FIRST_LATER ? later[(drawn - FIRST_LATER) % N_LATER] : operators[half < N ? half : 0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // FNV-1a of the bytes.
  uint64_t seed = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; i++) seed = (seed ^ data[i]) * 0x100000001b3u;
  check_random_seed(seed, "tensors");

  static struct tvmq_threads *pool;
  static uint32_t cpu;
  if (!pool) {
    pool = tvmq_threads_create(3);
    cpu = allowed();
  }
  struct fuzz_bytes bytes = {data, size};
  struct tvmq_scratch scratch = {0};
  struct tvmq_budget transformed = {.limit = fuzz_pick(&bytes, 0, 7) ? SIZE_MAX : 1 << 16};
  struct tvmq_env env = {.rounding = fuzz_pick(&bytes, 0, 2),
                         .winograd = fuzz_pick(&bytes, 0, 2),
                         .transformed = &transformed,
                         .threads = fuzz_pick(&bytes, 0, 3) ? NULL : pool,
                         .scratch = &scratch};
  // Half of all runs use what there is, the others one of its tiers.
  env.cpu = cpu;
  if (fuzz_pick(&bytes, 0, 1)) env.cpu &= tvmq_isas[fuzz_pick(&bytes, 0, (int64_t)tvmq_n_isas - 1)].cpu;
  env.machine = &tvmq_machines[fuzz_pick(&bytes, 0, (int64_t)tvmq_n_machines - 1)];
  draw_operator (&bytes)(&bytes, &env);
  if (transformed.used != 0) fuzz_fail("%zu bytes for transformed weights were not given back", transformed.used);
  tvmq_scratch_free(&scratch);
  return 0;
}
