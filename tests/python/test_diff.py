"""`tvmq diff`: what differs is found, measured and told; what is the same is not."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import platform
import re
from collections.abc import Callable
from typing import Any

import builders
import harness
import numpy as np
import pytest
from test_cli import refuses, tvmq

import tvmq_delegate
from tvmq_delegate import models
from tvmq_delegate.accuracy import Diff
from tvmq_delegate.models import flatbuffer, zoo
from tvmq_delegate.reports import diff as report
from tvmq_delegate.sessions import Contender, Session, inputs

CONV = builders.build_conv(in_shape=(1, 9, 9, 8), out_c=12)
# A network that the runtimes' optimized kernels compute otherwise than the reference.
DRIFTING = zoo.mobilenet_v2(width=0.35, resolution=32)


def diff(runtime: harness.Runtime, source: bytes, *contenders: str, **settings: Any) -> Diff:
    return tvmq_delegate.diff(source, contenders=("reference", *(contenders or ("tvmq",))), runtime=runtime.name, **settings)


@pytest.fixture()
def inexact(runtime: harness.Runtime) -> harness.Runtime:
    """A runtime whose optimized kernels differ from its reference kernels."""
    if (runtime.name, platform.machine()) == ("tflite_runtime", "aarch64"):
        pytest.skip("the optimized kernels of tflite-runtime round as the reference on Arm")
    return runtime


def samples(runtime: harness.Runtime, source: bytes, count: int = 2) -> list[inputs.Sample]:
    return inputs.random(inputs.describe(source, runtime.module), count)


def test_stock_kernels_differ_and_the_delegate_does_not(inexact: harness.Runtime) -> None:
    found = diff(inexact, DRIFTING, "builtin", "stock", "tvmq", per_op=True, samples=samples(inexact, DRIFTING))
    assert not found.passed
    (builtin, stock, tvmq) = (output.difference for output in found.outputs)
    for whole in (builtin, stock):
        assert whole.different > 0 and whole.max_diff >= 1 and whole.avg_error > 0 and 0 < whole.cosine < 1 and whole.snr > 0
        assert sum(count for step, count in whole.histogram if step) == whole.different and len(whole.histogram) > 1
        assert sum(count for _, count in whole.histogram) == whole.elements == 2 * 1001
    assert (tvmq.different, tvmq.max_diff, tvmq.cosine) == (0, 0, 1)
    assert found.first("tvmq") is None
    alone = [op for op in found.ops if op.contender == "tvmq"]
    assert len(alone) == 65 and not any(op.difference.different for op in alone)
    assert [op.op for op in alone] == [op.name for op in models.ops(DRIFTING)]
    for name in ("builtin", "stock"):
        first = found.first(name)
        assert all(not op.difference.different for op in found.ops if op.contender == name and op.index < first.index)
        assert f"first in node {first.index} ({first.op})" in found.verdict
    assert "tvmq (65 of 65 nodes) is bit-exact, end to end and in each of 65 nodes alone" in found.verdict
    assert not found.uncompared


def test_runs_say_the_same_twice(runtime: harness.Runtime) -> None:
    first, second = (diff(runtime, DRIFTING, "stock", samples=samples(runtime, DRIFTING)) for _ in range(2))
    assert first.outputs == second.outputs and first.ratings == second.ratings


class TestABrokenContender:
    """Its deviation is found, whole and alone."""

    def test_that_rounds_otherwise(self, runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
        source = zoo.mobilenet_v1(width=0.25, resolution=64)
        found = diff(runtime, source, rounding="single", save_failing=tmp_path / "new/folder", samples=samples(runtime, source, 1))
        failing = [op for op in found.ops if op.difference.different]
        assert not found.passed and len(failing) > 10 and max(op.difference.max_diff for op in failing) == 1
        stems = [f"op_{op.index}_{op.op}" for op in failing]
        assert [pathlib.Path(file).stem for file in found.saved] == stems
        assert {path.name for path in (tmp_path / "new/folder").iterdir()} == {f"{stem}{suffix}" for stem in stems for suffix in (".tflite", ".npz")}
        # The saved case shows the same difference again.
        one_op = pathlib.Path(found.saved[0])
        result = tvmq("diff", one_op, "--input", one_op.with_suffix(".npz"), "--runtime", runtime.name, "--rounding", "single", "--json")
        assert result.exit_code == 1
        again = json.loads(result.stdout)["outputs"][0]["difference"]
        assert (again["different"], again["elements"]) == (failing[0].difference.different, failing[0].difference.elements)
        assert tvmq("diff", one_op, "--input", one_op.with_suffix(".npz"), "--runtime", runtime.name).exit_code == 0

    def test_in_one_element(self, runtime: harness.Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
        real = Contender.open

        class Flips:
            """An interpreter, one element of whose output is one more."""

            def __init__(self, interpreter: Any, output: int):
                self.interpreter, self.output = interpreter, output

            def __getattr__(self, name: str) -> Any:
                return getattr(self.interpreter, name)

            def get_tensor(self, index: int) -> np.ndarray:
                values = self.interpreter.get_tensor(index)
                if index == self.output:
                    values[0, 3, 4, 5] ^= 1
                return values

        def broken(contender: Contender, *arguments: Any, **settings: Any) -> Session:
            session = real(contender, *arguments, **settings)
            if not contender.delegated:
                return session
            return Session(contender, Flips(session.interpreter, session.interpreter.get_output_details()[0]["index"]), session.delegate)

        monkeypatch.setattr(Contender, "open", broken)
        found = diff(runtime, CONV, per_op=True, samples=samples(runtime, CONV, 3))
        (whole,), (alone,) = found.outputs, found.ops
        for difference in (whole.difference, alone.difference):
            assert (difference.different, difference.max_diff, difference.avg_error) == (3, 1, 1 / (9 * 9 * 12))
        assert not found.passed and found.first("tvmq") == alone
        assert diff(runtime, CONV, per_op=True, max_lsb=1).passed

    def test_that_does_not_run_alone(self, runtime: harness.Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
        """A node that cannot be run alone is named with the reason, under the delegate too, and does not count as a node that is equal."""
        monkeypatch.setattr(models, "cut", lambda source, index: builders.build_conv(dtype="float32"))
        found = diff(runtime, CONV, "stock", "tvmq", per_op=True)
        assert not found.ops and [(node.contender, node.op) for node in found.uncompared] == [("stock", "CONV_2D"), ("tvmq", "CONV_2D")]
        assert all(node.reason.startswith("does not run alone: ") for node in found.uncompared)
        assert "alone" not in found.verdict and any("  not compared: 1 x CONV_2D: does not run alone: " in str(part) for part in report.report(found))


def two_by_two() -> bytes:
    """Two inputs, and two outputs of different types."""
    builder = models.ModelBuilder()
    left = builder.add_tensor("left", (1, 4), "uint8", scale=0.5, zero_point=3)
    right = builder.add_tensor("right", (1, 7), "float32")
    results = [builder.add_tensor(name, shape, "int8", scale=0.25, zero_point=-5) for name, shape in (("a", (1, 4)), ("b", (1, 7)))]
    builder.add_op("QUANTIZE", [left], [results[0]])
    builder.add_op("QUANTIZE", [right], [results[1]])
    values = builder.add_tensor("c", (1, 7), "float32")
    builder.add_op("DEQUANTIZE", [results[1]], [values])
    return builder.build([left, right], [values, results[0]])


def test_several_inputs_and_outputs(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    found = diff(runtime, two_by_two(), "builtin", "tvmq", per_op=True)
    assert found.passed and [(output.contender, output.name) for output in found.outputs] == [(c, n) for c in ("builtin", "tvmq") for n in ("c", "a")]
    floats, integers = (output.difference for output in found.outputs[:2])
    assert (floats.dtype, floats.unit, floats.histogram) == ("float32", "", ()) and (integers.dtype, integers.unit) == ("int8", "LSB")
    assert [(op.contender, op.index) for op in found.ops] == [("builtin", 0), ("tvmq", 0), ("builtin", 1), ("tvmq", 1), ("builtin", 2), ("tvmq", 2)]
    np.savez(tmp_path / "x.npz", right=np.ones((1, 7), np.float32), left=np.ones((1, 4), np.uint8))
    assert diff(runtime, two_by_two(), samples=inputs.files([tmp_path / "x.npz"], inputs.describe(two_by_two(), runtime.module))).passed


def with_free_batch() -> bytes:
    file = flatbuffer.read(CONV)
    for tensor in file.subgraphs[0].tensors:
        if tensor.shape[0] == 1:
            tensor.shape_signature = (-1, *tensor.shape[1:])
    return flatbuffer.write(file)


def test_free_batch(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    """The inputs decide on the batch; other sizes must fit."""
    source, path = with_free_batch(), tmp_path / "x.npy"
    assert str(inputs.describe(source, runtime.module)[0]) == "input 'input', int8[?x9x9x8]"
    for batch in (1, 5):
        np.save(path, harness.random_tensor(np.random.default_rng(batch), (batch, 9, 9, 8), np.int8))
        found = diff(runtime, source, "stock", "tvmq", per_op=True, samples=inputs.files([path] * 2, inputs.describe(source, runtime.module)))
        assert [output.difference.elements for output in found.outputs] == [2 * batch * 9 * 9 * 12] * 2
        tvmq = [item.difference for item in (*found.outputs, *found.ops) if item.contender == "tvmq"]
        assert len(tvmq) == 2 and not any(difference.different for difference in tvmq)
    assert diff(runtime, source).passed
    np.save(path, np.zeros((2, 9, 8, 8), np.int8))
    with pytest.raises(ValueError, match=r"int8\[2x9x8x8\] does not fit input 'input', int8\[\?x9x9x8\]"):
        diff(runtime, source, samples=inputs.files([path], inputs.describe(source, runtime.module)))


def branching() -> bytes:
    """IF between two subgraphs of one QUANTIZE each, then a convolution."""
    file = flatbuffer.read(CONV)
    record, enum = flatbuffer.Record, flatbuffer.enum_value
    (main,) = file.subgraphs
    source, *_, output = main.tensors
    scaled = record(**{**vars(source), "name": "scaled"})
    condition = record(name="condition", shape=(1,), type=enum("TensorType", "BOOL"), buffer=0)
    numbers = [enum("BuiltinOperator", name) for name in ("IF", "QUANTIZE")]
    file.operator_codes = [*file.operator_codes, *(record(builtin_code=n, deprecated_builtin_code=n, version=1) for n in numbers)]
    branch = record(
        tensors=[source, scaled], inputs=(0,), outputs=(1,),
        operators=[record(opcode_index=2, inputs=(0,), outputs=(1,), builtin_options_type=enum("BuiltinOptions", "QuantizeOptions"), builtin_options=record())],
    )  # fmt: skip
    n = len(main.tensors)
    main.tensors = [*main.tensors, condition, scaled]
    options = {"builtin_options_type": enum("BuiltinOptions", "IfOptions"), "builtin_options": record(then_subgraph_index=1, else_subgraph_index=2)}
    (conv,) = main.operators
    conv.inputs = (n + 1, *conv.inputs[1:])
    main.operators = [record(opcode_index=1, inputs=(n, 0), outputs=(n + 1,), **options), conv]
    main.inputs = (n, 0)
    file.subgraphs = [main, branch, record(**vars(branch))]
    return flatbuffer.write(file)


def test_control_flow(runtime: harness.Runtime) -> None:
    """Nodes that run subgraphs, and the nodes in these, are compared as part of the whole only, and named."""
    found = diff(runtime, branching(), "builtin", "tvmq", per_op=True)
    assert all(not output.difference.different for output in found.outputs if output.contender == "tvmq")
    assert [(op.contender, op.index, op.op) for op in found.ops] == [("builtin", 1, "CONV_2D"), ("tvmq", 1, "CONV_2D")]
    left = [(node.subgraph, node.index, node.op) for node in found.uncompared if node.contender == "builtin"]
    assert left == [(0, 0, "IF"), (1, 0, "QUANTIZE"), (2, 0, "QUANTIZE")]


def test_strings(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    """They come from files only, and are equal or not."""
    record, enum = flatbuffer.Record, flatbuffer.enum_value
    number = enum("BuiltinOperator", "RESHAPE")
    options = {"builtin_options_type": enum("BuiltinOptions", "ReshapeOptions"), "builtin_options": record(new_shape=(4,))}
    words, flat = (record(name=name, shape=shape, type=enum("TensorType", "STRING"), buffer=0) for name, shape in (("words", (2, 2)), ("flat", (4,))))
    reshape = record(opcode_index=0, inputs=(0,), outputs=(1,), **options)
    graph = record(tensors=[words, flat], inputs=(0,), outputs=(1,), operators=[reshape], name="main")
    codes = [record(builtin_code=number, deprecated_builtin_code=number, version=1)]
    source = flatbuffer.write(record(version=3, operator_codes=codes, subgraphs=[graph], buffers=[record()]))
    np.save(tmp_path / "words.npy", np.array([[b"a", b"bcd"], [b"", b"ef"]]))
    (sample,) = inputs.files([tmp_path / "words.npy"], inputs.describe(source, runtime.module))
    found = diff(runtime, source, "builtin", "tvmq", per_op=True, samples=[sample])
    assert found.passed and found.taken == 0 and "tvmq (0 of 1 node)" in found.verdict
    assert [op.difference.dtype for op in found.ops] == ["string"] and found.outputs[0].difference.elements == 4
    with pytest.raises(ValueError, match="give it from a file"):
        diff(runtime, source)


def test_what_would_crash_is_refused(runtime: harness.Runtime) -> None:
    """The runtimes' own kernels read a bias that is not there."""
    source = builders.build_depthwise(bias=False)
    assert diff(runtime, source, per_op=True).passed
    for contenders, settings in ((["stock"], {}), (["builtin"], {}), (["tvmq"], {"rest": "stock", "min_nodes_per_partition": 2})):
        with pytest.raises(RuntimeError, match=rf"node 0 \(DEPTHWISE_CONV_2D\) has no bias.* under {contenders[0]}"):
            diff(runtime, source, *contenders, **settings)


