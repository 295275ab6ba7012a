"""Gripper: a robot carries balls between rooms.

With its tasks, a planner by rounds, and the closure of goals.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain, product, repeat
from math import comb, prod
from typing import NamedTuple

from orrery.generator_kit import (
    Fault,
    ParameterSpace,
    composition,
    ill_formed,
    numbered,
    reordered,
    shuffled,
    typed,
    weighted,
)
from orrery.model import (
    OBJECT,
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

DOMAIN = "gripper"
EVENLY, N_ROOM = "evenly_distributed", "n_room_distributed"
INITS = (EVENLY, "holding", N_ROOM, "one_room")
TASKS: tuple[ConfigurationPair, ...] = (
    *(ConfigurationPair(init, goal) for init in INITS for goal in (*INITS, "pickup")),
    *(
        ConfigurationPair(init, goal, strict=True)
        for init in INITS[1:]
        for goal in ("focus_max", "focus_min")
    ),
    # Published sets combine it with one_room too. No ball is held there, so nothing can be dropped.
    ConfigurationPair("holding", "drop_and_pickup", strict=True),
    *(ConfigurationPair(name, name, tied=True, strict=True) for name in ("juggle", "swap")),
)
EXCHANGEABLE = True  # all placements are reachable from each other, and goals place every ball
WIDEST: Limits = {
    "rooms": (1, 11), "balls": (1, 28), "grippers": (1, 14), "held": (1, 14), "propositions": (1, 10_000),
}  # fmt: skip
KINDS = ("room", "ball", "gripper")
DRAWS = 500
# Parameters of each configuration; "robot" is optional in goals.
Form = Mapping[str, type]
COUNTS: Form = {"counts": list}
HELD: Form = {"counts": list, "held": int}
INIT_FORMS: Mapping[str, Form] = {
    EVENLY: {"rooms": int, "balls": int}, "one_room": {"rooms": int, "balls": int, "robot": str},
    N_ROOM: COUNTS, "swap": COUNTS, "holding": HELD, "juggle": HELD,
}  # fmt: skip
GOAL_FORMS: Mapping[str, Form] = {
    "one_room": {"robot": str}, "focus_max": {"robot": str}, N_ROOM: COUNTS, "holding": HELD
}  # fmt: skip

Range = tuple[int, int]
Sizes = tuple[int, int, int, int]  # rooms, balls, grippers, facts (no ball held, no robot in the goal)


class Layout(NamedTuple):
    """The shape of a configuration: balls in each room, beginning with the robot's, and held balls."""

    counts: tuple[int, ...]
    held: int = 0

    @property
    def balls(self) -> int:
        """The number of balls."""
        return sum(self.counts) + self.held


