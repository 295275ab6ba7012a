"""The keys of many problems of a domain at once: byte for byte those of ``equivalence.keys``."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from orrery.catalog import Alike, Entry
from orrery.equivalence.canonical import Canonical
from orrery.equivalence.certificates import Certifier, GraphArrays
from orrery.equivalence.closure import RULE, Closure, close
from orrery.equivalence.graph import Layers
from orrery.equivalence.keys import (
    AVOID,
    GOAL,
    INIT,
    STATIC,
    as_spelled,
    form_of,
    goal_key,
    goal_layers,
    init_key,
    strict_key,
    strict_layers,
)
from orrery.equivalence.permuted import goal_holds_permuted
from orrery.equivalence.undecided import Undecided
from orrery.families.problems.candidates import GOAL_HOLDS, NO_KEY, NOT_KNOWN
from orrery.families.problems.problem_arrays import Listed, ProblemArrays, listed
from orrery.model import Problem, State

CLOSED = Closure(True, RULE)  # stands for closures of which only arrays have the facts
KEPT = 100_000  # halves of loose keys; some 20 MB

Numbers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Known: TypeAlias = tuple[Hashable, ...]  # what a half of a loose key is remembered by


class ToKey(NamedTuple):
    """A problem, its name, and what its generator says of it: its closure, what it is alike, if anything."""

    name: str
    problem: Callable[[], Problem]
    closure: Callable[[], State] | None
    alike: Alike | None
    interchangeable: bool


class Keyed(NamedTuple):
    """The keys of a problem and whether its goal holds permuted; or else the reason why there are none."""

    reason: str = ""
    detail: str = ""
    strict: str = ""
    loose: str = ""
    holds: int = 0


class KeyMaker:
    """Makes the keys of problems of one domain; the halves of loose keys are remembered."""

    def __init__(self, entry: Entry, certifier: Certifier) -> None:
        """Prepare for problems of a domain, numbered by the certifier."""
        self.entry, self.certifier = entry, certifier
        self.texts, self.domain = entry.description.texts, entry.domain
        fluents = entry.domain.fluents
        self.fluent = np.array([each.name in fluents for each in entry.domain.predicates] or [False])
        self.halves: dict[Known, str] = {}

    def keyed(
        self, problems: Sequence[ToKey], arrays: ProblemArrays, closed: Listed | None = None
    ) -> list[Keyed]:
        """Return the keys of the problems, which are also given as arrays; so may be all closures."""
        found = _BatchKeys(self, problems, arrays, closed).found()
        if len(self.halves) > KEPT:
            for known in list(islice(self.halves, KEPT // 2)):
                del self.halves[known]
        return found

    def closure(self, each: ToKey) -> Closure:
        """Return the closure of a problem; of one without texts, the goal as it is spelled."""
        if not self.texts:
            return as_spelled(self.domain, each.problem())
        if each.closure is not None:
            return Closure(True, RULE, each.closure())
        return close(self.domain, each.problem(), self.entry.closure_rule)


class _Half(NamedTuple):
    """A half of a loose key: what it is remembered by, if anything, its layers, and its making."""

    known: Known | None
    layers: Callable[[], Layers]
    key: Callable[[Canonical], str]


class _BatchKeys:
    """The keys of one batch of problems."""

    def __init__(
        self, maker: KeyMaker, problems: Sequence[ToKey], arrays: ProblemArrays, closed: Listed | None
    ) -> None:
        self.maker, self.domain, self.problems, self.arrays = maker, maker.domain, problems, arrays
        self.halves = maker.halves
        self.of_batch: dict[tuple[str, int], str] = {}
        self.satisfied = arrays.satisfied()
        facts = maker.certifier.facts
        if closed is not None and maker.texts:
            self.closures: list[Closure | None] = [CLOSED] * len(problems)
            self.positive, self.negative = closed, listed(() for _ in problems)
        else:
            self.closures = [
                None if satisfied else maker.closure(each)
                for each, satisfied in zip(problems, self.satisfied.tolist(), strict=True)
            ]
            self.positive, self.negative = (
                listed(map(facts.__getitem__, getattr(each, sign) if each else ()) for each in self.closures)
                for sign in ("positive", "negative")
            )
        self.predicates = facts.columns()[0]

    def found(self) -> list[Keyed]:
        """Return the keys of the problems."""
        decided = np.array([closure is not None and closure.decided for closure in self.closures], bool)
        decided &= ~self.satisfied
        stricts = self._stricts(np.flatnonzero(decided))
        possible = self._may_hold(decided)
        self._prepare(np.flatnonzero(decided), possible)
        return [self._keyed(number, stricts.get(number), possible[number]) for number in range(len(decided))]

    def _stricts(self, numbers: Numbers) -> dict[int, str | Undecided]:
        """Return the strict keys of problems whose closure is known."""
        init, goal, avoid = (each.of(numbers) for each in (self.arrays.init, self.positive, self.negative))
        forms = self._forms(
            numbers,
            {INIT: init, GOAL: goal, AVOID: avoid},
            lambda number: strict_layers(self.problems[number].problem(), self._whole_closure(number)),
        )
        return {
            number: form
            if isinstance(form, Undecided)
            else strict_key(self.domain, self._closure(number), form)
            for number, form in zip(numbers.tolist(), forms, strict=True)
        }

    def _may_hold(self, decided: Flags) -> Flags:
        """Return for which problems it is to be found out whether the goal holds permuted.

        Only texts that leave the objects of the goal open can find it true at the start.
        """
        linked = np.array([not each.interchangeable for each in self.problems], bool)
        if not self.maker.texts or linked.all():
            return np.zeros(len(linked), bool)
        possible = self.arrays.may_hold_permuted(self.maker.certifier.facts, self.maker.fluent)
        found: Flags = decided & ~linked & possible
        return found

    def _prepare(self, numbers: Numbers, possible: Flags) -> None:
        """Make the halves of loose keys that are not known yet."""
        fluent = self.maker.fluent
        static = self.arrays.init.where(~fluent[self.predicates[self.arrays.init.fact]])
        wanted = self.arrays.wanted.where(fluent[self.predicates[self.arrays.wanted.fact]])
        said = static.joined(wanted)
        counts = [np.bincount(each.problem, minlength=len(possible)) for each in (said, self.arrays.init)]
        same = np.flatnonzero(possible & (counts[0] == counts[1]))
        self._prepare_some("init", numbers, {INIT: self.arrays.init})
        self._prepare_some("goal", numbers, {STATIC: static, GOAL: self.positive, AVOID: self.negative})
        self._prepare_some("goal as init", same, {INIT: said})

    def _prepare_some(self, what: str, numbers: Numbers, layers: dict[str, Listed]) -> None:
        """Make halves of one sort, each once for all problems that it is known to be the same for."""
        asked: dict[Known, int] = {}
        for number in numbers.tolist():
            known = self._known(what, number)
            if known is None:
                asked[what, "this", number] = number
            elif known not in self.halves:
                asked.setdefault(known, number)
        some = np.array(list(asked.values()), np.int64)
        forms = self._forms(
            some,
            {name: each.of(some) for name, each in layers.items()},
            lambda number: self._half(what, number).layers(),
        )
        for (known, number), form in zip(asked.items(), forms, strict=True):
            if not isinstance(form, Undecided):
                half = self._half(what, number)
                if half.known is None:
                    self.of_batch[what, number] = half.key(form)
                else:
                    self.halves[known] = half.key(form)

    def _forms(
        self, numbers: Numbers, layers: dict[str, Listed], layers_of: Callable[[int], Layers]
    ) -> list[Canonical | Undecided]:
        """Return the canonical forms of some problems' graphs."""

        def graph(place: int) -> tuple[Problem, Layers]:
            number = int(numbers[place])
            return self.problems[number].problem(), layers_of(number)

        arrays = {name: (each.problem, each.fact) for name, each in layers.items()}
        return self.maker.certifier.of_arrays(GraphArrays(self.arrays.objects[numbers], arrays, graph))

    def _keyed(self, number: int, strict: str | Undecided | None, possible: Any) -> Keyed:
        """Return the keys of a problem, or why there are none; as ``candidates.keyed`` finds them."""
        if self.satisfied[number]:
            return Keyed(GOAL_HOLDS, self.problems[number].name)
        if strict is None:
            return Keyed(NO_KEY, f"goal closure {self._closure(number).proof}")
        goal, init = self._half_key("goal", number), self._half_key("init", number)
        for key in (strict, goal, init):
            if isinstance(key, Undecided):
                return Keyed(NO_KEY, key.reason)
        holds = possible and goal_holds_permuted(
            self.domain, self.problems[number].problem(), is_like_init=partial(self._is_like_init, number)
        )
        if isinstance(holds, Undecided):
            return Keyed(NOT_KNOWN, holds.reason)
        return Keyed(strict=str(strict), loose=f"{init}{goal}", holds=int(holds))

    def _is_like_init(self, number: int, facts: State) -> bool | Undecided:
        """Return whether the facts that the goal wants, with static ones, are the initial state renamed."""
        keys = self._half_key("init", number), self._half_key("goal as init", number, facts)
        return next((key for key in keys if isinstance(key, Undecided)), keys[0] == keys[1])

    def _half_key(self, what: str, number: int, facts: State = frozenset()) -> str | Undecided:
        """Return a half of a loose key; the same for all problems of which ``alike`` says the same there."""
        known = self._known(what, number)
        found = self.of_batch.get((what, number)) if known is None else self.halves.get(known)
        if found is not None:
            return found
        half = self._half(what, number, facts)
        form = form_of(self.domain, self.problems[number].problem(), half.layers())
        if isinstance(form, Undecided):
            return form
        if known is not None:
            self.halves[known] = half.key(form)
        return half.key(form)

    def _half(self, what: str, number: int, facts: State = frozenset()) -> _Half:
        """Return a half; what it needs of the problem itself is asked for only when its layers are."""
        known, problem = self._known(what, number), self.problems[number].problem
        if what == "goal":
            return _Half(
                known,
                lambda: goal_layers(self.domain, problem(), self._whole_closure(number)),
                partial(goal_key, self.domain, self._closure(number)),
            )
        if what == "init":
            return _Half(known, lambda: {INIT: problem().init}, partial(init_key, self.domain))
        return _Half(known, lambda: {INIT: facts or self._wanted(problem())}, partial(init_key, self.domain))

    def _wanted(self, problem: Problem) -> State:
        """Return the facts that the goal wants, with the static ones of the initial state."""
        fluents = self.domain.fluents
        static = (fact for fact in problem.init if fact[0] not in fluents)
        return frozenset([*static, *(fact for fact in problem.goal_facts if fact[0] in fluents)])

    def _known(self, what: str, number: int) -> Known | None:
        alike = self.problems[number].alike
        return (what, alike[what != "init"]) if alike else None

    def _whole_closure(self, number: int) -> Closure:
        """Return the closure with its facts, where only arrays have them so far."""
        closure = self._closure(number)
        return self.maker.closure(self.problems[number]) if closure is CLOSED else closure

    def _closure(self, number: int) -> Closure:
        closure = self.closures[number]
        assert closure is not None  # of a problem whose goal does not hold at the start
        return closure
