#!/usr/bin/env python3
"""Makes the pictures of the reports in docs/pictures anew, with the package that is installed and a browser: `python tools/pictures.py`.

It needs chromium (apt-get install chromium) and the extras report and litert. Times are those of the machine that it runs on.
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys
import tempfile

PICTURES = pathlib.Path(__file__).parents[1] / "docs/pictures"

# Picture -> the command whose page it shows, and its size in pixels.
REPORTS = {
    "bench.png": (["bench", "--against", "stock", "--min-secs", "2"], (1200, 1250)),
    "nodes.png": (["nodes"], (1200, 800)),
    "tune.png": (["tune", "--time", "5"], (1200, 1000)),
}


def main() -> None:
    browser = shutil.which("chromium") or sys.exit("chromium is not installed: apt-get install chromium")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, (command, (width, height)) in REPORTS.items():
            page = pathlib.Path(folder) / "report.html"
            subprocess.run([sys.executable, "-m", "tvmq_delegate", *command, "--html", page.name], check=True, stdout=subprocess.DEVNULL, cwd=folder)
            flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000", f"--window-size={width},{height}"]
            subprocess.run([browser, *flags, f"--screenshot={PICTURES / name}", page.as_uri()], check=True, capture_output=True)
            print(f"{PICTURES / name}: {(PICTURES / name).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
