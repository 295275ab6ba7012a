"""Choose which rows of each table to keep for a domain, and which are spare rows.

When spare rows are added in their order, shares and balances of the kept rows do not change; they replace
rows that another domain lacks (see ``cells``).
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import starmap
from typing import NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from orrery.config import AskSize
from orrery.families.drafts import BOOL, MCQ
from orrery.families.questions import balance, blind
from orrery.families.questions.balance import RowCandidate
from orrery.families.questions.exchange import exchanged, level
from orrery.families.questions.schemas import QUESTIONS
from orrery.seeds import stream
from orrery.store.columns import Table

REPEATS = 3  # rows of one state in a table, with different claims, if a number of rows is promised
MOSTLY = 0.9
RARE = 0.02  # share of the drawn choices; if fewer match, almost none can be used
SPARE = 2  # maximum number of spare rows, in multiples of the wanted rows
UNMATCHED = "no counterpart in another state with the same surface features"
NEVER_MATCHED = "no true and no false claim on any state of the domain have the same surface features"
ONE_ANSWER = "all claims on the states of the split are true, or all are false"
GIVEN_AWAY = "one rule of thumb is right in nine of ten of the choices drawn"
NO_MORE = "further draws on all states gave no more claims that match"
RARELY = "fewer than one in fifty of the choices drawn have options of which each might be right"
ONLY_NONE = "nothing is out of reach, and None may be right in few rows only"
BLINDLY = "a fixed reply, or any reply of one form, would be right in too many rows"

Numbers: TypeAlias = dict[int, dict[int, int]]  # by part, the rows of a table with their ranks
Place: TypeAlias = tuple[int, int, str]  # the part of a candidate, its row there, and its item


class _KeptRows(NamedTuple):
    """The rows of a table and split: the kept ones, and the spare ones in their order."""

    kept: Sequence[RowCandidate]
    spare: Sequence[RowCandidate]


class ChosenRows(NamedTuple):
    """The kept and spare rows of each table, and the states that were left out.

    ``kept`` and ``spare`` map table and part to the numbers of the rows, each with its rank; ``again`` tells
    which of them are not the first row of their state. ``counts`` and ``spares`` map table and split to
    numbers of rows. ``items`` has the table and the name of each state with a kept row; ``unmatched`` has
    those of the states left out, with the reason. ``matchless`` are the tables in which no two claims match.
    """

    kept: Mapping[str, Numbers]
    spare: Mapping[str, Numbers]
    again: dict[tuple[str, int, int], int]
    counts: dict[tuple[str, str], int]
    spares: dict[tuple[str, str], int]
    items: set[tuple[str, str]]
    unmatched: list[tuple[str, str, str]]
    matchless: set[str]

    def rows(self, name: str, parts: Iterable[Table]) -> Iterator[Table]:
        """Yield the kept rows of a table, part by part."""
        for number, part in enumerate(parts):
            yield self._taken(name, number, part, sorted(self.kept[name][number]))

    def rows_to_spare(self, name: str, parts: Iterable[Table]) -> Iterator[Table]:
        """Yield the spare rows of a table; those to be added first come first."""
        if not any(self.spare[name]):
            return
        tables, ranks = list[Table](), list[int]()
        for number, part in enumerate(parts):
            ranked = self.spare[name][number]
            tables.append(self._taken(name, number, part, list(ranked)))
            ranks += ranked.values()
        if ranks:
            yield pa.concat_tables(tables).take(sorted(range(len(ranks)), key=ranks.__getitem__))

    def _taken(self, name: str, number: int, part: Table, rows: list[int]) -> Table:
        """Return some rows of a part; a row that is not the first of its state has a number in its id."""
        rows_taken = part.take(pa.array(rows, pa.int64()))  # typed, because the list may be empty
        times = [self.again.get((name, number, row), 1) for row in rows]
        if max(times, default=1) == 1:
            return rows_taken
        place = rows_taken.schema.get_field_index("id")
        names = zip(rows_taken["id"].to_pylist(), times, strict=True)
        renamed = pa.array([row_name if n == 1 else f"{row_name}/{n}" for row_name, n in names], pa.string())
        return rows_taken.set_column(place, rows_taken.schema.field(place), renamed)


def choose(
    tables: Collection[str], domain: str, parts: Callable[[], Iterable[Table]], size: AskSize, seed: int
) -> ChosenRows:
    """Choose rows of each table and split, according to ``size``, from the candidates of all parts.

    ``parts`` can be iterated several times; only the candidates of one table are in memory at a time.
    """
    names = {name for part in parts() for name in part["table"].unique().to_pylist()}
    kept, spare = (defaultdict[str, Numbers](lambda: defaultdict(dict)) for _ in range(2))
    chosen = ChosenRows(kept, spare, {}, {}, {}, set(), [], _of_claims(tables) - names)
    for name in sorted(names):
        by_split, places = _candidates(name, parts())
        matched = _matched(name, by_split)
        if not matched:
            chosen.matchless.add(name)
        draws = {split: stream(seed, "sides", domain, name, split) for split in sorted(by_split)}
        for split, draw in draws.items():
            # If no claims of the whole domain match, their subject would reveal the answer.
            rows = _some(name, by_split[split], size, draw) if matched else _KeptRows([], [])
            _enter(chosen, name, split, rows, places)
            if len(rows.kept) < size.questions - (not size.exact):
                states = {candidate.state for candidate in rows.kept}
                left_out = {
                    places[candidate.row][2]: candidate
                    for candidate in by_split[split]
                    if candidate.state not in states
                }
                no_match = _no_match(name, by_split[split]) if matched else NEVER_MATCHED
                chosen.unmatched.extend(
                    (name, item, reason_of(candidate, no_match)) for item, candidate in left_out.items()
                )
    return chosen


def _of_claims(tables: Collection[str]) -> set[str]:
    return {name for name in tables if QUESTIONS[name].format in (BOOL, MCQ)}


def _candidates(name: str, parts: Iterable[Table]) -> tuple[dict[str, list[RowCandidate]], list[Place]]:
    """Return the candidates of a table by split, and the place of each; equal pairs are stored once."""
    by_split: dict[str, list[RowCandidate]] = defaultdict(list)
    places: list[Place] = []

    @cache
    def pair(rule: str, value: int) -> tuple[str, int]:
        return rule, value

    for number, part in enumerate(parts):
        for row in part.filter(pc.equal(part["table"], name)).to_pylist():
            shifts, leans = (tuple(starmap(pair, json.loads(row[key]))) for key in ("shifts", "leans"))
            claim = (row["state"], row["answer"], shifts, row["matched"], row["claim"], leans)
            by_split[row["split"]].append(RowCandidate(len(places), *claim))
            places.append((number, row["row"], row["item"]))
    return by_split, places


def _enter(chosen: ChosenRows, name: str, split: str, rows: _KeptRows, places: Sequence[Place]) -> None:
    """Record which rows of a table and split are kept and which are spare."""
    times: Counter[int] = Counter()
    chosen.items.update((name, places[candidate.row][2]) for candidate in rows.kept)
    for candidates, numbers in ((rows.kept, chosen.kept), (rows.spare, chosen.spare)):
        for rank, candidate in enumerate(candidates):
            part, row, _ = places[candidate.row]
            numbers[name][part][row] = rank
            times[candidate.state] += 1
            if times[candidate.state] > 1:
                chosen.again[name, part, row] = times[candidate.state]
    chosen.counts[name, split] = len(rows.kept)
    chosen.spares[name, split] = len(rows.spare)


def _some(name: str, candidates: list[RowCandidate], size: AskSize, rng: random.Random) -> _KeptRows:
    """Return the kept and spare rows of a table and split; if rows are missing, there are no spare ones.

    ``rng`` chooses if both answers are possible.
    """
    form, most = QUESTIONS[name].format, size.questions
    repeats, spare = (REPEATS, SPARE * most) if size.exact else (1, 0)
    if form == BOOL:
        chosen = exchanged(balance.choose_bool(candidates, most, rng, repeats=repeats), candidates)
        unasked = _others(candidates, chosen) if len(chosen) == most else []
        return _KeptRows(chosen, exchanged(balance.pairs(unasked, spare, rng), unasked))
    if form == MCQ:
        chosen = exchanged(balance.choose_mcq(candidates, most, repeats=repeats), candidates)
        if size.exact:  # others are drawn as replacements, or other domains add some
            chosen = level(chosen)
        unasked = _others(candidates, chosen) if len(chosen) == most else []
        return _KeptRows(chosen, level(exchanged(balance.choose_mcq(unasked, spare), unasked)))
    if any(candidate.answer for candidate in candidates):
        shares = {"none": size.none, "blind": size.blind}
        chosen = balance.choose_open(candidates, most, search=size.search, **shares)
        spare = spare if len(chosen) == most else 0
        return _KeptRows(chosen, balance.more_open(candidates, chosen, spare, **shares))
    return _KeptRows(candidates[:most], candidates[most : most + spare])


def _others(candidates: Iterable[RowCandidate], chosen: Iterable[RowCandidate]) -> list[RowCandidate]:
    """Return the candidates of states without a kept row."""
    states = {candidate.state for candidate in chosen}
    return [candidate for candidate in candidates if candidate.state not in states]


def reason_of(candidate: RowCandidate, no_match: str = UNMATCHED) -> str:
    """Return why a row was left out although more rows are wanted; for claims, the reason is ``no_match``."""
    if not candidate.answer or candidate.answer in (balance.YES, balance.NO):
        return no_match
    return ONLY_NONE if candidate.answer == blind.NONE else BLINDLY


def _no_match(name: str, choices: Sequence[RowCandidate]) -> str:
    """Return why the claims of a table and split that were left out have no match, although others have."""
    if QUESTIONS[name].format == BOOL and len({choice.answer for choice in choices}) == 1:
        return ONE_ANSWER
    if QUESTIONS[name].format != MCQ:
        return UNMATCHED
    hits = Counter(
        rule for choice in choices for rule, shift in choice.shifts if rule[0] == balance.RULE and shift > 0
    )
    if max(hits.values(), default=0) >= MOSTLY * len(choices):
        return GIVEN_AWAY
    return RARELY if sum(choice.matched for choice in choices) < RARE * len(choices) else UNMATCHED


def _matched(name: str, by_split: Mapping[str, list[RowCandidate]]) -> bool:
    """Return whether some true and false claims match; this is always so for open questions."""
    all_candidates = [candidate for candidates in by_split.values() for candidate in candidates]
    is_bool = QUESTIONS[name].format == BOOL
    return balance.has_matches(all_candidates) if is_bool else any(row.matched for row in all_candidates)
