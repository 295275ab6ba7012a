"""Rover-single: a rover gathers data on a map of waypoints and sends them to a lander.

An initial configuration is a map and a start.

- *Maps*: grid, line, circle, star, and partitioned. The partitioned map has two parts without a link between
  them, with rover and lander in the first; within a part every waypoint is linked to every other.
- *navigate*: all data are on board, and the rover only needs to reach the lander.
- *analysis*: the rover must still analyse samples and photograph objectives.
- *survey*: as analysis, on a map in one part. The text gives waypoints by row and column, or by number,
  instead of names.

A goal requires to send all data of some kinds, except data in the part that the rover cannot reach. So every
problem is solvable.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import chain, pairwise, product
from typing import NamedTuple, TypeAlias

from orrery.generator_kit import (
    Fault,
    ParameterSpace,
    distances,
    numbered,
    shortest_path,
    spans,
)
from orrery.model import (
    Atom,
    ConfigurationPair,
    Generated,
    Limits,
    Parameters,
    Problem,
    Step,
    TypedName,
    literals,
)

DOMAIN = "rover-single"
LEAST: Mapping[str, tuple[int, ...]] = {  # minimum waypoints, rows and columns, or waypoints of the parts
    "grid": (2, 2), "line": (2,), "circle": (3,), "star": (4,), "partitioned": (2, 1),
}  # fmt: skip
LAYOUTS = tuple(f"{name}_{start}" for start in ("navigate", "analysis") for name in LEAST)
SURVEYS = tuple(f"{name}_survey" for name in LEAST if name != "partitioned")
# Predicates for each kind of data: where the data are available, data on board, data sent.
KINDS: Mapping[str, tuple[str, str, str]] = {
    "rocks": ("at_rock_sample", "have_rock_analysis", "communicated_rock_data"),
    "soil": ("at_soil_sample", "have_soil_analysis", "communicated_soil_data"),
    "images": ("visible_from", "have_image", "communicated_image_data"),
}
# The data that each goal requires to send; two goals end at the lander.
SENDS: Mapping[str, tuple[str, ...]] = {
    "rover_at_lander": (), "transmit_rocks": ("rocks",), "transmit_soil": ("soil",),
    "transmit_objectives": ("images",), "transmit_all": tuple(KINDS), "transmit_all_and_return": tuple(KINDS),
}  # fmt: skip
GOALS, RETURNS = tuple(SENDS), ("rover_at_lander", "transmit_all_and_return")
# Tasks are used in turn: the first ten cover all layouts and all goals.
TASKS: tuple[ConfigurationPair, ...] = (
    *(
        ConfigurationPair(layout, GOALS[(turn + place) % len(GOALS)])
        for turn in range(len(GOALS))
        for place, layout in enumerate(LAYOUTS)
    ),
    # These goals refer to a map whose text uses no names.
    *(ConfigurationPair(layout, goal, strict=True) for layout in SURVEYS for goal in GOALS),
)
WIDEST: Limits = {
    "waypoints": (2, 20), "samples": (1, 6), "objectives": (1, 4), "modes": (1, 3), "cameras": (1, 2),
    "propositions": (1, 160),
}  # fmt: skip
TYPES = ("waypoint", "camera", "mode", "objective")
INIT_KEYS = frozenset({"shape", "lander", "rover", "modes", "cameras", "rocks", "soil"})
MOST_VIEWS, DRAWS, STATES, MANY = 3, 500, 1_000, 10**6

Shape: TypeAlias = tuple[int, ...]
Data: TypeAlias = dict[str, list[tuple[int, ...]]]
Names: TypeAlias = dict[str, list[str]]  # by type; the position of a name determines its role


@lru_cache(maxsize=512)
def _routes(name: str, shape: Shape) -> tuple[tuple[int, int], ...]:
    """Return pairs of linked waypoints, in both directions.

    Numbers count by row, from the center, or by part.
    """
    n = shape[0]
    if name == "grid":
        links = [(i, i + 1) for i in range(n * shape[1]) if (i + 1) % shape[1]]
        links += [(i, i + shape[1]) for i in range((n - 1) * shape[1])]
    elif name == "star":
        links = [(0, i) for i in range(1, n)]
    elif name == "partitioned":
        parts = (range(n), range(n, sum(shape)))
        links = [(i, j) for part in parts for i, j in product(part, part) if i < j]
    else:
        links = [(i, i + 1) for i in range(n - 1)] + [(n - 1, 0)] * (name == "circle")
    return tuple(sorted(chain(links, ((j, i) for i, j in links))))


@lru_cache(maxsize=512)
def _shapes(name: str, least: int, most: int, facts: int) -> tuple[Shape, ...]:
    """Return the shapes with ``least`` to ``most`` waypoints whose routes take ``facts`` facts at most."""
    candidates = product(*(range(low, most + 1) for low in LEAST[name]))
    shapes = (shape for shape in candidates if least <= _size(name, shape) <= most)
    return tuple(shape for shape in shapes if 2 * len(_routes(name, shape)) <= facts)


def _size(name: str, shape: Shape) -> int:
    return shape[0] * shape[1] if name == "grid" else sum(shape)


class _Site(NamedTuple):
    """The initial configuration by numbers: its map, its start and its parameters.

    ``listed`` is the parameter with a list for each objective. The rover can drive to the first ``home``
    waypoints.
    """

    name: str
    start: str
    init: Parameters

    @property
    def shape(self) -> Shape:
        """The sizes of the layout."""
        return tuple(self.init["shape"])

    @property
    def home(self) -> int:
        """The number of waypoints; of a partitioned layout, the waypoints of the first part."""
        return self.shape[0] if self.name == "partitioned" else _size(self.name, self.shape)

    @property
    def listed(self) -> str:
        """The parameter with a list per objective: waypoints that see it, or modes of its images."""
        return "views" if self.fresh else "images"

    @property
    def fresh(self) -> bool:
        """Whether data must still be gathered."""
        return self.start != "navigate"

    def data(self, goal: str) -> Data:
        """Return the data that the goal sends, by kind: waypoints, or pairs of objective and mode."""
        fresh, init = self.fresh, self.init
        within = self.home if fresh else _size(self.name, self.shape)
        data_by_kind: Data = {
            kind: [(place,) for place in init[kind] if place < within] for kind in ("rocks", "soil")
        }
        all_modes = range(init["modes"])
        modes = (
            [all_modes if min(views) < within else () for views in init["views"]] if fresh else init["images"]
        )
        data_by_kind["images"] = [(i, mode) for i, views in enumerate(modes) for mode in views]
        return {kind: samples for kind, samples in data_by_kind.items() if kind in SENDS[goal]}


def _site(task: ConfigurationPair, init: Parameters) -> _Site:
    name, _, start = task.init.partition("_")
    return _Site(name, start, init)


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw ``{"init": {...}, "goal": {}}`` within the limits of waypoints, samples, ..., propositions.

    All parameters are numbers: ``shape`` (see ``LEAST``), ``rover`` and ``lander``, the waypoints of
    ``rocks`` and ``soil``, the ``modes`` of each of the ``cameras``, and for each objective the waypoints of
    its ``views`` (analysis) or the modes of its ``images`` (navigate). The limit of samples is for each kind,
    that of propositions for init and goal together. Goals have no parameters of their own.
    Raise a ParameterError if no parameters within the limits fit the task.
    """
    ranges = {kind: (max(1, low), high) for kind, (low, high) in {**WIDEST, **limits}.items()}
    low, high = ranges["propositions"]
    sound = task in TASKS and all(least <= most for least, most in ranges.values())
    shapes = _shapes(_site(task, {}).name, *ranges["waypoints"], high) if sound else ()
    for _ in range(DRAWS if shapes else 0):
        init = _draw_init(task, rng.choice(shapes), ranges, rng)
        if low <= _propositions(task, init) <= high:
            return {"init": init, "goal": {}}
    return SPACE.required(task, None)


