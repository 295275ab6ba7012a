"""What Planetarium publishes of its three domains: its parameters are accepted, its faults are not ours."""

import random
import re
from collections import Counter
from itertools import product

import pytest

from orrery.equivalence.keys import keys
from orrery.language.words import names_by_type
from tests.effort import by_day, slow
from tests.every_domain import entry, words
from tests.generators import prose
from tests.generators.brute_force import build, made, task_of
from tests.generators.parameters import EVENLY, N_ROOM, partitions

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
VARIANTS = (0, 1, 2)
MANY = tuple(random.Random(16).sample(range(2**48), 24))  # wordings of passages made of parts


def value(word):
    return NUMBERS.index(word) if word in NUMBERS else int(word)


def drawn(name, task, limits, seed=0):
    rng, generator = random.Random(seed), entry(name).generator
    return generator.build(task, generator.draw(task, limits, rng), rng)


def texts(name, generated):
    wordings, domain = words(name), entry(name).domain
    return [prose.abstract(wordings, domain, generated, variant) for variant in VARIANTS]


def count(generated, kind):
    """The objects of a type, or of a static predicate where there are no types."""
    problem = generated.problem
    return sum(kind in t.types for t in problem.objects) or sum(fact[0] == kind for fact in problem.init)


# ---- parameters at least as wide as published


