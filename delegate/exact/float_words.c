#include "exact/float_words.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memo.h"

enum { STEPS = TVMQ_WORD_MAP_ENTRIES };

// Everything that the reference computes with: a sum with a product may be rounded once.
struct tabulated {
  bool fused;
  float out_scale;
};

static float plus_product(const struct tabulated *t, float a, float b, float c) {
  const float product = a * b;
  return t->fused ? fmaf(a, b, c) : product + c;
}

// 0.5 v erfc(-v / sqrt(2))
static float gelu(const struct tabulated *t, float v) {
  (void)t;
  return 0.5f * v * erfcf(v * -0.70710678118654752440f);
}

// 0.5 v (1 + tanh(sqrt(2 / pi) (v + 0.044715 v^3)))
static float gelu_tanh(const struct tabulated *t, float v) {
  return 0.5f * v * (1.0f + tanhf(0.79788456080286535588f * plus_product(t, 0.044715f * v * v, v, v)));
}

static float exponential(const struct tabulated *t, float v) {
  (void)t;
  return expf(v);
}

static float logarithm(const struct tabulated *t, float v) { return v <= 0 ? INT16_MIN * t->out_scale : logf(v); }

static float inverse_root(const struct tabulated *t, float v) { return v <= 0 ? INT16_MAX * t->out_scale : 1.0f / sqrtf(v); }

static float (*const functions[])(const struct tabulated *t, float v) = {[TVMQ_WORDS_GELU] = gelu,
                                                                         [TVMQ_WORDS_GELU_TANH] = gelu_tanh,
                                                                         [TVMQ_WORDS_EXP] = exponential,
                                                                         [TVMQ_WORDS_LOG] = logarithm,
                                                                         [TVMQ_WORDS_RSQRT] = inverse_root};

// Fills the table of 512 steps over the input's range. Each entry is corrected by half of the interpolation error in the
// middle between it and the next entry. Returns false if a number is not finite, which the reference leaves undefined.
static bool tabulate(enum tvmq_word_function function, float in_scale, float out_scale, bool fused, int16_t table[STEPS + 1]) {
  const struct tabulated t = {fused, out_scale};
  const float least = in_scale * INT16_MIN, step = (in_scale * INT16_MAX - least) / STEPS, half_step = step / 2;
  const float inverse = 65536.0f / (out_scale * INT16_MAX - out_scale * INT16_MIN);
  float (*const f)(const struct tabulated *t, float v) = functions[function];
  for (int i = 0; i < STEPS; i++) {
    const float at = plus_product(&t, (float)i, step, least);
    const float here = roundf(f(&t, at) * inverse), next = f(&t, plus_product(&t, (float)(i + 1), step, least));
    const float between = roundf(plus_product(&t, next, inverse, here) / 2), middle = roundf(f(&t, at + half_step) * inverse);
    const float entry = here - roundf((between - middle) / 2);
    if (!isfinite(entry)) return false;
    table[i] = (int16_t)fminf(fmaxf(entry, INT16_MIN), INT16_MAX);
  }
  const float last = roundf(f(&t, in_scale * INT16_MAX) * inverse);
  if (!isfinite(last)) return false;
  table[STEPS] = (int16_t)fminf(fmaxf(last, INT16_MIN), INT16_MAX);
  return true;
}

struct question {
  enum tvmq_word_function function;
  enum tvmq_contraction contraction;
  float in_scale, out_scale;
};

struct answer {
  bool is_finite, is_known;
  int16_t table[STEPS + 1];
};

TVMQ_MEMO(tables, struct question, struct answer, 64);

static __attribute__((noinline)) bool fits_either(const struct question *q, const int16_t table[STEPS + 1]) {
  int16_t fused[STEPS + 1];
  return tabulate(q->function, q->in_scale, q->out_scale, true, fused) && memcmp(fused, table, sizeof fused) == 0;
}

static void find(const struct question *q, struct answer *answer) {
  const bool once = q->contraction == TVMQ_CONTRACTION_EXPRESSION;
  answer->is_finite = tabulate(q->function, q->in_scale, q->out_scale, once, answer->table);
  answer->is_known = answer->is_finite && (q->contraction != TVMQ_CONTRACTION_UNKNOWN || fits_either(q, answer->table));
}

const char *tvmq_word_function_map(enum tvmq_word_function function, float in_scale, float out_scale, enum tvmq_contraction contraction,
                                   struct tvmq_word_map *map) {
  const struct question question = {function, contraction, in_scale, out_scale};
  _Static_assert(sizeof question == 16, "every byte of a key is set");
  struct answer answer = {0};
  if (!tvmq_memo_find(&tables, &question, &answer)) {
    find(&question, &answer);
    tvmq_memo_keep(&tables, &question, &answer);
  }
  if (!answer.is_finite) return "a result is infinite";
  if (!answer.is_known) return "int16: the reference's float32 interpolation depends on the compiler's use of FMA: see the option hybrid";
  if (map != NULL) tvmq_word_map_of_table(answer.table, map);
  return NULL;
}
