"""Many problems of a domain as arrays of numbered facts, and as PDDL, written all at once.

What is asked of each of many problems (does its goal hold? how often does a predicate occur?) is one
operation on the arrays; so is the text, which is byte for byte that of ``write_problem``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from orrery.equivalence.certificates import Certifier
from orrery.equivalence.fact_numbers import FactNumbers
from orrery.model import Atom, Literal, Problem, Sketch, literals
from orrery.pddl.write import write_typed
from orrery.store.kinds import STRING

Numbers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

MOST_FLAGS = 1 << 26  # one for each problem and fact; more are too much memory


class Listed(NamedTuple):
    """Facts of many problems: the number of the problem, ascending, and that of the fact."""

    problem: Numbers
    fact: Numbers

    def where(self, chosen: Flags) -> Listed:
        """Return those that are chosen."""
        return Listed(self.problem[chosen], self.fact[chosen])

    def of(self, problems: Numbers) -> Listed:
        """Return those of some problems, given in ascending order, numbered by their place there."""
        place = np.searchsorted(problems, self.problem)
        place[place == len(problems)] = 0
        here = problems[place] == self.problem if len(problems) else np.zeros(len(place), bool)
        return Listed(place[here], self.fact[here])

    def of_one(self, problem: int) -> list[int]:
        """Return the facts of one problem."""
        start, end = np.searchsorted(self.problem, [problem, problem + 1])
        facts: list[int] = self.fact[start:end].tolist()
        return facts

    def renumbered(self, numbers: Callable[[Numbers], Numbers]) -> Listed:
        """Return them with other numbers of facts."""
        return Listed(self.problem, numbers(self.fact))

    def joined(self, other: Listed) -> Listed:
        """Return these facts and others, in the order of their problems."""
        problem = np.concatenate([self.problem, other.problem])
        order = np.argsort(problem, kind="stable")
        return Listed(problem[order], np.concatenate([self.fact, other.fact])[order])


class ProblemArrays(NamedTuple):
    """Problems: the number of the list of objects of each; initial facts; what goals want, and not."""

    objects: Numbers
    init: Listed
    wanted: Listed
    unwanted: Listed

    @classmethod
    def of(cls, certifier: Certifier, problems: Sequence[Problem]) -> ProblemArrays:
        """Return problems as arrays of the numbers of ``certifier``."""
        number = certifier.facts.__getitem__
        wanted = [[number(atom) for atom, positive in problem.goal if positive] for problem in problems]
        unwanted = [
            [number(atom) for atom, positive in problem.goal if not positive]
            if len(some) < len(problem.goal)
            else []
            for problem, some in zip(problems, wanted, strict=True)
        ]
        return cls(
            np.array([certifier.objects[problem.objects] for problem in problems], np.int64),
            listed(map(number, problem.init) for problem in problems),
            listed(wanted),
            listed(unwanted),
        )

    @classmethod
    def of_sketches(
        cls, certifier: Certifier, sketches: Sequence[Sketch], facts: SketchedFacts
    ) -> tuple[ProblemArrays, Listed]:
        """Return sketched problems as arrays, and their closures."""
        init, goal, closed = (
            listed(some).renumbered(facts)
            for some in (
                [each.init for each in sketches],
                [each.goal for each in sketches],
                [each.closure for each in sketches],
            )
        )
        objects = np.array([certifier.objects[each.objects] for each in sketches], np.int64)
        return cls(objects, init, goal, listed(() for _ in sketches)), closed

    def problem(self, certifier: Certifier, names: tuple[str, str], number: int) -> Problem:
        """Return a problem; ``names`` are its own and that of the domain."""
        facts = certifier.facts.facts
        init, wanted, unwanted = (
            [facts[fact] for fact in some.of_one(number)] for some in (self.init, self.wanted, self.unwanted)
        )
        goal = frozenset([*literals(wanted), *(Literal(fact, False) for fact in unwanted)])
        objects = certifier.objects.lists[int(self.objects[number])]
        return Problem(*names, objects, frozenset(init), goal)

    @property
    def total(self) -> int:
        """How many problems there are."""
        return len(self.objects)

    def some(self, numbers: Numbers) -> ProblemArrays:
        """Return some of the problems, in the order given, which is ascending."""
        return ProblemArrays(self.objects[numbers], *(each.of(numbers) for each in self[1:]))

    def sizes(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the number of initial facts and of goal literals by problem."""
        init, *goal = (
            np.bincount(each.problem, minlength=self.total)
            for each in (self.init, self.wanted, self.unwanted)
        )
        return init, goal[0] + goal[1]

    def satisfied(self) -> Flags:
        """Return for each problem whether its goal holds at the start."""
        wrong = np.zeros(self.total, bool)
        wrong[self.wanted.problem[~self._holds(self.wanted)]] = True
        wrong[self.unwanted.problem[self._holds(self.unwanted)]] = True
        return ~wrong

    def _holds(self, asked: Listed) -> Flags:
        """Return for each of the facts whether it holds at the start."""
        width = 1 + max(int(each.fact.max(initial=0)) for each in (self.init, asked))
        wanted, there = (each.problem * width + each.fact for each in (asked, self.init))
        if self.total * width > MOST_FLAGS:
            found: Flags = np.isin(wanted, there)
            return found
        holds = np.zeros(self.total * width, bool)
        holds[there] = True
        found = holds[wanted]
        return found

    def may_hold_permuted(self, facts: FactNumbers, fluent: Flags) -> Flags:
        """Return for each problem whether counting leaves it open that the goal holds under other names.

        As ``goal_holds_permuted`` counts: what the goal says of facts that no action changes must hold as it
        stands, and of no predicate may it want more facts than there are.
        """
        predicates, width = facts.columns()[0], len(fluent)
        left = np.ones(self.total, bool)
        for asked, good in ((self.wanted, True), (self.unwanted, False)):
            fixed = asked.where(~fluent[predicates[asked.fact]])
            left[fixed.problem[self._holds(fixed) != good]] = False
        changing = self.wanted.where(fluent[predicates[self.wanted.fact]])
        wanted, there = (
            np.bincount(each.problem * width + predicates[each.fact], minlength=self.total * width).reshape(
                self.total, width
            )
            for each in (changing, self.init)
        )
        left[(wanted > there).any(axis=1)] = False
        return left


