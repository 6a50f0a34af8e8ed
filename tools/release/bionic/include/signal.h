#pragma once
typedef unsigned long sigset_t;
enum { SIG_SETMASK = 2 };
int sigfillset(sigset_t *set);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
