"""Selections of rows: of a table or a family, with conditions; as SQL, and as an address.

The report links its counts to selections. `orrery query` uses the SQL, `orrery browse` the address.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import quote, urlencode

import pyarrow as pa

from orrery.families import families, tables
from orrery.model import UsageError, suggest
from orrery.store.kinds import Schema, table_name
from orrery.store.shards import opened

PORT = 8017  # default port of `orrery browse`, used in links of the report
ADDRESS = f"http://127.0.0.1:{PORT}"
ROWS, ROW = "/rows/", "/row/"  # addresses of selections, and of one row by its id
SPLIT = "split"  # a column that every view adds to those of its files
TEXT = "q"  # the name of the parameter for searched words
NULL = "null"
MOST_WORDS = 40  # of a search; each is searched for in all texts of a row

Op: TypeAlias = Literal["is", "min", "max"]
RESERVED = frozenset(
    {"all", "check", "column", "default", "end", "from", "group", "in", "on", "order", "table", "to"}
)
_PLAIN = re.compile(r"[A-Za-z_]\w*")
_SHELL = re.compile(r'([\\"$`])')


@dataclass(frozen=True, order=True)
class ColumnFilter:
    """A condition on a column or a measure: equal to, at least, or at most a value."""

    name: str
    op: Op
    value: str

    @property
    def parameter(self) -> str:
        """The name of the address parameter."""
        return self.name if self.op == "is" else f"{self.name}.{self.op}"


@dataclass(frozen=True)
class Selection:
    """Rows of a table, or of all tables of a family, that satisfy all conditions and contain the words."""

    source: str
    conditions: tuple[ColumnFilter, ...] = ()
    text: str = ""

    @property
    def words(self) -> list[str]:
        """The different words of the text."""
        return list(dict.fromkeys(self.text.lower().split()))

    @property
    def address(self) -> str:
        """The address of the rows in ``orrery browse``, from its root."""
        parameters = [(condition.parameter, condition.value) for condition in self.conditions]
        query = urlencode([*parameters, *([(TEXT, self.text)] if self.text else [])])
        return ROWS + quote(self.source) + (f"?{query}" if query else "")

    @property
    def clause(self) -> str:
        """The table and the conditions in SQL; empty for a family."""
        table = tables().get(self.source)
        return f"{self.source}{self.where(table.schema)}" if table else ""

    @property
    def command(self) -> str:
        """The command that prints the ids of the rows; for a family, the command that lists its tables."""
        sql = f"select id from {self.clause}"
        return 'orrery query "' + _SHELL.sub(r"\\\1", sql) + '"' if self.clause else "orrery browse"

    def narrowed(self, *conditions: ColumnFilter, source: str = "") -> Selection:
        """Return the selection with additional conditions, for another table if one is given."""
        return Selection(source or self.source, (*self.conditions, *conditions), self.text)

    def fits(self, schema: Schema) -> bool:
        """Return whether a table has all columns and measures of the conditions."""
        return all(_expression(condition.name, schema) for condition in self.conditions)

    def where(self, schema: Schema) -> str:
        """Return the conditions as SQL for a table, with ``where``; empty without any.

        Raises:
            UsageError: the table lacks a column, or a value is not a number although one is needed.
        """
        parts = [_condition(condition, schema) for condition in self.conditions]
        parts += [_holds(word, schema) for word in self.words]
        return f" where {' and '.join(parts)}" if parts else ""


def rows_of(source: str, text: str = "", /, **conditions: Any) -> Selection:
    """Return a selection by values. A pair of numbers is a range; None means no bound."""
    return Selection(source, tuple(_conditions(conditions)), text)


def read_selection(source: str, parameters: Iterable[tuple[str, str]]) -> Selection:
    """Return the selection of an address; empty values are ignored.

    Raises:
        UsageError: the table or family does not exist, or there are too many words.
    """
    if source not in tables() and source not in families():
        mend = suggest(source, "tables", [*families(), *tables()])
        raise UsageError(f"table '{source}'", "is not a published table", mend)
    text, conditions = "", []
    for name, value in parameters:
        if not value:
            continue
        if name == TEXT:
            text = value
            continue
        column, _, op = name.rpartition(".")
        if op in ("min", "max"):
            conditions.append(ColumnFilter(column, "min" if op == "min" else "max", value))
        else:
            conditions.append(ColumnFilter(name, "is", value))
    selection = Selection(source, tuple(conditions), text)
    if len(selection.words) > MOST_WORDS:
        problem = f"has {len(selection.words)} different words, more than {MOST_WORDS}"
        raise UsageError("the search", problem, "search for fewer words")
    return selection


def tables_of(family: str) -> list[str]:
    """Return the names of the tables of a family, sorted."""
    return sorted(table.name for table in families()[family].tables)


def texts_in(schema: Schema) -> list[str]:
    """Return the text columns of a table, which are searched for words."""
    return [field.name for field in schema if str(field.type) == "string"]


def quoted(name: str) -> str:
    """Return a column name quoted for SQL."""
    return name if _PLAIN.fullmatch(name) and name not in RESERVED else f'"{name}"'


def literal(value: str) -> str:
    """Return a text as an SQL literal."""
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
    """Return the SQL of a column or a measure; empty if the table lacks it."""
    if name == SPLIT:
        return SPLIT
    if name in schema.names:
        return quoted(name)
    return expression(name, schema) if name in MEASURES else ""


def _condition(condition: ColumnFilter, schema: Schema) -> str:
    named, value = _expression(condition.name, schema), condition.value
    if not named:
        mend = suggest(condition.name, "columns", [SPLIT, *schema.names])
        raise UsageError(f"column '{condition.name}'", "is not in the table", mend)
    if condition.op != "is":
        return f"{named} {'>=' if condition.op == 'min' else '<='} {_number(condition)}"
    if value == NULL:
        return f"{named} is null"
    # Both sides are text, so that the comparison works for any type of column.
    plain = condition.name == SPLIT or condition.name in texts_in(schema)
    return f"{named} = {literal(value)}" if plain else f"cast({named} as varchar) = {literal(value)}"


def _number(condition: ColumnFilter) -> str:
    try:
        number = float(condition.value)
        whole = int(number)  # neither infinite nor NaN is a whole number
    except (ValueError, OverflowError) as error:
        problem = f"'{condition.value}' is not a number"
        mend = "give minimum and maximum as numbers"
        raise UsageError(f"column '{condition.name}'", problem, mend) from error
    return str(whole if number == whole else number)


def _holds(word: str, schema: Schema) -> str:
    """Return the condition that some column contains a word, ignoring case."""
    columns = ", ".join(map(quoted, texts_in(schema)))
    return f"contains(lower(concat_ws(' ', {columns})), {literal(word)})"


TOKENS = "prompt_tokens"
# A token is a word (characters other than white space and ASCII punctuation, with hyphen and underscore)
# or one punctuation mark. A model's tokenizer gives somewhat more tokens.
MARKS = r"!-,./:-@\[-^`{-~"
TOKEN = rf"[^\s{MARKS}]+|[{MARKS}]"


class Measure(NamedTuple):
    """An integer property of rows: its title, and its SQL for a table (empty if the table lacks it)."""

    title: str
    of: Callable[[Schema], str]


def expression(measure: str, schema: Schema) -> str:
    """Return the SQL of a measure for a table; empty if the table lacks it."""
    return MEASURES[measure].of(schema)


def schema_of(path: Path) -> Schema:
    """Return the schema of a file, which another version may have written."""
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
    """Return the measure that uses the first of these columns that a table has."""

    def of(schema: Schema) -> str:
        return next((name for name in names if name in schema.names), "")

    return of


def _answers(schema: Schema) -> str:
    """Return the SQL for the number of facts, actions or names in the answer."""
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


MEASURES = {
    "steps": Measure("Steps to the goal", _first("h_star", "plan_cost")),
    "objects": Measure("Objects", _first("num_objects")),
    "num_applicable_actions": Measure("Applicable actions", _first("num_applicable_actions")),
    "answers": Measure("Elements of the answer", _answers),
    TOKENS: Measure("Words and marks of the prompt", _tokens),
}
