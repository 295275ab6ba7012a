"""Choose the drafts to keep: evenly from all strata and states, and no problem in two splits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from orrery.catalog import SPLITS
from orrery.config import PoseSize
from orrery.families.plans.source import PLAIN
from orrery.families.plans.tasks import plan_tasks
from orrery.seeds import digest
from orrery.store.columns import Table

UNDECIDED = "undecided"
LEAD = 3  # rows of a part for each row of the part that it leads


class DraftPlace(NamedTuple):
    """A draft: the place of its rows (part, first row and count), and the data for the choice."""

    pieces: tuple[tuple[int, int, int], ...]
    item: str
    stratum: str
    keys: frozenset[str]
    half: str = ""

    @property
    def rows(self) -> int:
        """The number of its rows."""
        return sum(count for _, _, count in self.pieces)


class Chosen(NamedTuple):
    """The kept rows by table and part; numbers of plain rows by table and split, and of dropped drafts."""

    rows: dict[str, dict[int, list[int]]]
    counts: Counter[tuple[str, str]]
    left_out: Counter[tuple[str, str]]

    def of(self, table: str, parts: Iterable[Table]) -> Iterable[Table]:
        """Yield the kept rows of a table, part by part."""
        for number, part in enumerate(parts):
            if numbers := self.rows[table].get(number):
                yield part.take(sorted(numbers))


def choose(domain: str, parts: Iterable[Table], size: PoseSize, splits_by_key: Mapping[str, str]) -> Chosen:
    """Choose rows of every table, split and vocabulary of a domain.

    ``splits_by_key`` has the splits of the domain's problems. A draft on a problem of another split is
    dropped. A draft of train or validation is also dropped if a kept draft of test is on the same problem.
    """
    by_cell: dict[tuple[str, str, str, int], list[DraftPlace]] = defaultdict(list)
    for number, part in enumerate(parts):
        for row in part.to_pylist():
            cell = (row["split"], row["table"], row["vocabulary"], row["band"])
            pieces = ((number, row["first"], row["rows"]),)
            keys = frozenset(row["keys"])
            by_cell[cell].append(DraftPlace(pieces, row["item"], row["stratum"], keys, row["half"]))
    tasks = {task.table_of(): task for task in plan_tasks().values()}
    chosen = Chosen(defaultdict(lambda: defaultdict(list)), Counter(), Counter())
    owner = dict(splits_by_key)
    for split in SPLITS:  # the test split first
        mine = {cell: drafts for cell, drafts in by_cell.items() if cell[0] == split}
        kept_keys = set[str]()
        for (_, table, vocabulary, band), candidates in sorted(mine.items()):
            apart = [
                drafts
                for drafts in candidates
                if all(key != UNDECIDED and owner.get(key, split) == split for key in drafts.keys)
            ]
            chosen.left_out[table, "a problem of another split"] += len(candidates) - len(apart)
            most = size.bands.get(band, 0) if band else _most(size, vocabulary)
            salt = " ".join([domain, split, table, vocabulary, *([str(band)] * (band > 0))])
            for drafts in evenly(joined(apart), most, salt, tasks[table].largest, tasks[table].led):
                for part, first, count in drafts.pieces:
                    chosen.rows[table][part] += range(first, first + count)
                chosen.counts[table, split] += drafts.rows * (vocabulary == PLAIN and not band)
                kept_keys |= drafts.keys
        for key in kept_keys:
            owner.setdefault(key, split)
    return chosen


def joined(candidates: Iterable[DraftPlace]) -> list[DraftPlace]:
    """Return complete drafts, and pairs of halves in their order; halves without a partner are dropped."""
    singles, halves = list[DraftPlace](), defaultdict[str, list[DraftPlace]](list)
    for draft in candidates:
        (halves[draft.half] if draft.half else singles).append(draft)
    for half in sorted(name for name in halves if name.startswith("-")):
        for first, second in zip(halves[half], halves.get(f"+{half[1:]}", ()), strict=False):
            singles.append(
                DraftPlace(first.pieces + second.pieces, first.item, first.stratum, first.keys | second.keys)
            )
    return singles


def _most(size: PoseSize, vocabulary: str) -> int:
    """Return the number of rows of a vocabulary to keep: at least one if any are wanted."""
    if vocabulary == PLAIN:
        return size.rows
    share = next((share for name, share in size.vocabularies.items() if name == vocabulary), 0.0)
    return max(1, round(size.rows * share)) if size.rows and share else 0


def evenly(
    candidates: list[DraftPlace],
    most: int,
    salt: str = "",
    largest: Fraction = Fraction(1),
    led: Mapping[str, str] = MappingProxyType({}),
) -> list[DraftPlace]:
    """Return drafts with about ``most`` rows, evenly from strata and states.

    The next draft is always from the stratum and the state with the fewest rows.

    Strata with a slash are parts of the stratum before the slash, and are filled evenly, too. Between equal
    ones, that with the fewest candidates comes first: a rare stratum has none on other states. ``salt``
    decides between equal candidates. A draft that exceeds ``most`` is kept only if it is the first. No
    stratum gets more than the share ``largest`` of the rows of its part, whatever its size. A part that is
    ``led`` by another has at most one row for every ``LEAD`` rows of that one.
    """
    waiting: dict[str, list[DraftPlace]] = defaultdict(list)
    for draft in candidates:
        waiting[draft.stratum].append(draft)
    candidates_of = Counter(_part(draft.stratum) for draft in candidates)
    turn = {name: (candidates_of[_part(name)], digest(salt, name)) for name in waiting}
    limits = _limits(waiting, largest)
    upper, lower, states = Counter[str](), Counter[str](), Counter[str]()
    chosen, total = list[DraftPlace](), 0
    while total < most:
        ready = [name for name in waiting if _may_follow(_part(name), upper, led)]
        if not ready:
            break
        stratum = min(ready, key=lambda name: (upper[_part(name)], lower[name], turn[name]))
        drafts = waiting[stratum]
        draft = drafts.pop(min(range(len(drafts)), key=lambda number: (states[drafts[number].item], number)))
        if not drafts or lower[stratum] + draft.rows >= limits[stratum]:
            del waiting[stratum]
        if total and total + draft.rows > most:
            continue
        chosen.append(draft)
        total += draft.rows
        upper[_part(stratum)] += draft.rows
        lower[stratum] += draft.rows
        states[draft.item] += draft.rows
    return chosen


def _may_follow(part: str, rows: Mapping[str, int], led: Mapping[str, str]) -> bool:
    """Return whether a part may have another row beside the ``rows`` by part."""
    return part not in led or LEAD * (rows.get(part, 0) + 1) <= rows.get(led[part], 0)


def _part(stratum: str) -> str:
    return stratum.partition("/")[0]


def _limits(strata: Mapping[str, Sequence[DraftPlace]], largest: Fraction) -> dict[str, int]:
    """Return the limit of rows for each stratum: the largest number within the share of its part.

    The limit is one row each if a part has too few strata for the share.
    """
    rows = {name: sum(draft.rows for draft in drafts) for name, drafts in strata.items()}
    if largest >= 1:
        return rows
    parts: dict[str, list[int]] = defaultdict(list)
    for name, count in rows.items():
        parts[_part(name)].append(count)
    limits = {part: _limit(counts, largest) for part, counts in parts.items()}
    return {name: limits[_part(name)] for name in rows}


def _limit(counts: Sequence[int], largest: Fraction) -> int:
    fits = (most for most in range(max(counts), 1, -1) if most <= largest * sum(min(n, most) for n in counts))
    return next(fits, 1)
