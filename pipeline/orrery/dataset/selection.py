"""Rows that somebody wants to see: of a table or a family, with conditions; as SQL, and as an address.

A report says how many rows there are of something; a selection is how it names them. `orrery query` takes the
SQL, `orrery browse` shows the address.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import quote, urlencode

import pyarrow as pa

from orrery.dataset.addresses import PORT
from orrery.families import families, tables
from orrery.model import UsageError
from orrery.store.kinds import Schema, table_name
from orrery.store.shards import opened

ADDRESS = f"http://127.0.0.1:{PORT}"
ROWS, ROW = "/rows/", "/row/"  # addresses of selections, and of one row by its name
SPLIT = "split"  # every view has it, besides the columns of its files
TEXT = "q"  # the name under which an address has the words to look for
NULL = "null"

Op: TypeAlias = Literal["is", "min", "max"]
RESERVED = frozenset(
    {"all", "check", "column", "default", "end", "from", "group", "in", "on", "order", "table", "to"}
)
_PLAIN = re.compile(r"[A-Za-z_]\w*")
_SHELL = re.compile(r'([\\"$`])')


@dataclass(frozen=True, order=True)
class ColumnFilter:
    """What a column, or a measure, has to be: a value, at least or at most one."""

    name: str
    op: Op
    value: str

    @property
    def parameter(self) -> str:
        """The name under which an address has it."""
        return self.name if self.op == "is" else f"{self.name}.{self.op}"


@dataclass(frozen=True)
class Selection:
    """Rows of a table, or of all tables of a family, that meet all conditions and hold words of a text."""

    source: str
    conditions: tuple[ColumnFilter, ...] = ()
    text: str = ""

    @property
    def address(self) -> str:
        """Where ``orrery browse`` shows the rows, from its own top."""
        parameters = [(condition.parameter, condition.value) for condition in self.conditions]
        query = urlencode([*parameters, *([(TEXT, self.text)] if self.text else [])])
        return ROWS + quote(self.source) + (f"?{query}" if query else "")

    @property
    def command(self) -> str:
        """The command line that prints the ids of the rows; of a family's, the one that shows its tables."""
        if self.source not in (chosen := tables()):
            return "orrery browse"
        sql = f"select id from {self.source}{self.where(chosen[self.source].schema)}"
        return 'orrery query "' + _SHELL.sub(r"\\\1", sql) + '"'

    def narrowed(self, *conditions: ColumnFilter, source: str = "") -> Selection:
        """Return the rows of these that also meet other conditions, of another table if it is named."""
        return Selection(source or self.source, (*self.conditions, *conditions), self.text)

    def fits(self, schema: Schema) -> bool:
        """Return whether a table has all that the conditions speak of."""
        return all(_expression(condition.name, schema) for condition in self.conditions)

    def where(self, schema: Schema) -> str:
        """Return the conditions as SQL for a table, with ``where``; empty without any.

        Raises:
            UsageError: the table has no such column, or a value is no number where one is needed.
        """
        parts = [_condition(condition, schema) for condition in self.conditions]
        parts += [_holds(word, schema) for word in self.text.split()]
        return f" where {' and '.join(parts)}" if parts else ""


def rows_of(source: str, text: str = "", /, **conditions: Any) -> Selection:
    """Return a selection by values; a pair of numbers is a range, of which None is no end."""
    return Selection(source, tuple(_conditions(conditions)), text)


def read_selection(source: str, parameters: Iterable[tuple[str, str]]) -> Selection:
    """Return the selection that an address names; empty values mean nothing.

    Raises:
        UsageError: there is no such table or family.
    """
    if source not in tables() and source not in families():
        names = ", ".join([*families(), *tables()])
        raise UsageError(f"table '{source}'", "is not a published table", f"tables: {names}")
    text, conditions = "", []
    for name, value in parameters:
        if not value:
            continue
        if name == TEXT:
            text = value
            continue
        column, _, op = name.rpartition(".")
        if op == "min":
            conditions.append(ColumnFilter(column, "min", value))
        elif op == "max":
            conditions.append(ColumnFilter(column, "max", value))
        else:
            conditions.append(ColumnFilter(name, "is", value))
    return Selection(source, tuple(conditions), text)


def tables_of(family: str) -> list[str]:
    """Return the names of the tables of a family, sorted."""
    return sorted(table.name for table in families()[family].tables)


def texts_in(schema: Schema) -> list[str]:
    """Return the columns of a table that hold text: those that are looked through for words."""
    return [field.name for field in schema if str(field.type) == "string"]


def quoted(name: str) -> str:
    """Return the name of a column as SQL."""
    return name if _PLAIN.fullmatch(name) and name not in RESERVED else f'"{name}"'


def literal(value: str) -> str:
    """Return a text as SQL."""
    return "'" + value.replace("'", "''") + "'"


def _conditions(values: Mapping[str, Any]) -> Iterable[ColumnFilter]:
    for name, value in values.items():
        if isinstance(value, tuple):
            least, most = value
            if least is not None:
                yield ColumnFilter(name, "min", str(least))
            if most is not None:
                yield ColumnFilter(name, "max", str(most))
        else:
            yield ColumnFilter(name, "is", _spelled(value))


def _spelled(value: Any) -> str:
    if value is None:
        return NULL
    return str(value).lower() if isinstance(value, bool) else str(value)


def _expression(name: str, schema: Schema) -> str:
    """Return the SQL of a column or a measure; empty where the table has none."""
    if name == SPLIT:
        return SPLIT
    if name in schema.names:
        return quoted(name)
    return expression(name, schema) if name in MEASURES else ""


def _condition(condition: ColumnFilter, schema: Schema) -> str:
    named, value = _expression(condition.name, schema), condition.value
    if not named:
        columns = ", ".join([SPLIT, *schema.names])
        raise UsageError(f"column '{condition.name}'", "is not in the table", f"columns: {columns}")
    if condition.op != "is":
        return f"{named} {'>=' if condition.op == 'min' else '<='} {_number(condition)}"
    if value == NULL:
        return f"{named} is null"
    # A text on both sides: the value is right whatever the type of the column is.
    plain = condition.name == SPLIT or condition.name in texts_in(schema)
    return f"{named} = {literal(value)}" if plain else f"cast({named} as varchar) = {literal(value)}"


def _number(condition: ColumnFilter) -> str:
    try:
        number = float(condition.value)
    except ValueError:
        number = float("nan")
    if number != number or number in (float("inf"), float("-inf")):
        problem = f"'{condition.value}' is not a number"
        raise UsageError(f"column '{condition.name}'", problem, "give its least and most as numbers")
    return str(int(number)) if number == int(number) else str(number)


def _holds(word: str, schema: Schema) -> str:
    """Return the condition that some column holds a word, in whatever case."""
    columns = ", ".join(map(quoted, texts_in(schema)))
    return f"contains(lower(concat_ws(' ', {columns})), {literal(word.lower())})"


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
        "num_applicable_actions": Measure("Applicable actions", _first("num_applicable_actions")),
        "answers": Measure("Elements of the answer", _answers),
        TOKENS: Measure("Words and marks of the prompt", _tokens),
    }
)
