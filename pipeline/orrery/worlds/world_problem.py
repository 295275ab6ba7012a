"""A problem prepared for acting: its ground actions, its words, and the exact costs to go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from orrery.catalog import entry_of
from orrery.families.plans.words import phrases_of
from orrery.language.words import Words
from orrery.model import EQUAL, Atom, Domain, Literal, Problem, Row, Step, UsageError
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_domain
from orrery.planning.execution import mistyped, substituted, types_of_objects, unmet_preconditions
from orrery.planning.grounding import ground
from orrery.planning.task import GroundAction, PlanningTask, applicable, bits
from orrery.store.kinds import as_json
from orrery.worlds.belief import StatesInSight
from orrery.worlds.oracle import Oracle
from orrery.worlds.sight import LocalSight
from orrery.worlds.sight_check import check_sight
from orrery.worlds.world_texts import UNSEEN_CHANGE, EnglishTexts, PddlTexts, WorldTexts

STATES_KEPT = 4_096  # per world


class StateView(NamedTuple):
    """What an episode needs of a state.

    ``actions`` are the applicable ones, sorted; ``phrases`` name them; ``by_phrase`` has them in lower case.
    ``cost_to_go`` is infinite in a dead end and None if it is not decided.
    """

    actions: Sequence[GroundAction]
    phrases: tuple[str, ...]
    by_phrase: Mapping[str, GroundAction]
    cost_to_go: float | None
    at_goal: bool


@dataclass(frozen=True, eq=False)
class WorldProblem:
    """A problem that one acts in. It is immutable, and can be pickled.

    ``domain_name`` is a domain of the checkout at ``root``, which has words. If it is empty, ``domain_pddl``
    is a domain without words. The state space is searched up to ``max_states``.
    """

    root: Path
    domain_name: str
    problem_id: str
    problem_pddl: str
    max_states: int
    domain_pddl: str = ""
    row: Row = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[type[WorldProblem], tuple[object, ...]]:
        """Pickle only the fields; the rest is computed again."""
        fields = self.root, self.domain_name, self.problem_id, self.problem_pddl, self.max_states
        return type(self), (*fields, self.domain_pddl, dict(self.row))

    @cached_property
    def domain(self) -> Domain:
        """The domain."""
        return (
            entry_of(self.root, self.domain_name).domain
            if self.domain_name
            else read_domain(self.domain_pddl)
        )

    @cached_property
    def problem(self) -> Problem:
        """The problem."""
        return read_problem(self.problem_pddl, self.domain, self.problem_id)

    @property
    def words(self) -> Words | None:
        """The words of the domain; None if it has none."""
        return entry_of(self.root, self.domain_name).words if self.domain_name else None

    @cached_property
    def texts(self) -> WorldTexts:
        """The writer of observations."""
        if self.words is None:
            return PddlTexts(self.domain, self.problem)
        return EnglishTexts(self.words, self.domain, self.problem, self.problem_id)

    @cached_property
    def task(self) -> PlanningTask:
        """The planning task of the problem."""
        return ground(self.domain, self.problem)

    @cached_property
    def oracle(self) -> Oracle:
        """The exact costs to go."""
        return Oracle.of(self.task, self.max_states)

    @cached_property
    def graded_row(self) -> Row:
        """The domain, the problem and all wordings, as the graders read them."""
        wordings = phrases_of(self.words, self.domain) if self.words else _names_of_actions(self.domain)
        return {
            "domain_pddl": write_domain(self.domain),
            "problem_pddl": self.problem_pddl,
            "nl_templates": wordings,
        }

    @cached_property
    def states_in_sight(self) -> StatesInSight:
        """What an agent with local sight sees in each state.

        Raises:
            UsageError: ``domain.yaml`` does not say it.
            OrreryError: the description does not fit the domain.
        """
        sight, path = None, Path("domain.yaml")
        if self.domain_name:
            entry = entry_of(self.root, self.domain_name)
            sight, path = entry.description.sight, entry.folder / path
        if sight is None:
            raise UsageError(
                f"sight 'local' in {self.domain_name or self.domain.name}",
                f"is not possible: {path} has no key 'sight', which says what an agent sees",
                "use the sight 'full', or add the key",
            )
        check_sight(sight, self.domain, path)
        return StatesInSight(self.oracle, LocalSight(self.task, sight))

    @cached_property
    def seen(self) -> Callable[[int], int]:
        """The function that returns the facts of a state that an agent with local sight sees.

        Raises:
            UsageError: ``domain.yaml`` does not say it.
            OrreryError: the description does not fit the domain.
        """
        return lru_cache(maxsize=STATES_KEPT)(self.states_in_sight.seen)

    @property
    def picture(self) -> Mapping[str, Any] | None:
        """The description of pictures of the domain; None if there is none."""
        return entry_of(self.root, self.domain_name).description.picture if self.domain_name else None

    def problem_at(self, state: int) -> Problem:
        """Return the problem with a state as its initial state."""
        return replace(self.problem, init=self.task.state(state))

    @cached_property
    def view(self) -> Callable[[int], StateView]:
        """The function that returns what an episode needs of a state."""
        return lru_cache(maxsize=STATES_KEPT)(self._view)

    def _view(self, state: int) -> StateView:
        actions = applicable(self.task, state)
        phrases = tuple([self._phrase(action.step) for action in actions])
        by_phrase = {phrase.lower(): action for phrase, action in zip(phrases, actions, strict=True)}
        return StateView(actions, phrases, by_phrase, self.oracle.cost_to_go(state), self.task.is_goal(state))

    @cached_property
    def _phrase(self) -> Callable[[Step], str]:
        return lru_cache(maxsize=None)(self.texts.action)

    @cached_property
    def state_text(self) -> Callable[[int], str]:
        """The function that returns in words the facts of a bit set."""

        def text(facts: int) -> str:
            return self.texts.state(self.task.state(facts))

        return lru_cache(maxsize=STATES_KEPT)(text)

    def effect(self, action: GroundAction, state: int) -> str:
        """Return in words that an action is done in a state, and what it changes."""
        return self._effects(action, action.add & ~state, action.delete & state)

    def seen_effect(self, action: GroundAction, before: int, after: int) -> str:
        """Return in words that an action is done, and what an agent with local sight sees of it.

        The text is determined by the action and by the facts that are visible in both states. If an agent
        moves, or anything comes into or out of sight that the action does not change, it states all that is
        visible.
        """
        agents = self.states_in_sight.sight.agent_facts
        seen, now = self.seen(before), self.seen(after)
        appeared, vanished = now & ~seen, seen & ~now
        if (appeared | vanished) & agents or appeared & ~action.add or vanished & ~action.delete:
            return f"{self.texts.done(action.step)} {self.state_text(now)}"
        if not appeared | vanished:
            return f"{self.texts.done(action.step)} {UNSEEN_CHANGE}"
        return self._effects(action, appeared, vanished)

    @cached_property
    def _effects(self) -> Callable[[GroundAction, int, int], str]:
        def effect(action: GroundAction, added: int, deleted: int) -> str:
            facts = self.task.facts
            gained, lost = ([facts[index] for index in bits(mask)] for mask in (added, deleted))
            return self.texts.effect(action.step, gained, lost)

        return lru_cache(maxsize=STATES_KEPT)(effect)

    def fault_of(self, step: Step) -> str:
        """Return why a step is no ground action of the problem; empty if it is one."""
        return mistyped(self.domain, self.problem, step)

    def unmet(self, step: Step, state: int) -> list[Literal]:
        """Return the conditions of a ground action that do not hold in a state; facts before comparisons."""
        unmet = unmet_preconditions(self.domain, self.task.state(state), step)
        return sorted(unmet, key=lambda literal: (literal.atom[0] == EQUAL, literal))

    @cached_property
    def parameters(self) -> Mapping[str, Sequence[str]]:
        """The names of the parameters of each action."""
        return {
            a.name: [parameter.name.lstrip("?") for parameter in a.parameters] for a in self.domain.actions
        }

    @cached_property
    def object_names(self) -> frozenset[str]:
        """The names of all objects and constants."""
        return frozenset(types_of_objects(self.domain, self.problem))

    def facts_about(self, name: str, state: int) -> list[Atom]:
        """Return the facts of a state about an object, sorted."""
        return sorted(fact for fact in self.task.state(state) if name in fact[1:])

    def cost_of(self, action: GroundAction) -> int:
        """Return the cost of an action; 1 if the domain has no costs."""
        schema = self.domain.action_named[action.step[0]]
        if schema.cost is None:
            return 0 if self.domain.functions else 1
        if isinstance(schema.cost, int):
            return schema.cost
        values = dict(zip((p.name for p in schema.parameters), action.step[1:], strict=True))
        return self._values[substituted(schema.cost, values)]

    @cached_property
    def _values(self) -> dict[Atom, int]:
        """The values of the numeric functions."""
        return dict(self.problem.costs)


def _names_of_actions(domain: Domain) -> str:
    """Return the wordings of a domain without words: each action's name and arguments."""
    arguments = {a.name: [f"{{{place}}}" for place in range(len(a.parameters))] for a in domain.actions}
    return as_json({"actions": {name: [" ".join([name, *places])] for name, places in arguments.items()}})
