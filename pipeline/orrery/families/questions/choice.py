"""Choose which rows of each table to keep for a domain, and which are spare rows.

When spare rows are added in their order, shares and balances of the kept rows do not change; they replace
rows that another domain lacks (see ``cells``).
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count, starmap
from typing import TypeAlias

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

Place: TypeAlias = tuple[int, int, int]  # a row of a part, how often its state was asked about, and its rank


@dataclass(frozen=True)
class ChosenRows:
    """The kept and spare rows of each table and split, in their order, and the states that were left out.

    ``unmatched`` has the table and the name of each state left out, with the reason. ``matchless`` are the
    tables in which no two claims match.
    """

    kept: dict[tuple[str, str], Sequence[RowCandidate]]
    spare: dict[tuple[str, str], Sequence[RowCandidate]]
    unmatched: list[tuple[str, str, str]]
    matchless: set[str]

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """The number of kept rows of each table and split."""
        return Counter({cell: len(rows) for cell, rows in self.kept.items()})

    @property
    def spares(self) -> Counter[tuple[str, str]]:
        """The number of spare rows of each table and split."""
        return Counter({cell: len(rows) for cell, rows in self.spare.items()})

    @property
    def items(self) -> set[tuple[str, str]]:
        """The table and the name of each state with a kept row."""
        return {(name, row.item) for (name, _), rows in self.kept.items() for row in rows}

    def rows(self, name: str, parts: Iterable[Table]) -> Iterator[Table]:
        """Yield the kept rows of a table, part by part."""
        kept = self._places(name, spare=False)
        for number, part in enumerate(parts):
            yield _taken(part, sorted(kept[number]))

    def rows_to_spare(self, name: str, parts: Iterable[Table]) -> Iterator[Table]:
        """Yield the spare rows of a table; those to be added first come first."""
        spare = self._places(name, spare=True)
        if not spare:  # parts are read only if needed
            return
        tables = [_taken(part, spare[number]) for number, part in enumerate(parts)]
        ranks = [rank for number in range(len(tables)) for *_, rank in spare[number]]
        if ranks:
            yield pa.concat_tables(tables).take(sorted(range(len(ranks)), key=ranks.__getitem__))

    def _places(self, name: str, *, spare: bool) -> dict[int, list[Place]]:
        """Return the places of the kept or spare rows of a table by part."""
        places: dict[int, list[Place]] = defaultdict(list)
        for cell, kept in self.kept.items():
            times: Counter[int] = Counter()
            for rank, row in enumerate((*kept, *self.spare[cell])) if cell[0] == name else ():
                times[row.state] += 1
                if (rank >= len(kept)) == spare:
                    places[row.part].append((row.number, times[row.state], rank))
        return places


def _taken(part: Table, places: Sequence[Place]) -> Table:
    """Return some rows of a part; a row that is not the first of its state has a number in its id."""
    taken = part.take(pa.array([number for number, *_ in places], pa.int64()))  # typed, as it may be empty
    times = [time for _, time, _ in places]
    if max(times, default=1) == 1:
        return taken
    at = taken.schema.get_field_index("id")
    names = zip(taken["id"].to_pylist(), times, strict=True)
    renamed = pa.array([name if time == 1 else f"{name}/{time}" for name, time in names], pa.string())
    return taken.set_column(at, taken.schema.field(at), renamed)


def for_examples(size: AskSize) -> AskSize:
    """Return the settings for a domain that provides only the examples of prompts: nobody guesses there."""
    return size.model_copy(update={"none": 1.0, "blind": 1.0})


def choose(
    tables: Collection[str], domain: str, parts: Callable[[], Iterable[Table]], size: AskSize, seed: int
) -> ChosenRows:
    """Choose rows of each table and split, according to ``size``, from the candidates of all parts.

    ``parts`` can be iterated several times; only the candidates of one table are in memory at a time.
    """
    names = {name for part in parts() for name in part["table"].unique().to_pylist()}
    chosen = ChosenRows({}, {}, [], _of_claims(tables) - names)
    for name in sorted(names):
        by_split = _candidates(name, parts())
        matched = _matched(name, by_split)
        if not matched:
            chosen.matchless.add(name)
        for split in sorted(by_split):
            rng = stream(seed, "sides", domain, name, split)
            # If no claims of the whole domain match, their subject would reveal the answer.
            kept, spare = _kept_and_spare_rows(name, by_split[split], size, rng) if matched else ([], [])
            chosen.kept[name, split], chosen.spare[name, split] = kept, spare
            if len(kept) < size.questions - (not size.exact):
                left_out = {
                    candidate.item: candidate for candidate in _unused_candidates(by_split[split], kept)
                }
                no_match = _no_match(name, by_split[split]) if matched else NEVER_MATCHED
                chosen.unmatched.extend(
                    (name, item, reason_of(candidate, no_match)) for item, candidate in left_out.items()
                )
    return chosen


def _of_claims(tables: Collection[str]) -> set[str]:
    return {name for name in tables if QUESTIONS[name].format in (BOOL, MCQ)}


def _candidates(name: str, parts: Iterable[Table]) -> dict[str, list[RowCandidate]]:
    """Return the candidates of a table by split; equal pairs are stored once."""
    by_split: dict[str, list[RowCandidate]] = defaultdict(list)
    rows = count()

    @cache
    def pair(rule: str, value: int) -> tuple[str, int]:
        return rule, value

    for number, part in enumerate(parts):
        for row in part.filter(pc.equal(part["table"], name)).to_pylist():
            shifts, leans = (tuple(starmap(pair, json.loads(row[key]))) for key in ("shifts", "leans"))
            claim = (row["state"], row["answer"], shifts, row["matched"], row["claim"], leans)
            place = (number, row["row"], row["item"])
            by_split[row["split"]].append(RowCandidate(next(rows), *claim, *place))
    return by_split


def _kept_and_spare_rows(
    name: str, candidates: list[RowCandidate], size: AskSize, rng: random.Random
) -> tuple[Sequence[RowCandidate], Sequence[RowCandidate]]:
    """Return the kept and spare rows of a table and split; if rows are missing, there are no spare ones.

    ``rng`` chooses if both answers are possible.
    """
    form, most = QUESTIONS[name].format, size.questions
    repeats, spare = (REPEATS, SPARE * most) if size.exact else (1, 0)
    if form == BOOL:
        chosen = exchanged(balance.choose_bool(candidates, most, rng, repeats=repeats), candidates)
        unasked = _unused_candidates(candidates, chosen) if len(chosen) == most else []
        return chosen, exchanged(balance.pairs(unasked, spare, rng), unasked)
    if form == MCQ:
        chosen = exchanged(balance.choose_mcq(candidates, most, repeats=repeats), candidates)
        if size.exact:  # others are drawn as replacements, or other domains add some
            chosen = level(chosen)
        unasked = _unused_candidates(candidates, chosen) if len(chosen) == most else []
        return chosen, level(exchanged(balance.choose_mcq(unasked, spare), unasked))
    if any(candidate.answer for candidate in candidates):
        shares = {"none": size.none, "blind": size.blind}
        chosen = balance.choose_open(candidates, most, search=size.search, **shares)
        spare = spare if len(chosen) == most else 0
        return chosen, balance.more_open(candidates, chosen, spare, **shares)
    return candidates[:most], candidates[most : most + spare]


def _unused_candidates(
    candidates: Iterable[RowCandidate], chosen: Iterable[RowCandidate]
) -> list[RowCandidate]:
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
