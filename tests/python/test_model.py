"""Reading, cutting and building .tflite files."""

from __future__ import annotations

import importlib
import pathlib
import pkgutil
import subprocess
import sys
import types

import builders
import harness
import numpy as np
import pytest
import tflite

from tvmq_delegate import models, sessions
from tvmq_delegate.models import ModelError, flatbuffer, zoo

SMALL = builders.build_conv(in_shape=(1, 3, 3, 2), out_c=2)


class Recorder:
    """Stands in for flatbuffers' Builder: notes the last call."""

    def __getattr__(self, name):
        def note(*arguments):
            self.call = (name, *arguments)

        return note


def test_schema_is_that_of_the_writing_functions():
    """The schema is read off the accessors; the package's writing functions state it once more."""
    checked = 0
    for module_info in pkgutil.iter_modules(tflite.__path__):
        name = module_info.name
        module = importlib.import_module(f"tflite.{name}")
        if not hasattr(getattr(module, name, None), "Init"):
            continue  # an enumeration
        fields = {field.name: field for field in flatbuffer.schema(name)}
        adders = [adder for adder in vars(module) if adder.startswith(f"{name}Add")]
        assert len(adders) == len(fields), name
        for adder in adders:
            recorder = Recorder()
            getattr(module, adder)(recorder, 0)
            method, slot, _, default = recorder.call
            field = fields[flatbuffer.snake_case(adder.removeprefix(f"{name}Add"))]
            assert field.slot == slot, adder
            if method == "PrependUOffsetTRelativeSlot":
                assert field.vector or field.table or field.union or field.is_string, adder
            else:
                assert method.lower() == f"prepend{field.flags.name}slot" and not field.vector and field.default == default, adder
            checked += 1
    assert checked > 250


def test_names_are_the_schemas(monkeypatch):
    """Not those that a version of Python gives to every class, numbers and functions among them."""

    class Shape:
        __firstlineno__, __of_a_later_python__ = 3, 4
        SQUARE, ROUND = 0, 1

        def Init(self, *_):
            pass

        def __annotate_func__(self):
            pass

    monkeypatch.setitem(sys.modules, "tflite.Drawn", types.SimpleNamespace(Drawn=Shape))
    assert flatbuffer.enumeration("Drawn") == {0: "SQUARE", 1: "ROUND"} and flatbuffer.schema("Drawn") == ()


def test_read_write_read(networks):
    """A written model reads as the one that was read, for every real network."""
    paths = sorted(networks.glob("*.tflite"))
    assert paths, f"no .tflite file in {networks}"
    for path in paths:
        first = flatbuffer.read(path.read_bytes())
        assert flatbuffer.read(flatbuffer.write(first)) == first, path.name


def test_ops_lists_everything():
    data = builders.build_depthwise(
        in_shape=(2, 9, 7, 3), depth_multiplier=2, filter_size=(3, 5), stride=(2, 1), dilation=(1, 2), padding="VALID", activation="RELU6",
        in_scale=0.5, in_zero_point=-7, filter_scale=[0.25, 0.5, 1.0, 2.0, 4.0, 8.0], out_scale=3.0, out_zero_point=9,
    )  # fmt: skip
    (op,) = models.ops(data)
    assert (op.index, op.subgraph, op.name, op.version) == (0, 0, "DEPTHWISE_CONV_2D", 3)
    expected = {"padding": "VALID", "stride_h": 2, "stride_w": 1, "dilation_h_factor": 1, "dilation_w_factor": 2, "depth_multiplier": 2}
    assert expected | {"fused_activation_function": "RELU6"} == op.params
    source, filter, bias = op.inputs
    (output,) = op.outputs
    assert (source.shape, source.dtype, source.constant) == ((2, 9, 7, 3), "int8", False)
    assert source.quantization == models.Quantization((0.5,), (-7,), 0)
    assert filter.quantization == models.Quantization((0.25, 0.5, 1.0, 2.0, 4.0, 8.0), (0,) * 6, 3)
    assert (filter.shape, filter.dtype, filter.constant) == ((1, 3, 5, 6), "int8", True)
    assert filter.numpy().shape == filter.shape and len(np.unique(filter.numpy())) > 40
    assert (bias.dtype, bias.quantization.scale) == ("int32", (0.125, 0.25, 0.5, 1.0, 2.0, 4.0))
    assert (output.shape, output.quantization) == ((2, 4, 0, 6), models.Quantization((3.0,), (9,), 0))  # 5 taps, dilated by 2, do not fit 7 columns
    assert op.macs == 0
    (conv,) = models.ops(builders.build_conv(in_shape=(1, 8, 8, 6), out_c=4, groups=3, stride=(2, 2)))
    assert conv.inputs[1].shape == (4, 3, 3, 2) and conv.macs == 4 * 4 * 4 * 9 * 2


