"""What files of ours import, found by reading them, once a process."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.every_domain import ROOT

SOURCE = ROOT / "pipeline"


def module_name(path: Path) -> str:
    """The dotted name under which ``path`` is imported."""
    top = SOURCE if path.is_relative_to(SOURCE) else ROOT
    return ".".join(path.relative_to(top).with_suffix("").parts).removesuffix(".__init__")


def imports(tree: ast.AST, module: str, is_package: bool = False) -> Iterator[tuple[int, str]]:
    """Line and dotted name of each import, also inside functions; ``from a import b`` gives ``a.b``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            upwards = module.split(".")[: len(module.split(".")) - node.level + is_package]
            base = ".".join([*(upwards if node.level else []), *filter(None, [node.module])])
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


@cache
def imports_of(path: Path) -> tuple[tuple[int, str], ...]:
    """The imports of a file."""
    return tuple(imports(ast.parse(path.read_text()), module_name(path), path.name == "__init__.py"))


def imported_packages(path: Path) -> set[str]:
    """The top-level names of what a file imports."""
    return {name.partition(".")[0] for _, name in imports_of(path)}
