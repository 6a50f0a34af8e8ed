#!/usr/bin/env python3
"""Checks what compilers do not: rooms, names, lengths and whitespace of the sources, and the symbols of the built library.

    tools/lint.py [--library BUILD/delegate/libtvmq_delegate.so]

Prints one line per finding, `file:line: what`; exit code 1 if there is one. Checks whose tool is missing say so.
"""

from __future__ import annotations

import argparse
import ast
import fnmatch
import functools
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("android", "delegate", "docs", "examples", "python", "tests", "tools")
MAX_LINES = 400
MAX_COLUMNS = 160
EXPORTED = re.compile(r"(tvmq|tflite_plugin)_\w+")

# Which rooms of delegate/ the files of a room may include headers of, beside their own and the public header. Arrows point one way only.
# Floors, from the ground up: what is true of numbers, what a CPU does, what an operator is, how the CPU computes it, what a graph is, and who asks.
BASE = ("base",)
NUMBERS = ("arithmetic", *BASE)
KERNELS = ("packing", "cpu", *NUMBERS)
PLAN = ("kernels", "cpu/threads", *KERNELS)
OPERATORS = ("operators", "exact", *NUMBERS)
LOWERING = ("packing", *OPERATORS)
OPS = ("cpu/ops", "cpu/plan", "lowering", *OPERATORS, *PLAN)
ROOMS = {
    "base": (),
    "arithmetic": BASE,
    "cpu": BASE,
    "packing": NUMBERS,
    "kernels": KERNELS,
    "kernels/portable": ("kernels", *KERNELS),
    "kernels/arm64": ("kernels", *KERNELS),
    "kernels/x86": ("kernels", *KERNELS),
    "exact": ("cpu", *NUMBERS),
    "operators": ("exact", *NUMBERS),
    "operators/claims": OPERATORS,
    "lowering": LOWERING,
    "cpu/threads": ("cpu", *BASE),
    "cpu/plan": PLAN,
    "cpu/ops": OPS,
    "cpu/ops/conv": ("cpu/ops/moves", *OPS),
    "cpu/ops/depthwise": ("cpu/ops/conv", *OPS),
    "cpu/ops/elementwise": OPS,
    "cpu/ops/hybrid": ("cpu/ops/conv", *OPS),
    "cpu/ops/moves": OPS,
    "cpu/ops/pools": OPS,
    "cpu/ops/reduce": OPS,
    "cpu/ops/resize": OPS,
    "opencl": ("lowering", *LOWERING),
    "records": ("cpu/plan", *PLAN),
    "tflite": OPERATORS,
    "graph": ("opencl", "tflite", "records", *OPS),
    "host": ("opencl", "graph", "tflite", "records", *OPS),
    "compiled": OPS,
    "network": ("compiled", "host", "graph", "tflite", "records", "cpu/ops/conv", "cpu/ops/elementwise", *OPS),
    "measure": ("graph", "host", "opencl", "records", *OPS),
    "litert": BASE,
    "preload": ("litert", *BASE),
}

# Which rooms of the Python package a room may import, beside its own modules: by the names that their __init__ exports, whatever module defines them. Files of
# no room (__init__.py and __main__.py at the top) are the front door, and open every room.
PACKAGE = ROOT / "python/tvmq_delegate"
RUNNING = ("sessions", "binding", "models")
PYTHON_ROOMS: dict[str, tuple[str, ...]] = {
    "models": (),
    "binding": ("models",),
    "hosts": ("binding",),
    "hook": (),
    "sessions": ("binding", "models"),
    "measure": RUNNING,
    "accuracy": RUNNING,
    "tuning": ("measure", *RUNNING),
    "fleet": ("tuning", "measure", "accuracy", *RUNNING),
    "reports": ("fleet", "tuning", "measure", "accuracy", *RUNNING),
    "compiler": ("binding",),
    "cli": ("compiler", "hosts", "reports", "fleet", "tuning", "measure", "accuracy", *RUNNING),
}

