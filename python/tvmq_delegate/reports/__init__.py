"""Results of the commands as text, tables, CSV, traces and pages. Nothing is measured here. `html` and `graph_page` need the extra `report`."""

__all__ = ["bench", "benchmark_model", "diff", "graph", "graph_page", "html", "screen", "tables", "trace"]  # modules, each imported where it is needed
