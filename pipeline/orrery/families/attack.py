"""Data for tricks: replies to a row that need no understanding, and what a trick may look at.

A table turns each row into a *target*: the possible replies, the right ones, and the expected score of a
random reply. The tricks themselves are in ``dataset.adversary``; only measures of replies and rules that
write whole replies belong to a family. A table that offers no ``TargetMaker`` is attacked by its texts and
gold replies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from orrery.model import Domain
from orrery.pddl.read import read_domain

Row: TypeAlias = Mapping[str, Any]

JUDGE, PICK, WRITE = "judge", "pick", "write"  # yes or no to a claim; one of several options; any text
DOMAINS_KEPT = 64
NO_MEASURES: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ReplyOption:
    """A claim, option or reply, with its features that need no understanding.

    ``measures`` are numbers by name: a trick prefers the greatest or the least. ``marks`` are words, names
    above all: a trick learns by domain how often an option with a mark is right. ``conditions`` say of single
    preconditions, by predicate, whether they hold now; each is a part of the truth.
    """

    text: str
    right: bool
    measures: Mapping[str, float] = field(default_factory=lambda: NO_MEASURES)
    marks: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()


class ScoredGuess(NamedTuple):
    """The score of a guess on a row, and the expected score of a random guess there."""

    score: float
    chance: float


class PartOfReply(NamedTuple):
    """The right value of a part of the reply, such as the failing step, and the chance to guess it."""

    value: str
    chance: float


@dataclass(frozen=True, slots=True)
class Target:
    """A row to be answered by tricks.

    ``problem`` names what rows share that must not be learned from each other; ``objects`` are the names to
    mask in ``text``; ``replies`` are right, each as it may be repeated on another row. ``form`` says whether
    the only option is judged, one of the options is picked, or the row has no options. ``chance`` is the
    expected score of a random reply (None: the expected score of a right reply to another row). ``fixed`` is
    the share of rows that one reply gets right by design. ``offered`` is whether the row itself shows its
    options; otherwise a reader has to find them. ``parts`` are parts of the right reply by name, ``written``
    the scores of ``ReplyRule`` by name.
    """

    id: str
    domain: str
    problem: str
    form: str
    text: str
    replies: frozenset[str]
    chance: float | None
    options: tuple[ReplyOption, ...] = ()
    objects: frozenset[str] = frozenset()
    fixed: float = 0.0
    offered: bool = False
    parts: Mapping[str, PartOfReply] = field(default_factory=dict)
    written: Mapping[str, ScoredGuess] = field(default_factory=dict)


class ReplyRule(NamedTuple):
    """A trick that writes whole replies to a row; the best of them counts, none means that it does not apply.

    ``chance`` is the expected score of a random reply. ``most`` limits the rows of a domain that are tried.
    """

    name: str
    replies: Callable[[Row], Sequence[str]]
    chance: Callable[[Row], float] = lambda _: 0.0
    most: int = 400


@dataclass(frozen=True)
class TargetMaker:
    """Makes targets of the rows of a table: the columns that it reads, and the rules that write replies."""

    columns: tuple[str, ...]
    target: Callable[[Row], Target]
    rules: tuple[ReplyRule, ...] = ()


@lru_cache(maxsize=DOMAINS_KEPT)
def domain_of(text: str) -> Domain:
    """Return the domain of a row, kept in each process."""
    return read_domain(text)
