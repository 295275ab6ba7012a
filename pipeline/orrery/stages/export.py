"""``orrery export``: rows of the dataset in the formats of trainers and model runners."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TextIO

from orrery.config import Settings
from orrery.dataset.contents import read_manifest
from orrery.dataset.prompts import EXAMPLES, PromptMessages, PromptTemplate, examples_of, prompt_of
from orrery.dataset.views import stream_rows
from orrery.families import table_of, tables
from orrery.model import Row, UsageError
from orrery.seeds import stream
from orrery.store.files import replacing
from orrery.store.shards import splits

MESSAGES = "messages"
FORMATS = {"sft": (MESSAGES, "prompt-completion"), "prompts": (MESSAGES, "prompt")}
PROGRESS_EVERY = 20_000
FIRST_DIGITS = "0123456789abcdef"  # passes of a shuffle; each has a sixteenth of the rows in memory


def run(
    settings: Settings,
    dataset: Path,
    kind: str,
    table: str,
    split: str | None,
    *,
    style: str,
    form: str,
    where: str | None,
    limit: int | None,
    shuffle: int | None,
    out: Path | None,
) -> int:
    """Write rows as JSON lines; return the number of lines.

    ``sft`` writes each dialogue of a table with dialogues, up to its last reply.

    Args:
        settings: the build.
        dataset: the folder of the dataset.
        kind: ``sft`` for conversations with the right reply, ``prompts`` for prompts with the ids of rows.
        table: the table.
        split: the split; None means all.
        style: the style of the prompt.
        form: one of the formats of the kind.
        where: a condition in SQL.
        limit: the maximum number of rows.
        shuffle: the seed of an order; None keeps the order of the table.
        out: the file; None means stdout.

    Raises:
        UsageError: unknown table, split, style or format, a table without replies, or invalid SQL.
    """
    if form not in FORMATS[kind]:
        raise UsageError(f"format '{form}'", "is unknown", f"formats: {', '.join(FORMATS[kind])}")
    if kind == "sft" and (columns_of_dialogues := table_of(table).dialogues):
        if form != MESSAGES:
            raise UsageError(
                f"format '{form}'", f"cannot hold the dialogues of {table}", f"format: {MESSAGES}"
            )
        rows = _selected(dataset, table, split, where, shuffle, list(columns_of_dialogues))
        dialogues = ({MESSAGES: row[name][:-1]} for row in rows for name in columns_of_dialogues)
        return _write_lines(out, islice(dialogues, limit))
    gold = table_of(table).gold if kind == "sft" else None
    if kind == "sft" and gold is None:
        with_replies = (name for name, each in tables().items() if each.gold or each.dialogues)
        mend = f"tables: {', '.join(sorted(with_replies))}"
        raise UsageError(f"table '{table}'", "has no questions and answers to export", mend)
    prompt = prompt_of(settings.root / "templates", table, style)
    columns = dict.fromkeys(("id", *prompt.columns, *(gold.columns if gold else ())))
    examples = {EXAMPLES: examples_of(dataset, table)} if EXAMPLES in columns else {}
    rows = _selected(dataset, table, split, where, shuffle, [name for name in columns if name != EXAMPLES])

    def line(row: Row) -> Row:
        """Return the line of a row."""
        messages = prompt.say({**row, **examples})
        if gold is None:
            asked = _messages(messages) if form == MESSAGES else {"prompt": messages.text}
            return {"id": row["id"], **asked}
        reply = gold.reply(row, stream(settings.seed, "export", row["id"]))
        if form == MESSAGES:
            return _messages(messages, reply)
        return {"prompt": messages.text, "completion": reply}

    skipped = Counter[str]()
    asked = islice(_with_values(rows, prompt, skipped), limit)
    number = _write_lines(out, map(line, asked))
    for value, count in skipped.items():
        print(f"export: {count} rows left out: {value} is empty", file=sys.stderr)
    return number


def _with_values(rows: Iterable[Row], prompt: PromptTemplate, skipped: Counter[str]) -> Iterator[Row]:
    """Yield the rows in which no value of the prompt is empty, and count the others by their empty value."""
    for row in rows:
        if empty := prompt.empty_value(row):
            skipped[empty] += 1
        else:
            yield row


def _messages(prompt: PromptMessages, *reply: str) -> Row:
    """Return a conversation, with the reply if one is given."""
    messages = zip(("system", "user", "assistant"), (prompt.system, prompt.user, *reply), strict=False)
    return {MESSAGES: [{"role": role, "content": content} for role, content in messages]}


def _write_lines(out: Path | None, content: Iterable[Row]) -> int:
    """Write JSON lines to a file, or to stdout; return their number."""
    lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in content)
    if out is None:
        return _write(sys.stdout, lines)
    with replacing(out) as path, path.open("w", encoding="utf-8") as file:
        return _write(file, lines)


def _write(file: TextIO, lines: Iterable[str]) -> int:
    """Write the lines as they arrive, with progress on stderr; return their number."""
    number = 0
    for number, line in enumerate(lines, 1):
        file.write(line)
        if number % PROGRESS_EVERY == 0:
            print(f"export: {number} rows", file=sys.stderr, flush=True)
    return number


def _selected(
    dataset: Path, table: str, split: str | None, where: str | None, shuffle: int | None, columns: list[str]
) -> Iterator[Row]:
    """Yield the requested rows, in the order of the table, or by a digest of seed and id."""
    read_manifest(dataset)  # raises an error first if there is no dataset
    files = splits(dataset).get(table, {})
    if split is not None and split not in files:
        mend = f"splits with rows: {', '.join([*files, 'all']) if files else 'none'}"
        raise UsageError(f"table '{table}'", f"has no rows in split '{split}'", mend)
    parts = [f"split = '{name}'" for name in ([split] if split else files)]
    if shuffle is not None:
        chosen, digest = " OR ".join(parts), f"md5('{shuffle}/' || id)"
        parts = [
            f"({chosen}) AND starts_with({digest}, '{digit}') ORDER BY {digest}" for digit in FIRST_DIGITS
        ]
    for part in parts:
        select = f"SELECT {', '.join(columns)} FROM {table} WHERE ({where or 'true'}\n) AND {part}"
        yield from stream_rows(dataset, select)
