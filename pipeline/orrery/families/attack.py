"""What an adversary is told of a table: how to answer its rows without understanding them.

A row becomes a *target*: what may be replied to it, what of that is right, and what a random reply scores.
The rules that are tried on targets are those of ``dataset.adversary``; only what a rule measures may belong
to a family. A table that says nothing is attacked by its texts and its gold replies alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

JUDGE, PICK, WRITE = "judge", "pick", "write"  # yes or no to a claim; one of some candidates; anything
NOTHING: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A claim, option or reply with what can be seen of it without understanding.

    ``measures`` are numbers by name of the rule that prefers the most or the least of them; ``marks`` are
    words of which an adversary learns by domain how often what bears them is right, names above all;
    ``conditions`` say of single conditions, by predicate, whether they hold now, each a part of the truth.
    """

    text: str
    right: bool
    measures: Mapping[str, float] = field(default_factory=lambda: NOTHING)
    marks: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """A row to be answered without understanding.

    ``problem`` names what rows share that must not be learned from each other; ``objects`` are the names to
    mask in ``text``; ``replies`` are right, each as it may be repeated on another row. ``form`` says whether
    the one candidate is judged, one of them is picked, or the row has none. ``chance`` is the expected score
    of a random reply (of what a reply to some other row scores, where it is None), and ``fixed`` the share of
    rows that one reply may get right by design. ``offered`` is whether the row itself shows its candidates as
    claim or options; otherwise whoever replies has to find them.
    """

    id: str
    domain: str
    problem: str
    form: str
    text: str
    replies: frozenset[str]
    chance: float | None
    candidates: tuple[Candidate, ...] = ()
    objects: frozenset[str] = frozenset()
    fixed: float = 0.0
    offered: bool = False


@dataclass(frozen=True)
class Attack:
    """How rows of a table become targets: the columns that are read, and what is made of them."""

    columns: tuple[str, ...]
    target: Callable[[Mapping[str, Any]], Target]
