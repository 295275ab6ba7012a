"""Check the promised numbers of questions by counting the rows in the files.

The size of the build gives the number of rows of each table by domain and split. The manifest lists the cells
with fewer rows, with a reason.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from orrery.catalog import entry_of
from orrery.checks.inputs import CheckInputs
from orrery.checks.sql import files_of, select
from orrery.config import load
from orrery.families import families

Cell: TypeAlias = tuple[str, str, str]  # table, split, domain
FAMILY, PROBLEMS = "questions", "problems"


def check(inputs: CheckInputs) -> list[str]:
    """Return the cells with too few rows that are not listed, and cells that are listed wrongly."""
    size = load(inputs.root).size.ask
    manifest = json.loads((inputs.dataset / "manifest.json").read_text(encoding="utf-8"))
    named = manifest.get("promised", {}).get(FAMILY, {})
    if not size.exact:
        return ["promised: a number of questions is, which params.yaml does not"] if named else []
    domains = [name for name in inputs.domains if entry_of(inputs.root, name).description.questions]
    tables = [table.name for table in families()[FAMILY].tables]
    splits = sorted(
        {(split, name) for _, split, name in _counts(inputs.dataset, [PROBLEMS]) if name in domains}
    )
    cells = [(table, split, name) for table, (split, name) in product(tables, splits)]
    return list(faults(_counts(inputs.dataset, tables), cells, size.questions, named))


def _counts(dataset: Path, tables: Sequence[str]) -> Counter[Cell]:
    """Return the number of rows of some tables by split and domain."""
    statement = "SELECT file_split, domain, count(*) FROM rows GROUP BY file_split, domain"
    counts: Counter[Cell] = Counter()
    for name in tables:
        if paths := files_of(dataset, name):
            for split, domain, number in select(statement, {"rows": paths}):
                counts[name, split, domain] = number
    return counts


def faults(
    counts: Mapping[Cell, int], cells: Sequence[Cell], wanted: int, named: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the faults in the counts of ``cells``; each promises ``wanted`` rows.

    ``named`` has the cells and totals that the manifest lists as too small.
    """
    if named.get("rows") != wanted:
        yield f"promised: {named.get('rows')} rows, should be {wanted}"
    bounded = {
        (cell["table"], cell["split"], cell["domain"]): cell["rows"] if cell["reason"] else "no reason for"
        for cell in named.get("bounded", ())
    }
    totals = {(cell["table"], cell["split"]): cell["rows"] for cell in named.get("totals", ())}
    few = {cell: counts.get(cell, 0) for cell in cells if counts.get(cell, 0) < wanted}
    for cell in sorted(few.keys() | bounded.keys()):
        if bounded.get(cell) != few.get(cell):
            stated, there = bounded.get(cell, "no"), few.get(cell, "enough")
            yield f"{' '.join(cell)}: the manifest names {stated} rows, there are {there} of {wanted}"
    for table, split in sorted({cell[:2] for cell in cells}):
        mine = [cell for cell in cells if cell[:2] == (table, split)]
        number = sum(counts.get(cell, 0) for cell in mine)
        if number != (due := totals.get((table, split), wanted * len(mine))):
            yield f"{table} {split}: {number} rows in all, should be {due}"
