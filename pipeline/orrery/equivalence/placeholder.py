"""Placeholder equivalence: whether the gold's open objects can be permuted such that its goal matches.

Let A be the prediction, B the gold, and R the states reachable from B's initial state. A permutation
of B's objects is *admissible* if it moves only open objects, preserves types, constants and static facts and
maps R onto R. A is accepted iff (init B, s(goal B)) is strictly equivalent to A for some admissible s.

*In terms of initial states.* Apply the inverse of s: A is accepted iff there are isomorphisms u of the
initial states and t of the closed goals and static facts, both from A to B, such that u and t map the same
object to each fixed one and t maps init A into R. (The inverse of s is then t after the inverse of u, so it
preserves static facts and fixed objects; it maps init B into R, so R into R, and being of finite order R onto
R.) ``Anchors`` finds objects that may correspond to the fixed objects. With these distinguished in the
graphs, any t between the goals is a candidate, and ``reaching`` decides whether it is admissible.

*All candidates.* They are k after t0, for one t0 and the symmetries k of B's closed goal that fix each
fixed object. Of two candidates whose images of init A reach each other, both are admissible or neither. So
the search goes from t0 along generators of the symmetries and takes one candidate of each such class. To
reduce the number of classes, facts of the initial state that can never change join the static facts:
admissible permutations preserve them.

*Anchors.* Colour refinement of both graphs distinguishes objects; a fixed object and its corresponding object
have the same colour in both. If several match, one is chosen and the graphs are refined again. Of objects
that can be exchanged without changing the prediction, one is tried.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from orrery.equivalence.canonical import CanonicalGraph, Renaming, canonical_graph, renamed
from orrery.equivalence.closure import Rule, close_quickly
from orrery.equivalence.compared import ComparedProblem
from orrery.equivalence.graph import Layers, Undecided, problem_graph, refined
from orrery.equivalence.keys import AVOID, GOAL, INIT, STATIC, goal_layers
from orrery.equivalence.reaching import UNREACHED, Reaching, free_predicates, lasting_predicates
from orrery.model import Atom, Domain, Problem, State, literals

_BUDGET = 200  # maximum number of refined choices
_Place: TypeAlias = tuple[int, ...]
_Chosen: TypeAlias = dict[str, str]


class Occurrences:
    """The facts and actions of some layers, by the objects in them."""

    def __init__(self, layers: Mapping[str, Collection[Atom]]) -> None:
        """Index each layer by object."""
        self._places: dict[str, set[tuple[str, Atom]]] = defaultdict(set)
        for layer, atoms in layers.items():
            for atom in atoms:
                for name in atom[1:]:
                    self._places[name].add((layer, atom))

    @property
    def objects(self) -> frozenset[str]:
        """The objects that occur."""
        return frozenset(self._places)

    def keeps(self, first: str, second: str) -> bool:
        """Return whether exchanging the two objects maps each layer onto itself."""
        places = self._places.get(first, set()) | self._places.get(second, set())
        swap = {first: second, second: first}
        return all(
            (layer, (atom[0], *[swap.get(name, name) for name in atom[1:]])) in places
            for layer, atom in places
        )


class Anchors:
    """The search for predicted objects that correspond to the gold's fixed objects."""

    def __init__(self, ours: ComparedProblem, theirs: ComparedProblem, fixed: Sequence[str]) -> None:
        """Prepare to find objects of ``ours``, the prediction, for those ``fixed`` in ``theirs``."""
        self.fixed, self.choices_left = fixed, _BUDGET
        self._sides = [(side, _layers_of(side)) for side in (ours, theirs)]
        mine = {
            f"{n}": facts
            for n, layers in enumerate(self._sides[0][1])
            for facts in [_facts_with_layers(layers)]
        }
        self._occurrences = Occurrences(mine)

    def choices(self) -> Iterator[list[str]]:
        """Yield lists of predicted objects, in the order of the fixed ones, that may correspond to these.

        If two isomorphisms agree on the fixed objects, their list, or an equivalent one under exchanges of
        objects of the prediction, is among the results.

        Raises:
            Undecided: too many choices had to be refined.
        """
        for chosen in self._search({}):
            yield [chosen[name] for name in self.fixed]

    def _search(self, chosen: _Chosen) -> Iterator[_Chosen]:
        candidates = self._candidates(chosen)
        if candidates is None:
            return
        ambiguous = [name for name, fitting in candidates.items() if len(fitting) > 1]
        if not ambiguous:
            yield chosen | {name: fitting[0] for name, fitting in candidates.items()}
            return
        name = min(ambiguous, key=lambda fixed_name: len(candidates[fixed_name]))
        alternatives: list[str] = []
        for candidate in candidates[name]:
            if not any(self._occurrences.keeps(candidate, alternative) for alternative in alternatives):
                alternatives.append(candidate)
                yield from self._search(chosen | {name: candidate})

    def _candidates(self, chosen: _Chosen) -> Mapping[str, list[str]] | None:
        """Return the possible objects for each fixed object without one; None if there are too few."""
        self.choices_left -= 1
        if self.choices_left < 0:
            raise Undecided("too many ways to tell the fixed objects apart")
        (ours, my_sizes), (theirs, sizes) = (
            _places(*side, list(apart))
            for side, apart in zip(self._sides, (chosen.values(), chosen), strict=True)
        )
        if my_sizes != sizes:
            return None
        names_by_place: dict[_Place, list[str]] = defaultdict(list)
        used = set(chosen.values())
        for name, place in ours.items():
            if name not in used:
                names_by_place[place].append(name)
        unplaced = [name for name in self.fixed if name not in chosen]
        needed = Counter(theirs[name] for name in unplaced)
        if any(len(names_by_place[place]) < count for place, count in needed.items()):
            return None
        return {name: names_by_place[theirs[name]] for name in unplaced}


