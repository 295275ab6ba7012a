"""Pictures of a row: its problem; for a question the state and its claims; and its plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from orrery.catalog import Catalog, entry_of
from orrery.model import Domain, Problem, Row, Step, UsageError
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import parse_atom
from orrery.pictures import plans
from orrery.pictures.draw import Picture, draw_problem
from orrery.pictures.questions import question

PICTURE, STRIP, ANIMATION = "picture", "strip", "animation"


class Scene(NamedTuple):
    """Domain and problem of a row, and the description of their pictures (None for names other than ours)."""

    domain: Domain
    problem: Problem
    how: Picture


def scene_of(root: Path, row: Row) -> Scene:
    """Return the scene of a row; ``root`` is the checkout.

    Raises:
        UsageError: the row has no problem, or its domain is unknown.
    """
    pddl = row.get("problem_pddl") or row.get("PDDL_problem")
    if not pddl:
        raise UsageError(f"row '{row['id']}'", "has no problem", "draw a row of a table with problems")
    text = row.get("domain_pddl") or row.get("PDDL_domain")
    ours = entry_of(root, row["domain"]) if row["domain"] in Catalog(root).names else None
    domain = read_domain(text, row["id"]) if text else ours.domain if ours else None
    if domain is None:
        raise UsageError(f"row '{row['id']}'", f"no domain '{row['domain']}'", "add it to domains/")
    is_ours = ours and {predicate.name for predicate in ours.domain.predicates} == {
        predicate.name for predicate in domain.predicates
    }
    picture = ours.description.picture if ours and is_ours else None
    return Scene(domain, read_problem(pddl, domain, row["id"]), picture)


def picture_of(row: Row, scene: Scene) -> str:
    """Return an SVG picture: for a question the state and the claims, otherwise initial state and goal."""
    if not row.get("question_pddl") or "kind" not in row:
        return draw_problem(*scene)
    if row.get("claims"):
        labels = row["choices"]["label"]
        return question(*scene, dict(zip(labels, json.loads(row["claims"]), strict=True)))
    if row.get("claim"):
        return question(*scene, {"claim": json.loads(row["claim"])})
    return question(*scene, {}, row["question_pddl"].split("\n"))


def drawn(kind: str, row: Row, scene: Scene, first: int | None = None) -> str:
    """Return an SVG picture of a row, or of the states of its plan, side by side or as an animation.

    Only the ``first`` steps of a longer plan are drawn.

    Raises:
        UsageError: it has no plan.
    """
    if kind == PICTURE:
        return picture_of(row, scene)
    draw = plans.strip if kind == STRIP else plans.animation
    return draw(scene.domain, scene.problem, steps_of(row), scene.how, first)


def steps_of(row: Row) -> list[Step]:
    """Return the steps of the row's plan, or of the sequence in its question.

    Raises:
        UsageError: it has neither.
    """
    claim = json.loads(row["claim"]) if row.get("claim") else {}
    steps = (
        row.get("plan")
        or row.get("given_actions")
        or row.get("sequence")
        or claim.get("plan")
        or claim.get("sequence")
    )
    if not steps:
        raise UsageError(f"row '{row['id']}'", "has no plan", "choose a row with one, or --picture")
    return [parse_atom(step) for step in steps]
