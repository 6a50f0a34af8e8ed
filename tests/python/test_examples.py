"""The programs in examples/ that this machine can build and run."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree

import builders
import harness
import numpy as np
import pytest

import tvmq_delegate
from tvmq_delegate.models import zoo

EXAMPLES = harness.REPOSITORY / "examples"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("examples") / "model.tflite"
    path.write_bytes(zoo.mobilenet_v2(width=0.25, resolution=32, classes=10, io_dtype="uint8"))
    return path


def run(*command: str | os.PathLike[str]) -> str:
    done = subprocess.run([*map(str, command)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_an_image_to_labels(model, tmp_path):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed: pip install pillow")
    image.fromarray(np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)).save(tmp_path / "image.png")
    labels = [f"label {i}" for i in range(10)]
    (tmp_path / "labels.txt").write_text("\n".join(labels), encoding="utf-8")
    said = run(*harness.PYTHON, EXAMPLES / "python/classify.py", model, tmp_path / "labels.txt", tmp_path / "image.png")
    assert said.partition(":")[0] in labels and said.endswith(" ms\n")
    (tmp_path / "bytes.tflite").write_bytes(builders.build_conv(in_shape=(1, 9, 9, 8)))
    for arguments, told in (
        ((model, tmp_path / "labels.txt", tmp_path / "absent.png"), "absent.png'"),
        ((tmp_path / "bytes.tflite", tmp_path / "labels.txt", tmp_path / "image.png"), "does not take an RGB image, but an input of shape [1, 9, 9, 8]"),
    ):
        done = subprocess.run([*harness.PYTHON, EXAMPLES / "python/classify.py", *arguments], check=False, capture_output=True, text=True)
        assert done.returncode == 2 and done.stderr.splitlines()[-1].endswith(told), done.stderr


def test_a_camera_at_usb(model, tmp_path):
    """By a stand-in for OpenCV, whose camera 0 gives three images, as a video file does, which then ends."""
    pytest.importorskip("PIL.Image", reason="Pillow is not installed: pip install pillow")
    (tmp_path / "labels.txt").write_text("\n".join(f"label {i}" for i in range(10)), encoding="utf-8")
    command = [*harness.PYTHON, EXAMPLES / "python/classify.py", model, tmp_path / "labels.txt", "--camera"]
    (tmp_path / "without").mkdir()
    (tmp_path / "without/cv2.py").write_text("raise ModuleNotFoundError('cv2')")
    (tmp_path / "with").mkdir()
    (tmp_path / "with/cv2.py").write_text(
        "import numpy as np\n"
        "CAP_ANY, CAP_V4L2, CAP_PROP_BUFFERSIZE, COLOR_BGR2RGB = 0, 200, 38, 4\n"
        "resize = lambda pixels, size: np.zeros((size[1], size[0], 3), np.uint8)\n"
        "cvtColor = lambda pixels, code: pixels[:, :, ::-1]\n"
        "class VideoCapture:\n"
        "    def __init__(self, number, api): self.number, self.left = number, 3\n"
        "    def set(self, what, value): pass\n"
        "    def isOpened(self): return self.number in (0, 'film.mp4')\n"
        "    def read(self):\n"
        "        self.left -= 1\n"
        "        return self.left >= 0, np.zeros((48, 64, 3), np.uint8)\n"
    )
    for folder, camera, code, printed, told in (
        ("with", 0, 1, 3, "camera 0 gives no more images"),
        ("with", "film.mp4", 0, 3, ""),
        ("with", 7, 1, 0, "camera 7 cannot be opened"),
        ("without", 0, 1, 0, "--camera needs OpenCV"),
    ):
        path = os.pathsep.join(filter(None, [str(tmp_path / folder), os.environ.get("PYTHONPATH")]))
        done = subprocess.run([*map(str, command), str(camera)], check=False, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
        assert done.returncode == code and told in done.stderr and done.stdout.count(" ms\n") == printed, done.stderr


LITERT = tvmq_delegate.binding.runtimes.installed().get("ai_edge_litert", "0.0")


@pytest.mark.skipif(tuple(map(int, LITERT.split(".")[:2])) < (2, 2), reason="CompiledModel takes the delegate from LiteRT 2.2 on")
def test_compiled_model(model):
    assert " nodes by the delegate" in run(*harness.PYTHON, EXAMPLES / "compiled_model/run.py", model)


@pytest.mark.skipif(tuple(map(int, LITERT.split(".")[:2])) < (2, 2), reason="CompiledModel takes the delegate from LiteRT 2.2 on")
@harness.NEEDS_CPP
@pytest.mark.skipif(harness.SANITIZED, reason="LiteRT loads its plugins by RTLD_DEEPBIND, at which a sanitizer ends the process")
def test_compiled_model_in_cpp(model, tmp_path):
    """With LiteRT's own library, and its interface as tests/support/litert_c.h declares it, under the names of LiteRT's headers."""
    source = EXAMPLES / "compiled_model/run.cpp"
    for name in re.findall(r'#include "(litert/[^"]+)"', source.read_text(encoding="utf-8")):
        header = tmp_path / "include" / name
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text('#include "support/litert_c.h"\n', encoding="utf-8")
    runtime = pathlib.Path(importlib.util.find_spec("ai_edge_litert").origin).parent
    libraries = [
        runtime / "libLiteRt.so",
        tvmq_delegate.library_path(),
        "-ldl",
        *(f"-Wl,-rpath,{path}" for path in (runtime, tvmq_delegate.library_path().parent)),
    ]
    folders = [f"-I{path}" for path in (tmp_path / "include", harness.REPOSITORY / "tests", harness.REPOSITORY / "delegate")]
    run("c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", source, *folders, *libraries, "-o", tmp_path / "run")
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime/libLiteRtGpuAccelerator.so").symlink_to(tvmq_delegate.accelerator_path())
    (tmp_path / "runtime/tvmq_delegate.conf").write_text(f"library={tvmq_delegate.library_path()}\n", encoding="utf-8")
    values = np.random.default_rng(0).integers(0, 256, (1, 32, 32, 3), dtype=np.uint8)
    values.tofile(tmp_path / "input")
    said = run(tmp_path / "run", model, tmp_path / "runtime", "2", tmp_path / "input", tmp_path / "output")
    claimed, nodes, threads = map(int, re.search(r"^(\d+) of (\d+) nodes by the delegate, (\d+) threads$", said, re.MULTILINE).groups())
    assert claimed == nodes > 20 and threads == min(2, len(os.sched_getaffinity(0)))
    runtime_module = tvmq_delegate.binding.runtimes.find("ai_edge_litert")
    reference = runtime_module.Interpreter(str(model), experimental_op_resolver_type=runtime_module.OpResolverType.BUILTIN_REF)
    reference.allocate_tensors()
    np.testing.assert_array_equal(np.fromfile(tmp_path / "output", np.uint8), harness.run(reference, values)[0].ravel())
    (tmp_path / "short").write_bytes(b"too few")
    short = subprocess.run([str(tmp_path / "run"), str(model), str(tmp_path / "runtime"), "1", str(tmp_path / "short"), str(tmp_path / "output")], check=False)
    assert short.returncode == 1


@pytest.mark.skipif(harness.EMULATED, reason="the compiler is this machine's")
def test_c(tmp_path):
    program = tmp_path / "external_delegate"
    run("cc", "-Wall", "-Wextra", "-Werror", EXAMPLES / "c/external_delegate.c", "-o", program, "-ldl")
    assert run(program, tvmq_delegate.library_path(), "num_threads", "2") == "a delegate with 1 options\n"
    wrong = subprocess.run([str(program), str(tvmq_delegate.library_path()), "colour", "red"], check=False, capture_output=True, text=True)
    assert wrong.returncode == 1 and "unknown option" in wrong.stderr


@harness.NEEDS_CMAKE
@harness.NEEDS_CPP
def test_cpp(tmp_path):
    """With the build folder in the place of an installed library."""
    prefix = tmp_path / "prefix"
    (prefix / "include").mkdir(parents=True)
    for header in (harness.REPOSITORY / "delegate").glob("tvmq_*.h*"):
        shutil.copy(header, prefix / "include")
    config = prefix / "lib/cmake/tvmq_delegate/tvmq_delegateConfig.cmake"
    config.parent.mkdir(parents=True)
    template = (harness.REPOSITORY / "delegate/tvmq_delegateConfig.cmake.in").read_text(encoding="utf-8")
    config.write_text(template.replace("@INCLUDEDIR@", "../../../include"), encoding="utf-8")
    (prefix / "lib/libtvmq_delegate.so").symlink_to(tvmq_delegate.library_path())
    run("cmake", "-S", EXAMPLES / "cpp", "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "build")
    said = run(tmp_path / "build/tvmq_example")
    assert f"tvmq-delegate {tvmq_delegate.__version__}" in said and "a delegate with 1 threads, rounding reference" in said


def test_scripts_and_manifests_can_be_read():
    """Where nothing can be run, at least the parsers agree."""
    run("sh", "-n", EXAMPLES / "gstreamer/classify.sh")
    activity = xml.etree.ElementTree.parse(EXAMPLES / "android/app/src/main/AndroidManifest.xml").find("application/activity")
    assert activity is not None and activity.get("{http://schemas.android.com/apk/res/android}name") == ".MainActivity"
    source = (EXAMPLES / "android/app/src/main/java/org/tvmq/sample/MainActivity.kt").read_text(encoding="utf-8")
    declared = (harness.REPOSITORY / "android/java/org/tvmq/delegate/TvmqDelegate.java").read_text(encoding="utf-8")
    for name in ("Builder", "build", "claimedNodes", "version", "set"):
        assert name in source and f" {name}(" in declared
