"""Ferry: its configurations, a greedy planner and the closure of goals."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from orrery.generator_kit import (
    Fault,
    ParameterSpace,
    ill_formed,
    numbered,
    out_of_range,
    shuffled,
    typed,
)
from orrery.model import Atom, Generated, Limits, Parameters, Problem, Step, Task, literals

DOMAIN = "ferry"
_STRUCTURED = ("one_location", "evenly_spread", "aboard")
TASKS: tuple[Task, ...] = (
    Task("random", "random"),
    # With its own goal each of these would hold at first once locations may be exchanged.
    *(Task(init, goal) for init in _STRUCTURED for goal in _STRUCTURED if init != goal),
    Task("counted", "gather", strict=True),
)
WIDEST: Limits = {"locations": (2, 5), "cars": (2, 50)}
FURTHER: Mapping[str, Mapping[str, type]] = {
    "one_location": {"ferry_there": bool}, "counted": {"counts": list}
}  # fmt: skip


# ---- parameters


def draw(task: Task, limits: Limits, rng: random.Random) -> Parameters:
    """Draw numbers of locations and cars within ``limits``, and what else the configurations ask for.

    Raises ParameterError where no numbers within the limits satisfy the constraints of the task.
    """
    parameters = SPACE.size(task, limits, rng, _number_faults)
    locations, cars = parameters["locations"], parameters["cars"]
    if task.init == "one_location":
        parameters["ferry_there"] = rng.random() < 0.5
    if task.init == "counted":
        parameters["counts"] = _draw_counts(locations, cars, rng)
    return parameters


def _draw_counts(locations: int, cars: int, rng: random.Random) -> list[int]:
    """Draw cars per location, most first: one location has strictly most, and not all."""
    counts = [0] * locations
    for _ in range(cars):
        counts[rng.randrange(locations)] += 1
    counts.sort(reverse=True)
    # Moving one car up (or down, where all stand together) makes the first the only fullest.
    giver, taker = (0, 1) if counts[0] == cars else (1, 0)
    while counts[0] <= counts[1] or counts[0] == cars:
        counts[giver] -= 1
        counts[taker] += 1
    return counts


def _constraints(task: Task, parameters: Parameters) -> Iterator[Fault]:
    """Yield what the parameters violate; what configurations ask for besides numbers may be left out."""
    given = {key: kind for key, kind in FURTHER.get(task.init, {}).items() if key in parameters}
    yield from ill_formed(parameters, {"locations": int, "cars": int, **given})
    locations, cars = parameters["locations"], parameters["cars"]
    yield from out_of_range(parameters, WIDEST)
    yield from _number_faults(task, parameters)
    counts = parameters.get("counts")
    if counts is not None and (len(counts) != locations or sum(counts) != cars or min(counts) < 0):
        yield "counts", "needs one count for each location, the cars in sum"
    if counts is not None and (sorted(counts)[-1] == sorted(counts)[-2] or max(counts) == cars):
        yield "counts", "needs one location with strictly most cars, but not all of them"


def _number_faults(task: Task, parameters: Parameters) -> Iterator[Fault]:
    """Yield what the numbers violate together."""
    locations, cars = parameters["locations"], parameters["cars"]
    if task.init == "counted" and cars < 3:
        yield "cars", "needs three where they are counted"
    if "evenly_spread" in (task.init, task.goal) and cars % locations:
        yield "evenly_spread", f"{cars} cars cannot be shared evenly by {locations} locations"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, None, _constraints)


# ---- problems


@dataclass
class _FerryScene:
    """The named things of one problem, and what the templates say of its initial state."""

    cars: list[str]
    locations: list[str]
    parameters: Parameters
    rng: random.Random
    described: Parameters = field(default_factory=dict)

    def spread(self, cars: list[str]) -> set[Atom]:
        """Draw a location for each car."""
        return {("at", car, self.rng.choice(self.locations)) for car in cars}

    def ferry(self, location: str, car: str | None = None) -> set[Atom]:
        """Draw the ferry's location, with or without a car aboard."""
        self.described["ferry"] = location
        return {("at-ferry", location), ("on", car) if car else ("empty-ferry",)}


