"""The flags of `tvmq run`. The command takes its own from here, and programs start without the packages that it needs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Names, parameter of start(), what stands for the value ("": a flag without one), and help.
FLAGS = (
    (("-m", "--module"), "is_module", "", "PROGRAM is a module, as for python -m."),
    (("--options",), "options", "NAME=VALUE,...", "The delegate's options; otherwise those in the environment variable TVMQ_OPTIONS."),
    (("--compare",), "compare", "", "Run each inference without the delegate, too, and tell the times of both."),
    (("--report",), "report", "FILE", "Write a page about all networks when the program ends."),
)


def plain(arguments: Sequence[str]) -> dict[str, object] | None:
    """The arguments of start() where they are spelled as in FLAGS. Returns None for all else, such as --help, --options=..., and what is wrong."""
    known = {name: (parameter, value) for names, parameter, value, _ in FLAGS for name in names}
    given: dict[str, object] = {}
    rest = [*arguments]
    while rest and rest[0] in known:
        parameter, value = known[rest.pop(0)]
        if value and not rest:
            return None
        given[parameter] = rest.pop(0) if value else True
    if not rest or rest[0].startswith("-"):
        return None
    return {**given, "program": rest[0], "arguments": rest[1:]}
