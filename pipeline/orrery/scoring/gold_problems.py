"""How many of the released problems the rows hold that predictions are measured by."""

from __future__ import annotations

from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from orrery.families.modelling.import_log import FILE, LOG, is_problem_left_out
from orrery.scoring.joining import GoldRows
from orrery.store.shards import read_rows

COLUMN = "problems"


def gold_problems(rows: GoldRows) -> dict[str, int] | None:
    """Return how many problems the rows hold, and of how many: an import leaves out what it cannot decide.

    None where the rows have no problems of their own.
    """
    if COLUMN not in rows.scorer.needed:
        return None
    held = sum(_held(path) for path in rows.files)
    log = rows.dataset / FILE
    known = rows.ids.keys()
    left = [
        entry
        for entry in (read_rows(log, LOG) if log.is_file() else ())
        if entry["id"] in known and is_problem_left_out(entry["item"], entry["what"])
    ]
    return {"held": held, "of": held + len(left)}


def _held(path: Path) -> int:
    lengths = pc.list_value_length(pq.read_table(path, columns=[COLUMN]).column(COLUMN))
    return int(pc.sum(lengths).as_py() or 0)
