"""Compiles a network: plans it, writes the sources, compiles what the plan needs, and links."""

from __future__ import annotations

import concurrent.futures
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..binding import compiled, frozen, library, network, spelled
from . import folder as folders
from . import sources, targets, texts, toolchain
from .names import identifier

# Each function by itself, so that the linker drops those that nothing needs; no tables for debuggers and exceptions, and nothing that depends on where or when.
_SECTIONS = ["-ffunction-sections", "-fdata-sections", "-fno-asynchronous-unwind-tables", "-fno-ident"]
_ARGS = ["-std=gnu11", "-O3", "-fPIC", "-w", "-DNDEBUG", "-DTVMQ_COMPILED", "-fvisibility=hidden", *_SECTIONS]
_LINKER = ["--gc-sections", "--build-id=none", "--as-needed", *(f"-z,{word}" for word in ("defs", "noexecstack", "now", "relro"))]
_LINK = ["-shared", "-s", *(f"-Wl,{argument}" for argument in _LINKER)]
_TRIED_LINK = ["-Wl,-z,noseparate-code"]  # fewer pages that are not full; not all linkers know it

_RUNTIME = ("tvmq_compiled_init",)  # code that every network needs, besides what its plan names
_PLAN, _SYMBOLS = "network.c", "network_symbols.c"  # the sources that are written for a network
_EXAMPLE = "main.c"

Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class Compiled:
    """A compiled network. files: what was written, the library first; kept: what is left as it was, because it has been edited. constants: bytes of the library
    that are packed weights; code: all others."""

    name: str
    files: tuple[Path, ...]
    kept: tuple[Path, ...]
    arena_bytes: int
    constants: int
    code: int


class Objects:
    """Object files in a folder, compiled as they are needed."""

    def __init__(self, tools: toolchain.Toolchain, folder: Path):
        self._tools, self._folder = tools, folder
        self.files: list[str] = []
        self._tried: dict[str, list[str]] = {}
        self._tried_link = [argument for argument in _TRIED_LINK if tools.links(argument, folder)]
        self._texts: dict[sources.Source, str] = {}

    def _args(self, group: str) -> list[str]:
        listed = sources.groups()
        if group not in self._tried:
            self._tried[group] = [argument for argument in listed[group].tried if self._tools.knows(argument, self._folder)]
        own = [] if group == sources.PLAIN else [*listed[group].c_args, *self._tried[group]]
        return [*_ARGS, *listed[sources.PLAIN].c_args, *own, f"-I{sources.root() / 'delegate'}", *self._tools.flags]

    def _preprocessed(self, source: sources.Source) -> str:
        if source not in self._texts:
            self._texts[source] = self._tools.run(*self._args(source.group), "-E", "-P", str(sources.root() / source.path), folder=self._folder)
        return self._texts[source]

    def source_of(self, symbol: str) -> sources.Source:
        """The file that defines a symbol and is not compiled yet. Kernels have their instruction set in their names; macros may have made the names.

        Raises LookupError if none does, which is a defect of the package.
        """
        isa = symbol.rpartition("__")[2] if "__" in symbol else None
        candidates = [source for group in ([sources.PORTABLE if isa == "c" else isa] if isa else sources.groups()) for source in sources.of_group(group)]
        candidates.sort(key=lambda source: -sources.likeness(source, symbol))  # the preprocessor takes long
        readers: list[Callable[[sources.Source], str]] = [sources.text, self._preprocessed]
        for written in readers:
            for source in candidates:
                if source.made not in self.files and sources.defines(source, symbol, written(source)):
                    return source
        raise LookupError(f"no source of the package defines {symbol} for this target")

    def compile(self, wanted: Iterable[sources.Source], told: Progress) -> None:
        """Compiles files, as many at a time as there are processors."""
        jobs = [(str(sources.root() / source.path), source.made, source.group) for source in sorted(set(wanted))]
        self._compile(jobs, told)

    def compile_own(self, files: Iterable[str], told: Progress) -> None:
        self._compile([(file, f"{file}.o", sources.PLAIN) for file in files], told)

    def _compile(self, jobs: list[tuple[str, str, str]], told: Progress) -> None:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            running = [pool.submit(self._tools.run, *self._args(group), "-c", file, "-o", made, folder=self._folder) for file, made, group in jobs]
            for done, future in enumerate(concurrent.futures.as_completed(running), 1):
                future.result()
                told(done / len(jobs), "compiling")
        self.files += [made for _, made, _ in jobs]

    def bundle(self, file: str, name: str) -> None:
        """Makes a static library of what the functions of a network need. No other name is visible, so that a program can have several such libraries."""
        whole = f"{name}.whole.o"
        roots = [f"-Wl,-u,{name}_{function}" for function in ("arena_bytes", "description", "init", "run")]
        self._tools.run("-r", "-nostdlib", "-Wl,--gc-sections", *roots, *self.files, "-o", whole, folder=self._folder)
        self._tools.run_tool("objcopy", "--localize-hidden", "--strip-unneeded", "--remove-section=.comment", whole, folder=self._folder)
        self._tools.run_tool("ar", "rcsD", file, whole, folder=self._folder)

    def link(self, file: str) -> set[str]:
        """Links a shared library. Returns the package's symbols that are missing."""
        try:
            self._tools.run(
                *_LINK,
                *self._tried_link,
                f"-Wl,-z,max-page-size={self._tools.page}",
                f"-Wl,-soname,{file}",
                "-o",
                file,
                *self.files,
                *self._tools.flags,
                "-lm",
                folder=self._folder,
            )
        except toolchain.CompilerError as error:
            missing = {symbol for symbol in toolchain.undefined(str(error)) if symbol.startswith("tvmq_")}
            if not missing:
                raise
            return missing
        return set()


