"""Measure the processor time of an equivalence verdict, in milliseconds, by domain, kind of pair and size.

Run by hand: ``python benchmarks/equivalence.py`` (a minute and a half). Problems of 20 to 100 propositions
come from every task of a domain. Each problem gives a pair of every kind:

- *renamed*: other names in another order.
- *implied*: without goal facts that follow from the others.
- *mutated*: one fact removed, added or changed.
- *swapped*: objects of the goal exchanged.

Columns: time to read the prediction's text; time of the verdict with the gold's stored key (reading
included); time of the verdict from two texts; strict and placeholder. For comparison: rustworkx's VF2 on the
strict graphs, without the time to build them. VF2 gives up after a maximum number of calls (column "left").
Targets: medians 0.5 ms with the stored key and 1.5 ms from two texts, 99th percentiles 10 ms.
A second table gives milliseconds for the keys of a parsed problem: closure of the goal by the domain's rule,
strict key, both keys, and VF2 on the strict graph and a renamed copy.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import rustworkx

from orrery.catalog import Catalog, Entry
from orrery.equivalence.canonical import canonical
from orrery.equivalence.closure import close
from orrery.equivalence.graph import Graph, problem_graph
from orrery.equivalence.keys import Keys, keys, keys_of, strict_layers
from orrery.equivalence.problem_equivalence import EquivalenceOutcome, EquivalenceVerdict, compare
from orrery.model import Atom, Literal, Problem, TypedName, literals
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_problem

CATALOG = Catalog(Path(__file__).resolve().parent.parent)
DOMAINS = ("blocksworld", "gripper", "floor-tile", "rover-single")
KINDS = ("renamed", "implied", "mutated", "swapped")
BUCKETS = ((20, 40), (41, 60), (61, 80), (81, 100))
COLUMNS = ("read", "strict, key", "strict, two", "placeholder, key", "placeholder, two", "VF2")
CALLS = 200_000
KEY_CALLS = 2_000_000
EACH = 3


@dataclass(frozen=True)
class Pair:
    """Two problems and their origin."""

    kind: str
    size: int
    predicted: Problem
    gold: Problem


def pairs_of(entry: Entry, rng: random.Random) -> Iterator[Pair]:
    """Yield pairs of all kinds, from problems of every task and two levels of difficulty."""
    for task in entry.tasks:
        for level in ("medium", "hard"):
            for _ in range(EACH):
                parameters = entry.generator.draw(task, entry.description.difficulties[level], rng)
                gold = entry.generator.build(task, parameters, rng).problem
                size = len(gold.init) + len(gold.goal)
                if 20 <= size <= 100:
                    for kind in KINDS:
                        yield Pair(kind, size, renamed(changed(kind, entry, gold, rng), rng), gold)


def changed(kind: str, entry: Entry, gold: Problem, rng: random.Random) -> Problem:
    """Return the problem changed by the kind of pair, not yet renamed."""
    makers: dict[str, Callable[[Entry, Problem, random.Random], Problem]] = {
        "implied": without_implied,
        "mutated": mutated,
        "swapped": swapped,
    }
    return makers[kind](entry, gold, rng) if kind in makers else gold


def without_implied(entry: Entry, gold: Problem, rng: random.Random) -> Problem:
    """Remove goal facts one by one as long as the closure stays the same."""
    rule = entry.closure_rule
    closed = close(entry.domain, gold, rule)
    goal = gold.goal
    for literal in rng.sample(sorted(goal), min(6, len(goal))):
        fewer = replace(gold, goal=goal - {literal})
        if close(entry.domain, fewer, rule) == closed:
            goal = fewer.goal
    return replace(gold, goal=goal)


def mutated(entry: Entry, gold: Problem, rng: random.Random) -> Problem:
    """Remove, add or change one fact of the initial state or the goal."""
    in_goal = rng.random() < 0.6
    facts = set(gold.goal_facts if in_goal else gold.init)
    fact = rng.choice(sorted(fact for fact in facts if len(fact) > 1))
    change = rng.choice(("drop", "add", "move"))
    if change != "add":
        facts.discard(fact)
    if change != "drop":
        place = rng.randrange(1, len(fact))
        types = {typed.name: typed.types for typed in gold.objects}
        objects_alike = [name for name, kind in types.items() if kind == types[fact[place]]]
        facts.add((*fact[:place], rng.choice(objects_alike), *fact[place + 1 :]))
    if in_goal:
        return replace(gold, goal=literals(facts))
    return replace(gold, init=frozenset(facts))


def swapped(entry: Entry, gold: Problem, rng: random.Random) -> Problem:
    """Permute objects of the goal that have the same type and the same unary static facts."""
    fluents = entry.domain.fluents
    groups: dict[Any, list[str]] = defaultdict(list)
    for typed in gold.objects:
        predicates = sorted(f[0] for f in gold.init if f[0] not in fluents and f[1:] == (typed.name,))
        groups[typed.types, tuple(predicates)].append(typed.name)
    tied = {name for f in gold.init if f[0] not in fluents and len(f) > 2 for name in f[1:]}
    new: dict[str, str] = {}
    for names in groups.values():
        free = [name for name in names if name not in tied]
        new |= dict(zip(free, rng.sample(free, len(free)), strict=True))
    return replace(gold, goal=frozenset(Literal(moved(g.atom, new), g.positive) for g in gold.goal))


def moved(fact: Atom, new: dict[str, str]) -> Atom:
    """Return the fact with names replaced."""
    return (fact[0], *(new.get(name, name) for name in fact[1:]))


def renamed(problem: Problem, rng: random.Random) -> Problem:
    """Return the problem with permuted names."""
    names = [typed.name for typed in problem.objects]
    new = dict(zip(names, rng.sample(names, len(names)), strict=True))
    objects = tuple(sorted(TypedName(new[typed.name], typed.types) for typed in problem.objects))
    init = frozenset(moved(fact, new) for fact in problem.init)
    goal = frozenset(Literal(moved(literal.atom, new), literal.positive) for literal in problem.goal)
    return replace(problem, objects=objects, init=init, goal=goal)


def milliseconds(function: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor time of one call and its result."""
    start = time.process_time_ns()
    result = function()
    return (time.process_time_ns() - start) / 1e6, result


