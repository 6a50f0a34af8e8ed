"""The texts of a compiled network: C sources with the plan, the header, an example, and files for CMake and pkg-config."""

from __future__ import annotations

import dataclasses
import json
import struct
from collections.abc import Iterable, Iterator

from ..binding import frozen, network

# bool: bytes that are 0 or 1.
C_TYPES = {"bool": "uint8_t", "int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t", "int32": "int32_t", "int64": "int64_t", "float32": "float"}
_PAGE = 4096  # bytes to which constants are aligned: no page of the least size has a part of them beside code


def _lines(items: Iterable[str], per_line: int) -> Iterator[str]:
    items = list(items)
    for at in range(0, len(items), per_line):
        yield "  " + ", ".join(items[at : at + per_line]) + ","


def _words(data: bytes) -> list[str]:
    """The words of 32 bits of some data."""
    return [f"0x{word:x}" for (word,) in struct.iter_unpack("<I", data)] or ["0"]


def _array(declaration: str, items: Iterable[str], per_line: int) -> str:
    return "\n".join([f"{declaration} = {{", *_lines(items, per_line), "};", ""])


def constants_file(number: int) -> str:
    """Name of the file that has the constants of a plan when the source is compiled."""
    return f"constants_{number}.bin"


def _plan(number: int, plan: frozen.Frozen, inputs: int) -> str:
    pointers = [f"{{{at}, {base}}}" for at, base in plan.pointers] or ["{0, 0}"]
    return f"""
// Arrays of this size would take compilers long.
extern const char constants_{number}[] __attribute__((visibility("hidden")));
__asm__(".section .rodata.constants_{number},\\"a\\"\\n"
        ".globl constants_{number}\\n"
        ".hidden constants_{number}\\n"
        ".balign {_PAGE}\\n"
        "constants_{number}: .incbin \\"{constants_file(number)}\\"\\n"
        ".previous");
{_array(f"static const uint32_t present_{number}[]", _words(plan.present), 12)}
{_array(f"static const uint32_t words_{number}[]", _words(plan.words), 12)}
{_array(f"static const struct tvmq_compiled_pointer pointers_{number}[]", pointers, 12)}
extern const void *const network_symbols_{number}[];

static const struct tvmq_compiled_data plan_{number} = {{
    .present = present_{number},
    .words = words_{number},
    .image_bytes = {plan.image_bytes},
    .arena_bytes = {plan.arena_bytes},
    .constants = constants_{number},
    .pointers = pointers_{number},
    .n_pointers = {len(plan.pointers)},
    .symbols = network_symbols_{number},
    .n_inputs = {inputs},
    .cpu = {plan.cpu},
}};
"""


def source(name: str, plans: list[frozen.Frozen], description: str, inputs: int) -> str:
    """The C source of the plans, the best first, and of the header's functions."""
    written = "".join(_plan(number, plan, inputs) for number, plan in enumerate(plans))
    quoted = description.replace("\\", r"\\").replace('"', r"\"")
    return f"""#include "compiled/compiled.h"

#include "{name}.h"
{written}
static const struct tvmq_compiled_data *const plans[] = {{{", ".join(f"&plan_{number}" for number in range(len(plans)))}}};

#define API __attribute__((visibility("default")))
API const char *{name}_description(void) {{ return "{quoted}"; }}
API size_t {name}_arena_bytes(void) {{ return {name.upper()}_ARENA_BYTES; }}
API int {name}_init(void *arena) {{ return tvmq_compiled_init(plans, {len(plans)}, arena); }}
API int {name}_run(void *arena, const void *const *inputs, void *const *outputs) {{ return tvmq_compiled_run(plans[0], arena, inputs, outputs); }}
"""


def description(inputs: tuple[network.NetworkTensor, ...], outputs: tuple[network.NetworkTensor, ...], arena_bytes: int) -> str:
    """Describes the network as JSON in ASCII, for programs that load the library."""
    tensors = {role: [dataclasses.asdict(tensor) for tensor in found] for role, found in (("inputs", inputs), ("outputs", outputs))}
    return json.dumps({"arena_bytes": arena_bytes, **tensors}, separators=(",", ":"))


