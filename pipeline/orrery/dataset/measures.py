"""Measures of rows for charts and selections: the SQL of each measure for a table.

A table has a measure if it has its columns; no list of tables is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa

from orrery.families import tables
from orrery.store.kinds import Schema, table_name
from orrery.store.shards import opened

TOKENS = "prompt_tokens"
# A token is a word (a run of characters other than white space and ASCII marks; hyphen and underscore belong
# to words) or one mark. A model has somewhat more tokens, and each model other ones.
MARKS = r"!-,./:-@\[-^`{-~"
TOKEN = rf"[^\s{MARKS}]+|[{MARKS}]"


class Measure(NamedTuple):
    """A whole number that rows have: its title, and its SQL for a table (empty if the table lacks it)."""

    title: str
    of: Callable[[Schema], str]


def expression(measure: str, schema: Schema) -> str:
    """Return the SQL of a measure for a table; empty if the table lacks it."""
    return MEASURES[measure].of(schema)


def schema_of(path: Path) -> Schema:
    """Return the schema of a file, possibly written by another version."""
    with opened(path) as file:
        return file.schema_arrow


def prompt_columns(table: str) -> tuple[str, ...]:
    """Return the text columns of a table's prompt in its first representation."""
    published = tables().get(table)
    if published is None:
        return ()
    columns = next(iter(published.prompts.values()), ())
    return tuple(name for name in columns if str(published.schema.field(name).type) == "string")


def _first(*names: str) -> Callable[[Schema], str]:
    """Return the measure that is the first of these columns in a table."""

    def of(schema: Schema) -> str:
        return next((name for name in names if name in schema.names), "")

    return of


def _answers(schema: Schema) -> str:
    """Return the SQL for the number of facts, actions or names that the answer lists."""
    if "answer" not in schema.names:
        return ""
    kind = schema.field("answer").type
    if pa.types.is_list(kind):
        return "len(answer)"
    if pa.types.is_struct(kind):
        names = [kind.field(place).name for place in range(kind.num_fields)]
        lists = [name for name in ("yes", "pos", "neg") if name in names]
        return " + ".join(f"len(answer.{name})" for name in lists)
    return ""


def _tokens(schema: Schema) -> str:
    columns = prompt_columns(table_name(schema))
    return f"len(regexp_extract_all(concat_ws(' ', {', '.join(columns)}), '{TOKEN}'))" if columns else ""


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "steps": Measure("Steps to the goal", _first("h_star", "plan_cost")),
        "objects": Measure("Objects", _first("num_objects")),
        "branching": Measure("Applicable actions", _first("branching")),
        "answers": Measure("Elements of the answer", _answers),
        TOKENS: Measure("Words and marks of the prompt", _tokens),
    }
)