# tvmq_<family>_<type>_<tile>__<isa>, and the file that it belongs into. Families without tiles: quantize, with a type on either side, the pools,
# row_sums, add, mul, maximum, byte_map, word_map; those of hybrid convolutions share a file, and so do those of arithmetic on float32.
ISAS = "|".join(re.findall(r'^    {"(\w+)", ', (ROOT / "delegate/cpu/cpu.c").read_text(encoding="utf-8"), re.MULTILINE))
TILED = r"gemm|depthwise|winograd_(?:input|gemm|output)"
FLOATS = "float_(?:dequantize|function|map|pair|pool|product|quantize|range|softmax)"
FLAT = f"{FLOATS}|add|arg_max|byte_map|interpolate|maximum|mul|quantize|average_pool|max_pool|row_sums|softmax|transpose|word_map"
KERNEL = re.compile(rf"tvmq_({TILED})_s(8|16)_\w+__({ISAS})|tvmq_({FLAT})(?:_[fsu]\d+){{0,2}}(?:_\d+c)?__({ISAS})")
SHARED_FILES = {
    **dict.fromkeys(("float_range", "float_quantize", "float_dequantize"), "hybrid"),
    **dict.fromkeys(("float_map", "float_pair", "float_pool"), "floats"),
    **dict.fromkeys(("float_function", "float_softmax"), "functions"),
}

# "Of a tile, the rows" and "What a kernel needs" leave the reader to find out what the comment is about.
FRAGMENT = re.compile(r'\s*(?://|#|"""|/\*)\s*(?:Of|What) ')

Finding = tuple[Path, int, str]


def matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def files(*patterns: str) -> list[Path]:
    """Our text files whose name matches, build products and inputs of fuzzing left out."""
    products = re.compile(r"/(__pycache__|\.\w+)/|^tests/fuzz/corpus(_records|_weights)?/|^docs/pictures/|\.tflite$")
    found = [path for top in SOURCES for path in (ROOT / top).rglob("*") if path.is_file() and not products.search(path.relative_to(ROOT).as_posix())]
    found += [path for path in ROOT.iterdir() if path.is_file() and path.name != "LICENSE"]
    return sorted(path for path in found if matches(path.name, patterns))


def lines(path: Path) -> Iterator[tuple[int, str]]:
    return enumerate(path.read_text(encoding="utf-8").split("\n"), 1)


def check_text() -> Iterator[Finding]:
    for path in files("*"):
        text = path.read_text(encoding="utf-8")
        if text and not text.endswith("\n"):
            yield path, text.count("\n") + 1, "no newline at the end of the file"
        if path.suffix in (".c", ".h", ".S", ".py", ".def") and text.count("\n") > MAX_LINES:
            yield path, MAX_LINES, f"{text.count(chr(10))} lines; a file has one concept and at most {MAX_LINES}"
        for number, line in lines(path):
            if line != line.rstrip():
                yield path, number, "space at the end of the line"
            if path.suffix in (".c", ".h", ".S", ".py") and len(line) > MAX_COLUMNS:
                yield path, number, f"{len(line)} columns; at most {MAX_COLUMNS}"
            if "\t" in line and path.name != "Makefile":
                yield path, number, "tab"
            if re.search(r"\b(TODO|FIXME|XXX)\b", line) and path != Path(__file__):
                yield path, number, "unfinished work is tracked elsewhere than in comments"
            if FRAGMENT.match(line) and path.suffix in (".c", ".h", ".S", ".py", ".def"):
                yield path, number, "the comment begins with a fragment: name its subject"


