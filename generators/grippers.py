"""Grippers: robots with grippers carry balls between rooms.

Initial configurations: *empty*, all grippers are free; *holding*, some grippers hold a ball; *jammed*, some
grippers are neither free nor holding a ball, so they are useless. Goals: *placed*, rooms for some of the
balls (and perhaps for robots); *gathered*, all balls in one room. Every problem is solvable.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orrery.generator_kit import Fault, ParameterSpace, numbered, shuffled, typed
from orrery.model import Atom, ConfigurationPair, Generated, Limits, Parameters, Problem, literals

DOMAIN = "grippers"
TASKS: tuple[ConfigurationPair, ...] = (
    ConfigurationPair("empty", "placed"),
    ConfigurationPair("holding", "gathered"),
    ConfigurationPair("jammed", "placed"),
)
# grippers: total over all robots; states: see ``_states``.
WIDEST: Limits = {
    "robots": (1, 6), "grippers": (1, 16), "rooms": (2, 20), "balls": (1, 40), "states": (1, 10**200),
}  # fmt: skip
SIZES = tuple(key for key in WIDEST if key != "states")
FEW_STEPS, MOST_STEPS = 100, 800  # a planner takes seconds for more
STEMS: Mapping[str, str] = {"robots": "robby", "grippers": "g", "rooms": "r", "balls": "b"}


# ---- parameters


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw numbers of all kinds of objects within ``limits``.

    Raise a ParameterError if no numbers within the limits satisfy the constraints of the task.
    """
    return SPACE.counts(task, limits, rng, _states)


def _states(sizes: Mapping[str, int]) -> int:
    """Return a lower bound on the number of states: each ball in a room or gripper, each robot in a room."""
    places = sizes["rooms"] + sizes["grippers"]
    return int(places ** sizes["balls"] * sizes["rooms"] ** sizes["robots"])


