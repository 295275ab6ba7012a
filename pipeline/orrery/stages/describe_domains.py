"""Stage ``describe-domains``: the rows that ask for actions and domains in PDDL, to ``outputs/descriptions``.

Every domain gives one row per table, described in its own words, with problems that are solved or proven
unsolvable. A domain belongs to one split.
"""

from __future__ import annotations

from orrery.catalog import SPLITS
from orrery.config import Settings
from orrery.families.modelling import domain_rows, splits_of_domains
from orrery.families.modelling.schemas import ACTION_MODELING, DOMAIN_MODELING
from orrery.stages.summary import StageSummary
from orrery.store.kinds import table_name
from orrery.store.shards import count, write

STAGE = "describe-domains"


def run(settings: Settings) -> StageSummary:
    """Write a row of each table for every domain with problems at this size, one file per table and split."""
    splits = splits_of_domains(settings)
    problems = {name: settings.outputs / "problems" / name / "problems.parquet" for name in settings.domains}
    domains = [name for name, path in problems.items() if count(path)]
    rows = {name: domain_rows(settings, name, splits[name]) for name in domains}
    counts = {}
    for place, schema in enumerate((ACTION_MODELING, DOMAIN_MODELING)):
        for split in SPLITS:
            mine = [rows[name][place] for name in sorted(rows) if splits[name] == split]
            path = settings.outputs / "descriptions" / f"{table_name(schema)}-{split}.parquet"
            counts[f"{table_name(schema)} in {split}"] = write(path, schema, mine)
    counts_above_zero = {name: number for name, number in counts.items() if number}
    return StageSummary(
        STAGE, "", counts_above_zero, {"no problem at this size": len(settings.domains) - len(domains)}
    )