def listed(facts: Iterable[Iterable[int]]) -> Listed:
    """Return the facts of problems, given problem by problem."""
    some = [list(each) for each in facts]
    problem = np.repeat(np.arange(len(some)), [len(each) for each in some])
    return Listed(problem, np.fromiter(chain.from_iterable(some), np.int64, len(problem)))


class SketchedFacts:
    """The numbers that a generator gives to facts in sketches, and those of ``certifier`` for the same."""

    def __init__(self, certifier: Certifier, fact: Callable[[int], Atom]) -> None:
        """Begin with none; ``fact`` gives the fact of a number."""
        self._certifier, self._fact = certifier, fact
        self._theirs, self._ours = np.full(1, -1), np.zeros(1, np.int64)

    def __call__(self, numbers: Numbers) -> Numbers:
        """Return for the generator's numbers those of the certifier."""
        place = np.searchsorted(self._theirs, numbers)
        place[place == len(self._theirs)] = 0
        new = np.unique(numbers[self._theirs[place] != numbers])
        if not len(new):
            found: Numbers = self._ours[place]
            return found
        ours = [self._certifier.facts[self._fact(number)] for number in new.tolist()]
        theirs = np.concatenate([self._theirs, new])
        order = np.argsort(theirs)
        self._theirs, self._ours = theirs[order], np.concatenate([self._ours, ours])[order]
        return self(numbers)


class ProblemWriter:
    """Writes problems of a domain as PDDL, with the numbers of ``certifier``."""

    def __init__(self, domain: str, certifier: Certifier) -> None:
        """Prepare to write problems of the domain."""
        self._domain, self._numbers = domain, certifier
        self._facts: list[str] = []
        self._rank = np.zeros(0, np.int64)
        self._texts: Any = pa.array([], STRING)

    def written(self, names: Sequence[str], arrays: ProblemArrays) -> Any:
        """Return the texts of problems of these names, without costs, as an Arrow array."""
        self._note()
        count = len(self._facts)
        goal = arrays.wanted.joined(Listed(arrays.unwanted.problem, arrays.unwanted.fact + count))
        init = _enclosed(self._sorted(arrays.init), arrays.total)
        wanted = _enclosed(self._sorted(goal), arrays.total)
        lists, of = np.unique(arrays.objects, return_inverse=True)
        typed = [write_typed(self._numbers.objects.lists[number]) for number in lists.tolist()]
        return pc.binary_join_element_wise(
            "(define (problem ",
            pa.array(names, STRING),
            f")\n  (:domain {self._domain})\n  (:objects ",
            pa.array(typed, STRING).take(pa.array(of)),
            ")\n  (:init ",
            init,
            ")\n  (:goal (and",
            pc.if_else(pc.equal(wanted, ""), "", " "),
            wanted,
            ")))\n",
            "",
        )

    def _sorted(self, some: Listed) -> tuple[Numbers, Any]:
        """Return the problem of each fact and the facts as texts, in the order in which they are written."""
        order = np.argsort(some.problem * len(self._rank) + self._rank[some.fact])
        return some.problem, self._texts.take(pa.array(some.fact[order]))

    def _note(self) -> None:
        """Bring order and texts up to date: of facts, and after them of their negations."""
        known, facts = len(self._facts), self._numbers.facts.facts
        if known == len(facts):
            return
        self._facts += map(" ".join, facts[known:])
        ordered = sorted(range(len(facts)), key=self._facts.__getitem__)
        rank = np.empty(len(facts), np.int64)
        rank[ordered] = np.arange(len(facts))
        # Of a fact and its negation, the negation comes first.
        self._rank = np.concatenate([2 * rank + 1, 2 * rank])
        self._texts = pa.array(chain(self._facts, (f"not ({fact})" for fact in self._facts)), STRING)


def _enclosed(some: tuple[Numbers, Any], count: int) -> Any:
    """Return the facts of each problem in parentheses."""
    problem, texts = some
    sizes = np.bincount(problem, minlength=count)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    joined = pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), texts), ") (")
    return pc.if_else(pa.array(sizes > 0), pc.binary_join_element_wise("(", joined, ")", ""), "")
