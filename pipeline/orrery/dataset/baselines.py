"""What replies without any skill score on the questions: a random applicable action, None, one reply for all.

The functions work on rows, whoever read them: ours, or published ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from orrery.families import families
from orrery.model import UsageError
from orrery.store.shards import read_rows, splits

Row: TypeAlias = Mapping[str, Any]

EVERY = "all"
RANDOM, NONE, MAJORITY = "random applicable action", "None", "majority"
NEXT = "goal_closer_gen"
FORMATS: Mapping[str, str] = {"gen": "gen", "bool": "bool", "mc": "mcq", "mcq": "mcq"}
# What a rule looks at; a table has some of them.
COLUMNS = ("group", "kind", "domain", "answer", "answer_all", "answer_all_is", "plan", "positions")


class Baseline(NamedTuple):
    """What one rule scores on the rows of a kind and format, of one domain or of all."""

    rule: str
    kind: str
    format: str
    domain: str
    rows: int
    score: float


def baselines(dataset: Path, split: str | None = None) -> list[Baseline]:
    """The figures of all tables of questions of a dataset, of all splits where ``split`` is None.

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
    """The figures of every rule on ``rows``: random actions by domain, others by kind and format."""
    return [*random_next(rows), *always_none(rows), *majority(rows)]


def random_next(rows: Iterable[Row]) -> list[Baseline]:
    """What a random applicable action is expected to score as the next action, by domain and in all.

    Actions that a row leaves undecided (``maybe``, in published rows) count as wrong.
    """
    shares: dict[str, list[float]] = defaultdict(list)
    kinds: dict[str, str] = {}
    for row in rows:
        if row["group"] == NEXT:
            answer = row["answer"]
            right, every = len(answer["yes"]), sum(len(answer[side]) for side in ("yes", "no", "maybe"))
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
    """What the reply None scores, by kind, where questions are open."""
    return _shares(NONE, (row for row in rows if kind_and_format(row)[1] == "gen"), _none_is_right)


def majority(rows: Iterable[Row]) -> list[Baseline]:
    """What the best single reply scores that is given to all questions of a kind and format.

    It is chosen on the rows that it is tried on, so no constant reply scores more.
    """
    by_group = _by_kind_and_format(rows)
    found = []
    for (kind, form), some in by_group.items():
        counts = Counter(reply for row in some for reply in right_replies(row))
        best = max(counts.values(), default=0)
        found.append(Baseline(MAJORITY, kind, form, EVERY, len(some), best / len(some)))
    return found


def kind_and_format(row: Row) -> tuple[str, str]:
    """The kind of a row, by its own name or that of its group, and ``gen``, ``bool`` or ``mcq``."""
    name, _, form = row["group"].rpartition("_")
    return str(row.get("kind") or name), FORMATS.get(form, form)


def right_replies(row: Row) -> set[Hashable]:
    """The replies that are right, None where nothing is asked for; of very many unreachable actions some."""
    answer = row["answer"]
    kind, form = row["group"].removesuffix("_gen"), kind_and_format(row)[1]
    if form != "gen" or kind == "validation":
        return {answer}
    readers: Mapping[str, Callable[[], set[Hashable]]] = {
        "applicable_actions": lambda: {frozenset(answer)},
        "progression": lambda: {(frozenset(answer["pos"]), frozenset(answer["neg"]))},
        "action_justification": lambda: set(_simplified(row)),
        "landmarks": lambda: set(answer["yes"]) or {None},
        "goal_closer": lambda: set(answer["yes"]) or {None},
    }
    return readers[kind]() if kind in readers else (set(_unreachable(row)) or {None})


def _unreachable(row: Row) -> Sequence[str]:
    complete = row.get("answer_all")
    known = complete is not None and row.get("answer_all_is") != "reachable"
    return [str(each) for each in (complete if known and complete is not None else row["answer"])]


def _simplified(row: Row) -> Iterator[tuple[str, ...]]:
    """The plans that are right; of published rows, which lack positions, the removals in their place."""
    plan, positions = row.get("plan"), row.get("positions")
    if plan is None or positions is None:
        yield from (tuple(removal) for removal in row["answer"])
        return
    for start, removal in zip(positions, row["answer"], strict=True):
        yield (*plan[:start], *plan[start + len(removal) - 1 :])


def _none_is_right(row: Row) -> bool:
    answer = row["answer"]
    if isinstance(answer, Mapping):
        return not any(answer[side] for side in ("pos", "neg", "yes") if side in answer)
    return not isinstance(answer, int) and not len(answer)


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
