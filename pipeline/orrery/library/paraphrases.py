"""Paraphrases by users or models, and what a model is asked: to write one, and to recover its problem."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from orrery.dataset.prompts import PromptTemplate
from orrery.families.text_to_pddl.schemas import TEXT_TO_PDDL
from orrery.grading import RIGHT, Score
from orrery.library.items import USUAL, Item
from orrery.scoring.predictions import FileFormat, read_predictions
from orrery.store.kinds import table_name

TABLE = table_name(TEXT_TO_PDDL)
TEMPLATE = "paraphrases/ask"
FORM = FileFormat(("natural_language",), "a row has `id` and `natural_language`", "paraphrases")
FENCED = re.compile(r"```\w*\n(.*)\n```", re.DOTALL)


class Paraphrase(NamedTuple):
    """A text that shall tell the problem of the row ``id``: its ``number`` among those of the row, from 1."""

    id: str
    number: int
    text: str
    author: str = ""

    @property
    def name(self) -> str:
        """A name of its own."""
        return name_of(self.id, self.number)


def name_of(row_id: str, number: int) -> str:
    """Return the name of a paraphrase of a row."""
    return f"{row_id}#{number}"


def read_paraphrases(path: Path) -> Iterator[tuple[int, Paraphrase]]:
    """Yield the paraphrases of a file, Parquet or JSONL, in its order, each after the number of its line.

    Raises:
        UsageError: there is no such file.
        OrreryError: it cannot be read, lacks a column, or a value is of the wrong kind; names the line.
    """
    counts: Counter[str] = Counter()
    for line, row_id, _, text in read_predictions(path, FORM):
        counts[row_id] += 1
        yield line, Paraphrase(row_id, counts[row_id], text.strip())


def text_of(reply: str) -> str:
    """Return the paraphrase that a model replied with, without a fence around it."""
    text = reply.strip()
    fenced = FENCED.fullmatch(text)
    return fenced[1].strip() if fenced else text


@dataclass(frozen=True)
class Rewording(Item):
    """The task to tell a row in other words; any reply is a right one, and judged as a paraphrase later."""

    @cached_property
    def prompt(self) -> list[dict[str, str]]:
        """The messages that a model reads."""
        messages = _template(self.root).say(self.row)
        return [{"role": "system", "content": messages.system}, {"role": "user", "content": messages.user}]

    @property
    def gold(self) -> str:
        """The text of the row, for none is better."""
        return str(self.row["natural_language"])

    def score(self, reply: str | None) -> Score:
        """Return that the reply is right."""
        return Score(1.0, RIGHT)


def rewording(row: Mapping[str, Any], number: int, root: Path) -> Rewording:
    """Return the task to write the paraphrase ``number`` of a row."""
    row_asked = {**row, "id": name_of(str(row["id"]), number), "number": number}
    return Rewording(TABLE, row_asked, TEMPLATE, root)


def recovery(row: Mapping[str, Any], paraphrase: Paraphrase, root: Path) -> Item:
    """Return the task to write the problem in PDDL, from a paraphrase of a row and the domain alone."""
    row_asked = {**row, "id": paraphrase.name, "natural_language": paraphrase.text}
    return Item(TABLE, row_asked, USUAL, root)


@lru_cache(maxsize=8)
def _template(root: Path) -> PromptTemplate:
    return PromptTemplate(root / "templates", TEMPLATE)
