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
from orrery.grading.traces import check_trace
from orrery.model import Row, UsageError, suggest
from orrery.seeds import stream
from orrery.store.files import replacing
from orrery.store.shards import splits
from orrery.traces import NoTrace, trace_of

MESSAGES = "messages"
TRACES = "traces"  # what replies may have besides the answer
FORMATS = {"sft": (MESSAGES, "prompt-completion"), "prompts": (MESSAGES, "prompt")}
IN_PDDL = ("_pddl", "_both")  # endings of the styles whose prompts have PDDL
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
    additions: str | None = None,
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
        additions: ``traces`` for replies that derive the answer; None for the answer alone.
        where: a condition in SQL.
        limit: the maximum number of rows.
        shuffle: the seed of an order; None keeps the order of the table.
        out: the file; None means stdout.

    Raises:
        UsageError: unknown table, split, style, format or addition, a table without replies or traces, or
            invalid SQL.
    """
    if form not in FORMATS[kind]:
        raise UsageError(f"format '{form}'", "is unknown", suggest(form, "formats", FORMATS[kind]))
    if kind == "sft" and (columns_of_dialogues := table_of(table).dialogues):
        if form != MESSAGES:
            raise UsageError(
                f"format '{form}'", f"cannot hold the dialogues of {table}", f"format: {MESSAGES}"
            )
        rows = _selected(dataset, table, split, where, shuffle, list(columns_of_dialogues))
        dialogues = ({MESSAGES: row[name][:-1]} for row in rows for name in columns_of_dialogues)
        return _write_lines(out, islice(dialogues, limit))
    _check_additions(kind, table, additions)
    gold = table_of(table).gold if kind == "sft" else None
    if kind == "sft" and gold is None:
        with_replies = (name for name, each in tables().items() if each.gold or each.dialogues)
        mend = f"tables: {', '.join(sorted(with_replies))}"
        raise UsageError(f"table '{table}'", "has no questions and answers to export", mend)
    prompt = prompt_of(settings.root / "templates", table, style)
    replies = table_of(table).schema.names if additions else gold.columns if gold else ()
    columns = dict.fromkeys(("id", *prompt.columns, *replies))
    examples = {EXAMPLES: examples_of(dataset, table)} if EXAMPLES in columns else {}
    rows = _selected(dataset, table, split, where, shuffle, [name for name in columns if name != EXAMPLES])

    skipped = Counter[str]()

    def line(row: Row) -> Row:
        """Return the line of a row."""
        messages = prompt.say({**row, **examples})
        if gold is None:
            asked = _messages(messages) if form == MESSAGES else {"prompt": messages.text}
            return {"id": row["id"], **asked}
        reply = row.get(TRACES) or gold.reply(row, stream(settings.seed, "export", row["id"]))
        if form == MESSAGES:
            return _messages(messages, reply)
        return {"prompt": messages.text, "completion": reply}

    asked = _with_values(rows, prompt, skipped)
    if additions:
        asked = _with_traces(asked, skipped, words=not style.endswith(IN_PDDL))
    number = _write_lines(out, map(line, islice(asked, limit)))
    for reason, count in skipped.items():
        print(f"export: {count} rows left out: {reason}", file=sys.stderr)
    return number


def _check_additions(kind: str, table: str, additions: str | None) -> None:
    """Raise UsageError if the lines of a table cannot have an addition."""
    if additions is None:
        return
    if kind != "sft" or additions != TRACES:
        raise UsageError(f"addition '{additions}'", "is unknown here", "export sft --with traces")
    if "group" not in table_of(table).schema.names:
        with_traces = sorted(name for name, each in tables().items() if "group" in each.schema.names)
        raise UsageError(f"table '{table}'", "has no traces", f"tables: {', '.join(with_traces)}")


def _with_values(rows: Iterable[Row], prompt: PromptTemplate, skipped: Counter[str]) -> Iterator[Row]:
    """Yield the rows in which no value of the prompt is empty, and count the others by the reason."""
    for row in rows:
        if empty := prompt.empty_value(row):
            skipped[f"{empty} is empty"] += 1
        else:
            yield row


def _with_traces(rows: Iterable[Row], skipped: Counter[str], *, words: bool) -> Iterator[Row]:
    """Yield the rows with a trace that the checker accepts, and count the others by the reason.

    With ``words``, facts and actions are said in the words of the row, if it has some.
    """
    for row in rows:
        try:
            trace = trace_of(row, words=words)
        except NoTrace as reason:
            skipped[str(reason)] += 1
            continue
        if fault := check_trace(trace, row):
            skipped[f"the trace of {row['id']} does not pass its check: {fault}"] += 1
        else:
            yield {**row, TRACES: trace}


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
        mend = suggest(split, "splits with rows", [*files, "all"] if files else [])
        raise UsageError(f"table '{table}'", f"has no rows in split '{split}'", mend)
    parts = [f"split = '{name}'" for name in ([split] if split else files)]
    if shuffle is not None:
        chosen, digest = " OR ".join(parts), f"md5('{shuffle}/' || id)"
        parts = [
            f"({chosen}) AND starts_with({digest}, '{digit}') ORDER BY {digest}" for digit in FIRST_DIGITS
        ]
    for part in parts:
        quoted = ", ".join(f'"{name}"' for name in columns)  # one is called "group"
        select = f"SELECT {quoted} FROM {table} WHERE ({where or 'true'}\n) AND {part}"
        yield from stream_rows(dataset, select)
