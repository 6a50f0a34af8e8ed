"""Names of compiled networks, after which their library, header and functions are called."""

from __future__ import annotations

import re

# Headers of C libraries, which one of the same name would hide from programs that look for headers in the network's folder; and libraries of compilers.
_HEADERS = """
aio alloca assert byteswap complex cpio ctype dirent dlfcn elf endian err errno error fcntl features fenv float fmtmsg fnmatch ftw getopt glob grp
iconv inttypes iso646 langinfo libgen libintl limits link locale malloc math memory monetary mqueue ndbm netdb nl_types paths poll pthread pty pwd
regex regexp resolv sched search semaphore setjmp shadow signal spawn stab stdalign stdarg stdatomic stdbool stdbit stdckdint stddef stdint stdio
stdlib stdnoreturn string strings stropts syscall sysexits syslog tar termio termios tgmath thread_db threads time trace uchar ucontext ulimit unistd
utime utmp utmpx values wait wchar wctype wordexp
"""
_LIBRARIES = "anl atomic c crypt dl gcc gcc_s gomp log m mvec nsl pthread resolv rt thread_db util z"
_TAKEN = frozenset(f"{_HEADERS} {_LIBRARIES}".split())


def identifier(name: str) -> str:
    """A name as C, its header and its library need it: lower-case letters, digits and underscores, and none that the system has."""
    found = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()
    return found if found and not found[0].isdigit() and found not in _TAKEN else f"network_{found}".rstrip("_")
