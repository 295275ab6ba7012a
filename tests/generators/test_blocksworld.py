"""Blocksworld: every task builds what it names, its text determines it, plans and closures are exact."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import chain, combinations, permutations, product

import pytest

from orrery.checks.reading.sentences import SentenceReader
from orrery.language.words import explicit, names_by_type
from orrery.model import (
    Atom,
    ConfigurationPair,
    Generated,
    Literal,
    ParameterError,
    Problem,
    State,
    TypedName,
    literals,
)
from orrery.planning.execution import check_plan
from orrery.planning.grounding import ground
from orrery.planning.task import is_plan
from orrery.planning.universe import fluent_atoms
from tests.generators import brute_force, prose

PLACE = brute_force.entry("blocksworld")
WORDS = brute_force.words("blocksworld")
GENERATOR = PLACE.generator
UNTIED = ("on_table", "stack", "holding_one", "staircase", "equal_towers", "tower")
LEVELS = ("easy", "medium", "hard")


def task(init: str, goal: str) -> ConfigurationPair:
    return next(p for p in GENERATOR.TASKS if (p.init, p.goal) == (init, goal))


def build(init: str, goal: str, parameters: dict, seed: int = 0) -> Generated:
    return GENERATOR.build(task(init, goal), parameters, random.Random(seed))


def made(seeds: range, levels: tuple[str, ...] = LEVELS) -> list[Generated]:
    tasks = product(GENERATOR.TASKS, levels, seeds)
    return [brute_force.generate(PLACE, task, level, seed)[1] for task, level, seed in tasks]


def problem(init: State, goal: frozenset[Literal], blocks: int) -> Problem:
    return Problem("p", "blocksworld", tuple(TypedName(f"b{i}") for i in range(1, blocks + 1)), init, goal)


def towers(facts: State) -> tuple[list[list[str]], list[str]]:
    """Towers from the table upwards and the held blocks, read without the generator's help."""
    above = {fact[2]: fact[1] for fact in facts if fact[0] == "on"}
    found = [[fact[1]] for fact in sorted(facts) if fact[0] == "on-table"]
    for tower in found:
        while tower[-1] in above:
            tower.append(above[tower[-1]])
    return found, [fact[1] for fact in facts if fact[0] == "holding"]


def facts_of(piles: list[list[str]], held: str | None) -> State:
    """Every fact of an arrangement, written down without the generator's help."""
    found: set[Atom] = {("arm-empty",)} if held is None else {("holding", held)}
    for pile in piles:
        found.add(("on-table", pile[0]))
        found.add(("clear", pile[-1]))
        found.update(("on", pile[i + 1], pile[i]) for i in range(len(pile) - 1))
    return frozenset(found)


def flat(blocks: int) -> State:
    return facts_of([[f"b{i}"] for i in range(1, blocks + 1)], None)


# ---- tasks


def test_the_tasks_are_those_of_the_specification() -> None:
    free = {(i, g) for i in UNTIED for g in UNTIED} - set(product(("on_table", "holding_one"), repeat=2))
    tied = {("swap", "swap"), ("invert", "invert")}
    assert {(p.init, p.goal) for p in GENERATOR.TASKS} == free | tied
    assert len(GENERATOR.TASKS) == 34
    assert {(p.init, p.goal) for p in GENERATOR.TASKS if p.tied and p.strict} == tied
    assert not any(p.tied or p.strict for p in GENERATOR.TASKS if p.init not in ("swap", "invert"))


def meant(configuration: str, stated: dict, blocks: int) -> tuple[list[int], int]:
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
def test_each_side_is_what_its_configuration_means(level: str) -> None:
    for generated in made(range(4), (level,)):
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


def test_swap_exchanges_the_bottom_blocks_and_nothing_else() -> None:
    for seed in range(5):
        generated = build("swap", "swap", {"init": {"heights": [3, 4]}}, seed)
        (a, b), (c, d) = towers(generated.problem.init)[0], towers(generated.problem.goal_facts)[0]
        before, after = sorted([a, b], key=len), sorted([c, d], key=len)
        assert [t[1:] for t in before] == [t[1:] for t in after]
        assert [t[0] for t in before] == [t[0] for t in reversed(after)]


