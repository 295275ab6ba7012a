"""The best bijection of two actions' parameters, the elements that match under it, and whether all match.

The best bijection matches most literals; among those, it maps most parameters to parameters of the same type;
among those, it is the first in the order of the gold action. The search is branch and bound. A budget ends
the search with the best bijection so far, and the result says so.

Proc2PDDL's appendix E compares actions greedily, in file order; its verdicts depend on that order and,
as released, on Python's hash seed. Here actions are equal iff some type-preserving bijection of parameters
maps preconditions onto preconditions and effects onto effects, as sets. Negations are moved inwards
beforehand (``negations``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import TypeAlias

from orrery.model import TypedName
from orrery.pddl.adl import AdlAction, Formula
from orrery.pddl.conjuncts import (
    Key,
    conjuncts,
    effect_with_inner_negations,
    free_names,
    is_plain,
    key_of,
    with_inner_negations,
)

BUDGET = 5_000
EQUALITY_BUDGET = 5_000_000  # of the search for equal actions; real pairs need about ten
MOST_PARAMETERS = 150  # maximum depth of the search, which is the number of parameters
_ANY = "?"  # stands for a parameter, whichever it is
_THIS = "!"
_NOTHING = "\3"

Conjunct: TypeAlias = tuple[bool, Formula]
ConjunctKey: TypeAlias = tuple[bool, Key]
Invariant: TypeAlias = tuple[tuple[str, ...], tuple[ConjunctKey, ...]]


@dataclass(frozen=True)
class Prepared:
    """An action's parameters and conjuncts, ready for comparison; both in file order, without duplicates.

    Each conjunct has a flag for effects. Literals come before conjuncts of any other form.
    """

    parameters: tuple[TypedName, ...]
    conjuncts: tuple[Conjunct, ...]

    @property
    def names(self) -> list[str]:
        """The parameters' names."""
        return [typed.name for typed in self.parameters]

    def keys(self, marks: Mapping[str, str]) -> list[ConjunctKey]:
        """Return the keys of the conjuncts, with marks in place of names."""
        return [(effect, key_of(formula, marks)) for effect, formula in self.conjuncts]

    @cached_property
    def shapes(self) -> list[ConjunctKey]:
        """The keys of the conjuncts in which all parameters look alike."""
        return self.keys(dict.fromkeys(self.names, _ANY))


def prepare(action: AdlAction) -> Prepared:
    """Return the action with its conjuncts listed."""
    by_key: dict[ConjunctKey, Conjunct] = {}
    for effect, formulas in ((False, action.preconditions), (True, action.effects)):
        move = effect_with_inner_negations if effect else with_inner_negations
        for formula in conjuncts(map(move, formulas)):
            by_key.setdefault((effect, key_of(formula, {})), (effect, formula))
    return Prepared(action.parameters, tuple(sorted(by_key.values(), key=lambda part: not is_plain(part[1]))))


@dataclass(frozen=True, slots=True)
class MatchCount:
    """The numbers of elements in the prediction, in the gold, and of matching elements."""

    predicted: int
    gold: int
    matched: int

    @property
    def same(self) -> bool:
        """Whether all elements match."""
        return self.predicted == self.gold == self.matched

    @property
    def distance(self) -> int:
        """The number of unmatched elements in gold and prediction together (Proc2PDDL, appendix E)."""
        return self.predicted + self.gold - 2 * self.matched

    @property
    def f1(self) -> float:
        """Twice the matches divided by all elements; 1 if both are empty."""
        total = self.predicted + self.gold
        return 2 * self.matched / total if total else 1.0


@dataclass(frozen=True)
class Alignment:
    """Two actions under one bijection of their parameters.

    ``mapping`` maps gold parameters to predicted ones; parameters without a counterpart are omitted.
    ``missing`` are gold conjuncts without a counterpart and ``redundant`` predicted ones, as (is effect,
    formula), each with its own names. ``equal`` is None if undecided. If ``complete`` is False, a better
    bijection may exist.
    """

    equal: bool | None
    mapping: Mapping[str, str]
    parameters: MatchCount
    preconditions: MatchCount
    effects: MatchCount
    missing: tuple[Conjunct, ...]
    redundant: tuple[Conjunct, ...]
    complete: bool