def test_optional_inputs_and_paths(tmp_path):
    path = tmp_path / "x.tflite"
    path.write_bytes(builders.build_depthwise(bias=False))
    assert [len(op.inputs) for op in models.ops(path)] == [2]
    assert models.ops(str(path)) == models.ops(bytearray(path.read_bytes()))
    with pytest.raises(FileNotFoundError):
        models.ops(tmp_path / "absent.tflite")


# The parameters of the builders that a runtime accepts, and the type that comes out; both runtimes, all three resolvers.
ACCEPTED = {
    "conv": lambda: builders.build_conv(),
    "conv uint8": lambda: builders.build_conv(dtype="uint8"),
    "conv 16x8": lambda: builders.build_conv(dtype="int16"),
    "conv 16x8, int32 bias": lambda: builders.build_conv(dtype="int16", bias_dtype="int32"),
    "conv float": lambda: builders.build_conv(dtype="float32"),
    "conv hybrid": lambda: builders.build_conv(dtype="float32", filter_dtype="int8"),
    "conv int4": lambda: builders.build_conv(filter_dtype="int4"),
    "conv variable filter": lambda: builders.build_conv(constant_filter=False),
    "conv per tensor": lambda: builders.build_conv(per_channel=False),
    "conv grouped": lambda: builders.build_conv(in_shape=(2, 9, 7, 6), out_c=12, groups=3, stride=(2, 1), padding="VALID", activation="RELU"),
    "depthwise": lambda: builders.build_depthwise(dilation=(2, 3)),
    "depthwise uint8": lambda: builders.build_depthwise(dtype="uint8", depth_multiplier=3, stride=(2, 2), activation="RELU6"),
    "depthwise 16x8": lambda: builders.build_depthwise(dtype="int16"),
    "depthwise float": lambda: builders.build_depthwise(dtype="float32"),
    "average pool": lambda: builders.build_average_pool(filter_size=(2, 2), stride=(2, 1), padding="VALID"),
    "average pool uint8": lambda: builders.build_average_pool(dtype="uint8"),
    "concatenation": lambda: builders.build_concatenation(order=(1, 0, 0), constants={1: np.zeros((1, 8, 8, 8), np.int8)}),
    "max pool": lambda: builders.build_max_pool(dtype="uint8", stride=(2, 2)),
    "average pool 16": lambda: builders.build_average_pool(dtype="int16"),
    "add": lambda: builders.build_binary(),
    "quantize int8": lambda: builders.build_quantize(),
    "quantize uint8 to int8": lambda: builders.build_quantize(in_dtype="uint8", out_dtype="int8"),
    "quantize float": lambda: builders.build_quantize(in_dtype="float32", out_dtype="uint8"),
    "quantize int16 to int8": lambda: builders.build_quantize(in_dtype="int16", out_dtype="int8"),
    "quantize int32 to int16": lambda: builders.build_quantize(in_dtype="int32", out_dtype="int16"),
}


@pytest.mark.parametrize("resolver", ["BUILTIN_REF", "BUILTIN_WITHOUT_DEFAULT_DELEGATES", "AUTO"])
@pytest.mark.parametrize("what", ACCEPTED)
def test_built_models_run(runtime, what, resolver):
    """Runtimes accept what the builders make, and the default parameters neither saturate nor flatten the output."""
    interpreter = runtime.interpreter(ACCEPTED[what](), resolver=resolver)
    (output,) = harness.run(interpreter, *harness.random_inputs(interpreter, 1))
    assert len(np.unique(output)) > 60
    if output.dtype.kind in "iu":
        info = np.iinfo(output.dtype)
        assert np.mean((output == info.max) | (output == info.min)) < (0.6 if "RELU" in str(models.ops(ACCEPTED[what]())[0].params) else 0.2)


