// Graphs that are prepared again for the shapes that they have, and tensors that are reshaped in place without.
#include "base/memory.h"
#include "fake_network.h"
#include "unit.h"

struct scene {
  struct network network;
  TfLiteDelegate *delegate;
};

static bool run(struct scene *scene, int8_t out[4096], size_t *n) {
  *n = network_run(&scene->network, 1, out, 4096);
  return CHECK(*n > 0, "%s", scene->network.fake->error);
}

static struct scene begin(void) {
  struct scene scene = {network_create(false), network_delegate((const char *const[]){"isa", "c", NULL})};
  CHECK(fake_apply(scene.network.graph, scene.delegate) == kTfLiteOk, "%s", scene.network.fake->error);
  return scene;
}

static void end(struct scene *scene) {
  fake_destroy(scene->network.fake);
  network_delegate_destroy(scene->delegate);
}

// As the body of a loop is, for each iteration: nothing is planned, and all that is allocated is the shape that the runtime gets for the output.
static void check_prepared_again(void) {
  struct scene s = begin();
  int8_t first[4096], again[4096];
  size_t n, n_again;
  run(&s, first, &n);
  tvmq_alloc_fail_at(2);
  CHECK(fake_allocate(s.network.graph) == kTfLiteOk, "%s", s.network.fake->error);
  tvmq_alloc_fail_at(0);
  if (run(&s, again, &n_again)) CHECK(n == n_again && memcmp(first, again, n) == 0, "other results");
  end(&s);
}

// Applying has planned for the shapes that there are: the first preparation allocates no more than a shape for the output, either.
static void check_prepared_first(void) {
  struct scene s = begin();
  tvmq_alloc_fail_at(2);
  CHECK(fake_allocate(s.network.graph) == kTfLiteOk, "%s", s.network.fake->error);
  tvmq_alloc_fail_at(0);
  end(&s);
}

// The runtime reshapes a tensor in place, and prepares nothing.
static void check_reshaped(void) {
  struct scene s = begin();
  int8_t out[4096];
  size_t n;
  run(&s, out, &n);
  int *dims = s.network.graph->tensors[s.network.in].dims->data;
  dims[1] = 1, dims[2] = NETWORK_H * NETWORK_H;
  CHECK(fake_invoke(s.network.graph) == kTfLiteError, "an old shape");
  CHECK(strstr(s.network.fake->error, "node 0 (CONV_2D) cannot run: its input was reshaped") != NULL, "%s", s.network.fake->error);
  dims[1] = dims[2] = NETWORK_H;
  CHECK(fake_invoke(s.network.graph) == kTfLiteOk, "%s", s.network.fake->error);
  end(&s);
}

int main(void) {
  const size_t blocks = tvmq_alloc_live();
  check_prepared_again();
  check_prepared_first();
  check_reshaped();
  CHECK(tvmq_alloc_live() == blocks, "%zu blocks left", tvmq_alloc_live() - blocks);
  return unit_report();
}
