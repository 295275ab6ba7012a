"""The figures of tricks on a table as a row, for the parts of an unfinished ``validate``."""

from __future__ import annotations

import json

from orrery.dataset.adversary import TableFigures
from orrery.dataset.adversary.verdict import TrickFigure
from orrery.parts import Part, Tables
from orrery.store.kinds import LONG, STRING, STRINGS, as_json, column, table

ATTACKED = table(
    "attacked",
    "Tables on which tricks were tried",
    column("table", STRING, "Name of the table"),
    column("rows", LONG, "Number of attacked rows"),
    column("figures", STRINGS, f"Scores of tricks, each a record {TrickFigure.__name__} in JSON"),
    column("unread", STRING, "The malformed value that prevented the figures, or empty"),
    key=("table",),
)


def as_tables(attacked: TableFigures) -> Tables:
    """Return the row of ``ATTACKED`` for the figures of a table."""
    figures = [as_json({**figure._asdict(), "beside": dict(figure.beside)}) for figure in attacked.figures]
    return {"attacked": [{**attacked._asdict(), "figures": figures}]}


def load(part: Part) -> TableFigures:
    """Return the figures of a part."""
    [row] = part.table("attacked").to_pylist()
    return TableFigures(**{**row, "figures": [TrickFigure(**json.loads(text)) for text in row["figures"]]})