def _draw_init(task: ConfigurationPair, shape: Shape, ranges: Limits, rng: random.Random) -> Parameters:
    """Draw an initial configuration with reachable data of each kind that the goal requires."""
    modes, objectives = rng.randint(*ranges["modes"]), rng.randint(*ranges["objectives"])
    init: Parameters = {"shape": list(shape), "modes": modes}
    site, sends = _site(task, init), SENDS[task.goal]
    home, n = site.home, _size(site.name, shape)
    init["rover"], init["lander"] = rng.randrange(home), rng.randrange(home)
    if not sends and init["rover"] == init["lander"]:
        init["rover"] = (init["lander"] + rng.randrange(1, home)) % home
    cameras = [set(_some(modes, rng.randint(1, modes), rng)) for _ in range(rng.randint(*ranges["cameras"]))]
    cameras[0] |= set(range(modes)).difference(*cameras)
    init["cameras"] = [sorted(modes) for modes in cameras]
    for kind in ("rocks", "soil"):
        count = rng.randint(ranges["samples"][0] if kind in sends else 0, ranges["samples"][1])
        init[kind] = _some(n, min(n, count), rng, home if kind in sends and site.fresh else n)
    of, most = (n, min(MOST_VIEWS, n)) if site.fresh else (modes, modes)
    init[site.listed] = [_some(of, rng.randint(1, most), rng, n if i else home) for i in range(objectives)]
    return init


