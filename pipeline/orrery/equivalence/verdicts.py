"""Compare pairs of problems: equivalent, different or undecided, with the reason and the renaming.

Definitions: modules ``closure`` and ``placeholder``. Cheap checks come first. Most pairs
differ in numbers of objects and facts, or are equal by the strict key of the prediction and the stored
one of the gold. Checks that need the states of a problem (a closure without a rule, a permuted initial
state) come last, after checks without states: different initial states, goals with the same text, a goal
with facts that are not in the other's closure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, partial
from typing import TypeAlias

from orrery.equivalence.canonical import Renaming, renamed
from orrery.equivalence.closure import Budget, Rule, Steps
from orrery.equivalence.compared import ComparedProblem
from orrery.equivalence.embedding import embeds, enough, structure
from orrery.equivalence.graph import Undecided, meaning
from orrery.equivalence.keys import Keys
from orrery.equivalence.placeholder import find_exchange
from orrery.equivalence.reaching import lasting_predicates
from orrery.model import Atom, Domain, OrreryError, Problem, State

_EMBEDDING_BUDGET = 400
_Renamings: TypeAlias = tuple[Renaming, Renaming]
_Signed: TypeAlias = tuple[State, State]


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


@dataclass(frozen=True)
class EquivalenceVerdict:
    """The result for a pair, and its reason: a ``Reason``, or for an undecided pair the open part.

    The mappings are computed, and checked fact by fact, at first use, because a verdict by stored keys
    needs none. ``renamings`` returns them, of the initial states and of the closed goals; they differ only
    if objects were permuted.
    """

    outcome: EquivalenceOutcome
    reason: str
    renamings: Callable[[], _Renamings] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def mapping(self) -> Mapping[str, str] | None:
        """The gold's object for each object of the prediction, such that the initial states agree.

        In strict verdicts the closed goals agree too. None unless equivalent.
        """
        return self.renamings()[0] if self.renamings else None


def compare(
    domain: Domain,
    predicted: Problem,
    gold: Problem,
    *,
    placeholder: bool,
    open_objects: Collection[str] | None = None,
    rule: Rule | None = None,
    budget: Budget | None = None,
    gold_key: Keys | str | None = None,
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
        gold_key: the gold's keys, or its strict key, from ``keys.keys``, to save work.
        plan: a plan of the predicted problem, if known, to save the search for a goal state.
    """
    theirs = measure(domain, gold, rule, budget, gold_key)
    return compare_with(theirs, predicted, placeholder=placeholder, open_objects=open_objects, plan=plan)


def measure(
    domain: Domain,
    gold: Problem,
    rule: Rule | None = None,
    budget: Budget | None = None,
    gold_key: Keys | str | None = None,
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
        return _exchanged(ours, theirs, open_objects)
    except Undecided as undecided:
        return EquivalenceVerdict(EquivalenceOutcome.UNDECIDED, str(undecided))


def _different(reason: Reason) -> EquivalenceVerdict:
    return EquivalenceVerdict(EquivalenceOutcome.DIFFERENT, reason)


def _identical(ours: ComparedProblem, theirs: ComparedProblem) -> EquivalenceVerdict | None:
    """Return the verdict on problems that are identical, including names."""
    predicted, gold = ours.problem, theirs.problem
    if (
        predicted.goal != gold.goal
        or predicted.init != gold.init
        or sorted(predicted.objects) != sorted(gold.objects)
    ):
        return None
    same = {typed.name: typed.name for typed in predicted.objects}
    return EquivalenceVerdict(EquivalenceOutcome.EQUIVALENT, Reason.SAME, lambda: (same, same))


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
        reason = Reason.SAME if ours.closure.solvable else Reason.BOTH_UNSOLVABLE
        return EquivalenceVerdict(EquivalenceOutcome.EQUIVALENT, reason, partial(_strictly, ours, theirs))
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
        return EquivalenceVerdict(
            EquivalenceOutcome.EQUIVALENT, Reason.SAME, partial(_as_spelled, ours, theirs)
        )
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
    sides = [_kept(side, placeholder) for side in (unclosed, closed)]
    if not enough(unclosed.signed[0], closed.closure.positive):
        return False
    source = structure(unclosed.domain, unclosed.problem, sides[0])
    target = structure(closed.domain, closed.problem, sides[1])
    try:
        return embeds(source, target, closed.closure.positive, *unclosed.signed, _EMBEDDING_BUDGET)
    except Undecided:
        return True


def _kept(compared: ComparedProblem, placeholder: bool) -> Collection[Atom]:
    """Return the initial facts that a permutation preserves: all, or the lasting ones."""
    if not placeholder:
        return compared.problem.init
    lasting = lasting_predicates(compared.domain)
    return [fact for fact in compared.problem.init if fact[0] in lasting]


def _exchanged(
    ours: ComparedProblem, theirs: ComparedProblem, open_objects: Collection[str] | None
) -> EquivalenceVerdict:
    """Return the placeholder verdict if initial states, and closed goals separately, are isomorphic."""
    renamings = find_exchange(ours, theirs, open_objects)
    if renamings is None:
        return _different(Reason.PERMUTATION)
    return EquivalenceVerdict(
        EquivalenceOutcome.EQUIVALENT, Reason.PERMUTED, partial(_permuted, ours, theirs, renamings)
    )


def _strictly(ours: ComparedProblem, theirs: ComparedProblem) -> _Renamings:
    """Return the renaming of two problems with equal strict keys."""
    renaming = ours.strict.onto(theirs.strict)
    return _checked(ours, theirs, (renaming, renaming), [_closed(ours), _closed(theirs)])


def _as_spelled(ours: ComparedProblem, theirs: ComparedProblem) -> _Renamings:
    """Return the renaming of two problems whose goals are written the same."""
    renaming = ours.spelled.onto(theirs.spelled)
    return _checked(ours, theirs, (renaming, renaming), [ours.signed, theirs.signed])


def _permuted(ours: ComparedProblem, theirs: ComparedProblem, renamings: _Renamings) -> _Renamings:
    """Return the renamings of a permutation, for the initial states and for the goals."""
    return _checked(ours, theirs, renamings, [_closed(ours), _closed(theirs)])


def _closed(compared: ComparedProblem) -> _Signed:
    return compared.closure.positive, compared.closure.negative


def _checked(
    ours: ComparedProblem, theirs: ComparedProblem, renamings: _Renamings, goals: list[_Signed]
) -> _Renamings:
    """Return the renamings without constants, after checking that they map initial state and goal.

    Raises:
        OrreryError: they do not, for example because the stored key is that of another problem.
    """
    places, goal_places = renamings
    pairs = [(places, ours.problem.init, theirs.problem.init)]
    pairs += [(goal_places, mine, their_facts) for mine, their_facts in zip(*goals, strict=True)]
    if any(renamed(mine, renaming) != their_facts for renaming, mine, their_facts in pairs):
        raise OrreryError(theirs.problem.name, "its stored key is not its own", "compute the key anew")
    names = [typed.name for typed in ours.problem.objects]
    return {name: places[name] for name in names}, {name: goal_places[name] for name in names}
