"""All networks of a program that `tvmq run` has run, as one page: a table, and the page of each network's graph within it. Needs the extra `report`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .. import models, sessions
from ..binding import plural
from . import graph_page
from .pages import environment


@dataclass
class _Network:
    """A model as a runtime opened it, once or several times. graph: a page, or "" where there is none for the reason `missing`."""

    name: str
    runtime: str
    opened: int = 0
    claimed: int = 0
    nodes: int = 0
    left: str = ""
    runs: int = 0
    ours_ns: int = 0
    stock_ns: int = 0
    graph: str = ""
    missing: str = ""


def page(notes: Mapping[str, Mapping[str, Any]], options: Mapping[str, str]) -> str:
    """notes: as hosts.tally has them. options: the delegate's, with which graphs are opened once more."""
    networks: dict[tuple[str, str], _Network] = {}
    for note in notes.values():
        if "source" not in note:
            continue
        network = networks.setdefault((note["source"], note["runtime"]), _Network(note["name"], note["runtime"]))
        network.opened += 1
        network.claimed, network.nodes = note.get("claimed", network.claimed), note.get("nodes", network.nodes)
        network.left = note.get("left", network.left)
        network.runs += note.get("runs", 0)
        network.ours_ns += note.get("ours_ns", 0)
        network.stock_ns += note.get("stock_ns", 0)
    for (source, runtime), network in networks.items():
        _draw(network, source, runtime, options)
    listed = list(networks.values())
    return environment().get_template("run.html").render(title="tvmq run", networks=listed, cards=_cards(listed))


def _draw(network: _Network, source: str, runtime: str, options: Mapping[str, str]) -> None:
    """Opens a model anew, with the program's options."""
    try:
        found = sessions.nodes(source, runtime=runtime, name=network.name, **options)  # type: ignore[arg-type]
        network.graph = graph_page.page(found, models.ops(models.opened(source)[0]))
    except (ImportError, MemoryError, OSError, RuntimeError, ValueError) as error:
        network.missing = str(error) or type(error).__name__


def _cards(networks: list[_Network]) -> list[tuple[str, str]]:
    nodes, claimed = sum(network.nodes for network in networks), sum(network.claimed for network in networks)
    opened = plural(sum(network.opened for network in networks), "time")
    cards = [(plural(len(networks), "network"), f"opened {opened}"), (f"{claimed} of {nodes}", "nodes taken")]
    ours, stock = (sum(getattr(network, name) for network in networks) for name in ("ours_ns", "stock_ns"))
    return [*cards, (f"{stock / max(ours, 1):.2f}×", f"as fast: {ours / 1e6:.1f} ms instead of {stock / 1e6:.1f} ms")] if stock else cards
