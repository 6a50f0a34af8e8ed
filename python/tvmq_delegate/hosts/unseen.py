"""Errors that pass through the hook, as if it were not there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


class Unseen:
    """Takes the frame of the function that calls another one within it out of the traceback of an error.

    Python 3.10 raises the error with the traceback that it had, so that the frame is seen there.
    """

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if error is not None and traceback is not None:
            error.__traceback__ = traceback.tb_next
