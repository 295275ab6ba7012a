"""States to ask about, decided by brute force on the action schemas alone."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from orrery.families.questions.state_record import StateRecord
from orrery.language.words import Words
from orrery.model import Domain, Literal, Problem, TypedName
from orrery.pddl.read import read_domain, read_problem
from tests.plain_search import PlainSearch
from tests.universe import walk

ROOT = Path(__file__).resolve().parents[3]

# Subtypes, a constant, equal arguments, inequality, negative and no preconditions, effects that cancel out.
RELAY = """
(define (domain relay)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types runner place baton - object captain - runner)
  (:constants home - place)
  (:predicates (at ?r - runner ?p - place) (has ?r - runner ?o - baton) (road ?p ?q - place)
               (dry ?p - place) (thanked ?a ?b - runner) (raining))
  (:action run :parameters (?r - runner ?p ?q - place)
    :precondition (and (at ?r ?p) (road ?p ?q) (dry ?q)) :effect (and (not (at ?r ?p)) (at ?r ?q)))
  (:action pass :parameters (?a ?b - runner ?o - baton ?p - place)
    :precondition (and (at ?a ?p) (at ?b ?p) (has ?a ?o) (not (has ?b ?o)) (not (= ?a ?b)))
    :effect (and (not (has ?a ?o)) (has ?b ?o)))
  (:action soak :parameters (?p - place)
    :precondition (and (dry ?p) (not (= ?p home)) (raining)) :effect (not (dry ?p)))
  (:action wait :parameters () :effect (raining))
  (:action thank :parameters (?c - captain ?a - runner)
    :precondition (not (thanked ?c ?a)) :effect (thanked ?c ?a)))
