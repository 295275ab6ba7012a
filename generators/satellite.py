"""Satellite: satellites turn to directions and take images with the instruments on board.

Initial configurations: *idle*, all instruments are off; *running*, some are switched on, some calibrated,
some images are taken, and sometimes no instrument supports a mode; *lacking*, no instrument supports a mode,
or an instrument has no calibration target, or a satellite has no power. Goals: *images*, some images that can
be taken; *images_and_pointing*, directions for satellites too. Goals contain only reachable facts, so every
problem is solvable.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from orrery.generator_kit import Fault, ParameterSpace, numbered, shuffled, typed
from orrery.model import Atom, ConfigurationPair, Generated, Limits, Parameters, Problem, literals

DOMAIN = "satellite"
TASKS: tuple[ConfigurationPair, ...] = (
    ConfigurationPair("idle", "images_and_pointing"),
    ConfigurationPair("running", "images"),
    ConfigurationPair("lacking", "images"),
)
# instruments: total over all satellites; states: see ``_states``.
WIDEST: Limits = {
    "satellites": (1, 12), "instruments": (1, 36), "modes": (1, 8), "directions": (2, 40),
    "states": (1, 10**200),
}  # fmt: skip
SIZES = tuple(key for key in WIDEST if key != "states")
STEMS: Mapping[str, str] = {"satellites": "s", "instruments": "i", "modes": "m"}
DIRECTIONS = ("star", "planet", "station", "galaxy")
MOST_WANTED = 12
FEW_MODES = 250  # steps of the longest plans with one or two modes
MOST_STEPS = 640  # with more images a prompt is too long


# ---- parameters


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw numbers of all kinds of objects within ``limits``.

    Raise a ParameterError if no numbers within the limits satisfy the constraints of the task.
    """
    return SPACE.counts(task, limits, rng, _states)


def _states(sizes: Mapping[str, int]) -> int:
    """Return an upper bound on the number of states, from images, directions and instruments."""
    satellites, instruments = sizes["satellites"], sizes["instruments"]
    images = 2 ** (sizes["directions"] * sizes["modes"])
    switched = (instruments / satellites + 1) ** satellites
    return int(images * sizes["directions"] ** satellites * 2**instruments * int(switched))


