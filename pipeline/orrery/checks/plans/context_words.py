"""The context of a row in words, read back: it must say what its PDDL says."""

from __future__ import annotations

import json
from collections.abc import Iterator

from orrery.checks.plans.asked import Asked
from orrery.language.words import WORDINGS_TRIED, names_by_type

ABSTRACT = "abstract"


def check(asked: Asked) -> list[str]:
    """Return where the context in words is not that of the problem that the row tells."""
    steps = [] if asked.readers.vocabulary else asked.told_state.task.action_of
    if asked.readers.vocabulary:
        renamed = asked.names.renamed
        assert renamed is not None
        steps = [renamed.step(step) for step in asked.told_state.task.action_of]
    passages = frozenset(_passages(asked)) if asked.row.get("form") == ABSTRACT else frozenset[str]()
    return asked.readers.context.check(asked.row["context"], asked.task, asked.told, steps, passages)


def _passages(asked: Asked) -> Iterator[str]:
    """Yield the wordings of the abstract goal of the problem that the row belongs to."""
    origin = asked.checked.row
    parameters = json.loads(origin["parameters"])["goal"]
    names = names_by_type(asked.checked.problem, asked.plain_domain)
    for variant in range(WORDINGS_TRIED):
        yield asked.readers.words.passage("goal", origin["goal"], parameters, names, variant)
