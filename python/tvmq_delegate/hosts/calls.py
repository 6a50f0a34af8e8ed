"""Arguments of a call by their names. The module inspect does the same, and takes as long to import as a network to open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

VARIADIC = 0x04 | 0x08  # flags of a function with *args or **kwargs


def by_name(function: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments of a call of a function, which takes each by its name. Returns None if it does not, or if they are wrong, which the call itself reports."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & VARIADIC or code.co_posonlyargcount or len(arguments) > code.co_argcount:
        return None
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    call = dict(zip(names, arguments))
    defaults = {*names[code.co_argcount - len(function.__defaults__ or ()) : code.co_argcount], *(function.__kwdefaults__ or {})}
    if named.keys() & call.keys() or named.keys() - {*names} or {*names} - defaults - named.keys() - call.keys():
        return None
    return {**call, **named}


def again(function: Callable[..., Any], call: Mapping[str, Any]) -> Any:
    """Calls a method with what by_name() returned. Its object, the first, goes without a name, which a wrapper of the method may spell in its own way."""
    first, *others = call
    return function(call[first], **{name: call[name] for name in others})
