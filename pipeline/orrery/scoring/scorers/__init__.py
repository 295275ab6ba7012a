"""The kinds of replies that can be scored, one file each; the records of tables name it as ``scorer``.

A file defines its class as ``SCORER``; ``text_to_pddl.py`` is ``orrery score text-to-pddl``.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from orrery.model import UsageError, suggest
from orrery.scoring.scorer import Scorer


def names() -> list[str]:
    """Return the names of all kinds, as in commands, sorted."""
    return sorted(module.name.replace("_", "-") for module in iter_modules(__path__))


def scorer_of(name: str) -> type[Scorer]:
    """Return the scorer of the kind ``name``, spelled as in tables or commands.

    Raises:
        UsageError: the kind is unknown.
    """
    name = name.replace("_", "-")
    if name not in names():
        raise UsageError(f"predictions of {name}", "are not scored", suggest(name, "there are", names()))
    scorer: type[Scorer] = import_module(f"{__name__}.{name.replace('-', '_')}").SCORER
    return scorer
