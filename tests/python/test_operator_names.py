"""Names of custom operators, which a model's author may choose: no line of the delegate's is forged by them."""

from __future__ import annotations

import contextlib
import re

import pytest

import tvmq_delegate
from tvmq_delegate.models import flatbuffer
from tvmq_delegate.models.builder import ModelBuilder

CUSTOM = 32
NAMES = [
    b"a\nERROR: tvmq-delegate: forged \x1b[31mline\x1b[0m",
    b"".join(bytes([n]) for n in range(1, 32)),
    b"\xff\xfe\x80",  # no UTF-8
    b"\xc2\x9b31m \xe2\x80\xae",  # an escape sequence as UTF-8; what follows is read from right to left
    "é".encode() * 40,  # cut off within a character
    b"\\n%s%n",
]


def model(name: bytes) -> bytes:
    """RELU, which the delegate takes, and an operator of that name."""
    builder = ModelBuilder()
    x, y, z = (builder.add_tensor(each, (1, 8), "int8", scale=0.1) for each in "xyz")
    builder.add_op("RELU", [x], [y])
    builder.add_op("HARD_SWISH", [y], [z])
    record = flatbuffer.read(builder.build([x], [z]))
    code = record.operator_codes[1]
    code.builtin_code, code.deprecated_builtin_code, code.custom_code = CUSTOM, CUSTOM, name
    return bytes(flatbuffer.write(record))


@pytest.mark.parametrize("name", NAMES)
def test_custom_operators(runtime, capfd, name):
    options = {"log_severity": "verbose", "min_nodes_per_partition": 1}
    delegate = tvmq_delegate.load(runtime=runtime.module, **options)
    strict = tvmq_delegate.load(runtime=runtime.module, require_full_delegation=True, **options)
    said = []
    for each in (delegate, strict):
        with contextlib.suppress(RuntimeError, ValueError, UnicodeDecodeError):  # the runtime's messages are its own
            said.append(runtime.module.Interpreter(model_content=model(name), experimental_delegates=[each]))
    ops = [node.op for node in tvmq_delegate.report(delegate).nodes]
    error = tvmq_delegate.report(strict).summary.error
    assert ops[0] == "RELU" and re.fullmatch(r"[ -~]{4,63}", ops[1])
    assert re.fullmatch("[ -~]+", error) and ops[1] in error
    lines = [line for line in capfd.readouterr().err.encode("utf-8", "surrogateescape").splitlines() if b"tvmq-delegate: " in line]
    left = [line for line in lines if line.startswith(b"INFO: tvmq-delegate: left to the runtime: 1 " + ops[1].encode())]
    assert left and all(re.fullmatch(rb"[ -~]+", line) for line in left)
