"""The rows on whole domains: our own, and those that the corpus stage let through."""

from __future__ import annotations

from collections.abc import Iterator

from orrery.config import Settings
from orrery.families import Rows
from orrery.store.columns import Table
from orrery.store.kinds import Schema, table_name
from orrery.store.shards import read_batches

STAGES = ("descriptions", "corpus")  # what writes rows, a file a table and split


def modelling_rows(schema: Schema) -> Rows:
    """What makes the rows of the table of ``schema``."""

    def rows(settings: Settings, split: str) -> Iterator[Table]:
        for stage in STAGES:
            path = settings.outputs / stage / f"{table_name(schema)}-{split}.parquet"
            if path.exists():
                yield from read_batches(path, schema)

    return rows
