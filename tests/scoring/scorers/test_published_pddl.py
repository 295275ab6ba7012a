"""The rules of Planetarium, Proc2PDDL and Text2World, and the tables without a rule."""

import pytest

from orrery.families import tables
from orrery.grading import Score
from orrery.library.judging import score
from orrery.scoring.scorers import scorer_of
from tests.every_domain import ROOT

PROBLEM = """(define (problem p) (:domain blocksworld) (:objects a b c)
 (:init (arm-empty) (on-table a) (on b a) (clear b) (on-table c) (clear c)) (:goal (and {})))"""
HEADER = "(define (domain d) (:predicates (at ?x) (lit ?x))"
GO = "(:action go :parameters (?x ?y) :precondition (at ?x) :effect (and (at ?y) (not (at ?x))))"
LIGHT = "(:action light :parameters (?x) :precondition (and (at ?x) (not (lit ?x))) :effect (lit ?x))"
RENAMED = "(:action light :parameters (?z) :precondition (and (not (lit ?z)) (at ?z)) :effect (lit ?z))"


def published_value(scorer, reply, row, score, figures=None, root=ROOT):
    return scorer_of(scorer)(root=root).published_value(reply, row, score, figures or {})


@pytest.mark.parametrize(
    ("goal", "is_placeholder", "open_objects", "ours", "published"),
    [
        ("(on a b)", 0, [], 1, 1),
        ("(on b c)", 0, [], 0, 0),
        ("(on b c)", 1, ["a", "b", "c"], 1, 1),
        ("(on b c)", 1, [], 0, 1),
        ("(clear a)", 1, ["a", "b", "c"], 0, 0),
        ("(fly a)", 1, ["a", "b", "c"], 0, 0),
    ],
)
def test_planetarium_exchanges_all_objects_of_placeholder_rows(
    goal, is_placeholder, open_objects, ours, published
):
    row = {"id": "x", "domain": "blocksworld", "problem_pddl": PROBLEM.format("(on a b)"), "solvable": True}
    row |= {"is_placeholder": is_placeholder, "open_objects": open_objects}
    reply = PROBLEM.format(goal)
    by_ours = score(reply, row, "text_to_pddl")
    assert by_ours.value == ours
    assert published_value("text_to_pddl", reply, row, by_ours) == published


def test_a_domain_is_looked_up_in_the_given_folder(tmp_path):
    domain = (ROOT / "domains" / "blocksworld" / "domain.pddl").read_text()
    own = tmp_path / "domains" / "own-blocks" / "domain.pddl"
    own.parent.mkdir(parents=True)
    own.write_text(domain.replace("(domain blocksworld)", "(domain own-blocks)"))
    problem = PROBLEM.replace("blocksworld", "own-blocks").format("(on a b)")
    row = {"id": "x", "domain": "own-blocks", "problem_pddl": problem}
    by_ours = score(problem, row, "text_to_pddl", root=tmp_path)
    assert published_value("text_to_pddl", problem, row, by_ours, root=tmp_path) == by_ours.value == 1


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [(GO + RENAMED, 1), (GO, 0.5), (LIGHT + GO.replace("(not (at ?x))", "(lit ?x)"), 0.5), ("none", 0)],
)
def test_proc2pddl_counts_equivalent_actions(reply, wanted):
    row = {"id": "x", "header": f"{HEADER})", "gold_domain": f"{HEADER} {GO} {LIGHT})", "problems": []}
    by_ours = score(reply, row, "action_modeling")
    assert published_value("actions", reply, row, by_ours, {"undecided_actions": 0}) == wanted
    assert published_value("actions", reply, row, by_ours, {"undecided_actions": 1}) is None


@pytest.mark.parametrize(("accepted", "wanted"), [(True, 1), (False, 0), (None, None)])
def test_text2world_takes_the_verdict_of_tarski(accepted, wanted):
    figures = {"accepted_tarski": accepted, "accepted_orrery": True}
    assert published_value("domains", HEADER, {}, Score(1.0, "right"), figures) == wanted


def test_plan_tasks_have_no_rule():
    scorers = {name: scorer_of(table.scorer) for name, table in tables().items() if table.scorer}
    without = {name for name, scorer in scorers.items() if not scorer.has_published_rule()}
    assert without == {name for name in tables() if name.startswith("plan_")}
    assert published_value("plans", "", {}, Score(1.0, "right")) is None
