#!/usr/bin/env python3
"""Prints the version of these sources in the form of PEP 440: `tools/version.py [--committed]`.

meson.build calls it.

    0.1.0                         the commit that is tagged v0.1.0, and its sdist
    0.1.0.dev829+g20d7cbe         a development version: the next release, the number of commits, the commit
    0.1.0.dev829+g20d7cbe.dirty   the same with uncommitted changes, unless --committed leaves them out
    0.1.0.dev0+g20d7cbe           a shallow clone or an archive by git, which do not know the number of commits
    0.1.0.dev0+unknown            a copy of the files alone
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

NEXT_RELEASE = "0.1.0"
ARCHIVED = "$Format:%H$"  # `git archive` puts the commit here (.gitattributes)
ROOT = pathlib.Path(__file__).resolve().parents[1]


def version(*, committed: bool = False) -> str:
    """Returns what the metadata of an sdist says, else what git says, else what `git archive` has left."""
    metadata = ROOT / "PKG-INFO"
    if metadata.exists():
        return re.findall(r"^Version: (\S+)$", metadata.read_text(encoding="utf-8"), re.MULTILINE)[0]
    return of_checkout(committed) or development(f"g{ARCHIVED[:7]}" if "$" not in ARCHIVED else "unknown")


def development(build: str, count: int = 0) -> str:
    return f"{NEXT_RELEASE}.dev{count}+{build}"


def git(*command: str) -> str:
    """Returns the output of a git command that must succeed."""
    return subprocess.run(["git", "-C", str(ROOT), *command], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()


def of_checkout(committed: bool) -> str | None:
    """Returns the version of the commit that is checked out, or None without git or outside a checkout of this project."""
    try:
        if pathlib.Path(git("rev-parse", "--show-toplevel")).resolve() != ROOT:
            return None  # the files lie in a checkout of another project
        dirty = not committed and git("describe", "--always", "--exclude=*", "--dirty").endswith("-dirty")
        if not dirty and git("tag", "--points-at=HEAD", "--list", f"v{NEXT_RELEASE}"):
            return NEXT_RELEASE
        # Seven digits everywhere, since --short gives more of them in clones with more objects.
        commit = git("rev-parse", "HEAD")[:7]
        count = 0 if git("rev-parse", "--is-shallow-repository") == "true" else int(git("rev-list", "--count", "HEAD"))
    except (OSError, subprocess.CalledProcessError):
        return None
    return development(f"g{commit}{'.dirty' if dirty else ''}", count)


if __name__ == "__main__":
    print(version(committed="--committed" in sys.argv[1:]))
