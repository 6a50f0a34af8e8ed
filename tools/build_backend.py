"""Build backend: meson-python, with the wheel tagged for what is in it, and with the files that are compiled counted on the terminal.

meson-python takes any file in the platform's library directory for an extension module and ties the wheel to one version of Python. Ours is a plain shared
library beside pure Python, the same for all of them: py3-none-<platform>.
"""

import contextlib
import os
import pathlib
import subprocess
import sys
import threading

import mesonpy
from mesonpy import *  # noqa: F403  (the other hooks, as they are)

SECONDS = 0.5  # from one count to the next


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with counted((config_settings or {}).get("builddir")):
        name = mesonpy.build_wheel(wheel_directory, config_settings, metadata_directory)
    command = [sys.executable, "-m", "wheel", "tags", "--remove", "--python-tag=py3", "--abi-tag=none", os.path.join(wheel_directory, name)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1]


@contextlib.contextmanager
def counted(folder, terminal="/dev/tty"):
    """Writes how many files are compiled, of how many, behind the line that pip leaves on the terminal, whose output it keeps to itself. folder: of the build;
    None where meson-python makes one of its own.
    """
    screen = _screen(terminal) if folder else None
    if screen is None:
        yield
        return
    done = threading.Event()
    begun = compiled(folder)

    def count():
        while not done.wait(SECONDS):
            total = len(outputs(folder))
            if total:
                there = max(0, min(total, compiled(folder) - begun))  # ninja drops old lines from its log at times
                screen.write(f"\x1b7   {there} of {total} files\x1b[K\x1b8")  # where the cursor is, which then stands where it was
                screen.flush()
        screen.write("\x1b7\x1b[K\x1b8")
        screen.close()

    def count_quietly():
        with contextlib.suppress(OSError):  # the terminal may be closed meanwhile
            count()

    thread = threading.Thread(target=count_quietly, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _screen(terminal):
    """The terminal, open for writing, or None if there is none or this process is in its background."""
    try:
        screen = open(terminal, "w", encoding="utf-8")
    except OSError:
        return None
    with contextlib.suppress(OSError):
        if screen.isatty() and os.tcgetpgrp(screen.fileno()) != os.getpgrp():
            screen.close()
            return None
    return screen


def outputs(folder):
    """The object files that ninja makes."""
    try:
        lines = pathlib.Path(folder, "build.ninja").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return {line.split()[1].rstrip(":") for line in lines if line.startswith("build ") and ".o: " in line}


def compiled(folder):
    """How many files ninja has noted as made."""
    try:
        lines = pathlib.Path(folder, ".ninja_log").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return sum(line.split("\t")[3].endswith(".o") for line in lines if line.count("\t") >= 4)