def measure(entry: Entry, pair: Pair) -> tuple[list[float], list[EquivalenceVerdict], bool]:
    """Return the columns in milliseconds, the verdicts (strict, placeholder), and whether VF2 gave up."""
    domain, rule = entry.domain, entry.closure_rule
    texts = [write_problem(problem) for problem in (pair.predicted, pair.gold)]
    stored = keys(domain, pair.gold, rule)
    assert isinstance(stored, Keys)
    reading, predicted = milliseconds(lambda: read_problem(texts[0], domain))
    gold = read_problem(texts[1], domain)
    times, verdicts = [reading], []
    for placeholder in (False, True):
        by_key, verdict = milliseconds(
            lambda p=placeholder: compare(domain, predicted, gold, placeholder=p, rule=rule, gold_key=stored)
        )
        compare_time, again = milliseconds(
            lambda p=placeholder: compare(
                domain, *(read_problem(text, domain) for text in texts), placeholder=p, rule=rule
            )
        )
        assert verdict.outcome is again.outcome
        times += [reading + by_key, compare_time]
        verdicts.append(verdict)
    matching, remainder = reference(entry, pair)
    return [*times, matching], verdicts, remainder


def reference(entry: Entry, pair: Pair) -> tuple[float, bool]:
    """Return the time of VF2 on the strict graphs and whether it gave up; 0 if the closure needs search."""
    graphs = []
    for problem in (pair.predicted, pair.gold):
        closed = entry.closure_rule(problem) if entry.closure_rule else None
        if closed is None:
            return 0.0, False
        closure = close(entry.domain, problem, entry.closure_rule)
        graphs.append(digraph(problem_graph(entry.domain, problem, strict_layers(problem, closure))))
    calls, _ = milliseconds(
        lambda: rustworkx.is_isomorphic(*graphs, same, same, id_order=False, call_limit=CALLS)
    )
    return calls, calls > 100