def _layers_of(compared: ComparedProblem) -> tuple[Layers, Layers]:
    return {INIT: compared.problem.init}, goal_layers(compared.domain, compared.problem, compared.closure)


def _facts_with_layers(layers: Layers) -> set[tuple[str, ...]]:
    return {(f"{layer} {fact[0]}", *fact[1:]) for layer, facts in layers.items() for fact in facts}


def _places(
    compared: ComparedProblem, layers: Sequence[Layers], apart: Sequence[str]
) -> tuple[dict[str, _Place], list[list[int]]]:
    """Return the colour of each object in each graph, and the sizes of the colour classes."""
    numbers: dict[str, _Place] = {typed.name: () for typed in compared.problem.objects}
    sizes = []
    for facts in layers:
        graph = problem_graph(compared.domain, compared.problem, facts, apart)
        cells = refined(graph)
        sizes.append([len(cell) for cell in cells])
        for number, cell in enumerate(cells):
            for vertex in cell:
                name = graph.vertices[vertex]
                if isinstance(name, str) and name in numbers:
                    numbers[name] += (number,)
    return numbers, sizes


_MOST_CLASSES = 60


def is_permuted(ours: ComparedProblem, theirs: ComparedProblem, open_objects: Collection[str] | None) -> bool:
    """Return whether the prediction is equivalent to the gold under an admissible permutation.

    Both problems must be solvable, with isomorphic initial states and isomorphic closed goals.
    ``open_objects`` of the gold may change places; None means all objects.

    Raises:
        Undecided: a budget was exceeded for some choice of objects, and no other choice gave a permutation.
    """
    names = [typed.name for typed in theirs.problem.objects]
    fixed = [] if open_objects is None else sorted(set(names).difference(open_objects))
    undecided: Undecided | None = None
    for chosen in Anchors(ours, theirs, fixed).choices() if fixed else [[]]:
        try:
            search = _PermutationSearch.at(ours, theirs, chosen, fixed)
            if search and search.succeeds():
                return True
        except Undecided as error:
            undecided = error
    if undecided:
        raise undecided
    return False


