"""`tvmq info`."""

from __future__ import annotations

import click

from ..binding import library, library_path, runtimes
from ..reports import tables
from .command import main, print_json


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def info(as_json: bool) -> None:
    """Show the CPU, its instruction sets, the kernels, the runtimes found and the delegate's options."""
    cpu, isas, kernels, options = library.cpu(), library.isas(), library.kernels(), library.options()
    found = runtimes.installed()
    if as_json:
        about = {"version": library.version(), "library": str(library_path()), "runtimes": found}
        print_json({**about, "cpu": cpu, "isas": isas, "kernels": kernels, "options": options})
        return
    print = tables.console.print
    print(f"tvmq-delegate {library.version()}, {library_path()}", soft_wrap=True)
    order = "in order" if cpu.in_order else "out of order"
    print(f"CPU: {cpu.name}; executes {order}; {tables.plural(cpu.count, 'processor')} for this process")
    offered, absent = (", ".join(isa.name for isa in isas if isa.available is available) for available in (True, False))
    print(f"instruction sets: {offered}; not on this CPU: {absent}")
    print(f"TFLite runtimes: {', '.join(f'{name} {version}' for name, version in found.items()) or 'none installed'}\n")
    print(tables.kernels(kernels))
    print()
    print(tables.options(options))
