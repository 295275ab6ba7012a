"""Placeholder equivalence: whether the objects of the gold's goal may change places so that it fits.

Let A be the prediction, B the gold, R the states that B's initial state reaches, and *admissible* a
permutation of B's objects that keeps types, constants and static facts and maps R onto R. A is accepted
iff (init B, s(goal B)) is strictly equivalent to A for some admissible s.

*In terms of initial states.* Apply the inverse of s: A is accepted iff init A and init B are isomorphic
and some isomorphism t from A to B maps A's closed goal and static facts to B's, and init A into R. (The
inverse of s is then t after an isomorphism of the initial states, so it keeps static facts; it maps init
B into R, so R into R, and being of finite order R onto R.) So any t between the goals is a candidate, and
``reaching`` decides whether it is admissible.

*All candidates.* They are k after t0, for one t0 and the symmetries k of B's closed goal. Two candidates
whose images of init A reach each other are both admissible or neither. So the search goes from t0 along
generators of the symmetries and takes one candidate of each such class. To make classes few, facts of
the initial state that can never change join the static facts: admissible permutations keep them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from orrery.equivalence.closure import close_quickly
from orrery.equivalence.compared import ComparedProblem
from orrery.equivalence.effect_counts import free_predicates, lasting_predicates
from orrery.equivalence.keys import AVOID, GOAL, STATIC
from orrery.equivalence.matching import CanonicalGraph, Renaming, renamed, shape
from orrery.equivalence.reaching import Reaching
from orrery.equivalence.undecided import Undecided
from orrery.model import State, literals

_MOST_CLASSES = 60


class Exchange:
    """Two solvable problems with isomorphic initial states and isomorphic closed goals."""

    def __init__(self, ours: ComparedProblem, theirs: ComparedProblem) -> None:
        """Compare ``ours``, the prediction, with ``theirs``, the gold."""
        self.ours, self.theirs = ours, theirs
        self.domain, self.predicted, self.gold = ours.domain, ours.problem, theirs.problem

    @cached_property
    def places(self) -> Renaming:
        """By object of the prediction one of the gold, so that the initial states agree."""
        return self.ours.init.onto(self.theirs.init)

    def find(self) -> Renaming | Undecided | None:
        """Return an admissible map from the prediction's objects to the gold's, None where there is none.

        What lasts for its predicate alone is tried before the problem is grounded to see what lasts in it.
        """
        candidate = self.ours.goal.onto(self.theirs.goal)
        if self._reached_by_rule(renamed(self.predicted.init, candidate)):
            return candidate
        shapes = self._shapes(_of(self.gold.init, lasting_predicates(self.domain)))
        if shapes is None or isinstance(shapes, Undecided):
            return shapes
        candidate = shapes[0].onto(shapes[1])
        if self._reached_by_rule(renamed(self.predicted.init, candidate)):
            return candidate
        reaching = Reaching(self.domain, self.gold, self.theirs.budget)
        shapes = self._shapes(reaching.kept)
        if shapes is None or isinstance(shapes, Undecided):
            return shapes
        return _Orbit(self, reaching, shapes[1].symmetries()).search(shapes[0].onto(shapes[1]))

    def _reached_by_rule(self, state: State) -> bool:
        """Return whether the rule proves that the gold's initial state reaches the rearranged ``state``."""
        free = free_predicates(self.domain)
        rule = self.theirs.rule
        if rule is None or free is None or _of(state, free) != _of(self.gold.init, free):
            return False
        moving = literals(fact for fact in state if fact[0] in self.domain.fluents)
        found = close_quickly(self.domain, replace(self.gold, goal=moving), rule)
        return found is not None and found.solvable is True

    def _shapes(self, kept: State) -> tuple[CanonicalGraph, CanonicalGraph] | Undecided | None:
        """Return the graphs of both closed goals over facts that stay; None where they are not isomorphic."""
        back = {theirs: ours for ours, theirs in self.places.items()}
        found = []
        for each, facts in ((self.ours, renamed(kept, back)), (self.theirs, kept)):
            layers = {STATIC: facts, GOAL: each.closure.positive, AVOID: each.closure.negative}
            made = shape(self.domain, each.problem, layers)
            if isinstance(made, Undecided):
                return made
            found.append(made)
        ours, theirs = found
        return (ours, theirs) if ours.form.certificate == theirs.form.certificate else None


def _of(facts: State, predicates: frozenset[str]) -> State:
    return frozenset([fact for fact in facts if fact[0] in predicates])


class _Orbit:
    """The search over candidates, one of each class."""

    def __init__(self, pair: Exchange, reaching: Reaching, moves: list[Renaming]) -> None:
        self.pair, self.reaching, self.moves = pair, reaching, moves
        self.seen: set[State] = set()
        self.classes: list[Renaming] = []
        self.open: Undecided | None = None

    def search(self, first: Renaming) -> Renaming | Undecided | None:
        """Return the first admissible candidate; None where there is none."""
        todo = [first]
        for candidate in todo:  # grows while it is read
            state = renamed(self.pair.predicted.init, candidate)
            if state in self.seen or self._known(state):
                continue
            self.seen.add(state)
            answer = self.reaching.reaches(state)
            if answer is True:
                return candidate
            if isinstance(answer, Undecided):
                self.open = answer
            if len(self.classes) == _MOST_CLASSES:
                return Undecided(f"more than {_MOST_CLASSES} ways to exchange objects")
            self.classes.append(candidate)
            todo += [{ours: move.get(it, it) for ours, it in candidate.items()} for move in self.moves]
        return self.open

    def _known(self, state: State) -> bool:
        """Return whether ``state`` and one of a class that was tried reach each other."""
        for candidate in self.classes:
            home = {it: self.pair.places[ours] for ours, it in candidate.items()}
            if self.reaching.reaches(renamed(state, home)) is True:
                return True
        return False
