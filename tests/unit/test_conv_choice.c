// The choice among algorithms and kernels of a convolution, on every machine. On one thread it is the one of least estimated
// cycles of all that are listed. On several it is the first of them, though most kernels are ruled out before they are cut.
#include "base/arith.h"
#include "cpu/ops/conv/conv.h"
#include "cpu/ops/conv/conv_rows.h"
#include "unit.h"

enum { ALL_FEATURES = 2 * TVMQ_CPU_AMX - 1, MOST = 512, CASES = 3000 };

static size_t differ;  // cases in which a wary choice is another one than that of several threads

static int32_t pick(unsigned long long *state, int32_t least, int32_t most) {
  return least + (int32_t)((unit_random(state) >> 33) % (unsigned)(most - least + 1));
}

// A square image and filter, without padding or with that of SAME.
static struct tvmq_conv_desc draw(unsigned long long *state, const int8_t *weights) {
  static const int32_t channels[] = {1, 3, 4, 16, 24, 64, 128, 192};
  const int32_t filter = pick(state, 1, 5), stride = pick(state, 1, 3), dilation = stride > 1 ? 1 : pick(state, 1, 2), reach = (filter - 1) * dilation + 1;
  const int32_t in = reach + pick(state, 0, 60), in_c = channels[pick(state, 0, 7)], out_c = channels[pick(state, 0, 7)];
  const bool same = pick(state, 0, 1) != 0;
  const int32_t out = same ? (in + stride - 1) / stride : (in - reach) / stride + 1;
  static const float scale = 0.01f;
  return (struct tvmq_conv_desc){
      .in_type = TVMQ_TYPE_S8,
      .filter_type = TVMQ_TYPE_S8,
      .bias_type = TVMQ_TYPE_S32,
      .out_type = TVMQ_TYPE_S8,
      .batch = 1,
      .in_h = in,
      .in_w = in,
      .in_c = in_c,
      .out_h = out,
      .out_w = out,
      .out_c = out_c,
      .filter_h = filter,
      .filter_w = filter,
      .filter_c = in_c,
      .stride_h = stride,
      .stride_w = stride,
      .dilation_h = dilation,
      .dilation_w = dilation,
      .depth_multiplier = 1,
      .padding = same ? TVMQ_PADDING_SAME : TVMQ_PADDING_VALID,
      .filter = weights,
      .in = {.scale = 0.1f, .zero_point = 3},
      .out = {.scale = 0.2f, .zero_point = -3},
      .filter_scales = &scale,
      .n_filter_scales = 1,
  };
}

// Windows of a line that the sides cut are as many as are found by looking at each.
static void check_sides(const struct tvmq_conv_problem *problem) {
  const struct tvmq_rows rows = tvmq_conv_rows(problem);
  size_t n = 0;
  for (size_t x = 0; x < rows.out_w && rows.piece_taps == rows.filter_w; x++) {
    const ptrdiff_t left = (ptrdiff_t)(x * rows.stride_w) - (ptrdiff_t)rows.pad_left;
    n += left < 0 || left + (ptrdiff_t)rows.filter_w > (ptrdiff_t)rows.in_w;
  }
  CHECK(tvmq_conv_at_sides(&rows) == n, "%zu of %zu windows are cut, not %zu", n, rows.out_w, tvmq_conv_at_sides(&rows));
}

// A wary choice keeps the kernel of one thread for small work, and is the choice of several threads for other work.
static void check_wary(const struct tvmq_conv_problem *problem, const struct tvmq_env *env, size_t i) {
  struct tvmq_env wary = *env, alone = *env;
  struct tvmq_conv_choice one, several, found;
  wary.wary = true;
  alone.threads = NULL;
  if (!CHECK(!tvmq_conv_choose(problem, &alone, &one) && !tvmq_conv_choose(problem, env, &several) && !tvmq_conv_choose(problem, &wary, &found), "case %zu", i))
    return;
  const struct tvmq_conv_choice *expected = one.cycles < TVMQ_SHARED_CYCLES ? &one : &several;
  CHECK(found.algorithm == expected->algorithm && found.variant == expected->variant, "%s, case %zu, %d threads: %s by %s, where %s is expected",
        env->machine->name, i, tvmq_threads_count(env->threads), tvmq_algorithm_name(found.algorithm->id), found.variant->name, expected->variant->name);
  differ += one.variant != several.variant && expected == &one;
}

