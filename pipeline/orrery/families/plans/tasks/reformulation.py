"""Ask for a plan for one problem in several forms of its goal, one row each; no solved copy is shown.

Forms: unchanged; shuffled; extended by facts that hold in every reachable goal state; reduced to literals
that imply the rest; reworded; and the abstract passage of its configuration, if that determines the goal.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import factorial
from typing import Any, NamedTuple

import numpy as np

from orrery.families.drafts import Columns, Draft, Drafts, Rejected
from orrery.families.plans.plan_task import LENGTH, PLAN, plan_row, plan_task, planned
from orrery.families.plans.source import PLAIN, Source, is_guessed, searched
from orrery.families.plans.space import Space
from orrery.families.questions.context import TURNS, QuestionContext, context_of, reworded
from orrery.families.text_to_pddl.open_objects import words_of
from orrery.language.choices import ChosenText, Turn
from orrery.language.words import names_by_type, natural
from orrery.model import Literal, Problem, Row
from orrery.pddl.renaming import object_names
from orrery.store.kinds import STRING, column

FEWEST = 3  # forms of a group
ADDED = 4  # maximum number of facts added to a goal


class _GoalForm(NamedTuple):
    name: str
    problem: Problem
    context: QuestionContext | None = None
    order: tuple[Literal, ...] = ()


def _draw(source: Source, rng: random.Random) -> Drafts:
    """Yield rows with the goal in every form that differs from the others."""
    space, distances = searched(source, 2, "one_step")
    if is_guessed(space, 0, source.goal_states, int(distances[0])):
        raise Rejected("random_walk_solves")
    plan, rows = space.shortest(0, distances, rng), list[Columns]()
    for form in [_GoalForm("plain", source.problem), *_forms(source, space, rng)]:
        columns: dict[str, Any] = {
            "form": form.name,
            "twin_group": f"{source.name}/reformulation",
            **planned(plan),
        }
        row = plan_row(
            source, "reformulation", rng, (), columns, judged=form.problem, h_star=len(plan),
            suffix=form.name, context=form.context, goal_order=form.order,
        )  # fmt: skip
        if all(row["context"] != earlier["context"] for earlier in rows):
            rows.append(row)
    if len(rows) < FEWEST:
        raise Rejected("too_few_forms")
    yield Draft(tuple(rows))


def _forms(source: Source, space: Space, rng: random.Random) -> Iterator[_GoalForm]:
    goal, context = source.problem.goal, context_of(source.record, source.words)
    told_so = [
        sorted(goal, key=lambda literal: tuple(map(natural, literal.atom))),
        sorted(goal),
    ]  # words, PDDL
    turned = list(goal)
    if factorial(len(turned)) > len(told_so):
        turned.sort()
        while turned in told_so:
            rng.shuffle(turned)
        yield _GoalForm("shuffled", source.problem, replace(context, goal_order=tuple(turned)), tuple(turned))
    if (completed := _completed(source, space, rng)) != goal:
        yield _GoalForm("completed", replace(source.problem, goal=completed))
    if (reduced := _reduced(space, goal, rng)) != goal:
        yield _GoalForm("reduced", replace(source.problem, goal=reduced))
    yield _GoalForm("reworded", source.problem, reworded(context, rng))
    if passage := _passage(source, source.row, rng, context.held):
        yield _GoalForm("abstract", source.problem, replace(context, goal_passage=passage))


def _completed(source: Source, space: Space, rng: random.Random) -> frozenset[Literal]:
    """Return the goal with some facts that hold in every reachable goal state."""
    shared = space.found.intersection(source.task.goal_positive, source.task.goal_negative)
    implied = [] if shared is None else [Literal(fact) for fact in sorted(space.task.facts_of(shared[0]))]
    added = [literal for literal in implied if literal not in source.problem.goal]
    return source.problem.goal | frozenset(rng.sample(added, min(ADDED, len(added))))


def _reduced(space: Space, goal: frozenset[Literal], rng: random.Random) -> frozenset[Literal]:
    """Return the goal without literals that the others imply, tested in random order."""
    literals, goal_states = set(goal), space.goal_states(goal)
    for literal in rng.sample(sorted(goal), len(goal)):
        fewer = literals - {literal}
        if fewer and np.array_equal(space.goal_states(fewer), goal_states):
            literals.discard(literal)
    return frozenset(literals)


def _passage(source: Source, row: Row, rng: random.Random, is_held_out: bool) -> ChosenText | None:
    """Return the abstract text of the goal; None if there is none, or it does not determine the goal.

    It determines the goal if any exchange of unnamed objects, within their kinds, keeps the goal.
    """
    configuration = row["goal_configuration"]
    if source.vocabulary != PLAIN or source.record.source != "initial":
        return None
    if not source.words.has_passage("goal", configuration):
        return None
    names = names_by_type(source.problem, source.record.domain)
    parameters = json.loads(row["goal_parameters"])
    turn = Turn(rng.randrange(TURNS), is_held_out)
    text = source.words.passage("goal", configuration, parameters, names, turn)
    return ChosenText(text, turn.held_out) if _is_fixed(source, words_of(text)) else None


def _is_fixed(source: Source, named: frozenset[str]) -> bool:
    """Return whether every exchange of two unnamed objects of one kind keeps the goal."""
    kinds: dict[object, list[str]] = {}
    fluents = source.record.domain.fluents
    for typed in source.problem.objects:
        kind = (
            typed.types,
            *sorted(f[0] for f in source.problem.init if f[1:] == (typed.name,) and f[0] not in fluents),
        )
        if typed.name not in named:
            kinds.setdefault(kind, []).append(typed.name)
    swaps = ({first: second, second: first} for names in kinds.values() for first, second in pairwise(names))
    goal = source.problem.goal
    return all(object_names(swap).literals(goal) == goal for swap in swaps)


TASK = plan_task(
    name="reformulation",
    subject="One problem with its goal told in several forms, a row each; a plan is wanted",
    draw=_draw,
    columns=(
        column(
            "form",
            STRING,
            "`plain`, `shuffled`, `completed`, `reduced`, `reworded` or `abstract`",
        ),
        column("twin_group", STRING, "Equal for the rows of one problem"),
        PLAN,
        LENGTH,
    ),
)
