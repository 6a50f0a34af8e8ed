"""The folder of a compiled network: its files are all written or none is, and sources that somebody has edited stay as they are."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

_MARK = "// tvmq compile writes this file anew, unless it is edited: "


def check(folder: Path) -> None:
    """Raises OSError unless files can be written to a folder, or to the one that it is to be made in."""
    there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if not there.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(there))
    try:
        tempfile.TemporaryFile(dir=there).close()
    except OSError as error:
        raise OSError(error.errno, os.strerror(error.errno or 0), str(there)) from None


def write(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Writes files beside those that are there, and renames them when all are complete: no program sees a part of one. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".tvmq-compile-") as beside:
        for name, content in contents.items():
            (Path(beside) / name).write_bytes(content)
        for name in contents:
            os.replace(Path(beside) / name, folder / name)


def marked(source: str) -> str:
    """A C source with a line before it by which edited() knows it."""
    return f"{_MARK}{_checksum(source)}\n{source}"


def edited(path: Path) -> bool:
    """Whether a file is there that is not as marked() made it. Raises OSError."""
    if not path.exists():
        return False
    first, _, source = path.read_text(encoding="utf-8", errors="replace").partition("\n")
    return first != _MARK + _checksum(source)


def _checksum(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()[:16]
