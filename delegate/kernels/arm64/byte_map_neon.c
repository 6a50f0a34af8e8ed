// Map of bytes by a table on any Arm processor. The table's 256 bytes are in sixteen registers and are looked up in
// four parts of 64; an index beyond a part gives 0. If all bytes except at most 191 map to one value, three parts
// suffice: bytes are counted from the first of the 191, and all from the last one on count as one. A map with slopes
// has three or four tables of 32 bytes. Most cores look up such a table in a third of the time of a part.
//
// Registers: v16-v31 hold the used part of the table. Four parts: v0-v3 and v4-v7 hold the bytes of two vectors, each
// xor 0, 64, 128 and 192, then their results from the parts; v8-v10 hold 64, 128 and 192. Three parts: v0-v3, v4-v7 and
// v12-v15 hold the bytes of four vectors, xor 0, 64 and 128, then their results from the parts; v8-v11 hold 64, 128,
// the first byte and the last.
//
// Registers for maps with slopes, for four vectors:
//   v0-v3    bytes, then indices, then -left
//   v4-v7    groups, then their extras
//   v8-v11   bases, then results
//   v12-v15  slopes
//   v28-v31  second extras
//   v16-v21  the groups' bases, slopes and extras; v25-v26 their second extras
//   v22-v24  -8, flip, offset
//
// Assembly, because gcc copies a part to four other registers for every look-up.
#include <string.h>

#include "kernels/kernel.h"

enum { BYTES = 64, PART = 64 };

// Look up n >= 1 vectors of BYTES bytes.
static void look_up_3(const struct tvmq_byte_map *map, const uint8_t *in, uint8_t *out, size_t n) {
  __asm__ volatile(
      "ldp q16, q17, [%[table], #0]\n"
      "ldp q18, q19, [%[table], #32]\n"
      "ldp q20, q21, [%[table], #64]\n"
      "ldp q22, q23, [%[table], #96]\n"
      "ldp q24, q25, [%[table], #128]\n"
      "ldp q26, q27, [%[table], #160]\n"
      "movi v8.16b, #64\n"
      "movi v9.16b, #128\n"
      "dup v10.16b, %w[first]\n"
      "movi v11.16b, #191\n"
      "1:\n"
      "ldp q0, q1, [%[in]]\n"
      "ldp q2, q3, [%[in], #32]\n"
      "add %[in], %[in], #64\n"
      "sub v0.16b, v0.16b, v10.16b\n"
      "sub v1.16b, v1.16b, v10.16b\n"
      "sub v2.16b, v2.16b, v10.16b\n"
      "sub v3.16b, v3.16b, v10.16b\n"
      "umin v0.16b, v0.16b, v11.16b\n"
      "umin v1.16b, v1.16b, v11.16b\n"
      "umin v2.16b, v2.16b, v11.16b\n"
      "umin v3.16b, v3.16b, v11.16b\n"
      "eor v4.16b, v0.16b, v8.16b\n"
      "eor v5.16b, v1.16b, v8.16b\n"
      "eor v6.16b, v2.16b, v8.16b\n"
      "eor v7.16b, v3.16b, v8.16b\n"
      "eor v12.16b, v0.16b, v9.16b\n"
      "eor v13.16b, v1.16b, v9.16b\n"
      "eor v14.16b, v2.16b, v9.16b\n"
      "eor v15.16b, v3.16b, v9.16b\n"
      "tbl v4.16b, {v20.16b-v23.16b}, v4.16b\n"
      "tbl v5.16b, {v20.16b-v23.16b}, v5.16b\n"
      "tbl v6.16b, {v20.16b-v23.16b}, v6.16b\n"
      "tbl v7.16b, {v20.16b-v23.16b}, v7.16b\n"
      "tbl v12.16b, {v24.16b-v27.16b}, v12.16b\n"
      "tbl v13.16b, {v24.16b-v27.16b}, v13.16b\n"
      "tbl v14.16b, {v24.16b-v27.16b}, v14.16b\n"
      "tbl v15.16b, {v24.16b-v27.16b}, v15.16b\n"
      "tbl v0.16b, {v16.16b-v19.16b}, v0.16b\n"
      "tbl v1.16b, {v16.16b-v19.16b}, v1.16b\n"
      "tbl v2.16b, {v16.16b-v19.16b}, v2.16b\n"
      "tbl v3.16b, {v16.16b-v19.16b}, v3.16b\n"
      "orr v4.16b, v4.16b, v12.16b\n"
      "orr v5.16b, v5.16b, v13.16b\n"
      "orr v6.16b, v6.16b, v14.16b\n"
      "orr v7.16b, v7.16b, v15.16b\n"
      "subs %[n], %[n], #1\n"
      "orr v0.16b, v0.16b, v4.16b\n"
      "orr v1.16b, v1.16b, v5.16b\n"
      "orr v2.16b, v2.16b, v6.16b\n"
      "orr v3.16b, v3.16b, v7.16b\n"
      "stp q0, q1, [%[out]]\n"
      "stp q2, q3, [%[out], #32]\n"
      "add %[out], %[out], #64\n"
      "b.ne 1b\n"
      : [in] "+r"(in), [out] "+r"(out), [n] "+r"(n)
      : [table] "r"(map->table + map->first), [first] "r"((uint32_t)map->first)
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20",
        "v21", "v22", "v23", "v24", "v25", "v26", "v27");
}

