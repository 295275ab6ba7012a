"""Parameters, limits and tasks that no problem has are refused, by the name of the constraint."""

import random

import pytest

from orrery.model import ConfigurationPair, ParameterError
from tests.every_domain import CATALOG, difficulties, entry

EVENLY, N_ROOM, ROWS = "evenly_distributed", "n_room_distributed", "disconnected_rows-to-disconnected_rows"
BASES = {
    "alfworld": {
        "locations": 3, "receptacles": 4, "receptacle_types": 3, "lamps": 1, "portable": 2,
        "portable_types": 1, "heavy": 2, "heavy_types": 2, "tasks": 1, "locked": 0, "hopeless": 0,
    },
    "depots": {
        "depots": 1, "distributors": 2, "trucks": 1, "pallets": 4, "hoists": 3, "crates": 3, "unserved": 0,
        "hopeless": 0,
    },
    "floor-tile": {"colors": 4, "robots": 2, "start": "corner", "held": "same"},
    "floortile": {"rows": 3, "columns": 2, "robots": 2, "colors": 2},
    "goldminer": {"rows": 2, "columns": 3, "gold": 1},
    "grid": {"rows": 2, "columns": 3, "shapes": 2, "keys": 2, "locks": 3},
    "grippers": {"robots": 2, "grippers": 3, "rooms": 2, "balls": 3},
    "logistics": {"cities": 2, "locations": 4, "trucks": 2, "airplanes": 1, "packages": 2},
    "rovers": {
        "rovers": 2, "waypoints": 3, "samples": 3, "objectives": 1, "modes": 2, "cameras": 2, "cut_off": 0,
        "hopeless": 0,
    },
    "satellite": {"satellites": 1, "instruments": 2, "modes": 1, "directions": 2},
    "swap": {"agents": 4, "roles": 4},
    "visitall": {"rows": 3, "columns": 3, "holes": [], "start": [1, 1]},
}  # fmt: skip
YARD = {**dict.fromkeys(BASES["depots"], 0), "depots": 1, "pallets": 1, "hoists": 2, "crates": 4}
MAP = {
    "rows": 1, "columns": 3, "shapes": 1, "keys": 1, "locks": 1, "start": [1, 1], "there": [1, 3],
    "key": [[1, 1, 0]], "lock": [[1, 2, 0]], "forms": [3],
}  # fmt: skip
WALL = {
    "rows": 2, "wall": 2, "locks": 2, "shapes": 2, "keys": 2, "forms": [3, 4],
    "key": [[1, 1, 0], [2, 1, 1]], "lock": [[1, 2, 0], [2, 2, 1]],
}  # fmt: skip
SITE = {
    "shape": [3], "lander": 0, "rover": 1, "modes": 2, "cameras": [[0, 1]], "rocks": [0], "soil": [],
    "views": [[2]],
}  # fmt: skip

FOUR_BALLS, ONE_BALL = {"rooms": 2, "balls": 4}, {"rooms": 2, "balls": 1, "robot": "with"}


def sides(init, goal=None, **sizes):
    return {**sizes, "init": init, "goal": goal or {}}


def site(**changes):
    return sides({key: value for key, value in (SITE | changes).items() if value is not None})