def _constraints(task: ConfigurationPair, sizes: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint between the numbers."""
    if sizes["grippers"] < sizes["robots"]:
        yield "grippers", "needs a gripper for each robot"
    if task.init == "jammed" and sizes["grippers"] < 2:
        yield "jammed", "needs a gripper that is jammed and one that is not"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, dict.fromkeys(SIZES, int), _constraints)


# ---- problems


@dataclass
class _GrippersScene:
    """The named things of one problem; ``grippers`` are those of use, with their robots."""

    rooms: list[str]
    balls: list[str]
    robots: list[str]
    grippers: dict[str, str]
    jammed: list[str]
    rng: random.Random


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. Names and all other choices are drawn from ``rng``.

    Raise a ParameterError that names the violated constraint.
    """
    scene = _scene(task, parameters, rng)
    init = _start(scene, _most_held(task, scene))
    goal = _gathered(scene, init) if task.goal == "gathered" else _placed(scene, init)
    kinds = {
        "ball": scene.balls, "gripper": [*scene.grippers, *scene.jammed], "robot": scene.robots,
        "room": scene.rooms,
    }  # fmt: skip
    problem = Problem(task.name, DOMAIN, typed(kinds), frozenset(init), literals(goal))
    return Generated(problem, task, dict(parameters), {"balls": parameters["balls"]})


def _scene(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> _GrippersScene:
    SPACE.check(task, parameters)
    names = {key: shuffled(numbered(STEMS[key], parameters[key]), rng) for key in SIZES}
    robots, grippers = names["robots"], names["grippers"]
    further = (rng.choice(robots) for _ in grippers[len(robots) :])
    owned = dict(zip(grippers, [*robots, *further], strict=True))
    broken = rng.randint(1, -(-len(grippers) // 2)) if task.init == "jammed" else 0
    jammed = sorted(rng.sample(grippers, min(broken, len(grippers) - 1)))
    use = {gripper: robot for gripper, robot in owned.items() if gripper not in jammed}
    return _GrippersScene(names["rooms"], names["balls"], robots, use, jammed, rng)


def _most_held(task: ConfigurationPair, scene: _GrippersScene) -> int:
    """Return the number of balls held initially: 0 if the configuration has none, otherwise random."""
    most = min(len(scene.grippers), len(scene.balls))
    if task.init == "holding":
        return scene.rng.randint(1, most)
    return scene.rng.randint(0, most) if task.init == "jammed" else 0


def _start(scene: _GrippersScene, held: int) -> set[Atom]:
    """Draw robots and balls anywhere, the first ``held`` balls in grippers."""
    rng = scene.rng
    using = rng.sample(sorted(scene.grippers), held)
    init: set[Atom] = {("at-robby", robot, rng.choice(scene.rooms)) for robot in scene.robots}
    init |= {
        ("carry", scene.grippers[gripper], ball, gripper)
        for gripper, ball in zip(using, scene.balls, strict=False)
    }
    init |= {("free", robot, gripper) for gripper, robot in scene.grippers.items() if gripper not in using}
    return init | {("at", ball, rng.choice(scene.rooms)) for ball in scene.balls[held:]}


def _placed(scene: _GrippersScene, init: set[Atom]) -> set[Atom]:
    """Draw goal rooms for some balls, and sometimes for robots.

    The first ball is not in its goal room yet.
    """
    rng = scene.rng
    chosen = rng.sample(scene.balls, rng.randint(-(-len(scene.balls) // 2), len(scene.balls)))
    goal: set[Atom] = {("at", ball, rng.choice(scene.rooms)) for ball in chosen[1:]}
    elsewhere = [room for room in scene.rooms if ("at", chosen[0], room) not in init]
    goal.add(("at", chosen[0], rng.choice(elsewhere)))
    return goal | {
        ("at-robby", robot, rng.choice(scene.rooms)) for robot in scene.robots if rng.random() < 0.2
    }


def _gathered(scene: _GrippersScene, init: set[Atom]) -> set[Atom]:
    """Draw one goal room for all balls that does not contain all of them yet."""
    rooms = [room for room in scene.rooms if any(("at", ball, room) not in init for ball in scene.balls)]
    room = scene.rng.choice(rooms)
    return {("at", ball, room) for ball in scene.balls}


# ---- long plans


def fewest_steps(problem: Problem) -> int | None:
    """Return a lower bound on the number of steps of every plan; None if a ball is held.

    Each ball that is not in its goal room is picked up and dropped. One move takes at most as many balls out
    of a room, or into it, as a robot has grippers. Except for the robots that are in it initially, robots
    leave a room at most as often as they enter it.
    """
    where = {fact[1]: fact[2] for fact in problem.init if fact[0] == "at"}
    robots = Counter(fact[2] for fact in problem.init if fact[0] == "at-robby")
    most = max(Counter(fact[1] for fact in problem.init if fact[0] == "free").values(), default=1)
    wanted = {fact[1]: fact[2] for fact in problem.goal_facts if fact[0] == "at"}
    if len(where) < sum(typed_name.types == ("ball",) for typed_name in problem.objects):
        return None
    if len(wanted) < sum(fact[0] == "at" for fact in problem.goal_facts):
        return None
    trips = [(where[ball], room) for ball, room in wanted.items() if where[ball] != room]
    leaving, arriving = Counter(room for room, _ in trips), Counter(room for _, room in trips)
    moves = sum(
        max(-(-leaving[room] // most) - robots[room], -(-arriving[room] // most), 0)
        for room in leaving | arriving
    )
    return 2 * len(trips) + moves


def ladder(steps: int, rng: random.Random) -> Problem:
    """Draw one or two robots and rooms in a circle; all balls of a room belong in the next one.

    The closed form of nine tenths of ``steps`` leaves room for a plan that is not a shortest one; for more
    than 100 steps that of seven tenths, with one robot, because planners then waste more steps.
    """
    is_long = steps > FEW_STEPS
    robots, each = numbered("robby", 1 if is_long else rng.randint(1, 2)), rng.randint(2, 3)
    grippers = numbered("g", each * len(robots))
    fewest = min(steps, MOST_STEPS) * (7 if is_long else 9) // 10
    count = max(2, (fewest + 1) * each // (2 * each + 1) - each)
    rooms = shuffled(numbered("r", min(count, rng.randint(2, 4 if is_long else 5))), rng)
    balls = shuffled(numbered("b", count), rng)
    share = -(-count // (len(rooms) * each)) * each
    places = {ball: min(number // share, len(rooms) - 1) for number, ball in enumerate(balls)}
    init: set[Atom] = {("at", ball, rooms[place]) for ball, place in places.items()}
    init |= {("at-robby", robot, rng.choice(rooms)) for robot in robots}
    init |= {("free", robots[number // each], gripper) for number, gripper in enumerate(grippers)}
    goal = {("at", ball, rooms[(place + 1) % len(rooms)]) for ball, place in places.items()}
    objects = typed({"ball": balls, "gripper": grippers, "robot": robots, "room": rooms})
    return Problem("ladder", DOMAIN, objects, frozenset(init), literals(goal))
