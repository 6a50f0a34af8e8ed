#!/usr/bin/env python3
"""Writes the kernels' sources as C strings: `embed.py OUT FILE...`. Their names are those of the files, without .cl."""

import json
import pathlib
import sys


def literal(text: str) -> str:
    return "\n".join("     " + json.dumps(line) for line in text.splitlines(keepends=True))


def main() -> None:
    out, *files = map(pathlib.Path, sys.argv[1:])
    rows = "".join(f'    {{"{file.stem}",\n{literal(file.read_text(encoding="ascii"))}}},\n' for file in files)
    out.write_text(
        f'#include "opencl/source.h"\n\n#include <stddef.h>\n\nconst struct tvmq_opencl_source tvmq_opencl_sources[] = {{\n{rows}    {{NULL, NULL}},\n}};\n',
        encoding="ascii",
    )


if __name__ == "__main__":
    main()
