"""tvmq-measure: every signature becomes the operator that it is of, results are those of plain C, and a bad plan is one line."""

from __future__ import annotations

import json
import pathlib
import random
import subprocess

import pytest

from tvmq_delegate import binding
from tvmq_delegate.binding import library, runtimes
from tvmq_delegate.models import zoo
from tvmq_delegate.sessions import DELEGATE, Contender

LIBRARY = binding.library_path().parent
PROGRAM = next((path for path in (LIBRARY / "measure/tvmq-measure", LIBRARY / "tvmq-measure") if path.is_file()), pathlib.Path("tvmq-measure"))
pytestmark = pytest.mark.skipif(not PROGRAM.is_file(), reason="tvmq-measure is not beside the library")
CONV = "CONV_2D in=s8[1,8,8,16] filter=s8[3,3,16] out=s8[8,8,24] stride=1,1 dilation=1,1 pad=1,1"


def run(plan: str, *arguments: str, out: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(PROGRAM), *arguments], input=plan, stdout=out, stderr=subprocess.PIPE, text=True, check=False, timeout=300)


def answers(plan: list[dict], *arguments: str) -> list[dict]:
    done = run("".join(json.dumps(line) + "\n" for line in plan), *arguments)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0]["tvmq_measure"] == 1 and lines[-1]["end"] == len(plan) and [line["line"] for line in lines[1:-1]] == list(range(1, len(plan) + 1))
    return lines[1:-1]


def steps(*signatures: str) -> list[dict]:
    return [{"task": text} for text in signatures]


@pytest.mark.parametrize("network", ["mobilenet_v3_large", "unet", "mobilenet_v2"])
def test_networks(network):
    """The signature of each node of a network is that of the operator made of it, and its candidates are the node's."""
    session = Contender(DELEGATE, options={}).open(zoo.load(network), runtimes.find(None), num_threads=1)
    nodes = [index for index, node in enumerate(library.report(session.delegate).nodes) if node.claimed and library.candidates(session.delegate, index)]
    signatures = [library.signature(session.delegate, index) for index in nodes]
    assert len(signatures) > 10
    (whole,) = answers([{"steps": steps(*signatures), "repeats": 1, "compare": True}])
    assert "error" not in whole, whole
    assert [step["task"] for step in whole["steps"]] == signatures and all(step["exact"] and step["ns"] > 0 for step in whole["steps"])
    distinct = dict(zip(signatures, nodes))
    listed = answers([{"steps": steps(text), "candidates": True} for text in distinct])
    for line, node in zip(listed, distinct.values()):
        here = {(each.algorithm, each.kernel, each.rows, each.panels) for each in library.candidates(session.delegate, node) if each.algorithm != "winograd"}
        there = [each["choice"] for each in line["candidates"]]
        assert {(each["algorithm"], each["kernel"], each["rows"], each["panels"]) for each in there if each["algorithm"] != "winograd"} == here, line["task"]


def test_choices_change_no_bit():
    (listed,) = answers([{"steps": steps(CONV), "candidates": True}])
    choices = [each["choice"] for each in listed["candidates"]]
    assert listed["default"] in choices and len(choices) > 5
    found = answers([{"steps": [{"task": CONV, "choice": choice}], "repeats": 2} for choice in random.Random(1).sample(choices, 6)])
    (plain,) = answers([{"steps": steps(CONV), "repeats": 2}], "--isa", "c")
    checksums = {step["checksum"] for line in [*found, plain] for step in line["steps"]}
    assert len(checksums) == 1 and all(len(line["times_ns"]) == 2 for line in found)
    assert "cpu=c " in plain["steps"][0]["task"]


@pytest.mark.parametrize("task, why", [
    (CONV.replace("out=s8[8,8,24]", "out=s8[3,8,24]"), "height or width of the output tensor"),
    (CONV + " surprise", "words that contradict each other or are unknown"),
    (CONV.replace("in=s8", "in=s4"), "lacks a word"),
    (CONV.replace("pad=1,1", "pad=1"), "lacks a word"),
    (CONV.replace("24]", "99999999]"), "too large"),
    (CONV + " threads=0", "threads is not a number from 1 to 64"),
    (CONV + " rounding=upwards", "unknown value of rounding"),
    ("SOFTPLUS in=s8", "not the signature of an operator"),
])  # fmt: skip
def test_what_cannot_be_made(task, why):
    (line,) = answers([{"steps": steps(task)}])
    assert why in line["error"], line


def test_bad_plans():
    """One line on stderr, and nothing is measured, though the line before is good."""
    good = json.dumps({"steps": steps(CONV), "repeats": 1}) + "\n"
    long = '{"steps": [{"task": "%s"}]}' % ("x" * 600)
    for bad in ("x", "{}", "[]", '{"steps": []}', '{"steps": [{}]}', good[:50], long, good.strip() + ',{"a": 1}', "[" * 9999):
        done = run(good + bad)
        assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith("tvmq-measure: line 2 of the plan: "), (bad, done)
        assert done.stderr.count("\n") == 1
    many = [{"task": CONV}] * 1024
    for step, why in (({}, "not an object with steps"), ({"task": CONV}, "more than 1024 steps")):
        assert why in run(json.dumps({"steps": [*many[:-1], step] if not step else [*many, step]})).stderr
    assert run("", "/").stderr == "tvmq-measure: cannot read the plan\n"
    assert run(good, "--isa", "z80").stderr == "tvmq-measure: unknown instruction set z80\n"
    assert run("", "--max-secs", "soon").returncode == run("", "/nowhere").returncode == run("", "--colour").returncode == 2
    with open("/dev/full", "w", encoding="utf-8") as full:
        assert run(good, out=full.fileno()).returncode == 4


def test_the_time_is_over():
    done = run(json.dumps({"steps": steps(CONV), "repeats": 1000}) + "\n", "--max-secs", "1")
    assert done.returncode == 3 and done.stderr == "tvmq-measure: time limit reached (--max-secs)\n"
