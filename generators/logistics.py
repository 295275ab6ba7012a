"""Logistics: trucks carry packages within cities, and airplanes carry them between cities.

Initial configurations: *served*, every city has a truck and an airplane connects the cities; *holding*, the
same with packages already in vehicles; *unserved*, a city lacks a truck, or there is no airplane, so some
packages cannot reach all places. Goals: *delivered*, places for some of the packages; *parked*, places for
vehicles too. Goals contain only reachable facts, so every problem is solvable.

Other configurations have texts without names. Each city has one truck and the same number of locations, and
all airplanes are at one airport. All packages are at this airport too (*hub*), or in one of the airplanes
(*loaded*). Or each city has the same number of packages, in its truck at its airport (*in trucks*) or with
its truck at another location (*downtown*). Or there is *one city*, with all trucks at the airport and all
packages elsewhere. The texts of their goals use no names either.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from orrery.generator_kit import DRAWS, Fault, ParameterSpace, numbered, shuffled, typed
from orrery.model import Atom, ConfigurationPair, Generated, Limits, Parameters, Problem, TypedName, literals

DOMAIN = "logistics"
_EVEN: Mapping[str, tuple[str, ...]] = {
    "hub": ("elsewhere", "shared_out", "in_plane"),
    "downtown": ("at_planes", "in_plane", "exchange"),
    "loaded": ("elsewhere", "shared_out"),
    "in_trucks": ("at_planes", "unloaded"),
    "one_city": ("spread", "at_airport", "changed_places"),
}
# Goals of the first three use names. Those of the others refer to the initial state, without names.
TASKS: tuple[ConfigurationPair, ...] = (
    ConfigurationPair("served", "delivered", strict=True),
    ConfigurationPair("holding", "parked", strict=True),
    ConfigurationPair("unserved", "delivered", strict=True),
    *(ConfigurationPair(init, goal, strict=True) for init, goals in _EVEN.items() for goal in goals),
)
# locations: total over all cities, airports included; states: see ``_states``.
WIDEST: Limits = {
    "cities": (1, 12), "locations": (2, 60), "trucks": (1, 20), "airplanes": (0, 8), "packages": (1, 60),
    "states": (1, 10**200),
}  # fmt: skip
SIZES = tuple(key for key in WIDEST if key != "states")
TYPES = ("airplane", "airport", "city", "location", "package", "truck")
TRIES = 50  # packages of a long problem that may be left out


# ---- parameters


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw numbers of all kinds of objects within ``limits``.

    Raise a ParameterError if no numbers within the limits satisfy the constraints of the task.
    """
    if task.init not in _EVEN:
        return SPACE.counts(task, limits, rng, _states)
    ranges = {**WIDEST, **limits}
    few, most = ranges["states"]
    for _ in range(DRAWS):
        sizes = _draw_even(task, ranges, rng)
        within = all(low <= sizes[key] <= high for key, (low, high) in ranges.items() if key in sizes)
        if within and SPACE.fits(task, sizes) and few <= _states(sizes) <= most:
            return sizes
    return SPACE.required(task, None)


