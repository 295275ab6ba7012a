"""Scores of replies without skill: a random applicable action, None, one reply for all.

The functions work on rows, whoever read them: ours, or published ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from orrery.families import families
from orrery.families.questions.kind import kind_and_format
from orrery.families.questions.kinds import question_kinds
from orrery.families.questions.question_row import OPEN
from orrery.model import UsageError
from orrery.store.shards import read_rows, splits

Row: TypeAlias = Mapping[str, Any]

EVERY = "all"
RANDOM, NONE, MAJORITY = "random applicable action", "None", "majority"
NEXT = "goal_closer_gen"
# What a rule looks at; a table has some of them.
COLUMNS = ("group", "kind", "domain", "answer", "answer_all", "answer_all_is", "plan", "positions")


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
        columns = [name for name in COLUMNS if name in table.schema.names]
        found += measured([row for path in paths for row in read_rows(path, columns=columns)])
    if not found:
        what = f"has no questions in split '{split}'" if split else "has no questions"
        raise UsageError(f"dataset {dataset}", what, "build it: `make data`, or give --dataset")
    return found


def measured(rows: Sequence[Row]) -> list[Baseline]:
    """Return the figures of every rule on ``rows``: random actions by domain, others by kind and format."""
    return [*random_next(rows), *always_none(rows), *majority(rows)]


def random_next(rows: Iterable[Row]) -> list[Baseline]:
    """Return the expected score of a random applicable action as the next action, by domain and in all.

    Actions that a row leaves undecided (``maybe``, in published rows) count as wrong.
    """
    shares: dict[str, list[float]] = defaultdict(list)
    kinds: dict[str, str] = {}
    for row in rows:
        if row["group"] == NEXT:
            answer = row["answer"]
            right, every = len(answer["yes"]), sum(len(answer[key]) for key in ("yes", "no", "maybe"))
            domain = str(row.get("domain", ""))
            kinds[domain], _ = kind_and_format(row)
            for name in (domain, EVERY):
                shares[name].append(right / every if every else 0.0)
    kind = next(iter(kinds.values()), "")
    order = [*sorted(set(shares) - {EVERY}), *[EVERY] * bool(shares)]
    return [
        Baseline(RANDOM, kind, "gen", name, len(shares[name]), sum(shares[name]) / len(shares[name]))
        for name in order
    ]


def always_none(rows: Iterable[Row]) -> list[Baseline]:
    """Return what the reply None scores, by kind, where questions are open."""
    return _shares(NONE, (row for row in rows if kind_and_format(row)[1] == OPEN), _none_is_right)


def majority(rows: Iterable[Row]) -> list[Baseline]:
    """Return what the best single reply scores that is given to all questions of a kind and format.

    It is chosen on the rows that it is tried on, so no constant reply scores more.
    """
    by_group = _by_kind_and_format(rows)
    found = []
    for (kind, form), some in by_group.items():
        counts = Counter(reply for row in some for reply in right_replies(row))
        best = max(counts.values(), default=0)
        found.append(Baseline(MAJORITY, kind, form, EVERY, len(some), best / len(some)))
    return found


def right_replies(row: Row) -> set[str]:
    """Return the right replies, None where nothing is asked for, some of very many unreachable actions."""
    group = row["group"]
    found = {kind.group_of(OPEN): kind for kind in question_kinds().values()}.get(group)
    return set((found.every_reply or found.replies)(row)) if found else {str(row["answer"])}


def _none_is_right(row: Row) -> bool:
    return NONE in right_replies(row)


def _shares(rule: str, rows: Iterable[Row], right: Callable[[Row], bool]) -> list[Baseline]:
    return [
        Baseline(rule, kind, form, EVERY, len(some), sum(map(right, some)) / len(some))
        for (kind, form), some in _by_kind_and_format(rows).items()
    ]


def _by_kind_and_format(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        found[kind_and_format(row)].append(row)
    return dict(sorted(found.items()))
