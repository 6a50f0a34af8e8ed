"""Show options, CPU, instruction sets, runtimes and kernels."""

from __future__ import annotations

import click

from .. import tuning
from ..binding import library, library_path, plural, runtimes, shipped_records
from ..reports import screen, tables
from .command import print_json, widened
from .group import documented


@documented(click.Command)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--kernels", "with_kernels", is_flag=True, help="List the kernels, too.")
@click.option("--wide", is_flag=True, expose_value=False, callback=widened, help="Show all columns of tables, however narrow the terminal.")
def info(as_json: bool, with_kernels: bool) -> None:
    cpu, isas, kernels, options = library.cpu(), library.isas(), library.kernels(), library.options()
    found = runtimes.installed()
    shipped = {path.name: tuning.usable(tuning.read_records([path])[0]) for path in shipped_records()}
    if as_json:
        about = {"version": library.version(), "library": str(library_path()), "runtimes": found}
        print_json({**about, "cpu": cpu, "isas": isas, "kernels": kernels, "options": options, "tuning_records": shipped})
        return
    print = screen.console.print
    print(f"tvmq-delegate {library.version()}")
    print(f"  {library_path()}", soft_wrap=True)
    print("\nOptions, with their defaults", style="bold")
    for line in tables.options(options, screen.console.width):
        print(line)
    print("\nCPU", style="bold")
    print(f"  {cpu.name}")
    print(f"  {cpu.identity}", soft_wrap=True)
    print(f"  executes {'in order' if cpu.in_order else 'out of order'}; {plural(cpu.count, 'processor')} for this process")
    for what, available in (("instruction sets", True), ("not on this CPU", False)):
        print(f"  {what}: {', '.join(isa.name for isa in isas if isa.available is available) or 'none'}")
    if cpu.unused:
        print(f"  only the runtime's own kernels use: {cpu.unused}")
    print("\nTuning records in the package", style="bold")
    for name, usable in shipped.items():
        print(f"  {name}: {plural(usable['tasks'], 'task')} for this CPU, of {plural(usable['records'], 'record')}")
    if not shipped:
        print("  none")
    print("\nTFLite runtimes", style="bold")
    for runtime in [f"{name} {version}" for name, version in found.items()] or ["none installed"]:
        print(f"  {runtime}")
    print("\nKernels", style="bold")
    if with_kernels:
        print(tables.kernels(kernels, screen.console.width))
    else:
        print(f"  {len(kernels)}, of which this CPU runs {sum(kernel.available for kernel in kernels)}; --kernels lists them")
