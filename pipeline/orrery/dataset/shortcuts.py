"""Shortcuts: scores on yes/no and multiple choice without the context, by length, place or names.

Every figure is the expected share of right answers of a fixed rule, ties shared out evenly, or of a rule
learned from one half of the rows and tried on the other. What a rule of thumb has in two directions (the
shorter or the longer) counts in the better one, so that chance alone lies slightly above ``chance``.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import sqrt
from operator import itemgetter
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeAlias

from orrery.families.questions.kind import BOOL, MCQ
from orrery.families.questions.schemas import QUESTIONS
from orrery.store.shards import read_rows, splits

EVERY = "all"
WORD = re.compile(r"[^\s()]+")
CLAIMED = ("fact", "facts", "actions", "remove", "sequence")  # keys of what a claim is about
LIMIT = 0.03  # so much above chance is too much
CHANCE = {BOOL: 0.5, MCQ: 0.25}
COLUMNS = {
    BOOL: ("domain", "kind", "question", "answer", "claim", "PDDL_problem"),
    MCQ: ("domain", "kind", "answer", "choices", "claims", "PDDL_problem"),
}

Row: TypeAlias = Mapping[str, Any]
Score: TypeAlias = Callable[["Option"], float]


class Shortcut(NamedTuple):
    """The score of one rule on the rows of one kind (or all) and format."""

    kind: str
    format: str
    rule: str
    rows: int
    score: float
    chance: float

    @property
    def excess(self) -> float:
        """By how much the score lies above chance."""
        return self.score - self.chance

    @property
    def too_much(self) -> bool:
        """Whether the excess is above the limit, by more than chance explains (two standard errors)."""
        error = sqrt(self.chance * (1 - self.chance) / self.rows)
        return self.excess > LIMIT + 2 * error


@dataclass(frozen=True, slots=True)
class Option:
    """The surface features of a claim: its length in characters, its predicates or actions, its objects.

    ``ends`` says of a part of a plan whether it comes last, ``late`` how far behind it comes (from 0 to 1),
    ``first`` whether two parts share their first argument, ``named`` how many of a fact's objects the goal
    names, ``shared`` of a fact after an action how many of
    the objects of that action it names.
    """

    length: int
    names: tuple[str, ...]
    objects: tuple[str, ...]
    ends: bool = False
    shared: int = 0
    late: float = 0.0
    first: bool = False
    named: int = 0

    @property
    def repeats(self) -> int:
        """How many arguments name an object that was named before."""
        return len(self.objects) - len(set(self.objects))

    @property
    def words(self) -> frozenset[str]:
        """Names and objects together."""
        return frozenset((*self.names, *self.objects))


RULES: tuple[tuple[str, Score], ...] = (
    ("length", lambda option: option.length),
    ("number of parts", lambda option: len(option.names)),
    ("number of objects", lambda option: len(set(option.objects))),
    ("repeated objects", lambda option: option.repeats),
    ("end of the plan", lambda option: option.ends),
    ("objects of the action", lambda option: option.shared),
    ("place in the plan", lambda option: option.late),
    ("same first argument", lambda option: option.first),
    ("objects of the goal", lambda option: option.named),
)


def shortcuts(dataset: Path) -> list[Shortcut]:
    """Return the figures of all tables of a dataset, by kind (and for all together), format and rule."""
    found: list[Shortcut] = []
    there = splits(dataset)
    for form in (BOOL, MCQ):
        rows = []
        for name, table in sorted(QUESTIONS.items()):
            if table.format == form:
                paths = chain.from_iterable(there.get(name, {}).values())
                mine = [row for path in paths for row in read_rows(path, columns=["id", *COLUMNS[form]])]
                rows += sorted(mine, key=itemgetter("id"))
        found += measured(form, rows)
    return found


def measured(form: str, rows: Sequence[Row]) -> list[Shortcut]:
    """Return the figures of rows of one format, ``bool`` or ``mcq``; none where there are no rows."""
    by_kind: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_kind[row["kind"]].append(row)
    measure = _yes_no if form == BOOL else _choices
    found = []
    for kind, some in [*sorted(by_kind.items()), (EVERY, list(rows))]:
        scores = measure(some) if some else {}
        found += [
            Shortcut(kind, form, rule, len(some), score, CHANCE[form]) for rule, score in scores.items()
        ]
    return found


def _yes_no(rows: list[Row]) -> dict[str, float]:
    """Return, by rule, the score on yes/no: above the domain's median means one answer, else the other."""
    options = [_option(len(row["question"]), json.loads(row["claim"]), _goal_of(row)) for row in rows]
    right = [row["answer"] == "yes" for row in rows]
    found = {"one answer": _better(sum(right) / len(rows))}
    for rule, score in RULES:
        values = [score(option) for option in options]
        middle = _medians(rows, values)
        guesses = [_share(value, middle[_group(row)]) for row, value in zip(rows, values, strict=True)]
        hits = sum(guess if yes else 1 - guess for guess, yes in zip(guesses, right, strict=True))
        found[rule] = _better(hits / len(rows))
    pairs = [([option], [float(yes)]) for option, yes in zip(options, right, strict=True)]
    rates = _learned(rows, pairs)
    hits = sum(
        _share(rate[0], 0.5) if yes else 1 - _share(rate[0], 0.5)
        for rate, yes in zip(rates, right, strict=True)
    )
    return found | {"names": hits / len(rows)}


