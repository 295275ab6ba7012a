"""Check verdicts on sequences by executing them on sets of facts, and that the fault can be undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from orrery.checks.execution import execute, idle, ill_typed, is_plan, lacking, preconditions
from orrery.checks.inputs import split_of
from orrery.checks.lifted import Lifted
from orrery.checks.plans.plan_row import PlanRow
from orrery.checks.task_check import QuestionContent, TaskCheck
from orrery.checks.verdicts import differing
from orrery.model import Domain, Problem, Row, Step
from orrery.pddl.write import write_literal
from orrery.planning.universe import names_of

FEWEST = 2
MANY = 60  # minimum number of rows for a test of shares
LEAST_SHARE = 0.4  # minimum share of rows of a fault, relative to equal numbers for all faults
THIRDS, LEAST_THIRD = 3, 0.15  # minimum share of each third among the rows in which a step fails

Undone: TypeAlias = Iterator[tuple[int, Sequence[Step]]]  # place of the first change, steps from there on


def _faults(view: PlanRow) -> list[str]:
    row, domain, problem, steps = view.row, view.domain, view.problem, view.steps("given_actions")
    if wrong := ill_typed(domain, problem, steps):
        return wrong
    run = execute(domain, problem, steps)
    expected = sorted(problem.goal) if run.failed is None else preconditions(domain, steps[run.failed])
    missing = lacking(expected, run.last)
    true = {
        "plan_length": len(steps),
        "valid": not missing,
        "fails_at": 0 if run.failed is None else run.failed + 1,
        "missing": [write_literal(literal) for literal in missing],
    }
    faults = differing(true, row) + idle(domain, problem, steps)
    faults += ["it shows one step alone"] * (len(steps) < FEWEST)
    faults += ["the goal holds at the start"] * problem.satisfied(problem.init)
    return faults + _misnamed(view, steps)


def _misnamed(view: PlanRow, steps: Sequence[Step]) -> list[str]:
    """Return a message if the fault is not the stated one: undoing the stated fault gives no plan."""
    name = view.row["fault"]
    if name == "":
        return [] if view.row["valid"] else ["the fault has no name"]
    if name not in FAULTS:
        return [f"there is no fault '{name}'"]
    if name == MISSED:
        return ["goal_missed, but a step fails"] * (view.row["fails_at"] != 0)
    # A change after the first failing step leaves it as it is.
    states = execute(view.domain, view.problem, steps).states
    is_explained = any(
        _leads_on(view.domain, replace(view.problem, init=states[place]), changed)
        for place, changed in FAULTS[name](view.domain, view.problem, steps)
        if place < len(states)
    )
    return [] if is_explained else [f"no plan comes out where {name} is undone"]


def _leads_on(domain: Domain, problem: Problem, steps: Sequence[Step]) -> bool:
    """Return whether steps are a plan; their types are compared only if they are applicable."""
    return execute(domain, problem, steps).failed is None and is_plan(domain, problem, steps)


def _left_out(domain: Domain, problem: Problem, steps: Sequence[Step]) -> Undone:
    """Yield the steps with one step inserted."""
    lifted = Lifted(domain, problem)
    for place, state in enumerate(execute(domain, problem, steps).states):
        for step in lifted.applicable(state):
            yield place, [step, *steps[place:]]


def _doubled(_domain: Domain, _problem: Problem, steps: Sequence[Step]) -> Undone:
    for place, step in enumerate(steps):
        if step in steps[:place]:
            yield place, steps[place + 1 :]


def _exchanged(_domain: Domain, _problem: Problem, steps: Sequence[Step]) -> Undone:
    for second in range(len(steps)):
        for place in range(second):
            yield place, [steps[second], *steps[place + 1 : second], steps[place], *steps[second + 1 :]]


def _other_object(domain: Domain, problem: Problem, steps: Sequence[Step]) -> Undone:
    for place, step in enumerate(steps):
        for argument, parameter in enumerate(domain.action_named[step[0]].parameters, 1):
            for name in names_of(domain, problem, parameter.types):
                changed = (*step[:argument], name, *step[argument + 1 :])
                yield place, [changed, *steps[place + 1 :]]


def _other_action(domain: Domain, _problem: Problem, steps: Sequence[Step]) -> Undone:
    for place, step in enumerate(steps):
        for action in domain.actions:
            if len(action.parameters) == len(step) - 1:
                yield place, [(action.name, *step[1:]), *steps[place + 1 :]]


MISSED = "goal_missed"
FAULTS: Mapping[str, Callable[[Domain, Problem, Sequence[Step]], Undone]] = {
    "left_out": _left_out,
    "doubled": _doubled,
    "exchanged": _exchanged,
    "other_object": _other_object,
    "other_action": _other_action,
    MISSED: lambda _domain, _problem, steps: iter([(0, steps)]),
}


def _reply(row: Row) -> str:
    if row["valid"]:
        return "ANSWER: valid"
    place = f"step {row['fails_at']}" if row["fails_at"] else "end"
    return f"ANSWER: {', '.join(['invalid', place, *row['missing']])}"


class _Noted(NamedTuple):
    """The part of a row that is compared over all rows."""

    domain: str
    split: str
    valid: bool
    length: int
    fault: str
    fails_at: int
    repeats: bool
    jumps: bool


def _note(row: Row) -> _Noted:
    """Return the note of a row.

    It also has superficial features: repeated steps, and adjacent steps without a common object.
    """
    steps = [step.strip("()").split() for step in row["given_actions"]]
    jumps = any(not set(first[1:]) & set(second[1:]) for first, second in pairwise(steps))
    repeats = len(set(map(tuple, steps))) < len(steps)
    looks = (row["valid"], len(steps), row["fault"], row["fails_at"], repeats, jumps)
    return _Noted(row["domain"], split_of(row["id"]), *looks)


def _across(rows: Sequence[Sequence[Any]]) -> list[str]:
    noted, faults = [_Noted(*row) for row in rows], []
    for cell in sorted({note[:2] for note in noted}):
        looks = [
            Counter(
                (note.length, note.repeats, note.jumps)
                for note in noted
                if note[:2] == cell and note.valid == valid
            )
            for valid in (True, False)
        ]
        if looks[0] != looks[1]:
            faults.append(f"{' '.join(cell)}: plans and others do not look the same, half and half")
    broken = [note for note in noted if not note.valid]
    return faults + _uneven(broken) + _leaning([note for note in broken if note.fails_at])


def _uneven(broken: Sequence[_Noted]) -> list[str]:
    """Return the faults that have far fewer rows than the others."""
    counts = Counter(note.fault for note in broken)
    least = LEAST_SHARE * len(broken) / len(FAULTS) if len(broken) >= MANY else 0
    return [f"of {name} there are {counts[name]} rows alone" for name in FAULTS if counts[name] < least]


def _leaning(failing: Sequence[_Noted]) -> list[str]:
    """Return the thirds of the plan in which almost no step fails."""
    thirds = Counter(THIRDS * (note.fails_at - 1) // note.length for note in failing)
    least = LEAST_THIRD * len(failing) if len(failing) >= MANY else 0
    return [
        f"{thirds[place]} rows alone fail in third {place + 1}"
        for place in range(THIRDS)
        if thirds[place] < least
    ]


CHECK = TaskCheck(
    ("given_actions", "plan_length", "valid", "fault", "fails_at", "missing"),
    _faults,
    _reply,
    content=lambda view: QuestionContent(lists=(tuple(view.steps("given_actions")),), said=(None,)),
    note=_note,
    across=_across,
)