def test_classes_and_labels(runtime: harness.Runtime) -> None:
    source = zoo.mobilenet_v1(width=0.25, resolution=32, classes=7)
    labels = [f"class {i}" for i in range(7)]
    found = diff(runtime, source, "stock", labels=labels, expected="class 3", samples=samples(runtime, source, 3))
    (output,) = found.outputs
    assert len(found.ratings) == 2 * 3 and 0 <= output.top1 <= output.top5 <= 1
    for rating in found.ratings:
        assert rating.labels == tuple(labels[i] for i in rating.classes) and list(rating.scores) == sorted(rating.scores, reverse=True)
        assert rating.expected >= 5 or rating.classes[rating.expected] == 3
    same = diff(runtime, source, samples=samples(runtime, source))
    assert same.outputs[0].top1 == same.outputs[0].top5 == 1


def test_allowed_differences(inexact: harness.Runtime) -> None:
    found = diff(inexact, DRIFTING, "builtin", samples=samples(inexact, DRIFTING))
    worst = found.outputs[0].difference.max_diff
    for allowed, passes in ((worst, True), (worst - 1, False)):
        found = diff(inexact, DRIFTING, "builtin", max_lsb=allowed, samples=samples(inexact, DRIFTING))
        assert found.passed is passes and ("which is allowed" in found.verdict) is passes