def _part(progress: Progress, begin: float, end: float) -> Progress:
    return lambda fraction, what: progress(begin + (end - begin) * fraction, what)


def compile(
    model: bytes,
    folder: Path,
    name: str,
    *,
    title: str = "",
    target: str = toolchain.NATIVE,
    isa: str | None = None,
    static: bool = False,
    options: Mapping[str, object],
    progress: Progress = lambda fraction, what: None,
) -> Compiled:
    """Makes a library of a network, with a header, an example, and files for CMake and pkg-config. An example that has been edited stays as it is.

    Args:
      model: the bytes of a .tflite file.
      folder: where to write; made if it is not there.
      name: of the library and its functions, as identifier() makes it.
      title: the model's name, for the header.
      target: `native`, or the triple of another target.
      isa: instruction sets of the kernels, with commas between, of which the best is taken at run time; None: the least one of the target.
      static: make a static library instead of a shared one.
      options: other options of Network.
      progress: is told the fraction that is done, and what comes next.

    Raises:
      ValueError: `name` is no such name, there are no kernels for the target, or an option, CC or CFLAGS cannot have its value.
      RuntimeError: the model cannot be compiled, or the compiler fails.
      FileNotFoundError: there is no compiler.
      OSError: the folder cannot be written to, or a file of tuning records cannot be read.
    """
    if identifier(name) != name:
        raise ValueError(f"a network cannot be called {name!r}; {identifier(name)!r} is possible")
    folders.check(folder)
    progress(0, "planning")
    tools = toolchain.find(target)
    given = spelled(options)
    asked = [{**of_target, **given} for of_target in targets.options(target, isa)]
    plans = [frozen.freeze(model, each) for each in asked]
    with network.Network(model, **asked[0]) as opened:  # type: ignore[arg-type]
        inputs, outputs = opened.inputs, opened.outputs
    version, shared = library.version(), compiled.file_name(name)
    file = f"lib{name}.a" if static else shared
    arena_bytes = max(plan.arena_bytes for plan in plans)
    header = texts.header(name, title or name, version, inputs, outputs, arena_bytes)
    own = {
        f"{name}.h": header,
        _PLAN: texts.source(name, plans, texts.description(inputs, outputs, arena_bytes), len(inputs)),
        _SYMBOLS: texts.symbols([plan.symbols for plan in plans]),
    }
    with tempfile.TemporaryDirectory(prefix="tvmq-compile-") as temporary:
        for each, text in own.items():
            (Path(temporary) / each).write_text(text, encoding="utf-8")
        for number, plan in enumerate(plans):
            (Path(temporary) / texts.constants_file(number)).write_bytes(plan.constants)
        needed = {symbol for plan in plans for symbol in plan.symbols}
        objects = _build(tools, Path(temporary), shared, needed, progress)
        if static:
            objects.bundle(file, name)
        built = (Path(temporary) / file).read_bytes()
    others = {
        f"{name}.h": header,
        _EXAMPLE: folders.marked(texts.example(name, len(inputs), len(outputs))),
        f"{name}Config.cmake": texts.cmake(name, file),
        f"{name}.pc": texts.pkg_config(name, version),
    }
    contents = {file: built} | {other: text.encode() for other, text in others.items()}
    kept = [_EXAMPLE] if folders.edited(folder / _EXAMPLE) else []
    written = {each: content for each, content in contents.items() if each not in kept}
    folders.write(folder, written)
    constants = sum(len(plan.constants) for plan in plans)
    paths, left = (tuple(folder / each for each in names) for names in (written, kept))
    return Compiled(name, paths, left, arena_bytes, constants, len(built) - constants)


def _build(tools: toolchain.Toolchain, folder: Path, file: str, symbols: set[str], progress: Progress) -> Objects:
    """Links, compiles the files that define what is missing, and links again until nothing is: planning's code is never compiled."""
    objects = Objects(tools, folder)
    objects.compile_own([_PLAN, _SYMBOLS], _part(progress, 0.05, 0.15))
    missing, begin = {*symbols, *_RUNTIME}, 0.15
    while missing:
        end = begin + (0.98 - begin) * 0.7
        objects.compile({objects.source_of(symbol) for symbol in missing}, _part(progress, begin, end))
        begin = end
        progress(begin, "linking")
        missing = objects.link(file)
    return objects
