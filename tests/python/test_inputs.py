"""sessions/: what the tools run, and what they feed to it."""

from __future__ import annotations

import pathlib
import struct
import zipfile

import builders
import harness
import numpy as np
import pytest

import tvmq_delegate
from tvmq_delegate import models
from tvmq_delegate.sessions import NAMES, RESOLVERS, Contender, inputs

CONV = builders.build_conv(in_shape=(1, 6, 9, 3), dtype="uint8")


def two_inputs() -> bytes:
    """Two inputs of one type and different shapes, both passed on by QUANTIZE."""
    builder = models.ModelBuilder()
    sources = [builder.add_tensor(name, shape, "uint8", scale=0.5, zero_point=3) for name, shape in (("left", (1, 4)), ("right", (1, 7)))]
    results = [builder.add_tensor(f"out{i}", shape, "int8", scale=0.5, zero_point=-125) for i, shape in enumerate([(1, 4), (1, 7)])]
    for source, result in zip(sources, results):
        builder.add_op("QUANTIZE", [source], [result])
    return builder.build(sources, results)


@pytest.mark.parametrize("name", NAMES)
def test_contenders_run(runtime: harness.Runtime, name: str) -> None:
    session = Contender(name).open(CONV, runtime.module)
    (sample,) = inputs.random(inputs.describe(CONV, runtime.module))
    (output,) = session.run(sample.load())
    (expected,) = harness.run(runtime.interpreter(CONV), *sample.load())
    assert np.abs(output.astype(int) - expected).max() <= 1
    assert (session.delegate is not None) == (name in ("tvmq", "network"))
    if session.delegate:
        assert tvmq_delegate.report(session.delegate).summary.claimed == 1


@pytest.mark.parametrize("rest", RESOLVERS)
@pytest.mark.parametrize("name", NAMES)
def test_kernels_of_the_runtime_are_chosen(runtime: harness.Runtime, monkeypatch: pytest.MonkeyPatch, name: str, rest: str) -> None:
    """Under the delegate they are those for the rest; a network has no runtime."""
    asked = []
    real = runtime.module.Interpreter
    monkeypatch.setattr(runtime.module, "Interpreter", lambda **given: asked.append(given["experimental_op_resolver_type"].name) or real(**given))
    Contender(name, rest).open(CONV, runtime.module)
    assert asked == ([] if name == "network" else [RESOLVERS[rest if name == "tvmq" else name]])


def test_a_contender_may_have_to_take_all(runtime: harness.Runtime) -> None:
    left = builders.build_conv(dtype="float32")
    tvmq = Contender("tvmq", rest="reference")
    tvmq.open(left, runtime.module)
    with pytest.raises((RuntimeError, ValueError)):
        tvmq.wholly().open(left, runtime.module)
    assert Contender("stock").wholly() == Contender("stock")


def test_unknown_contenders() -> None:
    with pytest.raises(ValueError, match="reference, builtin, stock, tvmq, network"):
        Contender("xnnpack")
    with pytest.raises(ValueError, match="reference, builtin, stock"):
        Contender("tvmq", rest="tvmq")


def test_inputs_of_another_batch_resize_the_model(runtime: harness.Runtime) -> None:
    sessions = [Contender(name).open(CONV, runtime.module) for name in ("reference", "tvmq")]
    for batch in (1, 3, 2):
        values = harness.random_tensor(np.random.default_rng(batch), (batch, 6, 9, 3), "uint8")
        outputs = [session.run([values])[0] for session in sessions]
        assert outputs[0].shape == (batch, 6, 9, 16) and (outputs[0] == outputs[1]).all()


def test_random_samples(runtime: harness.Runtime) -> None:
    (tensor,) = inputs.describe(CONV, runtime.module)
    assert str(tensor) == "input 'input', uint8[1x6x9x3]"
    uniform, extremes = (sample.load()[0] for sample in inputs.random([tensor], 2, distribution="mixed"))
    assert len(np.unique(uniform)) > 90 and set(np.unique(extremes)) == {0, 255}
    again, other = (sample.load()[0] for sample in inputs.random([tensor], 2))
    assert (again == uniform).all() and (other != uniform).any()
    with pytest.raises(ValueError, match="uniform, extremes, mixed"):
        inputs.random([tensor], distribution="normal")
    with pytest.raises(ValueError, match="string"):
        inputs.random([inputs.InputTensor("words", (1,), (1,), np.dtype(np.bytes_), 0, 0)])


def test_arrays_from_files(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    left, right = np.arange(4, dtype=np.uint8)[None], np.arange(7, dtype=np.uint8)[None]
    np.savez(tmp_path / "named.npz", right=right, left=left)
    np.savez(tmp_path / "placed.npz", left, right)
    np.savez(tmp_path / "disordered.npz", arr_1=right, arr_0=left)
    np.save(tmp_path / "one.npy", right)
    both = inputs.describe(two_inputs(), runtime.module)
    for name in ("named.npz", "placed.npz", "disordered.npz"):
        (sample,) = inputs.files([tmp_path / name], both)
        assert sample.name == name and [values.tolist() for values in sample.load()] == [left.tolist(), right.tolist()]
    assert (inputs.files([tmp_path / "one.npy"], both[1:])[0].load()[0] == right).all()


@pytest.mark.parametrize(
    ("arrays", "told"),
    [
        ({"left": (1, 4)}, "holds 1 array;"),
        ({"left": (1, 4), "other": (1, 7)}, "left, other"),
        ({"left": (1, 4), "right": (2, 7)}, r"uint8\[2x7\] does not fit input 'right', uint8\[1x7\]"),
        ({"arr_0": (1, 7), "arr_1": (1, 4)}, r"uint8\[1x7\] does not fit input 'left'"),
    ],
)
def test_arrays_that_do_not_fit(runtime: harness.Runtime, tmp_path: pathlib.Path, arrays: dict[str, tuple[int, ...]], told: str) -> None:
    path = tmp_path / "arrays.npz"
    np.savez(path, **{name: np.zeros(shape, np.uint8) for name, shape in arrays.items()})
    with pytest.raises(ValueError, match=told):
        inputs.files([path], inputs.describe(two_inputs(), runtime.module))[0].load()


def header(text: str) -> bytes:
    """A .npy file without data."""
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + text.ljust(117).encode() + b"\n"


ENDLESS = "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999,), }"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"\x93NUMPY\x01\x00", b"text", header("{'descr': '<f8', 'fort"), header(ENDLESS)])
def test_unreadable_arrays(runtime: harness.Runtime, tmp_path: pathlib.Path, content: bytes) -> None:
    path = tmp_path / "bad.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="bad.npz is not a readable"):
        inputs.files([path], inputs.describe(CONV, runtime.module))[0].load()