def test_invert_turns_every_tower_upside_down() -> None:
    generated = build("invert", "invert", {"init": {"heights": [3, 1, 2]}})
    before, after = towers(generated.problem.init)[0], towers(generated.problem.goal_facts)[0]
    assert sorted(t[::-1] for t in before) == sorted(after)
    assert generated.init_parameters == generated.goal_parameters == {"heights": [3, 2, 1]}


def test_sides_differ_in_shape_so_that_no_renaming_makes_the_goal_hold() -> None:
    for generated in made(range(6), ("easy",)):
        task, problem_ = generated.task, generated.problem
        sides = [towers(facts) for facts in (problem_.init, problem_.goal_facts)]
        shapes = [(sorted(map(len, piles)), len(held)) for piles, held in sides]
        alone = task.tied or (task.init == task.goal and task.init in ("stack", "staircase"))
        assert alone or shapes[0] != shapes[1]


def test_every_task_is_drawn_from_the_widest_and_from_needlessly_wide_limits() -> None:
    for limits, task, seed in product(({}, {"blocks": (0, 6)}), GENERATOR.TASKS, range(20)):
        parameters = GENERATOR.draw(task, limits, random.Random(seed))
        assert GENERATOR.build(task, parameters, random.Random(seed)).task == task


def test_two_stacks_never_fall_out_the_same() -> None:
    for seed in range(20):
        asked = build("stack", "stack", {"init": {"blocks": 2}, "goal": {"blocks": 2}}, seed).problem
        assert not asked.satisfied(asked.init)


def test_names_say_nothing_and_the_stream_says_all() -> None:
    held = Counter()
    for seed in range(60):
        generated = build("holding_one", "stack", {"init": {"blocks": 3}, "goal": {"blocks": 3}}, seed)
        assert generated == build(
            "holding_one", "stack", {"init": {"blocks": 3}, "goal": {"blocks": 3}}, seed
        )
        held[towers(generated.problem.init)[1][0]] += 1
    assert min(held[f"b{i}"] for i in (1, 2, 3)) > 8


@pytest.mark.parametrize(
    ("init", "goal", "parameters", "constraint"),
    [
        ("swap", "swap", {"init": {"heights": [3, 1]}}, "two_towers"),
        ("swap", "swap", {"init": {"heights": [3, 2, 2]}}, "two_towers"),
        ("invert", "invert", {"init": {"heights": [1, 1]}}, "one_tall"),
        ("stack", "tower", {"init": {"blocks": 4}, "goal": {"heights": [2, 3]}}, "same_blocks"),
        ("stack", "staircase", {"init": {"blocks": 5}, "goal": {"steps": 3}}, "same_blocks"),
        ("tower", "equal_towers", {"init": {"heights": [2, 2]}, "goal": {"towers": 2, "height": 2}},
         "different_shapes"),
        ("stack", "stack", {"init": {"blocks": 1}, "goal": {"blocks": 1}}, "different_shapes"),
        ("tower", "stack", {"init": {"heights": [2, 0]}, "goal": {"blocks": 2}}, "positive"),
        ("tower", "stack", {"init": {"heights": [-2, 4]}, "goal": {"blocks": 2}}, "positive"),
        ("tower", "stack", {"init": {"heights": []}, "goal": {"blocks": 2}}, "positive"),
        ("on_table", "stack", {"init": {"blocks": 0}, "goal": {"blocks": 0}}, "positive"),
        ("on_table", "stack", {"goal": {"blocks": 2}}, "keys"),
        ("holding_one", "stack", {"init": {"blocks": 3}, "goal": {"blocks": 4}}, "same_blocks"),
        ("staircase", "stack", {"init": {"steps": 2.0}, "goal": {"blocks": 3}}, "kinds"),
        ("equal_towers", "stack", {"init": {"towers": 2}, "goal": {"blocks": 2}}, "keys"),
        ("tower", "stack", {"init": {"heights": 2}, "goal": {"blocks": 2}}, "kinds"),
        ("tower", "tower", {"init": {"heights": [1, 2]}, "goal": {"heights": [2, 1]}}, "different_shapes"),
    ],
)  # fmt: skip
def test_bad_parameters_name_the_constraint(init: str, goal: str, parameters: dict, constraint: str) -> None:
    with pytest.raises(ParameterError, match=f"constraint '{constraint}'") as caught:
        build(init, goal, parameters)
    assert caught.value.where == f"blocksworld/{init}-to-{goal}"


