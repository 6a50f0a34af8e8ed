"""Benchmarks as text, tables, CSV, JSON, traces and pages: one module for each. They format; nothing is measured here."""
