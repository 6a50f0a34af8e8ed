// The floating-point mode that proofs assume and kernels need, on every thread: round to nearest, subnormal numbers are
// not flushed, exceptions do not trap. An application may change the mode of its threads at any time, and a new thread
// inherits the mode of its creator.
#pragma once

#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

struct tvmq_fp_mode {
  uint64_t caller;  // the caller's control register for vector floating point
};

#if defined(__x86_64__)
// Bits of MXCSR. OTHER: rounding modes except to nearest, and flushing of subnormal results (0x8000) and operands
// (0x40). MASKED: exceptions that do not trap.
enum { TVMQ_FP_OTHER = 0xe040, TVMQ_FP_MASKED = 0x1f80 };
static inline uint64_t tvmq_fp_read(void) { return _mm_getcsr(); }
static inline void tvmq_fp_write(uint64_t mode) { _mm_setcsr((uint32_t)mode); }
static inline uint64_t tvmq_fp_defined(uint64_t mode) { return (mode & ~(uint64_t)TVMQ_FP_OTHER) | TVMQ_FP_MASKED; }
// Returns `mode` with the caller's control bits. Exception flags that kernels raised stay set, as after any
// computation.
static inline uint64_t tvmq_fp_restored(uint64_t mode, uint64_t caller) {
  const uint64_t control = TVMQ_FP_OTHER | TVMQ_FP_MASKED;
  return (mode & ~control) | (caller & control);
}
#elif defined(__aarch64__)
static inline uint64_t tvmq_fp_read(void) {
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
static inline void tvmq_fp_write(uint64_t mode) { __asm__ volatile("msr fpcr, %0" : : "r"(mode) : "memory"); }
// Cleared bits of FPCR: FZ and RMode (0x1c00000), FZ16 (0x80000), the trap enables IDE to IOE (0x9f00), NEP, AH and FIZ (7).
static inline uint64_t tvmq_fp_defined(uint64_t mode) { return mode & ~UINT64_C(0x1c89f07); }
static inline uint64_t tvmq_fp_restored(uint64_t mode, uint64_t caller) {
  (void)mode;
  return caller;
}
#else
static inline uint64_t tvmq_fp_read(void) { return 0; }
static inline void tvmq_fp_write(uint64_t mode) { (void)mode; }
static inline uint64_t tvmq_fp_defined(uint64_t mode) { return mode; }
static inline uint64_t tvmq_fp_restored(uint64_t mode, uint64_t caller) { return (void)mode, caller; }
#endif

// Sets the defined mode on this thread until tvmq_fp_leave, which the same thread must call. Only reads the register if
// the mode is already right.
static inline struct tvmq_fp_mode tvmq_fp_enter(void) {
  const struct tvmq_fp_mode mode = {.caller = tvmq_fp_read()};
  if (tvmq_fp_defined(mode.caller) != mode.caller) tvmq_fp_write(tvmq_fp_defined(mode.caller));
  return mode;
}

static inline void tvmq_fp_leave(struct tvmq_fp_mode mode) {
  if (tvmq_fp_defined(mode.caller) != mode.caller) tvmq_fp_write(tvmq_fp_restored(tvmq_fp_read(), mode.caller));
}
