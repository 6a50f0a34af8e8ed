"""The numbers in the text of a machine file: read, and changed."""

from __future__ import annotations

import re


def numbers(text: str) -> list[tuple[str, str, float]]:
    """The numbers of a machine file: (name, "", value), and of kernels ("rate" or "tile_cycles", kernel, value). Zeros are left out: no factor changes them."""
    found = []
    for name, value in re.findall(r"^([\w ]+?) = ([\d.e+ -]+?)\s*(?:#.*)?$", text, re.MULTILINE):
        kernel = name.removeprefix("kernel ") if name.startswith("kernel ") else ""
        found += [(field, kernel, float(number)) for field, number in zip(("rate", "tile_cycles") if kernel else (name,), value.split())]
    return [number for number in found if number[2] > 0]


def changed(text: str, values: dict[tuple[str, str], float], name: str | None = None) -> str:
    """The machine file with other numbers, and of that name. Its base is what it was the text of."""

    def line(match: re.Match[str]) -> str:
        before, key, old, after = match.groups()
        kernel = key.removeprefix("kernel ") if key.startswith("kernel ") else ""
        fields = ("rate", "tile_cycles") if kernel else (key,)
        new = [f"{values[field, kernel]:.4g}" if (field, kernel) in values else number for field, number in zip(fields, old.split())]
        return f"{before}{' '.join(new)}{after}"

    text = re.sub(r"^(([\w ]+?) = )([\d.e+ -]+?)((?:\s*#.*)?)$", line, text, flags=re.MULTILINE)
    return text if name is None else re.sub(r"^name = .*$", lambda _: f"name = {_one_line(name)}", text, count=1, flags=re.MULTILINE)


def _one_line(text: str) -> str:
    """A name that a machine file can have."""
    return "".join(c if c.isprintable() and c != "#" else " " for c in text)[:60].strip() or "unnamed"
