"""Grippers: sound starts, goals within reach, and grippers of no use where that is the point."""

from itertools import product

from tests.every_domain import entry
from tests.generators.brute_force import arguments_of, every_task, generate, named, reached

PLACE = entry("grippers")
GENERATOR = PLACE.generator
TASK = {task.name: task for task in GENERATOR.TASKS}


def test_grippers_are_of_use_unless_jammed_and_there_is_something_to_do():
    for (task, level), seed in product(every_task(PLACE), range(12)):
        problem = generate(PLACE, task, level, seed)[1].problem
        usable = arguments_of(problem, "free", 2) + arguments_of(problem, "carry", 3)
        assert len(set(usable)) == len(usable)
        jammed = set(named(problem, "gripper")) - set(usable)
        assert bool(jammed) == (task.init == "jammed")
        assert usable
        assert bool(arguments_of(problem, "carry")) or task.init != "holding"
        assert len({fact[1] for fact in problem.goal_facts}) == len(problem.goal_facts)


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
            seen = reached(PLACE, problem)
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
