"""Stage ``ask``: questions whose answers are proven, to ``outputs/questions/<domain>``.

Questions are made in parts that are kept until the stage is done. The rows chosen of them are copied part by
part, so that a large build takes no more memory than a small one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from orrery.catalog import entry_of
from orrery.config import Settings
from orrery.engine import fingerprint, map_parts
from orrery.families.problems.schemas import GENERATED_PROBLEMS, REJECTS
from orrery.families.questions.asking import CANDIDATES, STAGE, ask_all, choose, in_turn, reject
from orrery.families.questions.schemas import QUESTIONS
from orrery.families.questions.states import STATES
from orrery.stages.summary import StageSummary
from orrery.store.columns import from_rows
from orrery.store.parts import Parts
from orrery.store.shards import read_rows, write_tables

LEAST, MOST, PARTS = 48, 192, 16  # states a part, and how many parts there are in between
SCHEMAS = (*(table.schema for table in QUESTIONS.values()), REJECTS, CANDIDATES)


def run(settings: Settings, name: str, jobs: int = 1) -> StageSummary:
    """Ask every kind of question in every format about every decided state, as many as the size allows."""
    states = states_of(settings, name)
    size = max(LEAST, min(MOST, len(states) // PARTS))
    batches = [states[start : start + size] for start in range(0, len(states), size)]
    parts = _parts(settings, name)
    ask = partial(ask_all, settings.root, settings.seed)
    made = map_parts(batches, ask, parts, jobs=jobs, label=f"ask {name}", describe=_describe)
    chosen = choose(QUESTIONS, name, parts.tables(made, "candidates"), settings.size.ask, settings.seed)
    folder, counts = settings.outputs / "questions" / name, {}
    for each, table in QUESTIONS.items():
        rows = chosen.rows(each, parts.tables(made, each))
        counts[table.short] = write_tables(folder / f"{each}.parquet", table.schema, rows)
    rejects = [row for part in parts.tables(made, "rejects") for row in part.to_pylist()]
    rejects += [reject(name, item, each, reason) for each, item, reason in chosen.unmatched]
    write_tables(folder / "rejects.parquet", REJECTS, [from_rows(REJECTS, rejects)])
    parts.discard()
    shortly = Counter(row["reason"].partition(": ")[2] for row in rejects)
    return StageSummary(STAGE, name, counts, shortly)


def _parts(settings: Settings, name: str) -> Parts:
    """Return where finished parts are kept: under what they are made from."""
    templates = settings.root / "templates"
    sources = [
        settings.outputs / "problems" / name / "problems.parquet",
        settings.outputs / "solutions" / name / "states.parquet",
        entry_of(settings.root, name).folder,
        templates / "questions",
        templates / "domains" / f"{name}.j2",
    ]
    made_from = fingerprint([each for each in sources if each.exists()], seed=settings.seed)
    return Parts.under(settings.unfinished / STAGE / name, made_from, SCHEMAS)


def states_of(settings: Settings, name: str) -> list[dict[str, Any]]:
    """Read the decided states of a domain, in the order in which they are asked about."""
    return in_turn(
        read_rows(settings.outputs / "problems" / name / "problems.parquet", GENERATED_PROBLEMS),
        read_rows(settings.outputs / "solutions" / name / "states.parquet", STATES),
    )


def _describe(rows: Sequence[Mapping[str, Any]]) -> str:
    first, last = rows[0], rows[-1]
    return f"{first['problem_id']}/{first['state_id']} to {last['problem_id']}/{last['state_id']}"
