"""Data for shortcuts on plan tasks: replies written without planning, and features of some tasks.

Rules copy the plan in the row, write no step, a random walk, the state before the actions, or the adjacent
step. In verification and solvability, one constant reply is correct for half of the rows by design. For
solvability, the features are how the goal's facts share arguments; for causality, the distance of a step from
the one in question, and whether the names of its objects suggest it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from types import MappingProxyType
from typing import TypeAlias

from orrery.families.attack import (
    JUDGE,
    PICK,
    WRITE,
    PartOfReply,
    ReplyOption,
    ReplyRule,
    Target,
    TargetMaker,
    domain_of,
)
from orrery.families.plans.plan_task import plan_reply
from orrery.families.plans.tasks import PLANS
from orrery.families.plans.tasks.causality import FAILS, PROVIDER, glance
from orrery.families.plans.tasks.solvability import looks_of
from orrery.families.task import Task
from orrery.families.task_rows import PROMPTS
from orrery.model import Literal, OrreryError, Row
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_atom, write_atom
from orrery.planning.grounding import ground
from orrery.planning.task import PlanningTask, applicable, random_walk
from orrery.seeds import stream

HALF = 0.5  # "there is none" and "valid" are correct in half of the rows
DISTANCE = 0.25  # share of causality rows with each distance: two, three, four, or more steps
NEAR = (2, 3, 4)  # distances in the features of shortcuts
NAMED = "being the step that the names suggest"
MOST_GROUNDED = 100  # limit of rows per domain for rules that ground the problem
UNREAD = frozenset({"context_pddl", "context_both", "question_pddl", "given_problem_pddl"})  # long

TargetOf: TypeAlias = Callable[[Task, Row], Target]
Steps: TypeAlias = Sequence[str]


def attack_of(task: Task) -> TargetMaker:
    """Return the function that makes the targets of a task."""
    columns = tuple(name for name in PLANS[task.name].names if name not in UNREAD)
    rules = tuple(rule for rule, tasks in RULES if task.name in tasks)
    return TargetMaker(
        columns,
        partial(TARGETS.get(task.name, lambda task, row: _target(task, row, WRITE, None)), task),
        rules,
    )


def _target(
    task: Task,
    row: Row,
    form: str,
    chance: float | None,
    options: Sequence[ReplyOption] = (),
    fixed: float = 0.0,
    parts: Mapping[str, PartOfReply] = MappingProxyType({}),
) -> Target:
    return Target(
        row["id"],
        row["domain"],
        row["problem_id"],
        form,
        "\n".join(row[name] for name in PROMPTS["words"]),
        frozenset(reply.strip() for reply in task.replies(row)),
        chance,
        tuple(options),
        fixed=fixed,
        offered=form != WRITE,
        parts=parts,
    )


def _verified_target(task: Task, row: Row) -> Target:
    """Return the target for a plan to verify; the failing step is a part of the reply."""
    parts = {}
    if row["fails_at"]:
        parts["which step fails"] = PartOfReply(str(row["fails_at"]), 1 / max(1, len(row["given_actions"])))
    return _target(task, row, WRITE, HALF, fixed=HALF, parts=parts)


def _solvable_target(task: Task, row: Row) -> Target:
    """Return the target for a goal that is judged without the state."""
    return _target(task, row, JUDGE, HALF, [_goal(row)], HALF)


def _goal(row: Row) -> ReplyOption:
    """Return the goal with features of its facts and of each pair of them."""
    goal = sorted(read_problem(row["problem_pddl"], domain_of(row["domain_pddl"])).goal)
    names = [name for literal in goal for name in literal.atom[1:]]
    measures = {
        "facts of the goal": len(goal),
        "objects of the goal": len({*names}),
        "repeated objects of the goal": len(names) - len({*names}),
    }
    marks = tuple(_goal_marks(goal))
    return ReplyOption(" ".join(marks), row["solvable"], measures, marks)


def _goal_marks(goal: list[Literal]) -> Iterator[str]:
    """Yield one word for the predicates, and one for the common arguments of each two facts."""
    yield "-".join(literal.atom[0] for literal in goal)
    for (first, second, common), count in sorted(looks_of(goal).items()):
        yield "-".join([str(count), first, second, *(f"{m}{n}" for m, n in common)])


def _linked_target(task: Task, row: Row) -> Target:
    """Return the target for a question on a link between steps, answered from step numbers and names."""
    options = list(_linked_steps(row))
    question = "which step fails" if row["question_type"] == FAILS else "which step provides the fact"
    parts = {question: PartOfReply(str(row["answer"]), _step_chance(row))}
    return _target(task, row, PICK, max(DISTANCE, 1 / max(1, len(options))), options, parts=parts)


def _linked_steps(row: Row) -> Iterator[ReplyOption]:
    """Yield the possible answers in order: steps before or after the one in question, not its neighbour."""
    step, last = row["step"], len(row["given_actions"])
    steps = list(map(parse_atom, row["given_actions"]))
    suggested = glance(row["question_type"], step, parse_atom(row["fact"]) if row["fact"] else (), steps)
    for number in range(step - 1) if row["question_type"] == PROVIDER else range(step + 2, last + 1):
        distance = abs(step - number) if number else last
        measures: dict[str, float] = {f"nearness to {n} steps away": -abs(distance - n) for n in NEAR}
        measures[NAMED] = number == suggested
        yield ReplyOption(
            str(number), number == row["answer"], measures, (f"{row['question_type']} {distance}",)
        )


def _step_chance(row: Row) -> float:
    """Return the chance that a random step is correct; the neighbour of the step in question never is."""
    steps: int = (
        row["step"] - 1 if row["question_type"] == PROVIDER else len(row["given_actions"]) - row["step"] - 1
    )
    return 1 / max(1, steps)


TARGETS = {"verification": _verified_target, "solvability": _solvable_target, "causality": _linked_target}


def _shown_plans(row: Row) -> list[Steps]:
    """Return the plans in the question."""
    return [example["plan"] for example in row.get("given_examples", ())] or [row["given_actions"]]


def _parts(row: Row, *, later: bool) -> list[str]:
    """Return the later or earlier parts of the shown plan."""
    steps = row["given_actions"]
    return [plan_reply(steps[place:] if later else steps[:place]) for place in range(1, len(steps))]


@lru_cache(maxsize=2 * MOST_GROUNDED)
def _grounded(domain: str, problem: str) -> PlanningTask:
    return ground(domain_of(domain), read_problem(problem, domain_of(domain)))


def _planning_task(row: Row) -> PlanningTask:
    try:
        return _grounded(row["domain_pddl"], row["problem_pddl"])
    except OrreryError as error:
        raise OrreryError(row["id"], str(error)) from error


def _first_applicable(row: Row) -> list[str]:
    task = _planning_task(row)
    return [plan_reply([write_atom(action.step)]) for action in applicable(task, task.init)[:1]]


def _walk(row: Row) -> list[str]:
    """Return a random walk as long as the stored plan; empty if there is no plan or no action."""
    rng = stream(0, "walk", row["id"])
    steps, _ = random_walk(_planning_task(row), len(row["plan"]), rng) if row["plan"] else ([], 0)
    return [plan_reply(map(write_atom, steps))] if steps else []


def _unchanged(row: Row) -> list[str]:
    """Return the state before the actions as the reply for the state after them."""
    domain = domain_of(row["domain_pddl"])
    problem = read_problem(row["problem_pddl"], domain, row["id"])
    facts = sorted(fact for fact in problem.init if fact[0] in domain.fluents)
    return [f"ANSWER: {' '.join(map(write_atom, facts))}"]


_CHANGED = frozenset({"reuse", "replanning"})
_COPIED = _CHANGED | {"generalization"}
_ALONE = frozenset({"generation", "optimal", "reformulation"})
_PLANS = _COPIED | _ALONE

RULES = (
    (ReplyRule("copy the shown plan", lambda row: [*map(plan_reply, _shown_plans(row))]), _COPIED),
    (
        ReplyRule(
            "the first line of the shown plan",
            lambda row: [plan_reply(steps[:1]) for steps in _shown_plans(row)],
        ),
        _COPIED,
    ),
    (ReplyRule("a later part of the shown plan", lambda row: _parts(row, later=True)), _CHANGED),
    (ReplyRule("an earlier part of the shown plan", lambda row: _parts(row, later=False)), _CHANGED),
    (ReplyRule("no step", lambda _: [plan_reply([])]), _PLANS),
    (
        ReplyRule("the first applicable action", _first_applicable, most=MOST_GROUNDED),
        _ALONE | {"solvability"},
    ),
    (ReplyRule("a random walk", _walk, most=MOST_GROUNDED), _PLANS | {"solvability"}),
    (ReplyRule("nothing changes", _unchanged), frozenset({"execution"})),
    (
        ReplyRule(
            "the step beside",
            lambda row: [f"ANSWER: {row['step'] + (1 if row['question_type'] == FAILS else -1)}"],
            _step_chance,
        ),
        frozenset({"causality"}),
    ),
    (
        ReplyRule(
            "the initial state",
            lambda row: ["ANSWER: 0"] if row["question_type"] == PROVIDER else [],
            _step_chance,
        ),
        frozenset({"causality"}),
    ),
    (
        ReplyRule(
            "the last step",
            lambda row: [f"ANSWER: {len(row['given_actions'])}"] if row["question_type"] == FAILS else [],
            _step_chance,
        ),
        frozenset({"causality"}),
    ),
)
