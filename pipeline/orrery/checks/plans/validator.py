"""Plans of rows that were drawn, by the validator of unified-planning."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from orrery.checks.plans.asked import Asked
from orrery.checks.verdicts import undecided
from orrery.engine import map_items
from orrery.planners.unified import PlannedProblem, validate_plans
from orrery.seeds import stream

NOTED = "plan validator"
SHARE = 0.02  # of the rows
MOST = 8  # rows of a domain


class Drawn(NamedTuple):
    """A row that was drawn: what it belongs to, its PDDL, and whether its steps are stated to be a plan."""

    domain: str
    name: str
    domain_pddl: str
    problem_pddl: str
    steps: tuple[str, ...]
    valid: bool


def drawn(asked: Asked) -> list[Drawn]:
    """Return the plans of the row if it is drawn, by its name: that stored, or that whose verdict is."""
    row = asked.row
    if stream(asked.checked.inputs.seed, "validate", "plans", row["id"]).random() >= SHARE:
        return []
    if not (steps := row["plan"] if "plan" in row else row["shown"] if "valid" in row else []):
        return []
    valid = bool(row.get("valid", True))
    return [Drawn(row["domain"], row["id"], row["domain_pddl"], row["problem_pddl"], tuple(steps), valid)]


def check(noted: Iterable[Sequence[Any]], seconds: float, jobs: int) -> Iterator[tuple[str, str, list[str]]]:
    """Yield domain, row and messages for the rows that were drawn, some of a domain at most."""
    by_domain: dict[str, list[Drawn]] = defaultdict(list)
    for each in sorted((Drawn(*row) for row in noted), key=lambda each: each.name):
        by_domain[each.domain].append(each)
    groups: dict[tuple[str, str], list[Drawn]] = defaultdict(list)
    for domain, some in by_domain.items():
        for each in some[:: max(1, -(-len(some) // MOST))]:
            groups[domain, each.domain_pddl].append(each)
    items = list(groups.values())
    for some, said in zip(
        items, map_items(items, partial(_validated, seconds), jobs=jobs, label="validate: plans"), strict=True
    ):
        for each, messages in zip(some, said, strict=True):
            yield each.domain, each.name, messages


def _validated(seconds: float, some: Sequence[Drawn]) -> list[list[str]]:
    """Return what is wrong with rows on one domain text."""
    problems = [PlannedProblem(each.problem_pddl, "\n".join(each.steps)) for each in some]
    verdicts = validate_plans(some[0].domain_pddl, problems, seconds=seconds)
    if verdicts is None:
        return [[undecided("whether unified-planning finds the plan valid")] for _ in some]
    wanted = ["VALID" if each.valid else "INVALID" for each in some]
    return [
        [] if said == right else [f"unified-planning says {said}"]
        for said, right in zip(verdicts, wanted, strict=True)
    ]
