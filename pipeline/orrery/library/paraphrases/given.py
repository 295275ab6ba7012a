"""Paraphrases to judge: those of a file, and those that a model wrote."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from orrery.scoring.predictions import FileFormat, read_predictions

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
