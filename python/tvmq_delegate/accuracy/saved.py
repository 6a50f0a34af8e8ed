"""Files of what was fed and computed: DIR/inputs/0003.npz and DIR/CONTENDER/0003.npz for each sample."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

INPUTS = "inputs"


class Saved:
    """Writes the files of one sample after the other."""

    def __init__(self, folder: str | os.PathLike[str]):
        self.folder = Path(folder)

    def write(self, what: str, sample: int, names: Sequence[str], arrays: Sequence[NDArray[Any]]) -> None:
        """what: INPUTS, or a contender. names: of the tensors; the arrays in the file are called so, with their place in front to tell equal names apart."""
        import numpy as np

        folder = self.folder / what
        folder.mkdir(parents=True, exist_ok=True)
        called = [f"{i}_{re.sub(r'[^A-Za-z0-9_.-]', '_', name)}" for i, name in enumerate(names)]
        named: dict[str, Any] = dict(zip(called, arrays, strict=True))  # numpy 2 has an argument of another type beside them
        np.savez(folder / f"{sample:04d}.npz", **named)
