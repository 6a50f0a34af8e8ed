"""A scheduler and boards as processes: what is measured, and what happens when boards die, hang, lie or are strangers."""

from __future__ import annotations

import contextlib
import json
import math
import os
import pathlib
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import fleet_jobs
import pytest
from test_cli import prints, refuses

from tvmq_delegate import models, tuning
from tvmq_delegate.models import zoo

pytest.importorskip("distributed", reason="dask's distributed is not installed: pip install distributed cryptography")

from distributed import Client, LocalCluster, Security  # noqa: E402

from tvmq_delegate import fleet  # noqa: E402

HERE = pathlib.Path(__file__).parent
NAMES = ("a", "b", "c")


@contextlib.contextmanager
def scheduler(security: Security | None = None) -> Iterator[str]:
    protocol = "tls" if security else "tcp"
    with LocalCluster(n_workers=0, processes=False, dashboard_address=":0", protocol=f"{protocol}://", host="127.0.0.1", security=security) as cluster:
        yield cluster.scheduler_address


@contextlib.contextmanager
def shelf(address: str) -> Iterator[None]:
    """Three boards; they are gone in the end, whatever has befallen them."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    command = [sys.executable, "-m", "tvmq_delegate", "board", address]
    processes = [subprocess.Popen([*command, "--name", name], env=environment, stderr=subprocess.DEVNULL) for name in NAMES]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@contextlib.contextmanager
def connected(address: str) -> Iterator[fleet.Boards]:
    """A client to whom no board is in quarantine yet, and who is patient on a busy machine."""
    with pytest.MonkeyPatch.context() as patch, fleet.connect(address, timeout=300) as found:
        patch.setattr("tvmq_delegate.fleet.client.LIST_SECS", 300.0)
        found.client.wait_for_workers(len(NAMES), timeout=300)
        found.grace_secs = 60.0
        yield found


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with scheduler() as found, shelf(found):
        yield found


@pytest.fixture
def boards(address: str) -> Iterator[fleet.Boards]:
    with connected(address) as found:
        yield found


@pytest.fixture
def mortal_boards() -> Iterator[fleet.Boards]:
    with scheduler() as address, shelf(address), connected(address) as found:
        yield found


def job(n: int, boards: tuple[str, ...] = NAMES, seconds: float = 1.0) -> fleet.Job:
    return fleet.Job("bench", f"model {n}", f"{n:064}", boards, seconds, 1, {})


def test_boards_describe_themselves(boards):
    listed = boards.listed()
    assert [item.name for item in listed] == list(NAMES)
    version, kernels, isa = fleet.identity()
    assert all(item.runtimes and item.cpu and not item.mismatches(version, kernels, isa) for item in listed)
    assert listed[0].mismatches("0.0.0", "", isa) == [f"tvmq-delegate {version} there, 0.0.0 here"]
    assert listed[0].mismatches(version, "", isa) == ["another build of the kernels there than here"]
    assert not listed[0].mismatches(version, "", "neon" if isa not in ("neon", "dotprod", "i8mm") else "avx2"), "another architecture has other kernels"
    assert boards.select("name=b,isa=*") == [listed[1]]
    with pytest.raises(ValueError, match="no board matches 'cpu=Z80'; there are: a "):
        boards.select("cpu=Z80")
    with pytest.raises(ValueError, match="'sort=new' is not FIELD=PATTERN"):
        boards.select("sort=new")


def test_boards_are_there_whatever_dask_keeps(boards, monkeypatch):
    """dask's client replaces what it knows of the scheduler by an answer without workers, now and then."""

    async def emptied(self, n_workers=0):
        self._scheduler_identity = {"workers": {}}

    monkeypatch.setattr(Client, "_update_scheduler_info", emptied)
    assert sorted(info["name"] for info in boards.workers().values()) == list(NAMES)


def test_whichever_is_free(boards, tmp_path):
    """Each board is at work while the others are."""
    outcomes = list(boards.run([(job(n), bytes(tmp_path)) for n in range(30)], fleet_jobs.meets))
    assert sorted(outcome.job.model for outcome in outcomes) == sorted(f"model {n}" for n in range(30))
    assert {outcome.measured.board for outcome in outcomes} == set(NAMES)
    assert not any(outcome.attempts or outcome.suspect for outcome in outcomes)


