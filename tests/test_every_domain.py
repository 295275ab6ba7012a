"""What every domain must keep to, for all folders there are: a new domain is tested without a new test."""

import random
from itertools import product

import pytest
import yaml

from orrery.checks.reading.sentences import SentenceReader
from orrery.config import HeldOut
from orrery.language.words import explicit
from orrery.model import literals
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_domain, write_problem
from orrery.planning.exhaustive_python import reachable
from orrery.planning.grounding import ground
from orrery.planning.universe import ground_steps, names_of
from orrery.problems.quotas import quotas
from tests.composition.compositions import by_day
from tests.every_domain import CATALOG, COMPOSED, ROOT, difficulties, drawn, easy_problems, entry, words
from tests.problems.sizes import size

FEWEST_WORDINGS = 3
DOMAINS = (*CATALOG.names, *COMPOSED)
EVERY_DOMAIN = pytest.mark.parametrize("name", by_day(DOMAINS, len(DOMAINS) - 3))


def all_atoms(domain, problem):
    """Every well-typed atom of every predicate, static ones included."""
    for predicate in domain.predicates:
        choices = (names_of(domain, problem, parameter.types) for parameter in predicate.parameters)
        yield from ((predicate.name, *arguments) for arguments in product(*choices))


@EVERY_DOMAIN
def test_the_domain_reads_as_itself_and_is_described(name):
    here = entry(name)
    assert here.domain.name == name
    assert read_domain(write_domain(here.domain)) == here.domain
    assert here.description.title
    assert len(here.description.source) > 10
    assert here.description.license


@pytest.mark.parametrize("name", CATALOG.names)
def test_the_domain_is_built(name):
    """DVC cannot look in folders, so params.yaml lists the domains."""
    assert name in yaml.safe_load((ROOT / "params.yaml").read_text())["domains"]


@EVERY_DOMAIN
def test_every_predicate_and_action_has_several_wordings(name):
    domain, said = entry(name).domain, words(name)
    assert said.missing(domain) == []
    for kind, symbols in (("fact", domain.predicates), ("action", domain.actions)):
        for symbol in symbols:
            assert said.variants(kind, symbol.name) >= FEWEST_WORDINGS, (kind, symbol.name)
    assert len({said.intro(variant) for variant in range(8)}) >= FEWEST_WORDINGS


@EVERY_DOMAIN
def test_different_facts_and_actions_have_different_sentences(name):
    domain, said = entry(name).domain, words(name)
    problem = min(easy_problems(name, 6), key=lambda problem: len(problem.objects))
    steps = list(ground_steps(domain, problem))
    symbols = [("fact", said.fact, list(all_atoms(domain, problem))), ("action", said.action, steps)]
    for kind, say, everything in symbols:
        stated = {}
        for each in everything:
            for variant in range(said.variants(kind, each[0])):
                assert stated.setdefault(say(each, variant), each) == each
        assert stated


def test_there_are_domains_with_tasks():
    assert any(entry(name).tasks for name in CATALOG.names)


@EVERY_DOMAIN
def test_every_task_generates_the_same_again_and_another_with_another_seed(name):
    made = set()
    for task, level in product(entry(name).tasks, difficulties(name)):
        generated, again = (drawn(name, task, level, 1) for _ in range(2))
        if generated is None:
            continue  # nothing within these limits fits the task, as a ParameterError has said
        made.add(task)
        problem = generated.problem
        assert generated == again
        assert write_problem(problem) == write_problem(again.problem)
        assert problem.name == task.name
        assert read_problem(write_problem(problem), entry(name).domain) == problem
        others = [drawn(name, task, level, seed) for seed in (2, 3, 4)]
        assert any(other.problem != problem for other in others)
    assert made == {*entry(name).tasks}, "no difficulty fits some task"


@EVERY_DOMAIN
def test_explicit_text_reads_back_to_the_facts(name):
    inverter = SentenceReader(words(name), entry(name).domain)
    generated_problems = (drawn(name, task, difficulties(name)[0], 1) for task in entry(name).tasks)
    for generated in filter(None, generated_problems):
        problem, rng = generated.problem, random.Random(3)
        for said in (literals(problem.init), problem.goal):
            assert inverter.literals(explicit(said, words(name), rng)) == said


@EVERY_DOMAIN
def test_held_out_tasks_exist_and_every_difficulty_can_be_asked_for(name):
    here = entry(name)
    counts = dict.fromkeys(difficulties(name), len(here.tasks))
    asked = [each for part in quotas(here, size(counts), HeldOut()) for each in part]
    assert {task for wish in asked for task in wish.tasks} == set(here.tasks)
    assert {wish.difficulty for wish in asked} == set(counts)


def idle_steps(name):
    """Steps that name an object twice, as driving to where one is, can be taken, and never change a state."""
    found = set()
    for problem in easy_problems(name, 3):
        task = ground(entry(name).domain, problem)
        twice = [action for action in task.actions if len(set(action.step)) < len(action.step)]
        states = reachable(task, limit=300).states if twice else []
        for action in twice:
            before = [s for s in states if s & action.positive == action.positive and not s & action.negative]
            if before and before == [(state & ~action.delete) | action.add for state in before]:
                found.add(action.step)
    return found


def test_no_domain_that_is_asked_about_has_idle_steps():
    """Whether they count as possible, no text lets one guess; published domains for texts have some."""
    found = {name: idle_steps(name) for name in CATALOG.names}
    assert {name: steps for name, steps in found.items() if steps and entry(name).description.questions} == {}
    assert any(found.values())
