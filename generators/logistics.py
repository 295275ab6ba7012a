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

from orrery.model import (
    Atom,
    Generated,
    Limits,
    Parameters,
    Problem,
    Task,
    TypedName,
    drawn_counts,
    ill_formed,
    literals,
    violated,
)

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
    """Numbers of all kinds of objects within ``limits``.

    Raises ParameterError where no numbers within the limits satisfy the constraints of the task.
    """
    ranges = {**WIDEST, **limits}
    sizes = {key: ranges[key] for key in SIZES}
    found = drawn_counts(sizes, rng, lambda counts: _fits(task, counts, ranges["states"]))
    if found is None:
        raise violated(DOMAIN, task, "limits", "no numbers of objects within the limits fit")
    return found


def _fits(task: Task, sizes: Mapping[str, int], states: tuple[int, int]) -> bool:
    return _fault(task, sizes) is None and states[0] <= _states(sizes) <= states[1]


def _states(sizes: Mapping[str, int]) -> int:
    """About how many states can be reached: places of each package times those of the vehicles."""
    places = sizes["locations"] + sizes["trucks"] + sizes["airplanes"]
    in_a_city = -(-sizes["locations"] // sizes["cities"])
    return int(
        places ** sizes["packages"] * in_a_city ** sizes["trucks"] * sizes["cities"] ** sizes["airplanes"]
    )


def _fault(task: Task, sizes: Mapping[str, int]) -> tuple[str, str] | None:
    """The violated constraint and what it asks, or None."""
    cities, locations = sizes["cities"], sizes["locations"]
    if cities < 1 or locations < max(cities, 2):
        return "locations", "needs two locations, and one in every city"
    if sizes["packages"] < 1 or sizes["trucks"] < 1 or sizes["airplanes"] < 0:
        return "packages", "needs a package, a truck and no negative number of airplanes"
    if task.init != "unserved":
        if sizes["trucks"] < cities or (cities > 1 and not sizes["airplanes"]):
            return "served", "needs a truck in every city, and an airplane where there are several cities"
        return None
    if cities < 2:
        return "unserved", "needs several cities"
    if not sizes["airplanes"] and locations == cities:
        return "unserved", "needs a city of several locations where there is no airplane"
    return None


# ---- problems


@dataclass
class _Scene:
    """The named things of one problem; the first location of a city is its airport."""

    cities: dict[str, list[str]]
    trucks: dict[str, str]
    airplanes: list[str]
    packages: list[str]
    rng: random.Random

    @property
    def airports(self) -> list[str]:
        return [locations[0] for locations in self.cities.values()]

    def ways(self) -> Iterator[list[str]]:
        """Sets of locations that a vehicle joins: those of a city with a truck, the airports."""
        yield from (self.cities[city] for city in sorted(set(self.trucks.values())))
        if self.airplanes:
            yield self.airports

    def parts(self) -> dict[str, frozenset[str]]:
        """For each location all those to which a package can come from there."""
        found = {place: frozenset({place}) for places in self.cities.values() for place in places}
        for joined in self.ways():
            part = frozenset().union(*(found[place] for place in joined))
            found |= dict.fromkeys(part, part)
        return found

    def vehicles(self) -> dict[str, list[str]]:
        """The locations where each vehicle can be."""
        airplanes = dict.fromkeys(self.airplanes, self.airports)
        return {truck: self.cities[city] for truck, city in self.trucks.items()} | airplanes


def build(task: Task, parameters: Parameters, rng: random.Random) -> Generated:
    """The problem of ``parameters``; ``rng`` gives the names and what the parameters leave open.

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
    problem = Problem(task.name, DOMAIN, tuple(_objects(scene)), frozenset(init), literals(goal))
    return Generated(problem, task, dict(parameters), {"packages": parameters["packages"]})


def _check(task: Task, parameters: Parameters) -> None:
    fault = (
        ("task", "the domain has no such task")
        if task not in TASKS
        else ill_formed(parameters, dict.fromkeys(SIZES, int)) or _fault(task, parameters)
    )
    if fault is not None:
        raise violated(DOMAIN, task, *fault)


def _scene(task: Task, parameters: Parameters, rng: random.Random) -> _Scene:
    _check(task, parameters)
    names = {kind: _shuffled(kind, count, rng) for kind, count in _counts(parameters).items()}
    cities = {city: [place] for city, place in zip(names["c"], names["l"], strict=False)}
    for place in names["l"][len(cities) :]:
        rng.choice(list(cities.values())).append(place)
    # The largest city comes first: it has a truck that can drive, if any has.
    served = sorted(cities, key=lambda city: -len(cities[city]))
    if task.init == "unserved":
        most = len(served) - bool(parameters["airplanes"])
        served = served[: rng.randint(1, min(most, parameters["trucks"]))]
    homes = [*served, *(rng.choice(served) for _ in range(parameters["trucks"] - len(served)))]
    return _Scene(cities, dict(zip(names["t"], homes, strict=True)), names["a"], names["p"], rng)


def _counts(parameters: Parameters) -> dict[str, int]:
    """How many names are needed by their letter."""
    return {key[0]: parameters[key] for key in SIZES}


def _shuffled(letter: str, count: int, rng: random.Random) -> list[str]:
    names = [f"{letter}{number}" for number in range(1, count + 1)]
    rng.shuffle(names)
    return names


def _start(scene: _Scene, standing: dict[str, str], in_vehicles: float) -> dict[str, Atom]:
    """Where each package is at first; one of them at least can go somewhere."""
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
    """The location of a package, in a vehicle or not."""
    return standing[fact[2]] if fact[0] == "in" else fact[2]


def _delivered(scene: _Scene, standing: Mapping[str, str], start: Mapping[str, Atom]) -> set[Atom]:
    """Destinations for some packages that can go somewhere; the first of them is not yet there."""
    rng, parts = scene.rng, scene.parts()
    reach = {package: sorted(parts[_place(fact, standing)]) for package, fact in start.items()}
    movable = [package for package in scene.packages if len(reach[package]) > 1]
    chosen = rng.sample(movable, rng.randint(-(-len(movable) // 2), len(movable)))
    goal: set[Atom] = {("at", package, rng.choice(reach[package])) for package in chosen[1:]}
    elsewhere = [place for place in reach[chosen[0]] if ("at", chosen[0], place) != start[chosen[0]]]
    return goal | {("at", chosen[0], rng.choice(elsewhere))}


def _parked(scene: _Scene) -> set[Atom]:
    """Places for one vehicle or more."""
    vehicles = scene.vehicles()
    chosen = scene.rng.sample(sorted(vehicles), scene.rng.randint(1, len(vehicles)))
    return {("at", vehicle, scene.rng.choice(vehicles[vehicle])) for vehicle in chosen}


def _objects(scene: _Scene) -> list[TypedName]:
    places = [place for each in scene.cities.values() for place in each if place not in scene.airports]
    kinds = {
        "airplane": scene.airplanes, "airport": scene.airports, "city": scene.cities, "location": places,
        "package": scene.packages, "truck": scene.trucks,
    }  # fmt: skip
    return sorted(TypedName(name, (kind,)) for kind, names in kinds.items() for name in names)