static void look_up_4(const struct tvmq_byte_map *map, const uint8_t *in, uint8_t *out, size_t n) {
  n *= 2;
  __asm__ volatile(
      "ldp q16, q17, [%[table], #0]\n"
      "ldp q18, q19, [%[table], #32]\n"
      "ldp q20, q21, [%[table], #64]\n"
      "ldp q22, q23, [%[table], #96]\n"
      "ldp q24, q25, [%[table], #128]\n"
      "ldp q26, q27, [%[table], #160]\n"
      "ldp q28, q29, [%[table], #192]\n"
      "ldp q30, q31, [%[table], #224]\n"
      "movi v8.16b, #64\n"
      "movi v9.16b, #128\n"
      "movi v10.16b, #192\n"
      "1:\n"
      "ldr q0, [%[in]], #32\n"
      "ldr q4, [%[in], #-16]\n"
      "eor v1.16b, v0.16b, v8.16b\n"
      "eor v5.16b, v4.16b, v8.16b\n"
      "eor v2.16b, v0.16b, v9.16b\n"
      "eor v6.16b, v4.16b, v9.16b\n"
      "eor v3.16b, v0.16b, v10.16b\n"
      "eor v7.16b, v4.16b, v10.16b\n"
      "tbl v0.16b, {v16.16b-v19.16b}, v0.16b\n"
      "tbl v4.16b, {v16.16b-v19.16b}, v4.16b\n"
      "tbl v1.16b, {v20.16b-v23.16b}, v1.16b\n"
      "tbl v5.16b, {v20.16b-v23.16b}, v5.16b\n"
      "tbl v2.16b, {v24.16b-v27.16b}, v2.16b\n"
      "tbl v6.16b, {v24.16b-v27.16b}, v6.16b\n"
      "tbl v3.16b, {v28.16b-v31.16b}, v3.16b\n"
      "tbl v7.16b, {v28.16b-v31.16b}, v7.16b\n"
      "subs %[n], %[n], #1\n"
      "orr v0.16b, v0.16b, v1.16b\n"
      "orr v4.16b, v4.16b, v5.16b\n"
      "orr v2.16b, v2.16b, v3.16b\n"
      "orr v6.16b, v6.16b, v7.16b\n"
      "orr v0.16b, v0.16b, v2.16b\n"
      "orr v4.16b, v4.16b, v6.16b\n"
      "stp q0, q4, [%[out]], #32\n"
      "b.ne 1b\n"
      : [in] "+r"(in), [out] "+r"(out), [n] "+r"(n)
      : [table] "r"(map->table)
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
        "v26", "v27", "v28", "v29", "v30", "v31");
}

