"""Logistics: packages that trucks carry within cities and airplanes between them.

Initial configurations: *served*, where every city has a truck and an airplane joins the cities; *holding*,
the same with packages in vehicles already; *unserved*, where a city lacks a truck, or there is no airplane,
so that some packages cannot go everywhere. Goals: *delivered*, places for some of the packages; *parked*,
places for vehicles as well. Goals ask for what can be done, so every problem is solvable.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orrery.generator_kit import Fault, ParameterSpace, numbered, shuffled, typed
from orrery.model import Atom, Generated, Limits, Parameters, Problem, Task, TypedName, literals

DOMAIN = "logistics"
TASKS: tuple[Task, ...] = (
    Task("served", "delivered"),
    Task("holding", "parked"),
    Task("unserved", "delivered"),
)
# locations: those of all cities, an airport in each included; states: see ``_states``.
WIDEST: Limits = {
    "cities": (1, 12), "locations": (2, 60), "trucks": (1, 20), "airplanes": (0, 8), "packages": (1, 60),
    "states": (1, 10**200),
}  # fmt: skip
SIZES = tuple(key for key in WIDEST if key != "states")


# ---- parameters


def draw(task: Task, limits: Limits, rng: random.Random) -> Parameters:
    """Draw numbers of all kinds of objects within ``limits``.

    Raises ParameterError where no numbers within the limits satisfy the constraints of the task.
    """
    return SPACE.counts(task, limits, rng, _states)


def _states(sizes: Mapping[str, int]) -> int:
    """Return the approximate number of reachable states: places of packages times those of vehicles."""
    places = sizes["locations"] + sizes["trucks"] + sizes["airplanes"]
    in_a_city = -(-sizes["locations"] // sizes["cities"])
    return int(
        places ** sizes["packages"] * in_a_city ** sizes["trucks"] * sizes["cities"] ** sizes["airplanes"]
    )


def _constraints(task: Task, sizes: Parameters) -> Iterator[Fault]:
    """Yield what the numbers violate together."""
    cities, locations = sizes["cities"], sizes["locations"]
    if locations < cities:
        yield "locations", "needs one in every city"
    if task.init != "unserved":
        if sizes["trucks"] < cities or (cities > 1 and not sizes["airplanes"]):
            yield "served", "needs a truck in every city, and an airplane where there are several cities"
    elif cities < 2:
        yield "unserved", "needs several cities"
    elif not sizes["airplanes"] and locations == cities:
        yield "unserved", "needs a city of several locations where there is no airplane"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, dict.fromkeys(SIZES, int), _constraints)


# ---- problems


@dataclass
class _LogisticsScene:
    """The named things of one problem; the first location of a city is its airport."""

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
        """Yield the sets of locations that a vehicle joins: those of a city with a truck, the airports."""
        yield from (self.cities[city] for city in sorted(set(self.trucks.values())))
        if self.airplanes:
            yield self.airports

    def parts(self) -> dict[str, frozenset[str]]:
        """Return, for each location, all those to which a package can come from there."""
        found = {place: frozenset({place}) for places in self.cities.values() for place in places}
        for joined in self.connected_sets():
            part = frozenset().union(*(found[place] for place in joined))
            found |= dict.fromkeys(part, part)
        return found

    def vehicles(self) -> dict[str, list[str]]:
        """Return the locations where each vehicle can be."""
        airplanes = dict.fromkeys(self.airplanes, self.airports)
        return {truck: self.cities[city] for truck, city in self.trucks.items()} | airplanes


def build(task: Task, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``; ``rng`` gives the names and what the parameters leave open.

    Raises ParameterError naming the violated constraint.
    """
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


def _scene(task: Task, parameters: Parameters, rng: random.Random) -> _LogisticsScene:
    SPACE.check(task, parameters)
    names = {key[0]: shuffled(numbered(key[0], parameters[key]), rng) for key in SIZES}
    cities = {city: [place] for city, place in zip(names["c"], names["l"], strict=False)}
    for place in names["l"][len(cities) :]:
        rng.choice(list(cities.values())).append(place)
    # The largest city comes first: it has a truck that can drive, if any has.
    served = sorted(cities, key=lambda city: -len(cities[city]))
    if task.init == "unserved":
        most = len(served) - bool(parameters["airplanes"])
        served = served[: rng.randint(1, min(most, parameters["trucks"]))]
    homes = [*served, *(rng.choice(served) for _ in range(parameters["trucks"] - len(served)))]
    return _LogisticsScene(cities, dict(zip(names["t"], homes, strict=True)), names["a"], names["p"], rng)


def _start(scene: _LogisticsScene, standing: dict[str, str], in_vehicles: float) -> dict[str, Atom]:
    """Draw where each package is at first; at least one of them can go somewhere."""
    rng, parts = scene.rng, scene.parts()
    places, vehicles = sorted(parts), sorted(standing)
    found: dict[str, Atom] = {}
    for package in scene.packages:
        inside = rng.random() < in_vehicles
        found[package] = (
            ("in", package, rng.choice(vehicles)) if inside else ("at", package, rng.choice(places))
        )
    if not any(len(parts[_place(fact, standing)]) > 1 for fact in found.values()):
        movable = [place for place in places if len(parts[place]) > 1]
        found[scene.packages[0]] = ("at", scene.packages[0], rng.choice(movable))
    return found


def _place(fact: Atom, standing: Mapping[str, str]) -> str:
    """Draw the location of a package, in a vehicle or not."""
    return standing[fact[2]] if fact[0] == "in" else fact[2]


def _delivered(scene: _LogisticsScene, standing: Mapping[str, str], start: Mapping[str, Atom]) -> set[Atom]:
    """Draw destinations for some packages that can go somewhere; the first of them is not yet there."""
    rng, parts = scene.rng, scene.parts()
    reach = {package: sorted(parts[_place(fact, standing)]) for package, fact in start.items()}
    movable = [package for package in scene.packages if len(reach[package]) > 1]
    chosen = rng.sample(movable, rng.randint(-(-len(movable) // 2), len(movable)))
    goal: set[Atom] = {("at", package, rng.choice(reach[package])) for package in chosen[1:]}
    elsewhere = [place for place in reach[chosen[0]] if ("at", chosen[0], place) != start[chosen[0]]]
    return goal | {("at", chosen[0], rng.choice(elsewhere))}


def _parked(scene: _LogisticsScene) -> set[Atom]:
    """Draw places for one vehicle or more."""
    vehicles = scene.vehicles()
    chosen = scene.rng.sample(sorted(vehicles), scene.rng.randint(1, len(vehicles)))
    return {("at", vehicle, scene.rng.choice(vehicles[vehicle])) for vehicle in chosen}


def _objects(scene: _LogisticsScene) -> tuple[TypedName, ...]:
    places = [place for each in scene.cities.values() for place in each if place not in scene.airports]
    kinds = {
        "airplane": scene.airplanes, "airport": scene.airports, "city": scene.cities, "location": places,
        "package": scene.packages, "truck": scene.trucks,
    }  # fmt: skip
    return typed(kinds)