def test_parameters_reach_the_runtime(runtime):
    quantization = {"in_scale": 0.5, "in_zero_point": 7, "out_scale": 0.25, "out_zero_point": 200}
    interpreter = runtime.interpreter(builders.build_conv(dtype="uint8", padding="VALID", stride=(2, 3), **quantization))
    interpreter.allocate_tensors()
    (source,), (output,) = interpreter.get_input_details(), interpreter.get_output_details()
    assert source["quantization"] == (0.5, 7) and output["quantization"] == (0.25, 200)
    assert tuple(output["shape"]) == (1, 3, 2, 16)


def test_int4_is_packed_low_half_first():
    values = np.array([[[[1, -2], [7, -8]]]])
    (op,) = models.ops(builders.build_conv(in_shape=(1, 1, 2, 2), filter=values, filter_dtype="int4"))
    assert bytes(op.inputs[1].data) == bytes([0xE1, 0x87])


def assert_cuts_equal_whole(runtime: harness.Runtime, data: bytes) -> None:
    """Every operator cut out computes what it computes within the network."""
    data = sessions.shaped(data, runtime.module)
    whole = runtime.interpreter(models.expose(data))
    inputs = harness.random_inputs(whole, 7)
    values = dict(zip([detail["index"] for detail in whole.get_input_details()], inputs, strict=True))
    outputs = harness.run(whole, *inputs)
    values |= zip([detail["index"] for detail in whole.get_output_details()], outputs, strict=True)
    for op in models.ops(data):
        part = runtime.interpreter(models.cut(data, op.index, op.subgraph))
        fed = dict.fromkeys(tensor.index for tensor in op.inputs if tensor is not None and not tensor.constant)
        for output, got in zip(op.outputs, harness.run(part, *(values[index] for index in fed)), strict=True):
            harness.assert_equal(got, values[output.index], f"operator {op.index} ({op.name})")
        harness.counts["operators cut out and compared"] += 1


def test_every_operator_of_real_networks_cut_out(runtime, networks):
    paths = sorted(networks.glob("*.tflite"))
    assert paths, f"no .tflite file in {networks}"
    for path in paths:
        assert_cuts_equal_whole(runtime, path.read_bytes())


@pytest.mark.parametrize("name", ["mobilenet_v1_0.25_128", "mobilenet_v1_0.25_128_uint8", "mobilenet_v2_0.35_96_uint8_io", "resnet18"])
def test_every_operator_of_the_zoo_cut_out(runtime, name):
    assert_cuts_equal_whole(runtime, zoo.load(name))


def test_cut_carries_everything():
    """Constants bit for bit, quantization, options, version, names; nothing else."""
    data = zoo.load("mobilenet_v2_0.35_96")
    for op in models.ops(data):
        (part,) = models.ops(models.cut(data, op.index))
        assert (part.name, part.version, part.params, part.macs) == (op.name, op.version, op.params, op.macs)
        for before, after in zip(op.inputs + op.outputs, part.inputs + part.outputs, strict=True):
            assert (before.name, before.shape, before.dtype, before.quantization) == (after.name, after.shape, after.dtype, after.quantization)
            assert before.data == after.data
            assert before.data is not after.data or before.data is None
        file = flatbuffer.read(models.cut(data, op.index))
        assert len(file.buffers) == 1 + sum(tensor.constant for tensor in op.inputs) and len(file.operator_codes) == 1


def test_constants_stand_on_sixteen_bytes():
    """Kernels load weights in place; the schema asks for this alignment."""
    data = models.cut(zoo.load("mobilenet_v1_0.25_128"), 3)
    view = np.frombuffer(data, np.uint8)
    for buffer in flatbuffer.read(data).buffers:
        if buffer.data:
            assert (np.frombuffer(buffer.data, np.uint8).ctypes.data - view.ctypes.data) % 16 == 0


def test_same_tensor_twice_is_one_input(runtime):
    scales = dict(in_scale=(0.5, 0.5), in_zero_point=(0, 0), out_scale=1.0, out_zero_point=0)
    part = models.cut(builders.build_binary(shape=(1, 2, 2, 3), twice=True, **scales), 0)
    value = np.arange(12, dtype=np.int8).reshape(1, 2, 2, 3)
    (output,) = harness.run(runtime.interpreter(part), value)
    harness.assert_equal(output, value)