# ---- parameters


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw ``{"grippers": n, "init": ..., "goal": ...}`` within the limits of WIDEST's keys.

    Parameters:

    - ``rooms`` and ``balls``; for one_room also ``robot`` ("with" the balls or "apart").
    - ``counts``, with the robot's room first (n_room_distributed; swap exchanges the first two rooms).
    - ``counts`` and ``held`` (holding, juggle).

    Goals omit rooms and balls. They have ``robot`` if the problem were trivial otherwise. From one_room,
    focus_min has two rooms regardless of the limits, because more rooms cannot have strictly fewest balls.
    Raise a ParameterError if no parameters within the limits fit the task.
    """
    ranges = [(low, high) for low, high in ({**WIDEST, **limits}[name] for name in WIDEST)]
    *_, held, (least, most) = ranges
    menu, weights = _menu(task, *ranges)
    for _ in range(DRAWS if menu else 0):
        rooms, balls, grippers, facts = rng.choices(menu, cum_weights=weights)[0]
        init_held, goal_held = (
            rng.randint(held[0], max(held[0], min(held[1], balls, grippers))) for _ in range(2)
        )
        init = _draw_init(task, rooms, balls, init_held, rng)
        goal = _draw_goal(task, rooms, balls, goal_held, rng)
        if rooms > 1 and task.init == "one_room" and task.goal in ("one_room", "focus_max"):
            goal["robot"] = "apart" if init["robot"] == "with" else "with"
        drawn = {"grippers": grippers, "init": init, "goal": goal}
        before, after = _layouts(task, drawn)
        facts += ("robot" in goal) - before.held
        if least <= facts <= most and next(_layout_faults(task, drawn, before, after), None) is None:
            return drawn
    return SPACE.required(task, None)


@cache
def _menu(task: ConfigurationPair, *ranges: Range) -> tuple[list[Sizes], list[int]]:
    """Return the sizes that may fit the ranges, and their cumulative weights.

    Sizes of few layouts weigh less.
    """
    *objects, held, (least, most) = ranges
    if (task.init, task.goal) == ("one_room", "focus_min"):
        objects[0] = (2, 2)
    menu = list[tuple[Sizes, int]]()
    if task.goal == "drop_and_pickup":
        held = (max(held[0], 1), held[1])
    keys = {*INIT_FORMS[task.init], *GOAL_FORMS.get(task.goal, ())}
    for r, b, g in product(*(range(max(low, 1), high + 1) for low, high in objects)):
        carried = range(held[0], min(held[1], b, g) + 1) if "held" in keys else range(1)
        few = b > g and task.goal in ("pickup", "drop_and_pickup")
        uneven = b % r and EVENLY in (task.init, task.goal)
        facts = r + 3 * b + 2 * g + 1
        if carried and not few and not uneven and least <= facts + 1 and facts - carried[-1] <= most:
            choices = {"counts": comb(b + r - 1, b), "held": len(carried), "robot": 2}
            menu.append(((r, b, g, facts), prod(choices.get(key, 1) for key in keys)))
    return weighted(menu)


def _draw_init(task: ConfigurationPair, rooms: int, balls: int, held: int, rng: random.Random) -> Parameters:
    """Draw parameters of the initial configuration. Parameters that violate a constraint are drawn again."""
    if task.init == EVENLY:
        return {"rooms": rooms, "balls": balls}
    if task.init == "one_room":
        together = rooms == 1 or (task.goal != "focus_max" and rng.random() < 0.5)
        return {"rooms": rooms, "balls": balls, "robot": "with" if together else "apart"}
    carried = {"held": held} if "held" in INIT_FORMS[task.init] else {}
    return {**carried, "counts": _spread(task.goal, balls - carried.get("held", 0), rooms, rng)}


def _spread(goal: str, balls: int, rooms: int, rng: random.Random) -> list[int]:
    """Draw balls in each room, such that the shape required by ``goal`` is not rare."""
    if goal == "swap" and min(balls, rooms) > 1:
        first, second, *extra = _compose(balls - 2, rooms, rng)
        return [first + 1, second + 1, *extra]
    if goal == "drop_and_pickup" and rooms > 1:
        counts = _compose(balls, rooms - 1, rng)
        counts.insert(rng.randint(1, rooms - 1), 0)
        return counts
    if goal == "focus_min" and balls >= rooms - 1 > 0:
        fewest = rng.randint(0, (balls - rooms + 1) // rooms)
        extra = _compose(balls - fewest - (rooms - 1) * (fewest + 1), rooms - 1, rng)
        counts = [n + fewest + 1 for n in extra]
        counts.insert(rng.randint(0, rooms - 1), fewest)
        return counts
    return _compose(balls, rooms, rng)


def _compose(n: int, parts: int, rng: random.Random) -> list[int]:
    """Draw a composition of ``n`` into ``parts`` numbers from 0 up, uniformly."""
    return [number - 1 for number in composition(n + parts, parts, rng)]


def _draw_goal(task: ConfigurationPair, rooms: int, balls: int, held: int, rng: random.Random) -> Parameters:
    if task.goal == "holding":
        return {"held": held, "counts": _compose(balls - held, rooms, rng)}
    return {"counts": _compose(balls, rooms, rng)} if task.goal == N_ROOM else {}


def _constraints(task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
    """Yield faults of the parameters' form. If there are none, yield faults of the layouts."""
    init, goal = parameters.get("init", {}), parameters.get("goal", {})
    wanted = {k: v for k, v in GOAL_FORMS.get(task.goal, {}).items() if k != "robot" or goal}
    parameter_groups = (
        {key: value for key, value in parameters.items() if key not in ("init", "goal")},
        init,
        goal,
    )
    yield from chain(*map(ill_formed, parameter_groups, ({"grippers": int}, INIT_FORMS[task.init], wanted)))
    values = (value for group in parameter_groups for value in group.values())
    if any(min(v, default=0) < 0 if isinstance(v, list) else v < 0 for v in values if not isinstance(v, str)):
        yield "numbers", "no number may be negative"
    rooms, balls = _rooms_and_balls(init)
    if not (rooms and balls and parameters["grippers"]):
        yield "objects", "needs a room, a ball and a gripper"
    if EVENLY in (task.init, task.goal) and balls % rooms:
        yield "divisible", f"{balls} balls cannot be spread evenly over {rooms} rooms"
    before, after = init.get("robot"), goal.get("robot")
    far = "apart" in (before, after) and (rooms < 2 or (after == "apart" and task.goal != "one_room"))
    if far or not {before, after} <= {None, "with", "apart"}:
        yield "robot", "it is 'with' the balls, or in one_room, given two rooms or more, 'apart' from them"
    yield from _layout_faults(task, parameters, *_layouts(task, parameters))


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, None, _constraints)


