"""This machine's constants of the cost model: measured with networks made for it, fitted, and written as a machine file."""

from __future__ import annotations

import errno
import math
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from ..binding import Shown, library, library_path, machines, runtimes
from ..models import layers
from . import statistic
from .machine_text import changed, numbers

if TYPE_CHECKING:
    from . import samples

# Constants that one thread's estimates are made of; the others stay as they are shipped.
FITTED = (
    "pointer_cycles", "summed_pointer_cycles", "list_cycles", "copied_piece_cycles", "moved_piece_cycles", "side_piece_cycles", "copied_byte_cycles",
    "widened_byte_cycles", "zipped_piece_cycles", "zipped_byte_cycles", "lone_tile", "amx_start_cycles", "tap_cycles", "pixel_pointer_cycles",
    "strip_start_cycles", "strip_column_cycles", "copied_pixel_cycles", "line_byte_cycles", "streamed_byte_cycles", "weight_byte_cycles", "node_cycles",
)  # fmt: skip
SECONDS = 4.0
ATTEMPTS, NOISE = 3, 0.1  # at measuring, until three quarters of the candidates differ by no more from one half of the rounds to the other
# Numbers that are perturbed to see what they make of an estimate, which is linear in them or in their inverses.
STEP = 1.25
# A constant that changes no estimate by more than this fraction has not been measured.
SEEN = 0.002


@dataclass(frozen=True)
class Constant:
    """A number of the machine: as it is shipped, and as it is fitted. kernel: whose rate or tile_cycles it is, "" of the others. share: the most that it makes
    of any candidate's estimate."""

    name: str
    kernel: str
    shipped: float
    fitted: float
    share: float


@dataclass(frozen=True)
class Measured:
    """A candidate that was measured, and what the shipped constants and the fitted ones say. network: "int8" or "uint8"; op: the node's."""

    network: str
    node: int
    op: str
    algorithm: str
    kernel: str
    ns: float
    shipped_ns: float
    fitted_ns: float


@dataclass(frozen=True)
class Calibration(Shown):
    """The constants that calibrate() found, and how well they predict.

    cpu: this CPU. base: the known machine that it was fitted near. hold: how much closer constants are held to the shipped ones than by default; infinite
    where no fit chooses better than what is shipped. shipped_regret, fitted_regret: by how much the candidates that the model takes are slower than the
    fastest, as a fraction. errors: likewise the median error of a time. text: the machine file. path: where it is, "" if it is not written.
    """

    cpu: str
    base: str
    rounds: int
    hold: float
    shipped_regret: float
    fitted_regret: float
    shipped_error: float
    fitted_error: float
    constants: tuple[Constant, ...]
    measured: tuple[Measured, ...]
    text: str
    path: str


def calibrate(
    *,
    out: str | os.PathLike[str] | None = None,
    write: bool = True,
    seconds: float = SECONDS,
    base: str | None = None,
    runtime: str | ModuleType | None = None,
    progress: Callable[[float, str], None] | None = None,
) -> Calibration:
    """Measures this machine's constants, and writes them as a machine file, which load() takes from then on.

    Args:
      out: the file; None: that of this CPU in the user's cache folder, which is removed where no fit chooses better than what load() takes without it.
      write: False leaves the file alone.
      seconds: time for measuring; fitting takes some more.
      base: the known machine whose constants the fit is held near; None: the one that the CPU says it is.
      runtime: as for load().
      progress: is called with the fraction that is done, and what goes on.

    Raises:
      ValueError: no machine of the name `base` is known.
      OSError: the file cannot be written. RuntimeError: the machine is busy, or its times differ too much from round to round. What load() raises.
    """
    from . import samples  # which needs numpy; that comes with a runtime

    tell = progress or (lambda fraction, what: None)
    path = (Path(out) if out is not None else machines.cache_file(library_path())) if write else None
    if path is not None:
        _open(path)
    module = runtimes.find(runtime)
    nets = [samples.Sampler(kind, layers.every_layer(kind), module, {"machine": "known", "num_threads": 1}) for kind in ("int8", "uint8")]
    known = library.report(nets[0].delegate).summary.machine
    name = base or known
    texts = {machine.name: machine.text for machine in library.machines()}
    if name not in texts:
        raise ValueError(f"no machine is called {name!r}; known are {', '.join(texts)}")
    if busy := statistic.busy(statistic.load(), library.cpu().count, 1, ()):
        raise RuntimeError(f"busy: {busy}; constants that are fitted now would be noise, and nothing is written")
    rounds = _steady(nets, seconds, lambda fraction, what: tell(0.8 * fraction, what))
    found = _fitted(nets, name, texts[name], rounds, lambda fraction, what: tell(0.8 + 0.18 * fraction, what))
    if path is None:
        return found
    if out is None and name == known and not math.isfinite(found.hold):
        path.unlink(missing_ok=True)  # it would keep load() from the constants of later releases
        return found
    _write(path, found.text)
    return Calibration(**{**vars(found), "path": str(path)})


