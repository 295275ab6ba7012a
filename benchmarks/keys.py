"""Milliseconds for the keys of a problem, beside rustworkx's VF2 on a pair of the same graphs.

Run by hand: ``python benchmarks/keys.py``. Per set of problems: goal closure by the domain's rule,
strict key and both keys from a problem already read; then VF2 on the strict graph and a renamed copy,
graphs made beforehand (it gives up after so many calls; "left" counts those). Targets: a pair in
0.5 ms where the other key is stored (median), 10 ms (99th percentile).
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import rustworkx

from orrery.catalog import Catalog, Entry
from orrery.equivalence.canonical import canonical
from orrery.equivalence.closure import close
from orrery.equivalence.graph import Graph, problem_graph
from orrery.equivalence.keys import keys_of, strict_layers
from orrery.model import Problem, TypedName, literals

CATALOG = Catalog(Path(__file__).resolve().parent.parent)
CALLS = 2_000_000


def sample(entry: Entry, rng: random.Random, share: int = 4) -> Iterator[Problem]:
    """Problems of 20 to 100 facts from every task, medium and hard."""
    for task in entry.tasks:
        for level in ("medium", "hard"):
            for _ in range(share):
                parameters = entry.generator.draw(task, entry.description.difficulties[level], rng)
                problem = entry.generator.build(task, parameters, rng).problem
                if 20 <= len(problem.init) + len(problem.goal) <= 100:
                    yield problem


def tower(size: int, rng: random.Random) -> Problem:
    """One tower to be turned into another of the same blocks."""

    def facts() -> list[tuple[str, ...]]:
        order = rng.sample(names, size)
        links = [("on", upper, lower) for upper, lower in pairwise(order)]
        return [("arm-empty",), ("clear", order[0]), ("on-table", order[-1]), *links]

    names = [f"b{i}" for i in range(size)]
    objects = tuple(map(TypedName, names))
    return Problem("tower", "blocksworld", objects, frozenset(facts()), literals(facts()))


def rooms(balls: int, count: int) -> Problem:
    """Balls spread evenly over rooms, all of them to come into the next room."""
    names = [f"room{i}" for i in range(count)]
    thrown = [f"ball{i}" for i in range(balls)]
    init = {("at-robby", names[0]), ("gripper", "left"), ("free", "left")}
    init |= {("room", room) for room in names} | {("ball", ball) for ball in thrown}
    init |= {("at", ball, names[i % count]) for i, ball in enumerate(thrown)}
    goal = literals(("at", ball, names[(i + 1) % count]) for i, ball in enumerate(thrown))
    objects = tuple(map(TypedName, [*names, *thrown, "left"]))
    return Problem("rooms", "gripper", objects, frozenset(init), goal)


def renamed(problem: Problem, rng: random.Random) -> Problem:
    """The problem with its names dealt out anew."""
    names = [typed.name for typed in problem.objects]
    new = dict(zip(names, rng.sample(names, len(names)), strict=True))
    objects = tuple(sorted(typed._replace(name=new[typed.name]) for typed in problem.objects))
    init = frozenset((fact[0], *(new[name] for name in fact[1:])) for fact in problem.init)
    goal = literals((fact[0], *(new[name] for name in fact[1:])) for fact in problem.goal_facts)
    return replace(problem, objects=objects, init=init, goal=goal)


def digraph(graph: Graph) -> rustworkx.PyDiGraph:
    """The problem graph as the reference library takes it."""
    made = rustworkx.PyDiGraph()
    made.add_nodes_from(graph.colours)
    made.add_edges_from([(u, v, r) for u, row in enumerate(graph.adjacency) for v, r in row.items()])
    return made


def same(left: Any, right: Any) -> bool:
    """Whether two labels are equal, for the reference matcher."""
    return bool(left == right)


def milliseconds(function: Callable[[], Any]) -> tuple[float, Any]:
    """The best of three runs, and the result."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - start)
    return best * 1000, result


def measure(entry: Entry, problem: Problem, rng: random.Random) -> tuple[list[float], bool]:
    """Closure, strict key, both keys and VF2 in milliseconds; whether VF2 gave up."""
    rule = entry.generator.close_goal
    other = renamed(problem, rng)
    closing, closure = milliseconds(lambda: close(entry.domain, problem, rule))
    layers = strict_layers(problem, closure)
    strict, _ = milliseconds(lambda: canonical(problem_graph(entry.domain, problem, layers)).key)
    both, found = milliseconds(lambda: keys_of(entry.domain, problem, closure))
    closed = close(entry.domain, other, rule)
    assert found == keys_of(entry.domain, other, closed)
    graphs = [problem_graph(entry.domain, problem, layers)]
    graphs.append(problem_graph(entry.domain, other, strict_layers(other, closed)))
    pair = [digraph(graph) for graph in graphs]
    start = time.perf_counter()
    matched = rustworkx.is_isomorphic(*pair, same, same, id_order=False, call_limit=CALLS)
    return [closing, strict, both, (time.perf_counter() - start) * 1000], not matched


def show(title: str, entry: Entry, problems: list[Problem]) -> None:
    """Print a line of medians and 95th percentiles."""
    rng = random.Random(2)
    results = [measure(entry, problem, rng) for problem in problems]
    line = f"{title:26}{len(problems):5}"
    for column in zip(*(times for times, _ in results), strict=True):
        ordered = sorted(column)
        line += f"{statistics.median(ordered):9.3f}{ordered[int(0.95 * (len(ordered) - 1))]:9.3f}"
    print(line + f"{sum(left for _, left in results):6}")


def main() -> None:
    """Print the table over all sets of problems."""
    heads = ("closure", "strict key", "both keys", "VF2")
    print(f"{'median and 95th, ms':31}" + "".join(f"{head:>18}" for head in heads) + "  left")
    for name in ("blocksworld", "gripper", "floor-tile"):
        entry = CATALOG.entry(name)
        show(name, entry, list(sample(entry, random.Random(1))))
    rng = random.Random(3)
    show("tower of 55 blocks", CATALOG.entry("blocksworld"), [tower(55, rng) for _ in range(10)])
    for balls, count in ((45, 1), (45, 2), (45, 9), (28, 11)):
        show(f"{balls} balls in {count} rooms", CATALOG.entry("gripper"), [rooms(balls, count)])


if __name__ == "__main__":
    main()
