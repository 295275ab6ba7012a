"""What generators promise of the problems that they draw, whatever the domain."""

import random
import re
from collections import Counter, defaultdict
from itertools import chain, product

import pytest

from orrery.equivalence.keys import keys
from orrery.language.words import names_by_type
from orrery.model import ParameterError
from orrery.planning.execution import check_plan
from orrery.planning.task import applicable, progress
from tests.effort import by_day, slow, some
from tests.every_domain import CATALOG, difficulties, entry, words
from tests.generators import brute_force, prose
from tests.generators.test_refusals import BASES, task_of

TASKS = [(name, task) for name in CATALOG.names for task in entry(name).tasks]
CLOSED = frozenset({"blocksworld", "gripper"})  # whose generators tell the closures of their problems
SOLVED = frozenset({"depots", "ferry", "floor-tile", "visitall"})  # by planners, unless hopeless
LONGEST = {  # plans, from the parameters of a problem and the problem
    "ferry": lambda parameters, _: 4 * parameters["cars"] + 2,
    "floor-tile": lambda _, problem: 2 * (len(problem.goal) + 4 * len(problem.objects)),
    "blocksworld": lambda _, problem: 4 * len(problem.objects),
    "depots": lambda parameters, _: 8 * parameters["crates"] + 2,
}
# Arrangements that need sizes of their own, whatever the limits.
OF_ONE_SIZE = frozenset({"comb", "corridor", "gallery", "line", "ring", "star", "two_rooms", "wall", "yard"})
WIDE = {
    "blocksworld": {"blocks": (0, 6)},
    "gripper": {"rooms": (0, 3), "balls": (0, 4)},
    "rover-single": {"waypoints": (0, 5), "samples": (0, 2), "objectives": (0, 1)},
}
COUNTED = {  # sizes but one, the number of states, and what must be the other size
    "grippers": ({"robots": 2, "grippers": 3, "rooms": 2}, (1, 20), ("balls", 1)),
    "logistics": ({"cities": 2, "locations": 4, "trucks": 2, "airplanes": 1}, (10, 200), ("packages", 1)),
    "satellite": ({"satellites": 1, "instruments": 2, "modes": 1}, (1, 100), ("directions", 2)),
}
CHANGING = {name: set[str]() for name in ("alfworld", "depots", "floortile", "grid", "swap")} | {
    "goldminer": {"fire-laser"},
    "rovers": {"calibrate", "take", "communicate"},
}
SMALL = {  # where some problems are left to chance
    "floortile": [{"rows": 3, "columns": 2, "robots": 2, "colors": 2}],
    "goldminer": [{"rows": 2, "columns": 3, "gold": gold} for gold in (1, 2)],
    "grid": [{"rows": 2, "columns": 3, "shapes": 2, "keys": 2, "locks": 3}],
    "swap": [{"agents": 4, "roles": 3}, {"agents": 2, "roles": 4}],
}
LEAST = {
    "goldminer": [{"rows": 1, "columns": 4, "gold": 1}, {"rows": 3, "columns": 2, "gold": 3}],
    "grid": [{"rows": 1, "columns": 2, "shapes": 6, "keys": 1, "locks": 1}],
}
UNCERTAIN = [(n, t) for n, t in TASKS if n in SMALL and t.init in ("begun", "grid", "mine", "uneven")]
HOPEFUL = [
    ("depots", "served-to-some_crates", {}),
    ("depots", "served-to-all_crates", {}),
    ("depots", "unserved-to-some_crates", {"unserved": 1}),
    ("depots", "unserved-to-some_crates", {"unserved": 1, "hopeless": 1}),
    ("rovers", "cut_off-to-send_some", {"rovers": 1, "cut_off": 1}),
    ("rovers", "cut_off-to-send_some", {"rovers": 1, "cut_off": 1, "hopeless": 1}),
]
for hopeless in (0, 1):
    HOPEFUL += [
        ("rovers", f"{init}-to-send_some", {"rovers": 1, "hopeless": hopeless})
        for init in ("open_map", "one_way")
    ]
    HOPEFUL += [
        ("alfworld", task.name, {"hopeless": hopeless, "tasks": 2, "locked": 1 - hopeless})
        for task in entry("alfworld").tasks
    ]
