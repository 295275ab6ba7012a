"""Worlds by number: the problems of one domain, or of all domains in turn, with the same rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orrery.installation import find_root
from orrery.library.fresh_problems import Wanted
from orrery.library.fresh_rows import WORLD
from orrery.library.streams import sources_of
from orrery.library.worlds import MAX_STATES, WorldLimits, draw_problem, options_of
from orrery.model import OrreryError, Row
from orrery.worlds.episode import HELP, World
from orrery.worlds.world_problem import WorldProblem

OF_ROW = ("domain", "problem_id", "problem_pddl", "num_states")  # columns of the table ``world``


@dataclass(frozen=True)
class WorldSet:
    """The worlds of a selection, by number; create it with ``world_set``. It can be pickled.

    World n of a domain is ``orrery.world(domain, seed + n)``. Several domains are used in turn. ``rules`` has
    the options of an episode, ``limits`` those of the problems.
    """

    sources: tuple[Wanted, ...]
    seed: int
    kind: str
    max_states: int
    rules: Mapping[str, Any]
    limits: WorldLimits

    def world(self, number: int) -> World:
        """Return the world with this number, at the beginning of its episode.

        Raises:
            NoItem: the domain has no such problem within the budget of states.
            UsageError: the reward needs costs to go, which are not decided.
        """
        problem = draw_problem(self._source(number), self.seed + number, self.max_states, self.limits)
        return World(problem, options_of(dict(self.rules)))

    def arguments(self, number: int) -> dict[str, Any]:
        """Return the arguments of ``orrery.world`` for a world, as JSON values, without the root."""
        source = self._source(number)
        problem = {
            "domain": source.entry.name,
            "seed": self.seed + number,
            "difficulty": source.difficulty or None,
            "kind": self.kind or None,
            "split": source.split or None,
        }
        return {**problem, **self.limits.given, "max_states": self.max_states, **self.rules}

    def key(self, number: int) -> str:
        """Return the name of a problem, which is the same in every run: domain, difficulty and seed.

        It also has the kind, the split and the limits, if they are chosen.
        """
        about = self.arguments(number)
        parts = (about[name] for name in ("domain", "difficulty", "kind", "split"))
        limits = (f"{name}={value}" for name, value in self.limits.given.items())
        return "/".join([*filter(None, parts), *limits, str(about["seed"])])

    def _source(self, number: int) -> Wanted:
        return self.sources[number % len(self.sources)]


def world_set(
    domain: str | None = None,
    difficulty: str | None = None,
    seed: int = 0,
    *,
    kind: str | None = None,
    split: str | None = None,
    max_states: int = MAX_STATES,
    root: Path | str | None = None,
    **options: Any,
) -> WorldSet:
    """Return the worlds of a selection; the arguments are those of ``orrery.world``.

    Raises:
        UsageError: the domain, difficulty, kind, split or an option does not exist.
    """
    limits = WorldLimits.of(**{name: options.pop(name) for name in WorldLimits._fields if name in options})
    options_of(options)
    home = find_root(root).absolute()
    sources = sources_of(home, WORLD, domain, difficulty, kind, split or "")
    return WorldSet(sources, seed, kind or "", max_states, options, limits)


def world_of_row(row: Row, root: Path | str | None = None, **options: Any) -> World:
    """Return the world of a row of the table ``world``, with the words of the row.

    Args:
        row: a row of the table, for example ``orrery.load("outputs/dataset", "world")[0].row``.
        root: the folder with domains, generators and templates (default: that of the installation).
        **options: the rules of the episode, as in ``orrery.world``.

    Raises:
        UsageError: the domain or an option does not exist.
        OrreryError: the row is not of this table.
    """
    home = find_root(root).absolute()
    try:
        domain, problem_id, problem_pddl, states = (row[name] for name in OF_ROW)
    except KeyError as error:
        raise OrreryError("row", f"has no column {error}", "give a row of the table world") from error
    problem = WorldProblem(home, domain, problem_id, problem_pddl, states + 1, row=row)
    return World(problem, options_of(options))


def opening(world: World) -> str:
    """Return the first message to a model: the rules, the state, the goal, and how to reply."""
    return f"{world.first_observation}\n\n{HELP}"


def total_reward(transcript: Mapping[str, Any]) -> float:
    """Return the sum of the rewards in a transcript of a world."""
    return float(sum(turn["reward"] for turn in transcript["turns"]))
