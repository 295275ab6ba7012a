"""Rovers: several rovers with instruments and stores gather data at waypoints for a lander.

Visibility between waypoints is a random connected graph. Each rover can drive along most of its edges.

- *cut_off*: no rover can drive to some of the visible waypoints, so data there are unreachable.
- *one_way*: many edges can be driven in one direction only. Some data can be gathered but not sent, because
  no waypoint that sees the lander is reachable afterwards.

Rovers differ in their instruments, and cameras in their modes. A goal requires *some* or *all* of the data
that can be sent. If ``hopeless`` is 1, it also requires data that no rover can get or send.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from math import inf

from orrery.generator_kit import Fault, ParameterSpace, distances, numbered, typed
from orrery.model import Atom, ConfigurationPair, Generated, Limits, Parameters, Problem, TypedName, literals

DOMAIN = "rovers"
TASKS: tuple[ConfigurationPair, ...] = (
    ConfigurationPair("open_map", "send_some", strict=True),
    ConfigurationPair("cut_off", "send_some", strict=True),
    ConfigurationPair("open_map", "send_all", strict=True),
    ConfigurationPair("one_way", "send_some", strict=True),
)
WIDEST: Limits = {
    "rovers": (1, 6), "waypoints": (2, 20), "samples": (0, 20), "objectives": (1, 12), "modes": (1, 6),
    "cameras": (1, 8),
}  # fmt: skip
KINDS = {**dict.fromkeys(WIDEST, int), "cut_off": int, "hopeless": int}
MODES = ("color", "high_res", "low_res", "infrared", "thermal", "panorama")
ONE_WAY = 0.7  # the share of edges of a one-way map that a rover drives in one direction only
HOPELESS, FEWEST, MOST_WANTED, DRAWS = 0.12, 3, 6, 100
MOST_WITH_SAMPLES = 250  # steps; more waypoints have too many ways to send


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw counts within ``limits``, the number of ``cut_off`` waypoints, and ``hopeless``, 0 or 1.

    Raise a ParameterError if no counts within the limits fit the task.
    """

    def drawn() -> Parameters:
        """Draw parameters that may still violate constraints."""
        parameters = {key: rng.randint(*limits.get(key, WIDEST[key])) for key in WIDEST}
        waypoints = parameters["waypoints"]
        parameters["cut_off"] = rng.randint(1, max(1, waypoints // 3)) if task.init == "cut_off" else 0
        parameters["hopeless"] = int(task.goal == "send_some" and rng.random() < HOPELESS)
        return parameters

    return SPACE.attempt(task, drawn, DRAWS)


def _constraints(task: ConfigurationPair, counts: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint between the numbers."""
    if counts["cut_off"] < 0 or (counts["cut_off"] > 0) != (task.init == "cut_off"):
        yield "cut_off", "at least one waypoint is cut off in the task of that name, none in others"
    if counts["waypoints"] - counts["cut_off"] < 2:
        yield "waypoints", "two or more must be open to a rover"
    if counts["hopeless"] not in (0, task.goal == "send_some"):
        yield "hopeless", "is 0, or 1 where some data are sent"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, KINDS, _constraints)


@dataclass(frozen=True)
class _RoversScene:
    """The named objects of one problem; waypoints that are cut off come last."""

    rovers: list[str]
    waypoints: list[str]
    cameras: list[str]
    modes: list[str]
    objectives: list[str]
    cut: frozenset[str]
    rng: random.Random

    def some(self, names: list[str], most: int) -> list[str]:
        """Draw one to ``most`` of ``names``."""
        return self.rng.sample(names, self.rng.randint(1, min(most, len(names))))


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. The map, the equipment and the goal are drawn from ``rng``.

    Raise a ParameterError that names the violated constraint.
    """
    SPACE.check(task, parameters)
    scene = _scene(parameters, rng)
    facts, sendable = _initial(scene, parameters["samples"], one_way=task.init == "one_way")
    goal = _goal(task, scene, facts, sendable, bool(parameters["hopeless"]))
    problem = Problem(task.name, DOMAIN, _objects(scene), frozenset(facts), literals(goal))
    return Generated(problem, task, dict(parameters), {})


def _scene(parameters: Parameters, rng: random.Random) -> _RoversScene:
    def draw_names(kind: str) -> list[str]:
        count = parameters[kind + "s"]
        return rng.sample(numbered(kind[0], count), count)

    waypoints = draw_names("waypoint")
    cut = frozenset(waypoints[len(waypoints) - parameters["cut_off"] :])
    modes = list(MODES[: parameters["modes"]])
    return _RoversScene(
        draw_names("rover"), waypoints, draw_names("camera"), modes, draw_names("objective"), cut, rng
    )


def _objects(scene: _RoversScene) -> tuple[TypedName, ...]:
    named = {
        "rover": scene.rovers, "waypoint": scene.waypoints, "store": [_store(r) for r in scene.rovers],
        "camera": scene.cameras, "mode": scene.modes, "lander": ["l1"], "objective": scene.objectives,
    }  # fmt: skip
    return typed(named)


def _store(rover: str) -> str:
    return rover.replace("r", "s")


# ---- the initial state


def _initial(scene: _RoversScene, samples: int, *, one_way: bool) -> tuple[set[Atom], list[Atom]]:
    """Draw the initial facts and the achievable goal facts: three or more, if a few tries find them."""
    for _ in range(DRAWS):
        facts = {*_map(scene, one_way), *_instruments(scene), *_targets(scene, samples), *_start(scene)}
        if len(sendable := sorted(_sendable(scene, facts))) >= FEWEST:
            return facts, sendable
    facts |= set(_help(scene))
    return facts, sorted(_sendable(scene, facts))


def _map(scene: _RoversScene, one_way: bool) -> Iterator[Atom]:
    """Yield lines of sight, which connect all waypoints, and the edges that each rover can drive along."""
    rng, places = scene.rng, scene.waypoints
    tree = [(place, rng.choice(places[:number])) for number, place in enumerate(places) if number]
    extra_links = [pair for pair in combinations(sorted(places), 2) if rng.random() < 1.5 / len(places)]
    for first, second in sorted({(min(pair), max(pair)) for pair in tree + extra_links}):
        yield from (("visible", first, second), ("visible", second, first))
        drivers = [rover for rover in scene.rovers if rng.random() < 0.8]
        if scene.cut.isdisjoint((first, second)):
            for rover in drivers:
                traversals = [("can_traverse", rover, first, second), ("can_traverse", rover, second, first)]
                yield from [rng.choice(traversals)] if one_way and rng.random() < ONE_WAY else traversals


def _instruments(scene: _RoversScene) -> Iterator[Atom]:
    """Yield the equipment of each rover, and the cameras.

    Some cameras are on a rover that cannot use them.
    """
    rng = scene.rng
    for rover in scene.rovers:
        kinds = ("soil_analysis", "rock_analysis", "imaging")
        yield from (("equipped_for_" + kind, rover) for kind in kinds if rng.random() < 0.8)
    for camera in scene.cameras:
        yield "on_board", camera, rng.choice(scene.rovers)
        yield "calibration_target", camera, rng.choice(scene.objectives)
        yield from (("supports", camera, mode) for mode in scene.some(scene.modes, 3))


def _targets(scene: _RoversScene, samples: int) -> Iterator[Atom]:
    """Yield samples, at most one of a kind at a waypoint, and the waypoints that see each objective."""
    spots = sorted(product(("at_soil_sample", "at_rock_sample"), scene.waypoints))
    yield from scene.rng.sample(spots, min(samples, len(spots)))
    for objective in scene.objectives:
        yield from (("visible_from", objective, place) for place in scene.some(scene.waypoints, 3))


def _start(scene: _RoversScene) -> Iterator[Atom]:
    """Yield all rovers, available and with empty stores, on connected waypoints, and the lander anywhere."""
    rng, open_places = scene.rng, [place for place in scene.waypoints if place not in scene.cut]
    yield from (("at_lander", "l1", rng.choice(open_places)), ("channel_free", "l1"))
    for rover in scene.rovers:
        yield from (("at", rover, rng.choice(open_places)), ("available", rover))
        yield from (("store_of", _store(rover), rover), ("empty", _store(rover)))


def _help(scene: _RoversScene) -> Iterator[Atom]:
    """Yield facts that let a rover get and send a soil sample.

    They are added if almost no data can be sent.
    """
    open_places = [place for place in scene.waypoints if place not in scene.cut]
    yield from (("equipped_for_soil_analysis", scene.rovers[0]), ("at_soil_sample", open_places[0]))
    for pair in pairwise(open_places):
        for first, second in (pair, pair[::-1]):
            yield from (("visible", first, second), ("can_traverse", scene.rovers[0], first, second))


# ---- data that can be sent


def _sendable(scene: _RoversScene, facts: set[Atom]) -> set[Atom]:
    """Return the goal facts that some rover can achieve on its own.

    If all edges can be driven both ways, all these facts are achievable together: rovers can empty their
    stores and calibrate again.
    """
    sendable: set[Atom] = set()
    lander = next(fact[2] for fact in facts if fact[0] == "at_lander")
    for rover in scene.rovers:
        beyond = {place: _reach(rover, place, facts) for place in scene.waypoints}
        sending = {
            place
            for place, reach in beyond.items()
            if any(("visible", place, lander) in facts for place in reach)
        }
        reach = beyond[next(fact[2] for fact in facts if fact[:2] == ("at", rover))]
        sendable |= _samples(rover, reach & sending, facts) | _images(rover, reach, beyond, sending, facts)
    return sendable


def _reach(rover: str, start: str, facts: set[Atom]) -> set[str]:
    """Return the waypoints that the rover can drive to from ``start``, itself included."""
    links = [(f[2], f[3]) for f in facts if f[:2] == ("can_traverse", rover)]
    return set(distances(start, lambda place: [target for origin, target in links if origin == place]))


def _samples(rover: str, places: set[str], facts: set[Atom]) -> set[Atom]:
    """Return the samples at these places that the rover can take."""
    kinds = [kind for kind in ("soil", "rock") if (f"equipped_for_{kind}_analysis", rover) in facts]
    return {
        (f"communicated_{kind}_data", place)
        for kind, place in product(kinds, places)
        if (f"at_{kind}_sample", place) in facts
    }


def _images(
    rover: str, reach: set[str], beyond: dict[str, set[str]], sending: set[str], facts: set[Atom]
) -> set[Atom]:
    """Return the images that the rover can take and send.

    The rover calibrates a camera where its target is visible. It then drives to a waypoint that sees an
    objective, and from there to a waypoint that sees the lander.
    """
    if ("equipped_for_imaging", rover) not in facts:
        return set()
    sights = {(fact[1], fact[2]) for fact in facts if fact[0] == "visible_from"}
    images: set[Atom] = set()
    for _, camera, target in (fact for fact in facts if fact[0] == "calibration_target"):
        if ("on_board", camera, rover) in facts:
            ready = {place for objective, place in sights if objective == target and place in reach}
            later = set().union(*(beyond[place] for place in ready)) & sending
            seen = {objective for objective, place in sights if place in later}
            modes = {fact[2] for fact in facts if fact[:2] == ("supports", camera)}
            images |= {("communicated_image_data", *pair) for pair in product(seen, modes)}
    return images


def _goal(
    task: ConfigurationPair, scene: _RoversScene, facts: set[Atom], sendable: list[Atom], hopeless: bool
) -> set[Atom]:
    """Draw all of ``sendable`` or some of them; if ``hopeless``, add data that no rover can send."""
    if task.goal == "send_all":
        return set(sendable)
    most = (
        1 if task.init == "one_way" else min(MOST_WANTED, 1 + len(sendable) // 2)
    )  # the rover may be unable to return
    goal = set(scene.rng.sample(sendable, scene.rng.randint(1, most)))
    if hopeless:
        beyond = _not_sendable(scene, facts, sendable)
        goal.update(scene.rng.sample(beyond, min(1, len(beyond))))
    return goal


def _not_sendable(scene: _RoversScene, facts: set[Atom], sendable: list[Atom]) -> list[Atom]:
    """Return existing data that no rover can get and send; if there are none, data that do not exist."""
    lying = {(f"communicated_{fact[0][3:7]}_data", fact[1]) for fact in facts if fact[0].endswith("_sample")}
    images = {("communicated_image_data", *pair) for pair in product(scene.objectives, scene.modes)}
    bare = {(f"communicated_{kind}_data", place) for kind in ("rock", "soil") for place in scene.waypoints}
    return sorted((lying | images).difference(sendable)) or sorted(bare.difference(sendable))


# ---- long plans


def fewest_steps(problem: Problem) -> int | None:
    """Return a lower bound on the number of steps of every plan, or None.

    Each image that is to be sent and not on board takes a calibration, a step to take it and one to send it.
    The rover drives from where it calibrates to where it sees the objective, and back for the next image;
    from the last one it drives to where it sees the lander. The result is None if samples are to be sent, if
    there are several rovers or cameras, if the camera is calibrated, or if a place is out of reach.
    """
    facts: dict[str, list[Atom]] = {}
    for fact in sorted(problem.init):
        facts.setdefault(fact[0], []).append(fact[1:])
    tools = sorted(name.types[0] for name in problem.objects if name.types[0] in ("camera", "rover"))
    wanted = {fact[1:] for fact in problem.goal_facts if fact[0] == "communicated_image_data"}
    if tools != ["camera", "rover"] or "calibrated" in facts or len(wanted) < len(problem.goal):
        return None
    unsent = sorted(wanted.difference(facts.get("communicated_image_data", [])))
    roads: dict[str, list[str]] = {name.name: [] for name in problem.objects}
    for _, place, following in facts.get("can_traverse", []):
        roads[place].append(following)
    away = {place: distances(place, roads.__getitem__) for place in roads}

    def drive(starts: list[str], ends: list[str]) -> float:
        return min((away[start].get(end, inf) for start in starts for end in ends), default=inf)

    landers = {place for _, place in facts.get("at_lander", [])}
    hearing = [place for place, seen in facts.get("visible", []) if seen in landers]
    targets = {objective for _, objective in facts.get("calibration_target", [])}
    ready = [place for objective, place in facts.get("visible_from", []) if objective in targets]
    here = [place for _, place in facts.get("at", [])]
    on_board = {image[1:] for image in facts.get("have_image", [])}
    views = [
        [place for objective, place in facts.get("visible_from", []) if objective == image[0]]
        for image in unsent
        if image not in on_board
    ]
    trips, lasts = (
        [min((drive(ready, [place]) + drive([place], ends) for place in view), default=inf) for view in views]
        for ends in (ready, hearing)
    )
    if views:
        driven = drive(here, ready) + sum(trips)
        driven += min(last - trip for last, trip in zip(lasts, trips, strict=True)) if driven < inf else 0
    else:
        driven = drive(here, hearing) if unsent else 0
    return None if driven == inf else int(driven) + 2 * len(views) + len(unsent)


def ladder(steps: int, rng: random.Random) -> Problem:
    """Draw a rover with one store, waypoints around the lander, and one of two samples to analyse at each.

    The steps are counted for a plan that drives out to each sample, takes it, empties the store and reports.
    For more than 250 steps there are images instead, of objectives along a road with the target of the camera
    at its end, where the rover goes for each image.
    """
    if steps > MOST_WITH_SAMPLES:
        return _road(steps, rng)
    count = max(1, steps // 5)
    waypoints = numbered("w", count + 1)
    hub, around = waypoints[0], waypoints[1:]
    init: set[Atom] = {
        ("at", "r1", hub), ("at_lander", "l1", hub), ("available", "r1"), ("channel_free", "l1"),
        ("equipped_for_soil_analysis", "r1"), ("equipped_for_rock_analysis", "r1"), ("store_of", "st1", "r1"),
        ("empty", "st1"),
    }  # fmt: skip
    ring = list(zip(around, [*around[1:], around[0]], strict=True)) if count > 1 else []
    for first, second in {*((hub, place) for place in around), *ring}:
        for link in ((first, second), (second, first)):
            init |= {("visible", *link), ("can_traverse", "r1", *link)}
    goal = set[Atom]()
    for place in around:
        kind = rng.choice(("soil", "rock"))
        init |= {("at_soil_sample", place), ("at_rock_sample", place)}
        goal.add((f"communicated_{kind}_data", place))
    objects = typed({"lander": ["l1"], "rover": ["r1"], "store": ["st1"], "waypoint": waypoints})
    return Problem("ladder", DOMAIN, objects, frozenset(init), literals(goal))


def _road(steps: int, rng: random.Random) -> Problem:
    """Draw a road with the lander and the target at one end, and as many images as ``steps`` allow."""
    waypoints = numbered("w", rng.randint(14, 20))[:: rng.choice((1, -1))]
    objectives, modes = numbered("o", rng.randint(8, 10)), list(MODES[: rng.randint(5, len(MODES))])
    init: set[Atom] = {
        ("at", "r1", rng.choice(waypoints)), ("at_lander", "l1", waypoints[1]), ("available", "r1"),
        ("channel_free", "l1"), ("equipped_for_imaging", "r1"), ("store_of", "st1", "r1"), ("empty", "st1"),
        ("on_board", "c1", "r1"), ("calibration_target", "c1", objectives[0]),
        ("visible_from", objectives[0], waypoints[0]), *(("supports", "c1", mode) for mode in modes),
        *(("visible_from", objective, rng.choice(waypoints[4:])) for objective in objectives[1:]),
    }  # fmt: skip
    for pair in pairwise(waypoints):
        for link in (pair, pair[::-1]):
            init |= {("visible", *link), ("can_traverse", "r1", *link)}
    objects = typed({
        "camera": ["c1"], "lander": ["l1"], "mode": modes, "objective": objectives, "rover": ["r1"],
        "store": ["st1"], "waypoint": waypoints,
    })  # fmt: skip
    images = rng.sample(list(product(objectives[1:], modes)), (len(objectives) - 1) * len(modes))
    for count in range(1, len(images) + 1):
        goal = literals(("communicated_image_data", *image) for image in images[:count])
        longer = Problem("ladder", DOMAIN, objects, frozenset(init), goal)
        if count > 1 and (fewest_steps(longer) or 0) > steps * 9 // 10:
            break
        problem = longer
    return problem
