// A function of Python 3.12 that 3.13 has renamed, for LD_PRELOAD: extension modules of 3.12 then load in 3.13.
#include <stddef.h>

void *PyThreadState_GetUnchecked(void) __attribute__((weak));
void *_PyThreadState_UncheckedGet(void);
void *_PyThreadState_UncheckedGet(void) { return PyThreadState_GetUnchecked != NULL ? PyThreadState_GetUnchecked() : NULL; }
