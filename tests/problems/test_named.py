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
    here = entry(name)
    level = "easy" if "easy" in difficulties(name) else difficulties(name)[0]
    found = []
    for number in range(count):
        made = drawn(name, here.tasks[number % len(here.tasks)], level, number)
        if made is not None:
            split, path = ("test", "train")[number % 2], f"{name}/{level}/some/{number}"
            objects = here.name_pools.kinded(made.problem.objects, made.problem.init)
            names = here.names_of(objects, split, SEED, path)
            parameters = as_json(made.init_parameters), as_json(made.goal_parameters)
            found.append(
                (made, names, named_row(name, SEED, split, path, write_problem(made.problem), *parameters))
            )
    return found


@pytest.mark.parametrize("name", CATALOG.names)
def test_the_written_problem_is_that_of_the_names(name):
    for made, names, told in named(name):
        other = renamed(made, names)
        assert told.problem_pddl == write_problem(other.problem)
        assert told.init_parameters == as_json(other.init_parameters)
        assert told.goal_parameters == as_json(other.goal_parameters)
        read = read_problem(told.problem_pddl, entry(name).domain)
        assert told.names == entry(name).name_pools.source_of([each.name for each in read.objects])
        assert len({each.name for each in read.objects}) == len(made.problem.objects)


@pytest.mark.parametrize("name", CATALOG.names)
def test_every_domain_has_problems_with_real_names_unless_its_own_say_something(name):
    styles = {told.names for *_, told in named(name)}
    if entry(name).description.named:
        assert styles <= {NUMBERED, GIVEN}
    else:
        assert len(styles - {NUMBERED, GIVEN}) >= 2


@pytest.mark.parametrize("name", [each for each in CATALOG.names if entry(each).planner])
def test_the_own_planner_solves_problems_whatever_their_names(name):
    for made, _, told in named(name):
        problem = read_problem(told.problem_pddl, entry(name).domain)
        steps, before = entry(name).planner(problem), entry(name).planner(made.problem)
        assert (steps is None) == (before is None)
        assert steps is None or check_plan(entry(name).domain, problem, steps).valid


@pytest.mark.parametrize("name", ["blocksworld", "ferry", "gripper", "logistics"])
def test_keys_are_those_of_the_numbered_problem(name):
    here = entry(name)
    for made, names, told in named(name, 6):
        problem = read_problem(told.problem_pddl, here.domain)
        assert keys(here.domain, problem, rule=here.closure_rule) == keys(
            here.domain, made.problem, rule=here.closure_rule
        )
        closed = renamed(made, names).closure
        assert closed is None or closed == here.closure_rule(problem)


@pytest.mark.parametrize("name", CATALOG.names)
def test_explicit_texts_are_read_back_under_every_style(name):
    here = entry(name)
    inverter = SentenceReader(here.words, here.domain)
    for number, (*_, told) in enumerate(named(name)):
        problem = read_problem(told.problem_pddl, here.domain)
        rng = stream(SEED, "words", name, number)
        said = explicit_text(problem, here.domain, here.words, ROOT / "templates", rng)
        assert inverter.literals(said.init) == literals(problem.init)
        assert inverter.literals(said.goal) == problem.goal


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
        told = named_row("blocksworld", SEED, "train", f"odd/{number}", text, "{}", '{"b1":"b2"}')
        names = entry("blocksworld").names_of(
            read_problem(text, domain).objects, "train", SEED, f"odd/{number}"
        )
        back = read_problem(told.problem_pddl, domain)
        one, two = names.get("b1", "b1"), names.get("b2", "b2")
        wanted = ODD.format(init=init, goal=goal).replace("b1", one).replace("b2", two)
        assert back == read_problem(wanted, domain)
        assert write_problem(back) == told.problem_pddl
        assert told.goal_parameters == f'{{"{one}":"{two}"}}'
        styles.add(told.names)
    assert len(styles) > 3
