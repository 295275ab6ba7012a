"""Stage ``describe``: the rows that ask for actions and domains in PDDL, to ``outputs/descriptions``.

Every domain is one row of each table, told in its own words, with problems that were solved or proven
unsolvable. A whole domain belongs to one split.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from orrery.catalog import SPLITS, Entry, entry_of
from orrery.config import Settings
from orrery.families.modelling.descriptions import Telling, header
from orrery.families.modelling.measures import measures
from orrery.families.modelling.rows import splits_of_domains
from orrery.families.modelling.schemas import ACTION_MODELING, DOMAIN_MODELING
from orrery.families.problems.schemas import GENERATED_PROBLEMS, SOLUTIONS
from orrery.model import OrreryError
from orrery.pddl.write import write_domain
from orrery.stages.summary import StageSummary
from orrery.store.kinds import table_name
from orrery.store.shards import count, read_rows, write

STAGE = "describe"
SOURCE = "orrery"
PROBLEMS = 4
Row = dict[str, Any]


def run(settings: Settings) -> StageSummary:
    """Write a row of each table for every domain that has problems at this size, a file a table and split."""
    splits = splits_of_domains(settings)
    there = [name for name in settings.domains if count(_file(settings, "problems", name))]
    rows = {name: _rows(settings, entry_of(settings.root, name), splits[name]) for name in there}
    counts = {}
    for place, schema in enumerate((ACTION_MODELING, DOMAIN_MODELING)):
        for split in SPLITS:
            mine = [rows[name][place] for name in sorted(rows) if splits[name] == split]
            path = settings.outputs / "descriptions" / f"{table_name(schema)}-{split}.parquet"
            counts[f"{table_name(schema)} in {split}"] = write(path, schema, mine)
    made = {name: number for name, number in counts.items() if number}
    return StageSummary(STAGE, "", made, {"no problem at this size": len(settings.domains) - len(there)})


def _file(settings: Settings, stage: str, name: str) -> Path:
    """The main table of a stage for a domain, which is called like the stage's folder."""
    return settings.outputs / stage / name / f"{stage}.parquet"


def _rows(settings: Settings, entry: Entry, split: str) -> tuple[Row, Row]:
    """The rows of one domain."""
    domain, about = entry.domain, entry.description
    telling = Telling(domain, entry.words, about.title or entry.name)
    pddl = write_domain(domain)
    common = {
        "domain": entry.name,
        "source": SOURCE,
        "license": about.licence,
        "gold_domain": pddl,
        "problems": _problems(settings, entry, split),
    }
    actions = {
        **common,
        "id": f"{entry.name}/{split}/actions",
        "header": header(domain),
        "action_names": [action.name for action in domain.actions],
        "texts": telling.texts(),
    }
    whole = {
        **common,
        **measures(domain, pddl),
        "id": f"{entry.name}/{split}/domain",
        "description_abstract": telling.abstract(),
        "description_concrete": telling.concrete(),
        "style": "words",
    }
    return actions, whole


def _problems(settings: Settings, entry: Entry, split: str) -> list[Row]:
    """The smallest decided problems of the domain and split; of any split where that has none."""
    read = {
        stage: read_rows(_file(settings, stage, entry.name), schema)
        for stage, schema in (("problems", GENERATED_PROBLEMS), ("solutions", SOLUTIONS))
    }
    solutions = {row["problem_id"]: row for row in read["solutions"] if row["solvable"] is not None}
    decided = [row for row in read["problems"] if row["problem_id"] in solutions]
    mine = [row for row in decided if row["split"] == split] or decided
    if not mine:
        raise OrreryError(f"domain '{entry.name}'", "none of its problems is decided", "run `orrery solve`")
    return [_problem(row, solutions[row["problem_id"]]) for row in _varied(mine)]


def _varied(rows: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The smallest problems, each of another task as far as there are tasks enough."""
    ordered = sorted(rows, key=lambda row: (row["num_objects"], row["problem_id"]))
    first = {row["task"]: row for row in reversed(ordered)}
    chosen = sorted(first.values(), key=ordered.index)
    yield from (chosen + [row for row in ordered if row not in chosen])[:PROBLEMS]


def _problem(row: Mapping[str, Any], solution: Mapping[str, Any]) -> Row:
    return {
        "name": row["problem_id"],
        "pddl": row["problem_pddl"],
        "solvable": solution["solvable"],
        "plan": solution["plan"],
        "optimal_cost": solution["plan_cost"] if solution["optimal"] else None,
    }
