"""Ferry: its configurations, a greedy planner and the closure of goals."""

from __future__ import annotations

import random
from collections import Counter
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
from orrery.model import Atom, ConfigurationPair, Generated, Limits, Parameters, Problem, Step, literals

DOMAIN = "ferry"
# Combined with its own goal, each of these would be trivial up to renaming of the locations.
_PAIRED: Mapping[str, tuple[str, ...]] = {
    "one_location": ("evenly_spread", "aboard", "two_groups", "vacant", "staircase"),
    "evenly_spread": ("one_location", "aboard", "moored", "staircase"),
    "aboard": ("one_location", "evenly_spread", "two_groups", "vacant"),
    "two_groups": ("one_location", "evenly_spread", "moored"),
    "vacant": ("one_location", "aboard", "moored"),
    "staircase": ("one_location", "evenly_spread", "aboard"),
    "at_sea": ("moored", "two_groups", "staircase"),
}
TASKS: tuple[ConfigurationPair, ...] = (
    ConfigurationPair("random", "random"),
    *(ConfigurationPair(init, goal) for init, goals in _PAIRED.items() for goal in goals),
    # These goals refer to the initial positions of cars.
    ConfigurationPair("counted", "gather", strict=True),
    ConfigurationPair("two_groups", "exchange", strict=True),
    ConfigurationPair("at_sea", "reunion", strict=True),
)
WIDEST: Limits = {"locations": (2, 5), "cars": (2, 50)}
FURTHER: Mapping[str, Mapping[str, type]] = {
    "one_location": {"ferry_there": bool}, "counted": {"counts": list},
    "two_groups": {"group": int, "ferry_at": int},
}  # fmt: skip


# ---- parameters


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw numbers of locations and cars within ``limits``, and the other parameters of the configurations.

    Raise a ParameterError if no numbers within the limits satisfy the constraints of the task.
    """
    parameters = SPACE.size(task, limits, rng, _number_faults)
    locations, cars = parameters["locations"], parameters["cars"]
    if task.init == "one_location":
        parameters["ferry_there"] = rng.random() < 0.5
    if task.init == "counted":
        parameters["counts"] = _draw_counts(locations, cars, rng)
    if task.init == "two_groups":
        even = cars / 2 if _same_for_two(task, locations) else 0
        parameters["group"] = rng.choice([number for number in range(1, cars) if number != even])
        parameters["ferry_at"] = rng.randrange(min(locations, 3))
    if task.goal == "two_groups":
        parameters["goal_group"] = rng.randint(1, cars // 2)
    return parameters


def _draw_counts(locations: int, cars: int, rng: random.Random) -> list[int]:
    """Draw cars per location in descending order. The first location has strictly most cars, but not all."""
    counts = [0] * locations
    for _ in range(cars):
        counts[rng.randrange(locations)] += 1
    counts.sort(reverse=True)
    # One car moved up (or down, if one location has all) makes the first location the only fullest one.
    giver, taker = (0, 1) if counts[0] == cars else (1, 0)
    while counts[0] <= counts[1] or counts[0] == cars:
        counts[giver] -= 1
        counts[taker] += 1
    return counts


def _constraints(task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint. Parameters other than numbers of objects are optional."""
    further = {**FURTHER.get(task.init, {}), **({"goal_group": int} if task.goal == "two_groups" else {})}
    optional_kinds = {key: kind for key, kind in further.items() if key in parameters}
    yield from ill_formed(parameters, {"locations": int, "cars": int, **optional_kinds})
    locations, cars = parameters["locations"], parameters["cars"]
    yield from out_of_range(parameters, WIDEST)
    yield from _number_faults(task, parameters)
    counts = parameters.get("counts")
    if counts is not None and (len(counts) != locations or sum(counts) != cars or min(counts) < 0):
        yield "counts", "needs one count for each location, the cars in sum"
    if counts is not None and (sorted(counts)[-1] == sorted(counts)[-2] or max(counts) == cars):
        yield "counts", "needs one location with strictly most cars, but not all of them"
    if not all(1 <= parameters.get(key, 1) < cars for key in ("group", "goal_group")):
        yield "group", "each of two groups needs a car"
    if _same_for_two(task, locations) and 2 * parameters.get("group", 0) == cars:
        yield "group", "two groups of as many cars are spread evenly over two locations"
    if not 0 <= parameters.get("ferry_at", 0) < min(locations, 3):
        yield "ferry_at", "is 0 or 1, where a group is, or 2, elsewhere, where there is a third location"


