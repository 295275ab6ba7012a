"""The rules of ACPBench Hard, on a walk from a over b to c; nothing leads to d."""

import json

import pytest

from orrery.grading import Score, grade
from orrery.scoring.scorers.questions import QuestionScorer

DOMAIN = """(define (domain walk) (:predicates (at ?x) (road ?x ?y) (lit ?x) (oil))
 (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y))
  :effect (and (at ?y) (not (at ?x))))
 (:action light :parameters (?x) :precondition (and (at ?x) (oil)) :effect (lit ?x)))"""
PROBLEM = """(define (problem p) (:domain walk) (:objects a b c d)
 (:init (at a) (oil) (road a b) (road b a) (road b c)) (:goal (lit c)))"""
SHORT = ["(go a b)", "(go b c)", "(light c)"]
LONG = ["(go a b)", "(go b a)"] * 2 + SHORT
LANDMARKS = {"yes": ["(at b)"], "no": ["(lit a)"]}
NEXT = {"yes": [], "no": [], "maybe": ["(go a b)", "(light a)"], "opt": "3"}
CASES = [
    ("applicable_actions", ("(go a b)", "(light a)"), [
        ("ANSWER: (light a), (go a b)", 1), ("(LIGHT A)(Go a b)", 1), ("(go a b)", 0), ("go a b, light a", 0),
        ("(go a b) (light a) (fly a)", 0),
    ]),
    ("progression", {"pos": ["(at b)"], "neg": ["(at a)"]}, [
        ("[(at b)] [(at a)]", 1), ("[(at b), (oil)] [(at a)]", 0), ("pos: (at b) neg: (at a)", 1),
        ("(at b) (at a)", 0),
    ]),
    ("reachable_atom", ("at d",), [
        ("(at d)", 1), ("(lit d)", 1), ("(at b)", 0), ("None", 0), ("(fly d)", 0), ("(at e)", 0),
        ("Not (at b) but (at d)", 0), ("at d", 0),
    ]),
    ("reachable_atom", (), [("None", 1), ("(at d)", 0)]),
    ("reachable_action", ("(light d)",), [
        ("(light d)", 1), ("(go d a)", 1), ("(go a c)", 1), ("(go b c)", 0), ("(fly a)", 0), ("None", 0),
    ]),
    ("reachable_action", (), [("None", 1), ("(light d)", 0)]),
    ("validation", 1, [
        ("1", 1), ("index 1 of 3", 1), ("01", 1), ("10", 0), ("step 2, index 1", 0), ("one", 0),
        ("(go b2 c-3) fails: 1", 1), ("b1", 0),
    ]),
    ("action_justification", (("(go a b)", "(go b a)", "-1"),), [
        (" ".join(SHORT), 1), (" ".join(LONG[2:]), 1), (" ".join(LONG), 0), (" ".join(SHORT[:2]), 0),
        (" ".join([*SHORT, "(light c)"]), 0),
    ]),
    ("landmarks", LANDMARKS, [
        ("(at b)", 1), ("(at c)", 1), ("(lit a)", 0), ("(lit b)", 0), ("(at a)", 0), ("(lit c)", 0),
        ("(fly b)", 0), ("None", 0),
    ]),
    ("landmarks", {"yes": [], "no": []}, [("None", None), ("(at b)", 1)]),
    ("goal_closer", NEXT, [("(go a b)", 1), ("(light a)", 0), ("(go b c)", 0), ("(fly a)", 0), ("None", 0)]),
    ("goal_closer", {**NEXT, "yes": ["(light a)"]}, [("(light a)", 1), ("(go a b)", 1)]),
]  # fmt: skip


def row(name, answer, **values):
    columns = {"id": "x", "group": f"{name}_gen", "answer": answer, "plan": LONG, "question": ""}
    return {**columns, "PDDL_domain": DOMAIN, "PDDL_problem": PROBLEM, **values}


def value(reply, row):
    return QuestionScorer().published_value(reply, row, grade(reply, row), {})


@pytest.mark.parametrize(
    ("name", "stored", "reply", "wanted"),
    [(name, stored, *case) for name, stored, listed in CASES for case in listed],
)
def test_answers_are_scored_as_the_paper_states(name, stored, reply, wanted):
    assert value(reply, row(name, stored)) == wanted


def test_the_published_answer_of_an_imported_row_counts():
    imported = row("reachable_atom", ["at d", "lit d"], published_answer=json.dumps([]))
    assert (value("None", imported), value("(at d)", imported)) == (1, 0)
    assert grade("(at d)", imported).value == 1


@pytest.mark.parametrize(("reply", "wanted"), [("(at b)", 1), ("(at a)", 0), ("(lit d)", 0), ("None", None)])
def test_without_a_plan_every_other_fact_is_a_landmark(reply, wanted):
    unsolvable = row("landmarks", {"yes": [], "no": []}, PDDL_problem=PROBLEM.replace("(lit c)", "(lit d)"))
    assert value(reply, unsolvable) == wanted


@pytest.mark.parametrize("name", ["reachable_atom_gen", "landmarks_gen"])
def test_pddl_that_no_planner_of_ours_reads_leaves_the_answer_undecided(name):
    beyond = DOMAIN.replace("(lit ?x)))", "(forall (?y) (lit ?y))))")
    stored = LANDMARKS if name == "landmarks_gen" else ["at d"]
    beyond_row = {"group": name, "answer": stored, "PDDL_domain": beyond, "PDDL_problem": PROBLEM}
    assert QuestionScorer().published_value("(lit d)", beyond_row, Score(0.0, "wrong"), {}) is None


@pytest.mark.parametrize(("reply", "wanted"), [("yes", 1), ("no", 0), ("perhaps", 0)])
def test_other_answers_are_looked_up(reply, wanted):
    asked = {"group": "landmarks_bool", "answer": "yes"}
    assert value(reply, asked) == wanted
