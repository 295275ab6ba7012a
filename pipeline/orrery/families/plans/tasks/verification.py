"""Ask whether a sequence of actions is a plan; if not, which step fails first, or what the goal lacks.

Rows come in pairs: a plan, and a sequence made from a plan by one of six faults. Both have the same
superficial features (``look_of``). If a state has no such plan, both wait for a partner from another state.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from orrery.families.drafts import Draft, Drafts, Rejected
from orrery.families.plans.long_plans import reordered_plan, walk_after, with_detour
from orrery.families.plans.plan_task import SHOWN_STEPS, in_order, plan_row, plan_task, written_literals
from orrery.families.plans.source import Source, searched
from orrery.families.plans.space import Distances, Space
from orrery.model import EQUAL, Domain, Literal, Problem, Row, Step
from orrery.pddl.write import write_atom
from orrery.planning.execution import progress, types_of_objects, unmet_preconditions
from orrery.planning.task import run
from orrery.store.kinds import BOOL, INT, STRING, STRINGS, column

POOL, DETOUR = 24, 4  # number of drawn plans; maximum number of steps of a detour
ROWS, HALVES = 3, 2  # pairs per source; sequences and plans that wait for a partner with the same features
TRIES = 6
FEWEST = 2  # number of steps


class PlanFault(NamedTuple):
    """The fault of a sequence: the first failing step, from 1 on, and the literals missing there."""

    fails_at: int
    missing: list[Literal]

    @property
    def valid(self) -> bool:
        """Whether there is no fault."""
        return not self.fails_at and not self.missing


VALID = PlanFault(0, [])


def _draw(source: Source, rng: random.Random) -> Drafts:
    """Yield plans with and without detours and faulty sequences, in pairs with equal features."""
    if not source.is_long:
        yield from _sequences(source, _plans(*searched(source, FEWEST, "one_step"), rng), rng)
    elif len(source.plan or ()) < FEWEST:
        raise Rejected("no_plan_known")
    else:
        yield from _sequences(source, _long_pool(source, rng), rng)


def _long_pool(source: Source, rng: random.Random) -> list[list[Step]]:
    """Return plans in other orders of the steps, half of them with a detour if one was found."""
    plan = list(source.plan or ())
    plans = [plan, *(reordered_plan(source.task, plan, rng) for _ in range(POOL // 2))]
    detours = [with_detour(source.task, each, rng) for each in plans[1:]]
    return [list(each) for each in dict.fromkeys(map(tuple, [*plans, *filter(None, detours)]))]


def _sequences(source: Source, pool: list[list[Step]], rng: random.Random) -> Drafts:
    """Yield pairs of plans of the pool and faulty sequences made from them."""
    of_look: dict[str, list[list[Step]]] = {}
    for plan in pool:
        of_look.setdefault(look_of(plan), []).append(plan)
    drawn = [*FAULTS]
    rng.shuffle(drawn)
    pairs, halves, drawn_sequences = 0, 0, set[tuple[Step, ...]]()
    for name in drawn:
        broken = _broken(source, FAULTS[name], pool, drawn_sequences, rng)
        if broken is None:
            yield Rejected(f"no_{name}")
            continue
        steps, verdict = broken
        alike = [plan for plan in of_look.get(look_of(steps), ()) if tuple(plan) not in drawn_sequences]
        stratum = f"{name}/{_third(verdict, len(steps))}"
        if alike and pairs < ROWS:
            pair = rng.sample([(steps, verdict, name), (rng.choice(alike), VALID, "")], 2)
            drawn_sequences |= {tuple(sequence) for sequence, *_ in pair}
            rows = (_row(source, *sequence, f"{pairs}-{n}", rng) for n, sequence in enumerate(pair))
            yield Draft(tuple(rows), stratum)
            pairs += 1
        elif not alike and halves < HALVES:
            drawn_sequences.add(tuple(steps))
            yield Draft(
                (_row(source, steps, verdict, name, f"single-{halves}", rng),), stratum, f"-{look_of(steps)}"
            )
            halves += 1
    spare = [plan for plan in pool if tuple(plan) not in drawn_sequences]
    repeating = [plan for plan in spare if len({*plan}) < len(plan)]  # few have them: one may wait first
    for plan in [*repeating[:1], *(plan for plan in spare if plan not in repeating), *repeating[1:]][:HALVES]:
        yield Draft((_row(source, plan, VALID, "", f"single-{halves}", rng),), "", f"+{look_of(plan)}")
        halves += 1


def _third(verdict: PlanFault, length: int) -> str:
    """Return the third of a sequence in which it fails."""
    return str(3 * (verdict.fails_at - 1) // length) if verdict.fails_at else "end"


def _plans(space: Space, distances: Distances, rng: random.Random) -> list[list[Step]]:
    """Return plans, half of them with a detour, after which steps may be repeated."""
    plans = [space.shortest(0, distances, rng) for _ in range(POOL // 2)]
    for plan in plans[: POOL // 2]:
        place = rng.randrange(len(plan))
        walked = walk_after(space.task, plan[:place], rng.randint(1, DETOUR), rng)
        masks = run(space.task, [*plan[:place], *walked]) or []
        states = [space.found.index_of(mask) for mask in masks[place + 1 :]]
        if states and distances[states[-1]] > 0 and all(distances[state] != 0 for state in states):
            remainder = space.shortest(states[-1], distances, rng)
            plans.append([*plan[:place], *walked, *remainder])
    return [list(plan) for plan in dict.fromkeys(map(tuple, plans))]


def look_of(steps: Sequence[Step]) -> str:
    """Return the superficial features of a sequence; they must not reveal whether it is a plan.

    They are its length, whether a step occurs twice, and whether two adjacent steps have no common object.
    """
    apart = any({*first[1:]}.isdisjoint(second[1:]) for first, second in pairwise(steps))
    return f"{len(steps)}{' twice' if len({*steps}) < len(steps) else ''}{' apart' if apart else ''}"


def _broken(
    source: Source, fault: Fault, pool: Sequence[list[Step]],
    shown: Collection[tuple[Step, ...]], rng: random.Random,
) -> tuple[list[Step], PlanFault] | None:  # fmt: skip
    """Return a sequence with a fault that was not used yet, and the fault; None if none was found."""
    for _ in range(TRIES):
        for steps in fault(source, rng.choice(pool), rng):
            if len(steps) < FEWEST or tuple(steps) in shown:
                continue
            verdict = fault_of(source.record.domain, source.problem, steps)
            if verdict is None or verdict.valid or (fault is _goal_missed and verdict.fails_at):
                continue
            return steps, verdict
    return None


def fault_of(domain: Domain, problem: Problem, steps: Iterable[Step]) -> PlanFault | None:
    """Return the fault of a sequence; None if a step changes nothing or violates an (in)equality."""
    state = problem.init
    for number, step in enumerate(steps, 1):
        missing = unmet_preconditions(domain, state, step)
        if any(literal.atom[0] == EQUAL for literal in missing):
            return None
        if missing:
            return PlanFault(number, in_order(missing))
        successor = progress(domain, state, step)
        if successor == state:
            return None
        state = successor
    return PlanFault(0, in_order(literal for literal in problem.goal if not literal.holds(state)))


def _left_out(_source: Source, plan: Sequence[Step], rng: random.Random) -> Iterator[list[Step]]:
    for place in _places(plan, rng):
        yield [*plan[:place], *plan[place + 1 :]]


def _doubled(_source: Source, plan: Sequence[Step], rng: random.Random) -> Iterator[list[Step]]:
    """Yield plans in which a step is repeated at a later place."""
    for place in _places(plan, rng):
        later = rng.randint(place + 1, len(plan))
        yield [*plan[:later], plan[place], *plan[later:]]


def _exchanged(_source: Source, plan: Sequence[Step], rng: random.Random) -> Iterator[list[Step]]:
    for place in _places(plan, rng):
        for second in _places(plan, rng):
            if plan[place] != plan[second]:
                steps = list(plan)
                steps[place], steps[second] = steps[second], steps[place]
                yield steps


def _other_object(source: Source, plan: Sequence[Step], rng: random.Random) -> Iterator[list[Step]]:
    domain = source.record.domain
    types = types_of_objects(domain, source.problem)
    for place in _places(plan, rng):
        step = plan[place]
        for argument in _places(step[1:], rng):
            wanted = domain.action_named[step[0]].parameters[argument].types
            fitting = [n for n, of in types.items() if domain.fits(of, wanted) and n not in step[1:]]
            if fitting:
                changed = (*step[: argument + 1], rng.choice(fitting), *step[argument + 2 :])
                yield [*plan[:place], changed, *plan[place + 1 :]]


def _other_action(source: Source, plan: Sequence[Step], rng: random.Random) -> Iterator[list[Step]]:
    domain = source.record.domain
    types = types_of_objects(domain, source.problem)
    for place in _places(plan, rng):
        step = plan[place]
        for action in domain.actions:
            fits = len(action.parameters) == len(step) - 1 and all(
                domain.fits(types[name], p.types) for name, p in zip(step[1:], action.parameters, strict=True)
            )
            if fits and action.name != step[0]:
                yield [*plan[:place], (action.name, *step[1:]), *plan[place + 1 :]]


def _goal_missed(source: Source, plan: Sequence[Step], rng: random.Random) -> Iterator[list[Step]]:
    """Yield sequences that leave the plan at some point and continue with a walk of the same length."""
    for place in _places(plan, rng):
        yield [*plan[:place], *walk_after(source.task, plan[:place], len(plan) - place, rng)]


def _places(items: Sequence[object], rng: random.Random) -> list[int]:
    places = list(range(len(items)))
    rng.shuffle(places)
    return places


Fault: TypeAlias = Callable[[Source, Sequence[Step], random.Random], Iterator[list[Step]]]
FAULTS = {
    "left_out": _left_out,
    "doubled": _doubled,
    "exchanged": _exchanged,
    "other_object": _other_object,
    "other_action": _other_action,
    "goal_missed": _goal_missed,
}


def _row(
    source: Source, steps: Sequence[Step], verdict: PlanFault, fault: str, suffix: str, rng: random.Random
) -> dict[str, Any]:
    columns_of_task = {
        "given_actions": [write_atom(step) for step in steps],
        "plan_length": len(steps),
        "valid": verdict.valid,
        "fault": fault,
        "fails_at": verdict.fails_at,
        "missing": written_literals(verdict.missing),
    }
    return plan_row(
        source, "verification", rng, (steps,), columns_of_task, h_star=source.h_star, suffix=suffix
    )


def _gold(row: Row) -> str:
    if row["valid"]:
        return "ANSWER: valid"
    position = f"step {row['fails_at']}" if row["fails_at"] else "end"
    return f"ANSWER: invalid, {position}, {', '.join(row['missing'])}"


TASK = plan_task(
    name="verification",
    subject="Is a sequence of actions a plan; if not, which step fails first, or what is missing at the end",
    draw=_draw,
    columns=(
        SHOWN_STEPS,
        column("plan_length", INT, "Number of actions shown"),
        column("valid", BOOL, "Whether it is a plan"),
        column(
            "fault",
            STRING,
            "What was done to a plan to break it: `left_out`, `doubled`, `exchanged`, `other_object`, "
            "`other_action` or `goal_missed`; empty where it is one",
        ),
        column("fails_at", INT, "The first step that fails, counted from 1; 0 where none does"),
        column(
            "missing",
            STRINGS,
            "The preconditions that do not hold there, or the goal literals missing at the end, sorted",
        ),
    ),
    gold=_gold,
    gold_columns=("valid", "fails_at", "missing"),
)
