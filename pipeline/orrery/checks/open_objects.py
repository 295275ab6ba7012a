"""Check which objects a text leaves open, and whether they affect the goal.

An abstract passage names the objects whose names are words in it; an explicit passage names those of its
facts. Open objects affect the goal if a plan can exchange two of them, and some state satisfies the goal
before the exchange but not after it. They do not affect it if no generator of the permutations that keep
types, permanent facts and fixed objects changes the goal.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, TypeAlias

from orrery.checks.automorphisms import (
    ColouredGraph,
    ObjectGraph,
    OutOfWork,
    generators,
    graph_of,
    kinds,
    moved,
    stable,
)
from orrery.checks.execution import execute, is_plan
from orrery.checks.verdicts import differing, undecided
from orrery.model import (
    Atom,
    ConfigurationPair,
    Domain,
    Literal,
    Problem,
    Row,
    Step,
    literals,
)
from orrery.pddl.write import parse_atom

Move: TypeAlias = Mapping[str, str]
Planner: TypeAlias = Callable[[Problem], Sequence[Step] | None]

PARTS = ("init", "goal")
PAIRS = 12  # limit of exchanges that are tried as witnesses
WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True)
class OpenObjects:
    """The open objects in the texts of one problem."""

    domain: Domain
    problem: Problem
    task: ConfigurationPair
    parameters: Mapping[str, dict[str, Any]]
    plan: Sequence[str]
    planner: Planner | None = None

    def check(self, row: Row) -> list[str]:
        """Return the faults of ``open_objects`` and ``is_placeholder`` of one text."""
        abstract = {part: bool(row[f"{part}_is_abstract"]) for part in PARTS}
        wanted: list[str] = []
        if any(abstract.values()) and self.task.interchangeable:
            wanted = sorted(self._open(*((self.named(part, row), abstract[part]) for part in PARTS)))
        if list(row["open_objects"]) != wanted:
            return [f"open_objects is {' '.join(row['open_objects'])}, should be {' '.join(wanted)}"]
        matters = self._matter(wanted)
        if matters is None:
            return [undecided("whether its open objects matter to the goal")]
        return differing({"is_placeholder": int(matters)}, row)

    def named(self, part: str, row: Row) -> frozenset[str]:
        """Return the objects that a part of a text names: in its facts, or among its words."""
        if row[f"{part}_is_abstract"]:
            words = {word.strip("-") for word in WORD.findall(row[f"{part}_text"].lower())}
            return frozenset(typed.name for typed in self.problem.objects if typed.name in words)
        facts = self.problem.init if part == "init" else [literal.atom for literal in self.problem.goal]
        return frozenset(name for fact in facts for name in fact[1:])

    def _open(self, init: tuple[frozenset[str], bool], goal: tuple[frozenset[str], bool]) -> Iterator[str]:
        """Yield the open objects; the arguments are the names of each passage and whether it is abstract."""
        (first, _), (second, _) = init, goal
        for members in self._kinds:
            apart = any(name in first and name not in second for name in members)
            apart = apart and any(name in second and name not in first for name in members)
            for name in members:
                fixed = name in first and name in second
                fixed = fixed or (
                    apart and any(abstract and name in named for named, abstract in (init, goal))
                )
                if not fixed:
                    yield name

    @cached_property
    def _kinds(self) -> list[list[str]]:
        return [*kinds(self.domain, self.problem).values()]

    @cached_property
    def _lasting_facts(self) -> frozenset[Atom]:
        """The facts that no action deletes; a permutation that keeps reachability keeps them, too.

        If the rearranged initial state is reachable, all of them are true in it, and it has no more of them.
        """
        deleted = {atom[0] for action in self.domain.actions for atom in action.delete}
        return frozenset(fact for fact in self.problem.init if fact[0] not in deleted)

    # ---- what matters

    def _matter(self, opened: Sequence[str]) -> bool | None:
        """Return whether a permutation of the open objects changes the goal; None if this is not decided."""
        if not opened:
            return False
        graph = self._graph(frozenset(opened))
        changing, whole = self._exchanges(frozenset(opened), *graph)
        if any(map(self._witnessed, changing)):
            return True
        if whole:
            return None if changing else False
        changing, all_seen = self._changing(*graph)
        if any(map(self._witnessed, changing)):
            return True
        return False if all_seen and not changing else None

    def _exchanges(
        self, opened: frozenset[str], graph: ColouredGraph, order: Sequence[str]
    ) -> tuple[list[Move], bool]:
        """Return exchanges of two objects that keep the permanent facts and change the goal as it is written.

        The second result says whether exchanges generate all permutations: all open objects that a
        permutation may map to each other can be exchanged.
        """
        moves, whole = list[Move](), True
        alike: dict[int, list[str]] = defaultdict(list)  # no permutation maps one colour to another
        for colour, name in zip(stable(graph, graph.colours), order, strict=False):
            if name in opened:
                alike[colour].append(name)
        for members in alike.values():
            for first, second in combinations(sorted(members), 2):
                move = {first: second, second: first}
                if _image(self._lasting_facts, move) != self._lasting_facts:
                    whole = False
                elif _image(self._goal, move) != self._goal:
                    moves.append(move)
                    if len(moves) == PAIRS:
                        return moves, False
        return moves, whole

    def _changing(self, graph: ColouredGraph, order: Sequence[str]) -> tuple[list[Move], bool]:
        """Return those generators of the permutations that change the goal as it is written.

        The second result says whether all generators were tested.
        """
        moves: list[Move] = []
        try:
            for places in generators(graph):
                move = {order[first]: order[second] for first, second in places.items()}
                if _image(self._goal, move) != self._goal:
                    moves.append(move)
                    if len(moves) == PAIRS:
                        return moves, False
        except OutOfWork:
            return moves, False
        return moves, True

    @cached_property
    def _goal(self) -> frozenset[Atom]:
        """The goal as it is written, with marks for negative literals."""
        return frozenset(
            literal.atom if literal.positive else (f"not {literal.atom[0]}", *literal.atom[1:])
            for literal in self.problem.goal
        )

    def _graph(self, opened: frozenset[str]) -> tuple[ColouredGraph, list[str]]:
        """Return objects and permanent facts as a graph, and the objects that are its first vertices.

        Labels distinguish types, fixed objects and neighbourhoods.
        """
        labels = {
            name: f"{number} {'' if name in opened else name}"
            for number, members in enumerate(self._kinds)
            for name in members
        }
        facts = [(fact[0], tuple(fact[1:])) for fact in sorted(self._lasting_facts)]
        return graph_of(ObjectGraph(labels, facts)), list(labels)

    def _witnessed(self, move: Move) -> bool:
        """Return whether a plan reaches the rearranged initial state, and a goal state is no longer one."""
        image = _image(self.problem.init, move)
        moving = literals(fact for fact in image if fact[0] in self.domain.fluents)
        moved_problem = replace(self.problem, goal=moving, metric=False)
        steps = self.planner(moved_problem) if self.planner else None
        own_steps = [parse_atom(step) for step in self.plan]
        if steps is None or not is_plan(self.domain, moved_problem, steps):
            return False
        if execute(self.domain, self.problem, steps).last != image:
            return False
        if not is_plan(self.domain, self.problem, own_steps):
            return False
        last = execute(self.domain, self.problem, own_steps).last
        goal = (Literal(moved(literal.atom, move), literal.positive) for literal in self.problem.goal)
        changed = not all(literal.holds(last) for literal in goal)
        return changed or not self.problem.satisfied(_image(last, move))


def _image(facts: Iterable[Atom], move: Move) -> frozenset[Atom]:
    return frozenset(moved(fact, move) for fact in facts)