def _draw_even(task: ConfigurationPair, ranges: Limits, rng: random.Random) -> Parameters:
    """Draw numbers with equal shares for all cities. They may violate ranges and constraints."""
    cities = max(1, rng.randint(*ranges["cities"])) if task.init != "one_city" else 1
    sizes = {key: rng.randint(*ranges[key]) for key in SIZES} | {"cities": cities}
    if task.init != "one_city":
        sizes["trucks"] = cities
        sizes["locations"] = cities * rng.randint(1, max(1, ranges["locations"][1] // cities))
        sizes["packages"] = cities * rng.randint(1, max(1, ranges["packages"][1] // cities))
    return sizes


def _states(sizes: Mapping[str, int]) -> int:
    """Return the approximate number of reachable states: places of packages times places of vehicles."""
    places = sizes["locations"] + sizes["trucks"] + sizes["airplanes"]
    in_a_city = -(-sizes["locations"] // sizes["cities"])
    return int(
        places ** sizes["packages"] * in_a_city ** sizes["trucks"] * sizes["cities"] ** sizes["airplanes"]
    )


def _constraints(task: ConfigurationPair, sizes: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint between the numbers."""
    cities, locations = sizes["cities"], sizes["locations"]
    if locations < cities:
        yield "locations", "needs one in every city"
    if task.init in _EVEN:
        yield from _uneven(task, sizes)
    elif task.init != "unserved":
        if sizes["trucks"] < cities or (cities > 1 and not sizes["airplanes"]):
            yield "served", "needs a truck in every city, and an airplane where there are several cities"
    elif cities < 2:
        yield "unserved", "needs several cities"
    elif not sizes["airplanes"] and locations == cities:
        yield "unserved", "needs a city of several locations where there is no airplane"


def _uneven(task: ConfigurationPair, sizes: Parameters) -> Iterator[Fault]:
    """Yield a fault if the cities are not alike, or if the text needs more locations."""
    cities: int = sizes["cities"]
    share, surplus = divmod(int(sizes["locations"]), cities)
    if task.init == "one_city":
        if cities > 1 or share < (sizes["packages"] + 2 if task.goal == "spread" else 2):
            yield "one_city", "is one, with two locations or more, and with one for each package to spread to"
        return
    if cities < 2 or surplus or sizes["trucks"] != cities or not sizes["airplanes"]:
        yield "even", "needs several cities, a truck and as many locations in each, and an airplane"
    if {task.init, task.goal} & {"downtown", "in_trucks", "shared_out"} and sizes["packages"] % cities:
        yield "shares", "needs as many packages in each city"
    if task.init == "downtown" and share < 2:
        yield "downtown", "needs a location besides the airport in each city"
    if task.goal == "exchange" and cities != 2:
        yield "exchange", "needs two cities"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, dict.fromkeys(SIZES, int), _constraints)


# ---- problems


@dataclass
class _LogisticsScene:
    """The named objects of one problem; the first location of a city is its airport."""

    cities: dict[str, list[str]]
    trucks: dict[str, str]
    airplanes: list[str]
    packages: list[str]
    rng: random.Random

    @property
    def airports(self) -> list[str]:
        """The first location of each city."""
        return [locations[0] for locations in self.cities.values()]

    def connected_sets(self) -> Iterator[list[str]]:
        """Yield the sets of locations that a vehicle connects: each city with a truck, and the airports."""
        yield from (self.cities[city] for city in sorted(set(self.trucks.values())))
        if self.airplanes:
            yield self.airports

    def parts(self) -> dict[str, frozenset[str]]:
        """Return, for each location, all locations that a package can reach from there."""
        part_of = {place: frozenset({place}) for places in self.cities.values() for place in places}
        for joined in self.connected_sets():
            part = frozenset().union(*(part_of[place] for place in joined))
            part_of |= dict.fromkeys(part, part)
        return part_of

    def vehicles(self) -> dict[str, list[str]]:
        """Return the reachable locations of each vehicle."""
        airplanes = dict.fromkeys(self.airplanes, self.airports)
        return {truck: self.cities[city] for truck, city in self.trucks.items()} | airplanes


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. Names and all other choices are drawn from ``rng``.

    Raise a ParameterError that names the violated constraint.
    """
    if task.init in _EVEN:
        return _built_evenly(task, parameters, rng)
    scene = _scene(task, parameters, rng)
    standing = {vehicle: rng.choice(places) for vehicle, places in scene.vehicles().items()}
    start = _start(scene, standing, in_vehicles=0.6 if task.init == "holding" else 0.15)
    init = {("at", vehicle, place) for vehicle, place in standing.items()} | set(start.values())
    goal = _delivered(scene, standing, start)
    if task.goal == "parked":
        goal |= _parked(scene)
    init |= {("in-city", place, city) for city, places in scene.cities.items() for place in places}
    problem = Problem(task.name, DOMAIN, _objects(scene), frozenset(init), literals(goal))
    return Generated(problem, task, dict(parameters), {"packages": parameters["packages"]})


def _built_evenly(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build a problem whose text uses no names."""
    SPACE.check(task, parameters)
    names = {key[0]: shuffled(numbered(key[0], parameters[key]), rng) for key in SIZES}
    places_per_city = parameters["locations"] // parameters["cities"]
    cities = {
        city: names["l"][number * places_per_city :][:places_per_city]
        for number, city in enumerate(names["c"])
    }
    homes = dict(zip(names["t"], names["c"] * parameters["trucks"], strict=False))
    scene = _LogisticsScene(cities, homes, names["a"], names["p"], rng)
    vehicles = {truck: cities[city][task.init == "downtown"] for truck, city in homes.items()}
    vehicles |= dict.fromkeys(scene.airplanes, scene.airports[0])
    start = _even_start(task.init, scene)
    goal = _even_goal(task.goal, scene, start)
    init = {("at", vehicle, place) for vehicle, place in vehicles.items()} | start
    init |= {("in-city", place, city) for city, places in cities.items() for place in places}
    problem = Problem(task.name, DOMAIN, _objects(scene), frozenset(init), literals(goal))
    sizes = {key: parameters[key] for key in SIZES} | {"each": places_per_city}
    return Generated(problem, task, sizes, dict(sizes))


def _even_start(init: str, scene: _LogisticsScene) -> set[Atom]:
    """Return the initial facts of the packages; those of the first city come first."""
    trucks, packages = list(scene.trucks), scene.packages
    share = max(1, len(packages) // len(scene.cities))
    at_home = {
        "downtown": [("at", places[min(1, len(places) - 1)]) for places in scene.cities.values()],
        "in_trucks": [("in", truck) for truck in trucks],
    }
    start_places = {
        "hub": ("at", scene.airports[0]),
        "loaded": ("in", scene.airplanes[0] if scene.airplanes else ""),
        "one_city": ("at", scene.cities[next(iter(scene.cities))][-1]),
    }
    spots = at_home.get(init)
    return {
        (fact, package, place)
        for number, package in enumerate(packages)
        for fact, place in [spots[number // share] if spots else start_places[init]]
    }


def _even_goal(goal: str, scene: _LogisticsScene, start: set[Atom]) -> set[Atom]:
    """Return the facts of a goal that refers to the initial positions of packages and vehicles."""
    packages, airports = scene.packages, scene.airports
    share = max(1, len(packages) // len(airports))
    if goal == "shared_out":
        return {("at", package, airports[number // share]) for number, package in enumerate(packages)}
    if goal == "in_plane":
        return {("in", package, scene.airplanes[0]) for package in packages}
    if goal == "exchange":
        spots = sorted({fact[2] for fact in start})
        return {("at", fact[1], spots[1 - spots.index(fact[2])]) for fact in start}
    if goal == "unloaded":
        home = {truck: scene.cities[city][0] for truck, city in scene.trucks.items()}
        return {("at", fact[1], home[fact[2]]) for fact in start}
    if goal == "spread":
        return set(
            zip(["at"] * len(packages), packages, scene.cities[next(iter(scene.cities))][1:], strict=False)
        )
    place = airports[1] if goal == "elsewhere" else airports[0]
    trucks = {("at", truck, fact[2]) for truck in scene.trucks for fact in start}
    return {("at", package, place) for package in packages} | (trucks if goal == "changed_places" else set())


def _scene(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> _LogisticsScene:
    SPACE.check(task, parameters)
    names = {key[0]: shuffled(numbered(key[0], parameters[key]), rng) for key in SIZES}
    cities = {city: [place] for city, place in zip(names["c"], names["l"], strict=False)}
    for place in names["l"][len(cities) :]:
        rng.choice(list(cities.values())).append(place)
    # The largest city comes first. If any truck can drive, its truck can.
    served = sorted(cities, key=lambda city: -len(cities[city]))
    if task.init == "unserved":
        most = len(served) - bool(parameters["airplanes"])
        served = served[: rng.randint(1, min(most, parameters["trucks"]))]
    homes = [*served, *(rng.choice(served) for _ in range(parameters["trucks"] - len(served)))]
    return _LogisticsScene(cities, dict(zip(names["t"], homes, strict=True)), names["a"], names["p"], rng)


def _start(scene: _LogisticsScene, standing: dict[str, str], in_vehicles: float) -> dict[str, Atom]:
    """Draw the initial fact of each package; at least one package can move."""
    rng, parts = scene.rng, scene.parts()
    places, vehicles = sorted(parts), sorted(standing)
    start_facts: dict[str, Atom] = {}
    for package in scene.packages:
        inside = rng.random() < in_vehicles
        start_facts[package] = (
            ("in", package, rng.choice(vehicles)) if inside else ("at", package, rng.choice(places))
        )
    if not any(len(parts[_place(fact, standing)]) > 1 for fact in start_facts.values()):
        movable = [place for place in places if len(parts[place]) > 1]
        start_facts[scene.packages[0]] = ("at", scene.packages[0], rng.choice(movable))
    return start_facts


def _place(fact: Atom, standing: Mapping[str, str]) -> str:
    """Return the location of a package, in a vehicle or not."""
    return standing[fact[2]] if fact[0] == "in" else fact[2]


def _delivered(scene: _LogisticsScene, standing: Mapping[str, str], start: Mapping[str, Atom]) -> set[Atom]:
    """Draw destinations for some movable packages. The first package is not at its destination yet."""
    rng, parts = scene.rng, scene.parts()
    reach = {package: sorted(parts[_place(fact, standing)]) for package, fact in start.items()}
    movable = [package for package in scene.packages if len(reach[package]) > 1]
    chosen = rng.sample(movable, rng.randint(-(-len(movable) // 2), len(movable)))
    goal: set[Atom] = {("at", package, rng.choice(reach[package])) for package in chosen[1:]}
    elsewhere = [place for place in reach[chosen[0]] if ("at", chosen[0], place) != start[chosen[0]]]
    return goal | {("at", chosen[0], rng.choice(elsewhere))}


def _parked(scene: _LogisticsScene) -> set[Atom]:
    """Draw goal locations for one or more vehicles."""
    vehicles = scene.vehicles()
    chosen = scene.rng.sample(sorted(vehicles), scene.rng.randint(1, len(vehicles)))
    return {("at", vehicle, scene.rng.choice(vehicles[vehicle])) for vehicle in chosen}


def _objects(scene: _LogisticsScene) -> tuple[TypedName, ...]:
    places = [
        place for city_places in scene.cities.values() for place in city_places if place not in scene.airports
    ]
    kinds = {
        "airplane": scene.airplanes, "airport": scene.airports, "city": scene.cities, "location": places,
        "package": scene.packages, "truck": scene.trucks,
    }  # fmt: skip
    return typed(kinds)


# ---- closure


def close_goal(problem: Problem) -> frozenset[Atom] | None:
    """Return the fluent facts true in every reachable goal state, or None.

    The result is None if a goal literal is negative, the goal is unreachable, or the initial state is
    unsound. All actions are reversible, and packages do not hinder each other. So a state is reachable iff
    each object is at one of its reachable places. The closure contains the goal facts, and the positions of
    objects with only one such place.
    """
    choices = _choices(problem)
    fluent = {fact for fact in problem.goal_facts if fact[0] != "in-city"}
    possible = frozenset(chain.from_iterable(choices.values())) if choices is not None else frozenset[Atom]()
    whole = len(problem.goal_facts) == len(problem.goal) and problem.goal_facts - fluent <= problem.init
    once = len({fact[1] for fact in fluent}) == len(fluent)
    if choices is None or not (whole and once and fluent <= possible):
        return None
    return frozenset(fluent.union(*(choice for choice in choices.values() if len(choice) == 1)))


def _choices(problem: Problem) -> dict[str, set[Atom]] | None:
    """Return the possible position facts of each object.

    Return None if the initial state is unsound, or an object is not a package, truck or airplane.
    """
    kinds: dict[str, list[str]] = {}
    for name, types in problem.objects:
        kinds.setdefault(types[0], []).append(name)
    city = {fact[1]: fact[2] for fact in problem.init if fact[0] == "in-city"}
    place_facts = {fact[1]: fact for fact in problem.init if fact[0] in ("at", "in")}
    airports, places = kinds.get("airport", []), {*kinds.get("airport", []), *kinds.get("location", [])}
    trucks, airplanes, packages = (kinds.get(kind, []) for kind in ("truck", "airplane", "package"))
    sound = city.keys() == places and place_facts.keys() == {*trucks, *airplanes, *packages}
    sound = sound and kinds.keys() <= {*TYPES}
    sound = sound and len(problem.init) == len(city) + len(place_facts)  # each object is in one place
    sound = sound and all(place_facts[name][0] == "at" for name in (*trucks, *airplanes))
    if not sound or not {place_facts[name][2] for name in airplanes} <= {*airports}:
        return None
    reach = {
        truck: {spot for spot in places if city[spot] == city[place_facts[truck][2]]} for truck in trucks
    }
    reach |= {airplane: {*airports} for airplane in airplanes}
    choices: dict[str, set[Atom]] = {
        v: {("at", v, place) for place in reachable} for v, reachable in reach.items()
    }
    for package in packages:
        _, _, spot = (
            place_facts[package] if place_facts[package][0] == "at" else place_facts[place_facts[package][2]]
        )
        part, vehicles = {spot}, set[str]()
        while carriers := {v for v, reachable in reach.items() if reachable & part} - vehicles:
            vehicles |= carriers
            part = part.union(*(reach[vehicle] for vehicle in carriers))
        choices[package] = {("at", package, place) for place in part} | {("in", package, v) for v in vehicles}
    return choices


# ---- long plans


def fewest_steps(problem: Problem) -> int | None:
    """Return a lower bound on the number of steps of every plan, or None.

    A package changes vehicles at the airports of both cities if its goal is in another city. Each vehicle on
    its way loads and unloads it. Trucks, or airplanes, arrive at least once at each place where one unloads a
    package, and at each place where one loads a package and none is initially. The result is None if a
    package is in a vehicle, or a city does not have exactly one airport.
    """
    types = {typed_name.name: typed_name.types[0] for typed_name in problem.objects}
    at = {fact[1]: fact[2] for fact in problem.init if fact[0] == "at"}
    city = {fact[1]: fact[2] for fact in problem.init if fact[0] == "in-city"}
    airports = {city[place]: place for place, kind in types.items() if kind == "airport"}
    one_each = len(airports) == sum(kind == "airport" for kind in types.values()) == len({*city.values()})
    if not one_each or any(fact[0] == "in" for fact in problem.init | problem.goal_facts):
        return None
    rides = set[tuple[str, str, str, str]]()
    for _, package, end in (fact for fact in problem.goal_facts if types.get(fact[1]) == "package"):
        start = at[package]
        by_air = city[start] != city[end]
        first, last = (airports[city[start]], airports[city[end]]) if by_air else (end, end)
        rides |= {
            (package, "truck", start, first),
            (package, "airplane", first, last),
            (package, "truck", last, end),
        }
    rides = {ride for ride in rides if ride[2] != ride[3]}
    standing = {(kind, at[name]) for name, kind in types.items() if kind in ("truck", "airplane")}
    visited = {(kind, to) for _, kind, _, to in rides}
    visited |= {(kind, origin) for _, kind, origin, _ in rides} - standing
    return 2 * len(rides) + len(visited)


def ladder(steps: int, rng: random.Random) -> Problem:
    """Draw cities with a truck each, an airplane, and packages anywhere.

    Packages are added until a plan needs more than three quarters of ``steps``; those with which it would
    need more than ``steps`` are left out.
    """
    cities = numbered("c", rng.randint(2, 3) if steps > 10 else 2)
    places = {
        city: [f"a{number}", *(f"l{number}-{more}" for more in range(1, rng.randint(2, 3)))]
        for number, city in enumerate(cities, 1)
    }
    trucks = {f"t{number}": city for number, city in enumerate(cities, 1)}
    init: set[Atom] = {("in-city", place, city) for city, listed in places.items() for place in listed}
    init |= {("at", truck, rng.choice(places[city])) for truck, city in trucks.items()}
    init.add(("at", "p1", places[cities[0]][0]))
    everywhere, goal = [place for listed in places.values() for place in listed], set[Atom]()
    kinds: dict[str, Iterable[str]] = {
        "airplane": ["p1"], "airport": [listed[0] for listed in places.values()], "city": cities,
        "location": [place for listed in places.values() for place in listed[1:]], "truck": trucks,
    }  # fmt: skip
    left_out = 0
    while True:
        package, (origin, target) = f"k{len(goal) + 1}", rng.sample(everywhere, 2)
        starts, ends = init | {("at", package, origin)}, goal | {("at", package, target)}
        objects = typed({**kinds, "package": sorted(fact[1] for fact in ends)})
        problem = Problem("ladder", DOMAIN, objects, frozenset(starts), literals(ends))
        count = fewest_steps(problem) or 0
        if count > steps and left_out < TRIES:
            left_out += 1  # another package may need fewer steps
            continue
        init, goal = starts, ends
        if count > steps * 3 // 4:
            return problem
