"""Scores of replies without skill: a random applicable action, None, one reply for all.

The functions work on rows, whoever read them: ours, or published ones.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import cache
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

from orrery.families import families
from orrery.families.questions.kind import Kind
from orrery.families.questions.kinds import question_kinds
from orrery.families.questions.question_row import OPEN
from orrery.families.questions.schemas import QUESTIONS, QuestionTable
from orrery.model import UsageError
from orrery.scoring.scorers.questions import kind_and_format
from orrery.store.by_digest import ByDigest, digests, most_frequent
from orrery.store.shards import read_rows, splits

Row: TypeAlias = Mapping[str, Any]

PIECE = 10_000  # replies in memory
EVERY = "all"
RANDOM, NONE, MAJORITY = "random applicable action", "None", "majority"
NEXT = "goal_closer_gen"
COLUMNS = ("group", "kind", "domain", "answer")  # what a rule looks at besides what a right reply takes


class Baseline(NamedTuple):
    """The score of one rule on the rows of a kind and format, of one domain or of all."""

    rule: str
    kind: str
    format: str
    domain: str
    rows: int
    score: float


def baselines(dataset: Path, split: str | None = None) -> list[Baseline]:
    """Return the figures of all tables of questions of a dataset, of all splits where ``split`` is None.

    Raises:
        UsageError: there are no questions.
    """
    found: list[Baseline] = []
    files = splits(dataset)
    for table in sorted(families()["questions"].tables, key=attrgetter("name")):
        by_split = files.get(table.name, {})
        paths = by_split.get(split, []) if split else chain.from_iterable(by_split.values())
        columns = read_of(QUESTIONS[table.name])
        found += measured(row for path in paths for row in read_rows(path, columns=columns))
    if not found:
        what = f"has no questions in split '{split}'" if split else "has no questions"
        raise UsageError(f"dataset {dataset}", what, "build it: `make data`, or give --dataset")
    return found


def read_of(table: QuestionTable) -> list[str]:
    """Return the columns of a table that rules look at: those of ``right_replies`` included."""
    kind = table.kind
    own = [each.name for each in kind.columns] if kind.every_reply else kind.reply_columns
    return [name for name in table.schema.names if name in {*COLUMNS, *own}]


def measured(rows: Iterable[Row]) -> list[Baseline]:
    """Return the figures of every rule on ``rows``: random actions by domain, others by kind and format.

    Rows are read once, and none is held.
    """
    with closing(_Majority()) as best:
        rules: list[_Rule] = [_RandomNext(), _AlwaysNone(), best]
        for row in rows:
            for rule in rules:
                rule.see(row)
        return [figure for rule in rules for figure in rule.figures()]


class _Rule(Protocol):
    """A rule that is tried on one row after the other."""

    def see(self, row: Row) -> None:
        """Try it on a row."""

    def figures(self) -> list[Baseline]:
        """Return what it scores on the rows that it was tried on."""


class _RandomNext:
    """The expected score of a random applicable action as the next action, by domain, eight bytes a row.

    Actions that a row leaves undecided (``maybe``, in published rows) count as wrong.
    """

    def __init__(self) -> None:
        self._shares: dict[str, array[float]] = defaultdict(lambda: array("d"))
        self._kinds: dict[str, str] = {}

    def see(self, row: Row) -> None:
        if row["group"] != NEXT:
            return
        answer = row["answer"]
        right, every = len(answer["yes"]), sum(len(answer[key]) for key in ("yes", "no", "maybe"))
        domain = str(row.get("domain", ""))
        self._kinds[domain], _ = kind_and_format(row)
        for name in (domain, EVERY):
            self._shares[name].append(right / every if every else 0.0)

    def figures(self) -> list[Baseline]:
        shares, kind = self._shares, next(iter(self._kinds.values()), "")
        order = [*sorted(set(shares) - {EVERY}), *[EVERY] * bool(shares)]
        return [
            Baseline(RANDOM, kind, "gen", name, len(shares[name]), sum(shares[name]) / len(shares[name]))
            for name in order
        ]


class _AlwaysNone:
    """How many rows there are, and in how many None is right, by kind and format."""

    def __init__(self) -> None:
        self._rows, self._right = Counter[tuple[str, str]](), Counter[tuple[str, str]]()

    def see(self, row: Row) -> None:
        named = kind_and_format(row)
        if named[1] == OPEN:
            self._rows[named] += 1
            self._right[named] += NONE in right_replies(row)

    def figures(self) -> list[Baseline]:
        return [
            Baseline(NONE, *named, EVERY, count, self._right[named] / count)
            for named, count in sorted(self._rows.items())
        ]


class _Majority:
    """What the best single reply scores that is given to all questions of a kind and format.

    It is chosen on the rows that it is tried on, so no constant reply scores more. Kept are the digests of
    all right replies, by way of the disk.
    """

    def __init__(self) -> None:
        self._rows = Counter[tuple[str, str]]()
        self._said: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._replies: dict[tuple[str, str], ByDigest] = defaultdict(ByDigest)

    def see(self, row: Row) -> None:
        named = kind_and_format(row)
        self._rows[named] += 1
        self._said[named] += right_replies(row)
        if len(self._said[named]) >= PIECE:
            self._put_away(named)

    def _put_away(self, named: tuple[str, str]) -> None:
        self._replies[named].add(digests(self._said.pop(named, ())))

    def figures(self) -> list[Baseline]:
        found = []
        for named, count in sorted(self._rows.items()):
            self._put_away(named)
            best = max(map(most_frequent, self._replies[named]))
            found.append(Baseline(MAJORITY, *named, EVERY, count, best / count))
        return found

    def close(self) -> None:
        """Remove what is on the disk."""
        for replies in self._replies.values():
            replies.close()


def right_replies(row: Row) -> set[str]:
    """Return the right replies, None where nothing is asked for, some of very many unreachable actions."""
    found = _asked_openly().get(row["group"])
    return set((found.every_reply or found.replies)(row)) if found else {str(row["answer"])}


@cache
def _asked_openly() -> dict[str, Kind]:
    """Return the kinds by the group of their open questions; the folder is looked through once a process."""
    return {kind.group_of(OPEN): kind for kind in question_kinds().values()}
