#include <stdint.h>

#include "base/arith.h"
#include "plan/conv_blocks.h"
#include "unit.h"

static struct tvmq_conv_work pointwise(size_t pixels, size_t k, size_t panels) {
  return (struct tvmq_conv_work){
      .parts = 1,
      .m = pixels,
      .pitch = 1,
      .mr = 32,
      .least = 128,
      .most = 512,
      .row_bytes = k,
      .panels = panels,
      .panel_bytes = 32 * k,
      .in_bytes = k,
      .out_bytes = 32 * panels,
      .pixel_bytes = 32 * panels,
      .panel_pixel_bytes = 32,
      .cycles = (float)(tvmq_ceil_div(pixels, 32) * panels * (500 + k)),
  };
}

// Blocks cover all there is, in steps of whole tiles unless any number of rows will do, and none is empty.
static void check_covers(const struct tvmq_conv_work *w, const struct tvmq_conv_blocks *b) {
  const size_t unit = w->even ? 1 : tvmq_ceil_div(w->mr, w->pitch);
  CHECK(b->rows % unit == 0 && b->rows <= tvmq_round_up(w->m, unit), "%zu rows of %zu", b->rows, w->m);
  CHECK(b->m_blocks == tvmq_ceil_div(w->m, b->rows), "%zu blocks of %zu rows for %zu", b->m_blocks, b->rows, w->m);
  CHECK(b->n_blocks == tvmq_ceil_div(w->panels, b->panels), "%zu blocks of %zu panels for %zu", b->n_blocks, b->panels, w->panels);
}

static void check_sizes(void) {
  static const size_t sizes[] = {1, 2, 7, 31, 32, 33, 56, 196, 3136, 100000};
  enum { N = sizeof sizes / sizeof *sizes };
  for (int i = 0; i < N * N * N; i++) {
    for (int threads = 1; threads <= 64; threads *= 4) {
      for (size_t pitch = 1; pitch < 64; pitch = pitch * 3 + 4) {
        struct tvmq_conv_work w = pointwise(sizes[i % N], sizes[i / N % N], sizes[i / N / N]);
        w.pitch = pitch;
        w.parts = 1 + (size_t)i % 3;
        w.reach = (size_t)i % 2 * 2;
        w.even = i % 2 == 0;
        w.bring_cycles = w.cycles / 8;
        const struct tvmq_conv_blocks b = tvmq_conv_blocks(&w, tvmq_machine_for(false), threads);
        check_covers(&w, &b);
        CHECK(threads > 1 || b.n_blocks == 1, "one thread has no use for %zu blocks of panels", b.n_blocks);
      }
    }
  }
}

static void check_choice(void) {
  // Little work stays with one thread.
  struct tvmq_conv_work w = pointwise(32, 64, 1);
  struct tvmq_conv_blocks b = tvmq_conv_blocks(&w, tvmq_machine_for(false), 2);
  CHECK(b.m_blocks * b.n_blocks == 1, "%zu x %zu blocks", b.m_blocks, b.n_blocks);
  // A little more does not, though there is little to win: half of its rows lie in another core's cache.
  w = pointwise(196, 384, 2);
  b = tvmq_conv_blocks(&w, tvmq_machine_for(false), 2);
  CHECK(b.m_blocks == 2 && b.n_blocks == 1, "%zu x %zu blocks", b.m_blocks, b.n_blocks);
  // Many rows and few weights: threads share the rows, and have as much to do.
  w = pointwise(12544, 32, 2);
  b = tvmq_conv_blocks(&w, tvmq_machine_for(false), 2);
  CHECK(b.n_blocks == 1 && b.m_blocks >= 4, "%zu x %zu blocks", b.m_blocks, b.n_blocks);
  // Tiles that can be equal make equal blocks.
  w = pointwise(196, 512, 1);
  w.even = true;
  b = tvmq_conv_blocks(&w, tvmq_machine_for(false), 2);
  CHECK(b.rows * b.m_blocks == 196, "%zu x %zu rows", b.m_blocks, b.rows);
  // Few rows and many weights: they share the panels.
  w = pointwise(49, 1024, 32);
  b = tvmq_conv_blocks(&w, tvmq_machine_for(false), 2);
  CHECK(b.m_blocks == 1 && b.n_blocks % 2 == 0, "%zu x %zu blocks", b.m_blocks, b.n_blocks);
}

// Two threads rather share the rows than write to the same lines of the cache.
static void check_lines(void) {
  struct tvmq_conv_work w = pointwise(7, 64, 9);
  w.mr = 1;
  w.least = 2;
  w.in_bytes = w.out_bytes = 56 * 32 * 9;
  w.cycles = 200000;
  w.panel_bytes = 64;
  w.pixel_bytes = 64 * 9;
  w.panel_pixel_bytes = 64;
  const struct tvmq_conv_blocks whole = tvmq_conv_blocks(&w, tvmq_machine_for(false), 2);
  w.pixel_bytes = 16 * 9;
  w.panel_pixel_bytes = 16;
  const struct tvmq_conv_blocks cut = tvmq_conv_blocks(&w, tvmq_machine_for(false), 2);
  CHECK(cut.n_blocks == 1 && whole.n_blocks > 1, "%zu and %zu blocks of panels", cut.n_blocks, whole.n_blocks);
}

static void check_rows(void) {
  const struct tvmq_conv_blocks b = {.n_blocks = 3};
  CHECK(!tvmq_conv_has_rows(&b, &(struct tvmq_tile){.index = 0, .previous = SIZE_MAX}), "the first block has no rows yet");
  CHECK(tvmq_conv_has_rows(&b, &(struct tvmq_tile){.index = 5, .previous = 3}), "blocks 3 to 5 have the same rows");
  CHECK(!tvmq_conv_has_rows(&b, &(struct tvmq_tile){.index = 6, .previous = 5}), "blocks 5 and 6 have not");
}

int main(void) {
  check_sizes();
  check_choice();
  check_lines();
  check_rows();
  return unit_report();
}
