"""`tvmq bench` and its data: what is measured, what it says, which errors it makes. Nothing depends on how fast anything is."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
import pathlib
import re
import shutil
import signal

import builders
import harness
import numpy as np
import pytest
from test_cli import prints, refuses, tvmq

import tvmq_delegate
from tvmq_delegate import measure, models
from tvmq_delegate.binding import interpreter_threads
from tvmq_delegate.measure import op_times, runner
from tvmq_delegate.models import zoo
from tvmq_delegate.reports import bench as report
from tvmq_delegate.reports import benchmark_model, trace
from tvmq_delegate.sessions import WorkerDied, contenders

NETWORK = "mobilenet_v1_0.25_128"
QUICK = measure.Settings(num_runs=3, min_secs=0, warmup_runs=2, warmup_min_secs=0)
FLAGS = ("--num-runs", "3", "--min-secs", "0", "--warmup-runs", "2", "--warmup-min-secs", "0")


# ---- data


def test_results(benchmark: measure.Benchmark) -> None:
    tvmq, stock = benchmark.results
    assert (tvmq.name, stock.name, benchmark.num_threads) == ("tvmq", "stock", 2)
    assert tvmq.ratio is None and stock.ratio and stock.ratio.value > 0 and stock.ratio.rounds >= 1
    for result in benchmark.results:
        times, memory = result.latency_metrics, result.memory_metrics
        assert result.misc_metrics.num_runs >= 3 and result.misc_metrics.num_warmup_runs >= 2
        assert 0 < times.min_ms <= times.median_ms <= times.p95_ms <= times.max_ms and times.init_ms > 0 and times.first_inference_ms > 0
        assert memory.peak_mem_mb > 0
    assert tvmq.memory_metrics.packed_bytes == benchmark.delegation.summary.packed_bytes > 0 == stock.memory_metrics.packed_bytes


def runs(op: measure.OpProfileData) -> bool:
    """Whether the delegate computes it: a RESHAPE that is a view of its input takes no time."""
    return op.claimed and op.algorithm != "view"


def test_every_node_has_its_row(benchmark: measure.Benchmark) -> None:
    ops = models.ops(zoo.load(NETWORK))
    assert [(op.run_order, op.node_type, op.macs) for op in benchmark.op_profile] == [(op.index, op.name, op.macs) for op in ops]
    for op in benchmark.op_profile:
        assert set(op.alone_us) == {"tvmq", "stock"} and min(op.alone_us.values()) > 0
        assert op.claimed == bool(op.kernel or op.algorithm) == (not op.reason) == (op.speedup("stock") is not None)
        assert (op.inference_microseconds is not None) == runs(op)
        if op.algorithm == "view":
            assert op.node_type == "RESHAPE" and op.p25_us == op.median_us == op.p75_us == 0
        else:
            assert 0 < op.p25_us <= op.median_us <= op.p75_us
        assert op.us == (op.least_us if benchmark.busy else op.median_us) and op.least_us <= op.p25_us
        if runs(op):
            assert op.inference_microseconds.count == 3 and op.bytes > op.mem_kb * 1024
            assert (op.gmacs_per_second > 0) == (op.mem_kb > 0) == ("CONV_2D" in op.node_type)
            assert op.inference_microseconds.min <= op.median_us <= op.inference_microseconds.max
            assert op.gmacs_per_second == pytest.approx(op.macs / op.us / 1e3)
            assert op.share_of_peak == pytest.approx(op.gmacs_per_second * 1e9 / benchmark.peak.macs_per_second)


def test_sums_are_reconciled(benchmark: measure.Benchmark) -> None:
    sums = benchmark.reconciliation
    assert sums.inferences == len(benchmark.profiled.runs_ns) == 3
    assert sum(op.least_us for op in benchmark.op_profile if op.claimed) <= 1.001 * sums.claimed_us
    assert sums.left_us == pytest.approx(sum(op.alone_us["tvmq"] for op in benchmark.op_profile if not op.claimed))
    assert sums.claimed_us + sums.left_us + sums.rest_us == pytest.approx(sums.inference_us)


def test_rule_of_runs(runtime: harness.Runtime, one_conv: pathlib.Path) -> None:
    settings = measure.Settings(num_runs=7, min_secs=0, warmup_runs=4, warmup_min_secs=0)
    (result,) = measure.bench(one_conv, runtime=runtime.name, settings=settings).results
    assert (result.misc_metrics.num_runs, result.misc_metrics.num_warmup_runs) == (7, 4)
    (result,) = measure.bench(one_conv, runtime=runtime.name, settings=dataclasses.replace(settings, max_secs=0)).results
    assert result.misc_metrics.num_runs == 1


def test_automatic_threads_are_the_delegate_s(runtime: harness.Runtime, one_conv: pathlib.Path) -> None:
    """Others have the most that it uses."""
    for found in (
        measure.bench(one_conv, runtime=runtime.name, settings=QUICK, num_threads="auto", against=["stock"]),
        measure.bench(one_conv, runtime=runtime.name, settings=QUICK, sweep=("num_threads", ["auto", "1"])),
    ):
        assert len(found.results) == 2 and found.num_threads == interpreter_threads("auto")
    assert f"{found.num_threads} thread" in prints("bench", one_conv, "--runtime", runtime.name, *FLAGS, "--num-threads", "auto", "--against", "stock")


def test_another_build_of_the_delegate(runtime: harness.Runtime, one_conv: pathlib.Path, tmp_path: pathlib.Path) -> None:
    before = str(shutil.copy(tvmq_delegate.library_path(), tmp_path / "before.so"))
    found = measure.bench(one_conv, runtime=runtime.name, settings=QUICK, against=[before, "stock"], isa="c")
    assert [result.name for result in found.results] == ["tvmq", before, "stock"] and found.results[1].memory_metrics.packed_bytes
    (tmp_path / "broken.so").write_text("no library")
    command = ("bench", one_conv, "--runtime", runtime.name, *FLAGS, "--against")
    assert "broken.so" in refuses(*command, tmp_path / "broken.so") and "no such library" in refuses(*command, tmp_path / "nowhere.so")
    assert "TVMQ_LIBRARY" in refuses("diff", one_conv, "--runtime", runtime.name, "--contenders", f"tvmq,{before}")


def test_sweep_sets_the_delegate_against_itself(runtime: harness.Runtime, one_conv: pathlib.Path) -> None:
    swept = measure.bench(one_conv, runtime=runtime.name, settings=QUICK, sweep=("isa", ["c", "auto"]))
    assert [result.name for result in swept.results] == ["isa=c", "isa=auto"] and swept.results[1].ratio
    assert swept.delegation.summary.isa == "c"


def test_a_model_of_which_nothing_is_taken(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    (tmp_path / "float.tflite").write_bytes(builders.build_conv(dtype="float32"))
    paths = ("--trace", tmp_path / "t.json", "--csv", tmp_path / "o.csv")
    text = prints("bench", tmp_path / "float.tflite", "--runtime", runtime.name, "--enable_op_profiling", *FLAGS, *paths)
    assert "not be executed by the delegate" in text and "CONV_2D" in text
    assert {event["cat"] for event in json.loads((tmp_path / "t.json").read_text())["traceEvents"] if event["ph"] == "X"} == {"inference"}


def test_inputs_are_fed(runtime: harness.Runtime, one_conv: pathlib.Path) -> None:
    shape = models.ops(one_conv)[0].inputs[0].shape
    assert measure.bench(one_conv, runtime=runtime.name, settings=QUICK, inputs=[np.zeros(shape, np.int8)]).results
    with pytest.raises(ValueError):
        measure.bench(one_conv, runtime=runtime.name, settings=QUICK, inputs=[])


# ---- processes


@pytest.fixture
def job(runtime: harness.Runtime, one_conv: pathlib.Path) -> runner.Job:
    return runner.Job("tvmq", contenders.Contender("tvmq"), one_conv.read_bytes(), runtime.name, 1)


def test_a_dead_process_is_told(job: runner.Job) -> None:
    with job.worker() as process:
        process.call("open")
        os.kill(process.process.pid, signal.SIGKILL)
        with pytest.raises(WorkerDied, match="contender 'tvmq' was ended by SIGKILL"):
            process.call("run", runner.Limits(1, 0, 1), -1.0, 1.0, False)


def test_errors_cross_processes(job: runner.Job) -> None:
    with job.worker() as process:
        with pytest.raises(ValueError, match="operator 99 does not exist"):
            process.call("open_ops", [99])
        assert process.call("open").summary.claimed == 1  # and goes on
    with pytest.raises(ValueError, match="unknown TFLite runtime"):
        dataclasses.replace(job, runtime="torch").worker()


def test_a_contender_that_cannot_run_the_model_is_left_out(runtime: harness.Runtime, tmp_path: pathlib.Path) -> None:
    """The runtimes' own kernels read a bias that is not there; the delegate's times are told all the same."""
    path = tmp_path / "net.tflite"
    path.write_bytes(builders.build_depthwise(bias=False))
    text = prints("bench", path, "--runtime", runtime.name, "--against", "stock", *FLAGS)
    assert "\nstock is left out: node 0 (DEPTHWISE_CONV_2D) has no bias" in text and "\ntvmq " in text
    assert "stock is left out" in prints("demo", path, "--runtime", runtime.name, "--seconds", "0")
    assert "a sequence of names, not 'stock'" in str(pytest.raises(ValueError, measure.bench, path, runtime=runtime.name, against="stock").value)


class _Inside:
    """A worker that is no process. Stock makes an interpreter of the model and does not run it."""

    def __init__(self, job: runner.Job) -> None:
        self.job, self.runner = job, runner.Runner(job)

    def __enter__(self) -> _Inside:
        return self

    def __exit__(self, *raised: object) -> None:
        pass

    def call(self, method: str, *arguments: object) -> object:
        if method == "run" and self.job.name == "stock":
            raise RuntimeError("nothing runs")
        return getattr(self.runner, method)(*arguments)


def test_a_contender_that_fails_when_it_runs_is_left_out(job: runner.Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner.Job, "worker", lambda job: _Inside(job))
    found = measure.bench(job.source, runtime=job.runtime, settings=QUICK, against=["stock", "builtin"])
    assert [result.name for result in found.results] == ["tvmq", "builtin"] and found.absent == {"stock": "nothing runs"}
    assert [(result.misc_metrics.num_warmup_runs, result.misc_metrics.num_runs) for result in found.results] == [(2, 3), (2, 3)]


class _Mortal:
    """A worker that dies of operator 1 and refuses operator 2."""

    def __init__(self) -> None:
        self.dead = False

    def call(self, method: str, *arguments: object) -> object:
        assert not self.dead
        if method == "run":
            return [5, 7, 9], 0.1
        if arguments[0] == 1:
            self.dead = True
            raise WorkerDied("gone")
        if arguments[0] == 2:
            raise RuntimeError("no")
        return None


def test_an_operator_that_ends_the_process_has_no_time() -> None:
    workers, restarted = [_Mortal()], []

    def restart(i: int) -> _Mortal:
        restarted.append(i)
        return _Mortal()

    rows = [op_times.time_op(index, workers, restart) for index in range(4)]
    assert [bool(runs) for (runs,) in rows] == [True, False, False, True] and restarted == [0]
    assert rows[0] == [[5, 7, 9] * op_times.ROUNDS]


# ---- formats


def test_parsable_lines(benchmark: measure.Benchmark) -> None:
    timings, phases, memory, peak = benchmark_model.lines(benchmark.results[0])
    number = r"[\d.]+(e\+\d+)?"
    assert re.fullmatch(rf"Timings \(microseconds\): count=\d+ first=\d+ curr=\d+ min=\d+ max=\d+ avg={number} std=\d+", timings)
    assert re.fullmatch(rf"Inference timings in us: Init: \d+, First inference: \d+, Warmup \(avg\): {number}, Inference \(avg\): {number}", phases)
    assert re.fullmatch(r"Memory footprint delta from the start of the tool \(MB\): init=-?[\d.]+ overall=-?[\d.]+", memory)
    assert re.fullmatch(r"Overall peak memory footprint \(MB\): [\d.]+", peak)


def test_csv(benchmark: measure.Benchmark) -> None:
    rows = list(csv.reader(io.StringIO(benchmark_model.op_csv(benchmark))))
    assert rows[0][:8] == ["node type", "first", "avg_ms", "%", "cdf%", "mem KB", "times called", "name"]
    assert len(rows) == 1 + len(benchmark.op_profile) and {len(row) for row in rows} == {len(rows[0])}
    assert sum(float(row[3]) for row in rows[1:]) == pytest.approx(100, abs=0.1) and float(rows[-1][4]) == pytest.approx(100, abs=0.1)
    assert rows[0][-2:] == ["alone_us tvmq", "alone_us stock"] and all(float(row[-1]) > 0 for row in rows[1:])


@pytest.mark.parametrize("width", [80, 100, 110, 120, 160, 200])
def test_tables_fit_the_terminal(benchmark: measure.Benchmark, width: int) -> None:
    stream = io.StringIO()
    console = terminal_console(stream, width)
    for table in (report.contenders, report.run_order, report.top, report.by_type):
        console.print(table(benchmark, width))
    lines = stream.getvalue().splitlines()
    assert max(len(line) for line in lines) <= width
    names = [op.node_type for op in benchmark.op_profile]
    assert sum(any(name in line.split() for name in names) for line in lines) == len(names) + report.TOP + len(set(names))  # none is folded
    assert any("vs stock" in line for line in lines)
    assert "alone, stock: the least as a model of its own" in report.legend(benchmark)


def terminal_console(stream: io.StringIO, width: int) -> object:
    from rich.console import Console

    return Console(file=stream, width=width, highlight=False, markup=False)


def test_trace_has_a_track_for_each_thread(benchmark: measure.Benchmark) -> None:
    data = json.loads(json.dumps(trace.trace(benchmark)))
    events = [event for event in data["traceEvents"] if event["ph"] == "X"]
    tracks = {event["tid"]: event["args"]["name"] for event in data["traceEvents"] if event["name"] == "thread_name"}
    assert tracks[0] == "inferences" and "thread 0" in tracks[1] and {event["tid"] for event in events} == set(tracks)
    inferences = [event for event in events if event["cat"] == "inference"]
    assert inferences and all(event["ts"] >= 0 and event["dur"] >= 0 for event in events)
    claimed = sum(map(runs, benchmark.op_profile))
    for inference in inferences:
        end = inference["ts"] + inference["dur"] + 0.01
        inside = [event for event in events if inference["ts"] - 0.01 <= event["ts"] and event["ts"] + event["dur"] <= end]
        assert sum(event["cat"] == "node" for event in inside) == claimed
    with pytest.raises(ValueError, match="profiled"):
        trace.trace(dataclasses.replace(benchmark, profiled=None))


# ---- the command


def test_command(runtime: harness.Runtime, one_conv: pathlib.Path) -> None:
    text = prints("bench", one_conv, "--runtime", runtime.name, "--against", "stock,reference", *FLAGS)
    assert text.count("Inference timings in us: ") == 3 and "time vs tvmq" in text and "completely executed by the delegate" in text
    assert "Run Order" not in text


def test_command_writes_its_files(runtime: harness.Runtime, one_conv: pathlib.Path, tmp_path: pathlib.Path) -> None:
    names = ("o.csv", "t.json", "r.json", "nodes.txt")
    paths = dict(zip(("--csv", "--trace", "--result_file_path", "--op_profiling_output_file"), (tmp_path / name for name in names)))
    arguments = [argument for pair in paths.items() for argument in pair]
    data = json.loads(prints("bench", one_conv, "--runtime", runtime.name, "--json", *FLAGS, *arguments[:6]))
    assert data == json.loads((tmp_path / "r.json").read_text())
    assert data["op_profile"][0]["node_type"] == "CONV_2D" and data["peak"]["macs_per_second"] > 0
    assert len((tmp_path / "o.csv").read_text().splitlines()) == 2 and json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    nodes = tvmq("bench", one_conv, "--runtime", runtime.name, *FLAGS, *arguments[6:])
    assert f"{tmp_path / 'nodes.txt'}: written" in nodes.stderr and "Run Order" not in nodes.stdout and "Run Order" in (tmp_path / "nodes.txt").read_text()
    assert "the machine's peak" in (tmp_path / "nodes.txt").read_text()
    files = ("--compare", tmp_path / "r.json", tmp_path / "r.json")
    assert "within the noise" in prints("bench", *files)
    same = json.loads(prints("bench", *files, "--json"))
    assert same["warnings"] == [] and [change["ratio"] for change in same["contenders"]] == [1] and same == json.loads(prints("bench", "--json", *files))


def test_csv_on_stdout(runtime: harness.Runtime, one_conv: pathlib.Path) -> None:
    text = prints("bench", one_conv, "--runtime", runtime.name, "--op_profiling_output_mode", "csv", *FLAGS)
    assert "\nnode type,first,avg_ms," in text and "Run Order" not in text


def test_dry_run(runtime: harness.Runtime, one_conv: pathlib.Path) -> None:
    data = json.loads(prints("bench", one_conv, "--runtime", runtime.name, "--dry_run", "--json", "--enable_op_profiling"))
    (result,) = data["results"]
    assert result["misc_metrics"]["num_runs"] == 0 and result["latency_metrics"]["init_ms"] > 0 and not data["op_profile"]
    printed = prints("bench", one_conv, "--runtime", runtime.name, "--dry-run", "--against", "stock")
    assert "init ms" in printed and "memory MB" in printed and "median ms" not in printed and "time vs" not in printed


def test_value_files(runtime: harness.Runtime, one_conv: pathlib.Path, tmp_path: pathlib.Path) -> None:
    fed = models.ops(one_conv)[0].inputs[0]
    values = np.zeros(fed.shape, np.int8)
    np.save(tmp_path / "x.npy", values)
    (tmp_path / "x.raw").write_bytes(values.tobytes())
    (tmp_path / "short.raw").write_bytes(b"1234")
    command = ("bench", one_conv, "--runtime", runtime.name, *FLAGS, "--input_layer_value_files")
    for given in (tmp_path / "x.npy", f"{fed.name}:{tmp_path / 'x.npy'}", f"{fed.name}:{tmp_path / 'x.raw'}"):
        assert "Inference timings in us" in prints(*command, given)
    assert "4 bytes" in refuses(*command, f"{fed.name}:{tmp_path / 'short.raw'}")
    assert fed.name in refuses(*command, f"other:{tmp_path / 'x.raw'}")
    assert "No such file" in refuses(*command, f"{fed.name}:{tmp_path / 'none.raw'}")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--against", "xnnpack"), "'xnnpack'"),
        (("--against", "stock,tvmq"), "tvmq is what the others are set against"),
        (("--sweep", "num_threads"), "'num_threads'"),
        (("--sweep", "isa=c,c"), "each value once"),
        (("--sweep", "threads=1,2"), "threads"),
        (("--sweep", "num_threads=1,many"), "'many'"),
        (("--sweep", "isa=c", "--against", "stock"), "without other contenders"),
        (("--sweep", "=1"), "'=1'"),
        (("--dry-run", "--csv", "x.csv"), "--dry-run"),
        (("--num-runs", "-1"), "num_runs"),
        (("--max-secs", "-1"), "max_secs"),
        (("--min-secs", "nan"), "min_secs"),
        (("--min-secs", "-1"), "min_secs"),
        (("--warmup-min-secs", "-1"), "warmup_min_secs"),
        (("--num-runs", "many"), "'many'"),
        (("--num-threads", "many"), "'many'"),
        (("--csv", "/no/such/folder/x.csv"), "folder"),
        (("--trace", "/"), "is a directory"),
        (("--require-full-delegation", "--min-nodes-per-partition", "2"), "would be left to the runtime"),
        (("--compare", "a.json", "b.json"), "--compare takes two JSON files, and no model"),
        (("no-such.tflite",), "No such file"),
    ],
)
def test_wrong_arguments(runtime: harness.Runtime, one_conv: pathlib.Path, arguments: tuple[str, ...], told: str) -> None:
    where = () if {"--network", "no-such.tflite"} & set(arguments) else (one_conv,)
    assert told in refuses("bench", *where, "--runtime", runtime.name, *arguments)


def test_help_has_benchmark_models_flags() -> None:
    text = tvmq("bench", "--help").output
    for flag in ("num-runs", "min-secs", "max-secs", "warmup-runs", "warmup-min-secs", "run-delay", "enable-op-profiling", "dry-run", "result-file-path"):
        assert f"--{flag} " in text or f"--{flag}\n" in text
    assert tvmq_delegate.options()[0].name.replace("_", "-") in text
