"""The console script: what it prints, and that wrong input ends in one line."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import builders
import harness
import pytest
from click.testing import CliRunner, Result
from promise import promised

import tvmq_delegate
from tvmq_delegate import cli, models
from tvmq_delegate.models import zoo

NETWORK = "mobilenet_v1_0.25_128"


def tvmq(*arguments: str | os.PathLike) -> Result:
    return CliRunner().invoke(cli.main, list(map(str, arguments)))


def prints(*arguments: str | os.PathLike) -> str:
    result = tvmq(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def refuses(*arguments: str | os.PathLike) -> str:
    """The one line that a wrong call gets; what an exception would have left is not a line of ours."""
    result = tvmq(*arguments)
    assert result.exit_code == 2 and isinstance(result.exception, SystemExit), (result.output, result.exception)
    lines = result.output.splitlines()
    assert len(lines) == 1 and lines[0].startswith("Error: "), lines
    return lines[0]


@pytest.fixture(scope="session")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("model") / "network.tflite"
    path.write_bytes(zoo.load(NETWORK))
    return path


def test_info() -> None:
    text = prints("info")
    assert tvmq_delegate.__version__ in text and tvmq_delegate.cpu().name in text
    assert all(option.name in text for option in tvmq_delegate.options())


def test_info_json() -> None:
    data = json.loads(prints("info", "--json"))
    assert data["cpu"]["isa"] in {isa["name"] for isa in data["isas"] if isa["available"]}
    assert set(data["runtimes"]) == {runtime.name for runtime in harness.installed()}


def test_nodes_of_a_file(runtime: harness.Runtime, model_file: pathlib.Path) -> None:
    text = prints("nodes", model_file, "--runtime", runtime.name)
    assert text.count("DEPTHWISE_CONV_2D") == 13
    assert f"{model_file} in {runtime.name}: the model graph will be completely executed by the delegate w/ 1 " in text


def test_nodes_json_tells_every_node(runtime: harness.Runtime) -> None:
    data = json.loads(prints("nodes", "--network", NETWORK, "--runtime", runtime.name, "--json"))
    ops = models.ops(zoo.load(NETWORK))
    assert [node["op"] for node in data["nodes"]] == [op.name for op in ops]
    assert [node["macs"] for node in data["nodes"]] == [op.macs for op in ops]
    taken = promised(zoo.load(NETWORK))
    for node in data["nodes"]:
        assert bool(node["packing"]) == (node["packed_bytes"] > 0) == (node["macs"] > 0)
        if (node["subgraph"], node["node"]) in taken:
            assert node["claimed"] and (node["kernel"] or node["algorithm"]) and node["partition"] >= 0 and not node["reason"]
        else:
            assert not node["claimed"] and node["reason"] and not node["kernel"]
    assert data["summary"]["claimed"] == sum(node["claimed"] for node in data["nodes"])


def test_options_are_the_librarys(runtime: harness.Runtime) -> None:
    help_text = " ".join(prints("nodes", "--help").split())
    for option in tvmq_delegate.options():
        assert f"--{option.name.replace('_', '-')}" in help_text
    for spelling in ("--max-delegated-partitions", "--max_delegated_partitions"):
        data = json.loads(prints("nodes", "--network", NETWORK, "--runtime", runtime.name, "--json", spelling, "1", "--isa", "c", "--tune", "in_order"))
        assert data["summary"]["partitions"] == 1 and data["summary"]["isa"] == "c" and data["summary"]["in_order"] is True


@pytest.mark.parametrize("network", [NETWORK, "mobilenet_v2_0.35_96"])  # the second has operators that overwrite what they read
def test_demo_finds_the_network_exact(runtime: harness.Runtime, network: str) -> None:
    text = prints("demo", "--network", network, "--runtime", runtime.name, "--seconds", "0")
    assert "bit-exact against the reference kernels: yes" in text
    assert "time vs tvmq" in text and all(f"\n{name} " in text for name in ("tvmq", "stock", "builtin"))


def test_demo_tells_of_a_difference(runtime: harness.Runtime) -> None:
    """Single rounding is another result than the reference's: the verdict can fail."""
    result = tvmq("demo", "--network", NETWORK, "--runtime", runtime.name, "--seconds", "0", "--rounding", "single")
    assert result.exit_code == 1 and "bit-exact against the reference kernels: NO" in result.output


def test_the_commands_are_functions_of_the_package() -> None:
    """No module of the package has the name of one, and would take its place once it is imported."""
    for name in ("bench", "diff", "nodes"):
        assert name in cli.main.commands and name in tvmq_delegate.__all__ and callable(getattr(tvmq_delegate, name))
        assert importlib.util.find_spec(f"tvmq_delegate.{name}") is None


def test_missing_model() -> None:
    assert "no-such.tflite: No such file" in refuses("nodes", "no-such.tflite")


def test_a_directory_is_no_model(tmp_path: pathlib.Path) -> None:
    assert str(tmp_path) in refuses("nodes", tmp_path)


