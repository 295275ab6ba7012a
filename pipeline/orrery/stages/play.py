"""``orrery play``: a person acts in a world, line by line."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from orrery.language.words import plural, sentence
from orrery.model import Problem
from orrery.pictures.draw import draw_problem
from orrery.store.files import write_text
from orrery.worlds.episode import EndReason, ReplyOutcome, SightKind, World, WorldTurn

COMMANDS = (
    'Commands: "list" (what is possible now), "look", "look at NAME", "goal", "hint", "undo", "map" (writes '
    'the picture), "quit". Anything else is an action: its words, PDDL, or its number in the list. Words may '
    "be left out if one action remains."
)


def play(world: World, replies: Iterable[str], say: Callable[[str], object], picture: Path) -> None:
    """Play an episode until it is over or the replies end, and tell the score.

    Args:
        world: the world.
        replies: the lines of the player.
        say: shows a text to the player.
        picture: the file that "map" writes.
    """
    game = _Game(world, picture)
    say(game.beginning())
    for reply in replies:
        if reply.strip().lower() in ("quit", "exit"):
            break
        say(game.answer(reply))
        if world.done:
            break
    say(game.score())


class _Game:
    """One episode of a person, with hints and steps back."""

    def __init__(self, world: World, picture: Path) -> None:
        self._world, self._picture = world, picture
        self._before, self._hints, self._undone = list[dict[str, Any]](), 0, 0
        self._turn: WorldTurn = world.reset()

    def beginning(self) -> str:
        """Return the first observation, with the length of a shortest plan."""
        best = self._world.steps_at_best
        at_best = "" if best is None else f"{plural('action', best)} at best. "
        return f'{self._turn.observation}\n({at_best}Type "help" for commands, "list" for what you can do.)'

    def answer(self, reply: str) -> str:
        """Return the answer to a line of the player."""
        commands = {"help": lambda: COMMANDS, "hint": self._hint, "undo": self._undo, "map": self._map}
        command = commands.get(reply.strip().lower())
        if command is not None:
            return command()
        before, held = self._world.snapshot(), self._goals_held()
        self._turn = self._world.step(reply)
        if self._turn.info["outcome"] == ReplyOutcome.DONE:
            self._before.append(before)
        return f"{self._turn.observation}{self._remark(held)}"

    def _remark(self, held: int) -> str:
        """Return what a player wants to know besides the observation."""
        info, world = self._turn.info, self._world
        if world.done or info["outcome"] == ReplyOutcome.ANSWERED:
            return ""
        if info["outcome"] != ReplyOutcome.DONE:
            return f"  [no step; {info['invalid']} of {world.options.max_invalid} in a row]"
        if world.options.sight == SightKind.LOCAL:
            return ""  # the rest would tell what is not seen
        goals, total = self._goals_held(), len(world.problem.problem.goal)
        reached = f" {goals} of {plural('goal', total)} reached." if goals != held else ""
        left = world.cost_to_go()
        if left is None:
            return reached
        return (
            f"{reached}  [{'the goal is out of reach' if math.isinf(left) else f'{int(left)} left at best'}]"
        )

    def _goals_held(self) -> int:
        state = self._state()
        return sum(literal.holds(state) for literal in self._world.problem.problem.goal)

    def _state(self) -> frozenset[tuple[str, ...]]:
        return self._world.problem.task.state(self._world.state)

    def _hint(self) -> str:
        actions = self._world.optimal_actions()
        self._hints += 1
        return sentence(actions[0]) if actions else "There is no way to the goal from here, or none is known."

    def _undo(self) -> str:
        if not self._before:
            return "There is no step to take back."
        self._world.restore(self._before.pop())
        self._undone += 1
        return f"The last step is taken back. {self._world.look()}"

    def _map(self) -> str:
        posed: Problem = self._world.problem.problem_at(self._world.shown)
        description = self._world.problem.picture
        if description is None:
            return "The domain has no picture."
        write_text(self._picture, draw_problem(self._world.problem.domain, posed, description))
        return f"The picture of the present state and of the goal is in {self._picture}."

    def score(self) -> str:
        """Return how the episode went."""
        world, best = self._world, self._world.steps_at_best
        taken = world.steps_taken
        parts = [f"You stopped after {plural('step', taken)}."]
        if world.reason == EndReason.GOAL:
            fewest = ", the fewest possible" if taken == best else f"; {best} are possible" if best else ""
            parts = [f"Goal reached in {plural('step', taken)}{fewest}."]
        elif world.reason:
            parts = [f"The episode ended after {plural('step', taken)}: {world.reason}."]
        counts = {"attempt": world.invalid_total, "hint": self._hints, "step": self._undone}
        endings = {"attempt": " at no possible action", "hint": "", "step": " taken back"}
        parts += [f"{plural(noun, n)}{endings[noun]}." for noun, n in counts.items() if n]
        return " ".join(parts)