def _rooms_and_balls(init: Parameters) -> tuple[int, int]:
    counts = init.get("counts", ())
    return init.get("rooms", len(counts)), init.get("balls", sum(counts) + init.get("held", 0))


def _layouts(task: ConfigurationPair, parameters: Parameters) -> tuple[Layout, Layout | None]:
    """Return the layouts of init and goal; None for a goal that depends on the initial state."""
    init, goal = parameters["init"], parameters.get("goal", {})
    sizes = _rooms_and_balls(init)
    after = None if task.tied else _layout(task.goal, goal, *sizes)
    return _layout(task.init, init, *sizes) or Layout(()), after


def _layout(configuration: str, parameters: Parameters, rooms: int, balls: int) -> Layout | None:
    """Return the layout of a configuration; None for goals that depend on the initial state."""
    if "counts" in parameters:
        return Layout(tuple(parameters["counts"]), parameters.get("held", 0))
    if configuration == EVENLY:
        return Layout((balls // rooms,) * rooms)
    if configuration == "one_room":
        apart = parameters.get("robot") == "apart"
        return Layout(tuple(balls if i == apart else 0 for i in range(rooms)))
    return Layout((0,) * rooms, balls) if configuration == "pickup" else None


def _layout_faults(
    task: ConfigurationPair, parameters: Parameters, init: Layout, goal: Layout | None
) -> Iterator[Fault]:
    """Yield the constraints that the layouts violate."""
    after, grippers = goal or init, parameters["grippers"]
    if (len(after.counts), after.balls) != (len(init.counts), init.balls):
        yield "same_objects", "init and goal must have the same rooms and balls"
    if grippers < max(init.held, after.held):
        yield "enough_grippers", "a gripper holds one ball only"
    if task.init == "juggle" and init.held < 2:
        yield "held", "juggle needs two held balls"
    if task.init == "swap" and (len(init.counts) < 2 or min(init.counts[:2]) < 1):
        yield "two_rooms", "swap needs a ball in each of the first two rooms"
    counts = init.counts
    if task.goal == "focus_max" and counts.count(max(counts)) > 1:
        yield "strictly_most", "focus_max needs one room with more balls than any other"
    if task.goal == "focus_min" and (len(counts) < 2 or counts.count(min(counts)) > 1):
        yield "strictly_fewest", "focus_min needs one room with fewer balls than any other"
    if task.goal == "drop_and_pickup":
        yield from _drop_faults(init, grippers)
    if not task.tied and _idle(task, init, goal, parameters["goal"].get("robot")):
        yield "different_layouts", "init and goal have one shape: there would be nothing to plan"


def _drop_faults(init: Layout, grippers: int) -> Iterator[Fault]:
    """Yield faults for drop_and_pickup: drop held balls in an empty room, pick up all others."""
    if not init.held:
        yield "something_held", "drop_and_pickup needs a ball held at first, or nothing is dropped"
    elif 0 not in init.counts[1:]:
        yield "empty_room", "drop_and_pickup needs an empty room other than the robot's"
    if not 0 < sum(init.counts) <= grippers - init.held:
        yield "free_grippers", "drop_and_pickup needs balls in rooms, and a free gripper for each"


def _idle(task: ConfigurationPair, init: Layout, goal: Layout | None, wish: str | None) -> bool:
    """Return whether the goal is initially true, for some choice of the objects that its text leaves open."""
    gathered = task.goal in ("one_room", "focus_max") and max(init.counts) == init.balls
    moved = gathered and wish is not None and (wish == "with") != (init.counts[0] == init.balls)
    same = (init.held, sorted(init.counts)) == (goal.held, sorted(goal.counts)) if goal else gathered
    return same and not moved and not (task.init == task.goal == EVENLY and len(init.counts) > 1)


# ---- problems


NOWHERE = ""


class Roles(NamedTuple):
    """The objects of a problem; the position of an object determines its role."""

    rooms: tuple[str, ...]
    balls: tuple[str, ...]
    grippers: tuple[str, ...]

    def shuffled(self, rng: random.Random) -> Roles:
        """Return the same names in other roles."""
        rooms, balls, grippers = (tuple(reordered(names, rng)) for names in self)
        return Roles(rooms, balls, grippers)

    def placed(self, layout: Layout) -> dict[str, str]:
        """Return a place for each ball: balls in grippers first, then those in the rooms."""
        lying = chain.from_iterable(map(repeat, self.rooms, layout.counts))
        return dict(zip(self.balls, chain(self.grippers[: layout.held], lying), strict=True))


@cache
def _objects(rooms: int, balls: int, grippers: int) -> tuple[TypedName, ...]:
    return tuple(map(TypedName, (*numbered("b", balls), *numbered("g", grippers), *numbered("r", rooms))))


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. The roles of objects are drawn from ``rng``.

    The goal places every ball. Raise a ParameterError that names the violated constraint.
    """
    SPACE.check(task, parameters)
    (layout, goal_layout), wish = _layouts(task, parameters), parameters.get("goal", {}).get("robot")
    sizes = len(layout.counts), layout.balls, parameters["grippers"]
    names = Roles(*(tuple(numbered(stem, size)) for stem, size in zip("rbg", sizes, strict=True)))
    first = second = names.shuffled(rng)
    places, robot = goal_places, end = first.placed(layout), first.rooms[0]
    while goal_places == places and (wish is None or end == robot):
        if goal_layout:
            second = names.shuffled(rng)  # only an even spread can equal the goal
            goal_places, end = second.placed(goal_layout), second.rooms[0]
        else:
            goal_places, end = _derived(task.goal, first, layout, places)
    init = {("at-robby", robot), *_facts(names, places), *_kinds(names)}
    init.update(("free", gripper) for gripper in first.grippers[layout.held :])
    goal = set(_facts(names, goal_places))
    # Every ball has its place, so other grippers are free in the end. With one room, the robot has no choice.
    closure = goal | {("free", gripper) for gripper in names.grippers if gripper not in goal_places.values()}
    if wish:
        goal.add(("at-robby", end))
    if wish or len(names.rooms) == 1:
        closure.add(("at-robby", end if wish else robot))
    problem = Problem(task.name, DOMAIN, _objects(*sizes), frozenset(init), literals(goal))
    return Generated(
        problem, task, _described(layout, first, names, robot),
        _described(goal_layout or layout, second, names, wish), closure=frozenset(closure),
    )  # fmt: skip


def _kinds(names: Roles) -> Iterator[Atom]:
    """Yield the type facts of the objects."""
    return ((kind, name) for kind, group in zip(KINDS, names, strict=True) for name in group)


def _facts(names: Roles, places: Mapping[str, str]) -> Iterator[Atom]:
    """Yield the facts that state the places of balls."""
    grippers = frozenset(names.grippers)
    return (("carry" if place in grippers else "at", ball, place) for ball, place in places.items())


def _described(layout: Layout, names: Roles, ordered: Roles, robot: str | None) -> Parameters:
    """Return the template parameters: numbers, counts by room name, and the grippers in use in their order.

    ``robot`` is the robot's room initially, and "with", "apart" or None in a goal.
    """
    counts = dict(zip(names.rooms, layout.counts, strict=True))
    empty = next((room for room in names.rooms[1:] if not counts[room]), None)
    return {
        "rooms": len(names.rooms), "balls": len(names.balls), "grippers": len(names.grippers),
        "held": layout.held, "used": list(names.grippers[: layout.held]),
        "counts": {room: counts[room] for room in ordered.rooms},
        "exchanged": list(names.rooms[:2]), "robot": robot,
        "empty": empty,
    }  # fmt: skip


def _derived(goal: str, names: Roles, layout: Layout, places: dict[str, str]) -> tuple[dict[str, str], str]:
    """Return places for balls and robot in a goal that refers to the initial state.

    The robot has a place if all balls come together. Other goals do not mention the robot.
    """
    counts, used = layout.counts, names.grippers[: layout.held]
    if goal in ("focus_max", "focus_min"):
        room = names.rooms[counts.index(max(counts) if goal == "focus_max" else min(counts))]
        return dict.fromkeys(places, room), room
    if goal == "drop_and_pickup":
        spare = iter(names.grippers[layout.held :])
        empty = next((room for room, n in zip(names.rooms[1:], counts[1:], strict=True) if not n), NOWHERE)
        return {ball: empty if place in used else next(spare) for ball, place in places.items()}, NOWHERE
    ring = names.rooms[:2] if goal == "swap" else used
    following = dict(zip(ring, ring[1:] + ring[:1], strict=True))
    return {ball: following.get(place, place) for ball, place in places.items()}, NOWHERE


# ---- interpretation of facts: shared by planner and closure


class GripperState(NamedTuple):
    """The room or gripper of each ball, the robot's room, and the free grippers."""

    where: dict[str, str]
    robot: str | None
    free: frozenset[str]


_Reading = tuple[Roles, GripperState, GripperState]  # the objects, the initial state and the goal


def _read(facts: Iterable[Atom], names: Roles) -> GripperState | None:
    """Return the state that the facts describe; None if they are contradictory or not of this domain."""
    rooms, balls, grippers = map(frozenset, names)
    slots = {"at": (balls, rooms), "carry": (balls, grippers), "at-robby": (rooms,), "free": (grippers,)}
    facts_by_predicate: dict[str, list[Atom]] = {name: [] for name in slots}
    for fact in facts:
        kinds = slots.get(fact[0])
        if not kinds or len(fact) != len(kinds) + 1 or fact[-1] not in kinds[-1] or fact[1] not in kinds[0]:
            return None
        facts_by_predicate[fact[0]].append(fact)
    places = {ball: place for _, ball, place in chain(facts_by_predicate["at"], facts_by_predicate["carry"])}
    used, free = (
        {fact[2] for fact in facts_by_predicate["carry"]},
        frozenset(fact[1] for fact in facts_by_predicate["free"]),
    )
    once = len(places) == len(facts_by_predicate["at"]) + len(facts_by_predicate["carry"]) and len(
        used
    ) == len(facts_by_predicate["carry"])
    if not once or free & used or len(facts_by_predicate["at-robby"]) > 1:
        return None
    return GripperState(
        places, facts_by_predicate["at-robby"][0][1] if facts_by_predicate["at-robby"] else None, free
    )


def _reading(problem: Problem) -> _Reading | None:
    """Return initial state and goal.

    Return None if a literal is negative, the goal impossible, or the state unsound.
    """
    statics = frozenset(fact for fact in problem.init if fact[0] in KINDS)
    names = Roles(*(tuple(sorted(f[1] for f in statics if f[0] == kind)) for kind in KINDS))
    init, goal = _read(problem.init - statics, names), _read(problem.goal_facts - statics, names)
    if init is None or goal is None or init.robot is None or len(init.where) < len(names.balls):
        return None
    positive = all(literal.positive for literal in problem.goal)
    apart = len(frozenset(chain(*names))) == len(statics)  # no object has two types
    if not positive or not apart or init.free != frozenset(names.grippers).difference(init.where.values()):
        return None
    if names.grippers:
        return names, init, goal
    still = goal.where.items() <= init.where.items()  # without grippers no ball can move
    return (names, init, goal._replace(where=init.where)) if still else None


# ---- closure


def close_goal(problem: Problem) -> frozenset[Atom] | None:
    """Return the fluent facts true in every reachable goal state.

    The result is None if a goal literal is negative, the initial state does not place robot and balls, or no
    reachable state satisfies the goal. With a gripper, every placement is reachable from every other. With
    one room, robot and uncarried balls have only one place. If all balls have their place, other grippers are
    free.
    """
    reading = _reading(problem)
    if reading is None:
        return None
    names, _, goal = reading
    waiting = [ball for ball in names.balls if ball not in goal.where]
    spare = frozenset(names.grippers).difference(goal.free, goal.where.values())
    true = {*_facts(names, goal.where), *zip(repeat("free"), goal.free if waiting else goal.free | spare)}
    if goal.robot or len(names.rooms) == 1:
        true.add(("at-robby", goal.robot or names.rooms[0]))
    if len(names.rooms) == 1 and not spare:
        true.update(("at", ball, names.rooms[0]) for ball in waiting)
    return frozenset(true)


# ---- plans


def plan(problem: Problem) -> list[Step] | None:
    """Return a plan by rounds, in time linear in rooms, balls and grippers; or None.

    In each room the robot drops the balls that belong there and takes balls that belong elsewhere. Then it
    goes to a destination of its balls, or to a room with waiting balls. Finally it picks up the balls that
    the goal wants held. The result is None if that of ``close_goal`` is None.
    """
    if problem.satisfied(problem.init):
        return []
    reading = _reading(problem)
    return _Robot(reading).work() if reading else None


class _Robot:
    """One run of the planner: the current positions, and the steps so far."""

    def __init__(self, reading: _Reading) -> None:
        self.names, init, self.goal = reading
        self.where, self.here = dict(init.where), str(init.robot)
        held = {gripper: ball for ball, gripper in init.where.items()}
        self.held = {gripper: held[gripper] for gripper in self.names.grippers if gripper in held}
        self.free = [gripper for gripper in reversed(self.names.grippers) if gripper not in held]
        self.steps: list[Step] = []

    def _drop(self, gripper: str) -> None:
        ball = self.held.pop(gripper)
        self.where[ball] = self.here
        self.free.append(gripper)
        self.steps.append(("drop", ball, self.here, gripper))

    def _pick(self, ball: str, gripper: str) -> None:
        self.held[gripper], self.where[ball] = ball, gripper
        self.steps.append(("pick", ball, self.here, gripper))

    def _go(self, room: str) -> None:
        if room != self.here:
            self.steps.append(("move", self.here, room))
            self.here = room

    def work(self) -> list[Step]:
        """Return the whole plan."""
        grippers, wanted = frozenset(self.names.grippers), {*self.goal.where.values(), *self.goal.free}
        for gripper, ball in list(self.held.items()):
            place = self.goal.where.get(ball)
            if place != gripper and (place in grippers or (place is None and gripper in wanted)):
                self._drop(gripper)
        self._deliver()
        self._collect()
        if self.goal.robot is not None:
            self._go(self.goal.robot)
        return self.steps

    def _deliver(self) -> None:
        """Bring every ball with a goal room to this room."""
        rooms, wishes = frozenset(self.names.rooms), self.goal.where
        outside: dict[str, list[str]] = {}  # room: balls in it with a destination in another room
        aboard: dict[str, list[str]] = {}  # room: grippers with balls for this room
        for ball in self.names.balls:
            place, wish = self.where[ball], wishes.get(ball, "")
            if wish in rooms and place not in rooms:
                aboard.setdefault(wish, []).append(place)
            elif wish in rooms and place != wish:
                outside.setdefault(place, []).append(ball)
        if outside and not aboard and not self.free:  # balls that the goal wants held are picked up again
            self._drop(next((g for g, ball in self.held.items() if ball not in wishes), min(self.held)))
        while aboard or outside:
            for gripper in aboard.pop(self.here, ()):
                self._drop(gripper)
            waiting = outside.pop(self.here, [])
            while waiting and self.free:
                ball, gripper = waiting.pop(), self.free.pop()
                self._pick(ball, gripper)
                aboard.setdefault(wishes[ball], []).append(gripper)
            if waiting:
                outside[self.here] = waiting
            self._go(next(iter(aboard or outside), self.here))

    def _collect(self) -> None:
        """Pick up the balls that the goal wants held, room by room, beginning with the current room."""
        missing = [placement for placement in self.goal.where.items() if placement not in self.where.items()]
        places = sorted((self.where[ball] != self.here, self.where[ball], ball, g) for ball, g in missing)
        for _, _, ball, gripper in places:
            self._go(self.where[ball])
            self._pick(ball, gripper)


# ---- long plans


def fewest_steps(problem: Problem) -> int | None:
    """Return a lower bound on the number of steps of every plan; None if a ball is held, or as ``plan``.

    Each ball that is not in its goal room is picked up and dropped. One move takes as many balls out of a
    room, or into it, as there are grippers. Except for the first room of the robot, it leaves a room at most
    as often as it enters it.
    """
    reading = _reading(problem)
    if reading is None:
        return None
    names, init, goal = reading
    if not {*init.where.values(), *goal.where.values()} <= {*names.rooms} or goal.free:
        return None
    trips = [(init.where[ball], room) for ball, room in goal.where.items() if init.where[ball] != room]
    leaving, arriving = Counter(room for room, _ in trips), Counter(room for _, room in trips)
    moves = 0
    for room in names.rooms:
        out, into = (-(-counts[room] // max(1, len(names.grippers))) for counts in (leaving, arriving))
        moves += max(out - (room == init.robot), into)
    return 2 * len(trips) + moves


def ladder(steps: int, rng: random.Random) -> Problem:
    """Draw rooms in a circle; all balls of a room belong in the next one.

    A shortest plan has at most ``steps`` steps, and few fewer.
    """
    grippers = numbered("g", rng.randint(2, 4))
    count = max(2, (steps + 1) * len(grippers) // (2 * len(grippers) + 1) - len(grippers))
    rooms = shuffled(numbered("r", min(count, rng.randint(2, 5))), rng)
    balls = shuffled(numbered("b", count), rng)
    each = -(-count // (len(rooms) * len(grippers))) * len(grippers)
    where = {ball: min(number // each, len(rooms) - 1) for number, ball in enumerate(balls)}
    init: set[Atom] = {("at", ball, rooms[place]) for ball, place in where.items()}
    init |= {("at-robby", rooms[0]), *(("free", gripper) for gripper in grippers)}
    init |= {*zip(repeat("room"), rooms), *zip(repeat("ball"), balls), *zip(repeat("gripper"), grippers)}
    goal = {("at", ball, rooms[(place + 1) % len(rooms)]) for ball, place in where.items()}
    objects = typed({OBJECT: [*rooms, *balls, *grippers]})
    return Problem("ladder", DOMAIN, objects, frozenset(init), literals(goal))
