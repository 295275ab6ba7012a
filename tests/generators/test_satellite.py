"""Satellite: sound starts, goals within reach, and equipment that lacks something where that is the point."""

from itertools import product

import pytest

from tests.every_domain import entry
from tests.generators.brute_force import arguments_of, every_task, generate, named, reached

PLACE = entry("satellite")
GENERATOR = PLACE.generator
TASK = {task.name: task for task in GENERATOR.TASKS}


def lacks(problem):
    """Modes without an instrument, instruments without a target, satellites without power."""
    board = {fact[1]: fact[2] for fact in problem.init if fact[0] == "on-board"}
    powered = arguments_of(problem, "power-avail") + [
        board[first] for first in arguments_of(problem, "power-on")
    ]
    assert len(set(powered)) == len(powered)
    return (
        set(named(problem, "mode")) - set(arguments_of(problem, "supports", 2)),
        set(named(problem, "instrument")) - set(arguments_of(problem, "calibration-target")),
        set(named(problem, "satellite")) - set(powered),
    )


def test_each_satellite_has_an_instrument_and_each_instrument_a_mode():
    for (task, level), seed in product(every_task(PLACE), range(12)):
        problem = generate(PLACE, task, level, seed)[1].problem
        assert set(arguments_of(problem, "on-board", 2)) == set(named(problem, "satellite"))
        assert set(arguments_of(problem, "supports")) == set(named(problem, "instrument"))


def test_something_is_lacking_where_that_is_the_point_and_no_image_hangs_on_it():
    sums_seen = set()
    for seed in range(30):
        idle = generate(PLACE, TASK["idle-to-images_and_pointing"], "easy", seed)[1].problem
        assert not any(lacks(idle))
        running = generate(PLACE, TASK["running-to-images"], "easy", seed)[1].problem
        assert not any(lacks(running)[1:])
        problem = generate(PLACE, TASK["lacking-to-images"], "easy", seed)[1].problem
        sums_seen.add(tuple(map(bool, lacks(problem))))
        assert any(lacks(problem))
        assert not lacks(problem)[0] & {fact[2] for fact in problem.goal_facts}
    assert {sum(numbers) for numbers in sums_seen} == {1, 2, 3}
    assert all(any(numbers[place] for numbers in sums_seen) for place in range(3))


@pytest.mark.slow
def test_images_out_of_reach_are_those_in_modes_that_no_usable_instrument_supports():
    sizes = set()
    for task in GENERATOR.TASKS:
        for seed in range(24):
            problem = generate(PLACE, task, "easy", seed)[1].problem
            seen = reached(PLACE, problem)
            never = {
                (place, mode)
                for place in named(problem, "direction")
                for mode in named(problem, "mode")
                if ("have-image", place, mode) not in seen
            }
            without_power = lacks(problem)[2]
            usable = {
                fact[1] for fact in problem.init if fact[0] == "on-board" and fact[2] not in without_power
            } - lacks(problem)[1]
            modes = {fact[2] for fact in problem.init if fact[0] == "supports" and fact[1] in usable}
            unable = set(named(problem, "mode")) - modes
            assert never == {(place, mode) for place in named(problem, "direction") for mode in unable}
            sizes.add(len(never))
    assert 0 in sizes
    assert len(sizes) > 2
