"""Problems under the names drawn for their objects: as text, as problems, with their plans and keys."""

from functools import cache
from types import SimpleNamespace

import pytest

from orrery.checks.reading.sentences import SentenceReader
from orrery.equivalence.keys import keys
from orrery.language.frame import explicit_text
from orrery.language.names import GIVEN, NUMBERED, renamed
from orrery.model import literals
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_problem
from orrery.planning.execution import check_plan
from orrery.problems import generated
from orrery.seeds import stream
from orrery.store.kinds import as_json
from tests.every_domain import CATALOG, ROOT, difficulties, drawn, entry

SEED = 7


def named_row(domain, seed, split, path, pddl, init, goal):
    """The columns that names change, as attributes."""
    row = {"split": split, "seed_path": path, "problem_pddl": pddl}
    row |= {"init_parameters": init, "goal_parameters": goal}
    return SimpleNamespace(**generated.named(entry(domain), seed, row))


@cache
def named(name, count=12):
    """Easy problems of a domain, each as generated, with its names and as its row has it."""
    place = entry(name)
    level = "easy" if "easy" in difficulties(name) else difficulties(name)[0]
    named_problems = []
    for number in range(count):
        drawn_problem = drawn(name, place.tasks[number % len(place.tasks)], level, number)
        if drawn_problem is not None:
            split, path = ("test", "train")[number % 2], f"{name}/{level}/some/{number}"
            objects = place.name_pools.kinded(drawn_problem.problem.objects, drawn_problem.problem.init)
            names = place.names_of(objects, split, SEED, path)
            parameters = as_json(drawn_problem.init_parameters), as_json(drawn_problem.goal_parameters)
            named_problems.append(
                (
                    drawn_problem,
                    names,
                    named_row(name, SEED, split, path, write_problem(drawn_problem.problem), *parameters),
                )
            )
    return named_problems


@pytest.mark.parametrize("name", CATALOG.names)
def test_the_written_problem_is_that_of_the_names(name):
    for drawn_problem, names, row in named(name):
        renamed_problem = renamed(drawn_problem, names)
        assert row.problem_pddl == write_problem(renamed_problem.problem)
        assert row.init_parameters == as_json(renamed_problem.init_parameters)
        assert row.goal_parameters == as_json(renamed_problem.goal_parameters)
        read = read_problem(row.problem_pddl, entry(name).domain)
        assert row.names == entry(name).name_pools.source_of([typed.name for typed in read.objects])
        assert len({typed.name for typed in read.objects}) == len(drawn_problem.problem.objects)


@pytest.mark.parametrize("name", CATALOG.names)
def test_every_domain_has_problems_with_real_names_unless_its_own_say_something(name):
    styles = {row.names for *_, row in named(name)}
    if entry(name).description.named:
        assert styles <= {NUMBERED, GIVEN}
    else:
        assert len(styles - {NUMBERED, GIVEN}) >= 2


@pytest.mark.parametrize("name", [name for name in CATALOG.names if entry(name).planner])
def test_the_own_planner_solves_problems_whatever_their_names(name):
    for drawn_problem, _, row in named(name):
        problem = read_problem(row.problem_pddl, entry(name).domain)
        steps, before = entry(name).planner(problem), entry(name).planner(drawn_problem.problem)
        assert (steps is None) == (before is None)
        assert steps is None or check_plan(entry(name).domain, problem, steps).valid


@pytest.mark.parametrize("name", ["blocksworld", "ferry", "gripper", "logistics"])
def test_keys_are_those_of_the_numbered_problem(name):
    place = entry(name)
    for drawn_problem, names, row in named(name, 6):
        problem = read_problem(row.problem_pddl, place.domain)
        assert keys(place.domain, problem, rule=place.closure_rule) == keys(
            place.domain, drawn_problem.problem, rule=place.closure_rule
        )
        closed = renamed(drawn_problem, names).closure
        assert closed is None or closed == place.closure_rule(problem)


@pytest.mark.parametrize("name", CATALOG.names)
def test_explicit_texts_are_read_back_under_every_style(name):
    place = entry(name)
    inverter = SentenceReader(place.words, place.domain)
    for number, (*_, row) in enumerate(named(name)):
        problem = read_problem(row.problem_pddl, place.domain)
        rng = stream(SEED, "words", name, number)
        text = explicit_text(problem, place.domain, place.words, ROOT / "templates", rng)
        assert inverter.literals(text.init) == literals(problem.init)
        assert inverter.literals(text.goal) == problem.goal


ODD = """(define (problem odd)
  (:domain blocksworld)
  (:objects b1 b2)
  (:init {init})
  (:goal (and {goal})))
"""


@pytest.mark.parametrize(
    ("init", "goal"),
    [
        ("(arm-empty)", "(not (on b2 b1)) (on b1 b2)"),
        ("", "(on b1 b2)"),
        ("(on-table b1) (on-table b2)", ""),
    ],
)
def test_problems_of_other_forms_are_renamed_too(init, goal):
    domain = entry("blocksworld").domain
    text = write_problem(read_problem(ODD.format(init=init, goal=goal), domain))
    styles = set()
    for number in range(20):
        row = named_row("blocksworld", SEED, "train", f"odd/{number}", text, "{}", '{"b1":"b2"}')
        names = entry("blocksworld").names_of(
            read_problem(text, domain).objects, "train", SEED, f"odd/{number}"
        )
        back = read_problem(row.problem_pddl, domain)
        first, two = names.get("b1", "b1"), names.get("b2", "b2")
        wanted = ODD.format(init=init, goal=goal).replace("b1", first).replace("b2", two)
        assert back == read_problem(wanted, domain)
        assert write_problem(back) == row.problem_pddl
        assert row.goal_parameters == f'{{"{first}":"{two}"}}'
        styles.add(row.names)
    assert len(styles) > 3
