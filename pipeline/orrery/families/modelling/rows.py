"""The rows on whole domains: our own, and those that the corpus stage let through."""

from __future__ import annotations

from collections.abc import Iterator

from orrery.catalog import entry_of
from orrery.config import Settings
from orrery.families import Rows
from orrery.seeds import digest
from orrery.store.columns import Table
from orrery.store.kinds import Schema, table_name
from orrery.store.shards import read_batches

SHARE = 5  # of so many domains one is for training and one for validation, at least
STAGES = ("descriptions", "corpus")  # what writes rows, a file a table and split


def modelling_rows(schema: Schema) -> Rows:
    """What makes the rows of the table of ``schema``."""

    def rows(settings: Settings, split: str) -> Iterator[Table]:
        for stage in STAGES:
            path = settings.outputs / stage / f"{table_name(schema)}-{split}.parquet"
            if path.exists():
                yield from read_batches(path, schema)

    return rows


def splits_of_domains(settings: Settings) -> dict[str, str]:
    """The split of each domain: domains held out are for testing, of the others most are as well."""
    held = set(settings.held_out.domains)
    held |= {name for name in settings.domains if entry_of(settings.root, name).description.test_only}
    open_ones = sorted(set(settings.domains) - held, key=lambda name: digest(settings.seed, "describe", name))
    share = -(-len(open_ones) // SHARE)
    train, validation = open_ones[:share], open_ones[share : 2 * share]
    return {
        name: "train" if name in train else "validation" if name in validation else "test"
        for name in settings.domains
    }