class _PermutationSearch:
    """Two problems with isomorphic initial states; ``chosen`` objects correspond to ``fixed`` ones."""

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
        """Return the search with these objects distinguished; None if the initial states then differ."""
        if not fixed:
            return cls(ours, theirs, chosen, fixed, ours.init.onto(theirs.init))
        predicted, gold = (
            canonical_graph(side.domain, side.problem, {INIT: side.problem.init}, apart=apart)
            for side, apart in ((ours, chosen), (theirs, fixed))
        )
        if predicted.form.certificate != gold.form.certificate:
            return None
        return cls(ours, theirs, chosen, fixed, predicted.onto(gold))

    def succeeds(self) -> bool:
        """Return whether there is an admissible map from the prediction's objects to the gold's.

        Facts that last because of their predicate are tried first, before grounding shows which other facts
        last.
        """
        if not self.fixed:
            candidate = self.ours.goal.onto(self.theirs.goal)
            if self._reached_by_rule(renamed(self.predicted.init, candidate)):
                return True
        graphs = self._goal_graphs(_facts_of_predicates(self.gold.init, lasting_predicates(self.domain)))
        if graphs is None:
            return False
        candidate = graphs[0].onto(graphs[1])
        if self._reached_by_rule(renamed(self.predicted.init, candidate)):
            return True
        reaching = Reaching(self.domain, self.gold, self.theirs.budget)
        graphs = self._goal_graphs(reaching.kept)
        if graphs is None:
            return False
        return _CandidateSearch(self, reaching, graphs[1].symmetries()).search(graphs[0].onto(graphs[1]))

    def _reached_by_rule(self, state: State) -> bool:
        """Return whether the rule proves that the gold's initial state reaches the permuted ``state``."""
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
    """Return whether the domain's rule proves that exactly ``state`` is reachable from the initial state."""
    free = free_predicates(domain)
    if (
        rule is None
        or free is None
        or _facts_of_predicates(state, free) != _facts_of_predicates(problem.init, free)
    ):
        return False
    moving = literals(fact for fact in state if fact[0] in domain.fluents)
    closure = close_quickly(domain, replace(problem, goal=moving), rule)
    return closure is not None and closure.solvable is True


def _facts_of_predicates(facts: State, predicates: frozenset[str]) -> State:
    return frozenset([fact for fact in facts if fact[0] in predicates])


class _CandidateSearch:
    """The search over candidates, one of each class."""

    def __init__(self, pair: _PermutationSearch, reaching: Reaching, moves: list[Renaming]) -> None:
        self.pair, self.reaching, self.moves = pair, reaching, moves
        self.states: set[State] = set()
        self.classes: list[Renaming] = []

    def search(self, first: Renaming) -> bool:
        """Return whether some candidate is admissible.

        Raises:
            Undecided: some candidate is undecided, or there are too many classes.
        """
        undecided = False
        todo = [first]
        for candidate in todo:  # the list grows during the loop
            state = renamed(self.pair.predicted.init, candidate)
            if state in self.states or self._is_in_class(state):
                continue
            self.states.add(state)
            is_reached = self.reaching.reaches(state)
            if is_reached:
                return True
            undecided = undecided or is_reached is None
            if len(self.classes) == _MOST_CLASSES:
                raise Undecided(f"more than {_MOST_CLASSES} ways to exchange objects")
            self.classes.append(candidate)
            todo += [
                {ours: move.get(image, image) for ours, image in candidate.items()} for move in self.moves
            ]
        if undecided:
            raise Undecided(UNREACHED)
        return False

    def _is_in_class(self, state: State) -> bool:
        """Return whether ``state`` and a state of an earlier class reach each other."""
        for candidate in self.classes:
            home = {image: self.pair.places[ours] for ours, image in candidate.items()}
            if self.reaching.reaches(renamed(state, home)):
                return True
        return False
