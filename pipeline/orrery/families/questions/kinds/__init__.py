"""The kinds of question, a module each, found by looking in this folder."""

from __future__ import annotations

import importlib
import pkgutil

from orrery.families.questions.kind import Kind


def question_kinds() -> dict[str, Kind]:
    """Find the kinds of question by name, sorted."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name: importlib.import_module(f"{__name__}.{name}").KIND for name in names}
