"""Problems of every domain: verdicts agree with an independent simulation, however a plan is written."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from orrery.families.plans.words import phrases_of
from orrery.grading import grade
from orrery.grading.problem import read_problem
from orrery.language.renamed_domain import NAMES, vocabulary_of
from orrery.model import literals
from orrery.pddl.write import write_atom, write_domain, write_problem
from orrery.planning.execution import check_plan
from tests.effort import sample
from tests.every_domain import CATALOG, easy_problems, entry, words
from tests.grading.plans.rows import TEMPLATES
from tests.universe import walk

DOMAINS = pytest.mark.parametrize("name", sample(CATALOG.names, 5))


def solved(name, rng, count=3, vocabulary=""):
    """Rows of a domain, each with a plan: steps at random to a state of which some facts are the goal."""
    domain = entry(name).domain
    for problem in easy_problems(name, count):
        steps, states = walk(domain, problem, rng, rng.randrange(2, 9))
        goal = rng.sample(sorted(states[-1]), min(3, len(states[-1])))
        problem = replace(problem, goal=literals(goal))
        wordings, renamed = words(name), domain
        if vocabulary:
            vocabulary_drawn = vocabulary_of(domain, vocabulary, TEMPLATES, 1)
            view = vocabulary_drawn.of(problem)
            wordings, renamed, problem = (
                vocabulary_drawn.words,
                vocabulary_drawn.domain,
                view.problem(problem),
            )
            steps = list(map(view.tables.step, steps))
        row = {
            "group": "plan_generation", "domain_pddl": write_domain(renamed),
            "problem_pddl": write_problem(problem), "nl_templates": phrases_of(wordings, renamed),
        }  # fmt: skip
        yield row, renamed, problem, steps


def mutants(steps, rng, domain, problem):
    """The steps, and the same with one left out, doubled, exchanged, or with other objects."""
    yield steps
    names = [typed.name for typed in problem.objects]
    for _ in range(12):
        changed = list(steps)
        at = rng.randrange(len(changed))
        match rng.randrange(5):
            case 0:
                del changed[at]
            case 1:
                changed.insert(at, changed[rng.randrange(len(changed))])
            case 2:
                place = rng.randrange(len(changed))
                changed[at], changed[place] = changed[place], changed[at]
            case 3 if len(changed[at]) > 1:
                step = list(changed[at])
                step[rng.randrange(1, len(step))] = rng.choice(names)
                changed[at] = tuple(step)
            case _:
                changed[at] = (rng.choice(domain.actions).name, *changed[at][1:])
        yield changed


@DOMAINS
def test_verdicts_agree_with_an_independent_simulation(name):
    rng = random.Random(name)
    verdicts = set()
    for row, domain, problem, steps in solved(name, rng, 6):
        if not steps:
            continue
        for changed in mutants(steps, rng, domain, problem):
            reply = "\n".join(["[PLAN]", *map(write_atom, changed), "[PLAN END]"])
            score = grade(reply, row)
            assert score.value == check_plan(domain, problem, changed).valid, (reply, score.detail)
            verdicts.add(score.verdict)
    assert verdicts == {"right", "wrong"}


def in_words(row, rng, steps, turn):
    """The steps as a person writes them, in the wordings of a row from number ``turn`` on."""
    phrases = json.loads(row["nl_templates"])["actions"]
    frame = rng.choice(["{}", "{}.", "{}; cost 1", "{}  # then", "Then {}", "I {}.", "- {}", "`{}`"])
    case = rng.choice([str, str.upper, str.capitalize])
    numbered = rng.choice(["", "{}. ", "Step {}: ", "{}) ", "{}.000: "])
    without = rng.choice(["the ", "\0"])
    for number, (name, *objects) in enumerate(steps, 1):
        wording = phrases[name][turn % len(phrases[name])].format(*objects).replace(without, "")
        yield numbered.format(number) + frame.format(case(wording))


@DOMAINS
@pytest.mark.parametrize("vocabulary", ["", *NAMES])
def test_a_plan_is_right_in_every_wording_and_wrong_without_a_needed_step(name, vocabulary):
    rng = random.Random(name + vocabulary)
    for row, domain, problem, steps in solved(name, rng, 3, vocabulary):
        for turn in range(6):
            lines = list(in_words(row, rng, steps, turn))
            marked = "\n".join(["[PLAN]", *lines, "[PLAN END]"])
            for reply in (marked, "ANSWER:\n" + "\n".join(lines), "The plan:\n\n" + "\n".join(lines)):
                right = check_plan(domain, problem, steps).valid
                assert grade(reply, row).value == right, (reply, grade(reply, row))
            fewer = check_plan(domain, problem, steps[:-1]).valid
            assert grade("\n".join(["[PLAN]", *lines[:-1], "[PLAN END]"]), row).value == fewer


@DOMAINS
@pytest.mark.parametrize("vocabulary", ["", *NAMES])
def test_a_state_is_right_in_every_wording_and_wrong_without_a_fact(name, vocabulary):
    rng = random.Random(name + vocabulary)
    for row, domain, problem, _ in solved(name, rng, 2, vocabulary):
        facts = sorted(fact for fact in problem.init if fact[0] in domain.fluents)
        phrases = json.loads(row["nl_templates"])["facts"]
        row |= {"group": "plan_execution", "answer": [write_atom(fact) for fact in facts]}
        for turn in range(4):
            sentences = [phrases[fact[0]][turn % len(phrases[fact[0]])].format(*fact[1:]) for fact in facts]
            rng.shuffle(sentences)
            for reply in (
                "ANSWER: " + ", ".join(sentences),
                "ANSWER:\n- " + "\n- ".join(sentences),
                ". ".join(sentences) + ".",
            ):
                assert grade(reply, row).verdict == "right", (reply, grade(reply, row))
            assert (
                grade("ANSWER: " + ", ".join(sentences[1:]), row).verdict
                in ("wrong", "unparsed")[: 1 + (not sentences[1:])]
            )


@DOMAINS
def test_problems_are_read_as_elsewhere(name):
    domain = entry(name).domain
    for problem in easy_problems(name, 3):
        problem_read = read_problem(write_domain(domain), write_problem(problem))
        assert problem_read.init == problem.init
        assert set(problem_read.goal) == {(atom, positive) for atom, positive in problem.goal}
        assert set(problem_read.objects) == {typed.name for typed in (*problem.objects, *domain.constants)}
        assert problem_read.domain.fluents == domain.fluents


FEATURES = """
(define (domain features) (:requirements :typing :negative-preconditions :equality :action-costs)
 (:types box crate - thing thing place) ; things
 (:constants depot - place)
 (:predicates (at ?x - thing ?p - place) (done ?x - (either box place)))
 (:functions (total-cost) - number (far ?p ?q - place) - number)
 (:action move :parameters (?x - thing ?p ?q - place)
  :precondition (and (at ?x ?p) (not (= ?p ?q)) (not (done ?x)))
  :effect (and (not (at ?x ?p)) (at ?x ?q) (increase (total-cost) (far ?p ?q))))
 (:action spin :parameters (?x - thing)
  :precondition (at ?x depot) :effect (and (at ?x depot) (not (at ?x depot))))
 (:action finish :parameters (?x - (either box place)) :effect (done ?x)))
