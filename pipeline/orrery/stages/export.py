"""``orrery export``: rows of the dataset in the formats of trainers and model runners."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from orrery.config import Settings
from orrery.dataset.contents import read_manifest
from orrery.dataset.prompts import EXAMPLES, PromptMessages, examples_of, prompt_of
from orrery.dataset.views import stream_rows
from orrery.families import table_of, tables
from orrery.model import UsageError
from orrery.seeds import stream
from orrery.store.files import replacing
from orrery.store.shards import splits

Row: TypeAlias = dict[str, Any]
FORMATS = ("messages", "prompt-completion")
PROGRESS_EVERY = 20_000
FIRST_DIGITS = "0123456789abcdef"  # passes of a shuffle; each has a sixteenth of the rows in memory


@dataclass(frozen=True)
class ExportRequest:
    """A request to export: which rows, in which format, to which file.

    ``split`` None means all; ``where`` is a condition in SQL; ``shuffle`` is the seed of an order, None
    keeps the order of the table; ``out`` None means stdout.
    """

    table: str
    split: str | None = "train"
    style: str = "zero_shot"
    form: str = "messages"
    where: str | None = None
    limit: int | None = None
    shuffle: int | None = None
    out: Path | None = None


def run_sft(settings: Settings, request: ExportRequest) -> int:
    """Write conversations with the right reply as JSON lines; return their number.

    Raises:
        UsageError: unknown table, split, style or format, a table without replies, or invalid SQL.
    """
    if request.form not in FORMATS:
        raise UsageError(f"format '{request.form}'", "is unknown", f"formats: {', '.join(FORMATS)}")
    gold = table_of(request.table).gold
    if gold is None:
        mend = f"tables: {', '.join(sorted(name for name, table in tables().items() if table.gold))}"
        raise UsageError(f"table '{request.table}'", "has no questions and answers to export", mend)

    def line(row: Row, messages: PromptMessages) -> Row:
        """Return one example with its right reply."""
        right = gold.reply(row, stream(settings.seed, "export", row["id"]))
        return (
            _messages(messages, right)
            if request.form == FORMATS[0]
            else {"prompt": messages.text, "completion": right}
        )

    return _export(settings, request, gold.columns, line)


def run_prompts(settings: Settings, request: ExportRequest) -> int:
    """Write the prompts of rows as JSON lines with their ids, without replies; return their number.

    Raises:
        UsageError: unknown table, split, style or format, or invalid SQL.
    """
    as_text = {"messages": False, "prompt": True}
    if request.form not in as_text:
        raise UsageError(f"format '{request.form}'", "is unknown", f"formats: {', '.join(as_text)}")

    def line(row: Row, messages: PromptMessages) -> Row:
        """Return one prompt with its id."""
        return {
            "id": row["id"],
            **({"prompt": messages.text} if as_text[request.form] else _messages(messages)),
        }

    return _export(settings, request, (), line)


def _messages(prompt: PromptMessages, reply: str | None = None) -> Row:
    """Return a conversation, with the reply if one is given."""
    messages = [("system", prompt.system), ("user", prompt.user)]
    messages += [("assistant", reply)] if reply is not None else []
    return {"messages": [{"role": role, "content": content} for role, content in messages]}


def _export(
    settings: Settings,
    request: ExportRequest,
    columns: tuple[str, ...],
    line: Callable[[Row, PromptMessages], Row],
) -> int:
    """Write a line for each row that the request selects."""
    prompt = prompt_of(settings.root / "templates", request.table, request.style)
    dataset = settings.outputs / "dataset"
    needed = [name for name in dict.fromkeys(("id", *prompt.columns, *columns)) if name != EXAMPLES]
    examples = {EXAMPLES: examples_of(dataset, request.table)} if EXAMPLES in prompt.columns else {}
    rows = islice(_selected(dataset, request, needed), request.limit)
    lines = (
        json.dumps(line(row, prompt.say({**row, **examples})), ensure_ascii=False) + "\n" for row in rows
    )
    if request.out is None:
        return _write(sys.stdout, lines)
    with replacing(request.out) as path, path.open("w", encoding="utf-8") as file:
        return _write(file, lines)


def _write(file: TextIO, lines: Iterator[str]) -> int:
    """Write the lines as they arrive, with progress on stderr; return their number."""
    number = 0
    for number, line in enumerate(lines, 1):
        file.write(line)
        if number % PROGRESS_EVERY == 0:
            print(f"export: {number} rows", file=sys.stderr, flush=True)
    return number


def _selected(dataset: Path, request: ExportRequest, columns: list[str]) -> Iterator[Row]:
    """Yield the requested rows, in the order of the table, or by a digest of seed and id."""
    read_manifest(dataset)  # raises an error first if there is no dataset
    files = splits(dataset).get(request.table, {})
    if request.split is not None and request.split not in files:
        mend = f"splits with rows: {', '.join([*files, 'all']) if files else 'none'}"
        raise UsageError(f"table '{request.table}'", f"has no rows in split '{request.split}'", mend)
    selected = [request.split] if request.split else list(files)
    condition = f"({request.where}\n)" if request.where else "true"

    def select(view: str) -> str:
        """Return the statement for the rows of a view that satisfy the condition."""
        return f"SELECT {', '.join(columns)} FROM {view} WHERE {condition}"

    if request.shuffle is None:
        for split in selected:
            yield from stream_rows(dataset, select(f"{request.table}_{split}"))
        return
    digest = f"md5('{request.shuffle}/' || id)"
    view = f"(SELECT * FROM {request.table} WHERE split IN ({', '.join(map(repr, selected))}))"
    for digit in FIRST_DIGITS:
        part = f"{select(view)} AND starts_with({digest}, '{digit}')"
        yield from stream_rows(dataset, f"{part} ORDER BY {digest}")
