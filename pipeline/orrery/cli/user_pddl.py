"""``orrery validate-plan`` and ``orrery equivalent``: verdicts on a user's own PDDL files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DomainFile = Annotated[Path, typer.Argument(metavar="DOMAIN", help="A PDDL file of a domain.")]
ProblemFile = Annotated[
    Path, typer.Argument(metavar="PROBLEM", help="A PDDL file of a problem of the domain.")
]
PlanFile = Annotated[
    Path, typer.Argument(metavar="PLAN", help="A file with one step a line, such as (sail l0 l1).")
]
OtherFile = Annotated[
    Path, typer.Argument(metavar="OTHER", help="A PDDL file of another problem of the domain.")
]
Placeholder = Annotated[
    bool,
    typer.Option("--placeholder", help="Let objects of the goal change places, as an abstract text does."),
]


def validate_plan(domain: DomainFile, problem: ProblemFile, plan: PlanFile) -> None:
    """Say whether a plan is valid; exit with code 1 if it is not."""
    from orrery.library.user_pddl import check_plan

    verdict = check_plan(domain, problem, plan)
    place = "" if verdict.failed_at is None else f" at step {verdict.failed_at + 1}"
    typer.echo("valid" if verdict.valid else f"invalid{place}: {verdict.reason}")
    if not verdict.valid:
        raise typer.Exit(1)


def equivalent(
    domain: DomainFile, problem: ProblemFile, other: OtherFile, placeholder: Placeholder = False
) -> None:
    """Say whether two problems are the same up to names; exit with code 1 if not, or if it is undecided."""
    from orrery.equivalence.problem_equivalence import EquivalenceOutcome
    from orrery.library.user_pddl import compare

    verdict = compare(domain, problem, other, placeholder=placeholder)
    typer.echo(f"{verdict.outcome}: {verdict.reason}")
    if verdict.outcome is not EquivalenceOutcome.EQUIVALENT:
        raise typer.Exit(1)
