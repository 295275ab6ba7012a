"""Blocksworld: every task builds what it names, its text determines it, plans and closures are exact."""

from itertools import chain, combinations, product

import pytest

from orrery.model import (
    Atom,
    Problem,
    TypedName,
    literals,
)
from orrery.planning.universe import fluent_atoms
from tests.effort import slow
from tests.every_domain import entry
from tests.generators import brute_force
from tests.generators.brute_force import build, made

PLACE = entry("blocksworld")
GENERATOR = PLACE.generator
UNTIED = ("on_table", "stack", "holding_one", "staircase", "equal_towers", "tower")
LEVELS = ("easy", "medium", "hard")


def problem(init, goal, blocks):
    return Problem("p", "blocksworld", tuple(TypedName(f"b{i}") for i in range(1, blocks + 1)), init, goal)


def towers(facts):
    """Towers from the table upwards and the held blocks, read without the generator's help."""
    above = {fact[2]: fact[1] for fact in facts if fact[0] == "on"}
    towers = [[fact[1]] for fact in sorted(facts) if fact[0] == "on-table"]
    for tower in towers:
        while tower[-1] in above:
            tower.append(above[tower[-1]])
    return towers, [fact[1] for fact in facts if fact[0] == "holding"]


def facts_of(piles, held):
    """Every fact of an arrangement, written down without the generator's help."""
    facts_listed: set[Atom] = {("arm-empty",)} if held is None else {("holding", held)}
    for pile in piles:
        facts_listed.add(("on-table", pile[0]))
        facts_listed.add(("clear", pile[-1]))
        facts_listed.update(("on", pile[i + 1], pile[i]) for i in range(len(pile) - 1))
    return frozenset(facts_listed)


def flat(blocks):
    return facts_of([[f"b{i}"] for i in range(1, blocks + 1)], None)


# ---- tasks


def test_the_tasks_are_those_of_the_specification():
    free = {(i, g) for i in UNTIED for g in UNTIED} - set(product(("on_table", "holding_one"), repeat=2))
    tied = {("swap", "swap"), ("invert", "invert")}
    assert {(p.init, p.goal) for p in GENERATOR.TASKS} == free | tied
    assert len(GENERATOR.TASKS) == 34
    assert {(p.init, p.goal) for p in GENERATOR.TASKS if p.tied and p.strict} == tied
    assert not any(p.tied or p.strict for p in GENERATOR.TASKS if p.init not in ("swap", "invert"))


def meant(configuration, stated, blocks):
    """Sorted tower heights and held blocks that the specification gives a configuration."""
    if configuration == "on_table":
        return [1] * stated["blocks"], 0
    if configuration == "holding_one":
        return [1] * (stated["blocks"] - 1), 1
    if configuration == "stack":
        return [stated["blocks"]], 0
    if configuration == "staircase":
        return list(range(1, stated["steps"] + 1)), 0
    if configuration == "equal_towers":
        return [stated["height"]] * stated["towers"], 0
    return sorted(stated["heights"]), 0


@pytest.mark.parametrize("level", [*LEVELS, "vast"])
def test_each_side_is_what_its_configuration_means(level):
    for _, generated in made("blocksworld", range(4), (level,)):
        made_problem, task = generated.problem, generated.task
        for name, stated, facts in (
            (task.init, generated.init_parameters, made_problem.init),
            (task.goal, generated.goal_parameters, made_problem.goal_facts),
        ):
            piles, held = towers(facts)
            assert (sorted(map(len, piles)), len(held)) == meant(name, stated, len(made_problem.objects))
            assert facts == facts_of(piles, *(held or [None]))
            assert sorted([*chain(*piles), *held]) == sorted(o.name for o in made_problem.objects)
        assert not made_problem.satisfied(made_problem.init)
        low, high = PLACE.description.difficulties[level]["blocks"]
        assert low <= len(made_problem.objects) <= high


def test_swap_exchanges_the_bottom_blocks_and_nothing_else():
    for seed in range(5):
        generated = build("blocksworld", "swap", "swap", {"init": {"heights": [3, 4]}}, seed)
        (a, b), (c, d) = towers(generated.problem.init)[0], towers(generated.problem.goal_facts)[0]
        before, after = sorted([a, b], key=len), sorted([c, d], key=len)
        assert [t[1:] for t in before] == [t[1:] for t in after]
        assert [t[0] for t in before] == [t[0] for t in reversed(after)]


def test_invert_turns_every_tower_upside_down():
    generated = build("blocksworld", "invert", "invert", {"init": {"heights": [3, 1, 2]}})
    before, after = towers(generated.problem.init)[0], towers(generated.problem.goal_facts)[0]
    assert sorted(t[::-1] for t in before) == sorted(after)
    assert generated.init_parameters == generated.goal_parameters == {"heights": [3, 2, 1]}


@slow
def test_sides_differ_in_shape_so_that_no_renaming_makes_the_goal_hold():
    for _, generated in made("blocksworld", range(6), ("easy",)):
        task, problem_ = generated.task, generated.problem
        sides = [towers(facts) for facts in (problem_.init, problem_.goal_facts)]
        shapes = [(sorted(map(len, piles)), len(held)) for piles, held in sides]
        alone = task.tied or (task.init == task.goal and task.init in ("stack", "staircase"))
        assert alone or shapes[0] != shapes[1]


# ---- plans and closures


@slow
@pytest.mark.parametrize("blocks", [0, 1, 2])
def test_plans_and_closures_of_every_set_of_facts_as_goal(blocks):
    start = problem(flat(blocks), frozenset(), blocks)
    atoms = fluent_atoms(PLACE.domain, start)
    goals = chain.from_iterable(combinations(atoms, size) for size in range(len(atoms) + 1))
    assert brute_force.exact_goals(PLACE, start, goals, begun=7)["solved"]


def test_blocks_that_stand_right_stay():
    question = problem(
        facts_of([["b1", "b2", "b3"]], None), literals([("clear", "b2"), ("on", "b2", "b1")]), 3
    )
    assert GENERATOR.plan(question) == [("unstack", "b3", "b2"), ("putdown", "b3")]


# ---- words
