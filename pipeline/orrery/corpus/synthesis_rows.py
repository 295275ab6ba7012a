"""Domains synthesised by edits of ours, as rows of the corpus, each with a problem that has a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from orrery.corpus.deciding import decide
from orrery.corpus.funnel import Rejected
from orrery.corpus.synthesis import SynthesisedDomain, Task, synthesise
from orrery.families.modelling.generated_description import describe
from orrery.families.modelling.measures import measures
from orrery.model import OrreryError
from orrery.pddl.tolerant import read_adl
from orrery.pddl.write import write_domain, write_problem
from orrery.seeds import stream

SOURCE, LICENSE = "orrery-synthesised", "MIT"
PROBLEMS = 3  # of each domain that is edited
DRAWS = 8  # tries for each domain that is wanted
Row = dict[str, Any]


def synthesised_rows(tasks: Mapping[str, Task], seed: int, number: int, rejects: list[Rejected]) -> list[Row]:
    """Make up to ``number`` rows of domains by edits of ours.

    Args:
        tasks: our domains by name, with problems: those whose own rows are for training, so that nobody
            trains on a test domain.
        seed: of the whole build.
        number: of rows that are wanted.
        rejects: takes the edits that leave nothing to solve.

    Raises:
        OrreryError: rows are wanted, and there are no tasks.
    """
    if not number:
        return []
    if not tasks:
        raise OrreryError(
            "synthesised domains", "no domain of ours is for training", "add one to params.yaml"
        )
    found: dict[str, Row] = {}
    for attempt in range(number * DRAWS):
        if len(found) >= number:
            break
        made = synthesise(tasks, stream(seed, SOURCE, attempt))
        row = None if made is None else _row(made, attempt, rejects)
        if row is not None:
            found.setdefault(row["sha256"], row)
    return [{**row, "id": f"synthesised/{place:05}"} for place, row in enumerate(found.values())]


def _row(made: SynthesisedDomain, attempt: int, rejects: list[Rejected]) -> Row | None:
    """Return the row of a domain that was made, or None where none of its problems has a plan."""
    domain = replace(made.domain, name=f"{made.domain.name}-{attempt}")
    text = write_domain(domain)
    problems = [(p.name, write_problem(replace(p, domain=domain.name))) for p in made.problems]
    decided = decide(text, problems)
    if not any(row["plan"] for row in decided.rows):
        detail = "; ".join([made.what, *decided.open.values()])
        rejects.append(Rejected(domain.name, f"{SOURCE}/{attempt}", "synthesised, not solvable", detail))
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
