"""Domains synthesised by edits of ours, as rows of the corpus, each with a problem that has a plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orrery.catalog import entry_of
from orrery.config import Settings
from orrery.corpus.deciding import decide
from orrery.corpus.synthesis import SynthesisedDomain, synthesise
from orrery.families.modelling.generated_description import describe
from orrery.families.modelling.measures import measures
from orrery.families.problems.schemas import GENERATED_PROBLEMS
from orrery.model import Domain, OrreryError, Problem
from orrery.pddl.read import read_problem
from orrery.pddl.tolerant import read_adl
from orrery.pddl.write import write_domain, write_problem
from orrery.seeds import stream
from orrery.stages.describe import splits_of
from orrery.stages.summary import reject
from orrery.store.shards import read_rows

SOURCE, LICENSE = "orrery-synthesised", "MIT"
PROBLEMS = 3
DRAWS = 8  # tries for each domain that is wanted
Row = dict[str, Any]


def rows(settings: Settings, number: int, rejects: list[Row]) -> list[Row]:
    """Up to ``number`` rows of domains made from ours; edits that leave nothing to solve join the rejects.

    Only domains whose own rows are for training are edited, so that nobody trains on a test domain.

    Raises:
        OrreryError: no domain has problems yet.
    """
    if not number:
        return []
    split = splits_of(settings)
    tasks = {name: _task(settings, name) for name in sorted(settings.domains) if split[name] == "train"}
    if not tasks:
        raise OrreryError(
            "synthesised domains", "no domain of ours is for training", "add one to params.yaml"
        )
    found: dict[str, Row] = {}
    for attempt in range(number * DRAWS):
        if len(found) >= number:
            break
        made = synthesise(tasks, stream(settings.seed, SOURCE, attempt))
        row = None if made is None else _row(made, attempt, rejects)
        if row is not None:
            found.setdefault(row["sha256"], row)
    return [{**row, "id": f"synthesised/{place:05}"} for place, row in enumerate(found.values())]


def _task(settings: Settings, name: str) -> tuple[Domain, list[Problem]]:
    """A domain of ours with its smallest problems."""
    domain = entry_of(settings.root, name).domain
    path = settings.outputs / "problems" / name / "problems.parquet"
    if not path.is_file():
        raise OrreryError(
            str(path), "synthesised domains need problems of ours", f"run `orrery generate {name}`"
        )
    listed = sorted(
        read_rows(path, GENERATED_PROBLEMS), key=lambda row: (row["num_objects"], row["problem_id"])
    )
    return domain, [read_problem(row["problem_pddl"], domain) for row in listed[:PROBLEMS]]


def _row(made: SynthesisedDomain, attempt: int, rejects: list[Row]) -> Row | None:
    """The row of a domain that was made, or None where none of its problems has a plan."""
    domain = replace(made.domain, name=f"{made.domain.name}-{attempt}")
    text = write_domain(domain)
    problems = [(p.name, write_problem(replace(p, domain=domain.name))) for p in made.problems]
    decided = decide(text, problems)
    if not any(row["plan"] for row in decided.rows):
        detail = "; ".join([made.what, *decided.open.values()])
        rejects.append(
            reject("corpus", domain.name, f"{SOURCE}/{attempt}", "synthesised, not solvable", detail)
        )
        return None
    abstract, concrete = describe(read_adl(text))
    return {
        "id": "",
        "domain": domain.name,
        "description_abstract": abstract,
        "description_concrete": concrete,
        **measures(domain, text),
        "problems": decided.rows,
        "license": LICENSE,
        "source": SOURCE,
        "style": "generated",
    }