def symbols(lists: list[list[str]]) -> str:
    """The C source of the plans' tables of symbols, which declares them without their types."""
    declared = "".join(f"extern const char {name}[];\n" for name in sorted({name for names in lists for name in names}))
    return declared + "".join(_array(f"const void *const network_symbols_{number}[]", names, 4) for number, names in enumerate(lists))


def _escaped(text: str) -> str:
    """A C string's contents; also fit for a comment."""
    return "".join(char if char.isascii() and char.isprintable() and char not in '"\\*?' else "_" for char in text)


def _tensors(name: str, role: str, tensors: tuple[network.NetworkTensor, ...]) -> Iterator[str]:
    prefix = f"{name.upper()}_{role}"
    yield f"#define {prefix}S {len(tensors)}"
    for index, tensor in enumerate(tensors):
        elements = 1
        for size in tensor.shape:
            elements *= size
        yield f'#define {prefix}_{index}_NAME "{_escaped(tensor.name)}"'
        yield f"#define {prefix}_{index}_TYPE {C_TYPES[tensor.dtype]}"
        yield f"#define {prefix}_{index}_RANK {len(tensor.shape)}"
        yield f"#define {prefix}_{index}_SHAPE {{{', '.join(map(str, tensor.shape)) or '1'}}}"
        yield f"#define {prefix}_{index}_ELEMENTS {elements}"
        yield f"#define {prefix}_{index}_SCALE {tensor.scale!r}f" if tensor.scale else f"#define {prefix}_{index}_SCALE 0.0f"
        yield f"#define {prefix}_{index}_ZERO_POINT {tensor.zero_point}"


def header(name: str, model: str, version: str, inputs: tuple[network.NetworkTensor, ...], outputs: tuple[network.NetworkTensor, ...], arena_bytes: int) -> str:
    upper = name.upper()
    tensors = "\n".join([*_tensors(name, "INPUT", inputs), *_tensors(name, "OUTPUT", outputs)])
    return f"""// The network {_escaped(model)}, compiled by tvmq-delegate {version}. Results are those of TFLite's reference kernels, bit for bit.
//
// Nothing here allocates, locks, opens files or reads the environment. An arena is the memory of one instance: several
// instances may run at the same time, each in its own arena. All share the weights, which are in the library.
#ifndef {upper}_H
#define {upper}_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

// Inputs and outputs, in the order of the arguments of {name}_run. A value is SCALE * (element - ZERO_POINT); a SCALE of 0
// means that there is not exactly one.
{tensors}

#define {upper}_ARENA_BYTES {arena_bytes}
#define {upper}_ARENA_ALIGNMENT 64

enum {{
  {upper}_OK,
  {upper}_UNALIGNED,  // the arena is NULL, or not aligned to {upper}_ARENA_ALIGNMENT bytes
  {upper}_CPU,        // this processor does not have the instructions that the library was compiled for
  {upper}_FAILED      // the inference failed, as the reference's would: an index is out of range
}};

size_t {name}_arena_bytes(void);  // returns {upper}_ARENA_BYTES

// Returns JSON for programs that load the library: arena_bytes, and of inputs and outputs what is defined above.
const char *{name}_description(void);

// Makes an instance in the arena, whose contents do not matter before, and must not be changed by others afterwards.
// Variables of the network get their first values. Returns one of the numbers above.
int {name}_init(void *arena);

// Runs one inference. inputs[i] and outputs[i] point to the elements of input and output i, row by row; outputs may not
// overlap anything else. Returns one of the numbers above. One thread at a time may use an arena.
int {name}_run(void *arena, const void *const inputs[], void *const outputs[]);

#ifdef __cplusplus
}}
#endif

#endif
"""