def test_real_network(inexact: harness.Runtime, networks: pathlib.Path) -> None:
    found = tvmq_delegate.diff(networks / "pretrainedResnet_quant.tflite", contenders=("reference", "stock", "tvmq"), per_op=True, runtime=inexact.name)
    stock, tvmq = (output.difference for output in found.outputs)
    assert stock.different > 0 and tvmq.different == 0
    assert {op.contender for op in found.ops if op.difference.different} == {"stock"}


def test_automatic_threads_are_the_delegate_s(runtime: harness.Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[object] = []
    load = tvmq_delegate.load

    def record(**options: Any) -> Any:
        given.append(options.get("num_threads"))
        return load(**options)

    monkeypatch.setattr("tvmq_delegate.sessions.contenders.load", record)
    assert diff(runtime, CONV, num_threads="auto", samples=samples(runtime, CONV, 1)).passed and given == ["auto"]


def test_progress(runtime: harness.Runtime) -> None:
    told: list[tuple[float, str]] = []
    diff(runtime, CONV, per_op=True, samples=samples(runtime, CONV), progress=lambda fraction, what: told.append((fraction, what)))
    assert [fraction for fraction, _ in told] == [i / 6 for i in range(6)]
    assert told[0][1] == "reference: uniform, seed 0" and told[2][1] == "tvmq: node 0 CONV_2D"


@pytest.mark.parametrize(
    ("contenders", "settings", "told"),
    [
        (["reference"], {}, "at least two different contenders"),
        (["tvmq", "tvmq"], {}, "at least two different contenders"),
        (["reference", "xnnpack"], {}, "unknown contender 'xnnpack'; there are reference, builtin, stock, tvmq"),
        ("tvmq", {}, "a sequence of names, not 'tvmq'"),
        (["stock", "tvmq"], {"per_op": True}, "name reference first"),
        (["reference", "tvmq"], {"samples": []}, "no input"),
        (["reference", "tvmq"], {"rounding": "up"}, "reference, upward, single"),
        (["reference", "tvmq"], {"rest": "xnnpack"}, "unknown kernels 'xnnpack'"),
    ],
)
def test_wrong_arguments(runtime: harness.Runtime, contenders: list[str], settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        tvmq_delegate.diff(CONV, contenders=contenders, runtime=runtime.name, **settings)


@pytest.fixture()
def conv_file(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "conv.tflite"
    path.write_bytes(CONV)
    return path


class TestCommand:
    """Exit codes and what is printed."""

    def test_same(self, runtime: harness.Runtime, conv_file: pathlib.Path) -> None:
        result = tvmq("diff", conv_file, "--runtime", runtime.name, "--per-op")
        assert result.exit_code == 0
        last = result.output.splitlines()[-1]
        assert last == "SAME: against reference, over 10 inputs: tvmq (1 of 1 node) is bit-exact, end to end and in 1 node alone"

    def test_different(self, runtime: harness.Runtime, conv_file: pathlib.Path) -> None:
        result = tvmq("diff", conv_file, "--runtime", runtime.name, "--rounding", "single", "--save-failing", conv_file.parent)
        assert result.exit_code == 1
        last = result.output.splitlines()[-1]
        assert last.startswith("DIFFERENT: against reference, over 10 inputs: tvmq (1 of 1 node) differs by up to 1 LSB end to end, by up to 1 LSB in ")
        assert "tvmq minus reference, output output:" in result.output and (conv_file.parent / "op_0_CONV_2D.npz").is_file()

    def test_lines_of_inference_diff(self, runtime: harness.Runtime, conv_file: pathlib.Path) -> None:
        output = tvmq("diff", conv_file, "--runtime", runtime.name, "--contenders", "reference,tvmq,stock", "--num-runs", "3").output
        number = r"[0-9.e+-]+"
        for line in ("Num evaluation runs: 3", rf"Reference run latency: avg={number}\(us\), std_dev={number}\(us\)",
                     rf"Test run latency: avg={number}\(us\), std_dev={number}\(us\)", rf"OutputDiff\[0\]: avg_error={number}, std_dev={number}"):  # fmt: skip
            assert len(re.findall(f"^{line}$", output, re.MULTILINE)) == 2, line

    def test_json(self, runtime: harness.Runtime, conv_file: pathlib.Path) -> None:
        result = tvmq("diff", conv_file, "--runtime", runtime.name, "--rounding", "single", "--per-op", "--json")
        found = json.loads(result.stdout)
        assert result.exit_code == 1 and found["passed"] is False and found["contenders"] == ["tvmq"] and len(found["samples"]) == 10
        (output,), (op,) = found["outputs"], found["ops"]
        assert output["difference"]["max_diff"] == op["difference"]["max_diff"] == 1 and output["difference"]["unit"] == "LSB"
        assert op["op"] == "CONV_2D" and found["verdict"] in result.stdout

    def test_numbers_that_json_lacks(self, runtime: harness.Runtime, conv_file: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
        found = diff(runtime, CONV, rounding="single")
        (output,) = found.outputs
        infinite = dataclasses.replace(output, difference=dataclasses.replace(output.difference, max_diff=np.inf))
        monkeypatch.setattr("tvmq_delegate.accuracy.diff", lambda *_, **__: dataclasses.replace(found, outputs=(infinite,)))
        found = json.loads(tvmq("diff", conv_file, "--runtime", runtime.name, "--json").stdout)
        assert found["passed"] is False and found["outputs"][0]["difference"]["max_diff"] is None

    def test_images(self, runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
        image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
        source = zoo.mobilenet_v1(width=0.25, resolution=32, classes=3)
        (tmp_path / "net.tflite").write_bytes(source)
        (tmp_path / "labels.txt").write_text("cat\ndog, hound\nowl\n")
        generator = np.random.default_rng(0)
        for name in "ab":
            image.fromarray(generator.integers(0, 255, (50, 40, 3), np.uint8)).save(tmp_path / f"{name}.png")
        common = ("diff", tmp_path / "net.tflite", "--runtime", runtime.name, "--images", tmp_path, "--labels", tmp_path / "labels.txt")
        result = tvmq(*common, "--expected", "hound")
        assert result.exit_code == 1 and "NOT AS EXPECTED: " in result.output and tvmq(*common, "--expected", "cat").exit_code == 0, result.output
        assert re.search(r"^a\.png +(cat|dog|owl) \(=?-?\d+\) +(cat|dog|owl) \(", result.output, re.MULTILINE)
        assert "tvmq: the expected class is first in " in result.output
        assert tvmq(*common, "--mean", "127.5", "--std", "60,61,62").exit_code == 0
        for arguments, told in ((("--expected", "wolf"), "'wolf'"), (("--mean", "1,2"), "2 numbers"), (("--mean", "x"), "'x'")):
            assert told in refuses(*common, *arguments)

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (("--contenders", "reference"), "at least two different contenders"),
            (("--mean", "1"), "--images"),
            (("--contenders", "reference,gpu"), "'gpu'"),
            (("--num-threads", "many"), "'many'"),
            (("--max-lsb", "-1"), "-1"),
            (("--distribution", "normal"), "'normal'"),
            (("--input", "absent.npz"), "absent.npz: No such file"),
            (("--images", "absent"), "absent: No such file"),
            (("--images", "."), "no image"),
            (("--input", "x.npy", "--images", "."), "at once"),
            (("--labels", "absent.txt"), "absent.txt: No such file"),
            (("--expected", "5"), "does not rate classes"),
            (("--contenders", "stock,tvmq", "--per-op"), "name reference first"),
        ],
    )
    def test_refuses(self, runtime: harness.Runtime, conv_file: pathlib.Path, arguments: tuple[str, ...], told: str) -> None:
        assert told in refuses("diff", conv_file, "--runtime", runtime.name, *arguments)

    @pytest.mark.parametrize("make", [lambda path: path.write_bytes(b"no zip"), lambda path: np.savez(path, np.zeros(3, np.int8))])
    def test_refuses_inputs(self, runtime: harness.Runtime, conv_file: pathlib.Path, tmp_path: pathlib.Path, make: Callable[[pathlib.Path], Any]) -> None:
        make(tmp_path / "x.npz")
        assert "x.npz" in refuses("diff", conv_file, "--runtime", runtime.name, "--input", tmp_path / "x.npz")
