"""The help of the commands: one list of them, which is printed without importing them, and sentences that are not cut."""

from __future__ import annotations

import inspect
import subprocess

import click
import harness
import pytest
from click.testing import CliRunner

import tvmq_delegate
from tvmq_delegate import cli
from tvmq_delegate.models import zoo

HEAVY = ("numpy", "rich", "cffi", "flatbuffers", "tflite", "asyncio")
MEASURING = ("measure", "accuracy", "tuning", "fleet")


def found() -> dict[str, click.Command]:
    """All commands and those of groups, by what is typed."""
    groups = {name: cli.main.commands[name] for name in cli.COMMANDS}
    inner = {f"{name} {sub}": each for name, group in groups.items() if isinstance(group, click.Group) for sub, each in group.commands.items()}
    return groups | inner


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(cli.main, [*arguments, "--help"], terminal_width=80, prog_name="tvmq")
    assert result.exit_code == 0, result.output
    return result.output


def imported(script: str) -> set[str]:
    """The modules that a new Python imports for a script, of this package and of others."""
    names = subprocess.run([*harness.PYTHON, "-c", f"{script}; import sys; print(*sys.modules)"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return set(names.splitlines()[-1].split())


def run_of(*arguments: str) -> str:
    return f"from tvmq_delegate.cli import main; main({list(arguments)!r}, standalone_mode=False)"


def test_help_imports_no_command() -> None:
    """Nor anything else of the package but what makes the list of commands."""
    there = imported(run_of("--help"))
    own = {name for name in there if name.startswith("tvmq_delegate.")}
    assert own == {"tvmq_delegate.cli"} | {f"tvmq_delegate.cli.{name}" for name in ("chatter", "group", "streams")}
    assert not {name for name in HEAVY if name in there and name not in imported("pass")}


def test_help_of_nodes_imports_no_numpy() -> None:
    assert "numpy" not in imported(run_of("nodes", "--help"))


def test_nodes_imports_nothing_that_measures(one_conv: object, runtime: harness.Runtime) -> None:
    there = imported(run_of("nodes", str(one_conv), "--runtime", runtime.name))
    assert not there & {f"tvmq_delegate.{room}" for room in MEASURING}


def test_every_command_is_in_the_one_list() -> None:
    """A module of the folder that makes a command is named in COMMANDS, and help lists exactly those."""
    folder = harness.REPOSITORY / "python/tvmq_delegate/cli"
    making = {path.stem for path in folder.glob("*.py") if "\n@documented(" in path.read_text() or "\n@model_command(" in path.read_text()}
    assert making == set(cli.COMMANDS)
    listed = shown().partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == list(cli.COMMANDS)


@pytest.mark.parametrize("group", [(), ("fleet",), ("records",)])
def test_summaries_are_whole(group: tuple[str, ...]) -> None:
    for line in shown(*group).partition("Commands:\n")[2].splitlines():
        assert line.startswith("  ") and line[2] != " " and line.endswith(".") and "..." not in line and len(line) <= 80, line


def test_the_help_of_a_command_begins_with_its_summary() -> None:
    for name, command in found().items():
        first = (command.help or "").partition("\n")[0]
        assert first and f"\n  {first}\n" in shown(*name.split()), name
        assert f"{name.split()[-1]} " in shown(*name.split()[:-1]) and first in shown(*name.split()[:-1])


def test_help_of_load_lists_its_options() -> None:
    text = inspect.getdoc(tvmq_delegate.load) or ""
    assert all(f"  {option.name}: " in text for option in tvmq_delegate.options())


def test_one_partition_is_one_kernel() -> None:
    summary = tvmq_delegate.nodes(zoo.load("mobilenet_v1_0.25_128")).sentence
    assert summary.endswith("w/ 1 delegate kernel")
