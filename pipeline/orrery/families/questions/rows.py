"""The rows of the question tables, and the worked examples that their prompts show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

from orrery.catalog import entry_of
from orrery.config import Settings
from orrery.families import Gold, Row, Rows
from orrery.families.problems.rows import of_split
from orrery.families.questions.cells import added, by_table
from orrery.seeds import stream
from orrery.store.columns import Table
from orrery.store.kinds import Schema, table_name
from orrery.store.lookup import groups
from orrery.store.shards import read_rows

SPARE = "spare"  # the folder of rows that may be added in the place of what other domains lack
EACH = 2  # examples of a table
PROMPTS = {
    "words": ("context", "question"),
    "pddl": ("context_pddl", "question_pddl"),
    "both": ("context_both", "question"),
}
SHOWN = ("id", "group", "domain", "PDDL_domain", "PDDL_problem", "answer", *chain(*PROMPTS.values()))


def question_rows(schema: Schema) -> Rows:
    """Return the maker of the rows of the table of ``schema``; example domains yield none.

    Domains that have rows to spare add some, where others cannot give as many as promised.
    """
    file = f"{table_name(schema)}.parquet"

    def rows(settings: Settings, split: str, only: Sequence[str] | None = None) -> Iterator[Table]:
        """Yield the rows whose problems are in the split."""
        columns = None if only is None else sorted({*only, "problem_id"})
        more = added(by_table(settings).get((table_name(schema), split), ()))
        for name in settings.domains:
            if entry_of(settings.root, name).description.questions:
                folder = settings.outputs / "questions" / name
                for questions in groups(folder / file, schema, columns):
                    yield of_split(questions, name, split)
                if name in more:
                    left = more[name]
                    for spare in groups(folder / SPARE / file, schema, columns):
                        some = of_split(spare, name, split).slice(0, left)
                        left -= some.num_rows
                        yield some

    return rows


def example_rows(settings: Settings, schema: Schema, gold: Gold) -> Iterator[dict[str, Any]]:
    """Yield at most ``EACH`` rows of a table: the shortest of each domain that no table asks about.

    A row that has something to say goes before one whose answer is None.
    """
    names = [name for name in settings.domains if not entry_of(settings.root, name).description.questions]
    shortest = (_shortest(settings, name, schema, gold) for name in names)
    yield from islice((row for row in shortest if row is not None), EACH)


def _shortest(settings: Settings, name: str, schema: Schema, gold: Gold) -> dict[str, Any] | None:
    table = table_name(schema)
    path = settings.outputs / "questions" / name / f"{table}.parquet"
    if not path.exists():
        return None

    def reply(row: Row) -> str:
        return gold.reply(row, stream(settings.seed, "examples", row["id"]))

    read = list(dict.fromkeys((*SHOWN, *gold.columns)))
    rows = read_rows(path, schema, read)
    row = min(
        rows, key=lambda row: (reply(row).endswith("None"), len(row["context_both"]), row["id"]), default=None
    )
    return None if row is None else row | {"table": table, "reply": reply(row)}
