// Where threads run: the option's grammar, and moving there and back.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "cpu/affinity.h"
#include "unit.h"

static int first_cpu, last_cpu;

static bool same(const struct tvmq_cpus *cpus, const cpu_set_t *set) { return memcmp(cpus, set, sizeof *set) == 0; }

static cpu_set_t here(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CHECK(sched_getaffinity(0, sizeof set, &set) == 0, "affinity of this thread");
  return set;
}

// `form` with the first usable processor for each '#': nothing is wrong with the processors, so that only the form can be refused.
static void spell(char *text, const char *form) {
  for (; *form != '\0'; form++) {
    if (*form == '#') {
      text += sprintf(text, "%d", first_cpu);
    } else {
      *text++ = *form;
    }
  }
  *text = '\0';
}

static void check_grammar(void) {
  struct tvmq_cpus cpus;
  char text[5 * TVMQ_CPUS_MAX];  // whatever the processors are: nothing is cut
  cpu_set_t wanted;
  CHECK(tvmq_cpus_parse("any", &cpus), "any");
  CPU_ZERO(&wanted);
  CHECK(same(&cpus, &wanted), "any is the empty set");

  const cpu_set_t usable = here();
  tvmq_cpus_usable(text, sizeof text);
  CHECK(tvmq_cpus_parse(text, &cpus) && same(&cpus, &usable), "all that there are: %s", text);
  CPU_ZERO(&wanted);
  CPU_SET(first_cpu, &wanted);
  CPU_SET(last_cpu, &wanted);
  snprintf(text, sizeof text, "%d+%d-%d", first_cpu, last_cpu, last_cpu);
  CHECK(tvmq_cpus_parse(text, &cpus) && same(&cpus, &wanted), "%s", text);

  static const char *const right[] = {"#", "#+#", "#-#", "#+#-#"};
  for (size_t i = 0; i < N_ELEMENTS(right); i++) {
    spell(text, right[i]);
    CHECK(tvmq_cpus_parse(text, &cpus), "\"%s\" is refused", text);
  }
  static const char *const wrong[] = {"",    "+",  "-",  "#+", "+#",   "#++#", "#-",  "-#",    "#--#",  "#-#-#", "#-+#",
                                      "#,#", " #", "# ", "#x", "#+ #", "all",  "Any", "any+#", "#+any", "8192",  "99999999999999999999"};
  for (size_t i = 0; i < N_ELEMENTS(wrong); i++) {
    spell(text, wrong[i]);
    CHECK(!tvmq_cpus_parse(text, &cpus), "\"%s\" passes", text);
  }
  if (first_cpu < last_cpu) {
    snprintf(text, sizeof text, "%d-%d", last_cpu, first_cpu);
    CHECK(!tvmq_cpus_parse(text, &cpus), "\"%s\" passes", text);
  }
  for (int i = 0; i < TVMQ_CPUS_MAX; i++) {
    if (CPU_ISSET(i, &usable)) continue;
    snprintf(text, sizeof text, "%d", i);
    CHECK(!tvmq_cpus_parse(text, &cpus), "\"%s\" is not to be had and passes", text);
    snprintf(text, sizeof text, "%d-%d", first_cpu < i ? first_cpu : i, first_cpu < i ? i : first_cpu);
    CHECK(!tvmq_cpus_parse(text, &cpus), "\"%s\" is not all to be had and passes", text);
  }
  tvmq_cpus_usable(text, 2);
  CHECK(strlen(text) <= 1, "cut: %s", text);
}

// Without a CHECK, which counts in the main thread alone.
static void *note_place(void *set) { return sched_getaffinity(0, sizeof(cpu_set_t), set) == 0 ? set : NULL; }

static void check_moves(void) {
  const cpu_set_t before = here();
  struct tvmq_affinity affinity;
  struct tvmq_cpus cpus;
  char text[16];
  snprintf(text, sizeof text, "%d", last_cpu);
  if (!CHECK(tvmq_cpus_parse(text, &cpus), "%s", text)) return;

  tvmq_affinity_enter(&affinity, &cpus);
  const cpu_set_t during = here();
  cpu_set_t inherited;
  CPU_ZERO(&inherited);
  pthread_t thread;
  if (CHECK(pthread_create(&thread, NULL, note_place, &inherited) == 0, "a thread")) pthread_join(thread, NULL);
  CHECK(tvmq_affinity_leave(&affinity), "leaves");
  const cpu_set_t after = here();
  CHECK(same(&cpus, &during), "there in between");
  CHECK(CPU_EQUAL(&during, &inherited), "and so is a thread that starts there");
  CHECK(CPU_EQUAL(&before, &after), "back again");

  CHECK(tvmq_cpus_parse("any", &cpus), "any");
  tvmq_affinity_enter(&affinity, &cpus);
  const cpu_set_t unmoved = here();
  CHECK(!affinity.moved && CPU_EQUAL(&before, &unmoved), "any moves nothing");
  CHECK(tvmq_affinity_leave(&affinity), "nothing to leave");

  memset(&cpus, 0, sizeof cpus);
  cpus.words[N_ELEMENTS(cpus.words) - 1] = UINT32_C(1) << 31;  // a processor that has gone
  tvmq_affinity_enter(&affinity, &cpus);
  const cpu_set_t still = here();
  CHECK(!affinity.moved && CPU_EQUAL(&before, &still), "what is not to be had moves nothing");

  affinity = (struct tvmq_affinity){.moved = true, .before = cpus};
  CHECK(!tvmq_affinity_leave(&affinity), "what has gone in between is not gone back to");
  const cpu_set_t stayed = here();
  CHECK(CPU_EQUAL(&before, &stayed), "the thread stays");
}

int main(void) {
  const cpu_set_t usable = here();
  first_cpu = -1;
  for (int i = 0; i < CPU_SETSIZE; i++) {
    if (!CPU_ISSET(i, &usable)) continue;
    if (first_cpu < 0) first_cpu = i;
    last_cpu = i;
  }
  check_grammar();
  check_moves();
  return unit_report();
}
