"""Placeholder equivalence: whether the gold's open objects may change places so that its goal fits.

Let A be the prediction, B the gold, R the states that B's initial state reaches, and *admissible* a
permutation of B's objects that moves open objects only, keeps types, constants and static facts and maps R
onto R. A is accepted iff (init B, s(goal B)) is strictly equivalent to A for some admissible s.

*In terms of initial states.* Apply the inverse of s: A is accepted iff there are isomorphisms u of the
initial states and t of the closed goals and static facts, both from A to B, such that u and t map the same
object to each fixed one and t maps init A into R. (The inverse of s is then t after the inverse of u, so it
keeps static facts and fixed objects; it maps init B into R, so R into R, and being of finite order R onto
R.) ``anchors`` finds what may stand for the fixed objects; with these told apart in the graphs, any t
between the goals is a candidate, and ``reaching`` decides whether it is admissible.

*All candidates.* They are k after t0, for one t0 and the symmetries k of B's closed goal that keep each
fixed object. Two candidates whose images of init A reach each other are both admissible or neither. So the
search goes from t0 along generators of the symmetries and takes one candidate of each such class. To make
classes few, facts of the initial state that can never change join the static facts: admissible
permutations keep them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from orrery.equivalence.anchors import Anchors
from orrery.equivalence.canonical import CanonicalGraph, Renaming, canonical_graph, renamed
from orrery.equivalence.closure import Rule, close_quickly
from orrery.equivalence.compared import ComparedProblem
from orrery.equivalence.effect_counts import free_predicates, lasting_predicates
from orrery.equivalence.keys import AVOID, GOAL, INIT, STATIC
from orrery.equivalence.reaching import UNREACHED, Reaching
from orrery.equivalence.undecided import Undecided
from orrery.model import Domain, Problem, State, literals

_MOST_CLASSES = 60


def find_exchange(
    ours: ComparedProblem, theirs: ComparedProblem, open_objects: Collection[str] | None
) -> tuple[Renaming, Renaming] | None:
    """Return maps from the prediction's objects to the gold's, of the initial states and of the goals.

    The second is admissible; None if there is none. Both problems are solvable, with isomorphic initial
    states and isomorphic closed goals. ``open_objects`` of the gold may change places; None: all of them.

    Raises:
        Undecided: a budget ended for some choice of objects, and no other choice gave a map.
    """
    names = [typed.name for typed in theirs.problem.objects]
    fixed = [] if open_objects is None else sorted(set(names).difference(open_objects))
    undecided: Undecided | None = None
    for chosen in Anchors(ours, theirs, fixed).choices() if fixed else [[]]:
        try:
            exchange = _PermutationSearch.at(ours, theirs, chosen, fixed)
            goal_places = exchange.find() if exchange else None
        except Undecided as error:
            undecided = error
            continue
        if exchange and goal_places is not None:
            return exchange.places, goal_places
    if undecided:
        raise undecided
    return None


class _PermutationSearch:
    """Two problems with isomorphic initial states, ``chosen`` objects of one told apart as ``fixed`` ones."""

    def __init__(
        self,
        ours: ComparedProblem,
        theirs: ComparedProblem,
        chosen: Sequence[str],
        fixed: Sequence[str],
        places: Renaming,
    ) -> None:
        """Compare ``ours``, the prediction, with ``theirs``, the gold; ``places`` maps initial states."""
        self.ours, self.theirs, self.places = ours, theirs, places
        self.chosen, self.fixed = chosen, fixed
        self.domain, self.predicted, self.gold = ours.domain, ours.problem, theirs.problem

    @classmethod
    def at(
        cls, ours: ComparedProblem, theirs: ComparedProblem, chosen: Sequence[str], fixed: Sequence[str]
    ) -> _PermutationSearch | None:
        """Return the pair with those objects told apart; None if the initial states then differ."""
        if not fixed:
            return cls(ours, theirs, chosen, fixed, ours.init.onto(theirs.init))
        predicted, gold = (
            canonical_graph(side.domain, side.problem, {INIT: side.problem.init}, apart=apart)
            for side, apart in ((ours, chosen), (theirs, fixed))
        )
        if predicted.form.certificate != gold.form.certificate:
            return None
        return cls(ours, theirs, chosen, fixed, predicted.onto(gold))

    def find(self) -> Renaming | None:
        """Return an admissible map from the prediction's objects to the gold's, None if there is none.

        Facts that last for their predicate alone are tried before the problem is grounded to see which last.
        """
        if not self.fixed:
            candidate = self.ours.goal.onto(self.theirs.goal)
            if self._reached_by_rule(renamed(self.predicted.init, candidate)):
                return candidate
        graphs = self._goal_graphs(_of(self.gold.init, lasting_predicates(self.domain)))
        if graphs is None:
            return None
        candidate = graphs[0].onto(graphs[1])
        if self._reached_by_rule(renamed(self.predicted.init, candidate)):
            return candidate
        reaching = Reaching(self.domain, self.gold, self.theirs.budget)
        graphs = self._goal_graphs(reaching.kept)
        if graphs is None:
            return None
        return _CandidateSearch(self, reaching, graphs[1].symmetries()).search(graphs[0].onto(graphs[1]))

    def _reached_by_rule(self, state: State) -> bool:
        """Return whether the rule proves that the gold's initial state reaches the rearranged ``state``."""
        return reached_by_rule(self.domain, self.gold, state, self.theirs.rule)

    def _goal_graphs(self, lasting: State) -> tuple[CanonicalGraph, CanonicalGraph] | None:
        """Return the graphs of both closed goals over lasting facts; None if they are not isomorphic."""
        back = {theirs: ours for ours, theirs in self.places.items()}
        sides = (self.ours, renamed(lasting, back), self.chosen), (self.theirs, lasting, self.fixed)
        predicted, gold = (
            canonical_graph(
                self.domain,
                side.problem,
                {STATIC: facts, GOAL: side.closure.positive, AVOID: side.closure.negative},
                apart=apart,
            )
            for side, facts, apart in sides
        )
        return (predicted, gold) if predicted.form.certificate == gold.form.certificate else None


