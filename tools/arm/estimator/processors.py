"""The processors that an emulated process sees.

Runtimes choose kernels by the core's name, which /proc/cpuinfo has; the delegate by the one in /sys. The emulator
looks absolute paths up in its sysroot first. So each core has a sysroot of its own: the common one with these files.
"""

from __future__ import annotations

import os
import pathlib

import environment as env

from .cores import Core

# Level -> what /proc/cpuinfo calls the instruction sets.
FEATURES = {
    "neon": "fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid",
    "dotprod": "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp",
    "i8mm": "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt fcma lrcpc dcpop sha3 asimddp sha512 sve i8mm bf16",
}
COUNT = max(4, os.cpu_count() or 1)  # the emulated process runs on any of the host's
VARIANT, REVISION = 1, 0  # of the core: the first one's Cortex-A55 has slower loads


def files(core: Core) -> dict[str, str]:
    """Path below the root -> text."""
    known, cpus = core.known, "/sys/devices/system/cpu"
    found = {f"{cpus}/{name}": f"0-{COUNT - 1}\n" for name in ("possible", "present")}
    found[f"{cpus}/kernel_max"] = f"{COUNT - 1}\n"
    midr = known.implementer << 24 | VARIANT << 20 | 0xF << 16 | known.part << 4 | REVISION
    found |= {f"{cpus}/cpu{i}/regs/identification/midr_el1": f"{midr:#018x}\n" for i in range(COUNT)}
    lines = ["BogoMIPS\t: 38.40", f"Features\t: {FEATURES[core.level]}"]
    lines += [f"CPU implementer\t: {known.implementer:#04x}", "CPU architecture: 8", f"CPU variant\t: {VARIANT:#x}"]
    lines += [f"CPU part\t: {known.part:#05x}", f"CPU revision\t: {REVISION}\n"]
    found["/proc/cpuinfo"] = "".join("\n".join([f"processor\t: {i}", *lines]) + "\n" for i in range(COUNT))
    return found


def sysroot(core: Core) -> pathlib.Path:
    """The sysroot whose processors are of this core, which is made or brought up to date."""
    root = env.CACHE / "cores" / core.name
    for path, text in files(core).items():
        file = root / path.lstrip("/")
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            written = file.with_name(f".{file.name}.{os.getpid()}")
            written.write_text(text, encoding="utf-8")
            written.replace(file)  # another estimate that reads the file meanwhile sees all of it
    for entry in env.SYSROOT.iterdir():
        link = root / entry.name
        if entry.name not in ("proc", "sys") and not link.is_symlink():
            try:
                link.symlink_to(entry)
            except FileExistsError:  # another estimate has made it
                pass
    return root
