"""Functions that generators share: constraints on parameters, numbers within limits, names, grids and graphs.

A *fault* is the name of a violated constraint and what that constraint asks. All draws come from the stream
of random numbers handed in, and their order is part of what a function promises: the datasets depend on it.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise, product
from types import MappingProxyType
from typing import TypeAlias, TypeVar

from orrery.model import ConfigurationPair, Limits, ParameterError, Parameters, TypedName

T = TypeVar("T")
Fault: TypeAlias = tuple[str, str]
Constraints: TypeAlias = Callable[[ConfigurationPair, Parameters], Iterator[Fault]]
Range: TypeAlias = tuple[int, int]
Cell: TypeAlias = tuple[int, int]  # row and column, the first row on top

DRAWS = 200  # of parameters that must fit together, before numbers are tried in order
MANY = 64  # sizes of more problems weigh no more, or small ones would never be drawn
OFFSETS: Mapping[str, Cell] = MappingProxyType(
    {"up": (-1, 0), "left": (0, -1), "right": (0, 1), "down": (1, 0)}
)
_KINDS: Mapping[type, str] = MappingProxyType(
    {int: "a whole number", bool: "true or false", str: "a word", list: "a list of whole numbers"}
)


# ---- parameters


def ill_formed(parameters: Parameters, wanted: Mapping[str, type]) -> Iterator[Fault]:
    """Yield the fault of parameters that are not of the ``wanted`` form.

    That is int, bool, str or list (of whole numbers) for each key, no key missing and none unknown.
    """
    if parameters.keys() != wanted.keys():
        takes, not_these = (" and ".join(wanted) or "nothing"), (", ".join(map(str, parameters)) or "nothing")
        yield "keys", f"takes {takes}, not {not_these}"
        return
    for key, kind in wanted.items():
        value = parameters[key]
        if type(value) is not kind or (kind is list and any(type(n) is not int for n in parameters[key])):
            yield "kinds", f"{key} must be {_KINDS[kind]}, not {value!r}"


def out_of_range(parameters: Parameters, widest: Limits) -> Iterator[Fault]:
    """Yield the numbers that lie outside their range."""
    for key, (low, high) in widest.items():
        if type(parameters.get(key)) is int and not low <= parameters[key] <= high:
            yield key, f"needs {low} to {high}, not {parameters[key]}"


@dataclass(frozen=True, eq=False)
class ParameterSpace:
    """The parameters that the tasks of a domain accept.

    ``kinds`` is the form that ``ill_formed`` asks for, ``widest`` bounds the numbers, and ``constraints``
    yields the faults of parameters that keep to both, those first that others rest on.
    """

    domain: str
    tasks: tuple[ConfigurationPair, ...]
    widest: Limits
    kinds: Mapping[str, type] | None
    constraints: Constraints

    def faults(self, task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
        """Yield the constraints that the parameters violate."""
        if task not in self.tasks:
            yield "task", "the domain has no such task"
        if self.kinds is not None:
            yield from ill_formed(parameters, self.kinds)
            yield from out_of_range(parameters, self.widest)
        yield from self.constraints(task, parameters)

    def fits(self, task: ConfigurationPair, parameters: Parameters) -> bool:
        """Return whether parameters of the right form, as those drawn have, violate no constraint."""
        beyond = self.kinds is not None and any(out_of_range(parameters, self.widest))
        return not beyond and not any(self.constraints(task, parameters))

    def check(self, task: ConfigurationPair, parameters: Parameters) -> None:
        """Raise a ParameterError that names the first violated constraint, if there is one."""
        for fault in self.faults(task, parameters):
            raise violated(self.domain, task, *fault)

    def size(
        self,
        task: ConfigurationPair,
        limits: Limits,
        rng: random.Random,
        constraints: Constraints | None = None,
    ) -> Parameters:
        """Choose numbers within ``limits`` for all keys of ``widest``, all that fit together equally likely.

        They keep to the ``constraints`` given, or else to those of the space.
        """
        ranges = tuple({**self.widest, **limits}.items())
        chosen = self.pick(task, _sizes(self, task, constraints or self.constraints, ranges), rng)
        return dict(chosen)

    def counts(
        self,
        task: ConfigurationPair,
        limits: Limits,
        rng: random.Random,
        states: Callable[[Mapping[str, int]], int] = lambda _: 1,
    ) -> Parameters:
        """Draw whole numbers that fit together, for all keys of ``kinds``.

        Those drawn at random must fit, or else the first that do are taken. Where limits may bound the
        number of ``states``, that function says about how many there are.
        """
        ranges = {**self.widest, **limits}
        least, most = ranges.get("states", (1, 1))

        def fits(counts: dict[str, int]) -> bool:
            """Return whether the numbers violate no constraint and bound the states as required."""
            return self.fits(task, counts) and least <= states(counts) <= most

        parameters = drawn_counts({key: ranges[key] for key in self.kinds or ()}, rng, fits)
        return self.found(task, parameters)

    def attempt(
        self, task: ConfigurationPair, draw: Callable[[], Parameters], tries: int = DRAWS
    ) -> Parameters:
        """Draw parameters until they fit; raise a ParameterError after so many ``tries``."""
        drawn = (draw() for _ in range(tries))
        return self.found(
            task, next((parameters for parameters in drawn if self.fits(task, parameters)), None)
        )

    def pick(
        self, task: ConfigurationPair, sizes: list[T], rng: random.Random, weights: list[int] | None = None
    ) -> T:
        """Choose one of the sizes, by their weights added up if these are given; refuse to choose of none."""
        if not sizes:
            self.found(task, None)
        return rng.choices(sizes, cum_weights=weights)[0] if weights else rng.choice(sizes)

    def found(self, task: ConfigurationPair, parameters: Parameters | None) -> Parameters:
        """Return the parameters; raise a ParameterError where there are none."""
        if parameters is None:
            raise violated(self.domain, task, "limits", "no parameters within the limits fit this task")
        return parameters


def violated(domain: str, task: ConfigurationPair, constraint: str, asks: str) -> ParameterError:
    """Make the error of parameters that violate the named constraint; ``asks`` says what it asks."""
    mend = f"change the parameters, or the limits in domains/{domain}/domain.yaml"
    return ParameterError(f"{domain}/{task.name}", f"constraint '{constraint}': {asks}", mend)


def every_size(ranges: Limits) -> Iterator[dict[str, int]]:
    """Yield all whole numbers within their ranges, by key."""
    products = product(*(range(low, high + 1) for low, high in ranges.values()))
    return (dict(zip(ranges, numbers, strict=True)) for numbers in products)


@cache
def _sizes(
    space: ParameterSpace,
    task: ConfigurationPair,
    constraints: Constraints,
    ranges: tuple[tuple[str, Range], ...],
) -> list[Parameters]:
    """List the numbers within the ranges that fit together."""
    sizes: Iterator[Parameters] = every_size(dict(ranges))
    within = (parameters for parameters in sizes if not any(out_of_range(parameters, space.widest)))
    return [parameters for parameters in within if not any(constraints(task, parameters))]


def drawn_counts(
    ranges: Limits, rng: random.Random, fits: Callable[[dict[str, int]], bool]
) -> dict[str, int] | None:
    """Draw whole numbers within their ranges that fit together, or else take the first that do, if any."""
    for _ in range(DRAWS):
        counts = {key: rng.randint(low, high) for key, (low, high) in ranges.items()}
        if fits(counts):
            return counts
    return next(filter(fits, every_size(ranges)), None)


def weighted(sizes: Iterable[tuple[T, int]]) -> tuple[list[T], list[int]]:
    """Return sizes and their weights added up, for ``pick``: the number of problems of each, MANY at most."""
    listed = list(sizes)
    return [size for size, _ in listed], list(accumulate(min(many, MANY) for _, many in listed))


# ---- sums


def composition(n: int, parts: int, rng: random.Random) -> list[int]:
    """Draw ``n`` as a sum of ``parts`` numbers from 1 up, all such sums equally likely."""
    cuts = [0, *sorted(rng.sample(range(1, n), parts - 1)), n]
    return [end - start for start, end in pairwise(cuts)]


def spans(lengths: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield start and end of each of the rows, one after the other, that have these lengths."""
    return pairwise(accumulate(lengths, initial=0))


