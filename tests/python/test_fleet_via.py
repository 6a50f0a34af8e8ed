"""Boards without Python, by `tvmq board --via`: ways there, what the program writes, and faults of it."""

from __future__ import annotations

import json
import math
import os
import pathlib
import stat
import subprocess
import sys
from collections.abc import Iterator

import pytest
from test_cli import refuses
from test_fleet import connected, scheduler

from tvmq_delegate import tuning
from tvmq_delegate.models import zoo

pytest.importorskip("distributed", reason="dask's distributed is not installed: pip install distributed cryptography")

from tvmq_delegate import fleet  # noqa: E402

pytestmark = pytest.mark.skipif(fleet.beside_library() is None, reason="tvmq-measure is not beside the library")
CONV = "CONV_2D in=s8[1,8,8,16] filter=s8[3,3,16] out=s8[8,8,24] stride=1,1 dilation=1,1 pad=1,1"


def script(path: pathlib.Path, text: str) -> pathlib.Path:
    path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


# Stand-ins for adb and ssh: files and programs of the board are in a folder of this machine.
ADB = """
import pathlib, shutil, subprocess, sys
board, words = pathlib.Path(__file__).parent, sys.argv[1:]
assert words[:2] == ["-s", "my phone; rm -rf /"], words
where = lambda path: str(board / path.lstrip("/"))
if words[2] == "push":
    pathlib.Path(where(words[4])).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(words[3], where(words[4]))
else:
    assert words[2] == "shell"
    sys.exit(subprocess.run([where(word) if word.startswith("/data") else word for word in words[3:]], check=False).returncode)
"""
SSH = """
import pathlib, subprocess, sys
assert sys.argv[1:4] == ["-p", "2222", "pi@host"], sys.argv
sys.exit(subprocess.run(" ".join(sys.argv[4:]), shell=True, cwd=pathlib.Path(__file__).parent, check=False).returncode)
"""


@pytest.mark.parametrize("name, text, words", [("adb", ADB, "-s 'my phone; rm -rf /' shell"), ("ssh", SSH, "-p 2222 pi@host"), ("env", "", "")])
def test_ways_there(tmp_path, name, text, words):
    """By adb, by ssh, and in place; names are words, whatever is in them."""
    command = str(script(tmp_path / name, text)) if text else name
    plugin = fleet.proxy(f"{command} {words}", fleet.beside_library())
    assert plugin.about.isa and plugin.about.count >= 1
    answers = plugin.program.run([{"steps": [fleet.step(CONV)], "repeats": 1, "compare": True}], 20)
    assert answers.lines[0]["steps"][0]["exact"] is True


def test_ways_that_lead_nowhere(tmp_path):
    ends = {"nowhere/at/all": "cannot be run", "false": "ended with exit code 1", "true": "wrote nothing", "adb -s x": "needs its command shell"}
    for via, why in {**ends, "'": "No closing quotation", "": "no command"}.items():
        with pytest.raises((fleet.ProgramError, ValueError), match=why):
            fleet.proxy(via, fleet.beside_library())
    told = tmp_path / "pid"
    slow = script(tmp_path / "slow", f"import os, sys, time; sys.stdin.read(); open({str(told)!r}, 'w').write(str(os.getpid())); time.sleep(3600)")
    with pytest.raises(fleet.ProgramError, match="did not end within"):
        fleet.Program((str(slow),)).run([], 0)
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text(encoding="utf-8")), 0)


@pytest.fixture(scope="module")
def good_output() -> bytes:
    plan = json.dumps({"steps": [fleet.step(CONV)], "repeats": 1}) + "\n"
    return subprocess.run([str(fleet.beside_library())], input=plan.encode(), stdout=subprocess.PIPE, check=True).stdout


def test_attacks_on_the_output(tmp_path, good_output):
    """Cut anywhere, and with bytes changed: it is understood as it was, or is one line of error; never anything else."""
    import random

    from tvmq_delegate.fleet import program

    draw, refused = random.Random(7), 0
    cut = [good_output[:n] for n in range(0, len(good_output), 23)]
    spoilt = []
    for _ in range(300):
        data = bytearray(good_output)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.choice(b'\0\n"{}[]:,-9e\xff ')
        spoilt.append(bytes(data))
    for data in [*cut, *spoilt, b"\n", b"[]\n" * 3, b"9" * 5000 + b"\n", b'{"tvmq_measure": 2}\n']:
        try:
            answers = program._parsed(data, 1)
            times = program.times_ns(answers.lines[0])
            program.steps(answers.lines[0], 1)
            assert all(ns > 0 for ns in times)
        except fleet.ProgramError as error:
            refused += 1
            assert "\n" not in str(error) and len(str(error)) < 300
    assert refused > len(cut)
    assert program._parsed(good_output, 1).board.cpu


HOSTILE = [
    *("9" * 400, "-" + "9" * 400, "9" * 5000, "1e400", "1e-320", "NaN", "-Infinity", "0", "-1", "true", "null"),
    *('"9"', r'"\n\u001b[31m"', r'"\ud800"', "[]", "{}", "[" * 5000 + "]" * 5000),
]


