"""Justification: a plan from which one action, or two consecutive ones, can be removed.

Removable actions are found by executing the plan without them. If nothing can be removed, as in every
shortest plan, one or two removable actions are inserted first.

The claim ``{"plan": [A, ...], "remove": [A] or [A, B], "at": [i, ...]}`` states that the plan remains valid
if A, or A and the following B, is removed at one of the 0-based positions ``at``. These are the positions of
all occurrences, which give the same answer. Plans are first lengthened by harmless steps and by detours; then
removable and necessary parts have the same surface features. One feature is whether the part ends the plan,
because a final step is often superfluous.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from orrery.families.drafts import Rejected
from orrery.families.questions.balance import TIMES
from orrery.families.questions.bool_mcq import CandidateClaims
from orrery.families.questions.claims import (
    ClaimCandidate,
    Measures,
    Offer,
    features_of,
    measured_by,
)
from orrery.families.questions.evidence import StateEvidence, drawn
from orrery.families.questions.open_question import OpenQuestion, question_task
from orrery.families.questions.question_row import NONE
from orrery.families.questions.sequences import (
    USUAL,
    actions_of_plan,
    alike,
    continued,
    detoured,
    familiar,
    has_idle_step,
    leads,
    lengthened,
    masks_along,
    stretched,
)
from orrery.families.questions.state_measures import measures_of
from orrery.families.questions.state_record import StateRecord
from orrery.model import Atom, Row, Step
from orrery.pddl.write import write_atom
from orrery.planning.task import GroundAction, PlanningTask, applicable, progress
from orrery.store.kinds import INTS, STRING_LISTS, STRINGS, column

MOST = 100  # maximum number of actions of the plan before insertions
TRIES = 40  # longer plans that are tried, and insertions into the plan as it is
SINGLE = 0.6  # how often one action is tried before two
WRONG = 3
SHORT, LEAST = 5, 3  # a plan with fewer steps than ``SHORT`` gets at least ``LEAST`` insertions
INSERTED = (1, 3)
DETOURS, ONWARDS, FAMILIAR, EARLY = 0.5, 0.1, 0.5, 0.9  # shares of the ways to lengthen a plan
ATTEMPTS = 3
FORMS = {
    (True, 1): "superfluous action",
    (True, 2): "superfluous pair",
    (False, 1): "needed action",
    (False, 2): "needed pair",
}


class Removal(NamedTuple):
    """``length`` actions from position ``start`` on, without which the plan is valid."""

    start: int
    length: int


def ask(record: StateRecord, rng: random.Random) -> OpenQuestion:
    """Return a question for a shorter plan, if a plan is known that is not too long."""
    record.refuse_without_plan()
    if len(record.effective_plan) > MOST or not record.trajectory:
        raise Rejected(f"plan with over {MOST} actions")
    steps, removable = simplifiable(record, rng)
    plan = list(map(write_atom, steps))
    extra = {"plan": plan, "positions": [removal.start for removal in removable]}
    return OpenQuestion(
        [_removal_answer(plan, removal) for removal in removable], (" ".join(plan),), extra=extra
    )


def simplifiable(record: StateRecord, rng: random.Random) -> tuple[list[Step], list[Removal]]:
    """Return a plan and its possible removals, at least one.

    It is the plan of the state if that is suitable, otherwise a lengthened one. A plan whose removals a
    heuristic rule finds is used only if no other is found. All occurrences of a removable pair are removable,
    so that its names alone identify it. The record must have a plan.

    Raises:
        Rejected: no such plan was found.
    """
    task, spare = record.task, None
    minded = {rule: weight for rule, (weight, share) in BETRAYING.items() if rng.random() >= share}
    for longer in _plans(record, rng):
        if has_idle_step(task.init, longer):  # an additional step has made another one superfluous
            continue
        removable = removals(task, longer)
        if removable and _agree(longer, removable):
            simplification = [action.step for action in longer], removable
            betrayed = sum(weight * rule(*simplification) for rule, weight in minded.items())
            if not betrayed:
                return simplification
            if spare is None or betrayed < spare[0]:
                spare = betrayed, simplification
    if spare is None:
        raise Rejected("no plan found that can be simplified")
    return spare[1]


def _first_alike(plan: Sequence[Step], removable: Sequence[Removal]) -> bool:
    """Return whether the first two consecutive steps on the same objects can be removed."""
    places = (place for place, (first, two) in enumerate(pairwise(plan)) if alike(first, two))
    return Removal(next(places, len(plan)), 2) in removable


def _longest(plan: Sequence[Step], removable: Sequence[Removal]) -> float:
    """Return the removable share of the two consecutive steps with the most letters."""
    letters = [sum(map(len, (*first, *two))) + len(first) + len(two) for first, two in pairwise(plan)]
    longest = [start for start, length in enumerate(letters) if length == max(letters)]
    return sum(Removal(start, 2) in removable for start in longest) / max(1, len(longest))


def _last(plan: Sequence[Step], removable: Sequence[Removal]) -> bool:
    """Return whether the last step can be removed."""
    return Removal(len(plan) - 1, 1) in removable


Finds: TypeAlias = Callable[[Sequence[Step], Sequence[Removal]], float]
# The weights of rules that should not find a removal, and how often each may: the last step and the longest
# pair about as often as any part.
BETRAYING = {_last: (4, 0.2), _first_alike: (2, 0.0), _longest: (1, 0.2)}


def removals(task: PlanningTask, plan: Sequence[GroundAction]) -> list[Removal]:
    """Return each action, and each two consecutive ones, without which ``plan`` is valid; sorted.

    The remaining sequence is executed; the plan itself must be valid.
    """
    masks = masks_along(task.init, plan)
    return [
        Removal(start, length)
        for start in range(len(plan))
        for length in (1, 2)
        if start + length <= len(plan) and leads(task, masks[start], plan[start + length :])
    ]


def _plans(record: StateRecord, rng: random.Random) -> Iterator[list[GroundAction]]:
    """Yield the plan if it has a usual length, longer ones, finally the plan and slightly longer ones."""
    task, plan, length = record.task, list(record.effective_plan), rng.choice(USUAL)
    if len(plan) >= length:
        yield plan
    evidence = StateEvidence(record, rng)
    for number in range(TRIES):
        longer = stretched(evidence, plan, length, rng, unlike=number % 2 == 1)
        yield longer
        yield from _with_detours(task, longer, rng, 1)
    yield plan
    yield from _with_detours(task, plan, rng, TRIES)


def _with_detours(
    task: PlanningTask, plan: list[GroundAction], rng: random.Random, count: int
) -> Iterator[list[GroundAction]]:
    """Yield plans with one or two more actions."""
    masks = masks_along(task.init, plan)
    for _ in range(count):
        place = rng.randint(0, len(plan))
        if detour := _detour(task, masks[place], plan[place:], rng):
            yield [*plan[:place], *detour, *plan[place:]]


def _detour(
    task: PlanningTask, state: int, remainder: list[GroundAction], rng: random.Random
) -> list[GroundAction]:
    """Return one or two actions after which ``remainder`` still reaches the goal, or an empty list."""
    firsts = [action for action in applicable(task, state) if progress(state, action) != state]
    harmless = [action for action in firsts if leads(task, progress(state, action), remainder)]
    if harmless and rng.random() < SINGLE:
        return [drawn(harmless, rng)]
    if not firsts:
        return []
    first = drawn(firsts, rng)
    mask = progress(state, first)
    seconds = [a for a in applicable(task, mask) if leads(task, progress(mask, a), remainder)]
    unlike = [second for second in seconds if not alike(first.step, second.step)]
    return [first, drawn(unlike or seconds, rng)] if seconds else []


def _agree(plan: Sequence[GroundAction], removals_found: Sequence[Removal]) -> bool:
    """Return whether the removable pairs are removable at all their occurrences."""
    starts = {removal.start for removal in removals_found if removal.length == 2}
    pairs = [(first.step, second.step) for first, second in pairwise(plan)]
    removable = {pairs[start] for start in starts}
    return all(start in starts for start, pair in enumerate(pairs) if pair in removable)


def _removal_answer(plan: list[str], removal: Removal) -> list[str]:
    """Return ``[a, b, "-1"]`` for two consecutive actions, ``[a, "k"]`` for the k-th occurrence of one."""
    start, length = removal
    if length == 2:
        return [*plan[start : start + 2], "-1"]
    return [plan[start], str(plan[: start + 1].count(plan[start]))]


def offer(evidence: StateEvidence, rng: random.Random) -> Offer:
    """Return an offer of the actions and pairs of a lengthened plan, if possible with matching claims."""
    plan = actions_of_plan(evidence)
    goal, state = evidence.record.problem.goal_facts, measures_of(evidence.record)
    offers = list[tuple[int, Offer]]()
    for _ in range(ATTEMPTS):
        longer = _longer(evidence, plan, rng)
        candidates = _candidates(evidence, longer)
        wrong = Counter(candidate.features for candidate in candidates if not candidate.holds)
        matches = max((wrong[candidate.features] for candidate in candidates if candidate.holds), default=0)
        measure = measured_by(PlanMeasures(longer, goal).of, state.of)
        steps = tuple(action.step for action in longer)
        offers.append((matches, Offer(candidates, steps, measure=measure)))
        if matches >= WRONG:
            break
    return max(offers, key=itemgetter(0))[1]


def _longer(evidence: StateEvidence, plan: list[GroundAction], rng: random.Random) -> list[GroundAction]:
    """Return the plan with steps inserted early or anywhere, and perhaps appended."""
    if rng.random() < DETOURS:
        plan = detoured(evidence, plan, rng)
    inserted, early = rng.randint(*INSERTED) + (LEAST if len(plan) < SHORT else 0), rng.random() < EARLY
    if rng.random() < ONWARDS:
        plan = continued(evidence, plan, rng)
    if rng.random() < FAMILIAR:
        plan, inserted = familiar(evidence, plan, rng, early=early), inserted - 1
    plan = lengthened(evidence, plan, inserted, rng, early=early)
    return stretched(evidence, plan, rng.choice(USUAL), rng)


def _candidates(evidence: StateEvidence, plan: list[GroundAction]) -> list[ClaimCandidate]:
    """Return all actions and pairs of the plan whose occurrences give the same answer.

    Their features are whether they end the plan, whether they bring objects of the goal together, and names.
    """
    task, steps = evidence.task, [action.step for action in plan]
    together = _together(evidence.record.problem.goal_facts)
    masks = masks_along(task.init, plan)
    occurrences: dict[tuple[Step, ...], list[int]] = defaultdict(list)
    for length in (1, 2):
        for at in range(len(plan) - length + 1):
            occurrences[tuple(steps[at : at + length])].append(at)
    candidates = []
    for atoms, places in sorted(occurrences.items()):
        answers = {leads(task, masks[place], plan[place + len(atoms) :]) for place in places}
        if len(answers) == 1:
            last, holds = places[-1], answers.pop()
            ends = last + len(atoms) == len(plan)
            features = (ends, _brings_together(atoms, together), *features_of(*atoms))
            form, late = FORMS[holds, len(atoms)], 3 * last // len(plan)
            candidates.append(ClaimCandidate(atoms, holds, features, form, at=tuple(places), aspect=(late,)))
    return candidates


def _together(goal: Collection[Atom]) -> list[frozenset[str]]:
    """Return the objects of each fact of the goal with at least two objects."""
    return [objects for fact in goal if len(objects := frozenset(fact[1:])) > 1]


def _brings_together(atoms: Sequence[Atom], together: Sequence[frozenset[str]]) -> bool:
    """Return whether some step names two objects of one fact of the goal: such steps are often necessary."""
    return any(len(objects.intersection(atom[1:])) > 1 for atom in atoms for objects in together)


class PlanMeasures:
    """Measures that heuristic rules take of a part of a plan, by the plan and the goal."""

    def __init__(self, plan: Sequence[GroundAction], goal: Collection[Atom]) -> None:
        """Count how often each step and object is named in ``plan``; ``goal`` are the facts of the goal."""
        steps = [action.step for action in plan]
        self._objects = [frozenset(step[1:]) for step in steps]
        self._together = _together(goal)
        self._goal = frozenset(name for fact in goal for name in fact[1:])
        self._times = Counter(steps)
        self._mentions = Counter(name for step in steps for name in step[1:])
        self._last = {step: place for place, step in enumerate(steps)}
        self._last_pair = {pair: place for place, pair in enumerate(pairwise(steps))}

    def of(self, atoms: Sequence[Atom]) -> Measures:
        """Return the measures of a part of the plan, by rule."""
        names_said = [name for atom in atoms for name in atom[1:]]
        names = frozenset(names_said)
        often = sum(self._mentions[name] for name in names)
        start = self._last[atoms[0]] if len(atoms) == 1 else self._last_pair[atoms[0], atoms[1]]
        before, after = self._objects[:start], self._objects[start + len(atoms) :]
        return (
            ("objects of the step before", len(names.intersection(*before[-1:])) if before else 0),
            ("objects of the step behind", len(names.intersection(*after[:1])) if after else 0),
            ("same objects as the step behind", int(names in after[:1])),
            ("steps before on its objects", sum(not names.isdisjoint(objects) for objects in before)),
            ("steps behind on its objects", sum(not names.isdisjoint(objects) for objects in after)),
            ("objects repeated", len(names_said) - len(names)),
            ("objects often in the plan", often),
            ("objects often in the plan on average", 100 * often // max(1, len(names))),
            (
                "objects nowhere else in the plan",
                sum(self._mentions[n] == names_said.count(n) for n in names),
            ),
            ("objects of the goal", len(names & self._goal)),
            (
                "objects together in a fact of the goal",
                sum(len(names & objects) > 1 for objects in self._together),
            ),
            (TIMES, min(self._times[atom] for atom in atoms)),
        )


def formal(candidate: ClaimCandidate, offered: Offer) -> Mapping[str, Any]:
    """Return a claim as JSON."""
    return {
        "plan": [write_atom(step) for step in offered.steps],
        "remove": [write_atom(step) for step in candidate.atoms],
        "at": list(candidate.at),
    }


def _replies(row: Row) -> list[str]:
    """Return the correct plans; for published rows, which lack positions, the removals instead."""
    plan, positions = row.get("plan"), row.get("positions")
    if plan is None or positions is None:
        return [" ".join(removal) for removal in row["answer"]]
    ends = [start + len(removal) - 1 for start, removal in zip(positions, row["answer"], strict=True)]
    rests = [[*plan[:start], *plan[end:]] for start, end in zip(positions, ends, strict=True)]
    return [" ".join(remaining) or NONE for remaining in rests]


TASK = question_task(
    name="just",
    subject="superfluous steps of a plan",
    group="action_justification",
    ask=ask,
    answer=column(
        "answer",
        STRING_LISTS,
        "Every removal that leaves a valid plan: `[a, b, -1]` for two consecutive actions, "
        "`[a, k]` for the k-th occurrence of one",
    ),
    columns=(
        column("plan", STRINGS, "The plan to simplify"),
        column("positions", INTS, "Where in the plan each removal of `answer` starts, counted from 0"),
    ),
    replies=_replies,
    reply_columns=("answer", "plan", "positions"),
    claims=CandidateClaims(offer, formal, of_actions=True, joint=", directly followed by ", draws=16),
)
