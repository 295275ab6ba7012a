"""Worlds as environments of Gymnasium: ``gymnasium.make("orrery/ferry-v0", difficulty="easy")``.

``orrery.register_gymnasium()`` registers them, and so does an import of this module, for
``gymnasium.make("orrery.training.gymnasium_worlds:orrery/ferry-v0")``. It needs the package.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import gymnasium
from gymnasium.spaces import Text
from gymnasium.vector.utils import read_from_shared_memory

from orrery.library.worlds import world_set
from orrery.training.gymnasium_registration import register_gymnasium
from orrery.worlds.episode import EndReason, World, WorldTurn

LONGEST = 20_000  # characters
CHARACTERS = frozenset(string.printable)
SEEDS = 2**31  # of problems that a reset without a seed draws
_TRUNCATED = (EndReason.STEPS, EndReason.REPLIES)


class WorldText(Text):
    """The texts of printable ASCII with at most 20,000 characters."""

    def __init__(self) -> None:
        """Create the space; its elements are sampled uniformly."""
        super().__init__(LONGEST, min_length=0, charset=CHARACTERS)

    @staticmethod
    def fitted(text: str) -> str:
        """Return a text in the space: other characters become ``?``, and long texts are cut."""
        return "".join([character if character in CHARACTERS else "?" for character in text[:LONGEST]])


class SharedTexts(Sequence[str]):
    """The present texts in shared memory. A deep copy, which ``AsyncVectorEnv`` returns, is a plain tuple."""

    def __init__(self, read: Callable[[], tuple[str, ...]]) -> None:
        """Set the function that reads the shared memory."""
        self._read = read

    def __getitem__(self, index: Any) -> Any:
        """Return a text, or a tuple of texts for a slice."""
        return self._read()[index]

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self._read())

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        """Return the present texts."""
        return self._read()


_read_texts = read_from_shared_memory.dispatch(Text)


@read_from_shared_memory.register(WorldText)
def _shared_texts(space: WorldText, shared_memory: Any, n: int = 1) -> SharedTexts:
    """Return the texts of ``n`` environments, which are read anew at each access."""
    return SharedTexts(partial(_read_texts, space, shared_memory, n))


class GymnasiumWorld(gymnasium.Env[str, str]):
    """Episodes in worlds of one domain. Actions and observations are texts.

    ``reset(seed=7)`` gives the problem of ``orrery.world(domain, 7)``; a reset without a seed draws the
    number of a problem from the random numbers of the environment. An action is a reply to the world: words,
    PDDL or the number of an admissible action. ``info`` has that of ``WorldTurn``, the ``admissible``
    actions, the ``reason`` of the end and the ``seed`` of the problem. Used-up budgets truncate an episode;
    any other end terminates it. In observations, characters other than printable ASCII are replaced by
    ``?``.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(
        self, domain: str, difficulty: str | None = None, *, render_mode: str | None = None, **selection: Any
    ) -> None:
        """Select the worlds; the arguments are those of ``orrery.world``.

        Raises:
            UsageError: the domain, difficulty, kind, split or an option does not exist.
        """
        self.worlds = world_set(domain, difficulty, **selection)
        self.render_mode = render_mode
        self.action_space, self.observation_space = WorldText(), WorldText()
        self.world: World | None = None
        self._seed, self._observation = 0, ""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start an episode in the problem of a seed; return the first observation and the information."""
        super().reset(seed=seed)
        self._seed = int(self.np_random.integers(SEEDS)) if seed is None else seed
        self.world = self.worlds.world(self._seed)
        return self._observation_and_info(self.world.reset())

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Return the observation, the reward, the two kinds of end, and the information after a reply.

        Raises:
            gymnasium.error.ResetNeeded: the environment was not reset.
        """
        if self.world is None:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        turn = self.world.step(action)
        observation, info = self._observation_and_info(turn)
        truncated = turn.reason in _TRUNCATED
        return observation, turn.reward, turn.done and not truncated, truncated, info

    def render(self) -> str | None:
        """Return the last observation, in the mode ``ansi``."""
        return self._observation if self.render_mode == "ansi" else None

    def _observation_and_info(self, turn: WorldTurn) -> tuple[str, dict[str, Any]]:
        self._observation = WorldText.fitted(turn.observation)
        about = {"admissible": turn.admissible, "reason": turn.reason, "seed": self._seed}
        return self._observation, {**turn.info, **about}


register_gymnasium()