def _choices(rows: list[Row]) -> dict[str, float]:
    """Return, by rule, the score on multiple choice."""
    options = [_options(row) for row in rows]
    right = ["ABCD".index(row["answer"]) for row in rows]
    places = Counter(right)
    found = {"one place": max(places.values()) / len(rows)}
    for rule, score in RULES:
        found[f"least {rule}"] = _picked([[-score(o) for o in four] for four in options], right)
        found[f"most {rule}"] = _picked([[score(o) for o in four] for four in options], right)
    similarity = [[_similarity(o, four) for o in four] for four in options]
    found["most like the others"] = _picked(similarity, right)
    found["least like the others"] = _picked([[-value for value in four] for four in similarity], right)
    pairs = [
        (four, [float(place == number) for number in range(len(four))])
        for four, place in zip(options, right, strict=True)
    ]
    return found | {"names": _picked(_learned(rows, pairs), right)}


def _picked(values: list[list[float]], right: list[int]) -> float:
    """Return the share of rows whose right option has the largest value; ties shared out evenly."""
    hits = 0.0
    for four, place in zip(values, right, strict=True):
        best = max(four)
        hits += (four[place] == best) / four.count(best)
    return hits / len(values)


def _learned(rows: list[Row], pairs: list[tuple[list[Option], list[float]]]) -> list[list[float]]:
    """Return, for each option, how often its names were right in the other half of the rows."""
    seen: Counter[tuple[object, ...]] = Counter()
    hits: dict[tuple[object, ...], float] = defaultdict(float)
    for number, (row, (options, right)) in enumerate(zip(rows, pairs, strict=True)):
        for option, hit in zip(options, right, strict=True):
            key = (number % 2, *_group(row), option.names)
            seen[key] += 1
            hits[key] += hit
    found = []
    for number, (row, (options, _)) in enumerate(zip(rows, pairs, strict=True)):
        keys = [((number + 1) % 2, *_group(row), option.names) for option in options]
        found.append([hits[key] / seen[key] if seen[key] else 1 / max(2, len(options)) for key in keys])
    return found


def _group(row: Row) -> tuple[str, str]:
    return row["kind"], row["domain"]


def _medians(rows: list[Row], values: Iterable[float]) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row, value in zip(rows, values, strict=True):
        found[_group(row)].append(value)
    return {group: median(some) for group, some in found.items()}


def _share(value: float, middle: float) -> float:
    """Return 1 above the middle, 0 below, and a half at it."""
    return 0.5 + 0.5 * ((value > middle) - (value < middle))


def _better(score: float) -> float:
    return max(score, 1 - score)


def _similarity(option: Option, others: list[Option]) -> float:
    return sum(len(option.words & other.words) for other in others) - len(option.words)


def _options(row: Row) -> list[Option]:
    claims, goal = json.loads(row["claims"]), _goal_of(row)
    texts = row["choices"]["text"]
    return [_option(len(text), claim, goal) for text, claim in zip(texts, claims, strict=True)]


def _goal_of(row: Row) -> frozenset[str]:
    """Return the words of the goal."""
    return frozenset(WORD.findall(row["PDDL_problem"].partition("(:goal")[2]))


def _option(length: int, claim: Mapping[str, Any], goal: frozenset[str]) -> Option:
    """Return the surface features of a claim, by the keys of its JSON (see ``families.questions.claims``)."""
    keys = [key for key in CLAIMED if key in claim] or [key for key in ("action",) if key in claim]
    said = [text for key in keys for text in ([claim[key]] if isinstance(claim[key], str) else claim[key])]
    parts = [text.strip("()").split() for text in said]
    names = tuple(part[0] for part in parts)
    if "says" in claim:  # with the name of the last action, which might show whether the goal holds
        names = (claim["says"], *names[-1:])
    objects = tuple(name for part in parts for name in part[1:])
    asked = claim["action"].strip("()").split()[1:] if "facts" in claim and "action" in claim else ()
    behind = claim["at"][-1] + len(parts) if "at" in claim else 0
    return Option(
        length,
        names,
        objects,
        ends=bool(behind) and behind == len(claim["plan"]),
        shared=len({*asked} & {*objects}),
        late=behind / len(claim["plan"]) if behind else 0.0,
        first=len(parts) > 1 and len({part[1] if len(part) > 1 else "" for part in parts}) == 1,
        named=len(goal & {*objects}) if "fact" in claim else 0,
    )
