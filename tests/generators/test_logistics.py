"""Logistics: sound starts, goals within reach, and packages that cannot go everywhere where that is meant."""

import re
from itertools import product

import pytest

from orrery.model import Literal
from tests.every_domain import entry
from tests.generators.brute_force import every_task, generate, reached

PLACE = entry("logistics")
GENERATOR = PLACE.generator
TASK = {task.name: task for task in GENERATOR.TASKS}


def named(problem, *kinds):
    return {typed.name for typed in problem.objects if set(typed.types) & set(kinds)}


def cities(problem):
    return {fact[1]: fact[2] for fact in problem.init if fact[0] == "in-city"}


def served(problem):
    """The cities that have a truck."""
    trucks, city = named(problem, "truck"), cities(problem)
    return {city[fact[2]] for fact in problem.init if fact[0] == "at" and fact[1] in trucks}


def test_each_city_has_an_airport_planes_are_there_and_there_is_something_to_do():
    for (task, level), seed in product(every_task(PLACE), range(12)):
        problem = generate(PLACE, task, level, seed)[1].problem
        city = cities(problem)
        airports = [city[name] for name in named(problem, "airport")]
        assert sorted(airports) == sorted(named(problem, "city"))
        stand = {fact[1]: fact[2] for fact in problem.init if fact[0] == "at"}
        assert all(stand[plane] in named(problem, "airport") for plane in named(problem, "airplane"))
        assert problem.goal
        assert len({fact[1] for fact in problem.goal_facts}) == len(problem.goal_facts)


def test_a_city_has_a_truck_unless_the_task_is_about_its_lack():
    lacking = 0
    for seed in range(30):
        problem = generate(PLACE, TASK["served-to-delivered"], "easy", seed)[1].problem
        assert served(problem) == named(problem, "city")
        problem = generate(PLACE, TASK["unserved-to-delivered"], "easy", seed)[1].problem
        assert served(problem) != named(problem, "city") or not named(problem, "airplane")
        lacking += served(problem) != named(problem, "city")
    assert 0 < lacking < 30


def test_without_a_truck_a_package_does_not_come_everywhere():
    outcomes = set()
    for seed in range(20):
        problem = generate(PLACE, TASK["unserved-to-delivered"], "easy", seed)[1].problem
        seen = reached(PLACE, problem)
        wanted = {("at", first, place) for first in named(problem, "package") for place in cities(problem)}
        outcomes.add(len(wanted - seen))
    assert len(outcomes) > 3


EVEN = [task for task in GENERATOR.TASKS if task.init not in ("served", "holding", "unserved")]


@pytest.mark.parametrize("task", EVEN, ids=lambda task: task.name)
@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_cities_are_alike_and_things_are_where_the_configuration_says(task, level):
    for seed in range(6):
        parameters, generated = generate(PLACE, task, level, seed)
        problem, city = generated.problem, cities(generated.problem)
        sizes = {name: list(city.values()).count(name) for name in city.values()}
        assert set(sizes.values()) == {parameters["locations"] // parameters["cities"]}
        assert not {typed.name for typed in problem.objects} & set(
            re.findall(r"\w+", repr(generated.init_parameters))
        )
        stand = {fact[1]: fact[2] for fact in problem.init if fact[0] in ("at", "in")}
        assert len({stand[plane] for plane in named(problem, "airplane")}) <= 1
        packs = {stand[pack] for pack in named(problem, "package")}
        airports, base = named(problem, "airport"), {stand[plane] for plane in named(problem, "airplane")}
        expected = {
            "hub": packs == base,
            "loaded": len(packs) == 1 and packs <= named(problem, "airplane"),
            "one_city": len(packs) == 1 and not packs & airports,
            "downtown": len(packs) == len(sizes) and not packs & airports,
            "in_trucks": packs == named(problem, "truck"),
        }
        assert expected[task.init]


@pytest.mark.parametrize("task", EVEN, ids=lambda task: task.name)
def test_what_the_goal_asks_for_is_no_more_than_one_thing_in_one_place(task):
    for seed in range(4):
        _, generated = generate(PLACE, task, "medium", seed)
        goal = generated.problem.goal_facts
        assert len({fact[1] for fact in goal}) == len(goal)
        assert not goal & generated.problem.init or task.goal in ("shared_out", "unloaded")
        assert {fact[1] for fact in goal} >= named(generated.problem, "package")


WORDINGS = 8  # of the inventory


def inventory(**names):
    kinds = ("city", "airport", "location", "truck", "airplane", "package")
    members_by_kind = {kind: names.get(kind, [f"{kind}1"]) for kind in kinds}
    return {PLACE.words.objects(members_by_kind, variant) for variant in range(WORDINGS)}


def test_an_inventory_counts_the_sorts_of_things_that_there_are():
    (line,) = (text for text in inventory(airplane=[]) if "things move" in text)
    assert line.startswith(
        "Two sorts of things move: 1 package (package1) and 1 truck (truck1), for there are no airplanes."
    )
    (line,) = (text for text in inventory() if "things move" in text)
    assert line.startswith("Three sorts of things move: ")


def test_an_inventory_gives_other_locations_an_article():
    (line,) = (text for text in inventory() if "All of this happens" in text)
    assert line.endswith("at airport airport1 and at one other location, location1.")
    (line,) = (text for text in inventory(location=["l2", "l3"]) if "All of this happens" in text)
    assert line.endswith("at airport airport1 and at the other locations l2 and l3.")


def test_a_name_at_the_beginning_of_a_sentence_is_written_as_it_is():
    sentences = PLACE.words.sentences(Literal(("at", "t1", "l2")))
    begun = [line for line in sentences if line.partition(" ")[0].lower() == "t1"]
    assert begun
    assert all(line.startswith("t1 ") for line in begun)
    assert {line[0] for line in sentences if line not in begun} <= set("LYTA")
