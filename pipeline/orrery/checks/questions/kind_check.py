"""The interface of a check of a question kind: the record ``CHECK`` of every module in ``kinds``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from orrery.checks.rechecked_state import RecheckedState

Row = Mapping[str, Any]


@dataclass(frozen=True)
class KindCheck:
    """The checks of the questions of one kind, by routes that did not make them.

    Attributes:
        groups: the published names of its formats, by ``gen``, ``bool`` and ``mcq``.
        columns: the columns of its open questions that it vouches for, besides those of all questions.
        answer: finds what is wrong with the answer to an open question about a state.
        reply: writes a reply that gives the stored answer, of alternatives the first; empty for None.
        keys: the keys of its claims, besides ``kind``.
        holds: decides whether a claim is true; None where that stays undecided. Raises OrreryError where
            the claim speaks of what the problem does not have.
        proven: the columns of decided states that list what is proven, and the column of their proofs.
        proof_lists: the lists of an open question whose elements have proofs: columns or parts of the answer.
    """

    groups: Mapping[str, str]
    columns: tuple[str, ...]
    answer: Callable[[Row, RecheckedState], list[str]]
    reply: Callable[[Row], str]
    keys: frozenset[str] = frozenset()
    holds: Callable[[Mapping[str, Any], RecheckedState], bool | None] | None = None
    proven: tuple[tuple[tuple[str, ...], str], ...] = ()
    proof_lists: tuple[str, ...] = ()