def places(value: object, at: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    """The places of a value's parts."""
    yield at
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(each, (*at, key))


def with_text(value: object, at: tuple[object, ...], text: str) -> str:
    """The value as JSON, where what is at a place is the text."""
    if not at:
        return text
    parts = value.items() if isinstance(value, dict) else enumerate(value)  # type: ignore[arg-type]
    made = {key: with_text(each, at[1:], text) if key == at[0] else json.dumps(each) for key, each in parts}
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {each}" for key, each in made.items()) + "}"
    return f"[{', '.join(made.values())}]"


def test_every_part_of_the_output_replaced():
    """Numbers beyond a double, other types, terminal escapes and half characters: readers take them or refuse them in one plain line."""
    from tvmq_delegate.fleet import program, proxied_tune

    plan = [{"steps": [fleet.step(CONV)], "repeats": 1}, {"steps": [fleet.step(CONV)], "candidates": True}]
    given = "".join(json.dumps(line) + "\n" for line in plan).encode()
    done = subprocess.run([str(fleet.beside_library())], input=given, stdout=subprocess.PIPE, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    default, listed = lines[2]["default"], lines[2]["candidates"]
    lines[2]["candidates"] = listed[:2] + [each for each in listed[2:] if each["choice"] == default]
    refused = taken = 0
    for n, line in enumerate(lines):
        for at in places(line):
            for hostile in HOSTILE:
                written = [with_text(line, at, hostile) if i == n else json.dumps(each) for i, each in enumerate(lines)]
                try:
                    answers = program._parsed("".join(each + "\n" for each in written).encode(), 2)
                    first, second = answers.lines
                    found = [answers, program.times_ns(first), program.steps(first, 1), proxied_tune._task(second, 1, (0, 1))]
                    json.dumps(repr(found), ensure_ascii=False).encode()
                    taken += 1
                except fleet.ProgramError as error:
                    refused += 1
                    assert str(error).isprintable() and len(str(error)) < 300, (n, at, hostile[:20])
    assert refused > 300 and taken > 100


@pytest.mark.parametrize("member", ["temperature", "reference_ns", "count"])
def test_a_number_beyond_a_double(tmp_path, member):
    done = subprocess.run([str(fleet.beside_library())], input=b"", stdout=subprocess.PIPE, check=True)
    first, last = done.stdout.splitlines()
    lines = [with_text(json.loads(first), (member,), "9" * 400), last.decode()]
    fake = script(tmp_path / "fake", f"import sys\nsys.stdin.read()\nprint({chr(10).join(lines)!r})")
    assert "not a line of tvmq-measure" in refuses("board", "tcp://127.0.0.1:9", "--via", str(fake), "--measure", str(fake))


# A board whose program behaves until there is a measurement that it spoils.
SPOILS = """
import subprocess, sys
out = subprocess.run(sys.argv[2:], stdin=sys.stdin, stdout=subprocess.PIPE, check=True).stdout
if out.count(b"\\n") > 2:
    out = {"half": out[: len(out) - 40], "garbage": b"\\x00\\xffPK garbage\\n" * 100, "nothing": b""}[sys.argv[1]]
sys.stdout.buffer.write(out)
"""


@pytest.fixture
def proxies(tmp_path) -> Iterator[tuple[fleet.Boards, list[subprocess.Popen]]]:
    """Three boards as processes: two whose programs write garbage and half a line, and an honest one."""
    spoils = script(tmp_path / "spoils", SPOILS)
    vias = {"garbage": f"{spoils} garbage", "half": f"{spoils} half", "honest": "env"}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with scheduler() as address:
        command = [sys.executable, "-m", "tvmq_delegate", "board", address]
        processes = [subprocess.Popen([*command, "--name", name, "--via", via], env=environment, stderr=subprocess.DEVNULL) for name, via in vias.items()]
        try:
            with connected(address) as found:
                yield found, processes
        finally:
            for process in processes:
                process.kill()
                process.wait()


def test_network_table_of_proxies(proxies, tmp_path):
    """Garbage from a program is an error of that measurement, and the honest board does it."""
    boards, _ = proxies
    boards.spread = math.inf  # a busy machine is no fault here
    path = tmp_path / "small.tflite"
    path.write_bytes(zoo.load("mobilenet_v1_0.25_32"))
    listed = boards.listed()
    assert [item.name for item in listed] == ["garbage", "half", "honest"] and all(item.via and not item.runtimes and item.isa for item in listed)
    outcomes = list(boards.run(fleet.jobs([path], listed, each=False)))
    assert all(outcome.measured and outcome.measured.board == "honest" for outcome in outcomes)
    why = {name: what for outcome in outcomes for name, what in outcome.attempts}
    assert why.get("garbage", "not a line").find("not a line") >= 0 and why.get("half", "within a line").find("within a line") >= 0, why
    (cell,) = fleet.tabulate(outcomes).cells
    assert cell.exact is True and cell.taken > 20 and cell.ms["tvmq"] > 0 and not cell.ratio and cell.runtime == "tvmq-measure"
    (honest,) = [item for item in boards.listed() if item.name == "honest"]
    assert honest.spread >= 1 and "small.tflite" in honest.last
    out = tmp_path / "records.jsonl"
    (found,) = fleet.tune(boards, [path], boards.select("name=honest"), out=out, trials=2, seconds=600)
    records, skipped = tuning.read_records([out])
    assert not found.problems and not skipped and records and {record.origin.cpu for record in records} == {honest.cpu}
    assert found.gain == 0 or any(record.proven for record in records)
