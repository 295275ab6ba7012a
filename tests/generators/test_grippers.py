"""Grippers: sound starts, goals within reach, and grippers of no use where that is the point."""

import random
import re

import pytest

from orrery.model import ConfigurationPair, ParameterError
from orrery.planning.grounding import ground
from tests.generators.brute_force import entry, every_task, generate, states

PLACE = entry("grippers")
GENERATOR = PLACE.generator
TASK = {task.name: task for task in GENERATOR.TASKS}
SIZES = {"robots": 2, "grippers": 3, "rooms": 2, "balls": 3}


def named(problem, kind):
    return sorted(each.name for each in problem.objects if kind in each.types)


def arguments_of(problem, predicate, place=1):
    return sorted(fact[place] for fact in problem.init if fact[0] == predicate)


@pytest.mark.parametrize(("task", "level"), list(every_task(PLACE)), ids=str)
def test_everything_is_in_one_place_and_there_is_something_to_do(task, level):
    for seed in range(12):
        parameters, generated = generate(PLACE, task, level, seed)
        problem, limits = generated.problem, PLACE.description.difficulties[level]
        assert sorted(arguments_of(problem, "at") + arguments_of(problem, "carry", 2)) == named(
            problem, "ball"
        )
        assert arguments_of(problem, "at-robby") == named(problem, "robot")
        usable = arguments_of(problem, "free", 2) + arguments_of(problem, "carry", 3)
        assert len(set(usable)) == len(usable)
        jammed = set(named(problem, "gripper")) - set(usable)
        assert bool(jammed) == (task.init == "jammed")
        assert usable
        assert bool(arguments_of(problem, "carry")) or task.init != "holding"
        assert not problem.satisfied(problem.init)
        assert len({fact[1] for fact in problem.goal_facts}) == len(problem.goal_facts)
        assert all(limits[key][0] <= parameters[key] <= limits[key][1] for key in GENERATOR.SIZES)
        assert generate(PLACE, task, level, seed) == (parameters, generated)


@pytest.mark.parametrize("task", GENERATOR.TASKS, ids=lambda task: task.name)
def test_easy_problems_are_solvable_and_few_enough_states(task):
    for seed in range(8):
        planning_task = ground(PLACE.domain, generate(PLACE, task, "easy", seed)[1].problem)
        reached = states(planning_task)
        assert 1 < len(reached) <= 20_000
        assert any(map(planning_task.is_goal, reached))


def test_balls_are_gathered_in_one_room():
    for seed in range(10):
        problem = generate(PLACE, TASK["holding-to-gathered"], "medium", seed)[1].problem
        assert sorted(fact[1] for fact in problem.goal_facts) == named(problem, "ball")
        assert len({fact[2] for fact in problem.goal_facts}) == 1


def test_what_is_out_of_reach_is_the_gripper_of_another_or_a_jammed_one():
    sizes = set()
    for task in GENERATOR.TASKS:
        for seed in range(8):
            problem = generate(PLACE, task, "easy", seed)[1].problem
            owner = {fact[-1]: fact[1] for fact in problem.init if fact[0] in ("free", "carry")}
            planning_task = ground(PLACE.domain, problem)
            seen = frozenset().union(*(planning_task.facts_of(state) for state in states(planning_task)))
            never = {
                (robot, gripper)
                for robot in named(problem, "robot")
                for gripper in named(problem, "gripper")
                if ("free", robot, gripper) not in seen
            }
            assert never == {
                (robot, gripper)
                for robot in named(problem, "robot")
                for gripper in named(problem, "gripper")
                if owner.get(gripper) != robot
            }
            sizes.add(len(never))
    assert 0 in sizes
    assert len(sizes) > 3


@pytest.mark.parametrize(
    ("name", "parameters", "constraint"),
    [
        ("empty-to-placed", {"rooms": 1}, "rooms"),
        ("empty-to-placed", {"balls": 0}, "balls"),
        ("holding-to-gathered", {"robots": 0}, "robots"),
        ("holding-to-gathered", {"robots": 2, "grippers": 1}, "grippers"),
        ("jammed-to-placed", {"robots": 1, "grippers": 1}, "jammed"),
        ("empty-to-placed", {"balls": True}, "kinds"),
        ("empty-to-placed", {"hands": 2}, "keys"),
    ],
)
def test_a_violated_constraint_is_named(name, parameters, constraint):
    with pytest.raises(ParameterError, match=re.escape(f"grippers/{name}: constraint '{constraint}'")):
        GENERATOR.build(TASK[name], SIZES | parameters, random.Random(0))


def test_limits_and_tasks_that_cannot_be_are_refused():
    with pytest.raises(ParameterError, match="limits"):
        GENERATOR.draw(TASK["jammed-to-placed"], {"grippers": (1, 1)}, random.Random(0))
    with pytest.raises(ParameterError, match="task"):
        GENERATOR.build(ConfigurationPair("empty", "nowhere"), SIZES, random.Random(0))


@pytest.mark.parametrize("task", GENERATOR.TASKS, ids=lambda task: task.name)
def test_narrow_limits_are_met_and_hard_problems_are_drawn(task):
    narrow = {key: (size, size) for key, size in SIZES.items() if key != "balls"}
    assert GENERATOR.draw(task, narrow | {"states": (1, 20)}, random.Random(0))["balls"] == 1
    for seed in range(20):
        generate(PLACE, task, "hard", seed)
