"""Check which objects a text leaves open, and whether they matter to the goal.

Which objects an abstract passage names is found by writing it once more, by the same choices, with a mark in
the place of each object; an explicit one names those of its facts. That open objects matter is shown by two
of them whose exchange a plan can bring about, and by a state that is a goal before it but not after; that
they do not, by permutations that make up all that keep types, facts that stay and fixed objects.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, islice
from typing import Any, TypeAlias

from orrery.checks.automorphisms import OutOfWork, generators
from orrery.checks.execution import is_plan, successor
from orrery.checks.graphs import Graph, ObjectGraph, graph_of
from orrery.checks.verdicts import undecided
from orrery.language.choices import Digits, Followed, Wordings
from orrery.language.words import Words, macro_name, names_by_type
from orrery.model import (
    Atom,
    ConfigurationPair,
    Domain,
    Literal,
    Problem,
    State,
    Step,
    literals,
    parameters_beside,
)
from orrery.pddl.write import parse_atom

Row: TypeAlias = Mapping[str, Any]
Move: TypeAlias = Mapping[str, str]
Planner: TypeAlias = Callable[[Problem], Sequence[Step] | None]
Passages: TypeAlias = Callable[[str, bool], Wordings]  # by part, and whether the goal is explicit

PARTS = ("init", "goal")
PAIRS = 12  # exchanges tried for a witness
MARKS = "\ue000", "\ue001"  # around the number that stands for an object
MARK = re.compile(rf"{MARKS[0]}[0-9]+{MARKS[1]}")
WORK = 1_000_000  # times that a vertex is coloured, where permutations are not all made up of exchanges


@dataclass(frozen=True)
class OpenObjects:
    """What is open in the texts of one problem; ``passages`` are the wordings of its abstract passages."""

    words: Words
    domain: Domain
    problem: Problem
    task: ConfigurationPair
    parameters: Mapping[str, dict[str, Any]]
    plan: Sequence[str]
    passages: Passages
    planner: Planner | None = None

    def check(self, row: Row) -> list[str]:
        """Return what is wrong with ``open_objects`` and ``is_placeholder`` of one text."""
        abstract = {part: bool(row[f"{part}_is_abstract"]) for part in PARTS}
        wanted: list[str] = []
        if any(abstract.values()) and self.task.interchangeable:
            named = {part: self._named(part, row) for part in PARTS}
            if lost := [part for part in PARTS if named[part] is None]:
                return [
                    undecided(f"which objects its {lost[0]} text names: it is not written like this again")
                ]
            wanted = sorted(self._open(*((named[part] or frozenset(), abstract[part]) for part in PARTS)))
        if list(row["open_objects"]) != wanted:
            return [f"open_objects is {' '.join(row['open_objects'])}, should be {' '.join(wanted)}"]
        matters = self._matter(wanted)
        if matters is None:
            return [undecided("whether its open objects matter to the goal")]
        is_placeholder = row["is_placeholder"]
        return (
            []
            if is_placeholder == matters
            else [f"is_placeholder is {is_placeholder}, should be {int(matters)}"]
        )

    def said(self, part: str, row: Row) -> frozenset[str]:
        """Return the objects that a passage of a text names; none where it is not written like this again."""
        return self._named(part, row) or frozenset()

    # ---- what is named

    def _named(self, part: str, row: Row) -> frozenset[str] | None:
        """Return the objects that a passage of a text names; None where none of the wordings is this one."""
        if not row[f"{part}_is_abstract"]:
            facts = self.problem.init if part == "init" else [literal.atom for literal in self.problem.goal]
            return frozenset(name for fact in facts for name in fact[1:])
        explicit_goal = not row["goal_is_abstract"]
        way = self.passages(part, explicit_goal).match(row[f"{part}_text"])
        return None if way is None else self._marked_in(part, explicit_goal, way, row[f"{part}_text"])

    @cached_property
    def _marked_in(self) -> Callable[[str, bool, Digits, str], frozenset[str] | None]:
        """Function that returns the objects that a passage names, from the choices that it is written by."""

        def of(part: str, explicit_goal: bool, way: Digits, text: str) -> frozenset[str] | None:
            marked = self._with_marks(part, explicit_goal)
            text_told = self.words.call(*marked, Followed(way))
            if self._with_names(text_told) != text:  # the macro does not choose in the order of its text
                wordings = self.words.every(*marked)
                rewritten = wordings.changed(self._with_names).match(text)
                if rewritten is None:
                    return None
                text_told = wordings.said(rewritten)
            return frozenset(self._name[mark] for mark in MARK.findall(text_told))

        return cache(of)  # a problem has several texts

    @cached_property
    def _with_marks(self) -> Callable[[str, bool], tuple[Any, ...]]:
        """Function that returns the macro of a passage and its arguments, marks in the place of names."""

        def of(part: str, explicit_goal: bool) -> tuple[Any, ...]:
            names, marks = names_by_type(self.problem, self.domain), {v: k for k, v in self._name.items()}
            parameters = parameters_beside(self.parameters[part], explicit_goal=explicit_goal)
            macro = macro_name(part, getattr(self.task, part))
            return macro, _marked(parameters, marks), _marked(names, marks)

        return cache(of)

    def _with_names(self, marked: str) -> str:
        return MARK.sub(lambda mark: self._name[mark[0]], marked)

    @cached_property
    def _name(self) -> dict[str, str]:
        """The names of the objects by the marks that stand for them."""
        return {f"{MARKS[0]}{number:05d}{MARKS[1]}": typed.name for number, typed in enumerate(self._ordered)}

    @cached_property
    def _ordered(self) -> list[Any]:
        """The objects in the order of their names, b2 before b10, as lists of names are."""
        names_in_order = [
            name for names in names_by_type(self.problem, self.domain).values() for name in names
        ]
        rank = {name: number for number, name in enumerate(dict.fromkeys(names_in_order))}
        return sorted(self.problem.objects, key=lambda typed: rank[typed.name])

    def _open(self, init: tuple[frozenset[str], bool], goal: tuple[frozenset[str], bool]) -> Iterator[str]:
        """Yield the open objects, from the names of each passage and whether it is abstract."""
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
        """The objects by types, and by the static facts about each alone."""
        names_by_kind: dict[object, list[str]] = defaultdict(list)
        for typed in self.problem.objects:
            unary_facts = sorted(fact[0] for fact in self._static if fact[1:] == (typed.name,))
            names_by_kind[typed.types, tuple(unary_facts)].append(typed.name)
        return [sorted(members) for members in names_by_kind.values()]

    @cached_property
    def _static(self) -> list[Atom]:
        return sorted(fact for fact in self.problem.init if fact[0] not in self.domain.fluents)

    @cached_property
    def _kept(self) -> frozenset[Atom]:
        """The facts that no action takes away. A permutation that keeps what is reachable keeps them, too.

        All of them are true in the rearranged initial state, if it is reached, and it has no more of them.
        """
        deleted = {atom[0] for action in self.domain.actions for atom in action.delete}
        return frozenset(fact for fact in self.problem.init if fact[0] not in deleted)

    # ---- what matters

    def _matter(self, opened: Sequence[str]) -> bool | None:
        """Return whether a permutation of the open objects changes the goal; None where that stays open."""
        if not opened:
            return False
        graph = self._graph(frozenset(opened))
        pairs, whole = self._exchanges(frozenset(opened), *graph)
        changing: list[Move] = [{first: second, second: first} for first, second in pairs]
        if any(self._witnessed(move) for move in islice(changing, PAIRS)):
            return True
        if whole:
            return None if changing else False
        changing, all_seen = self._changing(*graph)
        if any(self._witnessed(move) for move in changing):
            return True
        return False if all_seen and not changing else None

    def _exchanges(
        self, opened: frozenset[str], graph: Graph, order: Sequence[str]
    ) -> tuple[list[tuple[str, str]], bool]:
        """Return pairs whose exchange keeps the facts that stay and changes the goal as it is written.

        The second result says whether all open objects that a permutation may move to each other exchange, so
        that these exchanges make up all permutations.
        """
        exchanges, whole = [], True
        alike: dict[str, list[str]] = defaultdict(list)  # no permutation takes one label to another
        for vertex, name in enumerate(order):
            if name in opened:
                alike[graph[vertex]].append(name)
        for members in alike.values():
            for pair in combinations(sorted(members), 2):
                move = {pair[0]: pair[1], pair[1]: pair[0]}
                if _image(self._kept, move) != self._kept:
                    whole = False
                elif _image(self._goal, move) != self._goal:
                    exchanges.append(pair)
                    if len(exchanges) == PAIRS:
                        return exchanges, False
        return exchanges, whole

    def _changing(self, graph: Graph, order: Sequence[str]) -> tuple[list[Move], bool]:
        """Return some permutations that change the goal as it is written, of those that make up all others.

        The second result says whether all of these were looked at.
        """
        moves: list[Move] = []
        try:
            for places in generators(graph, len(order), WORK):
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
        """The goal as it is written, its negative literals marked."""
        return frozenset(
            literal.atom if literal.positive else (f"not {literal.atom[0]}", *literal.atom[1:])
            for literal in self.problem.goal
        )

    def _graph(self, opened: frozenset[str]) -> tuple[Graph, list[str]]:
        """Return objects and facts that stay as a graph, and the objects that its vertices begin with.

        Labels tell types and fixed objects, and what is around each.
        """
        labels = {
            name: f"{number} {'' if name in opened else name}"
            for number, members in enumerate(self._kinds)
            for name in members
        }
        facts = [(fact[0], tuple(fact[1:])) for fact in sorted(self._kept)]
        return graph_of(ObjectGraph(labels, facts)), list(labels)

    def _witnessed(self, move: Move) -> bool:
        """Return whether a plan leads to the rearranged initial state, and a goal state is none any more."""
        image = _image(self.problem.init, move)
        moving = literals(fact for fact in image if fact[0] in self.domain.fluents)
        moved_problem = Problem(
            self.problem.name, self.problem.domain, self.problem.objects, self.problem.init, moving
        )
        steps = self.planner(moved_problem) if self.planner else None
        if steps is None or self._after(moved_problem, steps) != image:
            return False
        goal = frozenset(
            Literal(_moved(literal.atom, move), literal.positive) for literal in self.problem.goal
        )
        last = self._after(self.problem, [parse_atom(step) for step in self.plan])
        if last is None:
            return False
        changed = not all(literal.holds(last) for literal in goal)
        return changed or not self.problem.satisfied(_image(last, move))

    def _after(self, problem: Problem, steps: Sequence[Step]) -> State | None:
        """Return the state after a plan; None where it is none of the problem."""
        if not is_plan(self.domain, problem, steps):
            return None
        state = problem.init
        for step in steps:
            state = successor(self.domain, state, step)
        return state


def _moved(atom: Atom, move: Move) -> Atom:
    return (atom[0], *(move.get(name, name) for name in atom[1:]))


def _image(facts: Iterable[Atom], move: Move) -> frozenset[Atom]:
    return frozenset(_moved(fact, move) for fact in facts)


def _marked(value: Any, marks: Mapping[str, str]) -> Any:
    """Return a JSON value with the mark of each object in the place of its name."""
    if isinstance(value, Mapping):
        return {marks.get(key, key): _marked(inner, marks) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_marked(inner, marks) for inner in value]
    return marks.get(value, value) if isinstance(value, str) else value
