#include "records/members.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/variants.h"

bool tvmq_read_members(struct tvmq_json *json, const struct tvmq_member *members, size_t n, void *object) {
  size_t n_read = 0;
  uint32_t seen = 0;
  char name[TVMQ_MEMBER_NAME];
  if (!tvmq_json_begin(json, '{')) return false;
  while (tvmq_json_next(json, '}', &n_read)) {
    size_t i = 0;
    if (!tvmq_json_key(json, name, sizeof name)) return false;
    while (i < n && strcmp(members[i].name, name) != 0) i++;
    if (i < n && (seen & 1u << i) != 0) return false;
    if (!(i < n ? members[i].read(json, &members[i], object) : tvmq_json_skip(json))) return false;
    seen |= i < n ? 1u << i : 0;
  }
  for (size_t i = 0; i < n; i++) {
    if (!members[i].optional && (seen & 1u << i) == 0) return false;
  }
  return !json->failed;
}

static void *field_of(const struct tvmq_member *member, void *object) { return (char *)object + member->offset; }

bool tvmq_read_text(struct tvmq_json *json, const struct tvmq_member *member, void *object) {
  return tvmq_json_string(json, field_of(member, object), member->size);
}

bool tvmq_read_number(struct tvmq_json *json, const struct tvmq_member *member, void *object) { return tvmq_json_number(json, field_of(member, object)); }

bool tvmq_read_truth(struct tvmq_json *json, const struct tvmq_member *member, void *object) { return tvmq_json_bool(json, field_of(member, object)); }

bool tvmq_read_choice(struct tvmq_json *json, const struct tvmq_member *member, void *object) {
  static const struct tvmq_member members[] = {
      {"algorithm", tvmq_read_text, offsetof(struct tvmq_choice_text, algorithm), sizeof((struct tvmq_choice_text *)0)->algorithm, false},
      {"kernel", tvmq_read_text, offsetof(struct tvmq_choice_text, kernel), sizeof((struct tvmq_choice_text *)0)->kernel, false},
      {"flipped_copy", tvmq_read_truth, offsetof(struct tvmq_choice_text, flipped_copy), 0, false},
      {"rows", tvmq_read_number, offsetof(struct tvmq_choice_text, rows), 0, false},
      {"panels", tvmq_read_number, offsetof(struct tvmq_choice_text, panels), 0, false},
  };
  return tvmq_read_members(json, members, sizeof members / sizeof members[0], field_of(member, object));
}

// Returns whether the number is a plausible count: a whole number from 0 to 2^30.
static bool is_size(double number) { return number >= 0 && number <= (double)(1 << 30) && number == floor(number); }

bool tvmq_choice_sane(const struct tvmq_choice_text *text) { return is_size(text->rows) && is_size(text->panels); }

static const struct tvmq_variant *find_kernel(const char *name) {
  for (size_t i = 0; i < tvmq_n_variants; i++) {
    if (strcmp(tvmq_variants[i].name, name) == 0) return &tvmq_variants[i];
  }
  return NULL;
}

static enum tvmq_algorithm find_algorithm(const char *name) {
  for (enum tvmq_algorithm algorithm = TVMQ_ALGORITHM_ANY + 1; algorithm < TVMQ_N_ALGORITHMS; algorithm++) {
    if (strcmp(tvmq_algorithm_name(algorithm), name) == 0) return algorithm;
  }
  return TVMQ_ALGORITHM_ANY;
}

bool tvmq_choice_known(const struct tvmq_choice_text *text, struct tvmq_choice *choice) {
  *choice = (struct tvmq_choice){.algorithm = find_algorithm(text->algorithm),
                                 .variant = find_kernel(text->kernel),
                                 .flip = text->flipped_copy ? TVMQ_FLIP_COPY : TVMQ_FLIP_USES,
                                 .rows = (size_t)text->rows,
                                 .panels = (size_t)text->panels};
  if (choice->algorithm == TVMQ_ALGORITHM_RUNTIME) return text->kernel[0] == '\0';
  return choice->algorithm != TVMQ_ALGORITHM_ANY && choice->variant != NULL;
}
