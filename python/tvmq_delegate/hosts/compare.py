"""The same inferences without the delegate, timed: `tvmq run --compare`."""

from __future__ import annotations

import atexit
import functools
import time
import weakref
from collections.abc import Callable
from typing import Any

from . import tally
from .unseen import Unseen

_twins: weakref.WeakKeyDictionary[Any, Twin] = weakref.WeakKeyDictionary()
_totals: dict[str, dict[str, int]] = {}  # by network: they outlast the interpreters


@functools.cache
def _note_at_end() -> None:
    """Has all totals noted before the notes are summed up, which was registered earlier."""
    atexit.register(_note_all)


def _note_all() -> None:
    for network, totals in _totals.items():
        tally.note(network, **totals)


class Twin:
    """An interpreter without the delegate, which runs whatever another one runs. The first inference of both is not counted."""

    def __init__(self, network: str, make: Callable[[], Any]):
        self._network, self._make = network, make
        self._interpreter: Any = None

    def run(self, inputs: dict[int, Any], ours_ns: int) -> None:
        first = self._interpreter is None
        if first:
            self._interpreter = self._make()
            self._interpreter.allocate_tensors()
        shapes = {detail["index"]: tuple(detail["shape"]) for detail in self._interpreter.get_input_details()}
        changed = [index for index, values in inputs.items() if shapes[index] != values.shape]
        for index in changed:
            self._interpreter.resize_tensor_input(index, inputs[index].shape)
        if changed:
            self._interpreter.allocate_tensors()
        for index, values in inputs.items():
            self._interpreter.set_tensor(index, values)
        start = time.perf_counter_ns()
        self._interpreter.invoke()
        stock_ns = time.perf_counter_ns() - start
        if first:
            return
        _note_at_end()
        totals = _totals.setdefault(self._network, {"ours_ns": 0, "stock_ns": 0, "runs": 0})
        for name, more in (("ours_ns", ours_ns), ("stock_ns", stock_ns), ("runs", 1)):
            totals[name] += more
        if totals["runs"] & (totals["runs"] - 1) == 0 or totals["runs"] % 64 == 0:  # for processes that end by a signal; others write each note
            tally.note(self._network, **totals)


def follow(interpreter: Any, network: str, make: Callable[[], Any]) -> None:
    """Has every inference of an interpreter compared. make: returns one without the delegate."""
    _twins[interpreter] = Twin(network, make)


def prepare(interpreters: type) -> None:
    """Makes the interpreters of a class be followed."""
    original: Callable[[Any], None] = vars(interpreters)["invoke"]

    @functools.wraps(original)
    def invoke(self: Any) -> None:
        twin = _twins.get(self)
        if twin is None:
            with Unseen():
                return original(self)
        inputs = {detail["index"]: self.get_tensor(detail["index"]) for detail in self.get_input_details()}
        start = time.perf_counter_ns()
        with Unseen():
            original(self)
        ours_ns = time.perf_counter_ns() - start
        try:
            twin.run(inputs, ours_ns)
        except Exception:  # what the comparison cannot do is not the program's affair
            del _twins[self]
        return None

    interpreters.invoke = invoke  # type: ignore[attr-defined]