REFUSED = {
    "alfworld": [
        ("house-to-put_two", {"portable": 1}, "portable"),
        ("house-to-put_two", {"receptacle_types": 5}, "fixtures"),
        ("house-to-put_two", {"locations": 9}, "fixtures"),
        ("house-to-put_two", {"portable_types": 2}, "items"),
        ("house-to-put_two", {"heavy": 1}, "items"), ("house-to-put_two", {"heavy_types": 0}, "items"),
        ("house-to-put_two", {"locked": 2}, "flags"), ("house-to-examine", {"lamps": 0}, "lamps"),
        ("house-to-put_two", {"heavy": 0, "heavy_types": 0, "hopeless": 1}, "flags"),
    ],
    "blocksworld": [
        ("swap-to-swap", {"init": {"heights": [3, 1]}}, "two_towers"),
        ("swap-to-swap", {"init": {"heights": [3, 2, 2]}}, "two_towers"),
        ("invert-to-invert", {"init": {"heights": [1, 1]}}, "one_tall"),
        ("tower-to-stack", sides({"heights": [1, 1]}, {"blocks": 2}), "one_tall"),
        ("stack-to-tower", sides({"blocks": 2}, {"heights": [1, 1]}), "one_tall"),
        ("equal_towers-to-stack", sides({"height": 1, "towers": 3}, {"blocks": 3}), "one_tall"),
        ("stack-to-equal_towers", sides({"blocks": 3}, {"height": 1, "towers": 3}), "one_tall"),
        ("stack-to-tower", sides({"blocks": 4}, {"heights": [2, 3]}), "same_blocks"),
        ("stack-to-staircase", sides({"blocks": 5}, {"steps": 3}), "same_blocks"),
        ("tower-to-equal_towers", sides({"heights": [2, 2]}, {"towers": 2, "height": 2}), "different_shapes"),
        ("stack-to-stack", sides({"blocks": 1}, {"blocks": 1}), "different_shapes"),
        ("tower-to-stack", sides({"heights": [2, 0]}, {"blocks": 2}), "positive"),
        ("tower-to-stack", sides({"heights": [-2, 4]}, {"blocks": 2}), "positive"),
        ("tower-to-stack", sides({"heights": []}, {"blocks": 2}), "positive"),
        ("on_table-to-stack", sides({"blocks": 0}, {"blocks": 0}), "positive"),
        ("on_table-to-stack", {"goal": {"blocks": 2}}, "keys"),
        ("holding_one-to-stack", sides({"blocks": 3}, {"blocks": 4}), "same_blocks"),
        ("staircase-to-stack", sides({"steps": 2.0}, {"blocks": 3}), "kinds"),
        ("equal_towers-to-stack", sides({"towers": 2}, {"blocks": 2}), "keys"),
        ("tower-to-tower", sides({"heights": [1, 2]}, {"heights": [2, 1]}), "different_shapes"),
    ],
    "depots": [
        ("served-to-some_crates", {"unserved": 1}, "unserved"),
        ("served-to-some_crates", {"hoists": 2}, "places"),
        ("served-to-some_crates", {"pallets": 2}, "places"),
        ("served-to-some_crates", {"hopeless": 1}, "hopeless"),
        ("yard-to-some_crates", {}, "yard"), ("yard-to-some_crates", YARD | {"crates": 2}, "deep"),
        ("unserved-to-some_crates", {"unserved": 2}, "places"),
        ("one_pile-to-moved", {}, "even"), ("one_pile-to-moved", {"pallets": 3, "crates": 1}, "piles"),
        ("two_piles-to-joined", {"pallets": 3, "crates": 2}, "piles"),
        ("truckload-to-shared", {"pallets": 3, "crates": 4}, "shared"),
    ],
    "ferry": [
        ("random-to-random", {"locations": 1, "cars": 3}, "locations"),
        ("random-to-random", {"locations": 2, "cars": 1}, "cars"),
        ("aboard-to-evenly_spread", {"locations": 2, "cars": 3}, "evenly_spread"),
        ("counted-to-gather", {"locations": 2, "cars": 3, "counts": [3, 0]}, "counts"),
        ("counted-to-gather", {"locations": 2, "cars": 4, "counts": [2, 2]}, "counts"),
        ("counted-to-gather", {"locations": 3, "cars": 4, "counts": [3, 1]}, "counts"),
        ("two_groups-to-moored", {"locations": 2, "cars": 4, "group": 4, "ferry_at": 0}, "group"),
        ("two_groups-to-moored", {"locations": 2, "cars": 4, "group": 1, "ferry_at": 2}, "ferry_at"),
        ("two_groups-to-evenly_spread", {"locations": 2, "cars": 4, "group": 2, "ferry_at": 0}, "group"),
        ("two_groups-to-evenly_spread", {"locations": 2, "cars": 2}, "cars"),
        ("aboard-to-two_groups", {"locations": 2, "cars": 4, "goal_group": 0}, "group"),
        ("vacant-to-aboard", {"locations": 2, "cars": 4}, "vacant"),
        ("aboard-to-vacant", {"locations": 3, "cars": 3}, "vacant"),
        ("staircase-to-aboard", {"locations": 3, "cars": 4}, "staircase"),
    ],
    "floor-tile": [
        ("grid-to-all_different", {"rows": 2, "columns": 3}, "colors"),
        ("grid-to-checkerboard", {"rows": 2, "columns": 3, "colors": 1}, "colors"),
        ("grid-to-paint_x", {"rows": 3, "columns": 4}, "paint_x"),
        ("grid-to-paint_x", {"rows": 2, "columns": 2}, "paint_x"),
        ("grid-to-paint_x", {"rows": 3, "columns": 3, "palette": 3}, "palette"),
        ("grid-to-paint_all", {"rows": 1, "columns": 1}, "tiles"),
        ("grid-to-paint_all", {"rows": 1, "columns": 2, "start": "left_column"}, "start"),
        ("grid-to-paint_all", {"rows": 2, "columns": 2, "robots": 5, "held": "own"}, "held"),
        ("grid-to-paint_all", {"rows": 2, "columns": 2, "robots": 0}, "robots"),
        ("rings-to-rings", {"size": 1}, "tiles"), ("rings-to-rings", {"size": 9}, "colors"),
        ("grid-to-paint_all", {"rows": 2}, "keys"),
        ("grid-to-paint_all", {"rows": 2, "columns": "2"}, "kinds"),
        ("grid-to-paint_all", {"rows": 2, "columns": 2, "palette": 2}, "keys"),
        ("rings-to-checkerboard", {"size": 3, "start": "scattered"}, "start"),
        ("grid-to-paint_all", {"rows": 2, "columns": 2, "start": "scattered", "places": [4]}, "places"),
        ("grid-to-paint_all", {"rows": 2, "columns": 2, "start": "scattered", "places": [0, 1, 2]}, "places"),
        ("grid-to-paint_all", {"rows": 2, "columns": 2, "start": "scattered", "places": 1}, "kinds"),
        ("grid-to-paint_all", {"rows": 2, "columns": 2, "places": [1]}, "keys"),
        ("rings-to-paint_all", {"size": 3, "robots": 3, "start": "one_per_ring"}, "start"),
        ("rings-to-paint_x", {"size": 2}, "paint_x"),
    ],
    "floortile": [
        ("begun-to-stripes", {"robots": 3}, "robots"), ("begun-to-stripes", {"colors": 1}, "colors"),
        ("begun-to-stripes", {"rows": 1}, "rows"),
        ("begun-to-stripes", {"rows": 2, "columns": 1, "robots": 1}, "tiles"),
    ],
    "goldminer": [("mine-to-gold", {"rows": 1}, "places"), ("mine-to-gold", {"columns": 10}, "columns")],
    "grid": [
        ("grid-to-visit", {"locks": 6}, "places"), ("grid-to-visit", {"shapes": 7}, "shapes"),
        ("corridor-to-arrive", MAP | {"key": [[1, 4, 0]]}, "places"),
        ("corridor-to-arrive", MAP | {"keys": 2}, "places"),
        ("corridor-to-arrive", MAP | {"forms": [6]}, "shapes"),
        ("corridor-to-arrive", MAP | {"forms": []}, "shapes"),
        ("corridor-to-arrive", MAP | {"start": [1, 2]}, "start"),
        ("wall-to-arrive", MAP | {"wall": 1}, "locks"),
        ("corridor-to-arrive", MAP | {"there": [1, 1]}, "arrive"),
        ("corridor-to-arrive", MAP | {"key": [[1, 3, 0]]}, "arrive"),
        ("wall-to-arrive", MAP | {"wall": 3, "lock": [[1, 3, 0]]}, "wall"),
        ("wall-to-arrive", MAP | WALL, "lock"),
        ("two_rooms-to-arrive", MAP | {"columns": 1, "door": 1, "lock": [[1, 1, 0]]}, "locks"),
    ],
    "gripper": [
        (f"{EVENLY}-to-pickup", sides({"rooms": 2, "balls": 3}, grippers=9), "divisible"),
        (f"{EVENLY}-to-pickup", sides(FOUR_BALLS, grippers=3), "enough_grippers"),
        (f"{EVENLY}-to-pickup", sides({"rooms": 0, "balls": 4}, grippers=3), "objects"),
        (f"{EVENLY}-to-{EVENLY}", sides({"rooms": 1, "balls": 4}, grippers=3), "different_layouts"),
        (f"{EVENLY}-to-{N_ROOM}", sides(FOUR_BALLS, {"counts": [4]}, grippers=3), "same_objects"),
        (f"{EVENLY}-to-{N_ROOM}", sides(FOUR_BALLS, {"counts": [2, 3]}, grippers=3), "same_objects"),
        (f"{EVENLY}-to-{N_ROOM}", sides(FOUR_BALLS, {"counts": [2, 2]}, grippers=3), "different_layouts"),
        (f"{EVENLY}-to-{N_ROOM}", sides(FOUR_BALLS, grippers=3), "keys"),
        (f"{EVENLY}-to-one_room", sides({"rooms": 2, "balls": 4, "size": 1}, grippers=3), "keys"),
        ("juggle-to-juggle", sides({"held": 0, "counts": [1, 1]}, grippers=3), "held"),
        ("holding-to-pickup", sides({"held": 2, "counts": [0, 0]}, grippers=3), "different_layouts"),
        ("holding-to-one_room", sides({"held": 2, "counts": [1, 0]}, grippers=1), "enough_grippers"),
        ("holding-to-drop_and_pickup", sides({"held": 1, "counts": [0, 1]}, grippers=3), "empty_room"),
        ("holding-to-drop_and_pickup", sides({"held": 0, "counts": [1, 0]}, grippers=3), "something_held"),
        ("holding-to-drop_and_pickup", sides({"held": 1, "counts": [2, 0]}, grippers=2), "free_grippers"),
        ("juggle-to-juggle", sides({"held": 1, "counts": [1]}, grippers=3), "held"),
        ("swap-to-swap", sides({"counts": [1]}, grippers=3), "two_rooms"),
        ("swap-to-swap", sides({"counts": [1, 0, 2]}, grippers=3), "two_rooms"),
        (f"{N_ROOM}-to-focus_max", sides({"counts": [2, 2, 1]}, grippers=1), "strictly_most"),
        (f"{N_ROOM}-to-focus_max", sides({"counts": [2, 0]}, grippers=1), "different_layouts"),
        (f"{N_ROOM}-to-focus_min", sides({"counts": [2, 0, 0]}, grippers=1), "strictly_fewest"),
        (f"{N_ROOM}-to-one_room", sides({"counts": [2, -1]}, grippers=1), "numbers"),
        ("one_room-to-one_room", sides(ONE_BALL, grippers=1), "different_layouts"),
        ("one_room-to-one_room", sides({"rooms": 1, "balls": 1, "robot": "apart"}, grippers=1), "robot"),
        ("one_room-to-focus_max", sides(ONE_BALL, {"robot": "apart"}, grippers=1),
         "robot"),
        ("one_room-to-pickup", sides({"rooms": 2, "balls": 1, "robot": "near"}, grippers=1), "robot"),
        ("one_room-to-pickup", sides(ONE_BALL, grippers="1"), "kinds"),
        (f"{N_ROOM}-to-pickup", sides({"counts": [1, "2"]}, grippers=1), "kinds"),
    ],
    "grippers": [
        ("holding-to-gathered", {"robots": 2, "grippers": 1}, "grippers"),
        ("jammed-to-placed", {"robots": 1, "grippers": 1}, "jammed"),
    ],
    "logistics": [
        ("served-to-delivered", {"locations": 1}, "locations"),
        ("served-to-delivered", {"trucks": 1}, "served"),
        ("holding-to-parked", {"airplanes": 0}, "served"),
        ("unserved-to-delivered", {"cities": 1}, "unserved"),
        ("unserved-to-delivered", {"locations": 2, "airplanes": 0}, "unserved"),
        ("hub-to-elsewhere", {"cities": 3}, "even"), ("hub-to-elsewhere", {"trucks": 3}, "even"),
        ("loaded-to-elsewhere", {"airplanes": 0}, "even"), ("hub-to-shared_out", {"packages": 3}, "shares"),
        ("in_trucks-to-at_planes", {"packages": 1}, "shares"),
        ("downtown-to-at_planes", {"locations": 2}, "downtown"),
        ("downtown-to-exchange", {"cities": 3, "locations": 6, "trucks": 3, "packages": 3}, "exchange"),
        ("one_city-to-at_airport", {}, "one_city"),
        ("one_city-to-spread", {"cities": 1, "locations": 3}, "one_city"),
    ],
    "rover-single": [
        ("line_analysis-to-transmit_soil", site(), "something_to_send"),
        ("line_analysis-to-transmit_rocks", site(rocks=[]), "something_to_send"),
        ("partitioned_analysis-to-transmit_rocks", site(shape=[2, 1], rocks=[2]), "something_to_send"),
        ("partitioned_analysis-to-transmit_objectives", site(shape=[2, 1]), "something_to_send"),
        ("line_analysis-to-rover_at_lander", site(rover=0), "rover_away"),
        ("partitioned_analysis-to-transmit_rocks", site(shape=[2, 1], rover=2), "places"),
        ("partitioned_analysis-to-transmit_rocks", site(shape=[2, 1], lander=2), "places"),
        ("line_analysis-to-transmit_rocks", site(rocks=[3]), "places"),
        ("line_analysis-to-transmit_rocks", site(soil=[3]), "places"),
        ("line_analysis-to-transmit_rocks", site(views=[[3]]), "views"),
        ("line_analysis-to-transmit_rocks", site(views=[[]]), "views"),
        ("line_analysis-to-transmit_rocks", site(views=[]), "views"),
        ("line_navigate-to-transmit_rocks", site(images=[[2]], views=None), "images"),
        ("line_analysis-to-transmit_rocks", site(cameras=[[0]]), "cameras"),
        ("line_analysis-to-transmit_rocks", site(cameras=[[0, 1], []]), "cameras"),
        ("line_analysis-to-transmit_rocks", site(modes=0, cameras=[]), "cameras"),
        ("line_analysis-to-transmit_rocks", site(shape=[1]), "shape"),
        ("circle_analysis-to-transmit_rocks", site(shape=[2]), "shape"),
        ("star_analysis-to-transmit_rocks", site(shape=[3]), "shape"),
        ("grid_analysis-to-transmit_rocks", site(shape=[1, 3]), "shape"),
        ("grid_analysis-to-transmit_rocks", site(), "shape"),
        ("partitioned_analysis-to-transmit_rocks", site(shape=[3, 0]), "shape"),
        ("line_analysis-to-transmit_rocks", site(rocks=[1, 0]), "numbers"),
        ("line_analysis-to-transmit_rocks", site(rocks=[0, 0]), "numbers"),
        ("line_analysis-to-transmit_rocks", site(rover=-1), "numbers"),
        ("line_analysis-to-transmit_rocks", site(rover=True), "numbers"),
        ("line_analysis-to-transmit_rocks", site(size=3), "keys"),
        ("line_navigate-to-transmit_rocks", site(), "keys"),
    ],
    "rovers": [
        ("open_map-to-send_all", {"waypoints": 99}, "waypoints"),
        ("open_map-to-send_all", {"cut_off": 1}, "cut_off"),
        ("open_map-to-send_all", {"hopeless": 1}, "hopeless"),
        ("cut_off-to-send_some", {"waypoints": 2, "cut_off": 1}, "waypoints"),
    ],
    "satellite": [("lacking-to-images", {"instruments": 1}, "lacking")],
    "swap": [("bijection-to-all", {"roles": 3}, "bijection"), ("uneven-to-some", {}, "uneven")],
    "visitall": [
        ("grid-to-visit_all", {"rows": 1, "columns": 1}, "places"),
        ("grid-to-visit_all", {"holes": [[1, 2], [2, 1]]}, "holes"),
        ("grid-to-visit_all", {"holes": [[4, 4]]}, "holes"),
        ("grid-to-visit_all", {"holes": [[1, 1]], "start": [1, 1]}, "start"),
        ("grid-to-visit_some", {"wanted": 9}, "wanted"), ("grid-to-corners", {"holes": [[2, 2]]}, "corners"),
        ("grid-to-corners", {"rows": 1}, "corners"), ("cells-to-border", {"rows": 2}, "border"),
        ("ring-to-visit_all", {"holes": [[2, 2]]}, "holes"),
        ("ring-to-visit_all", {"rows": 1, "columns": 2}, "ring"),
        ("ring-to-finish_far", {}, "finish_far"), ("ring-to-even", {"rows": 1}, "even"),
        ("star-to-ends", {"columns": 2}, "star"), ("star-to-ends", {"start": [1, 1]}, "start"),
        ("comb-to-ends", {"rows": 1}, "comb"), ("two_rooms-to-around", {"door": 4}, "door"),
    ],
}  # fmt: skip
NARROW = [
    ("alfworld", "house-to-examine", {"lamps": (0, 0)}),
    ("blocksworld", "staircase-to-tower", {"blocks": (4, 5)}),
    ("blocksworld", "on_table-to-equal_towers", {"blocks": (7, 7)}),
    ("depots", "unserved-to-some_crates", {"depots": (1, 1), "distributors": (1, 1)}),
    ("ferry", "aboard-to-evenly_spread", {"locations": (4, 4), "cars": (5, 7)}),
    ("floor-tile", "grid-to-paint_x", {"rows": (1, 2)}),
    ("floor-tile", "grid-to-all_different", {"colors": (1, 1)}),
    ("floor-tile", ROWS, {"columns": (1, 1)}),
    ("floortile", "begun-to-stripes", {"robots": (3, 4), "columns": (1, 2)}),
    ("goldminer", "mine-to-gold", {"rows": (1, 1), "columns": (2, 3)}),
    ("grid", "grid-to-visit", {"rows": (1, 1), "columns": (2, 2), "locks": (2, 3)}),
    ("gripper", "one_room-to-pickup", {"rooms": (2, 3), "balls": (5, 6), "grippers": (1, 4)}),
    ("grippers", "jammed-to-placed", {"grippers": (1, 1)}),
    ("logistics", "unserved-to-delivered", {"cities": (1, 1), "packages": (1, 2)}),
    ("rover-single", "grid_analysis-to-transmit_all", {"waypoints": (5, 4)}),
    ("rover-single", "grid_analysis-to-transmit_all", {"propositions": (1, 9)}),
    ("rover-single", "grid_analysis-to-transmit_all", {"waypoints": (5, 5), "propositions": (1, 25)}),
    ("rovers", "cut_off-to-send_some", {"waypoints": (2, 2)}),
    ("satellite", "lacking-to-images", {"instruments": (1, 1), "modes": (1, 1)}),
    ("swap", "bijection-to-all", {"agents": (2, 3), "roles": (4, 5)}),
    ("visitall", "grid-to-corners", {"rows": (1, 1)}),
]
FLAT = [
    name for name in CATALOG.names if getattr(getattr(entry(name).generator, "SPACE", None), "kinds", None)
]


