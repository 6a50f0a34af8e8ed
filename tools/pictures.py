#!/usr/bin/env python3
"""Makes the pictures in docs/pictures anew: `python tools/pictures.py [--chart]`.

speed.svg is the chart of the README, drawn from speed.json, which `tools/held --json` writes; --chart makes it alone. The others show pages of reports of the
package that is installed. They need chromium (apt-get install chromium) and the extras report and litert; times are those of the machine at hand.
"""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import Any

PICTURES = pathlib.Path(__file__).parents[1] / "docs/pictures"

# Picture -> the command whose page it shows, and its size in pixels.
REPORTS = {
    "bench.png": (["bench", "--against", "stock", "--min-secs", "2"], (1200, 1250)),
    "nodes.png": (["nodes"], (1200, 800)),
    "tune.png": (["tune", "--time", "5"], (1200, 1000)),
}
# Model in speed.json -> the network's name in the chart.
NETWORKS = {
    "tf2_mobilenet_v2_1.0_224_ptq": "MobileNet v2",
    "synth_mobilenet_v3_large_224_int8": "MobileNet v3 large",
    "synth_efficientnet_b0_224_int8": "EfficientNet B0",
    "synth_inception_v3_299_int8": "Inception v3",
    "synth_yolov8n_320_int8": "YOLOv8n",
    "synth_unet_128_int8": "U-Net",
    "deeplabv3_mnv2_dm05_pascal_quant": "DeepLab v3",
    "vww_96_int8": "Visual wake words",
}
# Colours that can be read on white and on black pages: an image on a page is not told which of them it is on.
STOCK, OURS, TEXT = "#8c959f", "#1f87e8", "#7a828b"
LEFT, LENGTH, BAR, ROW, TOP = 150, 440, 13, 42, 34  # in pixels; the bar of the stock runtime has the full length


def milliseconds(microseconds: float) -> str:
    return f"{microseconds / 1000:#.3g} ms".replace(". ", " ")


def bar(x: int, y: int, share: float, colour: str, note: str) -> list[str]:
    """Returns a bar, whose length is a share of the stock runtime's, and a note on its right."""
    length = round(LENGTH * share)
    return [
        f'<rect x="{x}" y="{y}" width="{length}" height="{BAR}" rx="2" fill="{colour}"/>',
        f'<text x="{x + length + 8}" y="{y + BAR - 2}" xml:space="preserve">{note}</text>',
    ]


def chart(measured: dict[str, Any]) -> str:
    """Returns the chart as SVG: two bars for each network, and below how many outputs differ."""
    rows, about = {network["model"]: network for network in measured["networks"]}, measured["machine"]
    width, height = 760, TOP + ROW * len(NETWORKS) + 26
    legend = f"LiteRT {about['litert']} (grey) and with tvmq-delegate (blue), one inference on one thread of an {about['cpu']}"
    size, font = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"', 'font-family="sans-serif" font-size="13"'
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font} fill="{TEXT}">',
        f"<title>{legend}</title>",
        f'<text x="0" y="16">{legend}</text>',
    ]
    for i, (model, name) in enumerate(NETWORKS.items()):
        stock, ours, y = rows[model]["stock_us"], rows[model]["tvmq_us"], TOP + ROW * i
        drawn.append(f'<text x="{LEFT - 10}" y="{y + BAR + 5}" text-anchor="end">{name}</text>')
        drawn += bar(LEFT, y, 1, STOCK, milliseconds(stock))
        drawn += bar(LEFT, y + BAR + 2, ours / stock, OURS, f'{milliseconds(ours)}   <tspan font-weight="bold" fill="{OURS}">{stock / ours:.1f}x</tspan>')
    differ, values = (sum(rows[model]["outputs_that_differ"][key] for model in NETWORKS) for key in ("tvmq", "of"))
    verdict = f"outputs that differ from the reference kernels: {differ} of {values:,}"
    drawn.append(f'<text x="{LEFT}" y="{height - 10}" font-weight="bold">{verdict}</text>')
    return "\n".join([*drawn, "</svg>", ""])


def main() -> None:
    measured = json.loads((PICTURES / "speed.json").read_text(encoding="utf-8"))
    (PICTURES / "speed.svg").write_text(chart(measured), encoding="utf-8")
    if "--chart" in sys.argv[1:]:
        return
    browser = shutil.which("chromium") or sys.exit("chromium is not installed: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        for name, (command, (width, height)) in REPORTS.items():
            page = pathlib.Path(folder) / "report.html"
            subprocess.run([sys.executable, "-m", "tvmq_delegate", *command, "--html", page.name], check=True, stdout=subprocess.DEVNULL, cwd=folder)
            flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000", f"--window-size={width},{height}"]
            subprocess.run([browser, *flags, f"--screenshot={PICTURES / name}", page.as_uri()], check=True, capture_output=True)
            print(f"{PICTURES / name}: {(PICTURES / name).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