@pytest.mark.parametrize("part", [0, 3, 8, 0.25, 0.5, 0.9, 0.999, -36])
def test_truncated_model(tmp_path: pathlib.Path, model_file: pathlib.Path, part: float) -> None:
    whole = model_file.read_bytes()
    cut = tmp_path / "cut.tflite"
    cut.write_bytes(whole[: part if isinstance(part, int) else int(len(whole) * part)])
    for command in ("nodes", "demo", "diff", "tune"):
        assert str(cut) in refuses(command, cut)


def test_not_a_model(tmp_path: pathlib.Path) -> None:
    other = tmp_path / "other.tflite"
    other.write_bytes(b"\x7fELF" * 1000)
    refuses("nodes", other)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--num-thread", "2"), "--num-threads"),
        (("--num-threads", "many"), "'many'"),
        (("--rounding", "up"), "reference, upward, single"),
        (("--runtime", "torch"), "'torch'"),
        (("--network", "alexnet"), "'alexnet'"),
        (("a.tflite", "b.tflite"), "b.tflite"),
        (("a.tflite", "--network", NETWORK), "at once"),
    ],
)
def test_wrong_arguments(arguments: tuple[str, ...], told: str) -> None:
    assert told in refuses("nodes", *arguments)


@pytest.mark.parametrize("litert", ["2.1.0", None])
def test_compiled_model_needs_a_litert_that_takes_delegates(monkeypatch: pytest.MonkeyPatch, litert: str | None) -> None:
    def version(name: str) -> str:
        if litert is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return litert

    monkeypatch.delitem(sys.modules, "tvmq_delegate.binding.compiled_model", raising=False)
    monkeypatch.setitem(sys.modules, "ai_edge_litert", None)  # whose modules may lack what is imported from them: the version is told before
    monkeypatch.setattr(importlib.metadata, "version", version)
    line = refuses("nodes", "--network", NETWORK, "--runtime", "compiled_model")
    assert line.endswith("pip install 'ai-edge-litert>=2.2'") and (litert or "CompiledModel is LiteRT's") in line


@pytest.mark.parametrize("command", ["nodes", "bench", "diff", "demo", "tune"])
def test_threads_out_of_range(command: str) -> None:
    assert "num_threads cannot have the value '-3'; allowed: auto, whole numbers from -1 to" in refuses(command, "--num-threads", "-3")


@pytest.mark.parametrize(
    "arguments", [("estimate", "--isa", "c"), ("estimate", "--num-threads", "2"), *((name, "--estimate", "zen5") for name in ("bench", "demo", "diff", "tune"))]
)
def test_options_that_a_command_decides_itself_are_not_taken(arguments: tuple[str, ...]) -> None:
    assert f"No such option '{arguments[1]}'" in refuses(*arguments) and f"{arguments[1]} " not in prints(arguments[0], "--help")


def test_unknown_command() -> None:
    assert "frobnicate" in refuses("frobnicate")


def test_full_delegation_is_refused_with_the_first_node(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    content = builders.build_conv(dtype="float32")
    (tmp_path / "float.tflite").write_bytes(content)
    line = refuses("nodes", tmp_path / "float.tflite", "--runtime", runtime.name, "--require-full-delegation")
    first = next(op for op in models.ops(content) if (op.subgraph, op.index) not in promised(content))
    # The runtime appends a sentence of its own to the delegate's.
    assert f"({first.name})" in line and "not quantized; Restored" in line


def test_as_a_module() -> None:
    done = subprocess.run([*harness.PYTHON, "-m", "tvmq_delegate", "info"], check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout.startswith("tvmq-delegate ")


def test_runtimes_do_not_chatter(tmp_path: pathlib.Path) -> None:
    """Lines that libraries write to stderr are passed on, even when a crash follows. Information of the runtimes is not, but the delegate's own is."""
    (tmp_path / "crash.py").write_text(CRASH)
    done = subprocess.run([*harness.PYTHON, str(tmp_path / "crash.py")], check=False, stderr=subprocess.PIPE, timeout=300)
    assert done.returncode < 0 or done.returncode > 128  # as emulators give signals
    assert [line for line in done.stderr.splitlines() if b"qemu" not in line] == [b"INFO: tvmq-delegate: kept", b"WARNING: kept", b"Python's own", b"last"]


CRASH = """
import os, sys
from tvmq_delegate.cli import chatter
chatter.silence()
os.write(2, b"INFO: Created TensorFlow Lite XNNPACK delegate for CPU.\\nINFO: tvmq-delegate: kept\\nWARNING: kept\\n")
import time; time.sleep(0.5)
print("Python's own", file=sys.stderr)
os.write(2, b"last")
os.abort()
"""


def test_estimate_says_that_a_float_model_has_no_quantized_node(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    (tmp_path / "float.tflite").write_bytes(builders.build_conv(dtype="float32"))
    text = prints("estimate", tmp_path / "float.tflite", "--runtime", runtime.name, "--core", "cortex-a72")
    assert text == f"{tmp_path / 'float.tflite'}: no quantized node; the delegate takes quantized networks, and there is nothing to estimate\n"