def task_of(name, task):
    return next(pair for pair in entry(name).tasks if pair.name == task)


def drawn(name, task):
    """Parameters of a task, from the first difficulty that has some."""
    for level in difficulties(name):
        try:
            return entry(name).generator.draw(task, entry(name).limits(level), random.Random(1))
        except ParameterError:
            continue
    raise AssertionError(task)


@pytest.mark.parametrize(
    ("name", "task", "change", "constraint"),
    [(name, *case) for name, cases in REFUSED.items() for case in cases],
)
def test_a_violated_constraint_is_named(name, task, change, constraint):
    with pytest.raises(ParameterError, match=f"constraint '{constraint}'") as caught:
        entry(name).generator.build(task_of(name, task), BASES.get(name, {}) | change, random.Random(0))
    assert caught.value.where == f"{name}/{task}"


@pytest.mark.parametrize(("lengths", "constraint"), [([1, 3], "lengths"), ([], "lengths"), (3, "kinds")])
def test_rows_of_no_length_are_refused(lengths, constraint):
    with pytest.raises(ParameterError, match=f"floor-tile/{ROWS}: constraint '{constraint}'"):
        entry("floor-tile").generator.build(
            task_of("floor-tile", ROWS), {"lengths": lengths}, random.Random(0)
        )


