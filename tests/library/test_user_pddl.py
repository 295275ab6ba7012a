"""A plan of any PDDL is checked, and two problems are compared, as texts and as files."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import orrery
from orrery.cli.main import app
from orrery.model import OrreryError
from orrery.pddl.faults import OutsideSubset, PddlError

SWITCHES = """(define (domain switches) (:predicates (on ?x) (wired ?x ?y))
 (:action press :parameters (?x) :precondition (not (on ?x))
  :effect (and (on ?x) (forall (?y) (when (wired ?x ?y) (on ?y))))))"""
PRESS = (
    "(define (problem p) (:domain switches) (:objects a b) (:init (wired a b)) (:goal (and (on a) (on b))))"
)
ROOMS = """(define (domain rooms) (:requirements :strips :typing) (:types room) (:predicates (in ?r - room))
 (:action go :parameters (?a ?b - room) :precondition (in ?a) :effect (and (in ?b) (not (in ?a)))))"""

NUMERIC = ROOMS.replace(":precondition (in ?a)", ":precondition (and (in ?a) (> (fuel) 0))").replace(
    "(:predicates", "(:functions (fuel)) (:predicates"
)


def walk(start, goal, *rooms):
    objects = " ".join(rooms)
    facts = f"(:init (in {start})) (:goal (in {goal}))"
    return f"(define (problem w) (:domain rooms) (:objects {objects} - room) {facts})"


@pytest.mark.parametrize(
    ("steps", "failed_at", "valid"),
    [
        (["(go x y)"], None, True),
        (["(go y x)"], 0, False),
        (["(go x y)", "(go y x)"], None, False),
        (["(fly x)"], 0, False),
    ],
)
def test_a_plan_is_executed(steps, failed_at, valid):
    for plan in (steps, "\n".join([*steps, "; cost = 1"]).upper()):
        verdict = orrery.check_plan(ROOMS, walk("x", "y", "x", "y"), plan)
        assert (verdict.valid, verdict.failed_at) == (valid, failed_at)


def test_conditional_effects_and_quantifiers_are_executed():
    assert orrery.check_plan(SWITCHES, PRESS, ["(press a)"]).valid
    assert not orrery.check_plan(SWITCHES, PRESS, ["(press b)"]).valid
    assert orrery.check_plan(SWITCHES, PRESS, ["(press a)", "(press b)"]).failed_at == 1


@pytest.mark.parametrize(
    ("problem", "fault"),
    [
        (PRESS.replace("(wired a b)", "(dark a)"), "'dark' is not declared"),
        (PRESS.replace("(wired a b)", "(wired a c)"), "'c' is not declared"),
        (PRESS.replace("(:domain switches)", "(:domain lamps)"), "names domain 'lamps'"),
        (
            PRESS.replace("(:goal (and (on a) (on b)))", "(:goal (or (on a) (off b)))"),
            "'off' is not declared",
        ),
        (PRESS.replace("(:goal (and (on a) (on b)))", "(:goal ())"), "has no formula"),
    ],
)
def test_a_faulty_problem_of_a_wide_domain_is_refused(problem, fault):
    with pytest.raises(PddlError, match=fault):
        orrery.check_plan(SWITCHES, problem, ["(press a)"])


def test_what_cannot_be_executed_is_refused_by_name():
    with pytest.raises(OutsideSubset, match=">"):
        orrery.check_plan(NUMERIC, walk("x", "y", "x", "y"), ["(go x y)"])
    with pytest.raises(OutsideSubset, match="derived"):
        orrery.check_plan(ROOMS[:-1] + "(:derived (in ?r - room) (in ?r)))", walk("x", "y", "x", "y"), [])
    with pytest.raises(PddlError, match="not declared"):
        orrery.check_plan(ROOMS, walk("x", "z", "x", "y"), [])
    with pytest.raises(OrreryError, match="<plan>:2: 'go x y' is no step"):
        orrery.check_plan(ROOMS, walk("x", "y", "x", "y"), "(go x y)\ngo x y")


LAMPS = """(define (domain lamps) (:types lamp)
 (:predicates (on ?x - lamp) (wired ?x ?y - lamp) (broken ?x - lamp))
 (:action press :parameters (?x - lamp) :precondition (and (not (on ?x)) (not (broken ?x)))
  :effect (and (on ?x) (forall (?y - lamp) (when (wired ?x ?y) (on ?y)))))
 (:action force :parameters (?x - lamp) :precondition (or (on ?x) (broken ?x)) :effect (not (on ?x))))"""
PRESSED = """(define (problem p) (:domain lamps) (:objects a b c - lamp) (:init (wired a b) (broken c))
 (:goal (exists (?x - lamp) (on ?x))))"""
ROW = {"id": "lamps/0", "PDDL_domain": LAMPS, "PDDL_problem": PRESSED, "nl_templates": "{}"}
ROW |= {"domain_pddl": LAMPS, "problem_pddl": PRESSED}


@pytest.mark.parametrize(
    ("group", "columns", "right", "wrong"),
    [
        ("applicable_actions_gen", {"answer": ["(press a)", "(press b)", "(force c)"]},
         "(press a), (press b), (force c)", "(press a)"),
        ("progression_gen", {"answer": {"pos": ["(on a)", "(on b)"], "neg": []}},
         "pos: (on a), (on b) neg: none", "pos: (on a) neg: none"),
        ("validation_gen", {"answer": 1, "sequence": ["(press a)", "(press b)"]}, "1", "0"),
        ("plan_execution", {"answer": ["(on a)", "(on b)"]}, "(on a), (on b)", "(on a)"),
        ("plan_verification", {"valid": False, "fails_at": 2, "missing": ["(not (on b))"],
         "given_actions": ["(press a)", "(press b)"]}, "invalid, step 2, (not (on b))", "valid"),
        ("reachable_action_gen", {"answer": [], "answer_all": ["(press a)", "(press b)", "(force b)"],
         "answer_all_is": "reachable", "typing": "{}"}, "none", "(press b)"),
        ("reachable_action_gen", {"answer": ["(press b)"], "typing": "{}"}, "(press b)", "(press c)"),
    ],
)  # fmt: skip
def test_questions_about_a_domain_with_conditional_effects_are_graded(group, columns, right, wrong):
    row = {**ROW, "group": group, **columns}
    assert orrery.score(f"ANSWER: {right}", row).verdict == "right"
    assert orrery.score(f"ANSWER: {wrong}", row).verdict == "wrong"


def test_an_action_whose_candidacy_depends_on_a_disjunction_is_refused_by_name():
    row = {**ROW, "group": "reachable_action_gen", "answer": ["(force a)"], "typing": "{}"}
    assert orrery.score("ANSWER: (press c)", row).detail.endswith("(broken c) always holds")
    with pytest.raises(OrreryError, match="'or'"):
        orrery.score("ANSWER: (force a)", row)


FERRIES = """(define (domain ferries) (:types shore) (:predicates (at ?s - shore) (wet))
 (:functions (total-cost) (toll ?from ?to - shore))
 (:action cross :parameters (?from ?to - shore) :precondition (at ?from)
  :effect (and (at ?to) (not (at ?from)) {}(increase (total-cost) (toll ?from ?to)))))"""
SHORES = """(define (problem p) (:domain ferries) (:objects east west island - shore)
 (:init (at east) (= (total-cost) 0) (= (toll east west) 3) (= (toll west island) 0))
 (:goal (at island)))"""


@pytest.mark.parametrize("other_effects", ["", "(forall (?s - shore) (when (at ?s) (wet))) "])
def test_a_step_whose_cost_has_no_value_is_not_applicable(other_effects):
    domain = FERRIES.format(other_effects)
    assert orrery.check_plan(domain, SHORES, ["(cross east west)", "(cross west island)"]).valid
    verdict = orrery.check_plan(domain, SHORES, ["(cross east west)", "(cross west east)"])
    assert (verdict.valid, verdict.failed_at) == (False, 1)
    assert verdict.reason == "the cost of 'cross west east', 'toll west east', has no value"


def test_fractional_and_negative_numbers_are_refused_as_beyond_the_subset():
    for number in ("0.5", "-3"):
        with pytest.raises(OutsideSubset, match=rf"\({number}\)"):
            orrery.check_plan(FERRIES.format(""), SHORES.replace("west) 3", f"west) {number}"), [])


def test_problems_are_compared_up_to_names():
    first = walk("x", "y", "x", "y")
    assert orrery.compare(ROOMS, first, walk("hall", "den", "den", "hall")).outcome == "equivalent"
    assert orrery.compare(ROOMS, first, walk("x", "x", "x", "y")).outcome == "different"
    assert orrery.compare(ROOMS, first, walk("x", "y", "x", "y", "z")).outcome == "different"


def test_commands_read_files_and_exit_with_the_verdict(tmp_path):
    files = {"domain": ROOMS, "x-to-y": walk("x", "y", "x", "y"), "y-to-x": walk("y", "x", "x", "y"),
             "stay": walk("x", "x", "x", "y"), "plan": "(go x y)\n", "wrong": "(go y x)\n"}  # fmt: skip
    paths = {}
    for name, text in files.items():
        paths[name] = str(tmp_path / name)
        (tmp_path / name).write_text(text, encoding="utf-8")

    def run(*arguments):
        result = CliRunner().invoke(app, [*arguments])
        return result.exit_code, result.output

    assert run("validate-plan", paths["domain"], paths["x-to-y"], paths["plan"]) == (0, "valid\n")
    code, output = run("validate-plan", paths["domain"], paths["x-to-y"], paths["wrong"])
    assert (code, output.startswith("invalid at step 1: ")) == (1, True)
    assert run("equivalent", paths["domain"], paths["x-to-y"], paths["y-to-x"])[0] == 0
    assert run("equivalent", paths["domain"], paths["x-to-y"], paths["stay"])[0] == 1
    code, output = run("equivalent", paths["domain"], paths["x-to-y"], str(tmp_path / "missing"))
    assert (code, "missing" in output) == (3, True)