// -left is index % 8 - 8, and ushl shifts to the right by it. The loop loads the next four vectors as soon as it has
// used the current ones. After the last vectors it loads these again, so that it reads nothing after the input.
#define LOOK_UP_SLOPES(name, PREPARE, OFFSET, LOOK_UP_MORE, SHIFT_MORE, ADD_MORE)                                                                          \
  static void name(const struct tvmq_byte_map *map, const uint8_t *in, uint8_t *out, size_t n) {                                                           \
    const struct tvmq_byte_slopes *const slopes = &map->slopes;                                                                                            \
    __asm__ volatile(                                                                                                                                      \
        "ldp q16, q17, [%[base]]\n"                                                                                                                        \
        "ldp q18, q19, [%[base], %[slope]]\n"                                                                                                              \
        "ldp q20, q21, [%[base], %[extra]]\n" PREPARE                                                                                                      \
        "movi v22.16b, #0xf8\n"                                                                                                                            \
        "ldr q0, [%[in]]\n"                                                                                                                                \
        "ldr q1, [%[in], #16]\n"                                                                                                                           \
        "ldr q2, [%[in], #32]\n"                                                                                                                           \
        "ldr q3, [%[in], #48]\n"                                                                                                                           \
        "1:\n"                                                                                                                                             \
        "add x9, %[in], #64\n"                                                                                                                             \
        "subs %[n], %[n], #1\n" OFFSET                                                                                                                     \
        "ushr v4.16b, v0.16b, #3\n"                                                                                                                        \
        "ushr v5.16b, v1.16b, #3\n"                                                                                                                        \
        "ushr v6.16b, v2.16b, #3\n"                                                                                                                        \
        "ushr v7.16b, v3.16b, #3\n"                                                                                                                        \
        "orr v0.16b, v0.16b, v22.16b\n"                                                                                                                    \
        "orr v1.16b, v1.16b, v22.16b\n"                                                                                                                    \
        "orr v2.16b, v2.16b, v22.16b\n"                                                                                                                    \
        "orr v3.16b, v3.16b, v22.16b\n"                                                                                                                    \
        "csel %[in], x9, %[in], ne\n"                                                                                                                      \
        "tbl v8.16b, {v16.16b-v17.16b}, v4.16b\n"                                                                                                          \
        "tbl v9.16b, {v16.16b-v17.16b}, v5.16b\n"                                                                                                          \
        "tbl v10.16b, {v16.16b-v17.16b}, v6.16b\n"                                                                                                         \
        "tbl v11.16b, {v16.16b-v17.16b}, v7.16b\n"                                                                                                         \
        "tbl v12.16b, {v18.16b-v19.16b}, v4.16b\n"                                                                                                         \
        "tbl v13.16b, {v18.16b-v19.16b}, v5.16b\n"                                                                                                         \
        "tbl v14.16b, {v18.16b-v19.16b}, v6.16b\n"                                                                                                         \
        "tbl v15.16b, {v18.16b-v19.16b}, v7.16b\n" LOOK_UP_MORE                                                                                            \
        "tbl v4.16b, {v20.16b-v21.16b}, v4.16b\n"                                                                                                          \
        "tbl v5.16b, {v20.16b-v21.16b}, v5.16b\n"                                                                                                          \
        "tbl v6.16b, {v20.16b-v21.16b}, v6.16b\n"                                                                                                          \
        "tbl v7.16b, {v20.16b-v21.16b}, v7.16b\n"                                                                                                          \
        "mla v8.16b, v12.16b, v0.16b\n"                                                                                                                    \
        "mla v9.16b, v13.16b, v1.16b\n"                                                                                                                    \
        "mla v10.16b, v14.16b, v2.16b\n"                                                                                                                   \
        "mla v11.16b, v15.16b, v3.16b\n"                                                                                                                   \
        "ushl v4.16b, v4.16b, v0.16b\n"                                                                                                                    \
        "ushl v5.16b, v5.16b, v1.16b\n"                                                                                                                    \
        "ushl v6.16b, v6.16b, v2.16b\n"                                                                                                                    \
        "ushl v7.16b, v7.16b, v3.16b\n" SHIFT_MORE                                                                                                         \
        "cnt v4.16b, v4.16b\n"                                                                                                                             \
        "cnt v5.16b, v5.16b\n"                                                                                                                             \
        "cnt v6.16b, v6.16b\n"                                                                                                                             \
        "cnt v7.16b, v7.16b\n" ADD_MORE                                                                                                                    \
        "ldr q0, [%[in]]\n"                                                                                                                                \
        "ldr q1, [%[in], #16]\n"                                                                                                                           \
        "ldr q2, [%[in], #32]\n"                                                                                                                           \
        "ldr q3, [%[in], #48]\n"                                                                                                                           \
        "add v8.16b, v8.16b, v4.16b\n"                                                                                                                     \
        "add v9.16b, v9.16b, v5.16b\n"                                                                                                                     \
        "add v10.16b, v10.16b, v6.16b\n"                                                                                                                   \
        "add v11.16b, v11.16b, v7.16b\n"                                                                                                                   \
        "stp q8, q9, [%[out]]\n"                                                                                                                           \
        "stp q10, q11, [%[out], #32]\n"                                                                                                                    \
        "add %[out], %[out], #64\n"                                                                                                                        \
        "b.ne 1b\n"                                                                                                                                        \
        : [in] "+r"(in), [out] "+r"(out), [n] "+r"(n)                                                                                                      \
        : [base] "r"(slopes->base), [slope] "i"(offsetof(struct tvmq_byte_slopes, slope)), [extra] "i"(offsetof(struct tvmq_byte_slopes, extra[0])),       \
          [more] "i"(offsetof(struct tvmq_byte_slopes, extra[1])), [flip] "r"((uint32_t)slopes->flip), [offset] "r"((uint32_t)slopes->offset)              \
        : "cc", "memory", "x9", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", \
          "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v28", "v29", "v30", "v31");                                                             \
  }
LOOK_UP_SLOPES(look_up_slopes, "", "", "", "", "")
LOOK_UP_SLOPES(look_up_offset_slopes,
               "dup v23.16b, %w[flip]\n"
               "dup v24.16b, %w[offset]\n",
               "eor v0.16b, v0.16b, v23.16b\n"
               "eor v1.16b, v1.16b, v23.16b\n"
               "eor v2.16b, v2.16b, v23.16b\n"
               "eor v3.16b, v3.16b, v23.16b\n"
               "sqadd v0.16b, v0.16b, v24.16b\n"
               "sqadd v1.16b, v1.16b, v24.16b\n"
               "sqadd v2.16b, v2.16b, v24.16b\n"
               "sqadd v3.16b, v3.16b, v24.16b\n",
               "", "", "")
LOOK_UP_SLOPES(look_up_two_extras, "ldp q25, q26, [%[base], %[more]]\n", "",
               "tbl v28.16b, {v25.16b-v26.16b}, v4.16b\n"
               "tbl v29.16b, {v25.16b-v26.16b}, v5.16b\n"
               "tbl v30.16b, {v25.16b-v26.16b}, v6.16b\n"
               "tbl v31.16b, {v25.16b-v26.16b}, v7.16b\n",
               "ushl v28.16b, v28.16b, v0.16b\n"
               "ushl v29.16b, v29.16b, v1.16b\n"
               "ushl v30.16b, v30.16b, v2.16b\n"
               "ushl v31.16b, v31.16b, v3.16b\n",
               "cnt v28.16b, v28.16b\n"
               "cnt v29.16b, v29.16b\n"
               "cnt v30.16b, v30.16b\n"
               "cnt v31.16b, v31.16b\n"
               "add v8.16b, v8.16b, v28.16b\n"
               "add v9.16b, v9.16b, v29.16b\n"
               "add v10.16b, v10.16b, v30.16b\n"
               "add v11.16b, v11.16b, v31.16b\n")

static void look_up(const struct tvmq_byte_map *map, const uint8_t *in, uint8_t *out, size_t n) {
  if (map->slopes.n == 1)
    (map->slopes.offset == 0 ? look_up_slopes : look_up_offset_slopes)(map, in, out, n);
  else if (map->n_live < 3 * PART)
    look_up_3(map, in, out, n);
  else if (map->slopes.n == 2)
    look_up_two_extras(map, in, out, n);
  else
    look_up_4(map, in, out, n);
}

// Looks up the last bytes before all others, and stores them after all others, because the tensors may be identical.
void tvmq_byte_map__neon(const struct tvmq_byte_map_args *args) {
  const uint8_t *const in = args->in;
  uint8_t *const out = args->out;
  const size_t n = args->n;
  if (n < BYTES) {
    tvmq_byte_map__c(args);
    return;
  }
  uint8_t last[BYTES];
  if (n % BYTES != 0) look_up(args->map, in + n - BYTES, last, 1);
  look_up(args->map, in, out, n / BYTES);
  if (n % BYTES != 0) memcpy(out + n - BYTES, last, BYTES);
}
