"""The names of what the tools take: parameters of their own, and the delegate's options."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ..binding import library

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


def takes_options(tool: Callable[_Given, _Found]) -> Callable[_Given, _Found]:
    """A tool that hands the delegate what is not a parameter of its own. A name that is neither raises ValueError, with those that are like it, of both."""
    own = {name: parameter.default for name, parameter in inspect.signature(tool).parameters.items()}
    fields = {field.name: f"{name}.{field.name}" for name, value in own.items() if dataclasses.is_dataclass(value) for field in dataclasses.fields(value)}

    @functools.wraps(tool)
    def call(*arguments: _Given.args, **given: _Given.kwargs) -> _Found:
        known = {name: name for name in [*own, *(option.name for option in library.options())]}
        for name in given:
            like = difflib.get_close_matches(name, [*known, *fields]) if name.replace("-", "_") not in known else []
            if like:
                raise ValueError(f"{tool.__name__}() has no {name!r}; did you mean {' or '.join({**fields, **known}[each] for each in like)}?")
        return tool(*arguments, **given)  # where nothing is like it, the delegate lists its options

    return call
