#pragma once
struct timespec;
typedef unsigned long sigset_t;
typedef struct siginfo siginfo_t;
enum { SIG_BLOCK = 0, SIG_SETMASK = 2, SIGPIPE = 13, SIGXFSZ = 25 };
int sigemptyset(sigset_t *set), sigfillset(sigset_t *set), sigaddset(sigset_t *set, int signal), sigismember(const sigset_t *set, int signal);
int sigpending(sigset_t *set), sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