def reached_by_rule(domain: Domain, problem: Problem, state: State, rule: Rule | None) -> bool:
    """Return whether the domain's rule proves that the problem's initial state reaches ``state`` exactly."""
    free = free_predicates(domain)
    if rule is None or free is None or _of(state, free) != _of(problem.init, free):
        return False
    moving = literals(fact for fact in state if fact[0] in domain.fluents)
    closure = close_quickly(domain, replace(problem, goal=moving), rule)
    return closure is not None and closure.solvable is True


def _of(facts: State, predicates: frozenset[str]) -> State:
    return frozenset([fact for fact in facts if fact[0] in predicates])


class _CandidateSearch:
    """The search over candidates, one of each class."""

    def __init__(self, pair: _PermutationSearch, reaching: Reaching, moves: list[Renaming]) -> None:
        self.pair, self.reaching, self.moves = pair, reaching, moves
        self.states: set[State] = set()
        self.classes: list[Renaming] = []

    def search(self, first: Renaming) -> Renaming | None:
        """Return the first admissible candidate; None if there is none.

        Raises:
            Undecided: it stays open for some candidate, or there are too many classes.
        """
        undecided = False
        todo = [first]
        for candidate in todo:  # grows while it is read
            state = renamed(self.pair.predicted.init, candidate)
            if state in self.states or self._is_in_class(state):
                continue
            self.states.add(state)
            is_reached = self.reaching.reaches(state)
            if is_reached:
                return candidate
            undecided = undecided or is_reached is None
            if len(self.classes) == _MOST_CLASSES:
                raise Undecided(f"more than {_MOST_CLASSES} ways to exchange objects")
            self.classes.append(candidate)
            todo += [
                {ours: move.get(image, image) for ours, image in candidate.items()} for move in self.moves
            ]
        if undecided:
            raise Undecided(UNREACHED)
        return None

    def _is_in_class(self, state: State) -> bool:
        """Return whether ``state`` and one of a class that was tried reach each other."""
        for candidate in self.classes:
            home = {image: self.pair.places[ours] for ours, image in candidate.items()}
            if self.reaching.reaches(renamed(state, home)):
                return True
        return False
