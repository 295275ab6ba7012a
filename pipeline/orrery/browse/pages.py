"""Render HTML pages from the templates in ``templates/browse``; content of rows and replies is escaped."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import FileSystemLoader

from orrery.dataset.selection import ROW
from orrery.language.sandbox import Sandbox

FOLDER = "browse"


def page(root: Path, name: str, /, **content: Any) -> str:
    """Return the page of a template.

    Raises:
        OrreryError: the template is missing or has an error.
    """
    return (
        _environment(root / "templates")
        .get_template(f"{FOLDER}/{name}.html.j2")
        .render(**content, row_at=row_at)
    )


def row_at(name: str, table: str = "") -> str:
    """Return the address of a row."""
    # Browsers remove ".." between slashes from an address.
    named = quote(name, safe="" if ".." in name else "/")
    return f"{ROW}{named}" + (f"?table={quote(table)}" if table else "")


@lru_cache(maxsize=4)
def _environment(templates: Path) -> Sandbox:
    """Return the template environment of the pages, which escapes all values."""
    return Sandbox(loader=FileSystemLoader(templates), autoescape=True)
