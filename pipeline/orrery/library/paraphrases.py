"""Paraphrases by users or models: tasks that write them and recover their problems, verdicts, and tables.

A paraphrase is accepted if our reader recovers its problem, or a model that is given no other text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from orrery.checks.paraphrase_reader import reader_of
from orrery.dataset.prompts import PromptTemplate
from orrery.families.text_to_pddl.schemas import TEXT_TO_PDDL
from orrery.grading import RIGHT, UNPARSED, WRONG, Score
from orrery.library.items import USUAL, Item
from orrery.model import Row
from orrery.progress import progress
from orrery.scoring.predictions import FileFormat, read_predictions
from orrery.scoring.scorer import UNDECIDED
from orrery.store.kinds import INT, STRING, Schema, column, table, table_name

TABLE = table_name(TEXT_TO_PDDL)
TEMPLATE = "paraphrases/ask"
FORM = FileFormat(("natural_language",), "a row has `id` and `natural_language`", "paraphrases")
FENCED = re.compile(r"```\w*\n(.*)\n```", re.DOTALL)
READER, MODEL = "reader", "model"  # acceptance method

_ID = column("id", STRING, "The row of text_to_pddl that it tells in other words: joins with that table")
_NUMBER = column("number", INT, "Which paraphrase of the row it is, from 1 on: in the order of the file")
_TEXT = column("natural_language", STRING, "The paraphrase")
_AUTHOR = column("author", STRING, "The model that wrote it; empty for one that came from a file")

PARAPHRASES: Schema = table(
    "paraphrases",
    "Texts of rows of text_to_pddl in other words, from which the row's problem was recovered exactly",
    _ID,
    _NUMBER,
    _TEXT,
    _AUTHOR,
    column(
        "accepted_by",
        STRING,
        "How the problem was recovered: `reader`, from wordings that are known; or `model`, which was asked "
        "for the problem with the paraphrase and the domain alone, and wrote an equivalent one",
    ),
    column("recovered_by", STRING, "The model that recovered the problem; empty where the reader did"),
    key=("id", "number"),
)

REJECTS: Schema = table(
    "paraphrase_rejects",
    "Paraphrases that were not accepted, with the reason",
    _ID,
    _NUMBER,
    _TEXT,
    _AUTHOR,
    column("reason", STRING, "Why the problem of the row was not recovered from it"),
    column("reply", STRING, "What the model wrote when it was asked for the problem; empty if it was not"),
    key=("id", "number"),
)

LONGEST = 100_000  # characters; our texts are at most a tenth as long
EMPTY, LONG, BROKEN = "it is empty", "it is too long", "it holds half a character"
OTHER = "it tells another problem"
OWN, AGAIN = "it is the row's own text", "it is paraphrase {} of the row again"
_SAID = {
    WRONG: "the model recovered another problem",
    UNPARSED: "the model recovered no problem",
    UNDECIDED: "it is undecided whether the model recovered the problem",
}


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


class Judged(NamedTuple):
    """A paraphrase with its verdict.

    ``accepted_by`` is empty if it is not accepted. ``reason`` is empty if it is accepted or undecided.
    """

    paraphrase: Paraphrase
    accepted_by: str = ""
    reason: str = ""
    reply: str = ""

    @property
    def settled(self) -> bool:
        """Whether the paraphrase is accepted or rejected, so that no model is needed."""
        return bool(self.accepted_by or self.reason)

    def accepted(self, recovered_by: str) -> dict[str, Any]:
        """Return the row of the table of paraphrases; ``recovered_by`` is the recovering model."""
        model = recovered_by if self.accepted_by == MODEL else ""
        return {**self._columns(), "accepted_by": self.accepted_by, "recovered_by": model}

    def rejected(self) -> dict[str, Any]:
        """Return the row of the table of rejects."""
        return {**self._columns(), "reason": self.reason, "reply": _whole(self.reply)}

    def _columns(self) -> dict[str, Any]:
        row_id, number, text, author = self.paraphrase
        return {"id": row_id, "number": number, "natural_language": _whole(text), "author": author}


def read_all(
    rows: Mapping[str, Row], paraphrases: Sequence[Paraphrase], root: Path, *, asked_back: bool
) -> Iterator[Judged]:
    """Yield the verdict of our reader on each paraphrase of ``rows``, in order.

    ``asked_back``: unreadable paraphrases stay undecided, for a model. Otherwise they are rejected.

    Raises:
        OrreryError: the domain of a row is missing, or its templates are broken.
    """
    numbers: dict[tuple[str, str], int] = {}
    with progress("read", len(paraphrases)) as bar:
        for paraphrase in paraphrases:
            row = rows[paraphrase.id]
            key = (paraphrase.id, " ".join(paraphrase.text.split()))
            if reason := _unfit(row, paraphrase.text) or _again(numbers, key):
                yield Judged(paraphrase, reason=reason)
            else:
                numbers[key] = paraphrase.number
                yield _judge_by_reader(row, paraphrase, root, asked_back=asked_back)
            bar.update()


def by_reply(paraphrase: Paraphrase, reply: str, score: Score) -> Judged:
    """Return the verdict on a paraphrase, given a model's recovered problem and its score."""
    if score.verdict == RIGHT:
        return Judged(paraphrase, MODEL)
    verdict = _SAID[score.verdict]
    return Judged(paraphrase, reason=f"{verdict}: {score.detail}" if score.detail else verdict, reply=reply)


def _judge_by_reader(row: Row, paraphrase: Paraphrase, root: Path, *, asked_back: bool) -> Judged:
    reading = reader_of(root, str(row["domain"])).read(row, paraphrase.text)
    if reading.same:
        return Judged(paraphrase, READER)
    if reading.same is None and asked_back:
        return Judged(paraphrase)
    reason = f"{OTHER}: {reading.why}" if reading.same is False else reading.why
    return Judged(paraphrase, reason=reason)


def _unfit(row: Row, text: str) -> str:
    """Return why a text cannot be a paraphrase, regardless of its meaning; empty if it can be one."""
    if not text:
        return EMPTY
    if len(text) > LONGEST:
        return LONG
    if _whole(text) != text:
        return BROKEN
    return OWN if text.split() == str(row["natural_language"]).split() else ""


def _again(numbers: Mapping[tuple[str, str], int], key: tuple[str, str]) -> str:
    return AGAIN.format(numbers[key]) if key in numbers else ""


def _whole(text: str) -> str:
    """Return a text with invalid Unicode replaced by escapes."""
    return text.encode("utf-8", "backslashreplace").decode()