@pytest.mark.parametrize("fate, why", [("error", "lost"), ("raises", "OSError: the board's disk is full")])
def test_failures(boards, fate, why):
    check_fate(boards, fate, why)


@pytest.mark.parametrize("fate, why", [("SIGKILL", "the board "), ("SIGSTOP", "the board hangs")])
def test_deaths(mortal_boards, fate, why):
    mortal_boards.grace_secs = 4.0
    check_fate(mortal_boards, fate, why)


def check_fate(boards: fleet.Boards, fate: str, why: str) -> None:
    """Every job has one outcome, and the one that the board spoilt was done by another."""
    todo = [(job(n), b"b=" + fate.encode() if n == 4 else b"=") for n in range(12)] + [(job(12, ("b", "a")), b"b=" + fate.encode())]
    outcomes = list(boards.run(todo, fleet_jobs.suffers))
    assert sorted(outcome.job.model for outcome in outcomes) == sorted(f"model {n}" for n in range(13))
    assert all(outcome.measured and not outcome.measured.error for outcome in outcomes)
    assert len({outcome.measured.key for outcome in outcomes}) == 13
    told = [(name, what) for outcome in outcomes for name, what in outcome.attempts]
    assert all(name == "b" and what.startswith(why) for name, what in told), told
    assert told or fate == "SIGKILL" or all(outcome.measured.board != "b" for outcome in outcomes[-1:])


def test_hot_board(boards):
    """Its figures are measured again elsewhere, and it gets no more work."""
    cold = [(job(n, ("b",)), b"=") for n in range(2)]
    list(boards.run(cold, fleet_jobs.suffers))  # how fast it is when it is cold
    outcomes = list(boards.run([(job(n, ("b", "c")), b"b=hot") for n in range(6)], fleet_jobs.suffers))
    assert all(outcome.measured.board == "c" and not outcome.suspect for outcome in outcomes)
    assert "5.00x its fastest time on b" in boards.quarantined["b"]
    with pytest.raises(ValueError, match="no board matches"):
        boards.select("name=b")


def test_a_hung_board_comes_back(mortal_boards):
    """It is in quarantine while it hangs, and gets work once its reference task is as fast as it was."""
    boards = mortal_boards
    boards.grace_secs, boards.recheck_secs = 4.0, 0.5
    pid = boards.client.run(os.getpid, workers=[item.address for item in boards.listed() if item.name == "b"])
    outcomes = []
    for outcome in boards.run([(job(n, ("a", "b")), b"b=SIGSTOP" if n == 0 else b"=") for n in range(400)], fleet_jobs.suffers, fleet_jobs.cold):
        outcomes.append(outcome)
        if "b" in boards.quarantined:
            os.kill(*pid.values(), signal.SIGCONT)
    assert len(outcomes) == 400 and all(outcome.measured for outcome in outcomes)
    stopped = [outcome for outcome in outcomes if outcome.attempts]
    if stopped:  # else it was a that took the job
        assert "b" in boards.returned and not boards.quarantined
        assert any(outcome.measured.board == "b" for outcome in outcomes), "its first job hung, so that what it has measured came after its return"


@contextlib.contextmanager
def scheduler_process(port: int) -> Iterator[subprocess.Popen]:
    """A scheduler that can be killed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    command = [sys.executable, "-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_scheduler_that_restarts():
    """It is killed in the midst of a session: boards and client find the one that follows."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    with contextlib.ExitStack() as stack:
        process = stack.enter_context(scheduler_process(port))
        stack.enter_context(shelf(address))
        boards = stack.enter_context(connected(address))
        outcomes, todo = [], [(job(n), b"0.05") for n in range(40)]
        for outcome in boards.run(todo, fleet_jobs.sleeps):
            outcomes.append(outcome)
            if len(outcomes) == 10:
                process.kill()
                process.wait()
                process = stack.enter_context(scheduler_process(port))
        assert sorted(outcome.job.id for outcome in outcomes) == sorted(given.id for given, _ in todo)
        assert all(outcome.measured for outcome in outcomes), [outcome for outcome in outcomes if not outcome.measured]


