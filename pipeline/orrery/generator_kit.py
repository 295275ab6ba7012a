"""Functions shared by generators: constraints on parameters, numbers within limits, names, grids and graphs.

A *fault* is the name of a violated constraint and its requirement. All random draws use the stream passed as
``rng``. The order of the draws is part of a function's contract, because the datasets depend on it.
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

DRAWS = 200  # random draws of parameters, before all combinations are tried in order
MANY = 64  # maximum weight of a size; otherwise small sizes would almost never be drawn
OFFSETS: Mapping[str, Cell] = MappingProxyType(
    {"up": (-1, 0), "left": (0, -1), "right": (0, 1), "down": (1, 0)}
)
_KINDS: Mapping[type, str] = MappingProxyType(
    {int: "a whole number", bool: "true or false", str: "a word", list: "a list of whole numbers"}
)


# ---- parameters


def ill_formed(parameters: Parameters, wanted: Mapping[str, type]) -> Iterator[Fault]:
    """Yield the fault of parameters that do not have the ``wanted`` form.

    The parameters must have exactly the keys of ``wanted``. Each value must be an int, a bool, a str, or a
    list of whole numbers, as ``wanted`` states.
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
    """Yield a fault for each number outside its range."""
    for key, (low, high) in widest.items():
        if type(parameters.get(key)) is int and not low <= parameters[key] <= high:
            yield key, f"needs {low} to {high}, not {parameters[key]}"


