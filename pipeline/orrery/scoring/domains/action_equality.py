"""Equality of actions: exact, by search for a bijection of their parameters.

Proc2PDDL's appendix E compares actions greedily, in file order; its verdicts depend on that order and,
as released, on Python's hash seed. Here actions are equal iff some bijection of parameters that
preserves types maps preconditions onto preconditions and effects onto effects, as sets. Negations are moved
inwards before (``negations``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from orrery.model import TypedName
from orrery.pddl.adl import NOT, AdlAction, Formula
from orrery.pddl.conjuncts import Key, conjuncts, free_names, is_plain, key_of
from orrery.pddl.negations import effect_with_inner_negations, with_inner_negations

BUDGET = 200_000  # assignments tried for one pair; real pairs need some ten
_ASTRAY = "\2"
MOST_PARAMETERS = 150  # the search is as deep as there are parameters

Tag: TypeAlias = tuple[bool, bool, str, int]
Plain: TypeAlias = tuple[Tag, tuple[str, ...]]
Mapped: TypeAlias = dict[str, str]


@dataclass(frozen=True, slots=True)
class Prepared:
    """An action's parameters and conjuncts, ready to be compared; both in file order, each once.

    ``plain`` literals are (tag, arguments), a tag being (is effect, is positive, predicate, arity).
    ``others`` are the conjuncts of any other form, each with whether it is an effect.
    """

    parameters: tuple[TypedName, ...]
    plain: Mapping[Plain, None]
    others: tuple[tuple[bool, Formula], ...]

    @property
    def names(self) -> list[str]:
        """The parameters' names."""
        return [typed.name for typed in self.parameters]


def prepare(action: AdlAction) -> Prepared:
    """Return the action with its conjuncts sorted out."""
    plain: dict[Plain, None] = {}
    constraints: list[tuple[bool, Formula]] = []
    names = {typed.name for typed in action.parameters}
    for effect, formulas in ((False, action.preconditions), (True, action.effects)):
        move = effect_with_inner_negations if effect else with_inner_negations
        for formula in conjuncts(map(move, formulas)):
            if is_plain(formula):
                plain[_literal(effect, formula, names)] = None
            else:
                constraints.append((effect, formula))
    return Prepared(action.parameters, plain, _each_once(constraints) if constraints else ())


def _literal(effect: bool, formula: Formula, names: set[str]) -> Plain:
    positive = formula.head != NOT
    atom = formula if positive else formula.formulas[0]
    # A variable that the action does not declare is no parameter of the other action either.
    arguments = tuple(
        [f"{_ASTRAY}{a}" if a[:1] == "?" and a not in names else a for a in map(str, atom.parts)]
    )
    return (effect, positive, atom.head, len(arguments)), arguments


def _each_once(formulas: list[tuple[bool, Formula]]) -> tuple[tuple[bool, Formula], ...]:
    conjuncts: dict[tuple[bool, Key], tuple[bool, Formula]] = {}
    for effect, formula in formulas:
        conjuncts.setdefault((effect, key_of(formula, {})), (effect, formula))
    return tuple(conjuncts.values())


def formula_of(literal: Plain) -> Formula:
    """Return a plain literal as a formula again."""
    (_, positive, head, _), arguments = literal
    atom = Formula(head, tuple(argument.removeprefix(_ASTRAY) for argument in arguments))
    return atom if positive else Formula(NOT, (atom,))


def equal_actions(predicted: AdlAction, gold: AdlAction, budget: int = BUDGET) -> bool | None:
    """Return whether the two are equal, names of actions apart.

    Return None where ``budget`` assignments did not settle it, or there are too many parameters to search.
    """
    return _BijectionSearch(prepare(predicted), prepare(gold), budget).run()


def equal_prepared(predicted: Prepared, gold: Prepared, budget: int = BUDGET) -> bool | None:
    """Return the result of ``equal_actions`` for actions prepared before."""
    return _BijectionSearch(predicted, gold, budget).run()


def other_keys(action: Prepared, names: Mapped) -> set[tuple[bool, Key]]:
    """Return keys of the conjuncts that are not plain literals, with ``names`` replacing parameters."""
    return {(effect, key_of(formula, names)) for effect, formula in action.others}


class _BijectionSearch:
    """Assigns the parameters of ``left`` to those of ``right``, the most constrained first."""

    def __init__(self, left: Prepared, right: Prepared, budget: int) -> None:
        self.left, self.right, self.left_over = left, right, budget
        self.image: Mapped = {}
        self.taken: set[str] = set()

    def run(self) -> bool | None:
        """Return whether there is a bijection."""
        left, right = self.left, self.right
        if len(left.parameters) != len(right.parameters) or len(left.plain) != len(right.plain):
            return False
        if sorted(tag for tag, _ in left.plain) != sorted(tag for tag, _ in right.plain):
            return False
        if not self._candidates():
            return False
        if len(left.parameters) > MOST_PARAMETERS:
            return None
        try:
            return self._assign(0)
        except _AssignmentsSpent:
            return None

    def _candidates(self) -> bool:
        """Return, for every parameter, those with the same invariant; False where invariants do not match."""
        mine, theirs = _invariants(self.left), _invariants(self.right)
        if sorted(mine.values()) != sorted(theirs.values()):
            return False
        like: dict[Invariant, list[str]] = {}
        for name, invariant in theirs.items():
            like.setdefault(invariant, []).append(name)
        self.order = sorted(mine, key=lambda name: len(like[mine[name]]))
        self.options = [like[mine[name]] for name in self.order]
        self.checks = self._checks()
        return self._holds(self.checks[0])

    def _checks(self) -> list[list[Plain]]:
        """Return the literals whose last parameter is the n-th to be assigned; first those without any."""
        rank = {name: number for number, name in enumerate(self.order, 1)}
        checks: list[list[Plain]] = [[] for _ in range(len(self.order) + 1)]
        for literal in self.left.plain:
            checks[max((rank.get(name, 0) for name in literal[1]), default=0)].append(literal)
        return checks

    def _holds(self, literals: list[Plain]) -> bool:
        """Return whether the image of every literal is a literal of the other action."""
        image, wanted = self.image, self.right.plain
        return all(
            (tag, tuple([image.get(a, a) for a in arguments])) in wanted for tag, arguments in literals
        )

    def _assign(self, depth: int) -> bool:
        if depth == len(self.order):
            return self._others_match()
        name = self.order[depth]
        for option in self.options[depth]:
            if option in self.taken:
                continue
            if not self.left_over:
                raise _AssignmentsSpent
            self.left_over -= 1
            self.image[name] = option
            if self._holds(self.checks[depth + 1]):
                self.taken.add(option)
                if self._assign(depth + 1):
                    return True
                self.taken.discard(option)
            del self.image[name]
        return False

    def _others_match(self) -> bool:
        if not self.left.others and not self.right.others:
            return True
        marks = {name: f"\1{name}" for name in self.right.names}
        images = {name: marks[option] for name, option in self.image.items()}
        return other_keys(self.left, images) == other_keys(self.right, marks)


class _AssignmentsSpent(Exception):
    """As many assignments were tried as may be."""


Invariant: TypeAlias = tuple[
    tuple[str, ...], tuple[tuple[Tag, tuple[str, ...]], ...], tuple[tuple[bool, str], ...]
]


def _invariants(action: Prepared) -> dict[str, Invariant]:
    """Return an invariant of each parameter under bijections: its type and its occurrences.

    In a plain literal that is the tag with the arguments, the parameter itself and the other parameters
    each marked as such, and constants by name.
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
