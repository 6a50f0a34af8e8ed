#pragma once
enum { _SC_NPROCESSORS_ONLN = 97 };
long sysconf(int name);
long syscall(long number, ...);
