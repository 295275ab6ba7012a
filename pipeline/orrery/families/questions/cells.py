"""Whether each table and split of a domain has the rows that are promised, and why not where it cannot.

A *cell* is a table and a split of one domain. It is *bounded* where what is known excludes more questions
worth asking: each decided state of the split that gives no row has none, by its proofs (nothing is out of
reach, a reply that needs no look would be right, there are only true or only false claims); or so many have
none that twice as many states as rows are promised were told to give one or none; or what is found of all
claims drawn on its states, round after round, excludes more (``NO_MATCH``). The latter two are counted, not
proven. A bounded cell is named with its reason, and other domains have more rows instead. Any other cell that
has fewer rows than promised is *short*, which is an error: more states, or more draws, would give more.
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
from orrery.model import Incomplete
from orrery.problems.schemas import shared
from orrery.store.kinds import BOOL, INT, STRING, column, table
from orrery.store.lookup import groups

NO_STATES = "no state of the split is decided"
ALL_ASKED = "every decided state of the split is asked about"
FILE = "cells.parquet"
ENOUGH = 2  # times the rows promised: so many states were looked at, and most give none worth asking
NAMED = ("domain", "table", "split", "rows", "reason")  # what is said of a bounded cell
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
# Where most of all actions are out of reach, any reply serves, and lists of them would be endless.
NOTHING_THERE = frozenset({ONLY_NONE, BLINDLY, TOO_MANY})
# Nothing can be asked about the way to a goal there; other states would serve.
NO_WAY = frozenset({"unsolvable", "the goal holds already"})
NO_MATCH = frozenset({GIVEN_AWAY, NEVER_MATCHED, NO_MORE, ONE_ANSWER, RARELY})
# Where claims do not match, a state may have only true or only false ones, too.
ONE_SIDED = frozenset({TOO_FEW, NOTHING})

Row = Mapping[str, Any]


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
        states: The decided states by split.
        counts: The rows by table and split; what is missing is none.
        spares: The rows to spare, likewise.
        rejects: The states that are not asked about, with the reasons.
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
    """Return the states by reason, of each table and split."""
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
    """Return whether what is known of the states, or of all claims drawn on them, excludes more rows."""
    if not NO_MATCH.isdisjoint(reasons):
        return True
    reported = reasons.keys() - NO_WAY
    useless = sum(reasons[reason] for reason in reported & (NOTHING_THERE | ONE_SIDED))
    if useless and rows + useless >= ENOUGH * promised:
        return True
    return rows + reasons.total() >= states > 0 and bool(reported) and reported <= NOTHING_THERE | ONE_SIDED


def why_fewer(cell: Row, wanted: int) -> str:
    """Return why a cell has fewer rows than wanted; empty where it has not."""
    return cell["reason"] if cell["rows"] < wanted else ""


def short(cells: Iterable[Row]) -> Iterator[Row]:
    """Yield the cells that have fewer rows than promised though they are not bounded."""
    return (cell for cell in cells if cell["rows"] < cell["promised"] and not cell["bounded"])


def refuse_short(domain: str, cells: Iterable[Row], size: str) -> None:
    """Refuse a domain with short cells.

    Raises:
        Incomplete: some cell is short; the message names each.
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
    """Return what is promised of the build: rows a cell, the bounded cells, and totals that fall short.

    Nothing is promised where the size does not say so. A total falls short where no domain has rows to spare.
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
    """Return the cells of all domains that are asked about, by table and split, in the order of domains."""
    cells: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for name in settings.domains:
        path = settings.outputs / "questions" / name / FILE
        if path.exists() and entry_of(settings.root, name).description.questions:
            for cell in chain.from_iterable(part.to_pylist() for part in groups(path, CELLS)):
                cells[cell["table"], cell["split"]].append(cell)
    return cells


def added(cells: Sequence[Row]) -> dict[str, int]:
    """Return how many rows to spare each domain adds, in turn, to what others lack of a table and split.

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
