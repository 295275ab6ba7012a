"""Decide whether each table and split of a domain has the promised rows, and give the reason if not.

A *cell* is a table and a split of one domain. It is *bounded* if the known results exclude more good
questions, in one of three ways. First, each decided state of the split without a row has none by its proofs:
nothing is unreachable, a reply without the state would be correct, or all claims are true or all false.
Second, so many states have no row that among twice as many states as promised rows, each gives a row or is
known to give none. Third, the claims drawn on its states over all rounds exclude more (``NO_MATCH``). The
second and third are counted, not proven. A bounded cell is listed with its reason, and other domains get more
rows. Every other cell with fewer rows than promised is *short*. This is an error: more states, or more draws,
would give more rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from orrery.catalog import entry_of
from orrery.config import Settings
from orrery.families.drafts import BOOL as YES_NO
from orrery.families.questions.blind import TOO_MANY
from orrery.families.questions.bool_mcq import NOTHING, TOO_FEW
from orrery.families.questions.choice import (
    BLINDLY,
    GIVEN_AWAY,
    NEVER_MATCHED,
    NO_MORE,
    ONE_ANSWER,
    ONLY_NONE,
    RARELY,
)
from orrery.families.questions.schemas import QUESTIONS
from orrery.model import Incomplete, Row
from orrery.problems.schemas import shared
from orrery.store.kinds import BOOL, INT, STRING, column, table
from orrery.store.lookup import groups

NO_STATES = "no state of the split is decided"
ALL_ASKED = "every decided state of the split is asked about"
FILE = "cells.parquet"
ENOUGH = 2  # times the promised rows: states examined, most without a good question
NAMED = ("domain", "table", "split", "rows", "reason")  # columns reported on a bounded cell
CELLS = table(
    "cells",
    "The rows of each table and split of a domain, beside the number that is promised",
    column("domain", STRING, "The domain"),
    column("table", STRING, "The table"),
    *shared("split"),
    column("promised", INT, "The number of rows promised; 0 where none is"),
    column("rows", INT, "The number of rows chosen"),
    column("spare", INT, "The number of rows that may be added in the place of what other domains lack"),
    column("states", INT, "The number of decided states of the split"),
    column(
        "bounded",
        BOOL,
        "Whether its states, or all claims drawn on them, give no more questions worth asking",
    ),
    column("reason", STRING, "Why decided states gave no row: reasons with their numbers of states"),
)
# If most actions are unreachable, nearly every reply is correct, and lists of them would be very long.
NOTHING_THERE = frozenset({ONLY_NONE, BLINDLY, TOO_MANY})
ONLY_REACHABILITY = "a barred state, for questions on reachability"
# No question about the way to a goal is possible there; other states would allow one.
NO_WAY = frozenset({"unsolvable", "the goal holds already", ONLY_REACHABILITY})
NO_MATCH = frozenset({GIVEN_AWAY, NEVER_MATCHED, NO_MORE, ONE_ANSWER, RARELY})
# If claims do not match, a state may also have only true or only false ones.
ONE_SIDED = frozenset({TOO_FEW, NOTHING})


def cells_of(
    domain: str,
    states: Mapping[str, int],
    counts: Mapping[tuple[str, str], int],
    spares: Mapping[tuple[str, str], int],
    rejects: Iterable[Row],
    promised: int,
) -> list[dict[str, Any]]:
    """Return the cells of a domain, tables and splits sorted.

    Args:
        domain: The domain.
        states: The number of decided states by split.
        counts: The number of rows by table and split; missing entries mean none.
        spares: The number of spare rows, in the same form.
        rejects: The states without questions, with the reasons.
        promised: The number of rows promised, or 0.
    """
    reasons = _reasons(rejects)
    return [
        {
            "domain": domain,
            "table": name,
            "split": split,
            "promised": promised,
            "rows": counts.get((name, split), 0),
            "spare": spares.get((name, split), 0),
            "states": number,
            **_bound(counts.get((name, split), 0), number, promised, reasons[QUESTIONS[name].short, split]),
        }
        for name in sorted(QUESTIONS)
        for split, number in sorted(states.items())
    ]


def _reasons(rejects: Iterable[Row]) -> dict[tuple[str, str], Counter[str]]:
    """Return the number of states by reason, for each table and split."""
    by_cell: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row in rejects:
        table, _, reason = row["reason"].partition(": ")
        by_cell[table, row["item"].split("/")[1]][row["item"]] = reason
    return defaultdict(Counter, {cell: Counter(items.values()) for cell, items in by_cell.items()})


def _bound(rows: int, states: int, promised: int, reasons: Counter[str]) -> dict[str, Any]:
    """Return whether a cell is bounded, and why states gave no row."""
    listed_reasons = "; ".join(f"{reason} ({n} states)" for reason, n in sorted(reasons.items()))
    return {
        "bounded": rows < promised and _bounded(rows, states, promised, reasons),
        "reason": listed_reasons or (ALL_ASKED if states else NO_STATES),
    }


def _bounded(rows: int, states: int, promised: int, reasons: Counter[str]) -> bool:
    """Return whether the known results on the states, or on all claims drawn on them, exclude more rows."""
    if not NO_MATCH.isdisjoint(reasons):
        return True
    reported = reasons.keys() - NO_WAY
    useless = sum(reasons[reason] for reason in reported & (NOTHING_THERE | ONE_SIDED))
    if useless and rows + useless >= ENOUGH * promised:
        return True
    return rows + reasons.total() >= states > 0 and bool(reported) and reported <= NOTHING_THERE | ONE_SIDED


def why_fewer(cell: Row, wanted: int) -> str:
    """Return why a cell has fewer rows than wanted; empty if it has enough."""
    return cell["reason"] if cell["rows"] < wanted else ""


def short(cells: Iterable[Row]) -> Iterator[Row]:
    """Yield the cells with fewer rows than promised that are not bounded."""
    return (cell for cell in cells if cell["rows"] < cell["promised"] and not cell["bounded"])


def refuse_short(domain: str, cells: Iterable[Row], size: str) -> None:
    """Raise an error for a domain with short cells.

    Raises:
        Incomplete: some cell is short; the message names each one.
    """
    if lacking := list(short(cells)):
        sentences = [
            f"{cell['table']} {cell['split']} has {cell['rows']} of {cell['promised']}" for cell in lacking
        ]
        mend = (
            f"raise asked, states or planned of sizes.{size}.solve in params.yaml, or have fewer questions; "
            "what was made is kept, rejects.parquet says why each state gave no row"
        )
        raise Incomplete(f"questions on {domain}", "; ".join(sentences), mend)


def promises(settings: Settings) -> dict[str, Any]:
    """Return the promises of the build: rows per cell, the bounded cells, and totals that are too small.

    There are no promises if the size states none. A total is too small if no domain has enough spare rows.
    """
    promised: dict[str, Any] = {"rows": settings.size.ask.questions, "bounded": [], "totals": []}
    if not settings.size.ask.exact:
        return {}
    for (name, split), cells in sorted(by_table(settings).items()):
        additions = added(cells)
        for cell in cells:
            if cell["bounded"]:
                promised["bounded"].append({key: cell[key] for key in NAMED})
        rows, promised_rows = (sum(cell[key] for cell in cells) for key in ("rows", "promised"))
        if rows + sum(additions.values()) < promised_rows:
            total = {
                "table": name,
                "split": split,
                "rows": rows + sum(additions.values()),
                "promised": promised_rows,
            }
            promised["totals"].append(total)
    return promised


def by_table(settings: Settings) -> dict[tuple[str, str], list[Row]]:
    """Return the cells of all domains with questions, by table and split, in the order of domains."""
    cells: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for name in settings.domains:
        path = settings.outputs / "questions" / name / FILE
        if path.exists() and entry_of(settings.root, name).description.questions:
            for cell in chain.from_iterable(part.to_pylist() for part in groups(path, CELLS)):
                cells[cell["table"], cell["split"]].append(cell)
    return cells


def added(cells: Sequence[Row]) -> dict[str, int]:
    """Return how many spare rows each domain adds, in turn, for the missing rows of a table and split.

    Yes/no questions are added in pairs: a yes and a no.
    """
    lacking = sum(max(0, cell["promised"] - cell["rows"]) for cell in cells)
    unit = 2 if cells and QUESTIONS[cells[0]["table"]].format == YES_NO else 1
    additions = {cell["domain"]: 0 for cell in cells}
    while lacking >= unit:
        for cell in cells:
            if lacking >= unit and additions[cell["domain"]] + unit <= cell["spare"]:
                additions[cell["domain"]] += unit
                lacking -= unit
        if all(additions[cell["domain"]] + unit > cell["spare"] for cell in cells):
            break
    return {name: number for name, number in additions.items() if number}
