"""A curriculum of worlds: shortest plans grow longer if a model succeeds, and shorter if it fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from orrery.library.streams import NoItem
from orrery.library.worlds import Range, world
from orrery.model import UsageError
from orrery.training.curriculum import Ladder, LadderRules, success_of
from orrery.worlds.episode import World

BANDS: tuple[Range, ...] = ((1, 5), (6, 10), (11, 20), (21, 40))
VERSION = 1  # version of the format of ``state``


class WorldCurriculum(Iterator[World]):
    """An endless iterator of worlds whose shortest plans follow the reported success.

    The domains are used in turn, each at its own band of lengths. The same reports in the same order give the
    same worlds, in any process. ``state`` can be saved as JSON, and ``restore`` continues from it.
    """

    def __init__(
        self,
        domain: str | Sequence[str],
        bands: Sequence[Range] = BANDS,
        *,
        raise_at: float = 0.7,
        lower_at: float = 0.3,
        window: int = 50,
        seed: int = 0,
        split: str | None = "train",
        **options: Any,
    ) -> None:
        """Start every domain at its first band.

        Args:
            domain: one or several domains.
            bands: the least and the greatest length of a shortest plan at each level, easiest first.
            raise_at: the minimum share of successes in a full window at which the level rises.
            lower_at: the maximum share of successes at which the level falls.
            window: the number of reports per decision.
            seed: the number of the first world.
            split: draw only problems of this split; None means all problems.
            **options: further arguments of ``orrery.world``.

        Raises:
            UsageError: the shares or the window are not valid, or there are no domains or bands.
        """
        names = [domain] if isinstance(domain, str) else list(dict.fromkeys(domain))
        if not names or not bands:
            raise UsageError("domain or bands", "are an empty list", "name at least one of each")
        rules = LadderRules(raise_at, lower_at, window)
        self.bands, self.seed, self.position = tuple((low, high) for low, high in bands), seed, 0
        self._given = {"split": split, **options}
        self._ladders = {name: Ladder(rules, len(self.bands) - 1) for name in names}

    @property
    def levels(self) -> dict[str, Range]:
        """The present band of each domain."""
        return {name: self.bands[ladder.level] for name, ladder in self._ladders.items()}

    def __next__(self) -> World:
        """Return a world of the next domain at its present band.

        A band without problems is dropped permanently, with those above it.

        Raises:
            NoItem: not even the first band of a domain has a problem.
        """
        name = list(self._ladders)[self.position % len(self._ladders)]
        ladder = self._ladders[name]
        while True:
            try:
                drawn = world(
                    name, self.seed + self.position, shortest=self.bands[ladder.level], **self._given
                )
            except NoItem:
                if ladder.level == 0:
                    raise
                ladder.drop()
                continue
            self.position += 1
            return drawn

    def report(self, played: World, outcome: float | None) -> None:
        """Record the result of an episode, for example 1 for the goal.

        Results of worlds of another band than the present one, and None, are ignored.

        Args:
            played: the world.
            outcome: a number from 0 to 1; None is ignored.

        Raises:
            UsageError: the world is of no domain of this curriculum, or the outcome is out of range.
        """
        name = played.problem.domain_name
        if name not in self._ladders:
            known = f"domains: {', '.join(self._ladders)}"
            raise UsageError(f"report on '{name}'", "belongs to a domain outside this curriculum", known)
        value, (low, high) = success_of(outcome), self.levels[name]
        if value is not None and low <= (played.steps_at_best or 0) <= high:
            self._ladders[name].report(value)

    def state(self) -> dict[str, Any]:
        """Return the state of the curriculum as JSON values."""
        return {
            "version": VERSION,
            "seed": self.seed,
            "bands": [list(band) for band in self.bands],
            "position": self.position,
            "ladders": {
                name: {"top": ladder.top, "level": ladder.level, "recent": list(ladder.recent)}
                for name, ladder in self._ladders.items()
            },
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from ``state``. The curriculum must have been created with the same arguments.

        Raises:
            UsageError: the state is not valid, or is of another seed, other bands or other domains.
        """
        place, mend = "state of a curriculum", "pass a value that state() returned"
        own = self.state()
        try:
            if any(state[name] != own[name] for name in ("version", "seed", "bands")):
                raise UsageError(place, "belongs to another curriculum", "create it with the same arguments")
            if list(state["ladders"]) != list(self._ladders):
                raise UsageError(place, "has other domains", "create the curriculum with the same arguments")
            position, ladders = int(state["position"]), {}
            for name, ladder in self._ladders.items():
                kept = state["ladders"][name]
                top, level = int(kept["top"]), int(kept["level"])
                if not 0 <= level <= top < len(self.bands):
                    raise ValueError(f"level {level} of {name}")
                ladders[name] = Ladder(ladder.rules, top, level, map(float, kept["recent"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(place, f"cannot be read: {error!r:.80}", mend) from error
        self.position, self._ladders = position, ladders