def _some(n: int, count: int, rng: random.Random, within: int = MANY) -> list[int]:
    """Draw ``count`` sorted numbers below ``n``. At least one of them is below ``within``."""
    sample = rng.sample(range(n), count)
    if sample and min(sample) >= within:
        sample[0] = rng.randrange(within)
    return sorted(sample)


def _propositions(task: ConfigurationPair, init: Parameters) -> int:
    """Return the number of facts of init and goal together."""
    site = _site(task, init)
    listed = chain(init["cameras"], init[site.listed], (init["rocks"], init["soil"]))
    goal = sum(map(len, site.data(task.goal).values())) + (task.goal in RETURNS)
    return 2 * len(_routes(site.name, site.shape)) + 4 + sum(map(len, listed)) + goal


def _constraints(task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint; basic constraints come first."""
    site = _site(task, parameters.get("init", {}))
    if site.init.keys() != INIT_KEYS | {site.listed} or parameters.get("goal"):
        yield "keys", f"init takes {sorted(INIT_KEYS | {site.listed})}, goal nothing"
    elif not _are_numbers(site):
        yield "numbers", "all must be whole numbers, none negative, those of a list different and in order"
    elif len(site.shape) != len(LEAST[site.name]) or any(map(int.__lt__, site.shape, LEAST[site.name])):
        yield "shape", f"a {site.name} map takes {len(LEAST[site.name])} numbers from {LEAST[site.name]} up"
    else:
        yield from _object_faults(site)
        if task.goal == "rover_at_lander" and site.init["rover"] == site.init["lander"]:
            yield "rover_away", "the rover must not be at the lander yet: there would be nothing to plan"
        if missing := [kind for kind, data in site.data(task.goal).items() if not data]:
            yield "something_to_send", f"there are no {missing[0]} that could be sent"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, None, _constraints)


def _are_numbers(site: _Site) -> bool:
    """Return whether the parameters are numbers and sorted lists of distinct numbers."""
    init = site.init
    sets = [init["rocks"], init["soil"], *init["cameras"], *init[site.listed]]
    numbers = chain([init["rover"], init["lander"], init["modes"]], init["shape"], *sets)
    return all(type(n) is int and n >= 0 for n in numbers) and all(
        numbers_of_set == sorted(set(numbers_of_set)) for numbers_of_set in sets
    )


def _object_faults(site: _Site) -> Iterator[Fault]:
    """Yield faults of samples, cameras and objectives that do not fit the map."""
    init, n = site.init, _size(site.name, site.shape)
    if max(init["rover"], init["lander"]) >= site.home or max((0, *init["rocks"], *init["soil"])) >= n:
        yield "places", f"all are below {n}, and rover and lander in the first part of a partitioned map"
    if not all(init["cameras"]) or {*chain(*init["cameras"])} != {*range(init["modes"])} or not init["modes"]:
        yield "cameras", "each supports a mode, and each mode is supported"
    below = n if site.listed == "views" else init["modes"]
    if not init[site.listed] or any(not listed or listed[-1] >= below for listed in init[site.listed]):
        yield site.listed, f"each objective needs one or more, of numbers below {below}"


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. The roles of objects are drawn from ``rng``.

    Raise a ParameterError that names the violated constraint.
    """
    SPACE.check(task, parameters)
    site = _site(task, parameters["init"])
    sizes = (_size(site.name, site.shape), len(site.init["cameras"]), site.init["modes"])
    sized = zip(TYPES, (*sizes, len(site.init[site.listed])), strict=True)
    names_by_kind = {kind: numbered(kind[0], n) for kind, n in sized}
    objects = tuple(TypedName(name, (kind,)) for kind, names in names_by_kind.items() for name in names)
    names = {kind: rng.sample(kind_names, len(kind_names)) for kind, kind_names in names_by_kind.items()}
    described, data = _described(site, names), site.data(task.goal)
    init_parameters = _surveyed(site, described, names["waypoint"]) if site.start == "survey" else described
    facts, goal = frozenset(_init_facts(site, described, names["waypoint"])), set(_goal_facts(data, names))
    if task.goal in RETURNS:
        goal.add(("at_rover", described["lander"]))
    problem = Problem(task.name, DOMAIN, objects, facts, literals(goal))
    counts = {kind: len(data.get(kind, ())) for kind in KINDS}
    counts["objectives"] = len({image[0] for image in data.get("images", ())})
    return Generated(problem, task, init_parameters, {"map": site.name, "start": site.start} | counts)


def _init_facts(site: _Site, described: Parameters, w: list[str]) -> Iterator[Atom]:
    """Yield routes and visibility along them, the rover's place, and the available data or data on board."""
    rocks, soil, images = (facts[site.start == "navigate"] for facts in KINDS.values())
    for i, j in _routes(site.name, site.shape):
        yield "can_traverse", w[i], w[j]
        yield "visible", w[i], w[j]
    yield from (("available",), ("channel_free",))
    yield from (("at_rover", described["rover"]), ("at_lander", described["lander"]))
    for kind, fact in (("rocks", rocks), ("soil", soil)):
        yield from ((fact, place) for place in described[kind])
    for kind, fact in (("cameras", "supports"), (site.listed, images)):
        yield from ((fact, first, second) for first, seconds in described[kind].items() for second in seconds)


def _goal_facts(data: Data, names: Names) -> Iterator[Atom]:
    for kind, those in data.items():
        first = names["objective" if kind == "images" else "waypoint"]
        yield from ((KINDS[kind][2], first[i], *(names["mode"][j] for j in modes)) for i, *modes in those)


def _described(site: _Site, names: Names) -> Parameters:
    """Return the template parameters of the initial state.

    ``rows`` are the waypoints by row of a grid, by part, or all in one list. Lists have the order of the
    parameters, not of names, so names with the same roles have the same positions.
    """
    w, modes, init, shape = names["waypoint"], names["mode"], site.init, site.shape
    cuts = {"grid": shape[1:] * shape[0], "partitioned": shape}.get(site.name, (len(w),))
    described: Parameters = {"rows": [w[start:end] for start, end in spans(cuts)]}
    described |= {kind: w[init[kind]] for kind in ("rover", "lander")}
    described |= {kind: [w[i] for i in init[kind]] for kind in ("rocks", "soil")}
    listed_names = w if site.listed == "views" else modes
    for key, ones, name_list in (("cameras", "camera", modes), (site.listed, "objective", listed_names)):
        pairs = zip(names[ones], init[key], strict=True)
        described[key] = {owner: [name_list[i] for i in indices] for owner, indices in pairs}
    return described


def _surveyed(site: _Site, described: Parameters, w: list[str]) -> Parameters:
    """Return the template parameters of the initial state without names of waypoints.

    A waypoint is [row, column] on a grid, otherwise its number from 1. The center of a star has number 0.
    """
    wide, first = site.shape[-1], 0 if site.name == "star" else 1
    spot = {
        name: [i // wide + 1, i % wide + 1] if site.name == "grid" else i + first for i, name in enumerate(w)
    }
    survey: Parameters = {"map": site.name, "shape": list(site.shape), "cameras": described["cameras"]}
    survey |= {kind: spot[described[kind]] for kind in ("rover", "lander")}
    survey |= {kind: sorted(spot[name] for name in described[kind]) for kind in ("rocks", "soil")}
    views = described["views"].items()
    return survey | {
        "views": {objective: sorted(spot[name] for name in waypoints) for objective, waypoints in views}
    }


# Abilities of the rover.
SOURCE = {KINDS[kind][1]: KINDS[kind][0] for kind in ("rocks", "soil")}
NEEDS = {sent: have for _, have, sent in KINDS.values()}
LASTING = frozenset({*NEEDS, *NEEDS.values()})  # facts that never become false
RegionPath: TypeAlias = tuple[frozenset[str], ...]  # regions of a route, beginning with the start's region
UNDECIDED: RegionPath = ()


class _Mission(NamedTuple):
    """A problem from the view of the rover.

    ``done`` are the lasting initial facts. ``gather`` gives the waypoints where the rover can obtain each
    fact that the goal still needs. ``send`` are the facts still to be sent, each with its data. ``sent_at``
    are the waypoints that see a lander. ``end`` is the rover's place in the goal.
    """

    start: str
    end: str | None
    moves: Mapping[str, list[str]]
    done: frozenset[Atom]
    gather: Mapping[Atom, frozenset[str]]
    send: Mapping[Atom, Atom]
    sent_at: frozenset[str]


def _mission(problem: Problem) -> _Mission | None:
    """Return the mission.

    Return None if a literal is negative or impossible, or there is not exactly one rover.
    """
    facts_by_predicate: dict[str, list[Atom]] = {}
    for fact in problem.init:
        facts_by_predicate.setdefault(fact[0], []).append(fact)
    goal, starts = problem.goal_facts, facts_by_predicate.get("at_rover", [])
    ends = [fact[-1] for fact in goal if fact[0] == "at_rover"]
    static = (fact for fact in goal if fact[0] not in LASTING and fact[0] != "at_rover")
    possible = len(goal) == len(problem.goal) and problem.init.issuperset(static)
    if not possible or len(starts) != 1 or len(ends) > 1:
        return None
    done = frozenset(chain(*(facts_by_predicate.get(name, ()) for name in LASTING)))
    lasting = {fact for fact in goal if fact[0] in LASTING} - done
    send = {fact: (NEEDS[fact[0]], *fact[1:]) for fact in lasting if fact[0] in NEEDS}
    gather = {
        fact: _sources(fact, facts_by_predicate)
        for fact in (lasting - send.keys()).union(send.values()) - done
    }
    if not all(gather.values()) or (
        send and not ("available" in facts_by_predicate and "channel_free" in facts_by_predicate)
    ):
        return None
    landers = {fact[1] for fact in facts_by_predicate.get("at_lander", ())}
    sent_at = frozenset(fact[1] for fact in facts_by_predicate.get("visible", ()) if fact[2] in landers)
    moves = _moves(starts[0][1], facts_by_predicate, problem.init)
    return _Mission(starts[0][1], ends[0] if ends else None, moves, done, gather, send, sent_at)


def _sources(fact: Atom, facts_by_predicate: Mapping[str, list[Atom]]) -> frozenset[str]:
    """Return the waypoints where the rover can get the data."""
    if fact[0] in SOURCE:
        return frozenset(
            sample[1] for sample in facts_by_predicate.get(SOURCE[fact[0]], ()) if sample[1:] == fact[1:]
        )
    supported = any(mode in fact[2:] for _, _, mode in facts_by_predicate.get("supports", ()))
    views = facts_by_predicate.get("visible_from", ()) if supported else ()
    return frozenset(place for _, objective, place in views if objective == fact[1])


def _moves(
    start: str, facts_by_predicate: Mapping[str, list[Atom]], init: Collection[Atom]
) -> dict[str, list[str]]:
    """Return the waypoints that the rover can drive to from each reachable waypoint."""
    routes: dict[str, list[str]] = {start: []}
    for _, origin, target in (
        facts_by_predicate.get("can_traverse", ()) if "available" in facts_by_predicate else ()
    ):
        if ("visible", origin, target) in init:
            routes.setdefault(origin, []).append(target)
            routes.setdefault(target, [])
    return {waypoint: sorted(routes[waypoint]) for waypoint in set(distances(start, routes.__getitem__))}


def _regions(mission: _Mission) -> dict[str, frozenset[str]]:
    """Return the strongly connected component of each reachable waypoint."""
    back: dict[str, list[str]] = {place: [] for place in mission.moves}
    for waypoint, targets in mission.moves.items():
        for target in targets:
            back[target].append(waypoint)
    home = distances(mission.start, back.__getitem__)
    if len(home) == len(back):
        return dict.fromkeys(back, frozenset(home))
    ahead, behind = mission.moves.__getitem__, back.__getitem__
    return {
        waypoint: frozenset(distances(waypoint, ahead).keys() & distances(waypoint, behind))
        for waypoint in back
    }


def _region_path(mission: _Mission, blocked: str = "") -> RegionPath | None:
    """Return the components on a path to a goal state that avoids ``blocked``; None if there is none.

    Within a region the rover can drive back and forth, so it does all possible work there, which never harms.
    The remaining choice is the sequence of regions; none is entered twice. The search is depth-first over
    regions and facts gathered and sent so far. The result is UNDECIDED beyond STATES search states.
    """
    regions = _regions(mission)
    todo: list[tuple[RegionPath, frozenset[Atom]]] = [((regions[mission.start],), frozenset())]
    seen: set[tuple[frozenset[str], frozenset[Atom]]] = set()
    while todo and len(seen) <= STATES:
        path, before = todo.pop()
        have = _gained(mission, path[-1], before)
        if blocked in path[-1] or (path[-1], have) in seen:
            continue
        all_done = len(have) == len(mission.gather) + len(mission.send)
        if all_done and (mission.end or min(path[-1])) in path[-1]:
            return path
        seen.add((path[-1], have))
        ahead = {regions[target] for waypoint in path[-1] for target in mission.moves[waypoint]} - {path[-1]}
        todo += [((*path, region), have) for region in sorted(ahead, key=sorted)]
    return UNDECIDED if todo else None


def _gained(mission: _Mission, region: frozenset[str], before: frozenset[Atom]) -> frozenset[Atom]:
    """Return the goal-relevant data gathered and sent after all work in the region."""
    have = before.union(fact for fact, places in mission.gather.items() if places & region)
    able, done = region & mission.sent_at, have | mission.done
    return have.union(fact for fact, data in mission.send.items() if able and data in done)


def close_goal(problem: Problem) -> frozenset[Atom] | None:
    """Return the fluent facts true in every reachable goal state.

    The result is None if a goal literal is negative, there is not exactly one rover, no reachable state
    satisfies the goal, or too many branching ways leave it undecided. Gathered and sent data remain so, and
    the rover need not gather data that the goal does not use. So the closure contains the lasting initial
    facts, the goal facts, the data that these need, and the rover's place if it is the same in all goal
    states.
    """
    mission = _mission(problem)
    path = _region_path(mission) if mission else None
    if mission is None or not path:
        return None
    end, last = mission.end, min(path[-1])
    if end is None and len(path[-1]) == 1 and set(mission.moves[last]) <= {last}:
        detour = _region_path(mission, blocked=last)
        if detour == UNDECIDED:
            return None
        end = last if detour is None else None
    return mission.done.union(mission.gather, mission.send, [("at_rover", end)] if end else ())


def plan(problem: Problem) -> list[Step] | None:
    """Return a plan that gathers the nearest data first, then sends, and finally drives to the goal place.

    The result is None if that of ``close_goal`` is None. If some ways are one-way, the plan goes region by
    region.
    """
    if problem.satisfied(problem.init):
        return []
    mission = _mission(problem)
    path = _region_path(mission) if mission else None
    return _Rover(problem, mission).work(path) if mission and path else None


class _Rover:
    """One run of the planner: the rover's place, the finished facts, and the steps so far."""

    def __init__(self, problem: Problem, mission: _Mission) -> None:
        self.problem, self.mission, self.here = problem, mission, mission.start
        self.done, self.steps = set(mission.done), list[Step]()

    def work(self, path: RegionPath) -> list[Step]:
        """Return the whole plan."""
        for region, following in zip(path, (*path[1:], frozenset()), strict=True):
            self._visit(self.mission.gather, region)
            ready = [fact for fact, data in self.mission.send.items() if data in self.done]
            self._visit(dict.fromkeys(ready, self.mission.sent_at), region)
            self._drive(following, following | region)
        self._drive({self.mission.end or self.here}, path[-1])
        return self.steps

    def _visit(self, wishes: Mapping[Atom, frozenset[str]], region: frozenset[str]) -> None:
        """Achieve the possible facts in the region, each at one of its waypoints, nearest waypoints first."""
        near = {fact: places & region for fact, places in sorted(wishes.items())}
        while remaining := {
            fact: places for fact, places in near.items() if places and fact not in self.done
        }:
            self._drive(frozenset().union(*remaining.values()), region)
            local_facts = [fact for fact, places in remaining.items() if self.here in places]
            self.done.update(local_facts)
            self.steps += map(self._step, local_facts)

    def _step(self, fact: Atom) -> Step:
        """Return the step that makes ``fact`` true here."""
        init = self.problem.init
        if fact in self.mission.send:
            sees = {view[2] for view in init if view[:2] == ("visible", self.here)}
            lander = min(fact[1] for fact in init if fact[0] == "at_lander" and fact[1] in sees)
            return fact[0].replace("communicated", "communicate"), *fact[1:], self.here, lander
        if fact[0] in SOURCE:
            return "sample_rock" if fact[0] == "have_rock_analysis" else "sample_soil", fact[1]
        camera = min(each[1] for each in init if each[0] == "supports" and each[2] == fact[2])
        return "take_image", self.here, fact[1], camera, fact[2]

    def _drive(self, places: Collection[str], within: Collection[str]) -> None:
        """Drive to the nearest of ``places``, if there are any, through waypoints ``within``."""
        if self.here not in places:
            moves = self.mission.moves
            path = shortest_path(
                self.here, lambda waypoint: filter(within.__contains__, moves[waypoint]), places
            )
            self.steps += [("navigate", *pair) for pair in pairwise([self.here, *path])]
            self.here = path[-1] if path else self.here
