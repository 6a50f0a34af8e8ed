"""Files that are newer than the installed schema: the tools read them, list them, and keep what they do not understand."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator

import builders
import harness
import numpy as np
import pytest
from numpy.typing import NDArray

from tvmq_delegate import accuracy, models, sessions
from tvmq_delegate.models import ModelError, flatbuffer, surgery

CACHES = (flatbuffer.schema, flatbuffer.enumeration, surgery._unpacked)
Forget = Callable[[str, str], None]


@pytest.fixture()
def forget(monkeypatch: pytest.MonkeyPatch) -> Iterator[Forget]:
    """Makes the installed schema an older one: a field of a table, or a member of an enumeration, is not in it."""

    def older(name: str, member: str) -> None:
        monkeypatch.delattr(getattr(importlib.import_module(f"tflite.{name}"), name), member)
        for cache in CACHES:
            cache.cache_clear()

    yield older
    monkeypatch.undo()
    for cache in CACHES:
        cache.cache_clear()


def network() -> bytes:
    """A few nodes, of which the input's quantization has details, which runtimes do not look at."""
    builder = models.ModelBuilder()
    x, doubled, pooled = (builder.add_tensor(name, (1, n, n, 4), "int8", scale=0.1) for name, n in (("x", 4), ("doubled", 4), ("pooled", 2)))
    y, z = builder.add_tensor("y", (1, 2, 2, 3), "int8", scale=0.2), builder.add_tensor("z", (1, 2, 2, 3), "float32")
    weights = np.random.default_rng(0).integers(-127, 128, (3, 1, 1, 4)).astype(np.int8)
    filter = builder.add_tensor("filter", weights.shape, "int8", scale=[0.01] * 3, data=weights)
    bias = builder.add_tensor("bias", (3,), "int32", scale=[0.001] * 3, data=np.arange(3, dtype=np.int32))
    builder.add_op("ADD", [x, x], [doubled], fused_activation_function="RELU6", pot_scale_int16=False)
    builder.add_op("MAX_POOL_2D", [doubled], [pooled], padding="VALID", stride_w=2, stride_h=2, filter_width=2, filter_height=2)
    builder.add_op("CONV_2D", [pooled, filter, bias], [y], padding="VALID", stride_w=1, stride_h=1)
    builder.add_op("DEQUANTIZE", [y], [z])
    file = flatbuffer.read(builder.build([x], [z]))
    quantization = file.subgraphs[0].tensors[file.subgraphs[0].inputs[0]].quantization
    quantization.details_type = flatbuffer.enum_value("QuantizationDetails", "CustomQuantization")
    quantization.details = flatbuffer.Record(custom=b"new")
    return flatbuffer.write(file)


MODEL = network()


def occurring() -> list[tuple[str, str]]:
    """The part of the schema that MODEL has: members of unions and enumerations, and fields of options."""
    found: set[tuple[str, str]] = set()

    def visit(table: str, record: flatbuffer.Record) -> None:
        for field in flatbuffer.schema(table):
            value = getattr(record, field.name)
            if value is None or field.is_string or (field.flags and table.endswith("Options")):
                if value != field.default and value is not None:
                    found.add((table, "".join(part.capitalize() for part in field.name.split("_"))))
                continue
            name = field.table
            if field.union:
                name = flatbuffer.enumeration(field.union)[getattr(record, f"{field.name}_type")]
                found.add((field.union, name))
            for child in (value if field.vector else (value,)) if name else ():
                visit(name, child)

    file = flatbuffer.read(MODEL)
    visit("Model", file)
    found |= {("BuiltinOperator", op.name) for op in models.ops(MODEL)}
    found |= {("TensorType", tensor.dtype.upper()) for op in models.ops(MODEL) for tensor in op.outputs}
    return sorted(found - {("Model", "Description"), ("SubGraph", "Name"), ("Tensor", "Name")})


OCCURRING = occurring()


def outputs(runtime: harness.Runtime, content: bytes) -> list[NDArray[np.generic]]:
    interpreter = runtime.module.Interpreter(model_content=content)
    interpreter.allocate_tensors()
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"], np.random.default_rng(0).integers(-128, 128, detail["shape"]).astype(np.int8))
    interpreter.invoke()
    return [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]


def test_what_occurs_is_of_each_kind() -> None:
    assert {name for name, _ in OCCURRING} >= {"BuiltinOptions", "QuantizationDetails", "BuiltinOperator", "TensorType", "Conv2DOptions"}
    assert len(OCCURRING) >= 15


@pytest.mark.parametrize("name, member", OCCURRING)
def test_what_the_schema_lacks_is_carried_along(runtime: harness.Runtime, forget: Forget, name: str, member: str) -> None:
    listed, wanted = models.ops(MODEL), outputs(runtime, models.expose(MODEL))
    forget(name, member)
    newer = models.ops(MODEL)
    assert [[t.shape for t in op.outputs] for op in newer] == [[t.shape for t in op.outputs] for op in listed]
    exposed = models.expose(MODEL)
    assert len(wanted) == len(listed) and all(map(np.array_equal, outputs(runtime, exposed), wanted))
    assert [op.outputs for op in models.ops(exposed)] == [op.outputs for op in newer]
    assert models.expose(exposed) and len(models.expose(exposed)) >= len(exposed)
    cut = 0
    for op in newer:
        try:
            alone = models.cut(MODEL, op.index)
        except ModelError as error:
            assert "newer than the installed schema" in str(error) or "may refer to other tensors" in str(error)
            continue
        cut += 1
        assert [t.shape for t in models.ops(alone)[0].outputs] == [t.shape for t in op.outputs]
    assert cut == len(newer) or name not in ("BuiltinOperator", "TensorType")


@pytest.mark.parametrize("name, member", [("QuantizationDetails", "CustomQuantization"), ("BuiltinOptions", "AddOptions"), ("Pool2DOptions", "FilterWidth")])
def test_tools_tell_what_they_cannot_compare(runtime: harness.Runtime, forget: Forget, name: str, member: str) -> None:
    forget(name, member)
    nodes = sessions.nodes(MODEL, runtime=runtime.name).nodes
    assert len(nodes) == len(flatbuffer.read(MODEL).subgraphs[0].operators) and all(node.claimed for node in nodes)
    found = accuracy.diff(MODEL, per_op=True, samples=sessions.inputs.random(sessions.inputs.describe(MODEL, runtime.module), 1), runtime=runtime.name)
    assert found.passed and found.uncompared and found.ops
    for node in found.uncompared:
        assert "newer than the installed schema" in node.reason or "may refer to other tensors" in node.reason


def test_what_is_newer_cannot_be_changed(forget: Forget) -> None:
    forget("Conv2DOptions", "StrideW")
    file = flatbuffer.read(MODEL)
    next(op for op in file.subgraphs[0].operators if op.builtin_options.newer).builtin_options.stride_h += 1
    with pytest.raises(ModelError, match=r"builtin_options with field 1 is newer than the installed schema"):
        flatbuffer.write(file)


def test_a_union_of_a_type_that_is_unknown_is_not_written() -> None:
    file = flatbuffer.read(builders.build_conv())
    file.subgraphs[0].operators[0].builtin_options_type = 250
    with pytest.raises(ModelError, match="type 250 is unknown to the installed schema"):
        flatbuffer.write(file)
