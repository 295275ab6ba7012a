"""Rows of the family: the columns of all tasks."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from orrery.families.drafts import Columns
from orrery.families.plans.source import Source
from orrery.families.plans.words import phrases_of, texts_of
from orrery.families.questions.context import QuestionContext, context_of
from orrery.families.questions.state_record import StateRecord
from orrery.model import Literal, Problem, Step
from orrery.pddl.write import write_atom, write_literal


def plan_row(
    source: Source,
    task: str,
    rng: random.Random,
    values: tuple[object, ...],
    columns_of_task: Mapping[str, Any],
    *,
    judged: Problem | None = None,
    shown: Problem | None = None,
    h_star: int | None = None,
    suffix: str = "",
    context: QuestionContext | None = None,
    goal_order: Sequence[Literal] = (),
) -> Columns:
    """Return a row.

    Args:
        source: the state of the row.
        task: the name of the task.
        rng: draws the wording of the question.
        values: the arguments of the template's macro ``question`` other than speaker and variant.
        columns_of_task: the columns of this task only.
        judged: the problem on which a plan is validated; by default, that of the source.
        shown: the problem in the context; by default, ``judged``.
        h_star: the minimum number of actions that solve ``judged``, if known.
        suffix: distinguishes rows of one source and task.
        context: the wordings of the context; by default, those of the source.
        goal_order: the literals of the goal in the order of the PDDL; by default, sorted.
    """
    problem = judged or source.problem
    record = _record(source, problem)
    told_record = record if shown is None else _record(source, shown)
    context = context or context_of(told_record, source.words)
    texts = texts_of(source.words.templates, task, context, rng, *values)
    pddl = _ordered(record.problem_pddl, goal_order) if goal_order else record.problem_pddl
    context_pddl = (
        told_record.context_pddl if told_record is not record else f"{record.domain_pddl}\n{pddl}".strip()
    )
    same_states = problem.init == source.problem.init
    return {
        "id": "/".join(filter(None, [source.name, task, suffix])),
        "group": f"plan_{task}",
        "task": task,
        "vocabulary": source.vocabulary,
        "context": texts.context,
        "question": texts.question,
        "context_pddl": context_pddl,
        "question_pddl": texts.question_pddl,
        "style": texts.style,
        "unseen_templates": int(texts.held_out),
        "context_both": f"{texts.context}\n\n{context_pddl}",
        "domain_pddl": record.domain_pddl,
        "problem_pddl": pddl,
        "nl_templates": phrases_of(source.words, record.domain),
        **record.measures,
        "domain": source.entry.name,
        "num_states": len(source.space) if source.space and same_states else None,
        "h_star": h_star,
        **columns_of_task,
    }


def _record(source: Source, problem: Problem) -> StateRecord:
    """Return the record of a problem: the source's own record, if possible, to share its results."""
    return source.record if problem == source.problem else source.with_problem(problem)


def _ordered(pddl: str, goal: Sequence[Literal]) -> str:
    """Return a written problem with the literals of its goal in another order."""
    before, mark, after = pddl.partition("(:goal (and ")
    listed = " ".join(map(write_literal, goal))
    return f"{before}{mark}{listed}{after[len(listed) :]}"


def planned(steps: Iterable[Step]) -> dict[str, Any]:
    """Return the columns of a stored plan."""
    written = [write_atom(step) for step in steps]
    return {"plan": written, "plan_length": len(written)}


def written_literals(literals: Iterable[Literal]) -> list[str]:
    """Return literals in PDDL: the positive ones, sorted, before the negative ones."""
    return [write_literal(literal) for literal in in_order(literals)]


def in_order(literals: Iterable[Literal]) -> list[Literal]:
    """Return literals sorted, the positive ones first."""
    return sorted(literals, key=lambda literal: (not literal.positive, literal.atom))
