"""Measures that heuristic rules take of the facts or actions of a claim, by state and goal, without planning.

The kinds offer their candidates with these measures. Correct and incorrect candidates are then chosen such
that their measures do not differ (see ``distractors``, ``balance`` and ``exchange``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache

from orrery.families.questions.claims import Measures
from orrery.families.questions.state_record import StateRecord
from orrery.model import Atom

HUNDRED = 100  # the unit of shares and means
RARE = 1000  # the weight of a predicate, divided among its true facts


def measures_of(record: StateRecord) -> StateMeasures:
    """Return the measures of a state, cached in its record."""
    return record.kept.once(StateMeasures, lambda: StateMeasures(record))


class StateMeasures:
    """The state and the goal in the form that heuristic rules use."""

    def __init__(self, record: StateRecord) -> None:
        """Count how often true facts, true fluent facts, and facts of the goal name each object."""
        problem, fluents = record.problem, record.domain.fluents
        self._init, self._goal = problem.init, problem.goal_facts
        fluent = {fact for fact in problem.init if fact[0] in fluents and fact[1:]}
        self._frequency = Counter(fact[0] for fact in fluent)
        self._naming: dict[str, set[Atom]] = defaultdict(set)
        for fact in fluent:
            for name in fact[1:]:
                self._naming[name].add(fact)
        sets = {
            "objects often in the state": problem.init,
            "objects often in what changes": fluent,
            "objects often in the goal": problem.goal_facts,
        }
        self._named = {
            rule: Counter(name for fact in facts for name in fact[1:]) for rule, facts in sets.items()
        }
        self.of = cache(self._measured)

    def _measured(self, atoms: tuple[Atom, ...]) -> Measures:
        """Return the measures of some atoms, by rule.

        In addition to mentions, they count the true atoms, and the fluent facts on only their objects.
        """
        names = {name for atom in atoms for name in atom[1:]}
        speaking = {fact for name in names for fact in self._naming.get(name, ())}
        near = [fact for fact in speaking if names.issuperset(fact[1:])]
        facts_held = sum(atom in self._init for atom in atoms)
        return (
            *self.mentions(atoms),
            ("facts that hold", facts_held),
            ("facts that hold of all", HUNDRED * facts_held // len(atoms)),
            ("facts of the goal", sum(atom in self._goal for atom in atoms)),
            ("facts on its objects", len(near)),
            ("rare facts on its objects", sum(RARE // self._frequency[fact[0]] for fact in near)),
        )

    def mentions(self, atoms: tuple[Atom, ...]) -> Measures:
        """Return how often facts mention the objects of atoms on average, and how many they mention."""
        names = {name for atom in atoms for name in atom[1:]}
        return (
            *(
                (rule, HUNDRED * sum(named[name] for name in names) // max(1, len(names)))
                for rule, named in self._named.items()
            ),
            ("objects that facts name", sum(name in self._naming for name in names)),
        )
