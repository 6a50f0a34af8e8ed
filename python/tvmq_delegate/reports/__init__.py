"""Results of the commands as text, tables, CSV, traces and pages. These modules format; nothing is measured here. `html` needs the extra `report`."""

__all__ = ["bench", "benchmark_model", "diff", "graph", "html", "screen", "tables", "trace"]  # modules, each imported where it is needed