# ---- names and objects


def numbered(stem: str, count: int) -> list[str]:
    """List so many names, numbered from 1."""
    return [f"{stem}{number}" for number in range(1, count + 1)]


def shuffled(items: Iterable[T], rng: random.Random) -> list[T]:
    """List the items in random order."""
    elements = list(items)
    rng.shuffle(elements)
    return elements


def reordered(items: Iterable[T], rng: random.Random) -> list[T]:
    """List the items in random order, in a third of the time that shuffling takes."""
    return sorted(items, key=lambda _: rng.random())


def typed(names: Mapping[str, Iterable[str]]) -> tuple[TypedName, ...]:
    """Return the objects of a problem, sorted, from names by type."""
    return tuple(
        sorted(TypedName(name, (kind,)) for kind, kind_names in names.items() for name in kind_names)
    )


def grid(rows: int, columns: int, first: int = 0) -> list[Cell]:
    """List the cells of a grid row by row; rows and columns are counted from ``first``."""
    return list(product(range(first, first + rows), range(first, first + columns)))


def around(cell: Cell, board: Container[Cell]) -> Iterator[tuple[str, Cell]]:
    """Yield the cells of the board next to ``cell``, each with the direction in which it lies."""
    row, column = cell
    for direction, (down, right) in OFFSETS.items():
        if (neighbor := (row + down, column + right)) in board:
            yield direction, neighbor


def adjacency(cells: Collection[Cell]) -> dict[Cell, list[Cell]]:
    """Map each cell to those next to it: above, left, right and below."""
    board = frozenset(cells)
    return {
        (r, c): [
            neighbor for neighbor in ((r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)) if neighbor in board
        ]
        for r, c in cells
    }


def distances(start: T, near: Callable[[T], Iterable[T]]) -> dict[T, int]:
    """Count the moves from ``start`` to each place that can be reached, nearest first."""
    distance_of, queue = {start: 0}, deque([start])
    while queue:
        place = queue.popleft()
        for neighbor in near(place):
            if neighbor not in distance_of:
                distance_of[neighbor] = distance_of[place] + 1
                queue.append(neighbor)
    return distance_of


def shortest_path(start: T, near: Callable[[T], Iterable[T]], wanted: Container[T]) -> list[T]:
    """List the places on a shortest path from ``start``, left out, to the nearest of ``wanted``.

    Where ``start`` itself is wanted, the path leads away and back. Empty where there is no path.
    """
    before: dict[T, T] = {}
    queue = deque([start])
    while queue:
        place = queue.popleft()
        for neighbor in near(place):
            if neighbor not in before:
                before[neighbor] = place
                queue.append(neighbor)
            if neighbor in wanted:
                path = [neighbor]
                while before[path[-1]] != start:
                    path.append(before[path[-1]])
                return path[::-1]
    return []