NOUNS = "waypoint|row|column|camera|mode|objective|sample|image|arm"
MISCOUNTED = {
    "plural after one": rf"\b(1|[Oo]ne|[Aa]n?) ({NOUNS})s\b",
    "singular after many": rf"\b(\d\d|[02-9]|no other|two|three|four|five|six) ({NOUNS})\b",
    "several after a singular": rf"\b({NOUNS}) [wcmo]\d+(,| and) [wcmo]\d",
    "one after a plural": r"\b(waypoints|modes) [wcmo]\d+(?! and|,)(?=[ .;])(?! around)",
}


def generated_problems(name, levels, seeds):
    """Parameters and problems of all tasks; nothing at levels whose limits no parameters fit."""
    for task, level, seed in product(entry(name).tasks, levels, seeds):
        try:
            yield level, *brute_force.generate(entry(name), task, level, seed)
        except ParameterError:
            continue


@pytest.mark.parametrize("name", sorted({name for name, _ in TASKS}))
def test_problems_keep_to_the_limits_and_have_something_to_do(name):
    tasks = set()
    for level, parameters, generated in generated_problems(name, difficulties(name), range(4)):
        limits, problem = entry(name).limits(level), generated.problem
        numbers = {key: n for key, n in parameters.items() if type(n) is int and key in limits}
        outside = [key for key, n in numbers.items() if not limits[key][0] <= n <= limits[key][1]]
        assert not outside or generated.task.init in OF_ONE_SIZE
        assert not problem.satisfied(problem.init)
        if name in CLOSED:
            assert generated.closure == entry(name).closure_rule(problem)
        tasks.add(generated.task)
    assert tasks == {*entry(name).tasks}


@pytest.mark.parametrize("name", sorted({name for name, _ in TASKS if entry(name).planner}))
def test_plans_are_valid_and_no_longer_than_promised(name):
    solved = set()
    for _, parameters, generated in generated_problems(name, difficulties(name), range(some(5))):
        steps = entry(name).planner(generated.problem)
        if steps is None:
            assert name not in SOLVED or parameters.get("hopeless")
        else:
            solved.add(generated.task)
            assert not parameters.get("hopeless")
            assert check_plan(entry(name).domain, generated.problem, steps).valid
            assert name not in LONGEST or len(steps) <= LONGEST[name](parameters, generated.problem)
    assert solved == {*entry(name).tasks}


@pytest.mark.parametrize("name", WIDE)
def test_tasks_are_drawn_from_the_widest_and_from_needlessly_wide_limits(name):
    generator = entry(name).generator
    for task, limits, seed in product(entry(name).tasks, ({}, WIDE[name]), range(12)):
        parameters = generator.draw(task, limits, random.Random(seed))
        problem = generator.build(task, parameters, random.Random(seed)).problem
        assert not problem.satisfied(problem.init)


@pytest.mark.parametrize("name", ["blocksworld", "floor-tile", "gripper", "rover-single"])
def test_names_do_not_tell_what_an_object_is_for(name):
    """Of the same parameters, some object has one place in one problem and another in the next."""
    generator = entry(name).generator
    for task in entry(name).tasks:
        parameters, _ = brute_force.generate(entry(name), task, "medium", 1)
        places = defaultdict(set)
        for seed in range(20):
            problem = generator.build(task, parameters, random.Random(seed)).problem
            for typed in problem.objects:
                facts = [fact for fact in problem.init | problem.goal_facts if typed.name in fact]
                places[typed.name].add(frozenset((fact[0], fact.index(typed.name)) for fact in facts))
        assert max(map(len, places.values())) > 1, task


@by_day(2)
@pytest.mark.parametrize(("name", "task"), UNCERTAIN, ids=str)
def test_goals_are_within_reach_unless_nobody_looked(name, task, monkeypatch):
    place, counts = entry(name), Counter()
    for one_in, number in product((10**9, 1), range(30)):
        monkeypatch.setattr(place.generator, "HOPELESS", one_in)
        parameters = SMALL[name][number % len(SMALL[name])]
        problem = place.generator.build(task, parameters, random.Random(number)).problem
        assert not problem.satisfied(problem.init)
        counts[one_in] += brute_force.solvable(place, problem)
    assert counts[10**9] == 30 > counts[1]