def _number_faults(task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint between the numbers."""
    locations, cars = parameters["locations"], parameters["cars"]
    if task.init == "counted" and cars < 3:
        yield "cars", "needs three where they are counted"
    if "evenly_spread" in (task.init, task.goal) and cars % locations:
        yield "evenly_spread", f"{cars} cars cannot be shared evenly by {locations} locations"
    if "vacant" in (task.init, task.goal) and (locations < 3 or cars % (locations - 1)):
        yield "vacant", f"{cars} cars cannot be shared evenly by all but one of {locations} locations"
    if "staircase" in (task.init, task.goal) and _least(locations, cars) is None:
        yield "staircase", f"{cars} cars do not make {locations} numbers, each by one above the one before"
    if _same_for_two(task, locations) and cars == 2:
        yield "cars", "needs more than two, for two groups of different size"


def _same_for_two(task: ConfigurationPair, locations: int) -> bool:
    """Return whether the goal requires two groups of equal size."""
    return (task.init, task.goal, locations) == ("two_groups", "evenly_spread", 2)


def _least(locations: int, cars: int) -> int | None:
    """Return the smallest of ``locations`` consecutive numbers with the sum ``cars``, or None."""
    surplus = cars - locations * (locations - 1) // 2
    return surplus // locations if surplus >= 0 and surplus % locations == 0 else None


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, None, _constraints)


# ---- problems


@dataclass
class _FerryScene:
    """The named objects of one problem, and the template parameters of its initial state."""

    cars: list[str]
    locations: list[str]
    parameters: Parameters
    rng: random.Random
    described: Parameters = field(default_factory=dict)
    goal: Parameters = field(default_factory=dict)

    def spread(self, cars: list[str]) -> set[Atom]:
        """Draw a location for each car."""
        return {("at", car, self.rng.choice(self.locations)) for car in cars}

    def ferry(self, location: str, car: str | None = None) -> set[Atom]:
        """Draw the ferry's location, with or without a car aboard."""
        self.described["ferry"] = location
        return {("at-ferry", location), ("on", car) if car else ("empty-ferry",)}


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. Names and all other choices are drawn from ``rng``.

    Raise a ParameterError that names the violated constraint.
    """
    SPACE.check(task, parameters)
    scene = _FerryScene(
        shuffled(numbered("c", parameters["cars"]), rng),
        shuffled(numbered("l", parameters["locations"]), rng),
        parameters,
        rng,
    )
    init = _INITS[task.init](scene)
    goal = _GOALS[task.goal](scene, frozenset(init))
    passages = {
        ("passage", location, second_location)
        for location in scene.locations
        for second_location in scene.locations
        if location != second_location
    }
    objects = typed({"car": scene.cars, "location": scene.locations})
    problem = Problem(task.name, DOMAIN, objects, frozenset(init | passages), literals(goal))
    counts = {"cars": parameters["cars"], "locations": parameters["locations"]}
    return Generated(problem, task, counts | scene.described, counts | scene.goal)


def _init_random(scene: _FerryScene) -> set[Atom]:
    """Draw locations of cars; one car is aboard with a probability of 0.2."""
    place = scene.rng.choice(scene.locations)
    if scene.rng.random() < 0.2:
        return scene.spread(scene.cars[1:]) | scene.ferry(place, scene.cars[0])
    return scene.spread(scene.cars) | scene.ferry(place)


def _init_one_location(scene: _FerryScene) -> set[Atom]:
    home, away = scene.locations[:2]
    scene.described["home"] = home
    return {("at", car, home) for car in scene.cars} | scene.ferry(
        home if scene.parameters["ferry_there"] else away
    )


def _init_evenly_spread(scene: _FerryScene) -> set[Atom]:
    return _evenly(scene) | scene.ferry(scene.locations[0])


def _init_aboard(scene: _FerryScene) -> set[Atom]:
    home = scene.locations[0]
    return {("at", car, home) for car in scene.cars[1:]} | scene.ferry(home, scene.cars[0])


def _init_counted(scene: _FerryScene) -> set[Atom]:
    counts = scene.parameters["counts"]
    scene.described["counts"] = dict(sorted(zip(scene.locations, counts, strict=True)))
    return _by_counts(scene, counts) | scene.ferry(scene.locations[-1])


def _init_two_groups(scene: _FerryScene) -> set[Atom]:
    """Put a group of cars at each of two locations, and the ferry at one of these or elsewhere."""
    home, away = scene.locations[:2]
    group = scene.parameters["group"]
    home_cars, away_cars = group, len(scene.cars) - group
    scene.described |= {"home": home, "other": away, "at_home": home_cars, "at_other": away_cars}
    return _by_counts(scene, [home_cars, away_cars]) | scene.ferry(
        scene.locations[scene.parameters["ferry_at"]]
    )


def _init_vacant(scene: _FerryScene) -> set[Atom]:
    return _all_but_one(scene) | scene.ferry(scene.locations[-1])


def _init_staircase(scene: _FerryScene) -> set[Atom]:
    scene.described["least"] = _least(len(scene.locations), len(scene.cars))
    return _rising(scene) | scene.ferry(scene.locations[-1])


def _init_at_sea(scene: _FerryScene) -> set[Atom]:
    home, place = scene.locations[:2]
    scene.described["home"] = home
    return {("at", car, home) for car in scene.cars[1:]} | scene.ferry(place, scene.cars[0])


def _by_counts(scene: _FerryScene, counts: list[int]) -> set[Atom]:
    """Put ``counts`` cars at the locations, in order."""
    places = (place for place, count in zip(scene.locations, counts, strict=False) for _ in range(count))
    return {("at", car, place) for car, place in zip(scene.cars, places, strict=True)}


def _all_but_one(scene: _FerryScene) -> set[Atom]:
    """Spread the cars evenly over all locations but the last."""
    destinations = len(scene.locations) - 1
    return _by_counts(scene, [len(scene.cars) // destinations] * destinations)


def _rising(scene: _FerryScene) -> set[Atom]:
    """Put one car more at each location than at the location before."""
    least = _least(len(scene.locations), len(scene.cars)) or 0
    return _by_counts(scene, [least + number for number in range(len(scene.locations))])


def _evenly(scene: _FerryScene) -> set[Atom]:
    return {
        ("at", car, scene.locations[index % len(scene.locations)]) for index, car in enumerate(scene.cars)
    }


def _goal_random(scene: _FerryScene, init: frozenset[Atom]) -> set[Atom]:
    """Draw a destination for each car. Not all of them hold initially."""
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
    """Return the goal that all cars are at the location that initially has most cars."""
    counts = scene.parameters["counts"]
    return {("at", car, scene.locations[counts.index(max(counts))]) for car in scene.cars}


def _goal_two_groups(scene: _FerryScene, init: frozenset[Atom]) -> set[Atom]:
    """Return the goal of two groups of cars, neither at a location where all cars are initially."""
    group = scene.parameters["goal_group"]
    scene.goal |= {"one": group, "other": len(scene.cars) - group}
    scene.rng.shuffle(scene.cars)
    scene.rng.shuffle(scene.locations)
    return _by_counts(scene, [group, len(scene.cars) - group])


def _goal_moored(scene: _FerryScene, init: frozenset[Atom]) -> set[Atom]:
    """Return the goal that all cars are together, and the ferry with them."""
    return _goal_one_location(scene, init) | {("at-ferry", scene.locations[-1])}


def _goal_vacant(scene: _FerryScene, init: frozenset[Atom]) -> set[Atom]:
    scene.rng.shuffle(scene.cars)
    scene.rng.shuffle(scene.locations)
    return _all_but_one(scene)


def _goal_staircase(scene: _FerryScene, init: frozenset[Atom]) -> set[Atom]:
    scene.goal["least"] = _least(len(scene.locations), len(scene.cars))
    scene.rng.shuffle(scene.cars)
    scene.rng.shuffle(scene.locations)
    return _rising(scene)


def _goal_exchange(scene: _FerryScene, init: frozenset[Atom]) -> set[Atom]:
    """Return the goal that two groups of cars exchange their locations."""
    home, away = scene.locations[:2]
    following = {home: away, away: home}
    return {("at", fact[1], following[fact[2]]) for fact in init if fact[0] == "at"}


def _goal_reunion(scene: _FerryScene, init: frozenset[Atom]) -> set[Atom]:
    """Return the goal that the car aboard joins the others, which stay."""
    return {("at", car, scene.locations[0]) for car in scene.cars}


_INITS: dict[str, Callable[[_FerryScene], set[Atom]]] = {
    "random": _init_random,
    "one_location": _init_one_location,
    "evenly_spread": _init_evenly_spread,
    "aboard": _init_aboard,
    "counted": _init_counted,
    "two_groups": _init_two_groups,
    "vacant": _init_vacant,
    "staircase": _init_staircase,
    "at_sea": _init_at_sea,
}
_GOALS: dict[str, Callable[[_FerryScene, frozenset[Atom]], set[Atom]]] = {
    "random": _goal_random,
    "one_location": _goal_one_location,
    "evenly_spread": _goal_evenly_spread,
    "aboard": _goal_aboard,
    "gather": _goal_gather,
    "two_groups": _goal_two_groups,
    "moored": _goal_moored,
    "vacant": _goal_vacant,
    "staircase": _goal_staircase,
    "exchange": _goal_exchange,
    "reunion": _goal_reunion,
}


# ---- plans and closure


@dataclass
class _Crossing:
    """The current positions of ferry and cars while a plan is built."""

    ferry: str
    aboard: str | None
    at: dict[str, str]
    locations: tuple[str, ...]
    steps: list[Step] = field(default_factory=list)

    def sail(self, to: str) -> None:
        """Move the ferry to a location."""
        if to != self.ferry:
            self.steps.append(("sail", self.ferry, to))
            self.ferry = to

    def fetch(self, car: str) -> None:
        """Take a car aboard the empty ferry."""
        self.sail(self.at[car])
        self.steps.append(("board", car, self.at.pop(car)))
        self.aboard = car

    def land(self, to: str) -> None:
        """Bring the car aboard to a location."""
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

    Return None if it is unsound. A sound state has one ferry, one place for each object, and all routes.
    """
    locations = tuple(sorted(typed.name for typed in problem.objects if typed.types == ("location",)))
    cars = sorted(typed.name for typed in problem.objects if typed.types == ("car",))
    standing = [(fact[1], fact[2]) for fact in problem.init if fact[0] == "at"]
    ferries = [fact[1] for fact in problem.init if fact[0] == "at-ferry"]
    aboard = [fact[1] for fact in problem.init if fact[0] == "on"]
    roads = all(
        ("passage", location, second_location) in problem.init
        for location in locations
        for second_location in locations
        if location != second_location
    )
    placed = sorted([car for car, _ in standing] + aboard) == cars
    one_load = len(aboard) + (("empty-ferry",) in problem.init) == 1
    if not (roads and placed and one_load and len(ferries) == 1):
        return None
    return _Crossing(ferries[0], aboard[0] if aboard else None, dict(standing), locations)


def plan(problem: Problem) -> list[Step] | None:
    """Return a plan of about four steps per car or fewer, or None.

    The result is None if the goal is unreachable or the initial state is unsound (for example two ferries, a
    car in two places, or locations without a route between them).
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
    reached = frozenset(crossing.state()) | {fact for fact in problem.init if fact[0] == "passage"}
    return crossing.steps if problem.satisfied(reached) else None


def _deliver(crossing: _Crossing, wanted: dict[str, str], passenger: str | None) -> None:
    """Bring each car to its destination, nearest cars first, then take the passenger aboard."""
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

    The result is None if that of ``plan`` is None, or if the goal has negative literals. All sound states
    reach each other. So the closure follows from the positions that the goal leaves open for each car and the
    ferry.
    """
    crossing = _crossing(problem)
    if crossing is None or plan(problem) is None or not all(literal.positive for literal in problem.goal):
        return None
    goal = {fact for fact in problem.goal_facts if fact[0] != "passage"}
    cars = {*crossing.at, *([crossing.aboard] if crossing.aboard else [])}
    waiting = cars - {fact[1] for fact in goal if fact[0] in ("at", "on")}
    carries = any(fact[0] == "on" for fact in goal)
    if not waiting and not carries:
        goal.add(("empty-ferry",))
    if len(crossing.locations) == 1:  # all cars that are not aboard are there
        only_location = crossing.locations[0]
        goal |= {("at-ferry", only_location)}
        goal |= {("at", car, only_location) for car in waiting if carries or ("empty-ferry",) in goal}
    return frozenset(goal)


# ---- long plans


def fewest_steps(problem: Problem) -> int | None:
    """Return a lower bound on the number of steps of every plan; None if a car is aboard, or as ``plan``.

    Each car that is not at its destination is boarded and debarked. It leaves its location, and arrives at
    its destination, by a sail of its own, because the ferry carries one car. So the ferry arrives at a
    location at least as often as cars must, and, except for its own first location, as often as cars leave.
    """
    crossing = _crossing(problem)
    if crossing is None or crossing.aboard or any(fact[0] != "at" for fact in problem.goal_facts):
        return None
    if len({fact[1] for fact in problem.goal_facts}) < len(problem.goal):
        return None
    trips = [(crossing.at[car], to) for _, car, to in problem.goal_facts if crossing.at[car] != to]
    leaving, arriving = Counter(origin for origin, _ in trips), Counter(to for _, to in trips)
    leaving[crossing.ferry] -= 1
    return 2 * len(trips) + sum(max(leaving[place], arriving[place]) for place in crossing.locations)


def ladder(steps: int, rng: random.Random) -> Problem:
    """Draw cars that the ferry can take one after the other, each from where the one before got off.

    A shortest plan has at most ``steps`` steps, and few fewer.
    """
    locations = shuffled(numbered("l", rng.randint(3, 6)), rng)
    stops = [locations[0]]
    for _ in range(max(1, steps * 24 // 75)):
        stops.append(rng.choice([place for place in locations if place != stops[-1]]))
    cars = shuffled(numbered("c", len(stops) - 1), rng)
    init: set[Atom] = {("at", car, place) for car, place in zip(cars, stops, strict=False)}
    init |= {("at-ferry", stops[0]), ("empty-ferry",)}
    init |= {("passage", first, second) for first in locations for second in locations if first != second}
    goal = {("at", car, place) for car, place in zip(cars, stops[1:], strict=True)}
    objects = typed({"car": cars, "location": locations})
    return Problem("ladder", DOMAIN, objects, frozenset(init), literals(goal))
