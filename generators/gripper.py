"""Gripper: a robot carries balls between rooms; its tasks, a planner by rounds, the closure of goals."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from pipeline.model import (
    Atom,
    Generated,
    Limits,
    Pairing,
    ParameterError,
    Parameters,
    Problem,
    Step,
    TypedName,
    literals,
)

DOMAIN = "gripper"
EVENLY, N_ROOM = "evenly_distributed", "n_room_distributed"
INITS = (EVENLY, "holding", N_ROOM, "one_room")
PAIRINGS: tuple[Pairing, ...] = (
    *(Pairing(init, goal) for init in INITS for goal in (*INITS, "pickup")),
    *(Pairing(init, goal, strict=True) for init in INITS[1:] for goal in ("focus_max", "focus_min")),
    *(Pairing(init, "drop_and_pickup", strict=True) for init in ("holding", "one_room")),
    *(Pairing(name, name, tied=True, strict=True) for name in ("juggle", "swap")),
)
WIDEST: Limits = {"rooms": (1, 11), "balls": (1, 28), "grippers": (1, 14)}
KINDS = ("room", "ball", "gripper")
DRAWS = 500
# What the parameters of a side hold; "robot" may be left out of a goal.
INIT_KEYS: Mapping[str, tuple[str, ...]] = {
    EVENLY: ("balls", "rooms"), "one_room": ("balls", "robot", "rooms"), N_ROOM: ("counts",),
    "swap": ("counts",), "holding": ("counts", "held"), "juggle": ("counts", "held"),
}  # fmt: skip
GOAL_KEYS: Mapping[str, tuple[str, ...]] = {
    "one_room": ("robot",), "focus_max": ("robot",), N_ROOM: ("counts",), "holding": ("counts", "held"),
}  # fmt: skip

Fault = tuple[str, str]  # the violated constraint and what it asks
Sizes = tuple[int, int, int]  # rooms, balls, grippers


@dataclass(frozen=True)
class Layout:
    """What a configuration asks of names: balls in each room, the robot's first, and balls held."""

    counts: tuple[int, ...]
    held: int = 0

    @property
    def balls(self) -> int:
        """The number of balls."""
        return sum(self.counts) + self.held


def draw(pairing: Pairing, limits: Limits, rng: random.Random) -> Parameters:
    """``{"grippers": n, "init": ..., "goal": ...}`` within the limits of rooms, balls and grippers.

    Sides: ``rooms`` and ``balls``, for one_room also ``robot`` ("with" them or "apart"); ``counts``, the
    robot's room first (n_room_distributed; swap exchanges the first two), and ``held`` besides (holding,
    juggle). Goals leave out rooms and balls, and take ``robot`` where nothing else were to be done.
    From one_room, focus_min has two rooms, whatever the limits: no more can have strictly fewest.
    Raises ParameterError where nothing within the limits fits.
    """
    ranges = {kind: (max(1, low), high) for kind, (low, high) in {**WIDEST, **limits}.items()}
    for _ in range(DRAWS if all(low <= high for low, high in ranges.values()) else 0):
        if sizes := _draw_sizes(pairing, ranges, rng):
            init = _draw_init(pairing, sizes, rng)
            drawn = {"grippers": sizes[2], "init": init, "goal": _draw_goal(pairing, sizes, init, rng)}
            if next(_faults(pairing, drawn, *_layouts(pairing, drawn)), None) is None:
                return drawn
    raise _violated(pairing, "limits", "no fitting parameters found within the limits")


def _draw_sizes(pairing: Pairing, ranges: Limits, rng: random.Random) -> Sizes | None:
    """Numbers of rooms, balls and grippers; None where no number of balls fits the rooms."""
    (least, most), all_held = ranges["grippers"], pairing.goal in ("pickup", "drop_and_pickup")
    rooms = 2 if (pairing.init, pairing.goal) == ("one_room", "focus_min") else rng.randint(*ranges["rooms"])
    step = rooms if EVENLY in (pairing.init, pairing.goal) else 1
    low, high = ranges["balls"]
    choices = [n for n in range(low, (min(high, most) if all_held else high) + 1) if n % step == 0]
    if not choices:
        return None
    balls = rng.choice(choices)
    return rooms, balls, rng.randint(max(least, balls) if all_held else least, most)


