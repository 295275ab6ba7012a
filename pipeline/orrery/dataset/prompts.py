"""Prompts for the rows of a table, from the templates in ``templates/prompts``.

A template ``<name>_<style>.j2`` has the macros ``system(row)`` and ``user(row)``. The family assigns its name
to tables; several tables may share it.

The worked examples in prompts (one row each with its gold reply) are stored with the dataset, so
that every prompt of one dataset shows the same examples.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from jinja2 import TemplateError, TemplateNotFound
from jinja2.runtime import Macro

from orrery.families import table_of
from orrery.language.words import environment
from orrery.model import OrreryError, Row, UsageError, suggest
from orrery.store.files import write_text

FOLDER = "prompts"
EXAMPLES = "examples"  # fields that a prompt uses like columns, equal for all rows of a table
EXAMPLES_FILE = f"{FOLDER}/{EXAMPLES}.jsonl"

ValuePath: TypeAlias = tuple[str, ...]  # a column, or a column and a member of its records


class PromptMessages(NamedTuple):
    """The messages of a prompt."""

    system: str
    user: str

    @property
    def text(self) -> str:
        """Both messages as one text."""
        return f"{self.system}\n\n{self.user}\n"


class _Placeholder(str):
    """The name of a column in braces. All members of its records have the same text; ``used`` lists them."""

    used: dict[ValuePath, None]

    def __getitem__(self, member: Any) -> str:
        if not isinstance(member, str):
            return super().__getitem__(member)
        self.used[self.strip("{}"), member] = None
        return self


class _Fields(dict[str, str]):
    """A row with placeholders as values. ``used`` are the values that a template takes, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.used: dict[ValuePath, None] = {}

    def __missing__(self, column: str) -> str:
        placeholder = _Placeholder(f"{{{column}}}")
        placeholder.used, self.used[(column,)] = self.used, None
        return self.setdefault(column, placeholder)


class PromptTemplate:
    """One template of prompts."""

    def __init__(self, templates: Path, name: str) -> None:
        """Load the template ``name`` of ``templates/prompts``, given without its suffix."""
        self.name = name
        self._templates = templates
        self._path = templates / FOLDER / f"{name}.j2"

    @cached_property
    def _macros(self) -> tuple[Macro, Macro]:
        try:
            module = environment(self._templates).get_template(f"{FOLDER}/{self.name}.j2").module
            return module.system, module.user  # type: ignore[attr-defined]
        except TemplateNotFound as error:
            raise OrreryError(str(self._path), "no such template", "restore it") from error
        except (TemplateError, AttributeError) as error:
            source = f"{self._path}:{getattr(error, 'lineno', 1)}"
            raise OrreryError(source, str(error), "it must define system(row) and user(row)") from error

    def say(self, row: Row) -> PromptMessages:
        """Return the prompt for ``row``, which needs the columns that the template uses."""
        system, user = self._macros
        return PromptMessages(str(system(row)).strip(), str(user(row)).strip())

    @cached_property
    def values(self) -> tuple[ValuePath, ...]:
        """The required values of a row, in the order of their use."""
        fields = _Fields()
        self.say(fields)
        return tuple(fields.used)

    @property
    def columns(self) -> tuple[str, ...]:
        """The required columns of a row, in the order of their use."""
        return tuple(dict.fromkeys(column for column, *_ in self.values))

    def empty_value(self, row: Row) -> str:
        """Return the name of the first required value that is empty in a row, or an empty string.

        Rows with an empty value are not for this prompt. A value is null, a text or a list.
        """
        return next((".".join(path) for path in self.values if _is_empty(_value(row, path))), "")

    def form(self) -> str:
        """Return the prompt with ``{column}`` in place of the values of a row."""
        return self.say(_Fields()).text


def _value(row: Row, path: ValuePath) -> Any:
    """Return a value of a row; a missing column has a value that is not empty."""
    value: Any = row.get(path[0], ...)
    return value.get(path[1], ...) if len(path) > 1 and isinstance(value, Mapping) else value


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, (str, list)) and not value)


def prompt_names(templates: Path) -> list[str]:
    """Return the names of all prompts, sorted."""
    return sorted(path.stem for path in (templates / FOLDER).glob("*.j2"))


def prompt_of(templates: Path, table: str, style: str) -> PromptTemplate:
    """Return the prompt of a table in a style such as ``zero_shot``.

    Raises:
        UsageError: there is no such prompt; the message lists the available ones.
    """
    name, names = f"{table_of(table).template}_{style}", prompt_names(templates)
    if name in names:
        return PromptTemplate(templates, name)
    raise UsageError(f"table '{table}'", f"has no prompt of style '{style}'", suggest(name, "prompts", names))


def write_prompts(dataset: Path, templates: Path) -> None:
    """Write every prompt to ``<dataset>/prompts/<name>.txt``.

    A file contains the whole prompt, system message first, with ``{column}`` in place of a row's value.
    """
    for name in prompt_names(templates):
        write_text(dataset / FOLDER / f"{name}.txt", PromptTemplate(templates, name).form())


def write_examples(dataset: Path, rows: Iterable[Row]) -> None:
    """Write the worked examples: rows with their ``table`` and their ``reply``."""
    lines = (json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows)
    write_text(dataset / EXAMPLES_FILE, "".join(lines))


def examples_of(dataset: Path, table: str) -> list[Row]:
    """Return the worked examples of a table, in order.

    Raises:
        OrreryError: the dataset contains none.
    """
    examples = stored_examples(dataset, table)
    if not examples:
        mend = "build it again, with a domain whose domain.yaml says 'questions: false'"
        raise OrreryError(str(dataset / EXAMPLES_FILE), f"contains no examples for '{table}'", mend)
    return examples


def stored_examples(dataset: Path, table: str) -> list[Row]:
    """Return the worked examples of a table, in order, if the dataset contains any."""
    path = dataset / EXAMPLES_FILE
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [row for row in map(json.loads, lines) if row["table"] == table]
