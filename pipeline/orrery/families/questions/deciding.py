"""Choose the problems for questions, and make the rows of all proven results on their states.

In each split, small enough problems are chosen at even distances. Problems are ordered by difficulty, so that
each difficulty gets its share. A difficulty with very many problems, for the texts of text_to_pddl, counts
only with its first ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple, TypeAlias

from orrery.config import BANDS, SolveSize
from orrery.families.questions.states import state_row
from orrery.model import Plan, Row
from orrery.pddl.read import read_problem
from orrery.planning.barriers import BARRED, barred_states
from orrery.planning.decide import ProofBudget, decide, prove
from orrery.planning.decided import ACTION, KINDS, PLAN, DecidedState
from orrery.planning.grounding import Grounder
from orrery.planning.plans import FoundPlan
from orrery.planning.possible import possible_steps
from orrery.planning.states import AskedState, asked_states, diverse_plan
from orrery.planning.task import PlanningTask, run
from orrery.planning.universe import most_steps
from orrery.problems.problem_keys import goal_free_key
from orrery.problems.solutions import planner_answer, solution_row
from orrery.seeds import stream
from orrery.store.columns import Table

Fits: TypeAlias = Callable[[int], bool]

AS_IT_COMES = 4  # one in this many problems may be unsolvable, if it comes first
SHARE = 4  # maximum number per difficulty, in multiples of the wanted problems
BEYOND = ("vast", "huge", *(f"ladder-{band}" for band in BANDS))  # difficulties without questions
TRIES = 5  # problems of unknown size that are tried per place
MOST_STEPS = 100_000  # limit of possible actions of a problem that is grounded for questions: some seconds
# Problems per split of a domain for examples of prompts only, and maximum number of facts.
EXAMPLES, SHORT = 2, 40
REST = "rest of a plan"
ALL = "all"
# Results that not every state has; if fewer than one state in this many has one, more are decided.
HAVING = ("plan", "landmarks_yes", "unreachable_facts", "num_unreachable_actions")
SELDOM = 2


class SolvedSize(NamedTuple):
    """The data for choosing a problem: whether it has a plan, and its number of facts, None if unknown."""

    solvable: bool | None
    num_facts: int | None


def only_examples(size: SolveSize) -> SolveSize:
    """Return the settings for a domain that provides only the examples of prompts."""
    examples = {
        "problems_with_questions": min(size.problems_with_questions, EXAMPLES),
        "max_facts": min(size.max_facts, SHORT),
        "extra_problems": 0,
        "plan_states": 0,
        "barred_states": 0,
    }
    return size.model_copy(update=examples)


def is_small(grounder: Grounder, row: Row, max_facts: int) -> bool:
    """Return whether a problem has few enough facts; it is grounded only if it has few possible actions."""
    problem = read_problem(row["problem_pddl"], grounder.domain, row["problem_id"])
    small = most_steps(grounder.domain, problem) <= MOST_STEPS
    return small and len(grounder.ground(problem).facts) <= max_facts


def choose(
    levels: Iterable[tuple[str, str]], solutions: Iterable[SolvedSize], most: int, count: int, fits: Fits
) -> list[int]:
    """Return the numbers of the chosen problems, sorted: at most ``count`` of a split.

    ``levels`` (split and difficulty) and ``solutions`` are those of all problems in order. A problem with
    more than ``most`` facts is not chosen; if the number is unknown, ``fits`` decides.
    """
    by_level: dict[tuple[str, str], list[tuple[int, SolvedSize]]] = defaultdict(list)
    for number, (level, solution) in enumerate(zip(levels, solutions, strict=True)):
        small = solution.num_facts is None or solution.num_facts <= most
        if small and len(by_level[level]) < SHARE * count:
            by_level[level].append((number, solution))
    by_split: dict[str, list[tuple[int, SolvedSize]]] = defaultdict(list)
    for (split, difficulty), problems in by_level.items():
        if difficulty not in BEYOND:
            by_split[split] += problems
    return sorted(number for problems in by_split.values() for number in _spread(problems, count, fits))


def _spread(problems: Sequence[tuple[int, SolvedSize]], count: int, fits: Fits) -> Iterator[int]:
    """Yield the first fitting problem of each of ``count`` equal segments.

    It is the first solvable one if there is one, except in one segment of AS_IT_COMES. Tasks alternate; if
    unsolvable problems were at the beginnings of segments, most questions would be impossible.
    """
    total, stretches = len(problems), min(count, len(problems))
    for place in range(stretches):
        stretch = problems[place * total // stretches : (place + 1) * total // stretches][:TRIES]
        if (place + 1) % AS_IT_COMES:
            stretch = sorted(stretch, key=lambda entry: not entry[1].solvable)
        suited = (number for number, facts in stretch if facts.num_facts is not None or fits(number))
        yield from islice(suited, 1)


def decide_problem(
    grounder: Grounder, seed: int, size: SolveSize, row: Row, solution: Row, barriers: Sequence[str] = ()
) -> tuple[Row, list[Row]]:
    """Return the solution of a problem with further proven results, and the rows of its states.

    ``barriers`` are the predicates of facts that some states lack (see ``planning.barriers``).
    """
    problem = read_problem(row["problem_pddl"], grounder.domain, row["problem_id"])
    task, answer = grounder.ground(problem), planner_answer(solution)
    decided = decide(task, plan=answer.plan, max_states=size.max_states, seconds=size.seconds)
    rng, name = stream(seed, row["problem_id"], "states"), row["problem_id"]
    rows = [_row(name, 0, task, AskedState("initial", 0, problem.init), decided)]
    second_plan = diverse_plan(task, decided, rng, max_states=size.max_states, seconds=size.seconds)
    for state in asked_states(task, decided.plan, second_plan, size.states - 1, rng):
        task_there = grounder.ground(replace(problem, init=state.state))
        remaining_plan = Plan(state.rest, REST) if state.rest is not None else None
        decided_state = decide(
            task_there, plan=remaining_plan, max_states=size.max_states, seconds=size.seconds
        )
        rows.append(_row(name, len(rows), task, state, decided_state))
    rows += barred(grounder, seed, size, row, barriers, len(rows))
    if decided.plan is not None:
        rows += _planned(task, decided.plan, seed, size.plan_states, rows, name)
    return solution_row(name, FoundPlan(answer, task, solution["num_states"]), decided), rows


def _row(
    problem_id: str, number: int, task: PlanningTask, state: AskedState, decided: DecidedState,
    *, planned: bool = False,
) -> Row:  # fmt: skip
    """Return the row of state ``number`` of a problem, with its key without a goal."""
    key = goal_free_key(task.domain, task.problem, state.state)
    return state_row(problem_id, number, state, decided, goal_free_key=key, planned=planned)


def barred(
    grounder: Grounder, seed: int, size: SolveSize, row: Row, barriers: Sequence[str], first: int
) -> Iterator[Row]:
    """Yield the rows of the barred states of a problem, numbered from ``first``; reachability is decided."""
    name = row["problem_id"]
    problem = read_problem(row["problem_pddl"], grounder.domain, name)
    rng, budget = stream(seed, name, BARRED), ProofBudget(size.max_states, seconds=size.seconds)
    states = barred_states(grounder, problem, barriers, size.barred_states, rng)
    for number, state in enumerate(states, first):
        task = grounder.ground(replace(problem, init=state.state))
        decided = prove(task, ACTION, budget)
        if decided.solvable is None:  # nothing but reachability was asked for
            decided = replace(decided, undecided=(*decided.undecided, f"{PLAN}: {ALL}"))
        yield _row(name, number, task, state, decided)


def more_wanted(
    states: Iterable[Table], pairs_of_rows: Sequence[tuple[Row, Row]], size: SolveSize
) -> list[tuple[Row, Row]]:
    """Return the ``extra_problems`` of each split with too few states of some sort.

    A split needs more if some of its states have a plan, a landmark, or an unreachable fact or action, but
    fewer than one in ``SELDOM`` states has. If no state has one, more states would hardly help.
    """
    having: dict[str, Counter[str]] = defaultdict(Counter)
    for table in states:
        for row in table.select(["problem_id", "source", *HAVING]).to_pylist():
            if row["source"] != BARRED:
                split = split_of(row["problem_id"])
                having[split].update({name: 1 for name in HAVING if row[name]} | {"": 1})
    wanting = {
        split
        for split, counts in having.items()
        if any(0 < counts[name] * SELDOM < counts[""] for name in HAVING)
    }
    chosen, counts = list[tuple[Row, Row]](), Counter[str]()
    for pair in pairs_of_rows:
        split = split_of(pair[0]["problem_id"])
        if split in wanting and counts[split] < size.extra_problems:
            counts[split] += 1
            chosen.append(pair)
    return chosen


def split_of(problem_id: str) -> str:
    """Return the split in the id of a problem."""
    return problem_id.split("/")[1]


def plan_states(grounder: Grounder, seed: int, count: int, row: Row, solution: Row) -> list[Row]:
    """Return the rows of ``count`` states on the plan of a problem, if it has a plan."""
    plan = planner_answer(solution).plan
    if plan is None:
        return []
    task = grounder.ground(read_problem(row["problem_pddl"], grounder.domain, row["problem_id"]))
    return _planned(task, plan, seed, count, (), row["problem_id"])


def _planned(
    task: PlanningTask, plan: Plan, seed: int, count: int, decided: Sequence[Row], problem_id: str
) -> list[Row]:
    """Return the rows of ``count`` states along a plan that are not decided, with only the rest of the plan.

    The first is the initial state unless it is decided.
    """
    masks = run(task, plan.steps) or []
    places = {(row["source"], row["step"]) for row in decided}
    decided_states = {frozenset(row["state"]) for row in decided}
    steps = [step for step in range(1, len(plan.steps)) if ("plan", step) not in places]
    rng = stream(seed, problem_id, "planned")
    rows = list[Row]()
    for step in [*([] if decided else [0]), *rng.sample(steps, len(steps))]:
        state = AskedState("plan" if step else "initial", step, task.state(masks[step]), plan.steps[step:])
        if len(rows) == count:
            break
        number = len(decided) + len(rows)
        row_of_state = _row(problem_id, number, task, state, _undecided(task, state), planned=True)
        if frozenset(row_of_state["state"]) not in decided_states and not task.is_goal(masks[step]):
            decided_states.add(frozenset(row_of_state["state"]))
            rows.append(row_of_state)
    return rows


def _undecided(task: PlanningTask, state: AskedState) -> DecidedState:
    """Return the known results on a state of a plan: the rest of the plan."""
    return DecidedState(
        solvable=True,
        plan=Plan(state.rest or (), REST),
        landmarks={},
        not_landmarks={},
        unreachable_facts={},
        reachable_actions=frozenset(),
        unreachable_actions=None,
        num_steps=len(possible_steps(task.domain, task.problem)),
        num_unreachable_actions=0,
        undecided=tuple(f"{kind}: {ALL}" for kind in KINDS),
    )
