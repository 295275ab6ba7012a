"""The rows of tables of tasks, read from the files of a stage, and the worked examples of prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any

from orrery.catalog import entry_of
from orrery.config import Settings
from orrery.families import Rows
from orrery.families.problems import of_split
from orrery.model import OrreryError, Row
from orrery.store.columns import Table
from orrery.store.kinds import Schema, table_name
from orrery.store.lookup import groups
from orrery.store.shards import read_rows
from orrery.traces import NoTrace, trace_of

SPARE = "spare"  # the folder of spare rows, which replace rows that other domains lack
EXAMPLES = 2  # maximum number of examples of a table
PROMPTS = {
    "words": ("context", "question"),
    "pddl": ("context_pddl", "question_pddl"),
    "both": ("context_both", "question"),
}
PROMPT_COLUMNS = tuple(dict.fromkeys(chain(*PROMPTS.values())))


def no_additions(_settings: Settings, _table: str, _split: str) -> Mapping[str, int]:
    """Return an empty mapping: no domain adds spare rows."""
    return {}


def task_rows(
    folder: str, schema: Schema, additions: Callable[[Settings, str, str], Mapping[str, int]] = no_additions
) -> Rows:
    """Return the function that makes the rows of the table of ``schema``; example domains have none.

    Args:
        folder: the folder below ``outputs`` that contains a folder for each domain.
        schema: the schema of the table.
        additions: returns, by domain, how many spare rows it adds to a table and split because other domains
            have fewer rows than promised.
    """
    file = f"{table_name(schema)}.parquet"

    def rows(settings: Settings, split: str, only: Sequence[str] | None = None) -> Iterator[Table]:
        """Yield the rows whose problems are in the split."""
        columns = None if only is None else sorted({*only, "problem_id"})
        added = additions(settings, table_name(schema), split)
        for name in settings.all_domains:
            if not entry_of(settings.root, name).description.questions:
                continue
            stored = settings.outputs / folder / name
            for table in groups(stored / file, schema, columns):
                yield of_split(table, name, split)
            if name in added:
                yield from _spare_rows(stored / SPARE / file, schema, columns, name, split, added[name])

    return rows


def _spare_rows(
    path: Path, schema: Schema, columns: Sequence[str] | None, name: str, split: str, missing: int
) -> Iterator[Table]:
    """Yield ``missing`` spare rows of a domain and split.

    Raises:
        OrreryError: there are fewer.
    """
    for table in groups(path, schema, columns):
        spare = of_split(table, name, split).slice(0, missing)
        missing -= spare.num_rows
        yield spare
        if not missing:
            return
    mend = f"run `orrery generate-questions {name}` again"
    raise OrreryError(str(path), f"has {missing} rows of {split} too few to stand in for other domains", mend)


def example_rows(
    settings: Settings, folder: str, schema: Schema, columns: Sequence[str], reply: Callable[[Row], str],
    order: Callable[[Row, str], Any], fits: Callable[[Row], bool] = bool,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """Yield at most ``EXAMPLES`` rows of a table with reply and trace: the first rows of the example domains.

    A second row of a domain is an example only if the other domains have too few.
    Example domains are domains without rows in any table.

    Args:
        settings: the build.
        folder: as in ``task_rows``.
        schema: the schema of the table.
        columns: the columns of an example.
        reply: writes a correct reply to a row.
        order: returns the sort key of a row with its reply.
        fits: returns whether a row may be an example.
    """
    names = [name for name in settings.domains if not entry_of(settings.root, name).description.questions]

    def ranked(name: str) -> list[dict[str, Any]]:
        path = settings.outputs / folder / name / f"{table_name(schema)}.parquet"
        rows = list(filter(fits, read_rows(path, schema, schema.names))) if path.exists() else []
        return sorted(rows, key=lambda row: order(row, reply(row)))[:EXAMPLES]

    in_turn = chain.from_iterable(zip_longest(*map(ranked, names)))
    for row in islice(filter(None, in_turn), EXAMPLES):
        chosen = {column: row[column] for column in columns}
        yield chosen | {"table": table_name(schema), "reply": reply(row)} | trace_columns(row)


def trace_columns(row: Row) -> dict[str, str]:
    """Return the trace of a row as the column ``trace``; nothing if it has none.

    ``trace_in_words`` is the same in the words of the row, if it has some.
    """
    try:
        traces = {"trace": trace_of(row), "trace_in_words": trace_of(row, words=True)}
    except NoTrace:
        return {}
    return traces if traces["trace_in_words"] != traces["trace"] else {"trace": traces["trace"]}
