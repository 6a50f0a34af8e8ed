"""Ctrl-C while work goes on that is to be finished: the first one is noted, the second one raises KeyboardInterrupt."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def noted(already: bool) -> Iterator[Callable[[], bool]]:
    """Gives a function that tells whether there was an interruption. already: whether there was one before, so that the next one raises.

    Other threads than the main one get no signals, and a handler that is not Python's own stays.
    """
    seen = already

    def note(number: int, frame: object) -> None:
        nonlocal seen
        if seen:
            raise KeyboardInterrupt
        seen = True

    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield lambda: seen
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: seen
    finally:
        signal.signal(signal.SIGINT, before)