def example(name: str, inputs: int, outputs: int) -> str:
    """A C program that runs the network on files of raw elements."""
    upper = name.upper()

    def declared(role: str, count: int) -> str:
        return "\n".join(f"static {upper}_{role}_{i}_TYPE {role.lower()}_{i}[{upper}_{role}_{i}_ELEMENTS];" for i in range(count))

    def tried(role: str, count: int, call: str, failure: str) -> str:
        return "\n".join(
            f"  if (!{call}(argv[{i + 1 if role == 'INPUT' else i + 1 + inputs}], {role.lower()}_{i}, sizeof {role.lower()}_{i})) return {failure};"
            for i in range(count)
        )

    names = " ".join([*(f"INPUT_{i}" for i in range(inputs)), *(f"OUTPUT_{i}" for i in range(outputs))])
    return f"""// Runs the network: reads the elements of each input from a file, and writes those of each output to one. With a number of
// RUNS, prints the time of init and the least time of a run.
//
//   main {names} [RUNS]
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "{name}.h"

{declared("INPUT", inputs)}
{declared("OUTPUT", outputs)}
static _Alignas({upper}_ARENA_ALIGNMENT) unsigned char arena[{upper}_ARENA_BYTES];

static bool read_file(const char *path, void *to, size_t bytes) {{
  FILE *file = fopen(path, "rb");
  const bool complete = file != NULL && fread(to, 1, bytes, file) == bytes;
  if (file != NULL) fclose(file);
  if (!complete) fprintf(stderr, "%s: cannot read %zu bytes\\n", path, bytes);
  return complete;
}}

static bool write_file(const char *path, const void *from, size_t bytes) {{
  FILE *file = fopen(path, "wb");
  const bool written = file != NULL && fwrite(from, 1, bytes, file) == bytes;
  const bool complete = file != NULL && fclose(file) == 0 && written;
  if (!complete) fprintf(stderr, "%s: cannot write %zu bytes\\n", path, bytes);
  return complete;
}}

static double now(void) {{
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}}

int main(int argc, char **argv) {{
  const void *const inputs[] = {{{", ".join(f"input_{i}" for i in range(inputs)) or "NULL"}}};
  void *const outputs[] = {{{", ".join(f"output_{i}" for i in range(outputs))}}};
  const int n_files = {upper}_INPUTS + {upper}_OUTPUTS;
  if (argc != n_files + 1 && argc != n_files + 2) {{
    fprintf(stderr, "usage: %s {names} [RUNS]\\n", argv[0]);
    return 2;
  }}
  const long runs = argc == n_files + 2 ? strtol(argv[n_files + 1], NULL, 10) : 1;
{tried("INPUT", inputs, "read_file", "2")}
  const double start = now();
  int status = {name}_init(arena);
  const double init = now() - start;
  double least = 0;
  for (long i = 0; status == {upper}_OK && i < runs; i++) {{
    const double begin = now();
    status = {name}_run(arena, inputs, outputs);
    const double took = now() - begin;
    if (i == 0 || took < least) least = took;
  }}
  if (status != {upper}_OK) {{
    fprintf(stderr, status == {upper}_CPU ? "this processor does not have the instructions that the network needs\\n" : "error %d\\n", status);
    return 1;
  }}
{tried("OUTPUT", outputs, "write_file", "2")}
  if (argc == n_files + 2) printf("init %.1f us, run %.1f us\\n", init, least);
  return 0;
}}
"""


def cmake(name: str, library: str) -> str:
    kind = "STATIC" if library.endswith(".a") else "SHARED"
    return f"""# find_package({name} CONFIG REQUIRED PATHS <this folder>), then target_link_libraries(<target> PRIVATE {name}::{name})
add_library({name}::{name} {kind} IMPORTED)
set_target_properties({name}::{name} PROPERTIES
  IMPORTED_LOCATION "${{CMAKE_CURRENT_LIST_DIR}}/{library}"
  INTERFACE_INCLUDE_DIRECTORIES "${{CMAKE_CURRENT_LIST_DIR}}"
  INTERFACE_LINK_LIBRARIES m)
"""


def pkg_config(name: str, version: str) -> str:
    return f"""folder=${{pcfiledir}}

Name: {name}
Description: a network compiled by tvmq-delegate
Version: {version}
Cflags: -I${{folder}}
Libs: -L${{folder}} -l{name} -lm
"""