// On several threads. Winograd is exact with the weights.
static void check_shared(const struct tvmq_conv_desc *desc, const struct tvmq_env *env, size_t i) {
  static struct tvmq_choice list[MOST];
  struct tvmq_choices choices = {.list = list, .max = MOST};
  enum tvmq_exactness by_winograd = TVMQ_EXACTNESS_UNKNOWN;
  struct tvmq_conv_problem problem;
  struct tvmq_conv_choice found;
  tvmq_conv_list(desc, env, &choices);
  if (!CHECK(tvmq_conv_describe(desc, env, &problem) == NULL, "case %zu", i)) return;
  problem.by_winograd = &by_winograd;
  check_sides(&problem);
  if (!CHECK(choices.n > 0 && tvmq_conv_choose(&problem, env, &found) == NULL, "case %zu", i)) return;
  check_wary(&problem, env, i);
  const struct tvmq_choice choice = {found.algorithm->id, found.variant, found.flip, found.blocks.rows, found.blocks.panels, found.cycles};
  CHECK(tvmq_same_choice(&choice, &list[0]), "%s, case %zu, %d threads: %s by %s, blocks of %zu x %zu, where %s by %s, %zu x %zu, is listed first",
        env->machine->name, i, tvmq_threads_count(env->threads), tvmq_algorithm_name(choice.algorithm), choice.variant->name, choice.rows, choice.panels,
        tvmq_algorithm_name(list[0].algorithm), list[0].variant->name, list[0].rows, list[0].panels);
}

// A line that stands upright, one pixel wide, is computed as the line that lies down is.
static void check_upright(const struct tvmq_conv_desc *desc, const struct tvmq_env *env, size_t i) {
  struct tvmq_conv_desc lying = *desc, upright = *desc;
  lying.in_h = lying.out_h = lying.filter_h = lying.stride_h = lying.dilation_h = 1;
  upright.in_w = upright.out_w = upright.filter_w = upright.stride_w = upright.dilation_w = 1;
  const float lying_cycles = tvmq_conv_cycles(&lying, env), upright_cycles = tvmq_conv_cycles(&upright, env);
  CHECK(lying_cycles == upright_cycles, "case %zu: %g cycles lying, %g upright", i, (double)lying_cycles, (double)upright_cycles);
}

int main(void) {
  static const int8_t weights[5 * 5 * 192 * 192];
  static struct tvmq_choice list[MOST];
  struct tvmq_threads *pools[] = {tvmq_threads_create(2), tvmq_threads_create(3), tvmq_threads_create(8)};
  enum { N_POOLS = N_ELEMENTS(pools) };
  for (size_t i = 0; i < N_POOLS; i++) {
    if (!CHECK(pools[i] != NULL, "no threads")) return unit_report();
  }
  unsigned long long state = 1;
  size_t padded = 0;
  for (size_t i = 0; i < CASES; i++) {
    const struct tvmq_conv_desc desc = draw(&state, weights);
    const struct tvmq_machine *const machine = &tvmq_machines[i % tvmq_n_machines];
    const struct tvmq_env env = {.cpu = ALL_FEATURES, .machine = machine, .winograd = TVMQ_WINOGRAD_OFF};
    struct tvmq_choices choices = {.list = list, .max = MOST};
    tvmq_conv_list(&desc, &env, &choices);
    struct tvmq_conv_problem problem;
    struct tvmq_conv_choice choice;
    if (!CHECK(tvmq_conv_describe(&desc, &env, &problem) == NULL && tvmq_conv_choose(&problem, &env, &choice) == NULL, "case %zu", i)) continue;
    CHECK(choices.n > 0 && choice.cycles <= list[0].cycles * 1.0001f, "%s, case %zu: %s by %s, %g cycles, where %s by %s takes %g", machine->name, i,
          tvmq_algorithm_name(choice.algorithm->id), choice.variant->name, (double)choice.cycles, tvmq_algorithm_name(list[0].algorithm), list[0].variant->name,
          (double)list[0].cycles);
    padded += choice.algorithm->id == TVMQ_ALGORITHM_PADDED_COPY;
    check_upright(&desc, &env, i);
    struct tvmq_env shared = env;
    shared.winograd = TVMQ_WINOGRAD_AUTO;
    shared.transformed = &(struct tvmq_budget){.limit = SIZE_MAX};
    shared.threads = pools[i % N_POOLS];
    check_shared(&desc, &shared, i);
  }
  for (size_t i = 0; i < N_POOLS; i++) tvmq_threads_destroy(pools[i]);
  CHECK(padded > CASES / 100, "%zu padded copies", padded);
  CHECK(differ > CASES / 100, "%zu wary choices differ from those of several threads", differ);
  return unit_report();
}
