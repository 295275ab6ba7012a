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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from types import MappingProxyType
from typing import TypeAlias

from orrery.model import TypedName
from orrery.pddl.adl import NOT, AdlAction, Formula
from orrery.pddl.conjuncts import (
    Key,
    conjuncts,
    effect_with_inner_negations,
    free_names,
    is_plain,
    key_of,
    with_inner_negations,
)

BUDGET = 20_000
EQUALITY_BUDGET = 200_000  # nodes of the search for equal actions; real pairs need about ten
MOST_PARAMETERS = 150  # maximum depth of the search, which is the number of parameters
_ASTRAY = "\2"
_NOTHING = "\3"

Tag: TypeAlias = tuple[bool, bool, str, int]
Plain: TypeAlias = tuple[Tag, tuple[str, ...]]
Conjunct: TypeAlias = tuple[bool, Formula]
Invariant: TypeAlias = tuple[
    tuple[str, ...], tuple[tuple[Tag, tuple[str, ...]], ...], tuple[tuple[bool, str], ...]
]


@dataclass(frozen=True)
class Prepared:
    """An action's parameters and conjuncts, ready for comparison; both in file order, without duplicates.

    ``plain`` literals are (tag, arguments); a tag is (is effect, is positive, predicate, arity).
    ``others`` are conjuncts of any other form, each with a flag for effects.
    """

    parameters: tuple[TypedName, ...]
    plain: Mapping[Plain, None]
    others: tuple[Conjunct, ...]

    @property
    def names(self) -> list[str]:
        """The parameters' names."""
        return [typed.name for typed in self.parameters]

    @cached_property
    def counts(self) -> Counter[object]:
        """The number of plain literals by tag, and of other conjuncts by their flag for effects."""
        return Counter([*(tag for tag, _ in self.plain), *(effect for effect, _ in self.others)])


def prepare(action: AdlAction) -> Prepared:
    """Return the action with its conjuncts classified."""
    plain: dict[Plain, None] = {}
    others: dict[tuple[bool, Key], Conjunct] = {}
    names = {typed.name for typed in action.parameters}
    for effect, formulas in ((False, action.preconditions), (True, action.effects)):
        move = effect_with_inner_negations if effect else with_inner_negations
        for formula in conjuncts(map(move, formulas)):
            if is_plain(formula):
                plain[_literal(effect, formula, names)] = None
            else:
                others.setdefault((effect, key_of(formula, {})), (effect, formula))
    return Prepared(action.parameters, plain, tuple(others.values()))


def _literal(effect: bool, formula: Formula, names: set[str]) -> Plain:
    positive = formula.head != NOT
    atom = formula if positive else formula.formulas[0]
    # An undeclared variable is not a parameter of the other action either.
    arguments = tuple(
        [f"{_ASTRAY}{a}" if a[:1] == "?" and a not in names else a for a in map(str, atom.parts)]
    )
    return (effect, positive, atom.head, len(arguments)), arguments


def formula_of(literal: Plain) -> Formula:
    """Return a plain literal as a formula."""
    (_, positive, head, _), arguments = literal
    atom = Formula(head, tuple(argument.removeprefix(_ASTRAY) for argument in arguments))
    return atom if positive else Formula(NOT, (atom,))


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
        budget: nodes of the search.
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
    return Alignment(equal, MappingProxyType(mapping), *counts, missing, redundant, search.complete)


def _conjunct(literal: Plain) -> Conjunct:
    return literal[0][0], formula_of(literal)


def _count(mine: Prepared, theirs: Prepared, missing: Iterable[Conjunct], *, effect: bool) -> MatchCount:
    gold = _size(theirs, effect)
    return MatchCount(_size(mine, effect), gold, gold - sum(side is effect for side, _ in missing))


def _size(action: Prepared, effect: bool) -> int:
    plain = sum(tag[0] is effect for tag, _ in action.plain)
    return plain + sum(side is effect for side, _ in action.others)


def equal_actions(predicted: AdlAction, gold: AdlAction, budget: int = EQUALITY_BUDGET) -> bool | None:
    """Return whether the two actions are equal, apart from their names.

    Return None if ``budget`` nodes did not decide it, or there are too many parameters to search.
    """
    return _equal(prepare(predicted), prepare(gold), budget)


def _equal(predicted: Prepared, gold: Prepared, budget: int = EQUALITY_BUDGET) -> bool | None:
    """Return the result of ``equal_actions``. The search prunes a branch at the first mismatch.

    A parameter is mapped to those with the same invariant, the most constrained parameter first.
    """
    mine, theirs = _invariants(predicted), _invariants(gold)
    sizes = Counter(mine.values())
    if predicted.counts != gold.counts or sizes != Counter(theirs.values()):
        return False
    order = sorted(gold.parameters, key=lambda parameter: sizes[theirs[parameter.name]])
    search = _AlignmentSearch(predicted, replace(gold, parameters=tuple(order)), mine, theirs, budget)
    total = gold.counts.total()
    search.best = (total - 1, inf)
    search.run()
    return search.best[0] == total or (None if not search.complete else False)


