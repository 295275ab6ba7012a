"""Alfworld: a house with receptacles and items. Tasks ask a robot to put items somewhere or to look at one.

- Each task asks for an item of a given type, and most tasks also for a type of receptacle.
- *put_two* requires two items in one receptacle. *put_clean*, *put_hot* and *put_cool* require one item in
  this condition. *examine* requires an item in the light of a lamp.
- The goal is that all tasks are done. The task's configuration determines the first of them.
- Each type has at least one object, and each object has a place.
- Heavy items cannot be moved. A receptacle may be locked permanently.
- If ``hopeless`` is 1, the first task asks for a heavy item that is not yet in place, if possible.
  All other problems are solvable: the robot can reach the requested items, and tasks do not conflict.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from orrery.generator_kit import Fault, ParameterSpace, numbered
from orrery.model import Atom, ConfigurationPair, Generated, Limits, Parameters, Problem, TypedName, literals

DOMAIN = "alfworld"
GOALS = ("put_one", "put_two", "put_clean", "put_hot", "put_cool", "examine")
TASKS: tuple[ConfigurationPair, ...] = tuple(ConfigurationPair("house", goal, strict=True) for goal in GOALS)
FOODS = (
    "apple", "tomato", "potato", "egg", "bread", "lettuce", "carrot", "onion", "pear", "banana",
    "peach", "plum", "cheese", "sausage", "pizza", "pie", "cake", "bagel", "steak", "fish", "corn",
    "pepper", "pumpkin", "melon", "mushroom", "cabbage", "leek", "radish", "turnip", "waffle",
)  # fmt: skip
WASHABLE = (
    "mug", "cup", "plate", "bowl", "pan", "pot", "kettle", "fork", "spoon", "spatula", "ladle", "glass",
    "jug", "tray", "whisk", "sieve", "grater", "tongs", "saucer", "cloth", "towel", "sponge", "knife",
    "bottle", "jar",
)  # fmt: skip
OTHERS = (
    "book", "pen", "pencil", "key", "phone", "laptop", "watch", "newspaper", "remote", "candle", "vase",
    "pillow", "soap", "box", "wallet", "card", "brush", "comb", "ball", "racket", "camera", "umbrella",
    "scarf", "hat", "glove", "mirror", "basket", "notebook", "ruler", "stapler", "magazine", "toy",
    "puzzle", "blanket", "razor",
)  # fmt: skip
HEAVY = (
    "television", "printer", "aquarium", "statue", "typewriter", "globe", "clock", "plant", "cactus",
    "radio", "amplifier", "computer", "gramophone", "bust", "trophy", "anvil", "telescope", "harp",
    "cello", "drum", "guitar", "easel", "loom", "heater", "fan", "barometer", "armor", "dollhouse",
    "terrarium", "projector", "scale", "sewingmachine", "mixer", "toaster", "juicer", "monitor",
    "speaker", "humidifier",
)  # fmt: skip
WITH_DOOR = ("cabinet", "drawer", "safe", "wardrobe", "chest", "locker")
WITHOUT_DOOR = (
    "countertop", "table", "shelf", "desk", "bed", "sofa", "armchair", "stove", "ottoman", "cart",
    "bench", "bookcase", "stool", "rack", "mantelpiece", "windowsill",
)  # fmt: skip
# A receptacle that changes items is also a PDDL type. The keys are the tasks that need it.
APPLIANCES = {"put_clean": "basin", "put_hot": "microwave", "put_cool": "fridge"}
LIGHT = (*FOODS, *WASHABLE, *OTHERS)
FIT = dict.fromkeys(GOALS, LIGHT) | {"put_clean": WASHABLE, "put_hot": FOODS, "put_cool": FOODS}
LAMPS = ("desklamp", "floorlamp")
HAVE_DOORS = (*WITH_DOOR, "microwave", "fridge")
MOST_KINDS = {
    "portable_types": len(LIGHT), "heavy_types": len(HEAVY),
    "receptacle_types": len(WITH_DOOR + WITHOUT_DOOR) + len(APPLIANCES),
}  # fmt: skip
WIDEST: Limits = {
    "locations": (2, 60), "receptacles": (3, 60), "receptacle_types": (3, MOST_KINDS["receptacle_types"]),
    "lamps": (0, 10), "portable": (2, 150), "portable_types": (1, MOST_KINDS["portable_types"]),
    "heavy": (0, 60), "heavy_types": (0, MOST_KINDS["heavy_types"]), "tasks": (1, 8),
}  # fmt: skip
KINDS = {**dict.fromkeys(WIDEST, int), "locked": int, "hopeless": int}
LOCKED, HOPELESS = 0.3, 0.12


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw counts within ``limits``, and 0 or 1 for ``locked`` and ``hopeless``.

    Raise a ParameterError if no counts within the limits fit the task.
    """
    ranges = {**WIDEST, **limits}

    def drawn() -> Parameters:
        """Draw parameters that may still violate constraints."""
        parameters = {key: rng.randint(*ranges[key]) for key in WIDEST}
        for narrow_kind, kind in (("portable_types", "portable"), ("heavy_types", "heavy")):
            parameters[narrow_kind] = max(
                ranges[narrow_kind][0], min(parameters[narrow_kind], parameters[kind])
            )
        parameters["locked"] = int(rng.random() < LOCKED)
        parameters["hopeless"] = int(parameters["heavy"] > 0 and rng.random() < HOPELESS)
        return parameters

    return SPACE.attempt(task, drawn)


