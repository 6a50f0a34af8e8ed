#pragma once
void __assert2(const char *file, int line, const char *function, const char *message) __attribute__((noreturn));
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __assert2(__FILE__, __LINE__, __func__, #condition))
#endif
#define static_assert _Static_assert
