"""Lines that prove that literals never hold: one induction over all of them.

Beginning with the conjunction that is to be excluded, the actions that would make a conjunction true are
covered by few reasons: conjunctions of one or two literals that cannot hold before these actions. Each reason
is excluded in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations

from orrery.grading.problem import GradedProblem, holds
from orrery.grading.row import Literal
from orrery.grading.traces.lines import enumerated, listed
from orrery.grading.traces.never import Conjunction, before, makers
from orrery.model import Step
from orrery.traces.closure import RelaxedClosure
from orrery.traces.sentences import never

MOST_LINES = 16


class Unproven(Exception):
    """There is no proof, or none with few lines."""


class Induction:
    """The conjunctions that never hold, with the reasons for each; see the module."""

    def __init__(
        self,
        problem: GradedProblem,
        closure: RelaxedClosure,
        supposed: Literal | None = None,
        excluded: Iterable[Step] = (),
    ) -> None:
        """Begin with a supposition: a fact that never becomes true, or actions that are never done."""
        self.problem, self._closure = problem, closure
        self._supposed, self._excluded = supposed, frozenset(excluded)
        self.reasons: dict[Conjunction, list[Conjunction]] = {}
        self.used: set[Step] = set()  # the excluded actions that matter

    def exclude(self, literals: Iterable[Literal]) -> Conjunction:
        """Prove that literals never hold together; return one or two of them that suffice.

        Raises:
            Unproven: there is no short proof.
        """
        chosen = next(self._impossible(literals), None)
        if chosen is None:
            raise Unproven("nothing of it is excluded by the delete relaxation or h2")
        waiting = [chosen]
        for conjunction in waiting:  # the list grows during the loop
            if conjunction in self.reasons or conjunction == {self._supposed}:
                continue
            if len(self.reasons) >= MOST_LINES:
                raise Unproven(f"the proof has over {MOST_LINES} lines")
            self.reasons[conjunction] = self._reasons(conjunction)
            waiting += self.reasons[conjunction]
        return chosen

    def lines(self) -> Iterator[str]:
        """Yield a line for each conjunction."""
        for conjunction, reasons in self.reasons.items():
            texts = [" with ".join(listed([literal]) for literal in sorted(reason)) for reason in reasons]
            why = (
                f"every possible action that makes it true needs {enumerated(texts, 'or')}"
                if texts
                else "no possible action makes it true"
            )
            yield f"{never(sorted(conjunction))}: not now, and {why}."

    def _impossible(self, literals: Iterable[Literal]) -> Iterator[Conjunction]:
        """Yield the single literals that cannot hold, or else the pairs that cannot hold together."""
        ordered = sorted({*literals})
        single = [literal for literal in ordered if not self._closure.allows(literal)]
        for literal in single:
            yield frozenset([literal])
        if not single:
            for pair in combinations([each for each in ordered if each[1]], 2):
                if not self._closure.allows_both(*pair):
                    yield frozenset(pair)

    def _reasons(self, conjunction: Conjunction) -> list[Conjunction]:
        """Return few conjunctions of which one is needed by each action that makes a conjunction true."""
        if all(holds(literal, self.problem.start) for literal in conjunction):
            raise Unproven("it holds now")
        needed: dict[Step, Conjunction] = {}
        for step in makers(self.problem, conjunction, self._supposed):
            action = self.problem.action(step)
            literals = before(action, conjunction) if action else None
            if literals is not None:
                needed[step] = literals
        done = [literals for step, literals in needed.items() if step not in self._excluded]
        choices = [{*self._impossible(literals)} for literals in done]
        if not all(choices):
            raise Unproven("an action needs three literals or more that exclude one another")
        cover = [*self._cover(choices)]
        for reason in cover[::-1]:  # those that later ones have made idle
            others = [each for each in cover if each != reason]
            if all(any(other <= literals for other in others) for literals in done):
                cover.remove(reason)
        for step in self._excluded & needed.keys():
            if not any(reason <= needed[step] for reason in cover):
                self.used.add(step)
        return cover

    def _cover(self, choices: list[set[Conjunction]]) -> Iterator[Conjunction]:
        """Yield conjunctions that hit all sets: known ones first, then those in most sets."""
        while choices:
            counts = Counter(conjunction for possible in choices for conjunction in possible)
            ranks = {
                each: (not self._is_known(each), len(each), -counts[each], sorted(each)) for each in counts
            }
            best = min(counts, key=ranks.__getitem__)
            yield best
            choices = [possible for possible in choices if best not in possible]

    def _is_known(self, conjunction: Conjunction) -> bool:
        return conjunction in self.reasons or conjunction == {self._supposed}
