"""Ask which step provides a precondition of another step, or which step fails first without a given step."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from orrery.families.drafts import Draft, Drafts, Rejected
from orrery.families.plans.plan_task import SHOWN_STEPS, plan_row, plan_task
from orrery.families.plans.source import Source
from orrery.model import Atom, Literal, Row, Step
from orrery.pddl.write import write_atom
from orrery.planning.task import PlanningTask, is_applicable, progress, random_walk
from orrery.store.kinds import INT, STRING, column

SHOWN, WALKED = 4, (6, 12)  # minimum number of steps; number of steps of a walk
WALKS = 24  # maximum number of walks
FARTHEST = 8  # distances from this one on are one stratum
LARGEST = Fraction(1, 3)  # maximum share of one distance among the rows on one kind of link
SELDOM = 0.25  # how often, for each row of a plan on a step that provides, one on the initial state joins
PROVIDER, FAILS = "provider", "fails"
SEEN, HIDDEN = "seen", "hidden"  # from a glance at the names
PLANNED, WALK = FIRST = "plan", "walk"  # names of the sequences


class _Link(NamedTuple):
    question: str
    step: int
    fact: Atom
    answer: int


def _draw(source: Source, rng: random.Random) -> Drafts:
    """Yield questions on causal links of a plan, and of walks, between steps that are not adjacent."""
    lacking = {PROVIDER, FAILS}  # no question that ``glance`` gets wrong yet
    for name, steps in _sequences(source, rng):
        if len(steps) < SHOWN:
            if name in FIRST:
                yield Rejected("shown_plan_too_short" if steps else "no_plan_known")
            continue
        links = [*_providers(source.task, steps), *_failures(source.task, steps)]
        cases = [link for link in links if abs(link.answer - link.step) > 1]
        if name in FIRST and not cases:
            yield Rejected("neighbours")
        if name not in FIRST:
            cases = [case for case in cases if _look(case, steps) == HIDDEN and case.question in lacking]
        chosen = _chosen(cases, steps, rng)
        lacking -= {case.question for case in chosen if _look(case, steps) == HIDDEN}
        for case in chosen:
            columns = {
                "question_type": case.question,
                "given_actions": [write_atom(step) for step in steps],
                "step": case.step,
                "fact": write_atom(case.fact) if case.fact else "",
                "answer": case.answer,
            }
            fact = Literal(case.fact) if case.fact else None
            suffix = "-".join([name, case.question, str(case.step), *case.fact])
            arguments = (steps, case.question, case.step, fact)
            row = plan_row(source, "causality", rng, arguments, columns, h_star=source.h_star, suffix=suffix)
            yield Draft((row,), f"{case.question} {_look(case, steps)}/{_distance(case)}")
        if not lacking:
            break


def _sequences(source: Source, rng: random.Random) -> Iterator[tuple[str, Sequence[Step]]]:
    """Yield the plan and walks, with their names.

    The walks after the first are only for links that ``glance`` gets wrong, which some domains seldom have.
    There are none beside a long plan.
    """
    yield PLANNED, source.plan or ()
    for number in range(1, 1 if source.is_long else WALKS + 1):
        walked, _ = random_walk(source.task, rng.randint(*WALKED), rng)
        yield f"{WALK}{number}" if number > 1 else WALK, walked


def _chosen(cases: Sequence[_Link], steps: Sequence[Step], rng: random.Random) -> list[_Link]:
    """Return some cases of a plan: one of each kind that ``glance`` answers, and one that it does not.

    Most facts hold initially. They are asked about seldom, and only together with facts that a step provides,
    so that the answer 0 is not more frequent than other numbers.
    """
    first = dict[tuple[str, bool, str], _Link]()
    for link in _by_distance(cases, rng):
        first.setdefault((link.question, link.answer > 0, _look(link, steps)), link)
    provided = [case for (kind, is_provided, _), case in first.items() if kind == PROVIDER and is_provided]
    initial = [
        case for (kind, is_provided, _), case in first.items() if kind == PROVIDER and not is_provided
    ][:1]
    failing = [case for (kind, *_), case in first.items() if kind == FAILS]
    return provided + failing + (initial if rng.random() < SELDOM * len(provided) else [])


def _look(case: _Link, steps: Sequence[Step]) -> str:
    """Return whether the heuristic ``glance`` gives the answer; it uses only names, not the actions."""
    return SEEN if glance(case.question, case.step, case.fact, steps) == case.answer else HIDDEN


def glance(kind: str, step: int, fact: Atom, steps: Sequence[Step]) -> int:
    """Return the answer of a heuristic that reads only names and excludes adjacent steps.

    It is the last step that names all objects of the fact, or the first step with most objects in common with
    the removed step.
    """
    if kind == PROVIDER:
        return next((n for n in range(step - 2, 0, -1) if {*fact[1:]} <= {*steps[n - 1][1:]}), 0)
    left_out, later = {*steps[step - 1][1:]}, range(step + 2, len(steps) + 1)
    return max(later, key=lambda n: (len(left_out.intersection(steps[n - 1][1:])), -n), default=0)


def _by_distance(cases: Sequence[_Link], rng: random.Random) -> list[_Link]:
    """Return cases in an order in which each distance comes first equally often.

    Most links of a short sequence are short: nearly all cases drawn at random would have the same distance.
    """
    turn, before = dict[str, float](), Counter[str]()
    ordered = list[tuple[int, float, _Link]]()
    for case in rng.sample(cases, len(cases)):
        distance = _distance(case)
        ordered.append((before[distance], turn.setdefault(distance, rng.random()), case))
        before[distance] += 1
    return [case for *_, case in sorted(ordered)]


def _distance(case: _Link) -> str:
    """Return the distance from the step in question to the answer, as a stratum."""
    return "start" if case.answer == 0 else str(min(abs(case.answer - case.step), FARTHEST))


def _providers(task: PlanningTask, plan: Sequence[Step]) -> Iterator[_Link]:
    """Yield, for each precondition of each step, the last earlier step that made the fact true.

    Facts that a step adds although they hold already have no unique provider, and are not asked about.
    """
    mask, provider, unclear = task.init, dict[Atom, int](), set[Atom]()
    for number, step in enumerate(plan, 1):
        action = task.action_of[step]
        for fact in sorted(task.facts_of(action.positive)):
            if fact not in unclear:
                yield _Link(PROVIDER, number, fact, provider.get(fact, 0))
        for fact in task.facts_of(action.add):
            (unclear.add if task.bit[fact] & mask else unclear.discard)(fact)
            provider[fact] = number
        unclear -= task.facts_of(action.delete)
        mask = progress(mask, action)


def _failures(task: PlanningTask, plan: Sequence[Step]) -> Iterator[_Link]:
    """Yield, for each step, the first step that fails without it, if there is one."""
    for left_out in range(1, len(plan) + 1):
        mask = task.init
        for number, step in enumerate(plan, 1):
            action = task.action_of[step]
            if number == left_out:
                continue
            if not is_applicable(mask, action):
                yield _Link(FAILS, left_out, (), number)
                break
            mask = progress(mask, action)


def _gold(row: Row) -> str:
    return f"ANSWER: {row['answer']}"


TASK = plan_task(
    name="causality",
    subject="Which step provides what another needs, or fails first where one is left out",
    draw=_draw,
    columns=(
        column("question_type", STRING, "`provider` or `fails`"),
        SHOWN_STEPS,
        column("step", INT, "The step that needs the fact, or that is left out, counted from 1"),
        column("fact", STRING, "The precondition; empty where it is asked what fails"),
        column("answer", INT, "The step asked for, counted from 1; 0 is the initial state"),
    ),
    gold=_gold,
    gold_columns=("answer",),
    largest=LARGEST,
    led={f"{question} {SEEN}": f"{question} {HIDDEN}" for question in (PROVIDER, FAILS)},
)
