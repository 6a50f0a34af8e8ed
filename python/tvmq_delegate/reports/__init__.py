"""Results of the commands as text, tables, CSV, traces and pages. Nothing is measured here. `calibration_page`, `html` and
`graph_page` need the extra `report`."""

# Modules, each imported where it is needed.
__all__ = [
    "bench", "benchmark_model", "calibration", "calibration_page", "diff", "fleet", "graph", "graph_page", "html", "screen", "serving", "tables", "trace",
    "tuning", "tuning_page",
]  # fmt: skip
