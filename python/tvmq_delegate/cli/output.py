"""Files that commands write: opened before anything is measured, there as a whole or not at all, and named in errors."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from .group import Failure


class Output:
    """A file to write. A regular one is written beside its place and moved there at the end; until then what was there before stays."""

    def __init__(self, path: Path):
        self.path = self.target = path
        self.temporary: Path | None = None
        if path.exists() and not path.is_file():
            return  # a device or a pipe, whose links lead to no path
        self.target = path.resolve()
        descriptor, name = tempfile.mkstemp(dir=self.target.parent, prefix=f".{self.target.name[:100]}.")
        os.close(descriptor)
        self.temporary = Path(name)

    def write(self, content: str | bytes) -> None:
        data = content.encode() if isinstance(content, str) else content
        if self.temporary is None:
            self.target.write_bytes(data)
            return
        self.temporary.write_bytes(data)
        self.temporary.chmod(self.target.stat().st_mode & 0o777 if self.target.exists() else 0o666 & ~_umask())
        self.temporary.replace(self.target)

    def discard(self) -> None:
        """Where nothing was written, nothing is left."""
        if self.temporary is not None:
            with contextlib.suppress(OSError):
                self.temporary.unlink()


class OutputFile(click.Path):
    """An Output as the type of a parameter. What cannot be written is refused before anything is measured."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, writable=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        try:
            output = Output(Path(os.fsdecode(path)))
        except OSError as error:
            self.fail(f"{value}: no file can be made in its folder ({error.strerror})", param, ctx)
        if ctx is not None:
            ctx.find_root().call_on_close(output.discard)  # a command's own context is not closed where a later parameter is refused
        return output


def write_all(*files: tuple[Output | None, Callable[[], str | bytes]]) -> None:
    """Writes the files that are asked for, and says so on stderr. One that fails does not keep the others from being written; the error names all that did."""
    failed = []
    for output, text in files:
        if output is not None:
            try:
                output.write(text())
                if output.temporary:  # neither a device nor a pipe
                    click.echo(f"{output.path}: written", err=True)
            except OSError as error:
                failed.append(f"{output.path}: {error.strerror}")
    if failed:
        raise Failure("; ".join(failed))


def _umask() -> int:
    """Which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