def test_an_archive_of_something_else(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "text.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(ValueError, match="text.npz holds something other than arrays"):
        inputs.files([path], inputs.describe(CONV, runtime.module))[0].load()


def test_arrays_of_another_type_and_missing_files(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    tensors = inputs.describe(CONV, runtime.module)
    np.save(tmp_path / "x.npy", np.zeros((1, 6, 9, 3), np.float32))
    with pytest.raises(ValueError, match=r"float32\[1x6x9x3\] does not fit .*uint8"):
        inputs.files([tmp_path / "x.npy"], tensors)[0].load()
    with pytest.raises(FileNotFoundError):
        inputs.files([tmp_path / "absent.npy"], tensors)[0].load()


class TestImages:
    """Pictures whose left half is black and whose right half is white."""

    @pytest.fixture()
    def folder(self, tmp_path: pathlib.Path) -> pathlib.Path:
        image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
        pixels = np.zeros((12, 40, 3), np.uint8)
        pixels[:, 20:] = 255
        image.fromarray(pixels).save(tmp_path / "b.png")
        image.fromarray(pixels[:, :, 0]).save(tmp_path / "a.bmp")
        (tmp_path / "notes.txt").write_text("no image")
        return tmp_path

    def tensor(self, dtype: str, scale: float = 0.0, zero_point: int = 0, channels: int = 3) -> inputs.InputTensor:
        return inputs.InputTensor("input", (1, 6, 8, channels), (1, 6, 8, channels), np.dtype(dtype), scale, zero_point)

    @pytest.mark.parametrize(("dtype", "ends"), [("uint8", (0, 255)), ("int8", (-128, 127)), ("int16", (-32768, 32767)), ("float32", (-1, 1))])
    @pytest.mark.parametrize("channels", [1, 3])
    def test_pixels_are_spread_over_the_range(self, folder: pathlib.Path, dtype: str, ends: tuple[int, int], channels: int) -> None:
        samples = inputs.images(folder, [self.tensor(dtype, channels=channels)])
        assert [sample.name for sample in samples] == ["a.bmp", "b.png"]
        for sample in samples:
            (values,) = sample.load()
            assert values.shape == (1, 6, 8, channels) and values.dtype == dtype
            assert (values[:, :, :3] == ends[0]).all() and (values[:, :, 5:] == ends[1]).all()

    def test_mean_and_std(self, folder: pathlib.Path) -> None:
        (values,) = inputs.images(folder, [self.tensor("int8", 0.5, 10)], mean=[55], std=[10, 20, 50])[0].load()
        assert values[0, 0, 0].tolist() == [-1, 4, 8] and values[0, 0, 7].tolist() == [50, 30, 18]
        (values,) = inputs.images(folder, [self.tensor("float32")], mean=[0], std=[255])[0].load()
        assert values[0, 0, 0].tolist() == [0, 0, 0] and values[0, 0, 7].tolist() == [1, 1, 1]
        with pytest.raises(ValueError, match="2 numbers for 3 channels"):
            inputs.images(folder, [self.tensor("int8")], mean=[1, 2])

    def test_what_is_no_image(self, folder: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> None:
        (folder / "c.jpg").write_bytes(b"no image")
        with pytest.raises(ValueError, match="c.jpg"):
            inputs.images(folder, [self.tensor("int8")])[2].load()
        with pytest.raises(ValueError, match="no image"):
            inputs.images(tmp_path_factory.mktemp("empty"), [self.tensor("int8")])
        with pytest.raises(FileNotFoundError):
            inputs.images(folder / "absent", [self.tensor("int8")])
        with pytest.raises(ValueError, match="one input of shape"):
            inputs.images(folder, [self.tensor("int8")] * 2)


def test_versions_without_reference_kernels(runtime: harness.Runtime) -> None:
    """DEPTH_TO_SPACE of version 2 is one in LiteRT: inputs are described all the same."""
    builder = models.ModelBuilder()
    source, result = (builder.add_tensor(name, shape, "float32") for name, shape in (("in", (1, 2, 3, 4)), ("out", (1, 4, 6, 1))))
    builder.add_op("DEPTH_TO_SPACE", [source], [result], version=2, block_size=2)
    (tensor,) = inputs.describe(builder.build([source], [result]), runtime.module)
    assert tensor.shape == (1, 2, 3, 4) and tensor.dtype == np.float32


def test_samples_are_not_made_of_models(tmp_path: pathlib.Path) -> None:
    for model in ("model.tflite", CONV, tmp_path):
        for make in (inputs.random, lambda given: inputs.files([], given), lambda given: inputs.images(tmp_path, given)):
            with pytest.raises(TypeError, match=r"as inputs.describe\(model\) returns them"):
                make(model)
