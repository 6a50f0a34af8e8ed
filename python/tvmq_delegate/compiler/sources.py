"""The C sources that the package brings: groups of files with the compiler's arguments, and which file defines what."""

from __future__ import annotations

import functools
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from ..binding import packaged

PLAIN, PORTABLE = "plain", "portable"  # groups besides the instruction sets: operators, and kernels that every processor runs

# Functions and tables that other files can see, defined as these sources are written and as the preprocessor leaves them.
_DEFINED = re.compile(r"(?:^|[;}] )(?:const )?(?:struct |enum |unsigned )?\w+ \*?(tvmq_\w+)(?:\([^;{]*\) ?\{|(?:\[\w*\])* = )", re.MULTILINE)

# Names in assembly that macros make functions of. A macro's argument is a part of a name: `tvmq_\name\()_neon`.
_ASSEMBLED = re.compile(r"^\s+(?!bl?\b)\w+\s+(tvmq_[\w\\()]+)\s*(?:,|$)", re.MULTILINE)
_ARGUMENT = re.compile(r"\\\w+(?:\\\(\))?")


@dataclass(frozen=True)
class Group:
    """Files that are compiled with the same arguments. tried: arguments that a compiler need not know. files: from root() on."""

    c_args: list[str]
    tried: list[str]
    files: list[str]


@dataclass(frozen=True, order=True)
class Source:
    """A file to compile, and the group whose arguments it needs."""

    path: str
    group: str

    @property
    def made(self) -> str:
        """A name for its object file."""
        return re.sub(r"\W", "_", self.path.removeprefix("delegate/")) + ".o"


@functools.cache
def root() -> Path:
    """The folder of the folder `delegate`, from which the sources include their headers."""
    return packaged("sources/delegate/compiled/compiled.c").parents[2]


@functools.cache
def groups() -> dict[str, Group]:
    listed = json.loads(packaged("sources/sources.json").read_text(encoding="utf-8"))
    return {name: Group(**group) for name, group in listed.items()}


@functools.cache
def text(source: Source) -> str:
    return (root() / source.path).read_text(encoding="utf-8")


def of_group(group: str) -> list[Source]:
    return [Source(path, group) for path in groups()[group].files]


@functools.lru_cache(4096)
def _names(pattern: re.Pattern[str], written: str) -> frozenset[str]:
    return frozenset(pattern.findall(written))


def likeness(source: Source, symbol: str) -> int:
    """How many letters the names of a file and of a symbol begin with alike."""
    return len(os.path.commonprefix([Path(source.path).stem, symbol.removeprefix("tvmq_")]))


def defines(source: Source, symbol: str, written: str) -> bool:
    """Whether a file whose text is `written`, or what the preprocessor makes of it, defines a symbol."""
    if source.path.endswith(".S"):
        return any(re.fullmatch(_ARGUMENT.sub(r"\\w+", name), symbol) for name in _names(_ASSEMBLED, written))
    return symbol in _names(_DEFINED, written)