def _constraints(task: ConfigurationPair, sizes: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint between the numbers."""
    if sizes["instruments"] < sizes["satellites"]:
        yield "instruments", "needs an instrument on every satellite"
    if task.init == "lacking" and sizes["instruments"] < 2 and sizes["modes"] < 2:
        yield "lacking", "needs two instruments or two modes, so that something can be done"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, dict.fromkeys(SIZES, int), _constraints)


# ---- problems


@dataclass
class _SatelliteScene:
    """The named objects and the static facts of one problem."""

    satellites: list[str]
    instruments: list[str]
    modes: list[str]
    directions: list[str]
    rng: random.Random
    board: dict[str, str] = field(default_factory=dict)
    supports: dict[str, list[str]] = field(default_factory=dict)
    targets: dict[str, list[str]] = field(default_factory=dict)
    powered: list[str] = field(default_factory=list)

    def statics(self) -> set[Atom]:
        """Return facts that no action changes."""
        statics: set[Atom] = {("on-board", *pair) for pair in self.board.items()}
        statics |= {("supports", i, mode) for i, modes in self.supports.items() for mode in modes}
        return statics | {
            ("calibration-target", i, place) for i, places in self.targets.items() for place in places
        }

    def images(self) -> list[Atom]:
        """Return the images that can be taken, sorted."""
        able = [i for i in self.instruments if self.targets[i] and self.board[i] in self.powered]
        modes = sorted({mode for i in able for mode in self.supports[i]})
        return [("have-image", place, mode) for place in sorted(self.directions) for mode in modes]


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. Names and all other choices are drawn from ``rng``.

    Raise a ParameterError that names the violated constraint.
    """
    scene = _scene(task, parameters, rng)
    init: set[Atom] = {
        ("pointing", satellite, rng.choice(scene.directions)) for satellite in scene.satellites
    }
    init |= _running(scene) if task.init == "running" else {("power-avail", s) for s in scene.powered}
    goal = _images(scene, init)
    if task.goal == "images_and_pointing":
        goal |= {
            ("pointing", s, rng.choice(scene.directions)) for s in scene.satellites if rng.random() < 0.5
        }
    kinds = {
        "direction": scene.directions, "instrument": scene.instruments, "mode": scene.modes,
        "satellite": scene.satellites,
    }  # fmt: skip
    facts = frozenset(init | scene.statics())
    problem = Problem(task.name, DOMAIN, typed(kinds), facts, literals(goal))
    return Generated(problem, task, dict(parameters), {"images": len(goal)})


def _scene(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> _SatelliteScene:
    SPACE.check(task, parameters)
    satellites, instruments, modes = (
        shuffled(numbered(stem, parameters[key]), rng) for key, stem in STEMS.items()
    )
    places = [f"{rng.choice(DIRECTIONS)}{number}" for number in range(1, parameters["directions"] + 1)]
    scene = _SatelliteScene(satellites, instruments, modes, places, rng)
    further = (rng.choice(scene.satellites) for _ in scene.instruments[len(scene.satellites) :])
    scene.board = dict(zip(scene.instruments, [*scene.satellites, *further], strict=True))
    scene.targets = {i: rng.sample(places, 2 if rng.random() < 0.2 else 1) for i in scene.instruments}
    scene.powered = list(scene.satellites)
    modes = list(modes)
    if task.init == "lacking":
        modes = _take_away(scene)
    elif task.init == "running" and len(modes) > 1 and rng.random() < 0.5:
        modes.pop()
    _equip(scene, modes)
    return scene


def _take_away(scene: _SatelliteScene) -> list[str]:
    """Remove a calibration target, the power of a satellite, or a mode; return the remaining modes.

    The first instrument and its satellite keep everything that they need.
    """
    rng, lacks = scene.rng, ["mode"] * (len(scene.modes) > 1) + ["target"] * (len(scene.instruments) > 1)
    lacks += ["power"] * (len(scene.satellites) > 1)
    chosen = rng.sample(lacks, rng.randint(1, len(lacks)))
    if "target" in chosen:
        scene.targets |= {i: [] for i in rng.sample(scene.instruments[1:], 1)}
    if "power" in chosen:
        scene.powered.remove(rng.choice(scene.satellites[1:]))
    return scene.modes[1:] if "mode" in chosen else scene.modes


def _equip(scene: _SatelliteScene, modes: list[str]) -> None:
    """Draw modes for each instrument; each of ``modes`` is supported by at least one instrument."""
    rng = scene.rng
    scene.supports = {i: rng.sample(modes, rng.randint(1, -(-len(modes) // 2))) for i in scene.instruments}
    for mode in modes:
        if not any(mode in supported for supported in scene.supports.values()):
            scene.supports[rng.choice(scene.instruments)].append(mode)


def _running(scene: _SatelliteScene) -> set[Atom]:
    """Draw at most one active instrument per satellite, some calibrated instruments and some taken images."""
    rng, powered = scene.rng, set[Atom]()
    for satellite in scene.satellites:
        on = [i for i in scene.instruments if scene.board[i] == satellite]
        powered.add(("power-on", rng.choice(on)) if rng.random() < 0.7 else ("power-avail", satellite))
    powered |= {("calibrated", i) for i in scene.instruments if rng.random() < 0.4}
    images = scene.images()
    return powered | set(rng.sample(images, rng.randint(0, len(images) // 3)))


def _images(scene: _SatelliteScene, init: set[Atom]) -> set[Atom]:
    """Draw some images that can be taken; at least one of them is not taken yet."""
    able, rng = scene.images(), scene.rng
    wanted = rng.sample(able, rng.randint(1, min(MOST_WANTED, -(-len(able) // 2))))
    return {rng.choice([image for image in able if image not in init]), *wanted}


# ---- long plans


def ladder(steps: int, rng: random.Random) -> Problem:
    """Draw one satellite with one instrument, and images of many directions in one or more modes.

    The steps are counted for a plan that turns to each direction once and takes all its images there, and one
    more. Long plans have many modes, because the satellite turns between any two directions.
    """
    modes = numbered("m", rng.randint(1, 2) if steps <= FEW_MODES else rng.randint(16, 24))
    if steps > FEW_MODES:
        steps = min(steps, MOST_STEPS) - len(modes)
    left, wanted = steps - 5, list[list[str]]()
    while left >= 2:
        wanted.append(rng.sample(modes, rng.randint(1, len(modes))))
        left -= 1 + len(wanted[-1])
    wanted = wanted or [modes[:1]]
    names = [f"{rng.choice(DIRECTIONS)}{number}" for number in range(1, len(wanted) + 3)]
    init: set[Atom] = {
        ("on-board", "i1", "s1"), ("power-avail", "s1"), ("pointing", "s1", names[-1]),
        ("calibration-target", "i1", names[-2]), *(("supports", "i1", mode) for mode in modes),
    }  # fmt: skip
    goal = {
        ("have-image", place, mode) for place, taken in zip(names, wanted, strict=False) for mode in taken
    }
    objects = typed({"direction": names, "instrument": ["i1"], "mode": modes, "satellite": ["s1"]})
    return Problem("ladder", DOMAIN, objects, frozenset(init), literals(goal))