def test_buffers_behind_the_flatbuffer():
    """Files beyond 2 GB keep their constants behind the flatbuffer, by offset and size."""
    file = flatbuffer.read(SMALL)
    wanted = [bytes(buffer.data) if buffer.data else b"" for buffer in file.buffers]
    start = 1000
    for _ in range(2):  # the second time in the right place: the file's size does not depend on the offsets
        for buffer, data in zip(file.buffers, wanted, strict=True):
            if data:
                buffer.data, buffer.offset, buffer.size = None, start, len(data)
                start += len(data)
        start = len(flatbuffer.write(file))
    data = flatbuffer.write(file) + b"".join(wanted)
    assert [tensor.data for tensor in models.ops(data)[0].inputs] == [tensor.data for tensor in models.ops(SMALL)[0].inputs]
    assert models.cut(data, 0) == models.cut(SMALL, 0)
    assert models.expose(data) == models.expose(SMALL)
    with pytest.raises(ModelError, match="outside the file"):
        models.ops(data[:-1])


def test_missing_operators_and_subgraphs():
    with pytest.raises(ModelError, match="operator 1 does not exist, there are 1"):
        models.cut(SMALL, 1)
    with pytest.raises(ModelError, match="operator -1 does not exist"):
        models.cut(SMALL, -1)
    with pytest.raises(ModelError, match="subgraph 1 does not exist"):
        models.cut(SMALL, 0, 1)


def test_control_flow_cannot_stand_alone():
    file = flatbuffer.read(SMALL)
    operator = file.subgraphs[0].operators[0]
    operator.builtin_options_type = flatbuffer.enum_value("BuiltinOptions", "IfOptions")
    operator.builtin_options = flatbuffer.Record(then_subgraph_index=1)
    with pytest.raises(ModelError, match="other subgraphs"):
        models.cut(flatbuffer.write(file), 0)


def test_builder_refuses_what_it_cannot_write():
    builder = models.ModelBuilder()
    with pytest.raises(ModelError, match="TensorType: no 'INT3'"):
        builder.add_tensor("x", (1,), "int3")
    with pytest.raises(ModelError, match=r"data of shape \(2,\), not \(3,\)"):
        builder.add_tensor("x", (3,), "int8", data=np.zeros(2, np.int8))
    for data in (np.array([128]), np.array([-129]), np.array([0.5])):
        with pytest.raises(ModelError, match="does not fit int8"):
            builder.add_tensor("x", (1,), "int8", data=data)
    x = builder.add_tensor("x", (1, 2, 2, 1), "int8", scale=1.0)
    with pytest.raises(ModelError, match="cannot build 'CONV_4D'; known: ABS, ADD"):
        builder.add_op("CONV_4D", [x], [x])
    with pytest.raises(ModelError, match="CONV_2D has no option 'stride'; known: padding"):
        builder.add_op("CONV_2D", [x, x], [x], stride=1)
    with pytest.raises(ModelError, match="Padding: no 'FULL'; known: SAME, VALID"):
        builder.add_op("CONV_2D", [x, x], [x], padding="FULL")
    with pytest.raises(ModelError, match="Conv2DOptions.stride_h"):
        builders.build_conv(stride=(2**31, 1))
    with pytest.raises(ModelError, match="QuantizationParameters.scale"):
        builders.build_conv(out_scale=1e300)


def test_package_needs_no_numpy_to_list(tmp_path):
    """Listing and cutting leave numpy alone: it comes with a runtime, which they do not need."""
    path, package = tmp_path / "x.tflite", pathlib.Path(models.__file__).parents[2]
    path.write_bytes(SMALL)
    program = """if True:
        import importlib.machinery, sys
        found = importlib.machinery.PathFinder.find_spec
        importlib.machinery.PathFinder.find_spec = lambda name, *rest: None if name == "numpy" else found(name, *rest)
        sys.path.insert(0, sys.argv[1])
        from tvmq_delegate.models import cut, expose, ops, zoo
        print(len(zoo.names()), "numpy" in sys.modules, *(len(ops(data)) for data in (sys.argv[2], cut(sys.argv[2], 0), expose(sys.argv[2]))))
    """
    result = subprocess.run([*harness.PYTHON, "-c", program, str(package), str(path)], capture_output=True, text=True, check=False)
    assert result.stdout.split() == [str(len(zoo.names())), "False", "1", "1", "1"], result.stderr