def build(task: Task, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``; ``rng`` gives the names and what the parameters leave open.

    Raises ParameterError naming the violated constraint.
    """
    SPACE.check(task, parameters)
    scene = _FerryScene(
        shuffled(numbered("car", parameters["cars"]), rng),
        shuffled(numbered("loc", parameters["locations"]), rng),
        parameters,
        rng,
    )
    init = _INITS[task.init](scene)
    goal = _GOALS[task.goal](scene, frozenset(init))
    unequal = {("not-eq", one, other) for one in scene.locations for other in scene.locations if one != other}
    objects = typed({"car": scene.cars, "location": scene.locations})
    problem = Problem(task.name, DOMAIN, objects, frozenset(init | unequal), literals(goal))
    counts = {"cars": parameters["cars"], "locations": parameters["locations"]}
    return Generated(problem, task, counts | scene.described, dict(counts))


def _init_random(scene: _FerryScene) -> set[Atom]:
    """Put cars anywhere; every fifth problem has one aboard."""
    place = scene.rng.choice(scene.locations)
    if scene.rng.random() < 0.2:
        return scene.spread(scene.cars[1:]) | scene.ferry(place, scene.cars[0])
    return scene.spread(scene.cars) | scene.ferry(place)


def _init_one_location(scene: _FerryScene) -> set[Atom]:
    home, other = scene.locations[:2]
    scene.described["home"] = home
    return {("at", car, home) for car in scene.cars} | scene.ferry(
        home if scene.parameters["ferry_there"] else other
    )


def _init_evenly_spread(scene: _FerryScene) -> set[Atom]:
    return _evenly(scene) | scene.ferry(scene.locations[0])


def _init_aboard(scene: _FerryScene) -> set[Atom]:
    home = scene.locations[0]
    return {("at", car, home) for car in scene.cars[1:]} | scene.ferry(home, scene.cars[0])


def _init_counted(scene: _FerryScene) -> set[Atom]:
    counts = scene.parameters["counts"]
    scene.described["counts"] = dict(sorted(zip(scene.locations, counts, strict=True)))
    standing = [
        location for location, count in zip(scene.locations, counts, strict=True) for _ in range(count)
    ]
    return {("at", car, place) for car, place in zip(scene.cars, standing, strict=True)} | scene.ferry(
        scene.locations[-1]
    )


def _evenly(scene: _FerryScene) -> set[Atom]:
    return {
        ("at", car, scene.locations[index % len(scene.locations)]) for index, car in enumerate(scene.cars)
    }


def _goal_random(scene: _FerryScene, init: frozenset[Atom]) -> set[Atom]:
    """Draw a destination for each car, not all of which hold at first."""
    goal = scene.spread(scene.cars)
    while goal <= init:
        goal = scene.spread(scene.cars)
    return goal


def _goal_one_location(scene: _FerryScene, init: frozenset[Atom]) -> set[Atom]:
    return {("at", car, scene.locations[-1]) for car in scene.cars}


def _goal_evenly_spread(scene: _FerryScene, init: frozenset[Atom]) -> set[Atom]:
    scene.rng.shuffle(scene.cars)
    return _evenly(scene)


def _goal_aboard(scene: _FerryScene, init: frozenset[Atom]) -> set[Atom]:
    passenger = scene.rng.choice(scene.cars)
    return {("at", car, scene.locations[-1]) for car in scene.cars if car != passenger} | {("on", passenger)}


def _goal_gather(scene: _FerryScene, init: frozenset[Atom]) -> set[Atom]:
    """Return all cars at the place where most of them are at first."""
    counts = scene.parameters["counts"]
    return {("at", car, scene.locations[counts.index(max(counts))]) for car in scene.cars}


_INITS: dict[str, Callable[[_FerryScene], set[Atom]]] = {
    "random": _init_random,
    "one_location": _init_one_location,
    "evenly_spread": _init_evenly_spread,
    "aboard": _init_aboard,
    "counted": _init_counted,
}
_GOALS: dict[str, Callable[[_FerryScene, frozenset[Atom]], set[Atom]]] = {
    "random": _goal_random,
    "one_location": _goal_one_location,
    "evenly_spread": _goal_evenly_spread,
    "aboard": _goal_aboard,
    "gather": _goal_gather,
}


# ---- plans and closure


@dataclass
class _Crossing:
    """Where the ferry and the cars are while a plan grows."""

    ferry: str
    aboard: str | None
    at: dict[str, str]
    locations: tuple[str, ...]
    steps: list[Step] = field(default_factory=list)

    def sail(self, to: str) -> None:
        """Bring the ferry to a location."""
        if to != self.ferry:
            self.steps.append(("sail", self.ferry, to))
            self.ferry = to

    def fetch(self, car: str) -> None:
        """Take a car aboard the empty ferry."""
        self.sail(self.at[car])
        self.steps.append(("board", car, self.at.pop(car)))
        self.aboard = car

    def land(self, to: str) -> None:
        """Bring the car that is aboard to a location."""
        self.sail(to)
        assert self.aboard is not None
        self.steps.append(("debark", self.aboard, to))
        self.at[self.aboard], self.aboard = to, None

    def state(self) -> Iterator[Atom]:
        """Yield the fluent facts."""
        yield from (("at", car, place) for car, place in self.at.items())
        yield ("at-ferry", self.ferry)
        yield ("on", self.aboard) if self.aboard else ("empty-ferry",)


def _crossing(problem: Problem) -> _Crossing | None:
    """Return the initial state.

    Return None unless it is sound: one ferry, everything in one place, all routes open.
    """
    locations = tuple(sorted(typed.name for typed in problem.objects if typed.types == ("location",)))
    cars = sorted(typed.name for typed in problem.objects if typed.types == ("car",))
    standing = [(fact[1], fact[2]) for fact in problem.init if fact[0] == "at"]
    ferries = [fact[1] for fact in problem.init if fact[0] == "at-ferry"]
    aboard = [fact[1] for fact in problem.init if fact[0] == "on"]
    roads = all(
        ("not-eq", one, other) in problem.init for one in locations for other in locations if one != other
    )
    placed = sorted([car for car, _ in standing] + aboard) == cars
    one_load = len(aboard) + (("empty-ferry",) in problem.init) == 1
    if not (roads and placed and one_load and len(ferries) == 1):
        return None
    return _Crossing(ferries[0], aboard[0] if aboard else None, dict(standing), locations)


def plan(problem: Problem) -> list[Step] | None:
    """Find a plan of at most four steps a car and a few more, or None.

    None where the goal cannot be reached or the initial state is no sound one (two ferries, a car in two
    places, locations between which one cannot sail).
    """
    crossing = _crossing(problem)
    if crossing is None:
        return None
    goal = sorted(problem.goal_facts)
    wanted = {fact[1]: fact[2] for fact in goal if fact[0] == "at"}
    passenger = next((fact[1] for fact in goal if fact[0] == "on"), None)
    _deliver(crossing, wanted, passenger)
    for fact in goal:
        if fact[0] == "at-ferry":
            crossing.sail(fact[1])
    reached = frozenset(crossing.state()) | {fact for fact in problem.init if fact[0] == "not-eq"}
    return crossing.steps if problem.satisfied(reached) else None


def _deliver(crossing: _Crossing, wanted: dict[str, str], passenger: str | None) -> None:
    """Bring each car to the place wanted, those at hand first, then take the passenger aboard."""
    waiting = sorted(car for car, place in crossing.at.items() if wanted.get(car, place) != place)
    if crossing.aboard and (waiting or crossing.aboard != passenger):
        crossing.land(wanted.get(crossing.aboard, crossing.ferry))
    while waiting:
        car = next((car for car in waiting if crossing.at[car] == crossing.ferry), waiting[0])
        waiting.remove(car)
        crossing.fetch(car)
        crossing.land(wanted[car])
    if passenger and crossing.aboard is None:
        crossing.fetch(passenger)


def close_goal(problem: Problem) -> frozenset[Atom] | None:
    """Return the fluent facts that hold in every reachable goal state, or None.

    None where ``plan`` gives none, or the goal has negative literals. All sound states reach each other,
    so the closure follows from what the goal leaves each car and the ferry.
    """
    crossing = _crossing(problem)
    if crossing is None or plan(problem) is None or not all(literal.positive for literal in problem.goal):
        return None
    goal = {fact for fact in problem.goal_facts if fact[0] != "not-eq"}
    cars = {*crossing.at, *([crossing.aboard] if crossing.aboard else [])}
    waiting = cars - {fact[1] for fact in goal if fact[0] in ("at", "on")}
    carries = any(fact[0] == "on" for fact in goal)
    if not waiting and not carries:
        goal.add(("empty-ferry",))
    if len(crossing.locations) == 1:  # everything that is not aboard is there
        here = crossing.locations[0]
        goal |= {("at-ferry", here)}
        goal |= {("at", car, here) for car in waiting if carries or ("empty-ferry",) in goal}
    return frozenset(goal)
