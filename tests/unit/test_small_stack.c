// The whole delegate on a caller's stack of 16 KiB, with nothing below it: made, applied, prepared, run, resized and destroyed, with every instruction set.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <ucontext.h>

#include "cpu/cpu.h"
#include "fake_network.h"
#include "unit.h"

enum { STACK = 16 << 10, BELOW = 1 << 20, OUT = 4096, SEED = 7 };

static ucontext_t here, there;
static const char *isa;
static int8_t got[OUT];
static size_t n_got;

static void live(void) {
  struct network network = network_create(false);
  TfLiteDelegate *delegate = network_delegate((const char *const[]){"isa", isa, "num_threads", "2", "cpu_affinity", "any", "profile", "true", NULL});
  fake_apply(network.graph, delegate);
  network_run(&network, SEED, got, sizeof got);
  fake_resize(network.graph, network.in, (int[]){2, 20, 20, NETWORK_C, -1});
  n_got = fake_delegate_nodes(network.graph) == 1 ? network_run(&network, SEED, got, sizeof got) : 0;
  fake_destroy(network.fake);
  network_delegate_destroy(delegate);
}

int main(void) {
  uint8_t *memory = mmap(NULL, BELOW + STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!CHECK(memory != MAP_FAILED && mprotect(memory + BELOW, STACK, PROT_READ | PROT_WRITE) == 0, "no memory")) return unit_report();
  static int8_t wanted[OUT];
  const size_t n_wanted = network_reference(false, (int[]){2, 20, 20, NETWORK_C, -1}, SEED, wanted, sizeof wanted);
  for (size_t i = 0; i < tvmq_n_isas; i++) {
    if (!tvmq_isa_offered(&tvmq_isas[i])) continue;
    isa = tvmq_isas[i].name;
    getcontext(&there);
    there.uc_stack.ss_sp = memory + BELOW;
    there.uc_stack.ss_size = STACK;
    there.uc_link = &here;
    makecontext(&there, live, 0);
    swapcontext(&here, &there);
    CHECK(n_got == n_wanted && n_got > 0 && memcmp(got, wanted, n_got) == 0, "%s: %zu bytes instead of %zu", isa, n_got, n_wanted);
  }
  return unit_report();
}