@pytest.mark.parametrize("name", FLAT)
def test_parameters_of_another_form_or_beyond_the_widest_limits_are_refused(name):
    generator = entry(name).generator
    parameters_of = {task: drawn(name, task) for task in entry(name).tasks}
    flat = {
        task: parameters
        for task, parameters in parameters_of.items()
        if generator.SPACE.kinds.keys() == parameters.keys()
    }
    assert flat
    for task, parameters in flat.items():
        beyond = {key: (low - 1, high + 1) for key, (low, high) in generator.SPACE.widest.items()}
        changes = [
            (parameters | {"spare": 1}, "keys"),
            (dict(list(parameters.items())[1:]), "keys"),
            *((parameters | {key: value}, "kinds") for key in parameters for value in (None, "two", 1.5)),
            *((parameters | {key: n}, key) for key in beyond.keys() & parameters.keys() for n in beyond[key]),
        ]  # fmt: skip
        for changed, constraint in changes:
            with pytest.raises(ParameterError, match=f"{name}/{task.name}: constraint '{constraint}'"):
                generator.build(task, changed, random.Random(0))


@pytest.mark.parametrize(("name", "task", "limits"), NARROW)
def test_limits_that_no_parameters_meet_are_refused(name, task, limits):
    with pytest.raises(ParameterError, match="constraint"):
        entry(name).generator.draw(task_of(name, task), limits, random.Random(0))


@pytest.mark.parametrize("name", [name for name in CATALOG.names if entry(name).generator])
def test_tasks_that_a_domain_does_not_have_are_refused(name):
    task = entry(name).tasks[0]
    unknown = ConfigurationPair(task.init, "nowhere")
    with pytest.raises(ParameterError, match="'task'"):
        entry(name).generator.build(unknown, drawn(name, task), random.Random(0))
