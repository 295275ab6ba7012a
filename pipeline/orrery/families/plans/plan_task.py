"""Tasks about plans: the common columns of their tables, the record of a task, and its rows.

Every row is self-contained. A plan is validated on ``domain_pddl`` and ``problem_pddl``, in the names of the
row's vocabulary. ``nl_templates`` are all words that a reply may use for these names.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from orrery.families.drafts import Columns, Drafts
from orrery.families.plans.source import Source
from orrery.families.plans.words import phrases_of, texts_of
from orrery.families.questions.context import QuestionContext, context_of
from orrery.families.questions.state_record import StateRecord
from orrery.families.task import Task
from orrery.model import Literal, Problem, Row, Step
from orrery.pddl.write import write_atom, write_literal
from orrery.problems.horizon import Horizon, searched
from orrery.problems.schemas import shared
from orrery.store.kinds import INT, STRING, STRINGS, Field, column

COMMON = (
    column("id", STRING, "Name of the row: problem, state, task and what is particular to it"),
    column("group", STRING, "The name of the table, by which replies are graded"),
    column("task", STRING, "What is asked: `generation`, `optimal`, `verification` and so on"),
    *shared("domain", "problem_id"),
    column("vocabulary", STRING, "`plain`, or the obfuscated names that the row uses"),
    column("context", STRING, "The world, its rules and the goal in words"),
    column("question", STRING, "What is asked, in words"),
    *shared("context_pddl", "question_pddl", "style", "unseen_templates", "context_both", "domain_pddl"),
    column(
        "problem_pddl",
        STRING,
        "The problem that a plan is judged by, in PDDL: where the plan starts and what is wanted in the end",
    ),
    column(
        "nl_templates", STRING, "JSON: all wordings of actions and facts by name, with {0}, {1} for arguments"
    ),
    *shared("state_source"),
    column("state_step", INT, "Number of steps from the initial state of the problem"),
    *shared("difficulty", "names", "num_objects", "num_facts", "num_actions", "num_states"),
    column("num_applicable_actions", INT, "Number of applicable actions where a plan starts"),
    column(
        "h_star", INT, "Fewest actions to the goal of problem_pddl; null where undecided or out of reach",
        nullable=True,
    ),
    *shared("horizon", "seen", "seed_path"),
)  # fmt: skip

PLAN = column("plan", STRINGS, "A validated plan for problem_pddl, one `(action object ...)` a step")
LENGTH = column("plan_length", INT, "Number of actions in the plan")
SHOWN_STEPS = column("given_actions", STRINGS, "The actions that the question shows")
SHOWN_PROBLEM = column("given_problem_pddl", STRING, "The problem that the shown plan solves, in PDDL")


def plan_reply(steps: Iterable[str]) -> str:
    """Return the reply with these steps as the plan."""
    return "\n".join(["[PLAN]", *steps, "[PLAN END]"])


def plan_task(
    *, name: str, subject: str, draw: Callable[[Source, random.Random], Drafts], columns: tuple[Field, ...],
    gold: Callable[[Row], str] = lambda row: plan_reply(row["plan"]),
    gold_columns: tuple[str, ...] = ("plan",), **options: Any,
) -> Task:  # fmt: skip
    """Return the task of the table ``plan_<name>``; ``options`` are further attributes of the task.

    Args:
        name: the name of the task.
        subject: what the task asks for.
        draw: yields drafts of rows on a state.
        columns: the columns of this task only.
        gold: writes the reply that must score 1.0, from ``gold_columns``.
        gold_columns: the columns for the gold reply.
        options: further attributes of ``Task``.
    """
    return Task(
        name, subject, f"plan_{name}", draw, lambda row: [gold(row)], gold_columns, columns, **options
    )


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
        **_length_columns(source, problem, h_star, columns_of_task.get("plan")),
        **columns_of_task,
    }


def _length_columns(
    source: Source, problem: Problem, h_star: int | None, plan: Sequence[str] | None
) -> dict[str, Any]:
    """Return the columns on the length of a shortest plan; ``plan`` is a stored one."""
    known = source.plan if problem == source.problem else None
    lengths = [len(steps) for steps in (plan, known) if steps]
    horizon: Horizon | None = None
    if h_star is not None and source.is_searched:
        horizon = searched(h_star)
    elif lengths:
        horizon = source.bounds(problem, min(lengths))
    return {"h_star": horizon and horizon.h_star, "horizon": horizon and horizon._asdict()}


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