def digraph(graph: Graph) -> Any:
    """Return the problem graph in the format of rustworkx."""
    digraph = rustworkx.PyDiGraph()
    digraph.add_nodes_from(graph.colours)
    digraph.add_edges_from([(u, v, r) for u, row in enumerate(graph.adjacency) for v, r in row.items()])
    return digraph


def same(left: Any, right: Any) -> bool:
    """Return whether two labels are equal, for the reference matcher."""
    return bool(left == right)


def show(title: str, rows: list[list[float]], name_width: int, note: str = "") -> None:
    """Print a line of medians, 95th and 99th percentiles."""
    line = f"{title:32}{len(rows):5}"
    for column in zip(*rows, strict=True):
        ordered = sorted(column)
        last = len(ordered) - 1
        marks = (statistics.median(ordered), ordered[int(0.95 * last)], ordered[int(0.99 * last)])
        line += "  " + "".join(f"{mark:7.2f}" for mark in marks)
    print(f"{line}{name_width:6}  {note}", flush=True)


def report(entry: Entry, pairs: list[Pair]) -> None:
    """Measure the pairs of a domain and print them by kind and by size."""
    results = [(pair, *measure(entry, pair)) for pair in pairs]
    for kind in KINDS:
        chosen = [result for result in results if result[0].kind == kind]
        counts = [
            sum(verdicts[mode].outcome is EquivalenceOutcome.EQUIVALENT for _, _, verdicts, _ in chosen)
            for mode in (0, 1)
        ]
        undecided = sum(
            v.outcome is EquivalenceOutcome.UNDECIDED for _, _, verdicts, _ in chosen for v in verdicts
        )
        note = f"equivalent {counts[0]} strict, {counts[1]} placeholder; {undecided} undecided"
        show(f"{entry.name} {kind}", [r[1] for r in chosen], sum(r[3] for r in chosen), note)
    for low, high in BUCKETS:
        chosen = [result for result in results if low <= result[0].size <= high]
        if chosen:
            show(f"{entry.name} {low}-{high}", [r[1] for r in chosen], sum(r[3] for r in chosen))
    show(f"{entry.name} all", [r[1] for r in results], sum(r[3] for r in results))


def rooms(balls: int, count: int) -> Problem:
    """Return a gripper problem: balls spread evenly over rooms, each with the next room as its goal."""
    names = [f"room{i}" for i in range(count)]
    thrown = [f"ball{i}" for i in range(balls)]
    init = {("at-robby", names[0]), ("gripper", "left"), ("free", "left")}
    init |= {("room", room) for room in names} | {("ball", ball) for ball in thrown}
    init |= {("at", ball, names[i % count]) for i, ball in enumerate(thrown)}
    goal = literals(("at", ball, names[(i + 1) % count]) for i, ball in enumerate(thrown))
    return Problem(
        "rooms", "gripper", tuple(map(TypedName, [*names, *thrown, "left"])), frozenset(init), goal
    )


def main() -> None:
    """Print the table over all domains."""
    print("median, 95th, 99th" + " " * 19 + "".join(f"{head:>23}" for head in COLUMNS) + "  left")
    rng = random.Random(5)
    for name in sys.argv[1:] or DOMAINS:
        report(CATALOG.entry(name), list(pairs_of(CATALOG.entry(name), rng)))
    gripper = CATALOG.entry("gripper")
    for balls, count in ((45, 1), (45, 2), (45, 9), (28, 11)):
        gold = rooms(balls, count)
        pairs_drawn = [
            Pair(kind, 0, renamed(changed(kind, gripper, gold, rng), rng), gold)
            for kind in KINDS
            for _ in range(3)
        ]
        measured = [measure(gripper, pair) for pair in pairs_drawn]
        show(f"{balls} balls in {count} rooms", [m[0] for m in measured], sum(m[2] for m in measured))


