"""Paraphrases by users or models, and two tasks for a model: write a paraphrase, and recover its problem."""

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
    """A text that should describe the problem of the row ``id``. Paraphrases of a row count from 1."""

    id: str
    number: int
    text: str
    author: str = ""

    @property
    def name(self) -> str:
        """A unique name."""
        return name_of(self.id, self.number)


def name_of(row_id: str, number: int) -> str:
    """Return the name of a paraphrase of a row."""
    return f"{row_id}#{number}"


def read_paraphrases(path: Path) -> Iterator[tuple[int, Paraphrase]]:
    """Yield the paraphrases of a Parquet or JSONL file in order, each with its line number.

    Raises:
        UsageError: the file does not exist.
        OrreryError: the file cannot be read, lacks a column, or has a value of a wrong type; the message
        names
            the line.
    """
    counts: Counter[str] = Counter()
    for line, row_id, _, text in read_predictions(path, FORM):
        counts[row_id] += 1
        yield line, Paraphrase(row_id, counts[row_id], text.strip())


def text_of(reply: str) -> str:
    """Return the paraphrase in a model's reply, without a surrounding code fence."""
    text = reply.strip()
    fenced = FENCED.fullmatch(text)
    return fenced[1].strip() if fenced else text


@dataclass(frozen=True)
class Rewording(Item):
    """The task to paraphrase a row. Any reply counts as right; the paraphrase is judged later."""

    @cached_property
    def prompt(self) -> list[dict[str, str]]:
        """The messages of the prompt."""
        messages = _template(self.root).say(self.row)
        return [{"role": "system", "content": messages.system}, {"role": "user", "content": messages.user}]

    @property
    def gold(self) -> str:
        """The text of the row itself."""
        return str(self.row["natural_language"])

    def score(self, reply: str | None) -> Score:
        """Return a right score for any reply."""
        return Score(1.0, RIGHT)


def rewording(row: Mapping[str, Any], number: int, root: Path) -> Rewording:
    """Return the task to write paraphrase ``number`` of a row."""
    row_asked = {**row, "id": name_of(str(row["id"]), number), "number": number}
    return Rewording(TABLE, row_asked, TEMPLATE, root)


def recovery(row: Mapping[str, Any], paraphrase: Paraphrase, root: Path) -> Item:
    """Return the task to write the problem in PDDL, given only a paraphrase of a row and the domain."""
    row_asked = {**row, "id": paraphrase.name, "natural_language": paraphrase.text}
    return Item(TABLE, row_asked, USUAL, root)


@lru_cache(maxsize=8)
def _template(root: Path) -> PromptTemplate:
    return PromptTemplate(root / "templates", TEMPLATE)
