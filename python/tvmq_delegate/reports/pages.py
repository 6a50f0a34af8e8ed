"""Common parts of the HTML pages: their templates, which need the extra `report`."""

from __future__ import annotations

from pathlib import Path

import jinja2
from markupsafe import Markup

from .screen import clean

__all__ = ["Markup", "environment", "source"]


def environment() -> jinja2.Environment:
    """Templates in this folder; what they print is escaped. PackageLoader does not find it in an editable installation."""
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    return jinja2.Environment(loader=loader, finalize=_cleaned, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)


def source(name: str) -> str:
    """A script of this package."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _cleaned(value: object) -> object:
    """Removes control characters from a value that a template prints; markup is the templates' own."""
    return clean(value, keep="\n\t") if isinstance(value, str) and not hasattr(value, "__html__") else value
