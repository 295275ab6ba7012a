"""The kinds of predictions that can be scored: a file each, which the records of tables name as ``grader``.

A file offers its class as ``SCORER``; ``text_to_pddl.py`` is ``orrery score text-to-pddl``.
"""

from __future__ import annotations

from importlib import import_module

from orrery.families import tables
from orrery.model import UsageError
from orrery.scoring.scorer import Scorer


def names() -> list[str]:
    """Return the names of all kinds, as in commands, sorted."""
    return sorted({table.grader.replace("_", "-") for table in tables().values() if table.grader})


def scorer_of(name: str) -> type[Scorer]:
    """Return what scores predictions of the kind ``name``.

    Raises:
        UsageError: there is no such kind.
    """
    name = name.replace("_", "-")
    if name not in names():
        raise UsageError(f"predictions of {name}", "are not scored", f"there are: {', '.join(names())}")
    found: type[Scorer] = import_module(f"{__name__}.{name.replace('-', '_')}").SCORER
    return found
