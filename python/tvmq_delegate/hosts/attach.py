"""Puts the delegate into each interpreter and compiled model that a program makes, unless it asks for something that the delegate would change."""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..binding import library_name, load, runtimes
from . import tally
from .calls import again, by_name
from .settings import COMPARE, OPTIONS, parsed
from .unseen import Unseen

_numbers = itertools.count()
_own = threading.local()  # busy: this thread makes interpreters that are not the program's, as load() does to ask a runtime's kernels


def attach(module: ModuleType) -> None:
    """Prepares the classes of a module of a TFLite runtime that has just been imported."""
    tally.start()
    if hasattr(module, "CompiledModel"):
        for name in ("from_file", "from_buffer"):
            _prepare_compiled(module, name)
    else:
        _prepare_interpreters(module)


def _bound(function: Callable[..., Any], *arguments: Any, **named: Any) -> dict[str, Any] | None:
    """The arguments of a call by name. Returns None if the call is our own, or if the arguments are wrong, which the runtime then reports."""
    return None if getattr(_own, "busy", False) else by_name(function, arguments, named)


def _attempt(network: str, what: Callable[[], Any]) -> Any:
    """Returns the result of a function, or None after an error, which is noted: the program goes on without the delegate."""
    _own.busy = True
    try:
        return what()
    except Exception as error:
        tally.note(network, left=" ".join(str(error).split())[:200] or type(error).__name__)
        return None
    finally:
        _own.busy = False


def _options() -> dict[str, Any]:
    return dict(parsed(os.environ.get(OPTIONS, "")))


def _takes_nodes(network: str, delegate: Any) -> bool:
    """Notes the nodes and the claimed nodes, which are among the first members of tvmq_delegate_info. Needs no cffi."""
    pointer = delegate._get_native_delegate_pointer()
    get = ctypes.CDLL(library_name()).tvmq_get_delegate
    get.argtypes, get.restype = [ctypes.c_void_p], ctypes.POINTER(ctypes.c_int * 3)
    _, nodes, claimed = get(pointer).contents
    tally.note(network, nodes=nodes, claimed=claimed)
    return bool(claimed)


# ---- interpreters


def _prepare_interpreters(module: ModuleType) -> None:
    interpreters = module.Interpreter
    original: Callable[..., None] = interpreters.__init__
    if COMPARE in os.environ:
        from . import compare

        compare.prepare(interpreters)

    @functools.wraps(original)
    def initialize(self: Any, *arguments: Any, **named: Any) -> None:
        call = _bound(original, self, *arguments, **named)
        if call is None or _own_wish(module, call):
            with Unseen():
                return original(self, *arguments, **named)
        network = str(next(_numbers))
        tally.source(network, runtimes.name(module), *map(call.get, ("model_path", "model_content")))
        delegate = _attempt(network, lambda: load(runtime=module, **_options()))
        call["experimental_delegates"] = [delegate]

        def create() -> bool:
            again(original, call)
            return _takes_nodes(network, delegate)

        before = dict(vars(self))
        if delegate is None or not _attempt(network, create):
            vars(self).clear()
            vars(self).update(before)
            with Unseen():
                return original(self, *arguments, **named)
        if COMPARE in os.environ:
            compare.follow(self, network, lambda: _stock(interpreters, original, arguments, named))
        return None

    interpreters.__init__ = initialize


def _own_wish(module: ModuleType, given: dict[str, Any]) -> bool:
    """Whether the program has delegates of its own, reads tensors that the delegate does not make, or asks for the reference kernels, as load() does."""
    if given.get("experimental_op_resolver_type") == module.OpResolverType.BUILTIN_REF:
        return True
    return bool(given.get("experimental_delegates") or given.get("experimental_preserve_all_tensors"))


def _stock(interpreters: Any, original: Callable[..., None], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    interpreter = interpreters.__new__(interpreters)
    original(interpreter, *arguments, **named)
    return interpreter


# ---- compiled models


@functools.cache
def _environment() -> Any:
    from ..binding import accelerator

    return accelerator.environment(**_options())


def _only_cpu(module: ModuleType, call: dict[str, Any]) -> bool:
    asked = call.get("hardware_accel") or getattr(call.get("options"), "hardware_accelerators", None)
    return not asked or asked == module.HardwareAccelerator.CPU


def _prepare_compiled(module: ModuleType, name: str) -> None:
    original = vars(module.CompiledModel)[name].__func__

    @functools.wraps(original)
    def create(cls: type, *arguments: Any, **named: Any) -> Any:
        call = _bound(original, cls, *arguments, **named)
        if call is None or call.get("environment") is not None or not _only_cpu(module, call):
            with Unseen():
                return original(cls, *arguments, **named)
        network = str(next(_numbers))
        tally.source(network, "compiled_model", *map(call.get, ("model_path", "model_data")))
        call["environment"] = _attempt(network, _environment)
        model = _attempt(network, lambda: _compiled(network, original, call)) if call["environment"] is not None else None
        if model is None:
            with Unseen():
                return original(cls, *arguments, **named)
        return model

    setattr(module.CompiledModel, name, classmethod(create))


def _compiled(network: str, original: Callable[..., Any], call: dict[str, Any]) -> Any:
    """A compiled model with the delegate, or None if the delegate takes no node."""
    from ..binding import accelerator

    model = again(original, call)
    alive = accelerator.delegates(_environment())
    return model if alive and _takes_nodes(network, alive[-1]) else None
