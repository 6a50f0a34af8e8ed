#include "engine.h"

#if defined(__aarch64__)

#include <inttypes.h>

// Puts a pattern into the low halves of v8 to v15, which a function must preserve, calls it, and looks what is left.
void check_call(void (*kernel)(void), const void *args) {
  static const uint64_t pattern[8] = {0x0123456789abcdef, 0x1032547698badcfe, 0x2301674589ab67ef, 0x3210765489fedcba,
                                      0x45670123cdef89ab, 0x54761032dcfe98ba, 0x67452301efcdab89, 0x76543210fedcba98};
  uint64_t left[8];
  register const void *x0 __asm__("x0") = args;
  __asm__ volatile(
      "ldp d8, d9, [%[pattern]]\n"
      "ldp d10, d11, [%[pattern], #16]\n"
      "ldp d12, d13, [%[pattern], #32]\n"
      "ldp d14, d15, [%[pattern], #48]\n"
      "blr %[kernel]\n"
      "stp d8, d9, [%[left]]\n"
      "stp d10, d11, [%[left], #16]\n"
      "stp d12, d13, [%[left], #32]\n"
      "stp d14, d15, [%[left], #48]\n"
      : "+r"(x0)
      : [kernel] "r"(kernel), [pattern] "r"(pattern), [left] "r"(left)
      : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x30", "v0", "v1", "v2", "v3",
        "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
        "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
  for (int i = 0; i < 8; i++) {
    if (left[i] != pattern[i]) check_fail("the kernel does not preserve d%d: %#" PRIx64 " became %#" PRIx64, 8 + i, pattern[i], left[i]);
  }
}

#endif