"""
MACROS = """
{% macro intro(variant) %}Runners carry batons.{% endmacro %}
{% macro objects(names, variant) %}The runners are {{ names.runner | listing }}.{% endmacro %}
{% macro fact_at(r, p, variant) %}{{ [r ~ " is at " ~ p, p ~ " has " ~ r] | choose(variant) }}{% endmacro %}
{% macro fact_has(r, o, variant) %}{{ r }} carries {{ o }}{% endmacro %}
{% macro fact_road(p, q, variant) %}a road leads from {{ p }} to {{ q }}{% endmacro %}
{% macro fact_dry(p, variant) %}{{ p }} is dry{% endmacro %}
{% macro fact_thanked(a, b, variant) %}{{ a }} has thanked {{ b }}{% endmacro %}
{% macro fact_raining(variant) %}rain falls{% endmacro %}
{% macro action_run(r, p, q, variant) %}let {{ r }} run from {{ p }} to {{ q }}{% endmacro %}
{% macro action_pass(a, b, o, p, variant) %}hand {{ o }} from {{ a }} to {{ b }} at {{ p }}{% endmacro %}
{% macro action_soak(p, variant) %}let {{ p }} get wet{% endmacro %}
{% macro action_wait(variant) %}wait for rain{% endmacro %}
{% macro action_thank(c, a, variant) %}let {{ c }} thank {{ a }}{% endmacro %}
"""


@dataclass(frozen=True)
class QuestionCase:
    """An item, the words of its domain, and a seed for what is drawn."""

    item: StateRecord
    words: Words
    seed: int

    @property
    def rng(self) -> random.Random:
        return random.Random(self.seed)


def relay_problem(domain: Domain, rng: random.Random) -> Problem:
    places, runners, batons = ["home", "p1", "p2"], ["r1", "r2"], ["o1"]
    facts = {("road", *rng.choices(places, k=2)) for _ in range(5)}
    facts |= {("dry", place) for place in places if rng.random() < 0.7}
    facts |= {("at", runner, rng.choice(places)) for runner in runners}
    facts |= {("has", rng.choice(runners), baton) for baton in batons}
    goal = frozenset({Literal(("has", rng.choice(runners), "o1")), Literal(("at", "r1", rng.choice(places)))})
    if rng.random() < 0.5:
        goal |= {Literal(("dry", "p1"), positive=False)}
    objects = (
        TypedName("r1", ("captain",)),
        TypedName("r2", ("runner",)),
        TypedName("p1", ("place",)),
        TypedName("p2", ("place",)),
        TypedName("o1", ("baton",)),
    )
    return Problem("relay-1", "relay", objects, frozenset(facts), goal)


def blocks_problem(domain: Domain, rng: random.Random) -> Problem:
    names = [f"b{i}" for i in (1, 2, 10, 11)[: rng.randint(2, 4)]]
    sides = []
    for _ in range(2):
        rng.shuffle(names)
        facts = ["(arm-empty)"]
        for lower, upper in zip([None, *names], [*names, None], strict=True):
            cut = lower is None or upper is None or rng.random() < 0.4
            facts += [f"(on {upper} {lower})"] if not cut else []
            facts += [f"(clear {lower})"] if cut and lower else []
            facts += [f"(on-table {upper})"] if cut and upper else []
        sides.append(facts)
    goal = [fact for fact in sides[1] if fact.startswith("(on ")] or sides[1][:2]
    return read_problem(
        f"(define (problem b) (:domain blocksworld) (:objects {' '.join(names)})"
        f" (:init {' '.join(sides[0])}) (:goal (and {' '.join(goal)})))",
        domain,
    )


def decided(domain: Domain, problem: Problem, step: int) -> StateRecord:
    """The item with its facts by exhaustion."""
    search = PlainSearch(domain, problem)
    solvable = search.distance is not None
    yes, no = search.landmarks if solvable else ((), ())
    closer, away = search.sides(problem.init)
    never = search.never_actions
    known = {
        "landmarks": yes, "not_landmarks": no, "unreachable_facts": search.never_facts,
        "optimal_first_actions": closer, "not_optimal_first_actions": away, "unreachable_actions": never,
    }  # fmt: skip
    return StateRecord(
        domain,
        problem,
        f"{domain.name}/test/000001",
        "walk" if step else "initial",
        step,
        solvable=solvable,
        h_star=search.distance,
        plan=tuple(search.plan()) if solvable else None,
        plan_optimal=solvable,
        **{name: dict.fromkeys(atoms, "exhaustion") for name, atoms in known.items()},
        reachable_actions=frozenset(search.actions).difference(never),
        num_steps=len(search.actions),
        num_unreachable_actions=len(never),
        num_states=len(search.after),
    )


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the templates with the words of ``relay`` added."""
    folder = tmp_path_factory.mktemp("words") / "templates"
    shutil.copytree(ROOT / "templates", folder)
    (folder / "domains" / "relay.j2").write_text(MACROS)
    return folder


@pytest.fixture(scope="session")
def cases_made(templates: Path) -> list[QuestionCase]:
    """States of two domains, some of them off the initial one."""
    blocks = read_domain((ROOT / "domains" / "blocksworld" / "domain.pddl").read_text())
    cases_drawn = []
    for domain, draw in ((read_domain(RELAY), relay_problem), (blocks, blocks_problem)):
        words = Words(domain.name, templates)
        for seed in range(12):
            rng = random.Random(f"{domain.name} {seed}")
            step = seed % 4
            problem = draw(domain, rng)
            problem = replace(problem, init=walk(domain, problem, rng, step)[1][-1])
            cases_drawn.append(QuestionCase(decided(domain, problem, step), words, seed))
    return [*cases_drawn, well_connected(cases_drawn[0])]


def well_connected(case: QuestionCase) -> QuestionCase:
    """A case of ``relay`` in which most actions are possible some time."""
    places = ["home", "p1", "p2"]
    init = {("road", p, q) for p in places for q in places} | {("dry", place) for place in places}
    init |= {("at", "r1", "home"), ("at", "r2", "home"), ("has", "r1", "o1")}
    problem = replace(case.item.problem, init=frozenset(init))
    return QuestionCase(decided(case.item.domain, problem, 0), case.words, 12)
