"""Grippers: robots carry balls between rooms, each with grippers of its own.

Initial configurations: *empty*, where every gripper is free; *holding*, where some hold a ball; *jammed*,
where some gripper is neither free nor holding anything, and so of no use. Goals: *placed*, rooms for some of
the balls (and perhaps for robots); *gathered*, all balls in one room. Every problem is solvable.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
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

DOMAIN = "grippers"
TASKS: tuple[Task, ...] = (
    Task("empty", "placed"),
    Task("holding", "gathered"),
    Task("jammed", "placed"),
)
# grippers: those of all robots; states: see ``_states``.
WIDEST: Limits = {
    "robots": (1, 6), "grippers": (1, 16), "rooms": (2, 20), "balls": (1, 40), "states": (1, 10**200),
}  # fmt: skip
SIZES = tuple(key for key in WIDEST if key != "states")
STEMS: Mapping[str, str] = {"robots": "robby", "grippers": "g", "rooms": "r", "balls": "b"}


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
    """At least how many states there are: each ball in a room or gripper, each robot in a room."""
    places = sizes["rooms"] + sizes["grippers"]
    return int(places ** sizes["balls"] * sizes["rooms"] ** sizes["robots"])


def _fault(task: Task, sizes: Mapping[str, int]) -> tuple[str, str] | None:
    """The violated constraint and what it asks, or None."""
    if sizes["rooms"] < 2 or sizes["balls"] < 1:
        return "rooms", "needs two rooms and a ball"
    if sizes["robots"] < 1 or sizes["grippers"] < sizes["robots"]:
        return "grippers", "needs a robot, and a gripper for each robot"
    if task.init == "jammed" and sizes["grippers"] < 2:
        return "jammed", "needs a gripper that is jammed and one that is not"
    return None


# ---- problems


@dataclass
class _Scene:
    """The named things of one problem; ``grippers`` are those of use, with their robots."""

    rooms: list[str]
    balls: list[str]
    robots: list[str]
    grippers: dict[str, str]
    jammed: list[str]
    rng: random.Random


def build(task: Task, parameters: Parameters, rng: random.Random) -> Generated:
    """The problem of ``parameters``; ``rng`` gives the names and what the parameters leave open.

    Raises ParameterError naming the violated constraint.
    """
    scene = _scene(task, parameters, rng)
    init = _start(scene, _most_held(task, scene))
    goal = _gathered(scene, init) if task.goal == "gathered" else _placed(scene, init)
    kinds = {
        "ball": scene.balls, "gripper": [*scene.grippers, *scene.jammed], "robot": scene.robots,
        "room": scene.rooms,
    }  # fmt: skip
    objects = sorted(TypedName(name, (kind,)) for kind, names in kinds.items() for name in names)
    problem = Problem(task.name, DOMAIN, tuple(objects), frozenset(init), literals(goal))
    return Generated(problem, task, dict(parameters), {"balls": parameters["balls"]})


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
    names = {key: _shuffled(STEMS[key], parameters[key], rng) for key in SIZES}
    robots, grippers = names["robots"], names["grippers"]
    further = (rng.choice(robots) for _ in grippers[len(robots) :])
    owned = dict(zip(grippers, [*robots, *further], strict=True))
    broken = rng.randint(1, -(-len(grippers) // 2)) if task.init == "jammed" else 0
    jammed = sorted(rng.sample(grippers, min(broken, len(grippers) - 1)))
    use = {gripper: robot for gripper, robot in owned.items() if gripper not in jammed}
    return _Scene(names["rooms"], names["balls"], robots, use, jammed, rng)


def _shuffled(kind: str, count: int, rng: random.Random) -> list[str]:
    names = [f"{kind}{number}" for number in range(1, count + 1)]
    rng.shuffle(names)
    return names


def _most_held(task: Task, scene: _Scene) -> int:
    """How many balls are held at first: none, or some where the configuration says so."""
    most = min(len(scene.grippers), len(scene.balls))
    if task.init == "holding":
        return scene.rng.randint(1, most)
    return scene.rng.randint(0, most) if task.init == "jammed" else 0


def _start(scene: _Scene, held: int) -> set[Atom]:
    """Robots and balls anywhere, the first ``held`` balls in grippers."""
    rng = scene.rng
    using = rng.sample(sorted(scene.grippers), held)
    init: set[Atom] = {("at-robby", robot, rng.choice(scene.rooms)) for robot in scene.robots}
    init |= {
        ("carry", scene.grippers[gripper], ball, gripper)
        for gripper, ball in zip(using, scene.balls, strict=False)
    }
    init |= {("free", robot, gripper) for gripper, robot in scene.grippers.items() if gripper not in using}
    return init | {("at", ball, rng.choice(scene.rooms)) for ball in scene.balls[held:]}


def _placed(scene: _Scene, init: set[Atom]) -> set[Atom]:
    """Rooms for some of the balls, the first of which is not there yet, and at times for robots."""
    rng = scene.rng
    chosen = rng.sample(scene.balls, rng.randint(-(-len(scene.balls) // 2), len(scene.balls)))
    goal: set[Atom] = {("at", ball, rng.choice(scene.rooms)) for ball in chosen[1:]}
    elsewhere = [room for room in scene.rooms if ("at", chosen[0], room) not in init]
    goal.add(("at", chosen[0], rng.choice(elsewhere)))
    return goal | {
        ("at-robby", robot, rng.choice(scene.rooms)) for robot in scene.robots if rng.random() < 0.2
    }


def _gathered(scene: _Scene, init: set[Atom]) -> set[Atom]:
    """All balls in one room, where they are not all yet."""
    rooms = [room for room in scene.rooms if any(("at", ball, room) not in init for ball in scene.balls)]
    room = scene.rng.choice(rooms)
    return {("at", ball, room) for ball in scene.balls}