"""
HERE = """
(define (problem p) (:domain features) (:objects b - box c - crate e - (either box crate) p1 p2 - place)
 (:init (at b p1) (at c p1) (at e p1) (= (total-cost) 0)
  (= (far p1 p2) 3) (= (far p1 depot) 2) (= (far p2 depot) 0) ( = (far p1 p1) 0 ))
 (:goal (and (at c depot) (not (at c p1)))) (:metric minimize (total-cost)))
"""


@pytest.mark.parametrize(
    ("plan", "right"),
    [
        ("(move c p1 depot)", True),
        ("(move c p1 p2) (move c p2 depot)", True),
        ("(move c p1 depot) (spin c)", True),  # what is both added and deleted is true
        ("(move c p1 p1) (move c p1 depot)", False),  # equal
        ("(finish b) (move b p1 p2) (move c p1 depot)", False),  # done
        ("(finish p1) (finish depot) (move c p1 depot)", True),
        ("(finish e) (move c p1 depot)", True),
        ("(finish c) (move c p1 depot)", False),  # a crate
        ("(move e p1 p2) (move c p1 depot)", True),
        ("(move depot p1 p2) (move c p1 depot)", False),  # a place
        ("(move b p1 p2) (move b p2 p1) (move c p1 depot)", False),  # the cost has no value
    ],
)
def test_what_pddl_offers(plan, right):
    row = {"group": "plan_generation", "domain_pddl": FEATURES, "problem_pddl": HERE, "nl_templates": "{}"}
    score = grade(plan, row)
    assert score.value == right, score.detail