def _draw_init(pairing: Pairing, sizes: Sizes, rng: random.Random) -> Parameters:
    """Parameters of the initial side; those that violate a constraint are drawn again."""
    rooms, balls, grippers = sizes
    if pairing.init == EVENLY:
        return {"rooms": rooms, "balls": balls}
    if pairing.init == "one_room":
        together = rooms == 1 or (pairing.goal != "focus_max" and rng.random() < 0.5)
        return {"rooms": rooms, "balls": balls, "robot": "with" if together else "apart"}
    holds = pairing.init in ("holding", "juggle")
    held = rng.randint(1, min(grippers, balls)) if holds else 0
    counts = _compose(balls - held, rooms, rng)
    if pairing.goal == "focus_min" and balls - held >= rooms - 1 > 0:  # or strictly fewest would be rare
        fewest = rng.randint(0, (balls - held - rooms + 1) // rooms)
        rest = _compose(balls - held - fewest - (rooms - 1) * (fewest + 1), rooms - 1, rng)
        counts = [fewest, *(n + fewest + 1 for n in rest)]
        rng.shuffle(counts)
    return {"held": held, "counts": counts} if holds else {"counts": counts}


def _compose(n: int, parts: int, rng: random.Random) -> list[int]:
    """``n`` as a sum of ``parts`` numbers from 0 up, all such sums equally likely."""
    bars = sorted(rng.sample(range(n + parts - 1), parts - 1))
    return [b - a - 1 for a, b in zip([-1, *bars], [*bars, n + parts - 1], strict=True)]


def _draw_goal(pairing: Pairing, sizes: Sizes, init: Parameters, rng: random.Random) -> Parameters:
    rooms, balls, grippers = sizes
    if pairing.goal == N_ROOM:
        return {"counts": _compose(balls, rooms, rng)}
    if pairing.goal == "holding":
        held = rng.randint(1, min(grippers, balls))
        return {"held": held, "counts": _compose(balls - held, rooms, rng)}
    if pairing.init == "one_room" and pairing.goal in ("one_room", "focus_max") and rooms > 1:
        return {"robot": "apart" if init["robot"] == "with" else "with"}
    return {}


def _layouts(pairing: Pairing, parameters: Parameters) -> tuple[Layout, Layout | None]:
    """What the sides ask for, None for a goal that depends on the initial state; or ParameterError."""
    if pairing not in PAIRINGS:
        raise _violated(pairing, "pairing", "the domain has no such task")
    init, goal = parameters["init"], parameters.get("goal", {})
    wanted = () if pairing.tied else GOAL_KEYS.get(pairing.goal, ())
    if sorted(init) != list(INIT_KEYS[pairing.init]) or not set(goal) <= set(wanted) <= {*goal, "robot"}:
        raise _violated(pairing, "keys", f"init takes {INIT_KEYS[pairing.init]}, goal {wanted}")
    values = [parameters["grippers"], *(v for side in (init, goal) for k, v in side.items() if k != "robot")]
    if any(type(n) is not int or n < 0 for v in values for n in (v if isinstance(v, list) else [v])):
        raise _violated(pairing, "numbers", "all but the robot's place must be whole numbers, none negative")
    counts = init.get("counts", ())
    rooms, balls = init.get("rooms", len(counts)), init.get("balls", sum(counts) + init.get("held", 0))
    for fault in _object_faults(pairing, parameters, rooms, balls):
        raise _violated(pairing, *fault)
    after = None if pairing.tied else _layout(pairing.goal, goal, rooms, balls)
    return _layout(pairing.init, init, rooms, balls) or Layout(()), after


def _layout(configuration: str, side: Parameters, rooms: int, balls: int) -> Layout | None:
    """The layout that one side asks for; None for goals that depend on the initial state."""
    if configuration == EVENLY:
        return Layout((balls // rooms,) * rooms)
    if configuration == "one_room":
        apart = side.get("robot") == "apart"
        return Layout(tuple(balls if i == apart else 0 for i in range(rooms)))
    if configuration == "pickup":
        return Layout((0,) * rooms, balls)
    return Layout(tuple(side["counts"]), side.get("held", 0)) if "counts" in side else None


def _object_faults(pairing: Pairing, parameters: Parameters, rooms: int, balls: int) -> Iterator[Fault]:
    """What keeps the parameters from making layouts."""
    before, after = parameters["init"].get("robot"), parameters.get("goal", {}).get("robot")
    if not (rooms and balls and parameters["grippers"]):
        yield "objects", "needs a room, a ball and a gripper"
    elif EVENLY in (pairing.init, pairing.goal) and balls % rooms:
        yield "divisible", f"{balls} balls cannot be spread evenly over {rooms} rooms"
    far = "apart" in (before, after) and (rooms < 2 or (after == "apart" and pairing.goal != "one_room"))
    if far or not {before, after} <= {None, "with", "apart"}:
        yield "robot", "it is 'with' the balls, or in one_room, given two rooms or more, 'apart' from them"


def _faults(pairing: Pairing, parameters: Parameters, init: Layout, goal: Layout | None) -> Iterator[Fault]:
    """The constraints that the layouts violate."""
    after, least, grippers = goal or init, {"holding": 1, "juggle": 2}, parameters["grippers"]
    if (len(after.counts), after.balls) != (len(init.counts), init.balls):
        yield "same_objects", "both sides must have the same rooms and balls"
    if grippers < max(init.held, after.held):
        yield "enough_grippers", "a gripper holds one ball only"
    if init.held < least.get(pairing.init, 0) or (goal and goal.held < least.get(pairing.goal, 0)):
        yield "held", "holding needs a held ball, juggle two"
    if pairing.init == "swap" and (len(init.counts) < 2 or min(init.counts[:2]) < 1):
        yield "two_rooms", "swap needs a ball in each of the first two rooms"
    yield from _derived_faults(pairing.goal, init, grippers)
    if not pairing.tied and _idle(pairing, init, goal, parameters["goal"].get("robot")):
        yield "different_sides", "both sides have one shape: there would be nothing to plan"


def _derived_faults(goal: str, init: Layout, grippers: int) -> Iterator[Fault]:
    """Constraints of the goals that depend on the initial state."""
    counts = init.counts
    if goal == "focus_max" and counts.count(max(counts)) > 1:
        yield "strictly_most", "focus_max needs one room with more balls than any other"
    if goal == "focus_min" and (len(counts) < 2 or counts.count(min(counts)) > 1):
        yield "strictly_fewest", "focus_min needs one room with fewer balls than any other"
    if goal == "drop_and_pickup" and init.held and 0 not in counts[1:]:
        yield "empty_room", "drop_and_pickup needs an empty room other than the robot's"
    if goal == "drop_and_pickup" and not 0 < sum(counts) <= grippers - init.held:
        yield "free_grippers", "drop_and_pickup needs balls in rooms, and a free gripper for each"


def _idle(pairing: Pairing, init: Layout, goal: Layout | None, wish: str | None) -> bool:
    """Whether the goal holds at first, for some choice of objects where its text leaves them open."""
    gathered = pairing.goal in ("one_room", "focus_max") and max(init.counts) == init.balls
    moved = gathered and wish is not None and (wish == "with") != (init.counts[0] == init.balls)
    same = (init.held, sorted(init.counts)) == (goal.held, sorted(goal.counts)) if goal else gathered
    return same and not moved and not (pairing.init == pairing.goal == EVENLY and len(init.counts) > 1)


def _violated(pairing: Pairing, constraint: str, problem: str) -> ParameterError:
    mend = "change the parameters or the limits of domains/gripper/domain.yaml"
    return ParameterError(f"{DOMAIN}/{pairing.name}", f"constraint '{constraint}': {problem}", mend)


# ---- problems


@dataclass(frozen=True)
class Scene:
    """Where everything is: a room or gripper for each ball, and the robot's room."""

    where: dict[str, str]
    robot: str | None
    free: frozenset[str] = frozenset()

    def facts(self, rooms: Iterable[str]) -> set[Atom]:
        """The facts of balls, robot and free grippers."""
        found: set[Atom] = {("at" if p in rooms else "carry", ball, p) for ball, p in self.where.items()}
        found |= {("free", gripper) for gripper in self.free}
        return found | ({("at-robby", self.robot)} if self.robot else set())


class Names(NamedTuple):
    """The objects of a problem, in an order that says which part each plays."""

    rooms: tuple[str, ...]
    balls: tuple[str, ...]
    grippers: tuple[str, ...]

    def shuffled(self, rng: random.Random) -> Names:
        """The same names for other parts."""
        return Names(*(tuple(rng.sample(names, len(names))) for names in self))

    def scene(self, layout: Layout) -> Scene:
        """The layout with these names: balls into grippers first, then into the rooms."""
        lying = (room for room, n in zip(self.rooms, layout.counts, strict=True) for _ in range(n))
        where = dict(zip(self.balls, chain(self.grippers[: layout.held], lying), strict=True))
        return Scene(where, self.rooms[0], frozenset(self.grippers[layout.held :]))


def build(pairing: Pairing, parameters: Parameters, rng: random.Random) -> Generated:
    """The problem of ``parameters``; ``rng`` says which object plays which part.

    The goal places every ball. Raises ParameterError naming the violated constraint.
    """
    (layout, wanted), wish = _layouts(pairing, parameters), parameters.get("goal", {}).get("robot")
    for fault in _faults(pairing, parameters, layout, wanted):
        raise _violated(pairing, *fault)
    sizes = {"r": len(layout.counts), "b": layout.balls, "g": parameters["grippers"]}
    names = Names(*(tuple(f"{letter}{i}" for i in range(1, n + 1)) for letter, n in sizes.items()))
    first = second = names.shuffled(rng)
    scene = goal = first.scene(layout)
    while goal.where == scene.where and goal.robot in (None, scene.robot):
        second = names.shuffled(rng) if wanted else first  # only an even spread can fall out the same
        goal = second.scene(wanted) if wanted else _derived(pairing.goal, first, layout)
        goal = Scene(goal.where, goal.robot if wish else None)
    objects = tuple(map(TypedName, chain(names.balls, names.grippers, names.rooms)))
    init = frozenset(_statics(names) | scene.facts(names.rooms))
    problem = Problem(pairing.name, DOMAIN, objects, init, literals(goal.facts(names.rooms)))
    told, goal_told = _told(layout, first, scene.robot), _told(wanted or layout, second, wish)
    return Generated(problem, pairing, told, goal_told)


def _statics(names: Names) -> set[Atom]:
    return {(kind, name) for kind, some in zip(KINDS, names, strict=True) for name in some}


def _told(layout: Layout, names: Names, robot: str | None) -> Parameters:
    """What the templates may say: numbers, counts by room name, the grippers in use in their order.

    ``robot`` is its room initially, and the wish ("with", "apart" or None) in a goal.
    """
    counts = dict(zip(names.rooms, layout.counts, strict=True))
    shown = sorted(counts.items(), key=lambda item: (len(item[0]), item[0]))
    return {
        "rooms": len(names.rooms), "balls": len(names.balls), "grippers": len(names.grippers),
        "held": layout.held, "used": list(names.grippers[: layout.held]), "counts": dict(shown),
        "exchanged": list(names.rooms[:2]), "robot": robot,
        "empty": next((room for room in names.rooms[1:] if not counts[room]), None),
    }  # fmt: skip


def _derived(goal: str, names: Names, layout: Layout) -> Scene:
    """A goal that speaks of the initial state; the robot is "with" the balls where they come together."""
    where = names.scene(layout).where
    if goal in ("focus_max", "focus_min"):
        extreme = max(layout.counts) if goal == "focus_max" else min(layout.counts)
        room = names.rooms[layout.counts.index(extreme)]
        return Scene(dict.fromkeys(where, room), room)
    if goal == "swap":
        one, other = names.rooms[:2]
        return Scene({ball: {one: other, other: one}.get(room, room) for ball, room in where.items()}, None)
    used = names.grippers[: layout.held]
    if goal == "juggle":
        following = dict(zip(used, (*used[1:], *used[:1]), strict=True))
        return Scene({ball: following.get(place, place) for ball, place in where.items()}, None)
    empty = next((room for room, n in zip(names.rooms[1:], layout.counts[1:], strict=True) if not n), "")
    spare = iter(names.grippers[layout.held :])
    return Scene({ball: empty if place in used else next(spare) for ball, place in where.items()}, None)


# ---- closure


def _read(facts: Iterable[Atom], names: Names) -> Scene | None:
    """What the facts say, or None where they contradict each other or are not of this domain."""
    rooms, balls, grippers = map(frozenset, names)
    kinds = {"at": (balls, rooms), "carry": (balls, grippers), "at-robby": (rooms,), "free": (grippers,)}
    said: dict[str, list[Atom]] = {name: [] for name in kinds}
    for fact in facts:
        slots = kinds.get(fact[0], (frozenset(),))
        if len(fact) != len(slots) + 1 or any(a not in s for a, s in zip(fact[1:], slots, strict=True)):
            return None
        said[fact[0]].append(fact)
    where = {ball: place for _, ball, place in sorted(said["at"] + said["carry"])}
    used, free = [gripper for _, _, gripper in said["carry"]], frozenset(fact[1] for fact in said["free"])
    once = len(where) == len(said["at"]) + len(used) and len(set(used)) == len(used)
    if not once or free & set(used) or len(said["at-robby"]) > 1:
        return None
    return Scene(where, said["at-robby"][0][1] if said["at-robby"] else None, free)


class _Reading(NamedTuple):
    """A problem as the robot sees it: balls that may be anywhere wait, grippers in any state are spare."""

    names: Names
    init: Scene
    goal: Scene

    @property
    def waiting(self) -> list[str]:
        return [ball for ball in self.names.balls if ball not in self.goal.where]

    @property
    def spare(self) -> frozenset[str]:
        return frozenset(self.names.grippers) - self.goal.free - set(self.goal.where.values())


def _reading(problem: Problem) -> _Reading | None:
    """None where a literal is negative, the goal impossible, or the initial state odd."""
    objects = ([fact[1] for fact in sorted(problem.init) if fact[0] == kind] for kind in KINDS)
    names = Names(*map(tuple, objects))
    statics = _statics(names)
    init, goal = _read(problem.init - statics, names), _read(problem.goal_facts - statics, names)
    if init is None or goal is None or init.robot is None or len(init.where) < len(names.balls):
        return None
    positive = all(literal.positive for literal in problem.goal)
    apart = len(set(chain(*names))) == len(statics)  # no object of two kinds
    if not positive or not apart or init.free != set(names.grippers) - set(init.where.values()):
        return None
    if names.grippers:
        return _Reading(names, init, goal)
    still = goal.where.items() <= init.where.items()  # without grippers every ball stays where it is
    return _Reading(names, init, replace(goal, where=init.where)) if still else None


def close_goal(problem: Problem) -> frozenset[Atom] | None:
    """The fluent facts true in every reachable goal state.

    None where a goal literal is negative, the initial state does not place robot and balls, or no
    reachable state satisfies the goal. With a gripper at hand every placing of robot and balls is
    reachable, so the closure does not depend on where it starts.
    """
    reading = _reading(problem)
    return frozenset(_implied(reading)) if reading else None


def _implied(reading: _Reading) -> set[Atom]:
    """The facts true in every goal state: one room leaves robot and uncarried balls no choice."""
    names, goal, waiting = reading.names, reading.goal, reading.waiting
    true = goal.facts(names.rooms)
    if len(names.rooms) == 1:
        true.add(("at-robby", names.rooms[0]))
        if not reading.spare:
            true |= {("at", ball, names.rooms[0]) for ball in waiting}
    return true if waiting else true | {("free", gripper) for gripper in reading.spare}


# ---- plans


def plan(problem: Problem) -> list[Step] | None:
    """A plan by rounds: drop what belongs here, take what belongs elsewhere, go where most is wanted.

    Then the balls that the goal wants held are picked, and the robot goes to its room. Each round
    delivers or takes a ball. None where ``close_goal`` gives None.
    """
    if problem.satisfied(problem.init):
        return []
    reading = _reading(problem)
    return _Robot(reading).work() if reading else None


class _Robot:
    """One run of the planner: where everything is, and the steps so far."""

    def __init__(self, reading: _Reading) -> None:
        self.names, self.goal = reading.names, reading.goal
        self.where, self.here = dict(reading.init.where), str(reading.init.robot)
        self.held = {g: b for b, g in sorted(reading.init.where.items()) if g in reading.names.grippers}
        self.steps: list[Step] = []

    def _drop(self, gripper: str) -> None:
        ball = self.held.pop(gripper)
        self.where[ball] = self.here
        self.steps.append(("drop", ball, self.here, gripper))

    def _pick(self, ball: str, gripper: str) -> None:
        self.held[gripper], self.where[ball] = ball, gripper
        self.steps.append(("pick", ball, self.here, gripper))

    def _go(self, room: str) -> None:
        if room != self.here:
            self.steps.append(("move", self.here, room))
            self.here = room

    def work(self) -> list[Step]:
        """The whole plan."""
        wanted = set(self.goal.where.values()) | self.goal.free
        for gripper, ball in sorted(self.held.items()):
            place = self.goal.where.get(ball)
            if place != gripper and (place in self.names.grippers or (place is None and gripper in wanted)):
                self._drop(gripper)
        lying = {ball: room for ball, room in self.goal.where.items() if room in self.names.rooms}
        while wishes := {ball: room for ball, room in lying.items() if room != self.where[ball]}:
            self._round(wishes)
        self._collect()
        if self.goal.robot is not None:
            self._go(self.goal.robot)
        return self.steps

    def _round(self, wishes: dict[str, str]) -> None:
        """What can be done here, then a move to where most held balls belong or, if none, most others lie."""
        for gripper, ball in sorted(self.held.items()):
            if wishes.get(ball) == self.here:
                self._drop(gripper)
        here = [ball for ball, room in wishes.items() if self.where[ball] == self.here != room]
        if not wishes.keys() & self.held.values() and len(self.held) == len(self.names.grippers):
            unbound = [g for g, b in sorted(self.held.items()) if b not in self.goal.where]
            self._drop(unbound[0] if unbound else min(self.held))
        free = [gripper for gripper in self.names.grippers if gripper not in self.held]
        for ball, gripper in zip(here, free, strict=False):
            self._pick(ball, gripper)
        needed = [wishes[b] for b in sorted(self.held.values()) if b in wishes]
        needed = needed or [self.where[b] for b in wishes if self.where[b] != wishes[b]]
        if needed:
            self._go(Counter(needed).most_common(1)[0][0])

    def _collect(self) -> None:
        """Pick the balls that the goal wants held, room by room, this one first."""
        missing = [each for each in self.goal.where.items() if each not in self.where.items()]
        places = sorted((self.where[ball] != self.here, self.where[ball], ball, g) for ball, g in missing)
        for _, _, ball, gripper in places:
            self._go(self.where[ball])
            self._pick(ball, gripper)
