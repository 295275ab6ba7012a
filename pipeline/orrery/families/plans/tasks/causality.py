"""Which step provides a precondition of another one; which step fails first where one is left out."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from orrery.families.plans.row import plan_row
from orrery.families.plans.source import Source
from orrery.families.plans.task import Draft, Made, PlanTask, Rejected
from orrery.families.plans.walks import walk
from orrery.model import Atom, Literal, Step
from orrery.pddl.write import write_atom
from orrery.semantics.progression import is_applicable, progress
from orrery.semantics.task import PlanningTask

SHOWN, WALKED = 4, (6, 12)  # steps at least; of a walk
FARTHEST = 5  # greater distances are one stratum
PROVIDED, SELDOM = 2, 0.25  # such rows of a plan; how often, for each of them, one on the initial state joins
PROVIDER, FAILS = "provider", "fails"


class _Case(NamedTuple):
    asked: str
    step: int
    fact: Atom
    answer: int


def _make(source: Source, rng: random.Random) -> Made:
    """Ask about links of a plan, and of a walk, that do not join neighbouring steps."""
    walked, _ = walk(source.task, rng.randint(*WALKED), rng)
    for name, steps in (("plan", source.plan or ()), ("walk", walked)):
        if len(steps) < SHOWN:
            yield Rejected("shown_plan_too_short" if steps else "no_plan_known")
            continue
        every = [*_providers(source.task, steps), *_failures(source.task, steps)]
        cases = [each for each in every if abs(each.answer - each.step) > 1]
        yield from [Rejected("neighbours")] * (len(every) - len(cases))
        for case in _chosen(cases, rng):
            own = {
                "asked": case.asked,
                "shown": [write_atom(step) for step in steps],
                "step": case.step,
                "fact": write_atom(case.fact) if case.fact else "",
                "answer": case.answer,
            }
            fact = Literal(case.fact) if case.fact else None
            suffix = "-".join([name, case.asked, str(case.step), *case.fact])
            said = (steps, case.asked, case.step, fact)
            row = plan_row(source, "causality", rng, said, own, h_star=source.h_star, suffix=suffix)
            yield Draft((row,), f"{case.asked}/{_distance(case)}")


def _chosen(cases: Sequence[_Case], rng: random.Random) -> list[_Case]:
    """Return some of the cases of a plan.

    Facts that hold from the start are the most frequent by far: one is asked about seldom, and only beside
    others that some step provides, so that 0 is no better guess than another number.
    """
    drawn = rng.sample(cases, len(cases))
    provided = [each for each in drawn if each.asked == PROVIDER and each.answer][:PROVIDED]
    initial = [each for each in drawn if each.asked == PROVIDER and not each.answer][:1]
    failing = [each for each in drawn if each.asked == FAILS][:1]
    return provided + failing + (initial if rng.random() < SELDOM * len(provided) else [])


def _distance(case: _Case) -> str:
    """Return how far the answer is from the step asked about, so that no distance is a good guess."""
    return "start" if case.answer == 0 else str(min(abs(case.answer - case.step), FARTHEST))


def _providers(task: PlanningTask, plan: Sequence[Step]) -> Iterator[_Case]:
    """Yield for each precondition of each step the last step before it that made the fact true.

    Facts that a step adds though they hold already have no single provider, and are not asked about.
    """
    mask, made, unclear = task.init, dict[Atom, int](), set[Atom]()
    for number, step in enumerate(plan, 1):
        action = task.action_of[step]
        for fact in sorted(task.facts_of(action.positive)):
            if fact not in unclear:
                yield _Case(PROVIDER, number, fact, made.get(fact, 0))
        for fact in task.facts_of(action.add):
            (unclear.add if task.bit[fact] & mask else unclear.discard)(fact)
            made[fact] = number
        unclear -= task.facts_of(action.delete)
        mask = progress(mask, action)


def _failures(task: PlanningTask, plan: Sequence[Step]) -> Iterator[_Case]:
    """Yield for each step the first one that cannot be done once it is left out, where there is one."""
    for left_out in range(1, len(plan) + 1):
        mask = task.init
        for number, step in enumerate(plan, 1):
            action = task.action_of[step]
            if number == left_out:
                continue
            if not is_applicable(mask, action):
                yield _Case(FAILS, left_out, (), number)
                break
            mask = progress(mask, action)


def _gold(row: Mapping[str, Any]) -> str:
    return f"ANSWER: {row['answer']}"


TASK = PlanTask("causality", _make, _gold, ("answer",))
