"""Results of the commands as text, tables, CSV, traces and pages. Nothing is measured here. `html` and the
modules `*_page` need the extra `report`."""

# Modules, each imported where it is needed.
__all__ = [
    "bench", "benchmark_model", "calibration", "calibration_page", "comparison_page", "diff", "diff_page",
    "explanation", "fleet", "graph", "graph_page", "history_page", "html", "model_explorer", "picture", "run_page",
    "screen", "serving", "tables", "trace", "tuning", "tuning_page",
]  # fmt: skip