@dataclass(frozen=True, eq=False)
class ParameterSpace:
    """The parameters that the tasks of a domain accept.

    ``kinds`` is the form of the parameters (see ``ill_formed``). ``widest`` bounds the numbers.
    ``constraints`` yields the other faults. It is called with parameters that satisfy both, and yields basic
    constraints first.
    """

    domain: str
    tasks: tuple[ConfigurationPair, ...]
    widest: Limits
    kinds: Mapping[str, type] | None
    constraints: Constraints

    def faults(self, task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
        """Yield a fault for each constraint that the parameters violate."""
        if task not in self.tasks:
            yield "task", "the domain has no such task"
        if self.kinds is not None:
            yield from ill_formed(parameters, self.kinds)
            yield from out_of_range(parameters, self.widest)
        yield from self.constraints(task, parameters)

    def fits(self, task: ConfigurationPair, parameters: Parameters) -> bool:
        """Return whether parameters of the right form, such as drawn ones, violate no constraint."""
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
        """Draw a valid combination of numbers within ``limits`` for all keys of ``widest``, uniformly.

        The numbers satisfy ``constraints`` (default: those of the space).
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
        """Draw a valid combination of whole numbers within ``limits`` for all keys of ``kinds``.

        If no random combination is valid, the first valid one in order is returned. If ``limits`` bounds
        ``states``, the function ``states`` must return the approximate number of states.
        """
        ranges = {**self.widest, **limits}
        least, most = ranges.get("states", (1, 1))

        def fits(counts: dict[str, int]) -> bool:
            """Return whether the numbers violate no constraint and bound the states as required."""
            return self.fits(task, counts) and least <= states(counts) <= most

        parameters = drawn_counts({key: ranges[key] for key in self.kinds or ()}, rng, fits)
        return self.required(task, parameters)

    def attempt(
        self, task: ConfigurationPair, draw: Callable[[], Parameters], tries: int = DRAWS
    ) -> Parameters:
        """Draw parameters until they fit. Raise a ParameterError if none of ``tries`` draws fits."""
        drawn = (draw() for _ in range(tries))
        return self.required(
            task, next((parameters for parameters in drawn if self.fits(task, parameters)), None)
        )

    def pick(
        self, task: ConfigurationPair, sizes: list[T], rng: random.Random, weights: list[int] | None = None
    ) -> T:
        """Draw one of the sizes, by cumulative ``weights`` if given.

        Raise a ParameterError if there are no sizes.
        """
        if not sizes:
            self.required(task, None)
        return rng.choices(sizes, cum_weights=weights)[0] if weights else rng.choice(sizes)

    def required(self, task: ConfigurationPair, parameters: Parameters | None) -> Parameters:
        """Return the parameters; raise a ParameterError if they are None."""
        if parameters is None:
            raise violated(self.domain, task, "limits", "no parameters within the limits fit this task")
        return parameters


def violated(domain: str, task: ConfigurationPair, constraint: str, asks: str) -> ParameterError:
    """Return the error for a violated constraint. ``asks`` is the requirement of the constraint."""
    mend = f"change the parameters, or the limits in domains/{domain}/domain.yaml"
    return ParameterError(f"{domain}/{task.name}", f"constraint '{constraint}': {asks}", mend)


def check_length(domain: str, steps: int, most: int) -> None:
    """Raise a ParameterError if a ladder has no problems of ``steps`` steps, which would be too large."""
    if steps > most:
        raise ParameterError(
            f"{domain}: ladder", f"has no problems of {steps} steps", f"draw at most {most} steps"
        )


def every_size(ranges: Limits) -> Iterator[dict[str, int]]:
    """Yield all combinations of whole numbers within their ranges, by key."""
    products = product(*(range(low, high + 1) for low, high in ranges.values()))
    return (dict(zip(ranges, numbers, strict=True)) for numbers in products)


@cache
def _sizes(
    space: ParameterSpace,
    task: ConfigurationPair,
    constraints: Constraints,
    ranges: tuple[tuple[str, Range], ...],
) -> list[Parameters]:
    """Return all combinations of numbers within the ranges that satisfy the constraints."""
    sizes: Iterator[Parameters] = every_size(dict(ranges))
    within = (parameters for parameters in sizes if not any(out_of_range(parameters, space.widest)))
    return [parameters for parameters in within if not any(constraints(task, parameters))]


def drawn_counts(
    ranges: Limits, rng: random.Random, fits: Callable[[dict[str, int]], bool]
) -> dict[str, int] | None:
    """Draw whole numbers within their ranges such that ``fits`` holds.

    If no random combination fits, return the first that does in order. Return None if none does.
    """
    for _ in range(DRAWS):
        counts = {key: rng.randint(low, high) for key, (low, high) in ranges.items()}
        if fits(counts):
            return counts
    return next(filter(fits, every_size(ranges)), None)


def weighted(sizes: Iterable[tuple[T, int]]) -> tuple[list[T], list[int]]:
    """Return sizes and cumulative weights for ``pick``. A weight is the number of problems, at most MANY."""
    listed = list(sizes)
    return [size for size, _ in listed], list(accumulate(min(many, MANY) for _, many in listed))


# ---- sums


def composition(n: int, parts: int, rng: random.Random) -> list[int]:
    """Draw a composition of ``n`` into ``parts`` positive numbers, uniformly."""
    cuts = [0, *sorted(rng.sample(range(1, n), parts - 1)), n]
    return [end - start for start, end in pairwise(cuts)]


def spans(lengths: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield start and end of consecutive rows with the given lengths."""
    return pairwise(accumulate(lengths, initial=0))


# ---- names and objects


def numbered(stem: str, count: int) -> list[str]:
    """Return ``count`` names, numbered from 1."""
    return [f"{stem}{number}" for number in range(1, count + 1)]


def shuffled(items: Iterable[T], rng: random.Random) -> list[T]:
    """Return the items in random order."""
    elements = list(items)
    rng.shuffle(elements)
    return elements


def reordered(items: Iterable[T], rng: random.Random) -> list[T]:
    """Return the items in random order, three times as fast as ``shuffled``."""
    return sorted(items, key=lambda _: rng.random())


def typed(names: Mapping[str, Iterable[str]]) -> tuple[TypedName, ...]:
    """Return the sorted objects of a problem, given names by type."""
    return tuple(
        sorted(TypedName(name, (kind,)) for kind, kind_names in names.items() for name in kind_names)
    )


def grid(rows: int, columns: int, first: int = 0) -> list[Cell]:
    """Return the cells of a grid row by row; rows and columns are counted from ``first``."""
    return list(product(range(first, first + rows), range(first, first + columns)))


def around(cell: Cell, board: Container[Cell]) -> Iterator[tuple[str, Cell]]:
    """Yield the neighbours of ``cell`` on the board, each with its direction."""
    row, column = cell
    for direction, (down, right) in OFFSETS.items():
        if (neighbor := (row + down, column + right)) in board:
            yield direction, neighbor


def adjacency(cells: Collection[Cell]) -> dict[Cell, list[Cell]]:
    """Return the neighbours of each cell: above, left, right and below."""
    board = frozenset(cells)
    return {
        (r, c): [
            neighbor for neighbor in ((r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)) if neighbor in board
        ]
        for r, c in cells
    }


def distances(start: T, near: Callable[[T], Iterable[T]]) -> dict[T, int]:
    """Return the distance from ``start`` of each reachable place, nearest places first."""
    distance_of, queue = {start: 0}, deque([start])
    while queue:
        place = queue.popleft()
        for neighbor in near(place):
            if neighbor not in distance_of:
                distance_of[neighbor] = distance_of[place] + 1
                queue.append(neighbor)
    return distance_of


def shortest_path(start: T, near: Callable[[T], Iterable[T]], wanted: Container[T]) -> list[T]:
    """Return the places on a shortest path from ``start`` to the nearest place in ``wanted``.

    The path does not include ``start``. If ``start`` is in ``wanted``, the path leaves and returns to it. The
    result is empty if there is no path.
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


def paths_of_tree(start: T, near: Mapping[T, Collection[T]]) -> dict[T, list[T]] | None:
    """Return the path from ``start`` to each place, both included.

    The result is None if there are several paths to a place or none, or if a link leads one way only.
    """
    paths, order = {start: [start]}, [start]
    for place in order:  # grows
        for neighbor in near[place]:
            if neighbor not in paths:
                paths[neighbor] = [*paths[place], neighbor]
                order.append(neighbor)
    links = [(place, neighbor) for place, neighbors in near.items() for neighbor in neighbors]
    both_ways = all(place in near[neighbor] for place, neighbor in links)
    return paths if both_ways and len(paths) == len(near) and len(links) == 2 * len(near) - 2 else None