def check_rooms() -> Iterator[Finding]:
    """Includes are written from delegate/, stay within what ROOMS allows, and go round in no circle."""
    delegate = ROOT / "delegate"
    included: dict[str, list[str]] = {}
    for path in files("*.c", "*.h", "*.S", "*.def"):
        if not path.is_relative_to(delegate):
            continue
        name = path.relative_to(delegate).as_posix()
        room = name.rpartition("/")[0]
        if room and room not in ROOMS:
            yield path, 1, f"{room} is no room: ROOMS in tools/lint.py lists them"
            continue
        for number, line in lines(path):
            include = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not include:
                continue
            header = include[1]
            if not (delegate / header).is_file():
                yield path, number, f"includes {header}; includes are written from delegate/"
                continue
            module, seen = name.rpartition(".")[0], header.rpartition(".")[0]
            if module != seen and not header.endswith(".def"):
                included.setdefault(module, []).append(seen)
            target = header.rpartition("/")[0]
            if target and target != room and target not in ROOMS.get(room, ()):
                yield path, number, f"includes {header}; {room or 'the public header'} sees {', '.join(ROOMS.get(room, ())) or 'no other room'}"
    done: set[str] = set()
    for name in sorted(included):
        circle = find_circle(included, name, [], done)
        if circle:
            yield delegate / f"{circle[0]}.h", 1, f"a circle of modules: {' -> '.join(circle)}"


def find_circle(included: dict[str, list[str]], name: str, trail: list[str], done: set[str]) -> list[str]:
    """The first circle of includes that a module, a header with its source, leads into."""
    if name in trail:
        return [*trail[trail.index(name) :], name]
    if name in done:
        return []
    for header in included.get(name, []):
        circle = find_circle(included, header, [*trail, name], done)
        if circle:
            return circle
    done.add(name)
    return []


def check_kernel_names() -> Iterator[Finding]:
    """Every symbol with a double underscore is a kernel: its name keeps to the grammar and stands in the file of its family and ISA."""
    for path in files("*.c", "*.h", "*.def"):
        for number, line in lines(path):
            for name in re.findall(r"\btvmq_\w+__\w+\b", line):
                kernel = KERNEL.fullmatch(name)
                if not kernel:
                    yield path, number, f"kernel name {name}: want tvmq_<family>_<type>_<tile>__<isa>"
                    continue
                family, isa = kernel[1] or kernel[4], kernel[3] or kernel[5]
                defined = re.match(rf"void {name}\(", line)
                family = SHARED_FILES.get(family, family)
                placed = path.stem.startswith(f"{family}_") and path.stem.endswith(f"_{isa}")
                if defined and path.parent.name == "kernels" and path.suffix == ".c" and not placed:
                    yield path, number, f"{name} belongs into {family}_{isa}.c, or {family}_<part>_{isa}.c"


def check_symbols(library: Path) -> Iterator[Finding]:
    if not shutil.which("nm"):
        print("SKIPPED: exported symbols: nm is not installed (apt-get install binutils)")
        return
    listing = subprocess.run(["nm", "--dynamic", str(library)], check=True, stdout=subprocess.PIPE, text=True).stdout
    symbols = [line.split()[-2:] for line in listing.splitlines()]
    exported = {name for kind, name in symbols if kind.isupper() and kind not in "Uw"}
    for name in sorted(exported):
        if not EXPORTED.fullmatch(name):
            yield library, 0, f"exports {name}; only tvmq_* and tflite_plugin_* are public"
    for name in ("tflite_plugin_create_delegate", "tflite_plugin_destroy_delegate"):
        if name not in exported:
            yield library, 0, f"does not export {name}"
    headers = [ROOT / "delegate/tvmq_delegate.h", ROOT / "delegate/tvmq_network.h"]
    declared = {name for header in headers for name in re.findall(r"\b(tvmq_\w+)\(", header.read_text(encoding="utf-8"))}
    for name in sorted(declared ^ {name for name in exported if name.startswith("tvmq_")}):
        yield library, 0, f"{name} is {'declared in a public header but not exported' if name in declared else 'exported but not declared in a public header'}"
    for kind, name in symbols:
        if kind == "U" and re.match(r"_?_?Z?\w*(TfLite|tflite)", name):
            yield library, 0, f"needs {name}: the library must link no symbol of TFLite"