def align(predicted: AdlAction, gold: AdlAction, *, typed: bool, budget: int = BUDGET) -> Alignment:
    """Return the actions under their best bijection.

    Args:
        predicted: the predicted action.
        gold: the gold action.
        typed: map parameters only to parameters of the same type (Proc2PDDL). Otherwise a parameter of the
            wrong type counts as one error, and its literals may still match (Text2World's components).
        budget: assignments of one parameter that are tried.
    """
    mine, theirs = prepare(predicted), prepare(gold)
    offered, groups = (
        {p.name: p.types if typed else () for p in action.parameters} for action in (mine, theirs)
    )
    search = _AlignmentSearch(mine, theirs, offered, groups, budget)
    search.run()
    missing, redundant = search.unmatched()
    types, mapping = {typed.name: typed.types for typed in mine.parameters}, search.mapping
    same_types = sum(
        types[mapping[typed.name]] == typed.types for typed in theirs.parameters if typed.name in mapping
    )
    counts = (
        MatchCount(len(mine.parameters), len(theirs.parameters), same_types),
        _count(mine, theirs, missing, effect=False),
        _count(mine, theirs, missing, effect=True),
    )
    # A bijection that makes all equal is the best one, with and without types.
    equal = all(count.same for count in counts) if search.complete else _equal(mine, theirs)
    return Alignment(equal, mapping, *counts, missing, redundant, search.complete)


def _count(mine: Prepared, theirs: Prepared, missing: Iterable[Conjunct], *, effect: bool) -> MatchCount:
    predicted, gold, unmatched = (
        sum(side is effect for side, _ in listed) for listed in (mine.conjuncts, theirs.conjuncts, missing)
    )
    return MatchCount(predicted, gold, gold - unmatched)


def equal_actions(predicted: AdlAction, gold: AdlAction, budget: int = EQUALITY_BUDGET) -> bool | None:
    """Return whether the two actions are equal, apart from their names.

    Return None if ``budget`` assignments did not decide it, or there are too many parameters to search.
    """
    return _equal(prepare(predicted), prepare(gold), budget)


def _equal(predicted: Prepared, gold: Prepared, budget: int = EQUALITY_BUDGET) -> bool | None:
    """Return the result of ``equal_actions``. The search prunes a branch at the first mismatch.

    A parameter is mapped to those with the same invariant, the most constrained parameter first.
    """
    mine, theirs = _invariants(predicted), _invariants(gold)
    sizes = Counter(mine.values())
    if Counter(predicted.shapes) != Counter(gold.shapes) or sizes != Counter(theirs.values()):
        return False
    order = sorted(gold.parameters, key=lambda parameter: sizes[theirs[parameter.name]])
    search = _AlignmentSearch(predicted, replace(gold, parameters=tuple(order)), mine, theirs, budget)
    total = len(gold.conjuncts)
    search.best = (total - 1, inf)
    search.run()
    return search.best[0] == total or (None if not search.complete else False)


def _invariants(action: Prepared) -> dict[str, Invariant]:
    """Return an invariant of each parameter under bijections: its type and its occurrences.

    An occurrence is the key of a conjunct with one mark for the parameter itself and another for the others.
    """
    alike = dict.fromkeys(action.names, _ANY)
    uses: dict[str, list[ConjunctKey]] = {name: [] for name in alike}
    for effect, formula in action.conjuncts:
        for name in free_names(formula) & alike.keys():
            uses[name].append((effect, key_of(formula, {**alike, name: _THIS})))
    return {
        typed.name: (typed.types, tuple(sorted(uses[typed.name], key=repr))) for typed in action.parameters
    }