def test_a_full_disk_at_the_client(boards):
    """An error in one line, and the boards are free again."""
    with pytest.raises(OSError, match="No space left"):
        fleet.tune(boards, [(b"a model", "model")], boards.listed(), out="/dev/full", perform=fleet_jobs.records)
    assert len(list(boards.run([(job(n), b"0") for n in range(3)], fleet_jobs.sleeps))) == 3


def test_nothing_works(boards):
    boards.grace_secs = 1.0
    (outcome,) = boards.run([(job(0), b"")], fleet_jobs.fails)
    assert outcome.measured is None and sorted(outcome.attempts) == [(name, "nothing works here") for name in NAMES]
    (cell,) = fleet.tabulate([outcome]).cells
    assert cell.problems == ("bench: nothing works here",) and not fleet.tabulate([outcome]).passed
    (outcome,) = boards.run([(job(1, ("elsewhere",)), b"")], fleet_jobs.fails)
    assert outcome.measured is None and outcome.attempts == (("elsewhere", "no such board is there, or it is in quarantine"),)


def test_two_clients(boards):
    with connected(boards.client.scheduler.address) as other:
        mine, theirs = boards.run([(job(n), b"0.05") for n in range(6)], fleet_jobs.sleeps), other.run([(job(n), b"0.05") for n in range(6)], fleet_jobs.sleeps)
        found = [*mine, *theirs]
    assert len(found) == 12 and all(outcome.measured for outcome in found)


def test_strangers(tmp_path):
    """Who has a certificate of another authority gets no connection; without one, nothing beyond this machine is tried."""
    for name in ("ours", "theirs"):
        fleet.make_certificates(tmp_path / name, ["board.example", "10.1.2.3"])
    with pytest.raises(FileExistsError):
        fleet.make_certificates(tmp_path / "ours")
    assert (tmp_path / "ours/key.pem").stat().st_mode & 0o077 == 0
    with scheduler(fleet.security(tmp_path / "ours")) as address:
        assert address.startswith("tls://")
        with fleet.connect(address, security=fleet.security(tmp_path / "ours")) as found:
            assert found.listed() == []
        with pytest.raises(OSError):
            fleet.connect(address, security=fleet.security(tmp_path / "theirs"), timeout=2)
        with pytest.raises(ValueError, match="wants certificates"):
            fleet.connect(address)
    with pytest.raises(ValueError, match="is beyond this machine"):
        fleet.connect("tcp://192.0.2.1:8786")


def test_commands(tmp_path, monkeypatch):
    """`tvmq fleet bench local`, then once more with a table that was faster. A busy machine is no fault here."""
    monkeypatch.setattr("tvmq_delegate.fleet.client.SPREAD", math.inf)
    monkeypatch.setattr("tvmq_delegate.fleet.client.FIRST_SECS", 300.0)
    path, table, page = tmp_path / "small.tflite", tmp_path / "table.json", tmp_path / "table.html"
    path.write_bytes(models.cut(zoo.load("mobilenet_v1_0.25_128"), 2))
    done = prints("fleet", "bench", "local", path, "--json", table, "--html", page, "--csv", tmp_path / "table.csv")
    assert "small.tflite" in done and "yes" in done
    (cell,) = json.loads(table.read_text(encoding="utf-8"))["cells"]
    assert cell["exact"] is True and cell["taken"] == cell["nodes"] == 1 and cell["ms"].keys() == {"tvmq", "stock"} and not cell["problems"]
    assert "small.tflite" in page.read_text(encoding="utf-8")
    assert (tmp_path / "table.csv").read_text(encoding="utf-8").startswith("model,sha256,board,")
    found = fleet.Table((fleet.Cell(**{**cell, "problems": (), "ms": {"tvmq": cell["ms"]["tvmq"] * 3}}),))
    (regression,) = fleet.regressions(fleet.earlier(table), found, 10)
    assert regression.ratio == pytest.approx(3) and not fleet.regressions(fleet.earlier(table), found, 250)


