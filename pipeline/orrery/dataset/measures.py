"""Measures of rows that the report draws and that rows are chosen by: what each is, in SQL, for a table.

A table has a measure where it has the columns that it is made of; no list of tables is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from orrery.families import tables
from orrery.store.kinds import Schema, table_name
from orrery.store.shards import opened

TOKENS = "prompt_tokens"
# Words are runs of anything but white space and the marks of ASCII, of which hyphen and underscore belong to
# names; every other mark counts by itself. A model's own tokens are somewhat more, and other for each model.
MARKS = r"!-,./:-@\[-^`{-~"
TOKEN = rf"[^\s{MARKS}]+|[{MARKS}]"


class Measure(NamedTuple):
    """A whole number that rows have: its title, and the SQL of it for a table, empty where it has none."""

    title: str
    of: Callable[[Schema], str]


def expression(measure: str, schema: Schema) -> str:
    """Return the SQL of a measure for a table; empty where the table has none."""
    return MEASURES[measure].of(schema)


def schema_of(path: Path) -> Schema:
    """Return the columns of a file, which may be those of another version than this one."""
    with opened(path) as file:
        return file.schema_arrow


def prompt_columns(table: str) -> tuple[str, ...]:
    """Return the columns of text that a model reads of a table in its first representation."""
    found = tables().get(table)
    named = next(iter(found.prompts.values()), ()) if found else ()
    return tuple(name for name in named if found and str(found.schema.field(name).type) == "string")


def token_counts(texts: Any) -> NDArray[np.int64]:
    """Return the number of tokens of each text of an Arrow column, as the SQL of the measure counts them.

    Equal texts are counted once, and all of them together.
    """
    known = pc.dictionary_encode(texts)
    known = known.combine_chunks() if isinstance(known, pa.ChunkedArray) else known
    if isinstance(known, pa.ChunkedArray):  # no rows
        return np.zeros(len(texts), np.int64)
    words = known.dictionary.cast(pa.large_string())
    _, offsets, data = words.buffers()
    ends = np.frombuffer(offsets, np.int64)[words.offset : words.offset + len(words) + 1]
    if data is None or not len(words):
        return np.zeros(len(texts), np.int64)
    kinds = _kinds()[np.frombuffer(data, np.uint8)]
    starts = kinds == _MARK
    word = kinds == _WORD
    starts[:1] |= word[:1]
    starts[1:] |= word[1:] & ~word[:-1]
    # A word that goes on across the border of two texts begins anew.
    borders = ends[:-1][ends[:-1] < ends[1:]]
    starts[borders] |= word[borders]
    total = np.concatenate([[0], np.cumsum(starts, dtype=np.int64)])
    counts = total[ends[1:]] - total[ends[:-1]]
    return np.asarray(counts[known.indices.to_numpy(zero_copy_only=False)])


_SPACE, _WORD, _MARK = 0, 1, 2


def _kinds() -> NDArray[np.int8]:
    """Return what each byte of UTF-8 is: bytes beyond ASCII belong to words."""
    found = np.full(256, _WORD, np.int8)
    for byte in range(128):
        char = chr(byte)
        if char in " \t\n\r\f\v":
            found[byte] = _SPACE
        elif not char.isalnum() and char not in "-_" and 32 < byte < 127:
            found[byte] = _MARK
    return found


def _first(*names: str) -> Callable[[Schema], str]:
    """Return the measure that is the first of some columns that a table has."""

    def of(schema: Schema) -> str:
        return next((name for name in names if name in schema.names), "")

    return of


def _answers(schema: Schema) -> str:
    """Return how many facts, actions or names the answer lists."""
    if "answer" not in schema.names:
        return ""
    kind = schema.field("answer").type
    if pa.types.is_list(kind):
        return "len(answer)"
    if pa.types.is_struct(kind):
        names = [kind.field(place).name for place in range(kind.num_fields)]
        wanted = [name for name in ("yes", "pos", "neg") if name in names]
        return " + ".join(f"len(answer.{name})" for name in wanted)
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
