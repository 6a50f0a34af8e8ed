// Terms come in ascending order, each once, whatever the progression; the first is the least of all.
#include <string.h>

#include "exact/progression.h"
#include "unit.h"

enum { MOST = 300 };

static void check(int64_t first, int64_t step, int64_t modulus, int32_t n) {
  const struct tvmq_progression p = tvmq_progression(first, step, modulus, n);
  bool seen[MOST] = {false};
  int wrong = 0;
  struct tvmq_term term = p.least, before = p.least;
  for (int32_t k = 0; k < n && wrong == 0; k++, before = term, term = tvmq_term_above(&p, term)) {
    wrong += term.i < 0 || term.i >= n || term.value < before.value || term.value != (int64_t)(((__int128)step * term.i + first) % modulus);
    if (wrong > 0) break;
    wrong += seen[term.i];
    seen[term.i] = true;
    const struct tvmq_term back = tvmq_term_below(&p, term);
    wrong += k > 0 ? back.i != before.i || back.value != before.value : back.value >= 0;
  }
  wrong += term.value < modulus;
  wrong += before.i != p.greatest.i || before.value != p.greatest.value;
  CHECK(wrong == 0, "(%lld + i * %lld) mod %lld for %d places", (long long)first, (long long)step, (long long)modulus, n);
}

int main(void) {
  for (int64_t modulus = 1; modulus <= 12; modulus++) {
    for (int64_t step = 0; step < modulus; step++) {
      for (int64_t first = 0; first < modulus; first++) {
        for (int32_t n = 1; n <= 30; n++) check(first, step, modulus, n);
      }
    }
  }
  unsigned long long state = 1;
  for (int i = 0; i < 2000; i++) {
    const int64_t modulus = (int64_t)(unit_random(&state) >> (2 + i % 60)) + 1, step = (int64_t)(unit_random(&state) >> 1) % modulus;
    check((int64_t)(unit_random(&state) >> 1) % modulus, i % 3 ? step : step % (1 + modulus / 1000), modulus, 1 + (int32_t)(unit_random(&state) % MOST));
  }
  return unit_report();
}