def sample(entry: Entry, rng: random.Random, share: int = 4) -> Iterator[Problem]:
    """Yield problems of 20 to 100 facts from every task, medium and hard."""
    for task in entry.tasks:
        for level in ("medium", "hard"):
            for _ in range(share):
                parameters = entry.generator.draw(task, entry.description.difficulties[level], rng)
                problem = entry.generator.build(task, parameters, rng).problem
                if 20 <= len(problem.init) + len(problem.goal) <= 100:
                    yield problem


def tower(size: int, rng: random.Random) -> Problem:
    """Return a blocksworld problem from one tower to another."""

    def facts() -> list[tuple[str, ...]]:
        order = rng.sample(names, size)
        links = [("on", upper, lower) for upper, lower in pairwise(order)]
        return [("arm-empty",), ("clear", order[0]), ("on-table", order[-1]), *links]

    names = [f"b{i}" for i in range(size)]
    objects = tuple(map(TypedName, names))
    return Problem("tower", "blocksworld", objects, frozenset(facts()), literals(facts()))


def measure_keys(entry: Entry, problem: Problem, rng: random.Random) -> tuple[list[float], bool]:
    """Return milliseconds of closure, strict key, both keys and VF2, and whether VF2 gave up."""
    rule = entry.generator.close_goal
    copy = renamed(problem, rng)
    closing, closure = milliseconds(lambda: close(entry.domain, problem, rule))
    layers = strict_layers(problem, closure)
    strict, _ = milliseconds(lambda: canonical(problem_graph(entry.domain, problem, layers)).key)
    keys_time, key_pair = milliseconds(lambda: keys_of(entry.domain, problem, closure))
    closed = close(entry.domain, copy, rule)
    assert key_pair == keys_of(entry.domain, copy, closed)
    graphs = [problem_graph(entry.domain, problem, layers)]
    graphs.append(problem_graph(entry.domain, copy, strict_layers(copy, closed)))
    pair = [digraph(graph) for graph in graphs]
    start = time.perf_counter()
    matched = rustworkx.is_isomorphic(*pair, same, same, id_order=False, call_limit=KEY_CALLS)
    return [closing, strict, keys_time, (time.perf_counter() - start) * 1000], not matched


def show_keys(title: str, entry: Entry, problems: list[Problem]) -> None:
    """Print a line of medians and 95th percentiles."""
    rng = random.Random(2)
    results = [measure_keys(entry, problem, rng) for problem in problems]
    line = f"{title:26}{len(problems):5}"
    for column in zip(*(times for times, _ in results), strict=True):
        ordered = sorted(column)
        line += f"{statistics.median(ordered):9.3f}{ordered[int(0.95 * (len(ordered) - 1))]:9.3f}"
    print(line + f"{sum(gave_up for _, gave_up in results):6}")


def time_keys() -> None:
    """Print the table over all sets of problems."""
    heads = ("closure", "strict key", "both keys", "VF2")
    print(f"\n{'median and 95th, ms':31}" + "".join(f"{head:>18}" for head in heads) + "  left")
    for name in ("blocksworld", "gripper", "floor-tile"):
        entry = CATALOG.entry(name)
        show_keys(name, entry, list(sample(entry, random.Random(1))))
    rng = random.Random(3)
    show_keys("tower of 55 blocks", CATALOG.entry("blocksworld"), [tower(55, rng) for _ in range(10)])
    for balls, count in ((45, 1), (45, 2), (45, 9), (28, 11)):
        show_keys(f"{balls} balls in {count} rooms", CATALOG.entry("gripper"), [rooms(balls, count)])


if __name__ == "__main__":
    main()
    time_keys()