def check_format() -> Iterator[Finding]:
    tool = shutil.which("clang-format-19") or shutil.which("clang-format")
    if not tool:
        print("SKIPPED: C formatting: clang-format is not installed (apt-get install clang-format-19)")
        return
    sources = [path for path in files("*.c", "*.h") if path.is_relative_to(ROOT / "delegate") or path.is_relative_to(ROOT / "tests")]
    done = subprocess.run([tool, "--dry-run", *map(str, sources)], check=False, stderr=subprocess.PIPE, text=True)
    for path in sorted(set(re.findall(r"^(.+?):\d+:\d+: .*\[-Wclang-format-violations\]$", done.stderr, re.MULTILINE))):
        yield Path(path), 1, "not as clang-format writes it: make format"


def check_python_rooms() -> Iterator[Finding]:
    """Modules stand in rooms, have names without underscores, import what PYTHON_ROOMS allows and nothing that another keeps for itself."""
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE).parts
        room = inside[0] if len(inside) > 1 else ""
        if room not in ("", *PYTHON_ROOMS) or len(inside) > 2 or (room == "" and not path.stem.startswith("__")):
            yield path, 1, f"stands in no room: {', '.join(PYTHON_ROOMS)}"
        if path.stem.startswith("_") and path.stem not in ("__init__", "__main__"):
            yield path, 1, "a module's name has no underscore: what a room shows to others is what its __init__ exports"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").partition(".")[0] == PACKAGE.name):
                yield from ((path, node.lineno, what) for what in python_import_faults(room, node))


def python_import_faults(room: str, node: ast.ImportFrom) -> Iterator[str]:
    """Finds fault with an import of the package's own modules, in a module of `room`."""
    if not node.level:
        yield "the package imports its own modules relatively"
        return
    for name in (alias.name for alias in node.names):
        if name.startswith("_"):
            yield f"imports {name}, which its module keeps for itself"
    within = [] if node.level > 1 or not room else [room]
    target = [*within, *(node.module or "").split(".")] if node.module else within
    for name in (alias.name for alias in node.names):
        other, *module = target or [name]
        if room and other != room and other not in PYTHON_ROOMS[room]:
            yield f"imports {other}; {room} sees {', '.join(PYTHON_ROOMS[room]) or 'no other room'}"
        elif room and other != room and module:
            yield f"imports {'.'.join(target)}; other rooms see what {other}/__init__.py exports"
        elif room and other != room and target and name not in python_exports(other):
            yield f"imports {name}, which {other}/__init__.py does not export"


@functools.cache
def python_exports(room: str) -> frozenset[str]:
    """Reads __all__ of a room's __init__."""
    tree = ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8"))
    values = [node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"]
    return frozenset(name for value in values for name in ast.literal_eval(value))


def check_python() -> Iterator[Finding]:
    tool = shutil.which("ruff")
    if not tool:
        print("SKIPPED: Python style: ruff is not installed (pip install ruff)")
        return
    done = subprocess.run([tool, "check", "--output-format=concise", "--no-cache", str(ROOT)], check=False, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    for found in re.finditer(r"^(.+?):(\d+):\d+: (.+)$", done.stdout, re.MULTILINE):
        yield ROOT / found[1], int(found[2]), found[3]


def check_types() -> Iterator[Finding]:
    tool = shutil.which("mypy")
    if not tool:
        print("SKIPPED: Python types: mypy is not installed (pip install mypy)")
        return
    done = subprocess.run([tool, "--no-color-output", "--no-error-summary"], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT)
    found = re.findall(r"^(.+?):(\d+): error: (.+)$", done.stdout, re.MULTILINE)
    yield from ((ROOT / path, int(number), what) for path, number, what in found)
    if done.returncode and not found:
        yield ROOT / "pyproject.toml", 1, f"mypy did not run: {done.stdout.strip()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, help="a built library, to check its symbols")
    options = parser.parse_args()
    findings = [*check_text(), *check_rooms(), *check_python_rooms(), *check_kernel_names(), *check_format(), *check_python(), *check_types()]
    if options.library:
        findings += check_symbols(options.library)
    for path, number, what in findings:
        print(f"{path.resolve().relative_to(ROOT) if path.resolve().is_relative_to(ROOT) else path}:{number}: {what}")
    print(f"lint: {len(findings)} findings in {len(files('*'))} files")
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
