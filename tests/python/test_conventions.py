"""Flags that several commands have mean the same: docs/tools.md lists them, and this holds the list against the commands."""

from __future__ import annotations

import collections
import re

import click
import harness
from test_help import found

from tvmq_delegate import cli


def takes(option: click.Option) -> str:
    """Names the value behind a flag: nothing, or one word for it."""
    return "" if option.is_flag else (option.metavar or option.type.name).upper().removesuffix(" RANGE")


def listed() -> dict[tuple[str, str], set[str]]:
    """The table: (flag, what it takes) -> the commands that have it."""
    text = (harness.REPOSITORY / "docs/tools.md").read_text(encoding="utf-8").partition("## Flags of several commands")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `-")]
    table: dict[tuple[str, str], set[str]] = {}
    for flag, commands, _ in rows:
        name, _, value = flag.strip("`").partition(" ")
        assert (name, value) not in table
        table[name, value] = {"MODEL"} if "MODEL" in commands else set(re.findall(r"`([a-z ]+)`", commands))
    return table


def test_the_table_has_all_flags_of_several_commands() -> None:
    flags: dict[str, dict[str, str]] = collections.defaultdict(dict)
    for name, command in found().items():
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                flags[next(text for text in option.opts if text.startswith("--"))][name] = takes(option)
    wanted: dict[tuple[str, str], set[str]] = collections.defaultdict(set)
    for flag, commands in flags.items():
        for command, value in commands.items():
            if len(commands) > 1:
                wanted[flag, value].add(command)
    models = wanted["--network", "NAME"]  # which the table calls the commands on a MODEL
    assert {key: names if names != {"MODEL"} else models for key, names in listed().items()} == dict(wanted)
    assert models < set(found()) and cli.COMMANDS


def test_help_of_bench_has_groups() -> None:
    command = cli.main.commands["bench"]
    own = {name for option in command.params if isinstance(option, click.Option) and not option.hidden for name in option.opts}
    grouped = [name for names in command.groups.values() for name in names]
    assert len(grouped) == len(set(grouped)) and set(grouped) <= own | {"--help"}
    text = found()["bench"].get_help(_context(command))
    headings = re.findall(r"^([A-Z].*):$", text, re.MULTILINE)
    assert headings == [*command.groups, "Options of the delegate"] and "\n  tvmq bench model.tflite " in text


def _context(command: click.Command) -> click.Context:
    context = click.Context(command, info_name="bench", help_option_names=["--help"])
    context.meta["tvmq.typed"] = ["--help"]
    return context
