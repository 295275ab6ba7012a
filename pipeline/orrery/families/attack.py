"""Data for shortcuts: replies to a row that need no understanding, and the features that a shortcut may use.

A family converts each row of a table to a *target*: the possible replies, the correct ones, and the expected
score of a random reply. The shortcuts are in ``dataset.adversary``; a family only defines measures of replies
and rules that write whole replies. For a table without ``TargetMaker``, the adversary uses texts and gold
replies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from orrery.model import Domain, Row
from orrery.pddl.read import read_domain

JUDGE, PICK, WRITE = "judge", "pick", "write"  # yes/no to a claim; one of several options; free text
DOMAINS_KEPT = 64
NO_MEASURES: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ReplyOption:
    """A claim, option or reply, with features that need no understanding.

    ``measures`` are numbers by name: a shortcut prefers the largest or the smallest. ``marks`` are words,
    mainly names: a shortcut learns for each domain how often an option with a mark is correct. ``conditions``
    tell, by predicate, whether single preconditions hold now; each one is a part of the truth.
    """

    text: str
    right: bool
    measures: Mapping[str, float] = field(default_factory=lambda: NO_MEASURES)
    marks: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()


class ScoredGuess(NamedTuple):
    """The score of a guess on a row, and the expected score of a random guess."""

    score: float
    chance: float


class PartOfReply(NamedTuple):
    """The correct value of a part of the reply, such as the failing step, and the chance to guess it."""

    value: str
    chance: float


@dataclass(frozen=True, slots=True)
class Target:
    """A row for shortcuts to answer.

    ``problem`` identifies rows that must not be learned from each other. ``objects`` are the names to mask in
    ``text``. ``replies`` are the correct replies, each in a form that can be repeated on another row.
    ``form`` tells whether one option is judged, one of several options is chosen, or the row has no options.
    ``chance`` is the expected score of a random reply (None: the expected score of a correct reply to another
    row). ``fixed`` is the share of rows for which one constant reply is correct by design. ``offered`` tells
    whether the row itself shows its options; otherwise, a reader has to find them. ``parts`` are the parts of
    the correct reply by name, ``written`` the scores of ``ReplyRule`` by name. The adversary sets ``train``,
    whether the row is in the training split, and ``fold``, that of its problem.
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
    train: bool = False
    fold: int = 0


class ReplyRule(NamedTuple):
    """A shortcut that writes whole replies to a row; the best one counts.

    No reply means that it does not apply.

    ``chance`` is the expected score of a random reply. ``most`` limits the rows per domain on which it is
    tried.
    """

    name: str
    replies: Callable[[Row], Sequence[str]]
    chance: Callable[[Row], float] = lambda _: 0.0
    most: int = 400


@dataclass(frozen=True)
class TargetMaker:
    """Makes targets from the rows of a table; lists the columns to read and the rules that write replies."""

    columns: tuple[str, ...]
    target: Callable[[Row], Target]
    rules: tuple[ReplyRule, ...] = ()


@lru_cache(maxsize=DOMAINS_KEPT)
def domain_of(text: str) -> Domain:
    """Return the domain of a row, cached in each process."""
    return read_domain(text)
