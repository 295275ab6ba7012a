"""What a player with local sight knows in an episode: the belief, changed by each observation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from orrery.model import Step
from orrery.pddl.write import write_atom
from orrery.worlds.belief import Belief
from orrery.worlds.world_problem import WorldProblem


class Knowledge:
    """The belief of a player, which is None if not all states of the problem are known.

    In all methods, ``state`` is the true state after the observation.
    """

    def __init__(self, problem: WorldProblem, told_cost: int | None) -> None:
        """Begin with the first observation; ``told_cost`` is the length of a shortest plan if it is told."""
        self._problem = problem
        self._belief = problem.states_in_sight.everything()
        if told_cost is not None:
            self._learn(lambda belief: belief.costing(told_cost))
        self._learn(lambda belief: belief.seeing(problem.task.init))

    def _learn(self, observe: Callable[[Belief], Belief]) -> None:
        if self._belief is not None:
            self._belief = observe(self._belief)

    def action_done(self, step: Step, state: int) -> None:
        """Learn that an action was done, and what is visible after it."""
        self._learn(lambda belief: belief.after(step).seeing(state))

    def action_impossible(self, step: Step) -> None:
        """Learn that an action is impossible."""
        self._learn(lambda belief: belief.refusing(step))

    def actions_listed(self, state: int) -> None:
        """Learn the applicable actions."""
        self._learn(lambda belief: belief.listing(state))

    def reply_read(self, state: int, meaning: Callable[[int], Hashable]) -> None:
        """Learn what a reply means, which depends on the applicable actions of a state."""
        self._learn(lambda belief: belief.reading(state, meaning))

    def episode_ended(self, *, at_goal: bool, dead: bool | None) -> None:
        """Learn whether the goal holds and, unless None, whether it is out of reach."""
        self._learn(lambda belief: belief.ending(at_goal=at_goal, dead=dead))

    def info(self) -> dict[str, Any]:
        """Return the certain facts in PDDL, sorted, and the number of possible states."""
        if self._belief is None:
            return {"certain": None, "possible_states": None}
        facts = sorted(self._problem.task.facts_of(self._belief.certain))
        return {"certain": tuple(map(write_atom, facts)), "possible_states": len(self._belief)}

    def snapshot(self) -> list[int] | None:
        """Return the indices of the possible states, for ``restore``."""
        return None if self._belief is None else self._belief.members.tolist()

    def restore(self, members: Iterable[int], state: int) -> None:
        """Continue from a snapshot.

        Raises:
            TypeError, ValueError: it is no snapshot of this problem in this state.
        """
        self._belief = self._problem.states_in_sight.belief_of(members, state)
