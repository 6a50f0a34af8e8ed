"""Where contenders part, by running ever shorter beginnings of the model, as a culprit is found among commits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .. import models
from ..sessions import Contender, Session, shaped
from .difference import unequal
from .node_by_node import opened

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Bisection:
    """Finds the first node after which two contenders differ. Each of them runs as it does end to end, so that what it fuses stays fused.

    node: the place of that node among those of the main subgraph, None if the contenders do not differ. runs: the beginnings that were run.
    """

    def __init__(self, source: bytes, runtime: ModuleType, baseline: Contender, contender: Contender, num_threads: int, missing: Sequence[str]):
        """missing: operators without reference kernels."""
        self.source = shaped(source, runtime)
        self.fielded, self.runtime, self.num_threads, self.missing = (baseline, contender), runtime, num_threads, missing
        self.node: int | None = None
        self.runs = 0

    def run(self, arrays: Sequence[NDArray[Any]]) -> Iterator[str]:
        """Searches on one input. Yields what it does before it does it."""
        count = sum(op.subgraph == 0 for op in models.ops(self.source))
        same, differs = -1, count - 1  # nodes: after the first, contenders agree; after the second, they are taken to differ
        yield self._doing(differs)
        if count == 0 or not self._differ(differs, arrays):
            return
        while differs - same > 1:
            middle = (same + differs) // 2
            yield self._doing(middle)
            if self._differ(middle, arrays):
                differs = middle
            else:
                same = middle
        self.node = differs

    def _doing(self, last: int) -> str:
        return f"{self.fielded[1].name}: nodes 0 to {last}"

    def _differ(self, last: int, arrays: Sequence[NDArray[Any]]) -> bool:
        self.runs += 1
        source = models.beginning(self.source, last)
        expected, got = (self._outputs(opened(each, source, self.runtime, self.num_threads, self.missing), arrays) for each in self.fielded)
        return any(a.shape != b.shape or unequal(a, b).any() for a, b in zip(expected, got, strict=True))

    @staticmethod
    def _outputs(session: Session, arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        session.interpreter.reset_all_variables()
        return session.run(arrays)