def _invariants(action: Prepared) -> dict[str, Invariant]:
    """Return an invariant of each parameter under bijections: its type and its occurrences.

    An occurrence in a plain literal is the tag with its arguments: the parameter itself and other parameters
    are replaced by two marks, and constants keep their names.
    """
    names = {typed.name for typed in action.parameters}
    uses: dict[str, list[tuple[Tag, tuple[str, ...]]]] = {name: [] for name in names}
    for tag, arguments in action.plain:
        for name in names.intersection(arguments):
            marks = tuple(["!" if a == name else "?" if a in names else a for a in arguments])
            uses[name].append((tag, marks))
    heads: dict[str, set[tuple[bool, str]]] = {name: set() for name in names}
    for effect, formula in action.others:
        for name in names & free_names(formula):
            heads[name].add((effect, formula.head))
    return {
        typed.name: (typed.types, tuple(sorted(uses[typed.name])), tuple(sorted(heads[typed.name])))
        for typed in action.parameters
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
        marks = {name: f"\1{name}" for name in predicted.names}
        self.keys = {
            (effect, key_of(formula, marks)): (effect, formula) for effect, formula in predicted.others
        }
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
        self.plain: list[list[Plain]] = [[] for _ in range(len(rank) + 1)]
        self.others: list[list[Conjunct]] = [[] for _ in range(len(rank) + 1)]
        for literal in self.gold.plain:
            self.plain[max((rank.get(name, 0) for name in literal[1]), default=0)].append(literal)
        for conjunct in self.gold.others:
            self.others[max((rank.get(n, 0) for n in free_names(conjunct[1])), default=0)].append(conjunct)
        self.types = {typed.name: typed.types for typed in self.predicted.parameters}
        self.potential = self._potential()
        self._descend(0, self._matched(0), 0)

    def unmatched(self) -> tuple[tuple[Conjunct, ...], tuple[Conjunct, ...]]:
        """Return gold and predicted conjuncts without a counterpart, in file order, plain ones first."""
        self.image = {name: self.mapping.get(name, _NOTHING) for name in self.gold.names}
        images = [self._image(literal) for literal in self.gold.plain]
        keys = [self._key(conjunct) for conjunct in self.gold.others]
        predicted = self.predicted.plain
        literals = zip(images, self.gold.plain, strict=True)
        missing = [_conjunct(literal) for image, literal in literals if image not in predicted]
        keyed = zip(keys, self.gold.others, strict=True)
        missing += [conjunct for key, conjunct in keyed if key not in self.keys]
        matched = frozenset(images)
        redundant = [_conjunct(literal) for literal in predicted if literal not in matched]
        redundant += [conjunct for key, conjunct in self.keys.items() if key not in keys]
        return tuple(missing), tuple(redundant)

    def _image(self, literal: Plain) -> Plain:
        image = self.image
        return literal[0], tuple([image.get(a, a) for a in literal[1]])

    def _key(self, conjunct: Conjunct) -> tuple[bool, Key]:
        effect, formula = conjunct
        return effect, key_of(formula, {name: f"\1{to}" for name, to in self.image.items()})

    def _matched(self, depth: int) -> int:
        """Return the gold conjuncts matched among those whose last parameter is the one at ``depth``."""
        offered, keys = self.predicted.plain, self.keys
        plain = sum([self._image(literal) in offered for literal in self.plain[depth]])
        return plain + sum([self._key(conjunct) in keys for conjunct in self.others[depth]])

    def _potential(self) -> list[int]:
        """Return, for every depth, the maximum number of matches among conjuncts decided deeper."""
        offered = self.predicted.counts
        wanted: Counter[object] = Counter()
        bounds = [0]
        for depth in range(len(self.groups), 0, -1):
            wanted.update(tag for tag, _ in self.plain[depth])
            wanted.update(effect for effect, _ in self.others[depth])
            bounds.append(sum(min(count, offered[group]) for group, count in wanted.items()))
        return bounds[::-1]

    def _descend(self, depth: int, literals: int, same_types: int) -> None:
        bound = (literals + self.potential[depth], same_types + len(self.groups) - depth)
        if bound <= self.best:
            return
        if depth == len(self.groups):
            self.best = (literals, same_types)
            self.mapping = {name: to for name, to in self.image.items() if to != _NOTHING}
            return
        if not self.budget:
            self.complete = False
            return
        self.budget -= 1
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
        parameter = self.gold.parameters[depth]
        self.image[parameter.name] = option
        same_types += option != _NOTHING and self.types[option] == parameter.types
        self._descend(depth + 1, literals + self._matched(depth + 1), same_types)
        del self.image[parameter.name]
