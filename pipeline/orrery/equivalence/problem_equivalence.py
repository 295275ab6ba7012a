"""Compare pairs of problems: equivalent, different or undecided, with the reason.

Definitions: modules ``closure`` and ``placeholder``. Cheap checks come first. Most pairs
differ in numbers of objects and facts, or are equal by the strict key of the prediction and the stored
one of the gold. Checks that need the states of a problem (a closure without a rule, a permuted initial
state) come last, after checks without states: different initial states, goals with the same text, a goal
with facts that are not in the other's closure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from orrery.equivalence.closure import Budget, Rule, Steps
from orrery.equivalence.compared import ComparedProblem
from orrery.equivalence.embedding import embeds, enough, structure
from orrery.equivalence.graph import Undecided, meaning
from orrery.equivalence.keys import Keys
from orrery.equivalence.placeholder import is_permuted
from orrery.equivalence.reaching import lasting_predicates
from orrery.model import Atom, Domain, Problem

_EMBEDDING_BUDGET = 400


class EquivalenceOutcome(StrEnum):
    """The result of a comparison; undecided never means different."""

    EQUIVALENT = "equivalent"
    DIFFERENT = "different"
    UNDECIDED = "undecided"


class Reason(StrEnum):
    """The check that decided; an undecided verdict names the open part instead."""

    SAME = "same initial state and goal"
    BOTH_UNSOLVABLE = "same initial state, no plan on either side"
    PERMUTED = "same up to an admissible permutation of the goal's objects"
    OBJECTS = "objects differ in number or type"
    INIT = "different initial states"
    UNSOLVABLE = "no plan on one side"
    GOAL = "goal closures differ"
    PERMUTATION = "no admissible permutation"


@dataclass(frozen=True, slots=True)
class EquivalenceVerdict:
    """The result for a pair, and its reason: a ``Reason``, or for an undecided pair the open part."""

    outcome: EquivalenceOutcome
    reason: str


def compare(
    domain: Domain,
    predicted: Problem,
    gold: Problem,
    *,
    placeholder: bool,
    open_objects: Collection[str] | None = None,
    rule: Rule | None = None,
    budget: Budget | None = None,
    gold_key: Keys | None = None,
    plan: Steps | None = None,
) -> EquivalenceVerdict:
    """Return whether a predicted problem is equivalent to the gold.

    Args:
        domain: the domain of both.
        predicted: the predicted problem.
        gold: the gold problem.
        placeholder: whether objects may change places in the goal, as module ``placeholder`` defines it.
        open_objects: the gold's objects that may change places, in placeholder mode; None: all of them.
        rule: the domain's ``close_goal``, see ``closure.close``; without it, closures need search.
        budget: limits for parts that no rule decides.
        gold_key: the gold's keys, from ``keys.keys``, to save work.
        plan: a plan of the predicted problem, if known, to save the search for a goal state.
    """
    theirs = measure(domain, gold, rule, budget, gold_key)
    return compare_with(theirs, predicted, placeholder=placeholder, open_objects=open_objects, plan=plan)


def measure(
    domain: Domain,
    gold: Problem,
    rule: Rule | None = None,
    budget: Budget | None = None,
    gold_key: Keys | None = None,
) -> ComparedProblem:
    """Return a gold prepared for comparisons with several predictions; arguments as in ``compare``."""
    return ComparedProblem(domain, gold, rule, budget or Budget(), gold_key)


def compare_with(
    theirs: ComparedProblem,
    predicted: Problem,
    *,
    placeholder: bool,
    open_objects: Collection[str] | None = None,
    plan: Steps | None = None,
) -> EquivalenceVerdict:
    """Return the result of ``compare`` for a prepared gold."""
    ours = ComparedProblem(theirs.domain, predicted, theirs.rule, theirs.budget, plan=plan)
    try:
        if (
            verdict := _identical(ours, theirs)
            or _counted(ours, theirs)
            or _judged(ours, theirs, placeholder)
        ):
            return verdict
        permuted = is_permuted(ours, theirs, open_objects)
        return _equivalent(Reason.PERMUTED) if permuted else _different(Reason.PERMUTATION)
    except Undecided as undecided:
        return EquivalenceVerdict(EquivalenceOutcome.UNDECIDED, str(undecided))


def _different(reason: Reason) -> EquivalenceVerdict:
    return EquivalenceVerdict(EquivalenceOutcome.DIFFERENT, reason)


def _equivalent(reason: Reason) -> EquivalenceVerdict:
    return EquivalenceVerdict(EquivalenceOutcome.EQUIVALENT, reason)


def _identical(ours: ComparedProblem, theirs: ComparedProblem) -> EquivalenceVerdict | None:
    """Return the verdict on problems that are identical, including names."""
    predicted, gold = ours.problem, theirs.problem
    same = predicted.goal == gold.goal and predicted.init == gold.init
    return _equivalent(Reason.SAME) if same and sorted(predicted.objects) == sorted(gold.objects) else None


def _counted(ours: ComparedProblem, theirs: ComparedProblem) -> EquivalenceVerdict | None:
    """Return the verdict if the numbers of objects by type, or of initial facts by predicate, differ."""
    types = [Counter([typed.types for typed in side.problem.objects]) for side in (ours, theirs)]
    if types[0] != types[1] and _by_meaning(ours.domain, types[0]) != _by_meaning(ours.domain, types[1]):
        return _different(Reason.OBJECTS)
    facts = [Counter([fact[0] for fact in side.problem.init]) for side in (ours, theirs)]
    return None if facts[0] == facts[1] else _different(Reason.INIT)


def _by_meaning(domain: Domain, types: Counter[tuple[str, ...]]) -> Counter[frozenset[str]]:
    counts: Counter[frozenset[str]] = Counter()
    for names, count in types.items():
        counts[meaning(domain, names)] += count
    return counts


def _judged(ours: ComparedProblem, theirs: ComparedProblem, placeholder: bool) -> EquivalenceVerdict | None:
    """Return the verdict on problems with equal numbers of objects and facts; None: try permutations."""
    if not (ours.settled and theirs.settled) and (early := _without_closures(ours, theirs, placeholder)):
        return early
    if ours.strict_key == theirs.strict_key:
        return _equivalent(Reason.SAME if ours.closure.solvable else Reason.BOTH_UNSOLVABLE)
    if ours.init_key != theirs.init_key:
        return _different(Reason.INIT)
    if theirs.settled and theirs.quick is None and not placeholder:
        return _different(Reason.GOAL)  # by a stored key, without a search for details
    if ours.closure.solvable != theirs.closure.solvable:
        return _different(Reason.UNSOLVABLE)
    if not placeholder or ours.goal_key != theirs.goal_key:
        return _different(Reason.GOAL)
    return None


def _without_closures(
    ours: ComparedProblem, theirs: ComparedProblem, placeholder: bool
) -> EquivalenceVerdict | None:
    """Return the verdict if it needs no closures, when one of them needs search."""
    if ours.init_key != theirs.init_key:
        return _different(Reason.INIT)
    comparable = ours.quick is theirs.quick is None  # otherwise a static literal may be violated
    if comparable and ours.spelled.form.certificate == theirs.spelled.form.certificate:
        return _equivalent(Reason.SAME)
    for closed, unclosed in ((ours, theirs), (theirs, ours)):
        if closed.quick is not None and closed.quick.solvable and unclosed.quick is None:
            comparable = _may_lie_within(unclosed, closed, placeholder)
            comparable = comparable and unclosed.may_close_to(closed.closure.positive)
            return None if comparable else _different(Reason.GOAL)
    return None


def _may_lie_within(unclosed: ComparedProblem, closed: ComparedProblem, placeholder: bool) -> bool:
    """Return whether a goal can hold in the goal states of a problem with a known closure.

    Equivalent problems have the same goal states. So the facts of either goal are in all of them, and
    its negative literals contain none of the facts that all of them have.
    """
    sides = [_preserved_facts(side, placeholder) for side in (unclosed, closed)]
    if not enough(unclosed.signed[0], closed.closure.positive):
        return False
    source = structure(unclosed.domain, unclosed.problem, sides[0])
    target = structure(closed.domain, closed.problem, sides[1])
    try:
        return embeds(source, target, closed.closure.positive, *unclosed.signed, _EMBEDDING_BUDGET)
    except Undecided:
        return True


def _preserved_facts(compared: ComparedProblem, placeholder: bool) -> Collection[Atom]:
    """Return the initial facts that a permutation preserves: all, or the lasting ones."""
    if not placeholder:
        return compared.problem.init
    lasting = lasting_predicates(compared.domain)
    return [fact for fact in compared.problem.init if fact[0] in lasting]