@pytest.mark.parametrize(("name", "task"), [(n, t) for n, t in UNCERTAIN if n in LEAST], ids=str)
def test_what_serves_every_goal_can_always_be_had(name, task, monkeypatch):
    place = entry(name)
    monkeypatch.setattr(place.generator, "DRAWS", 0)
    monkeypatch.setattr(place.generator, "HOPELESS", 10**9)
    for parameters, seed in product(LEAST[name], range(10)):
        assert brute_force.solvable(
            place, place.generator.build(task, parameters, random.Random(seed)).problem
        )


@pytest.mark.parametrize(("name", "task", "change"), HOPEFUL, ids=str)
def test_goals_are_within_reach_unless_hopeless(name, task, change):
    parameters = BASES[name] | change
    for seed in range(10):
        problem = entry(name).generator.build(task_of(name, task), parameters, random.Random(seed)).problem
        assert not problem.satisfied(problem.init)
        assert brute_force.solvable(entry(name), problem) == (not parameters["hopeless"])


@pytest.mark.parametrize("name", CHANGING)
def test_actions_change_something_but_for_those_that_competitions_repeat(name):
    task = entry(name).tasks[0]
    problem = brute_force.generate(entry(name), task, "easy", 1)[1].problem
    space = brute_force.explored(entry(name), problem, 20_000)
    steps = [(mask, a) for mask in map(space.mask, range(len(space))) for a in applicable(space.task, mask)]
    idle = {action.step[0] for mask, action in steps if progress(mask, action) == mask}
    assert {action.split("_")[0] for action in idle} <= CHANGING[name]


@slow
@pytest.mark.parametrize("name", COUNTED)
def test_easy_problems_are_solvable_and_have_few_states(name):
    for _, _, generated in generated_problems(name, ["easy"], range(8)):
        space = brute_force.explored(entry(name), generated.problem, 20_000)
        assert len(space) > 1
        assert space.goal.any()


@pytest.mark.parametrize("name", COUNTED)
def test_limits_of_sizes_and_of_states_are_met_together(name):
    sizes, states, (key, number) = COUNTED[name]
    for task in entry(name).generator.TASKS[:3]:
        narrow = {size: (n, n) for size, n in sizes.items()}
        assert entry(name).generator.draw(task, narrow | {"states": states}, random.Random(0))[key] == number


@pytest.mark.parametrize("name", [name for name in CATALOG.names if entry(name).description.texts])
def test_problems_of_one_abstract_text_have_one_key(name):
    """Whatever their task: those of the same parameters, too, which may be arranged otherwise."""
    place, told, groups = entry(name), words(name), defaultdict(list)
    tasks = [task for task in place.tasks if told.has_passage("init", task.init)]
    tasks = [task for task in tasks if told.has_passage("goal", task.goal)]
    for _, parameters, generated in generated_problems(name, ["easy"], range(1 + some(200) // len(tasks))):
        if (task := generated.task) in tasks:
            builds = (place.generator.build(task, parameters, random.Random(99 + n)) for n in range(4))
            for generated_again in (generated, *builds):
                key = keys(place.domain, generated_again.problem, rule=place.closure_rule)
                for variant in range(3):
                    text = prose.abstract(told, place.domain, generated_again, variant)
                    group = groups[variant, prose.without_names(text), task.interchangeable]
                    group.append(key.loose if task.interchangeable else key.strict)
    assert sum(len(group) > 1 for group in groups.values()) > 10
    assert all(len({*group}) == 1 for group in groups.values())


@slow
@pytest.mark.parametrize("name", ["blocksworld", "floor-tile", "gripper", "rover-single"])
def test_every_wording_is_sound(name):
    place, said = entry(name), words(name)
    levels = ("easy", difficulties(name)[-1])
    for _, _, generated in generated_problems(name, levels, range(2)):
        names = names_by_type(generated.problem, place.domain)
        texts = [
            (prose.abstract(said, place.domain, generated, v), said.objects(names, v), said.intro(v))
            for v in (0, 1, 2, 777)
        ]
        assert all(len(set(wordings)) == 3 for wordings in zip(*texts[:3], strict=True))
        assert [fault for text in chain(*texts) for fault in prose.faults(text)] == []
        faults = MISCOUNTED if name == "rover-single" else {}
        assert [(f, text) for f in faults for text in chain(*texts) if re.search(faults[f], text)] == []
