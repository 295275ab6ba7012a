"""Problems to act in: the table ``world``, which has dialogues in place of prompts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orrery.config import Settings
from orrery.families import Family
from orrery.families import Table as PublishedTable
from orrery.families.problems import of_split
from orrery.families.worlds.schemas import WORLD
from orrery.store.columns import Table
from orrery.store.kinds import table_name
from orrery.store.lookup import groups

FOLDER = "worlds"  # below ``outputs``


def world_rows(settings: Settings, split: str, only: Sequence[str] | None = None) -> Iterator[Table]:
    """Yield the rows whose problems are in the split."""
    columns = None if only is None else sorted({*only, "problem_id"})
    for name in settings.all_domains:
        path = settings.outputs / FOLDER / name / f"{table_name(WORLD)}.parquet"
        for rows in groups(path, WORLD, columns):
            yield of_split(rows, name, split)


FAMILY = Family(
    tables=(PublishedTable(WORLD, world_rows, apart=("problem_id",), dialogues=("expert", "slip")),),
)
