"""Machine files: what load() does with the option `machine`, and planning for a machine that is not here."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any

import harness
import numpy as np
import pytest
from click.testing import CliRunner

import tvmq_delegate
from tvmq_delegate import cli, measure
from tvmq_delegate.binding import library, machines


def opened(runtime: harness.Runtime, model: pathlib.Path, **options: object) -> tuple[Any, Any]:
    delegate = runtime.load(**options)
    return runtime.interpreter(model.read_bytes(), [delegate]), delegate


def test_known_machines() -> None:
    known = {machine.name: machine for machine in tvmq_delegate.machines()}
    order = [isa.name for isa in library.isas()]
    assert {known[name].isa for name in ("zen5", "sapphire-rapids", "neoverse-n1")} == {"avx512vbmi", "amx", "dotprod"}
    assert all(machine.isa in order[1:] for machine in known.values())
    assert known["cortex-a53"].in_order and known["cortex-a53"].isa == "neon" and not known["zen5"].in_order
    assert all(machine.text.startswith(f"tvmq-machine 1\nname = {name}\n") for name, machine in known.items())
    assert "kernel tvmq_gemm_s8_4x16r4__neon = " in known["cortex-a53"].text and "dotprod" not in known["cortex-a53"].text


def test_names_and_files(runtime: harness.Runtime, one_conv: pathlib.Path, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "mine.machine"
    file.write_text("tvmq-machine 1\nname = mine\nbase = zen5\npointer_cycles = 400\n")
    for given, name in (("cascade-lake", "cascade-lake"), (str(file), "mine")):
        delegate = opened(runtime, one_conv, machine=given)[1]
        assert tvmq_delegate.report(delegate).summary.machine == name
    for text, told in (
        ("tvmq-machine 1\n", "base is missing"),
        ("tvmq-machine 1\nbase = zen5\npointer_cycles = nan\n", "line 3: not a number: 'pointer_cycles'"),
    ):
        file.write_text(text)
        with pytest.raises(ValueError, match=told):
            runtime.load(machine=str(file))
    with pytest.raises(ValueError, match="zen6: No such file or directory; known machines are sapphire-rapids, "):
        runtime.load(machine="zen6")


def test_cache(runtime: harness.Runtime, one_conv: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    file = machines.cache_file(tvmq_delegate.library_path())
    assert file.parent == tmp_path / "tvmq-delegate"
    by_default = tvmq_delegate.report(opened(runtime, one_conv)[1]).summary.machine
    file.parent.mkdir()
    file.write_text("tvmq-machine 1\nname = calibrated\nbase = zen5\n")
    assert tvmq_delegate.report(opened(runtime, one_conv)[1]).summary.machine == "calibrated" != by_default
    assert tvmq_delegate.report(opened(runtime, one_conv, tune="out_of_order")[1]).summary.machine != "calibrated"
    file.write_text("tvmq-machine 7\n")
    with pytest.warns(UserWarning, match="known constants are used instead"):
        delegate = opened(runtime, one_conv)[1]
    assert tvmq_delegate.report(delegate).summary.machine == by_default


def test_set_machine(runtime: harness.Runtime, one_conv: pathlib.Path) -> None:
    _, delegate = opened(runtime, one_conv, isa="c")
    before = tvmq_delegate.candidates(delegate, 0)
    text = "tvmq-machine 1\nname = slow\nbase = zen5\n" + "".join(f"kernel {candidate.kernel} = 0.001 100\n" for candidate in before)
    tvmq_delegate.set_machine(delegate, text)
    assert tvmq_delegate.candidates(delegate, 0)[0].cycles > 10 * before[0].cycles
    with pytest.raises(ValueError, match="line 1: not 'tvmq-machine 1'"):
        tvmq_delegate.set_machine(delegate, "something else")


def test_estimate() -> None:
    """Newer instructions take fewer cycles, and the table has every node. Dot products in order (A55) and NEON out of order (A72) are about as fast."""
    done = CliRunner().invoke(cli.main, ["estimate", "--network", "mobilenet_v1_0.25_128", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    cycles = {core: estimate["cycles"] for core, estimate in found.items()}
    ordered = sorted(cycles, key=cycles.__getitem__)
    assert ordered[:2] == ["neoverse-v1", "neoverse-n1"] and ordered[-1] == "cortex-a53"
    assert all(node["cycles"] > 0 for node in found["cortex-a72"]["nodes"] if node["op"].endswith("CONV_2D"))
    table = CliRunner().invoke(cli.main, ["estimate", "--network", "mobilenet_v1_0.25_128", "--core", "cortex-a72"])
    assert table.exit_code == 0 and "all nodes" in table.stdout and "__neon" in table.stdout
    refused = CliRunner().invoke(cli.main, ["estimate", "--core", "vax"])
    assert refused.exit_code == 2 and "no core, board or machine is called 'vax'" in refused.stderr


@pytest.mark.parametrize(
    ("name", "core", "machine", "ghz"),
    [
        ("cortex-a76", "Cortex-A76", "neoverse-n1", 2.4),
        ("Raspberry Pi 5", "Cortex-A76", "neoverse-n1", 2.4),
        ("rk3588", "Cortex-A76", "neoverse-n1", 2.4),
        ("graviton4", "Neoverse-V2", "neoverse-v1", 2.8),
        ("pixel_8", "Cortex-X3", "neoverse-v1", 2.91),
        ("neoverse-n1", "Neoverse-N1", "neoverse-n1", 2.5),
        ("zen5", "", "zen5", 0),
    ],
)
def test_names_of_cores_and_boards(name: str, core: str, machine: str, ghz: float) -> None:
    assert measure.target(name) == measure.Target(name, core, machine, ghz)


def test_every_board_has_a_model() -> None:
    assert all(measure.target(board).machine for board in measure.BOARDS)


def test_info_names_what_only_runtimes_use(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu = library.cpu()
    for unused, shown in (("sme2", True), ("", False)):
        monkeypatch.setattr(library, "cpu", lambda unused=unused: dataclasses.replace(cpu, unused=unused))
        assert ("only the runtime's own kernels use: sme2" in CliRunner().invoke(cli.main, ["info"]).stdout) == shown


UNKNOWN = [("pixel", "near it are pixel-4, pixel-6"), ("a64fx", "no model stands for A64FX"), ("graviton5", "near it are graviton")]


@pytest.mark.parametrize(("name", "told"), UNKNOWN)
def test_names_without_a_model(name: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        measure.target(name)


def test_estimates_say_their_model_and_the_time() -> None:
    arguments = ["estimate", "--network", "mobilenet_v1_0.25_32", "--core", "raspberry-pi-5,cortex-x4,zen5"]
    found = json.loads(CliRunner().invoke(cli.main, [*arguments, "--json"]).stdout)
    pi = found["raspberry-pi-5"]
    assert (pi["core"], pi["machine"], pi["ghz"]) == ("Cortex-A76", "neoverse-n1", 2.4)
    assert pi["milliseconds"] == pytest.approx(pi["cycles"] / 2.4e6) and found["zen5"]["milliseconds"] is None
    table = CliRunner().invoke(cli.main, arguments).stdout
    assert "raspberry-pi-5: Cortex-A76 at 2.4 GHz, by the model of neoverse-n1" in table
    assert "cortex-x4: Cortex-X4 at 3.3 GHz, by the model of neoverse-v1" in table and "milliseconds" in table


@pytest.mark.parametrize("core", [machine.name for machine in tvmq_delegate.machines()])
def test_elsewhere(runtime: harness.Runtime, one_conv: pathlib.Path, core: str) -> None:
    """Everything is planned for the other machine's kernels, and nothing runs."""
    made, delegate = opened(runtime, one_conv, estimate=core)
    machine = next(machine for machine in tvmq_delegate.machines() if machine.name == core)
    report = tvmq_delegate.report(delegate)
    assert report.summary.machine == core and report.nodes[0].claimed
    assert ("neon" in machine.isa or machine.isa in ("dotprod", "i8mm")) == report.nodes[0].kernel.endswith(("__neon", "__dotprod", "__i8mm"))
    detail = made.get_input_details()[0]
    made.set_tensor(detail["index"], np.zeros(detail["shape"], detail["dtype"]))
    with pytest.raises(RuntimeError, match=f"nothing can run: the option estimate plans for {core}"):
        made.invoke()
