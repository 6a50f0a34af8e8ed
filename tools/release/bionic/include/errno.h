#pragma once
int *__errno(void);
#define errno (*__errno())
#define ENOENT 2
#define EINTR 4
#define EFBIG 27