def test_unknown_tasks_and_empty_limits_are_refused() -> None:
    with pytest.raises(ParameterError, match="'task'"):
        GENERATOR.build(ConfigurationPair("swap", "stack"), {"init": {"heights": [2, 2]}}, random.Random(0))
    with pytest.raises(ParameterError, match="'limits'"):
        GENERATOR.draw(task("staircase", "tower"), {"blocks": (4, 5)}, random.Random(0))
    with pytest.raises(ParameterError, match="'limits'"):
        GENERATOR.draw(task("on_table", "equal_towers"), {"blocks": (7, 7)}, random.Random(0))


# ---- plans and closures


def satisfiable_goals(blocks: int) -> list[State]:
    """Every set of facts that some state contains."""
    task = ground(PLACE.domain, problem(flat(blocks), frozenset(), blocks))
    found: set[State] = set()
    for mask in brute_force.states(task):
        facts = sorted(task.facts_of(mask))
        found.update(frozenset(some) for size in range(len(facts) + 1) for some in combinations(facts, size))
    return sorted(found, key=sorted)


def check(init_masks: list[int], goal: State, blocks: int) -> None:
    """Closure against all states; plans from the given states against the simulator."""
    whole = problem(flat(blocks), literals(goal), blocks)
    task = ground(PLACE.domain, whole)
    reached = brute_force.states(task)
    expected = brute_force.closure(PLACE, task, reached)
    for pick in init_masks:
        mask = reached[pick % len(reached)]
        start = replace(whole, init=task.facts_of(mask))
        assert GENERATOR.close_goal(start) == expected, start
        steps = GENERATOR.plan(start)
        assert steps is not None
        assert is_plan(replace(task, init=mask), steps), (start, steps)
        assert len(steps) <= 4 * blocks


@pytest.mark.parametrize("blocks", [0, 1, 2])
def test_plans_and_closures_of_all_small_goals_from_all_states(blocks: int) -> None:
    for goal in satisfiable_goals(blocks):
        check(list(range(7)), goal, blocks)


@pytest.mark.slow
@pytest.mark.parametrize(("blocks", "sample"), [(3, 1200), (4, 300)])
def test_plans_and_closures_of_larger_goals(blocks: int, sample: int) -> None:
    goals, rng = satisfiable_goals(blocks), random.Random(blocks)
    for goal in rng.sample(goals, min(sample, len(goals))):
        check([rng.randrange(1000) for _ in range(3)], goal, blocks)


def test_goals_no_state_satisfies_have_neither_closure_nor_plan() -> None:
    atoms = fluent_atoms(PLACE.domain, problem(flat(2), frozenset(), 2))
    possible = set(satisfiable_goals(2))
    for size in range(len(atoms) + 1):
        for some in combinations(atoms, size):
            asked = problem(flat(2), literals(some), 2)
            assert (GENERATOR.close_goal(asked) is not None) == (frozenset(some) in possible)
            assert (GENERATOR.plan(asked) is not None) == (frozenset(some) in possible)


def test_odd_initial_states_and_negative_goals_are_left_to_others() -> None:
    legal = {facts_of([list(order)], None) for order in permutations(["b1", "b2"])} | {flat(2)}
    legal |= {facts_of([[a]], b) for a, b in permutations(["b1", "b2"])}
    atoms = fluent_atoms(PLACE.domain, problem(flat(2), frozenset(), 2))
    for size in range(6):
        for some in combinations(atoms, size):
            asked = problem(frozenset(some), literals([("holding", "b1")]), 2)
            assert (GENERATOR.close_goal(asked) is not None) == (frozenset(some) in legal)
    for bad in (
        Literal(("clear", "b1"), False),
        Literal(("clear", "b9")),
        Literal(("clear", "b1", "b2")),
        Literal(("big", "b1")),
    ):
        asked = problem(flat(2), frozenset({bad}), 2)
        assert GENERATOR.close_goal(asked) is GENERATOR.plan(asked) is None


