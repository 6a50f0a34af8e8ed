// Lines of plans for tvmq-measure: real ones, with edits. Whatever becomes of them is refused with a reason, or measured; what is measured is exact.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cpu/cpu.h"
#include "fuzz.h"
#include "kernels/variants.h"
#include "measure/trial.h"

struct fuzz_counts fuzz_counts;

static int64_t pick(struct fuzz_bytes *bytes, int64_t lo, int64_t hi) {
  uint64_t word = 0;
  for (int i = 0; i < 2 && bytes->left > 0; i++, bytes->left--) word = word << 8 | *bytes->at++;
  return lo + (int64_t)(word % (uint64_t)(hi - lo + 1));
}

static void die(const char *line, const char *what) {
  fprintf(stderr, "%s\n%s\n", line, what);
  abort();
}

enum { LINE_BYTES = 4096, MOST_BYTES = 1 << 20 };

#define STEP(signature) "{\"task\": \"" signature "\"}"
static const char *const lines[] = {
    "{\"steps\": [" STEP("CONV_2D in=s8[1,9,9,16] filter=s8[3,3,16] out=s8[9,9,24] stride=1,1 dilation=1,1 pad=1,1 rounding=reference cpu=c threads=1") "]}",
    "{\"steps\": [" STEP("CONV_2D in=s16[1,6,7,5] filter=s8[2,3,5] out=s16[3,3,9] stride=2,2 dilation=1,1 pad=0,0 acc=s64") "], \"compare\": true}",
    "{\"steps\": [" STEP("CONV_2D in=u8[2,8,8,3] filter=u8[3,3,3] out=u8[4,4,8] stride=2,2 dilation=1,1 pad=0,1 filter_zero_point least_weights") "]}",
    "{\"steps\": [" STEP("DEPTHWISE_CONV_2D in=s8[1,12,12,16] filter=s8[3,3,1] out=s8[12,12,32] stride=1,1 dilation=2,2 pad=2,2 winograd=off") "]}",
    "{\"steps\": [" STEP("FULLY_CONNECTED in=s8[1,1,1,64] filter=s8[1,1,64] out=s8[1,1,10] stride=1,1 dilation=1,1 pad=0,0") ", " STEP(
        "QUANTIZE in=f32 out=u8 elements=77") "], \"repeats\": 3}",
    "{\"steps\": [" STEP("ADD in=s8 out=s8 elements=96 line=8") ", " STEP("PRELU in=u8 out=u8 elements=64") ", " STEP(
        "SQUARED_DIFFERENCE in=u8 out=u8 elements=96 line=32") ", " STEP("MAXIMUM in=s8 out=s8 elements=9") "]}",
    "{\"steps\": [" STEP("RESIZE_BILINEAR in=s8 out=s8 elements=1024 size=16,8,8 scaled=8,4") "], \"candidates\": true}",
    ("{\"steps\": [{\"task\": \"MUL in=s16 out=s16 elements=33\", \"choice\": {\"algorithm\": \"plain\", \"kernel\": \"tvmq_mul_s16__c\", \"flipped_copy\": "
     "false, "
     "\"rows\": 0, \"panels\": 0}}]}"),
};
static const char *const pieces[] = {
    "",
    "0",
    "1",
    "2",
    "3",
    "8",
    "17",
    "255",
    "65536",
    "2147483647",
    "2147483648",
    "-1",
    "99999999999999999999",
    ",",
    "[",
    "]",
    " ",
    "=",
    "\"",
    "{",
    "}",
    ":",
    "\\",
    "\\u0000",
    "s8",
    "u8",
    "s16",
    "f32",
    "s32",
    "s64",
    "other",
    "in=",
    "out=",
    " acc=s64",
    "1e9",
    "elements=",
    "line=",
    "null",
    "true",
    "stride=",
    "dilation=",
    "pad=",
    "threads=2",
    "threads=0",
    "rounding=",
    "winograd=on",
    "cpu=",
    "least_weights",
    "\"repeats\": 1001",
    "\"steps\"",
};
enum { N_LINES = sizeof lines / sizeof lines[0], N_PIECES = sizeof pieces / sizeof pieces[0] };

// Puts a piece in the place of some bytes.
static void edit(struct fuzz_bytes *bytes, char *line) {
  const size_t length = strlen(line), at = (size_t)pick(bytes, 0, (int64_t)length), end = at + (size_t)pick(bytes, 0, 3);
  const char *piece = pieces[pick(bytes, 0, N_PIECES - 1)];
  char rest[LINE_BYTES];
  strcpy(rest, end < length ? line + end : "");
  snprintf(line + at, LINE_BYTES - at, "%s%s", piece, rest);
}

static void measure(const struct tvmq_plan_line *line, const char *text) {
  struct tvmq_trial trial;
  static struct tvmq_choice list[512];
  const bool made = tvmq_trial_prepare(&trial, line, tvmq_cpu_detect() & tvmq_built, MOST_BYTES) && tvmq_trial_check(&trial, true);
  if (made == (trial.error[0] != '\0')) die(text, made ? "measured, with an error" : "refused, without an error");
  for (size_t i = 0; made && i < trial.n; i++) {
    if (!trial.steps[i].exact) die(text, "a step differs from plain C");
  }
  if (made && line->candidates) tvmq_trial_candidates(&trial, list, 512);
  *(made ? &fuzz_counts.compared : &fuzz_counts.refused) += 1;
  fuzz_counts.forced += made && line->steps[0].has_choice;
  tvmq_trial_release(&trial);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct fuzz_bytes bytes = {data, size};
  char text[LINE_BYTES];
  const size_t blocks = tvmq_alloc_live();
  strcpy(text, lines[pick(&bytes, 0, N_LINES - 1)]);
  for (int64_t n = pick(&bytes, 0, 4); n > 0; n--) edit(&bytes, text);
  struct tvmq_plan_line line = {.n = 0};
  const char *why = tvmq_plan_read(&line, text, strlen(text));
  fuzz_counts.claimed += why == NULL;
  if (why == NULL) measure(&line, text);
  tvmq_plan_release(&line);
  if (tvmq_alloc_live() != blocks) die(text, "blocks are left");
  return 0;
}