def _constraints(task: ConfigurationPair, p: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint between the numbers."""
    if p["receptacle_types"] > p["receptacles"] or p["locations"] > p["receptacles"] + p["lamps"]:
        yield "fixtures", "needs a receptacle of each type, and something at each location"
    spare = task.goal == "put_two"
    if p["portable_types"] > p["portable"] - spare or not p["heavy"] >= p["heavy_types"] >= (p["heavy"] > 0):
        yield "items", "needs an item of each type, of one type two where two are to be put"
    if task.goal == "examine" and not p["lamps"]:
        yield "lamps", "needs a lamp where an item is to be examined in its light"
    if not {p["locked"], p["hopeless"]} <= {0, 1} or p["hopeless"] > p["heavy"]:
        yield "flags", "locked and hopeless are 0 or 1, hopeless only where there is something heavy"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, KINDS, _constraints)


@dataclass
class _House:
    """The objects and facts of a house.

    Names are grouped by kind; ``main`` is the item kind of the first task.
    """

    goal: str
    rng: random.Random
    receptacles: dict[str, list[str]]
    items: dict[str, list[str]]
    lamps: list[str]
    locations: list[str]
    main: str
    locked: str = ""
    inside: dict[str, str] = field(default_factory=dict)  # the receptacle of each item that is in one
    facts: set[Atom] = field(default_factory=set)

    def at_hand(self, kind: str) -> list[str]:
        """Return the items of a kind that the robot can reach."""
        names = [] if kind in HEAVY else self.items[kind]
        return [name for name in names if self.inside.get(name) != self.locked]


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. Objects, places and the other tasks are drawn from ``rng``.

    Raise a ParameterError that names the violated constraint.
    """
    SPACE.check(task, parameters)
    house = _house(task.goal, parameters, rng)
    _furnish(house, bool(parameters["locked"]))
    _fill(house)
    tasks = list(_tasks(house, parameters["tasks"], bool(parameters["hopeless"])))
    objects = [*_objects(house), *(TypedName(f"task{n}", (kind,)) for n, kind in enumerate(tasks, 1))]
    goal = literals(("done", f"task{number}") for number in range(1, len(tasks) + 1))
    problem = Problem(task.name, DOMAIN, tuple(sorted(objects)), frozenset(house.facts), goal)
    return Generated(problem, task, dict(parameters), {})


# ---- objects


def _house(goal: str, parameters: Parameters, rng: random.Random) -> _House:
    """Draw kinds and names; the kinds include those that the first task needs."""
    needed = [APPLIANCES[goal]] if goal in APPLIANCES else []
    kinds_of_receptacles = (*WITH_DOOR, *WITHOUT_DOOR, *APPLIANCES.values())
    places = _kinds(needed, kinds_of_receptacles, parameters["receptacle_types"], rng)
    main = rng.choice(FIT[goal])
    kinds = _kinds([main], LIGHT, parameters["portable_types"], rng)
    items = _named(kinds, parameters["portable"], rng, [main] * (goal == "put_two"))
    items |= _named(_kinds([], HEAVY, parameters["heavy_types"], rng), parameters["heavy"], rng)
    return _House(
        goal, rng, _named(places, parameters["receptacles"], rng), items,
        [f"{LAMPS[number % 2]}{number}" for number in range(1, parameters["lamps"] + 1)],
        numbered("spot", parameters["locations"]), main,
    )  # fmt: skip


def _kinds(needed: list[str], kinds: tuple[str, ...], count: int, rng: random.Random) -> list[str]:
    """Return ``count`` kinds: the needed kinds and random others."""
    return needed + rng.sample([kind for kind in kinds if kind not in needed], count - len(needed))


def _named(
    kinds: list[str], count: int, rng: random.Random, again: list[str] | None = None
) -> dict[str, list[str]]:
    """Return ``count`` names by kind: one of each kind, one for each kind in ``again``, the others random."""
    first = kinds + (again or [])
    drawn_kinds = first + [rng.choice(kinds) for _ in range(count - len(first))]
    return {kind: numbered(kind, drawn_kinds.count(kind)) for kind in kinds}


def _objects(house: _House) -> Iterator[TypedName]:
    yield TypedName("robot1", ("agent",))
    yield from (TypedName(name, ("location",)) for name in house.locations)
    yield from (TypedName(name, ("lamp",)) for name in house.lamps)
    for kind, names in house.receptacles.items():
        yield TypedName(kind + "type", ("receptacle-type",))
        pddl_type = kind if kind in APPLIANCES.values() else "receptacle"
        yield from (TypedName(name, (pddl_type,)) for name in names)
    for kind, names in house.items.items():
        yield TypedName(kind + "type", ("item-type",))
        pddl_type = "food" if kind in FOODS else "knife" if kind == "knife" else "item"
        yield from (TypedName(name, (pddl_type,)) for name in names)


# ---- places and conditions


def _furnish(house: _House, locked: bool) -> None:
    """Draw the locations of fixtures, closed doors, and at most one locked receptacle."""
    rng, names = house.rng, [name for same_kind in house.receptacles.values() for name in same_kind]
    fixtures = rng.sample(names + house.lamps, len(names) + len(house.lamps))
    spots = house.locations + [rng.choice(house.locations) for _ in fixtures[len(house.locations) :]]
    house.facts |= {("located", name, spot) for name, spot in zip(fixtures, spots, strict=True)}
    house.facts |= {(rng.choice(("dark", "lit")), lamp) for lamp in house.lamps}
    house.facts |= {("robot-at", "robot1", rng.choice(house.locations))}
    lockable = [name for kind in WITH_DOOR for name in house.receptacles.get(kind, ())]
    house.locked = rng.choice(lockable) if locked and lockable else ""
    for kind, same_kind in house.receptacles.items():
        house.facts |= {("receptacle-of", name, kind + "type") for name in same_kind}
        for name in same_kind:
            house.facts |= set(_door(house, kind, name))


def _door(house: _House, kind: str, name: str) -> Iterator[Atom]:
    if kind in HAVE_DOORS and name != house.locked:
        yield "can-open", name
    closed = name == house.locked or (kind in HAVE_DOORS and house.rng.random() < 0.7)
    yield ("closed" if closed else "accessible"), name


def _fill(house: _House) -> None:
    """Put items into receptacles, and sometimes one item into the robot's hand.

    Main items are put where the robot can reach them.
    """
    rng, names = house.rng, [name for same_kind in house.receptacles.values() for name in same_kind]
    free = sorted(set(names) - {house.locked})
    for kind, same_kind in house.items.items():
        spots = free if kind == house.main else names
        house.inside |= {name: rng.choice(spots) for name in same_kind}
        for name in same_kind:
            house.facts |= {("item-of", name, kind + "type"), *_condition(house, kind, name)}
    held = rng.choice(
        sorted(name for kind, same_kind in house.items.items() if kind not in HEAVY for name in same_kind)
    )
    if rng.random() < 0.15:
        del house.inside[held]
        house.facts.add(("holding", "robot1", held))
    else:
        house.facts.add(("free-hand", "robot1"))
    house.facts |= {("in", name, receptacle) for name, receptacle in house.inside.items()}


def _condition(house: _House, kind: str, name: str) -> Iterator[Atom]:
    """Yield facts about one item. Main items do not yet have the condition that the first task requires."""
    rng, main = house.rng, house.main == kind
    if kind not in HEAVY:
        yield "portable", name
    if kind in WASHABLE:
        yield ("dirty" if main or rng.random() < 0.6 else "clean"), name
    if kind in FOODS:
        wanted = {"put_hot": "cool", "put_cool": "hot"}.get(house.goal) if main else None
        yield (wanted or rng.choice(("hot", "cool"))), name
        yield rng.choice(("whole", "whole", "sliced")), name


# ---- tasks


def _tasks(house: _House, count: int, hopeless: bool) -> Iterator[str]:
    """Yield the PDDL types of the tasks and add their facts.

    All tasks but a hopeless first one are achievable.
    """
    for number in range(1, count + 1):
        possible = _possible(house)
        goal = house.goal if number == 1 else house.rng.choice(sorted(possible))
        kinds = [house.main] if number == 1 else possible[goal]
        if number == 1 and hopeless:
            kinds = [kind for kind in house.items if kind in HEAVY and _fresh(house, kind)] or kinds
        kind, task = house.rng.choice(kinds), f"task{number}"
        house.facts |= {("pending", task), ("asks-item", task, kind + "type")}
        if goal != "examine":
            target = house.rng.choice(_fresh(house, kind) or _open_kinds(house))
            house.facts.add(("asks-receptacle", task, target + "type"))
        yield "light-task" if goal == "examine" else goal.replace("_", "-")


def _possible(house: _House) -> dict[str, list[str]]:
    """Return the achievable tasks, each with the kinds of item that it may ask for."""
    at_hand = {kind: house.at_hand(kind) for kind in house.items}
    available_kinds = [kind for kind, names in at_hand.items() if names]
    kinds_by_goal = {
        "put_one": available_kinds,
        "put_two": [kind for kind in available_kinds if len(at_hand[kind]) > 1],
    }
    for goal, appliance in APPLIANCES.items():
        if appliance in house.receptacles:
            kinds_by_goal[goal] = [kind for kind in available_kinds if kind in FIT[goal]]
    if house.lamps:
        kinds_by_goal["examine"] = available_kinds
    return {goal: kinds for goal, kinds in kinds_by_goal.items() if kinds}


def _open_kinds(house: _House) -> list[str]:
    """Return the kinds of receptacle with at least one unlocked receptacle."""
    return [kind for kind, names in house.receptacles.items() if set(names) - {house.locked}]


def _fresh(house: _House, kind: str) -> list[str]:
    """Return the kinds with an unlocked receptacle and with no receptacle that contains ``kind``."""
    used_receptacles = {house.inside.get(name) for name in house.items[kind]}
    return [
        receptacle_kind
        for receptacle_kind in _open_kinds(house)
        if used_receptacles.isdisjoint(house.receptacles[receptacle_kind])
    ]