def test_published_bug_a_block_on_the_table_or_held_is_in_neither() -> None:
    one, other = (
        GENERATOR.close_goal(problem(flat(2), literals([f]), 2))
        for f in (("clear", "b1"), ("on-table", "b2"))
    )
    assert ("on-table", "b2") not in one
    assert one != other


def test_generated_problems_have_valid_plans_and_goals_that_are_whole_states() -> None:
    for generated in made(range(2), (*LEVELS, "vast")):
        asked = generated.problem
        steps = GENERATOR.plan(asked)
        assert steps is not None
        assert check_plan(PLACE.domain, asked, steps).valid
        assert GENERATOR.close_goal(asked) == asked.goal_facts


def test_blocks_that_stand_right_stay() -> None:
    asked = problem(facts_of([["b1", "b2", "b3"]], None), literals([("clear", "b2"), ("on", "b2", "b1")]), 3)
    assert GENERATOR.plan(asked) == [("unstack", "b3", "b2"), ("putdown", "b3")]


# ---- words


@pytest.mark.slow
@pytest.mark.parametrize("variant", [0, 1, 2])
def test_equal_abstract_texts_mean_equivalent_problems(variant: int) -> None:
    groups = prose.by_text(WORDS, PLACE.domain, made(range(12), ("easy", "medium")), variant)
    assert sum(len(group) > 1 for group in groups.values()) > 60
    for group in groups.values():
        assert all(brute_force.equivalent(PLACE, group[0], other) for other in group[1:]), group[0]


def test_different_shapes_have_different_texts() -> None:
    texts: dict[tuple[str, str], set[str]] = {}
    for generated in made(range(12), ("easy", "medium")):
        for side, name, stated in (
            ("init", generated.task.init, generated.init_parameters),
            ("goal", generated.task.goal, generated.goal_parameters),
        ):
            if side == "init" or not generated.task.tied:
                text = WORDS.passage(side, name, stated, {})
                alike = "tower" if name in ("swap", "invert") else name
                texts.setdefault((side, text), set()).add(repr((alike, sorted(stated.items()))))
    assert {len(parameters) for parameters in texts.values()} == {1}


def test_every_wording_of_every_passage_is_sound() -> None:
    for generated in made(range(3), ("easy", "medium", "vast")):
        names = names_by_type(generated.problem, PLACE.domain)
        texts = [
            [prose.abstract(WORDS, PLACE.domain, generated, v), WORDS.objects(names, v)] for v in range(3)
        ]
        assert all(len({wording[i] for wording in texts}) == 3 for i in (0, 1))
        assert [fault for wording in texts for text in wording for fault in prose.faults(text)] == []


def test_symbols_have_three_wordings_and_the_domain_an_introduction() -> None:
    kinds = [("fact", p.name) for p in PLACE.domain.predicates] + [
        ("action", a.name) for a in PLACE.domain.actions
    ]
    assert all(WORDS.variants(kind, name) >= 3 for kind, name in kinds)
    assert len({WORDS.intro(v) for v in range(3)}) == 3
    assert [fault for v in range(3) for fault in prose.faults(WORDS.intro(v))] == []
    assert WORDS.missing(PLACE.domain) == []


def test_explicit_texts_say_the_facts_and_nothing_else() -> None:
    inverter = SentenceReader(WORDS, PLACE.domain)
    for generated in made(range(2), ("easy", "hard")):
        for said in (literals(generated.problem.init), generated.problem.goal):
            text = explicit(said, WORDS, random.Random(7))
            assert inverter.literals(text) == said
            assert prose.faults(text) == []
