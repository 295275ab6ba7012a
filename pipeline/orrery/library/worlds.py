"""Worlds by domain and seed, by number, of a row, or from PDDL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from pydantic import ValidationError

from orrery.families.drafts import Rejected
from orrery.installation import find_root
from orrery.library.fresh_problems import Spot, Wanted, fresh_problem
from orrery.library.fresh_rows import WORLD
from orrery.library.streams import ATTEMPTS, NoItem, sources_of
from orrery.library.user_pddl import Pddl, text_and_name
from orrery.model import OrreryError, Row, UsageError, suggest
from orrery.planning.task import applicable
from orrery.worlds.episode import HELP, World, WorldOptions
from orrery.worlds.world_problem import WorldProblem

MAX_STATES = 20_000
Range: TypeAlias = tuple[int, int]
OF_ROW = ("domain", "problem_id", "problem_pddl", "num_states")  # columns of the table ``world``


def world(
    domain: str,
    seed: int = 0,
    difficulty: str | None = None,
    *,
    kind: str | None = None,
    split: str | None = None,
    shortest: Range | None = None,
    objects: Range | None = None,
    branching: Range | None = None,
    dead_ends: bool | None = None,
    max_states: int = MAX_STATES,
    root: Path | str | None = None,
    **options: Any,
) -> World:
    """Return a world: a problem of a domain that one acts in.

    The same arguments give the same problem, words and turns, in any process.

    Args:
        domain: the name of a domain, or ``composed/17`` for the composed domain of this number.
        seed: the number of the problem.
        difficulty: a difficulty of ``domain.yaml`` (default: the first one, which is the easiest).
        kind: the kind of problem, a generator task of the domain (default: any).
        split: draw only problems of this split of the dataset (default: any). No problem of ``train`` is in
            ``test``, up to names.
        shortest: the least and the greatest length of a shortest plan (default: any).
        objects: the least and the greatest number of objects (default: any).
        branching: the least and the greatest number of actions that are applicable at first (default: any).
        dead_ends: whether there are states from which the goal is out of reach (default: either).
        max_states: problems with more reachable states are not drawn, so that all costs to go are known.
        root: the folder with domains, generators and templates (default: that of the installation).
        **options: the rules of the episode, see ``WorldOptions``.

    Raises:
        UsageError: the domain, difficulty, kind, split or an option does not exist.
        NoItem: the domain has no such problem within the budget of states.
    """
    options |= {"shortest": shortest, "objects": objects, "branching": branching, "dead_ends": dead_ends}
    worlds = world_set(
        domain, difficulty, seed, kind=kind, split=split, max_states=max_states, root=root, **options
    )
    return worlds.world(0)


def _is_range(value: Any) -> bool:
    numbers = list(value) if isinstance(value, tuple | list) else []
    return len(numbers) == 2 and all(isinstance(number, int) for number in numbers)


class WorldLimits(NamedTuple):
    """Limits of the problems of worlds; None stands for any. See ``world``."""

    shortest: Range | None = None
    objects: Range | None = None
    branching: Range | None = None
    dead_ends: bool | None = None

    @classmethod
    def of(
        cls, shortest: Any = None, objects: Any = None, branching: Any = None, dead_ends: Any = None
    ) -> WorldLimits:
        """Return these limits.

        Raises:
            UsageError: one is no range of two whole numbers, or ``dead_ends`` is neither True nor False.
        """
        ranges = {"shortest": shortest, "objects": objects, "branching": branching}
        for name, value in ranges.items():
            if value is not None and not _is_range(value):
                raise UsageError(f"{name} {value!r:.40}", "is no range", "give two numbers, (least, most)")
        if dead_ends not in (None, True, False):
            raise UsageError(f"dead_ends {dead_ends!r:.40}", "is not possible", "give True or False")
        pairs = {name: (value[0], value[1]) for name, value in ranges.items() if value is not None}
        return cls(**pairs, dead_ends=dead_ends)

    @property
    def given(self) -> dict[str, Any]:
        """The limits that are not None, by name."""
        return {name: value for name, value in self._asdict().items() if value is not None}

    def fault(self, problem: WorldProblem) -> str:
        """Return which limit a problem does not meet; empty if it meets all."""
        task, oracle = problem.task, problem.oracle
        measures = {
            "length of a shortest plan": (oracle.cost_to_go(task.init), self.shortest),
            "number of objects": (len(problem.problem.objects), self.objects),
            "number of applicable actions": (len(applicable(task, task.init)), self.branching),
        }
        for name, (value, limits) in measures.items():
            if limits is not None and not (value is not None and limits[0] <= value <= limits[1]):
                return f"another {name}"
        if self.dead_ends is not None and bool(oracle.num_dead_ends) != self.dead_ends:
            return "dead ends" if oracle.num_dead_ends else "no dead ends"
        return ""


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


def draw_problem(
    wanted: Wanted, seed: int, max_states: int, limits: WorldLimits | None = None
) -> WorldProblem:
    """Return the problem of a seed whose states are all known, and that has a plan of one action or more.

    Raises:
        UsageError: the budget of states is not valid.
        NoItem: there is none within the limits among many draws.
    """
    if max_states < 1:
        raise UsageError(f"max_states {max_states}", "is not a valid budget", "give 1 or more")
    limits = limits or WorldLimits()
    reasons = Counter[str]()
    for attempt in range(ATTEMPTS):
        spot = Spot(seed, WORLD, wanted.entry.name, 0, attempt)
        try:
            problem = _decided(wanted, fresh_problem(wanted, spot), max_states)
            if fault := limits.fault(problem):
                raise Rejected(fault)
            return problem
        except Rejected as rejected:
            reasons[rejected.reason] += 1
    mend = "name another difficulty, or give other limits or a larger max_states"
    raise NoItem.of(f"world of {wanted.domain}", "a problem", reasons, mend)


def _decided(wanted: Wanted, row: Row, max_states: int) -> WorldProblem:
    problem = WorldProblem(
        wanted.root, wanted.entry.name, row["problem_id"], row["problem_pddl"], max_states, row=row
    )
    cost = problem.oracle.cost_to_go(problem.task.init)
    if cost is None:
        raise Rejected(f"more than {max_states} states")
    if cost in (0, float("inf")):
        raise Rejected("the goal holds already" if cost == 0 else "no plan")
    return problem


def world_of_pddl(domain: Pddl, problem: Pddl, *, max_states: int = MAX_STATES, **options: Any) -> World:
    """Return a world of any domain and problem, given as PDDL texts or as files. It speaks PDDL.

    Raises:
        PddlError: a text is not valid PDDL, or outside the subset.
        UsageError: an option does not exist, or its reward needs costs to go that are not decided.
    """
    (domain_text, _), (problem_text, name) = (
        text_and_name(domain, "<domain>"),
        text_and_name(problem, "<problem>"),
    )
    posed = WorldProblem(find_root(), "", name, problem_text, max_states, domain_text)
    return World(posed, options_of(options))


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


def options_of(options: dict[str, Any]) -> WorldOptions:
    """Return the rules of an episode from keyword arguments.

    Raises:
        UsageError: an option does not exist, or has an impossible value.
    """
    try:
        return WorldOptions(**options)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place, value = f"option '{fault['loc'][0]}'", f"{fault['input']!r:.40}"
        if fault["type"] != "unexpected_keyword_argument":
            raise UsageError(place, f"is {value}", fault["msg"].lower()) from error
        mend = suggest(str(fault["loc"][0]), "options", [option.name for option in fields(WorldOptions)])
        raise UsageError(place, "is unknown", mend) from error


def opening(world: World) -> str:
    """Return the first message to a model: the rules, the state, the goal, and how to reply."""
    return f"{world.first_observation}\n\n{HELP}"


def total_reward(transcript: Mapping[str, Any]) -> float:
    """Return the sum of the rewards in a transcript of a world."""
    return float(sum(turn["reward"] for turn in transcript["turns"]))