def _steady(nets: list[samples.Sampler], seconds: float, progress: Callable[[float, str], None]) -> int:
    """Measures until the two halves of the rounds agree; returns how many rounds. Raises RuntimeError where they do not."""
    from . import samples

    rounds = 0
    for attempt in range(ATTEMPTS):
        rounds += samples.measure(nets, seconds, lambda fraction, what, done=attempt: progress((done + fraction) / ATTEMPTS, what))  # type: ignore[misc]
        if (noise := samples.disagreement(nets)) <= NOISE:
            return rounds
    raise RuntimeError(f"busy: times of one candidate differ by {noise:.0%} from one half of {rounds} rounds to the other, and nothing is written")


def _fitted(nets: list[samples.Sampler], name: str, base: str, rounds: int, progress: Callable[[float, str], None]) -> Calibration:
    import numpy as np

    from . import fit, samples

    listed = [number for number in numbers(base) if number[0] in FITTED or number[1] in _kernels(nets)]
    perturbed = [changed(base, {(field, kernel): value * STEP}) for field, kernel, value in listed]
    keys, cycles, others = samples.elasticities(nets, base, perturbed, progress)
    inverse = np.array([-1.0 if field == "rate" else 1.0 for field, _, _ in listed])
    terms = (others - cycles[:, None]) / np.where(inverse > 0, STEP - 1, 1 / STEP - 1)
    terms = np.clip(terms, 0, cycles[:, None])
    seen = (terms / cycles[:, None]).max(axis=0)
    listed, terms, inverse = [number for number, share in zip(listed, seen) if share > SEEN], terms[:, seen > SEEN], inverse[seen > SEEN]
    times = {(net.name, *key): float(np.median(ns)) for net in nets for key, ns in net.times.items()}
    rows = [i for i, key in enumerate(keys) if key in times]
    nodes = list(dict.fromkeys((keys[i][0], keys[i][1]) for i in rows))
    rest = np.maximum(cycles - terms.sum(axis=1), 0)
    ns = np.array([times[keys[i]] for i in rows])
    problem = fit.Problem(ns, np.array([nodes.index((keys[i][0], keys[i][1])) for i in rows]), terms[rows], rest[rows], inverse)
    factors, hold = fit.fit(problem)

    everything, zero = np.full(len(rows), True), np.zeros(len(listed))
    predicted = {}
    for what, x in (("shipped", zero), ("fitted", np.log(factors))):
        raw = problem.cycles(x)
        predicted[what] = raw * np.exp(np.median(np.log(ns / raw)))
    ops = {(net.name, i): node.op for net in nets for i, node in net.nodes.items()}
    return Calibration(
        cpu=library.cpu().name,
        base=name,
        rounds=rounds,
        hold=hold,
        shipped_regret=math.expm1(fit.regret(problem, zero, everything)),
        fitted_regret=math.expm1(fit.regret(problem, np.log(factors), everything)),
        shipped_error=float(np.median(np.abs(predicted["shipped"] / ns - 1))),
        fitted_error=float(np.median(np.abs(predicted["fitted"] / ns - 1))),
        constants=tuple(
            Constant(field, kernel, value, float(f"{value * factor:.4g}"), float(share))
            for (field, kernel, value), factor, share in zip(listed, factors, seen[seen > SEEN])
        ),
        measured=tuple(
            Measured(
                network=keys[i][0],
                node=keys[i][1],
                op=ops[keys[i][:2]],
                algorithm=keys[i][2][0],
                kernel=keys[i][2][1],
                ns=float(ns[n]),
                shipped_ns=float(predicted["shipped"][n]),
                fitted_ns=float(predicted["fitted"][n]),
            )
            for n, i in enumerate(rows)
        ),
        text=changed(base, {(field, kernel): value * factor for (field, kernel, value), factor in zip(listed, factors)}, name=library.cpu().name),
        path="",
    )


def _kernels(nets: list[samples.Sampler]) -> set[str]:
    """The kernels that are measured, and those of Winograd's transforms and of sums of rows, which candidates use beside their own."""
    beside = {kernel.name for kernel in library.kernels() if kernel.available and kernel.family in ("winograd_input", "winograd_output", "row_sums")}
    return beside | {kernel for net in nets for kinds in net.candidates.values() for _, kernel in kinds}


def _open(path: Path) -> None:
    """Fails where _write would, before anything is measured."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    with tempfile.TemporaryFile(dir=path.parent):
        pass


def _write(path: Path, text: str) -> None:
    """There as a whole or not at all."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name[:100]}.", delete=False, encoding="utf-8") as file:
        try:
            file.write(text)
            file.close()
            os.chmod(file.name, 0o644)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