@pytest.mark.parametrize("blocks", [1, 2, 3, 6, 15, 25, 45, 55, 78, 91])
def test_every_blocksworld_task_of_its_fewest_and_of_more_than_the_published_blocks(blocks):
    triangular = {n * (n + 1) // 2 for n in range(1, 14)}
    compared = 0
    for task in entry("blocksworld").tasks:
        sides = {task.init, task.goal}
        fewest = {"swap": 4, "invert": 2, "holding_one": 1 + ("tower" in sides)}.get(task.init, 3)
        if blocks >= fewest and (blocks in triangular or "staircase" not in sides):
            equal = sum(blocks % towers == 0 for towers in range(2, blocks))
            if (task.init, task.goal).count("equal_towers") > equal:
                continue
            if sides <= {"holding_one", "staircase", "on_table"} and blocks < 4:
                continue
            generated = drawn("blocksworld", task, {"blocks": (blocks, blocks)})
            assert len(generated.problem.objects) == blocks
            compared += 1
    assert compared


def test_published_heights_are_accepted_on_either_side():
    lists = [heights for n in range(1, 26) for heights in partitions(n, 19) if len(heights) <= 10]
    assert len(lists) > 2119
    tall = [heights for heights in lists if max(heights) > 1]
    assert len(lists) - len(tall) == 10  # blocks on the table alone: on_table says so
    for heights in [*random.Random(1).sample(tall, 300), [19, 6], [3] * 5 + [2] * 5]:
        heights_changed = [sum(heights)] if len(heights) > 1 else [sum(heights) - 1, 1]
        for init, goal in ((heights, heights_changed), (heights_changed, heights)):
            if init != goal:
                build("blocksworld", "tower", "tower", {"init": {"heights": init}, "goal": {"heights": goal}})
        build("blocksworld", "invert", "invert", {"init": {"heights": heights}})


def test_the_378_published_pairs_of_towers_are_swapped():
    pairs = [[a, n - a] for n in range(4, 31) for a in range(2, n - 1)]
    assert len(pairs) == 378
    for heights in pairs:
        generated = build("blocksworld", "swap", "swap", {"init": {"heights": heights}})
        assert len(generated.problem.objects) == sum(heights)


GRIPPER = {"rooms": (1, 15), "balls": (1, 40), "grippers": (1, 45), "held": (0, 20)}
ENDS = [("rooms", n) for n in (2, 11, 15)] + [("balls", n) for n in (2, 28, 40)]
ENDS += [("grippers", n) for n in (2, 10, 45)]


@by_day(3)
@pytest.mark.parametrize(("quantity", "end"), ENDS)
def test_every_gripper_task_at_both_published_ends_and_beyond(quantity, end):
    for task in entry("gripper").tasks:
        if (task.init, task.goal, quantity) == ("one_room", "focus_min", "rooms"):
            continue  # it has two: no more can have strictly fewest
        least = 3 if "focus" in task.goal and quantity == "balls" else 2
        exact = max(end, least)
        generated = drawn("gripper", task, GRIPPER | {quantity: (exact, exact)}, seed=end)
        assert count(generated, quantity[:-1]) == exact


@slow
@pytest.mark.parametrize("held", [0, 1, 6, 12])
def test_so_many_balls_may_be_held_on_either_side(held):
    for task in entry("gripper").tasks:
        if task.goal == "drop_and_pickup" and not held:
            continue
        if "holding" in (task.init, task.goal) or (task.init == "juggle" and held > 1):
            generated = drawn("gripper", task, GRIPPER | {"held": (held, held)})
            side = "goal_parameters" if task.goal == "holding" else "init_parameters"
            assert getattr(generated, side)["held"] == held


def test_single_rooms_and_single_balls():
    alone = [(EVENLY, "pickup"), (N_ROOM, "pickup"), ("one_room", "pickup"), ("juggle", "juggle")]
    alone += [("holding", goal) for goal in (EVENLY, "holding", N_ROOM, "one_room", "pickup")]
    for init, goal in alone:
        wanted = GRIPPER | {"rooms": (1, 1), "held": (1, 9)}
        assert count(drawn("gripper", task_of("gripper", init, goal), wanted), "room") == 1
    for init, goal in [
        (EVENLY, "pickup"),
        (N_ROOM, "holding"),
        ("one_room", "one_room"),
        ("holding", "one_room"),
    ]:
        wanted = GRIPPER | {"balls": (1, 1), "held": (1, 1)}
        assert count(drawn("gripper", task_of("gripper", init, goal), wanted), "ball") == 1


FLOOR = {"rows": (1, 80), "columns": (1, 80), "tiles": (2, 130), "colors": (1, 130), "robots": (1, 9)}


@slow
@pytest.mark.parametrize(
    ("quantity", "ends"), [("tile", (2, 49, 81)), ("color", (1, 49, 60)), ("robot", (1, 7, 9))]
)
def test_every_floor_at_both_published_ends_and_beyond(quantity, ends):
    for task, end in product(entry("floor-tile").tasks, ends):
        square = 9 if task.goal == "paint_x" else 4 if task.init == "rings" else 2
        two = 2 if task.goal in ("checkerboard", "all_different") else 1
        exact = max(end, {"tile": square, "color": two, "robot": 1}[quantity])
        # Rows have a robot and a color each.
        wide = FLOOR | ({"robots": (1, 60)} if task.tied else {})
        generated = drawn("floor-tile", task, wide | {quantity + "s": (exact, exact)})
        assert count(generated, quantity) == exact


# ---- faults of the published rows


def test_equal_towers_are_as_many_and_as_high_as_their_text_says():
    lists = [
        (towers, height) for towers, height in product(range(2, 16), range(2, 16)) if towers * height <= 30
    ]
    assert len(lists) >= 39
    for towers, height in lists:
        stack = ("stack", {"blocks": towers * height})
        sides = {"towers": towers, "height": height}
        generated_by_side = {
            "init": build("blocksworld", "equal_towers", stack[0], {"init": sides, "goal": stack[1]}),
            "goal": build("blocksworld", stack[0], "equal_towers", {"init": stack[1], "goal": sides}),
        }
        facts = {
            "init": generated_by_side["init"].problem.init,
            "goal": generated_by_side["goal"].problem.goal_facts,
        }
        for side, generated in generated_by_side.items():
            assert sum(fact[0] == "on-table" for fact in facts[side]) == towers
            wordings, stated = words("blocksworld"), getattr(generated, f"{side}_parameters")
            for variant in MANY:
                passage = wordings.passage(side, "equal_towers", stated, {}, variant)
                stated_towers, stated_height = re.findall(
                    rf"\b({'|'.join(NUMBERS[1:])}|\d+)\b", passage.lower()
                )
                assert (value(stated_towers), value(stated_height)) == (towers, height)


COUNT = rf"({'|'.join(NUMBERS)}|none|\d+)"
# "rooms r1 and r2 have two balls each, room r3 one and room r4 none"; "two balls in room r1, none in room r2"
OF_ROOMS = rf"[Rr]ooms? (r\d+(?:(?:, | and )r\d+)*)(?: (?:must )?(?:has|have|contains?))? {COUNT}\b(?! of)"
IN_ROOM = rf"\b{COUNT}(?: balls?)? (?:in|into) room (r\d+)"
CARRIED = (
    r"(?:holds|holding|carries|carrying|hold of|hold|carry|keep) "
    r"(?!a ball|no ball)(?:all )?(\w+)(?: of)?( ball)?"
)
HELD = r"(?:[Aa]ll )?(\w+) balls? (?:is|are|must be) (?:held by|in (?:a gripper|grippers) of) the robot"
ROBOT = r"robot[^.]* in (?:the only )?room,? {0}\b|[Ii]n (?:the only )?room,? {0},? stands the robot"


def said_of(passage):
    """Balls by room, and how many the robot holds, as the passage says."""
    rooms_read = [(room, number) for number, room in re.findall(IN_ROOM, passage)]
    for rooms, number in re.findall(OF_ROOMS, passage):
        rooms_read += [(room, number) for room in re.findall(r"r\d+", rooms)]
    assert len(dict(rooms_read)) == len(rooms_read)
    remainder = re.sub(OF_ROOMS, "", re.sub(IN_ROOM, "", passage))
    carried = re.search(rf"{CARRIED}|{HELD}", remainder)
    counts = {room: 0 if number == "none" else value(number) for room, number in rooms_read}
    return counts, held_of(carried[1] or carried[3]) if carried else 0


def held_of(word):
    """The number in "two balls", "the ball", "both balls"."""
    return {"the": 1, "both": 2}.get(word.lower()) or value(word.lower())


@slow
def test_texts_say_which_room_has_how_many_balls_how_many_are_held_and_where_the_robot_is():
    wordings, seen = words("gripper"), Counter()
    for _, generated in made("gripper", range(2), ("easy", "medium", "huge")):
        task, problem = generated.task, generated.problem
        sides = (
            ("init", task.init, generated.init_parameters, problem.init),
            ("goal", task.goal, generated.goal_parameters, problem.goal_facts),
        )
        for side, configuration, stated, facts in sides:
            listed = (N_ROOM, "holding", *(("swap", "juggle") if side == "init" else ()))
            lying = Counter(fact[2] for fact in facts if fact[0] == "at")
            for variant in MANY if configuration in listed else ():
                passage = wordings.passage(side, configuration, stated, {}, variant)
                counts, held = said_of(passage)
                rooms = [f"r{i}" for i in range(1, stated["rooms"] + 1)]
                assert counts == ({room: lying[room] for room in rooms} if lying else {}), passage
                assert held == sum(fact[0] == "carry" for fact in facts), passage
                assert side == "goal" or re.search(ROBOT.format(stated["robot"]), passage), passage
                seen[side, configuration, bool(lying), bool(held)] += 1
    assert len(seen) > 6


def test_holding_says_that_nothing_is_held_where_nothing_is():
    wordings, nothing = words("gripper"), {"held": 0, "counts": [2, 0]}
    for init, goal in ((nothing, {"held": 1, "counts": [1, 0]}), ({"held": 1, "counts": [1, 0]}, nothing)):
        generated = build("gripper", "holding", "holding", {"grippers": 2, "init": init, "goal": goal})
        for variant, (side, parameters) in product(MANY, (("init", init), ("goal", goal))):
            stated = getattr(generated, f"{side}_parameters")
            passage = wordings.passage(side, "holding", stated, {}, variant)
            counts, held = said_of(passage)
            assert (sorted(counts.values(), reverse=True), held) == (
                parameters["counts"],
                parameters["held"],
            ), passage
            assert "no balls, each" not in passage


@slow
def test_swaps_of_gripper_depend_on_their_parameters():
    domain, parameters_by_text = entry("gripper").domain, {}
    for rooms, balls in product((2, 3, 4), (2, 3, 4, 5)):
        for first, second, *further in product(range(balls + 1), repeat=rooms):
            if first and second and first + second + sum(further) == balls and further == sorted(further):
                parameters = {"grippers": 2, "init": {"counts": [first, second, *further]}}
                generated = build("gripper", "swap", "swap", parameters)
                parameters_by_text[first, second, *further] = keys(domain, generated.problem).strict
    assert len(parameters_by_text) > 40
    assert len(set(parameters_by_text.values())) == len(parameters_by_text)


def test_the_tiles_and_rings_that_a_text_names_are_those_there_are():
    for _, generated in made("floor-tile", range(2)):
        tiles = {typed.name for typed in generated.problem.objects if typed.types == ("tile",)}
        rings = (generated.init_parameters.get("size", 0) + 1) // 2
        for passage in texts("floor-tile", generated):
            assert set(re.findall(r"\bt\d+\b", passage)) in (tiles, set())
            assert {int(n) for n in re.findall(r"\b[Rr]ing (\d+)", passage)} in (
                set(range(1, rings + 1)),
                {1},
            )
            assert not re.search(r"tile tile|robot robot|color color", passage)


def test_a_robot_with_the_only_color_does_not_choose_among_colors():
    for init, goal, side in (
        ("grid", "paint_all", {"rows": 1, "columns": 3}),
        ("rings", "paint_x", {"size": 3}),
    ):
        for robots in (1, 2, 3):
            sizes = {**side, "colors": 1, "robots": robots, "start": "corner", "held": "same"}
            for passage in texts("floor-tile", build("floor-tile", init, goal, sizes)):
                assert "the only color" in passage.lower(), passage
                assert "one of the colors" not in passage.lower(), passage


@slow
def test_parts_of_a_passage_are_worded_independently():
    """Of the wordings of a passage, the first and the last sentence do not always go together."""
    for name in ("floor-tile", "rover-single"):
        place, wordings = entry(name), words(name)
        for task in place.tasks:
            generated = drawn(name, task, place.description.difficulties["hard"])
            names, of = names_by_type(generated.problem, place.domain), generated.init_parameters
            stated = [wordings.passage("init", task.init, of, names, variant) for variant in MANY]
            ends = {(text.split(". ")[0], text.split(". ")[-1]) for text in stated}
            assert len(ends) >= 6, (task, stated)
            assert min(len({first for first, _ in ends}), len({last for _, last in ends})) >= 3


def test_one_ball_is_not_spoken_of_as_several():
    plural = re.compile(
        "(the|other|all) (other )?balls (lie|that (are|lie)|in the|are|must)|of the others|every other"
    )
    for init, goal, now, then in (
        ("holding", "one_room", {"counts": [0, 1, 0], "held": 3}, {}),
        ("one_room", "holding", {"rooms": 2, "balls": 4, "robot": "with"}, {"counts": [1, 0], "held": 3}),
        ("holding", "n_room_distributed", {"counts": [0, 0], "held": 1}, {"counts": [0, 1]}),
        ("n_room_distributed", "holding", {"counts": [0, 1]}, {"counts": [0, 0], "held": 1}),
        ("juggle", "juggle", {"counts": [1, 0], "held": 3}, {}),
        ("swap", "swap", {"counts": [1, 1, 1]}, {}),
    ):
        parameters = {"grippers": 4, "init": now, "goal": then}
        for passage in texts("gripper", build("gripper", init, goal, parameters)):
            if init == "swap":
                passage = passage.replace("As to the balls", "").replace("The balls are distributed", "")
            assert not plural.search(passage.lower()), passage
            assert "any of the two" not in passage
