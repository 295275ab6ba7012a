"""Which objects of a prediction stand for the gold's fixed objects, in initial state and goal alike.

Two isomorphisms are wanted, one between the initial states and one between the closed goals, that map the
same object of the prediction to each fixed object of the gold. Colour refinement of both graphs tells
objects apart; a fixed object and the one that stands for it have the same colour in both. Where several
fit, one is chosen and the graphs are refined again. Of objects that exchange without changing the
prediction one is tried.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from orrery.equivalence.compared import ComparedProblem
from orrery.equivalence.graph import Layers, problem_graph
from orrery.equivalence.keys import INIT, goal_layers
from orrery.equivalence.refinement import refined
from orrery.equivalence.undecided import Undecided
from orrery.planning.symmetry import Occurrences

_BUDGET = 200  # choices refined
_Place: TypeAlias = tuple[int, ...]
_Chosen: TypeAlias = dict[str, str]


class Anchors:
    """The search for predicted objects in the places of the gold's fixed objects."""

    def __init__(self, ours: ComparedProblem, theirs: ComparedProblem, fixed: Sequence[str]) -> None:
        """Prepare to find objects of ``ours``, the prediction, for those ``fixed`` in ``theirs``."""
        self.fixed, self.choices_left = fixed, _BUDGET
        self._sides = [(side, _layers_of(side)) for side in (ours, theirs)]
        mine = {f"{n}": facts for n, layers in enumerate(self._sides[0][1]) for facts in [_all(layers)]}
        self._occurrences = Occurrences(mine)

    def choices(self) -> Iterator[list[str]]:
        """Yield lists of predicted objects, in the order of the fixed ones, that may stand for these.

        Where two isomorphisms agree on the fixed objects, the list that they give, or one that exchanging
        objects of the prediction makes of it, is among them.

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
        """Return for each fixed object not chosen yet the objects in its place; None where too few."""
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


def _all(layers: Layers) -> set[tuple[str, ...]]:
    return {(f"{layer} {fact[0]}", *fact[1:]) for layer, facts in layers.items() for fact in facts}


def _places(
    compared: ComparedProblem, layers: Sequence[Layers], apart: Sequence[str]
) -> tuple[dict[str, _Place], list[list[int]]]:
    """Return the colour of each object in each graph, and the sizes of the classes of colour."""
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