class _AlignmentSearch:
    """Assign gold parameters to predicted ones of the same group, in the order of the gold action."""

    def __init__(
        self,
        predicted: Prepared,
        gold: Prepared,
        offered: Mapping[str, object],
        groups: Mapping[str, object],
        budget: int,
    ) -> None:
        self.predicted, self.gold, self.budget = predicted, gold, budget
        self.groups = [groups[name] for name in gold.names]
        self.options = [[name for name, g in offered.items() if g == group] for group in self.groups]
        self.spare = Counter(self.groups)
        self.spare.subtract(Counter(offered.values()))
        keys = predicted.keys({name: _mark(name) for name in predicted.names})
        self.offered = dict(zip(keys, predicted.conjuncts, strict=True))
        self.image: dict[str, str] = {}
        self.taken: set[str] = set()
        self.best: tuple[int, float] = (-1, -1)
        self.mapping: dict[str, str] = {}
        self.complete = True

    def run(self) -> None:
        """Run the search; the result is in ``mapping`` and ``complete``."""
        if len(self.groups) > MOST_PARAMETERS:
            self.complete = False
            return
        rank = {name: number for number, name in enumerate(self.gold.names, 1)}
        # The conjuncts of gold whose last parameter is the one at a depth, and their shapes.
        self.decided: list[list[Conjunct]] = [[] for _ in range(len(rank) + 1)]
        shapes: list[list[ConjunctKey]] = [[] for _ in self.decided]
        for conjunct, shape in zip(self.gold.conjuncts, self.gold.shapes, strict=True):
            depth = max((rank.get(name, 0) for name in free_names(conjunct[1])), default=0)
            self.decided[depth].append(conjunct)
            shapes[depth].append(shape)
        self.types = {typed.name: typed.types for typed in self.predicted.parameters}
        self.potential = self._potential(shapes)
        self._descend(0, self._matched(0), 0)

    def unmatched(self) -> tuple[tuple[Conjunct, ...], tuple[Conjunct, ...]]:
        """Return gold and predicted conjuncts without a counterpart, in file order, literals first."""
        marks = {name: _mark(self.mapping[name]) for name in self.mapping}
        keys = self.gold.keys({**dict.fromkeys(self.gold.names, _NOTHING), **marks})
        keyed = zip(keys, self.gold.conjuncts, strict=True)
        missing = tuple(conjunct for key, conjunct in keyed if key not in self.offered)
        matched = frozenset(keys)
        return missing, tuple(conjunct for key, conjunct in self.offered.items() if key not in matched)

    def _matched(self, depth: int) -> int:
        """Return the gold conjuncts matched among those whose last parameter is the one at ``depth``."""
        offered, image = self.offered, self.image
        return sum([(effect, key_of(formula, image)) in offered for effect, formula in self.decided[depth]])

    def _potential(self, shapes: Sequence[Sequence[ConjunctKey]]) -> list[int]:
        """Return, for every depth, the maximum number of matches among conjuncts decided deeper."""
        offered = Counter(self.predicted.shapes)
        wanted: Counter[ConjunctKey] = Counter()
        bounds = [0]
        for of_depth in shapes[:0:-1]:
            wanted.update(of_depth)
            bounds.append((wanted & offered).total())
        return bounds[::-1]

    def _descend(self, depth: int, literals: int, same_types: int) -> None:
        bound = (literals + self.potential[depth], same_types + len(self.groups) - depth)
        if bound <= self.best:
            return
        if depth == len(self.groups):
            self.best = (literals, same_types)
            self.mapping = {name: mark[1:] for name, mark in self.image.items() if mark != _NOTHING}
            return
        for option in self.options[depth]:
            if option not in self.taken:
                self.taken.add(option)
                self._try(depth, option, literals, same_types)
                self.taken.discard(option)
        if self.spare[self.groups[depth]] > 0:
            self.spare[self.groups[depth]] -= 1
            self._try(depth, _NOTHING, literals, same_types)
            self.spare[self.groups[depth]] += 1

    def _try(self, depth: int, option: str, literals: int, same_types: int) -> None:
        if not self.budget:
            self.complete = False
            return
        self.budget -= 1
        parameter = self.gold.parameters[depth]
        self.image[parameter.name] = option if option == _NOTHING else _mark(option)
        same_types += option != _NOTHING and self.types[option] == parameter.types
        self._descend(depth + 1, literals + self._matched(depth + 1), same_types)
        del self.image[parameter.name]


def _mark(name: str) -> str:
    """Return the mark of a predicted parameter, which no name in a formula equals."""
    return f"\1{name}"