def test_what_is_refused_before_anything_is_measured(tmp_path):
    path, other = _written(tmp_path, zoo.load("mobilenet_v1_0.25_128")), tmp_path / "other.json"
    other.write_text("{}", encoding="utf-8")
    assert "not written by tvmq fleet bench" in refuses("fleet", "bench", "tcp://127.0.0.1:1", path, "--compare", other)
    assert "nowhere.tflite" in refuses("fleet", "bench", "tcp://127.0.0.1:1", "nowhere.tflite")
    other.write_bytes(path.read_bytes()[:400])
    assert f"{other}: " in refuses("fleet", "bench", "tcp://127.0.0.1:1", path, other)
    assert "--fail-above needs --compare" in refuses("fleet", "bench", "tcp://127.0.0.1:1", path, "--fail-above", "5")
    assert "'' is not the address" in refuses("board", "")
    assert "--fleet" in refuses("tune", path, "--boards", "name=a")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert f"port {taken.getsockname()[1]}: " in refuses("fleet", "local", "--port", str(taken.getsockname()[1]))


def test_tune(boards, tmp_path):
    """Three boards of a kind measure a third of the choices each, and one proves what they have found. A busy machine is no fault here."""
    path, out = _written(tmp_path, zoo.load("mobilenet_v1_0.25_128")), tmp_path / "records.jsonl"
    boards.spread = math.inf
    (found,) = fleet.tune(boards, [path], boards.select(), out=out, trials=6, seconds=600)
    assert not found.problems and found.records == len(out.read_text(encoding="utf-8").splitlines())
    records, skipped = tuning.read_records([out])
    assert not skipped and len({record.choice for record in records}) >= 3, records
    assert found.gain == 0 or any(record.proven for record in records)


def test_a_measurement_that_hangs(tmp_path):
    """It is ended when its time is over, on the board itself."""
    from tvmq_delegate.fleet import work

    source = zoo.load("mobilenet_v1_0.25_128")
    ((given, _),) = fleet.jobs([_written(tmp_path, source)], [fleet_board()], kinds=["bench"], seconds=0.05)
    found = work.perform(given, source, "here")
    assert found.error == "not finished within 0.05 seconds" and not found.ms
    assert work.perform(given, source + b"\0", "here").error == "the model's bytes are not those that were announced"


def test_a_measurement_that_dies(tmp_path, monkeypatch):
    """The client learns how, and what it said last."""
    from tvmq_delegate.fleet import work

    assert fleet.opened("mobilenet_v1_0.25_32_uint8")[1] == "mobilenet_v1_0.25_32_uint8"  # networks of the zoo by any name that it takes
    ((given, source),) = fleet.jobs([_written(tmp_path, zoo.load("mobilenet_v1_0.25_128"))], [fleet_board()], kinds=["diff"])
    monkeypatch.setattr(work, "Desk", fleet_jobs.Dying)
    found = work.perform(given, source, "here")
    assert found.error.startswith("the process of 'diff' of ") and found.error.endswith(" was ended by SIGABRT: the last words")


def fleet_board() -> fleet.Board:
    return fleet.Board("here", "", "", "", 1, "", "", "", "", "", {})


def _written(folder: pathlib.Path, source: bytes) -> pathlib.Path:
    path = folder / "model.tflite"
    path.write_bytes(source)
    return path


def test_ctrl_c_ends_a_local_fleet():
    """All processes of the terminal hear it, and one says so."""
    command = [sys.executable, "-m", "tvmq_delegate", "fleet", "local", "--port", "0"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, start_new_session=True)
    try:
        assert process.stdout and "is a fleet of 1" in process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        said, _ = process.communicate(timeout=300)
    finally:
        process.kill()
    others = [line for line in said.splitlines() if "Worker process still alive" not in line]  # dask's, on a busy machine
    assert (process.returncode, others) == (130, ["Interrupted"])


def test_interrupted_board():
    """Ctrl-C ends a board at once."""
    with scheduler() as address:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        process = subprocess.Popen([sys.executable, "-m", "tvmq_delegate", "board", address], env=environment, stderr=subprocess.PIPE, text=True)
        with fleet.connect(address, timeout=300) as found:
            found.client.wait_for_workers(1, timeout=300)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=300) == 130, process.stderr.read()
