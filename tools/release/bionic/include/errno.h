#pragma once
int *__errno(void);
#define errno (*__errno())
#define ENOENT 2
#define EFBIG 27
