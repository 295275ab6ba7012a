"""What the adversary is told of questions: what is right, what chance scores, measures counted by hand."""

import json

import pytest

from orrery.families import table_of
from orrery.families.attack import JUDGE, PICK, WRITE

DOMAIN = """
(define (domain d) (:requirements :strips :typing) (:types place thing)
 (:predicates (robot ?p - place) (link ?p ?q - place) (at ?t - thing ?p - place) (held ?t - thing))
 (:action go :parameters (?p ?q - place) :precondition (and (robot ?p) (link ?p ?q))
  :effect (and (robot ?q) (not (robot ?p))))
 (:action take :parameters (?t - thing ?p - place) :precondition (and (robot ?p) (at ?t ?p))
  :effect (and (held ?t) (not (at ?t ?p)))))
"""
PROBLEM = """
(define (problem p) (:domain d) (:objects a b c - place x - thing)
 (:init (robot a) (link a b) (link b c) (at x c)) (:goal (and (held x))))
"""
ROW = {
    "id": "r", "domain": "d", "problem_id": "p", "PDDL_domain": DOMAIN, "PDDL_problem": PROBLEM,
    "context": "The robot is in a. x lies in c.", "question": "Which?",
}  # fmt: skip


def target(table, **overrides):
    attack = table_of(f"acp_{table}").attack
    row = ROW | overrides
    assert {*row} <= {*attack.columns}
    return attack.target(row)


def measured(read_target, name):
    return [option.measures[name] for option in read_target.options]


def right_texts(read_target):
    return [option.text for option in read_target.options if option.right]


def choice(claims, texts, answer):
    return {"claims": json.dumps(claims), "choices": {"text": texts, "label": list("ABCD")}, "answer": answer}


def test_an_option_where_the_robot_is_shows_by_the_facts_on_its_objects():
    steps = ["(go a b)", "(go b c)", "(take x c)", "(go c b)"]
    claims, texts = [{"actions": [s]} for s in steps], [f"do {s}" for s in steps]
    read_target = target("areach_mcq", **choice(claims, texts, "A"))
    assert (read_target.form, read_target.chance, read_target.replies) == (PICK, 0.25, {"A"})
    assert [option.right for option in read_target.options] == [True, False, False, False]
    near = measured(read_target, "facts of the state on its objects")
    assert near == [1, 0, 1, 0]  # (robot a); (at x c)
    crowded = PROBLEM.replace("(at x c)", "(at x c) (at x b)")
    read_target = target("areach_mcq", PDDL_problem=crowded, **choice(claims, texts, "A"))
    rare = measured(read_target, "rare facts of the state on its objects")
    assert rare == [1, 0, 0.5, 0]
    assert [option.conditions for option in read_target.options] == [
        ("met link", "met robot"),
        ("met link", "unmet robot"),
        ("met at", "unmet robot"),
        ("unmet link", "unmet robot"),
    ]
    assert measured(read_target, "objects of the goal") == [0, 0, 1, 0]
    assert read_target.objects == {"a", "b", "c", "x"}
    read_target = target("app_mcq", **choice([{"action": s} for s in steps], texts, "A"))
    counted = {
        name for option in read_target.options for name in option.measures if "facts of the state" in name
    }
    assert counted == {"objects that facts of the state name"}  # to count what an action needs is to answer


def test_a_claim_is_judged():
    claim = {"action": "(go a b)", "facts": ["(robot b)", "(held x)"]}
    read_target = target("prog_bool", claim=json.dumps(claim), answer="yes")
    (only,) = read_target.options
    assert (read_target.form, read_target.chance, read_target.replies, only.right) == (
        JUDGE,
        0.5,
        {"yes"},
        True,
    )
    assert only.measures["objects of the action"] == 1
    assert only.measures["facts of the goal"] == 1
    assert only.measures["facts of the state"] == 0
    assert only.measures["length"] == len(ROW["question"])
    assert only.marks == ("name robot held",)


def test_candidates_of_next_actions_and_landmarks_are_those_stored():
    answer = {"yes": ["(go a b)"], "no": ["(go b c)", "(take x c)", "(go c b)"], "maybe": [], "opt": "3"}
    read_target = target("nexta_gen", answer=answer)
    assert (read_target.form, read_target.chance, len(read_target.options)) == (PICK, 0.25, 4)
    assert right_texts(read_target) == answer["yes"]
    assert read_target.replies == {"(go a b)"}
    no_landmark = target("land_gen", answer={"yes": [], "no": ["(robot b)"]})
    assert (no_landmark.chance, no_landmark.replies) == (0.0, {"None"})


def test_every_place_of_a_sequence_is_a_candidate():
    sequence = ["(go a b)", "(go a b)", "(go b c)"]
    read_target = target("val_gen", answer=1, sequence=sequence)
    assert read_target.chance == pytest.approx(1 / 3)
    assert [option.right for option in read_target.options] == [False, True, False]
    assert read_target.replies == {"1"}
    middle = measured(read_target, "nearness to the middle")
    assert middle == [-1, 0, -1]


def test_every_removal_is_a_candidate():
    plan = ["(go a b)", "(go b a)", "(go a b)", "(go b c)", "(take x c)"]
    answer = [["(go a b)", "(go b a)", "-1"], ["(go b a)", "(go a b)", "-1"]]
    read_target = target("just_gen", answer=answer, plan=plan, positions=[0, 1])
    assert len(read_target.options) == 2 * len(plan) - 1
    assert read_target.chance == pytest.approx(2 / 9)
    right = [option for option in read_target.options if option.right]
    assert [option.text for option in right] == ["(go a b) (go b a)", "(go b a) (go a b)"]
    assert all(option.measures["repeated objects"] == 2 for option in right)
    assert max(option.measures["place in the plan"] for option in read_target.options) == 1
    names = ("objects of the step before", "objects of the step behind", "steps behind on its objects")
    assert [option.measures[names[0]] for option in read_target.options[:5]] == [0, 2, 2, 1, 1]
    assert [option.measures[names[1]] for option in read_target.options[:5]] == [2, 2, 1, 1, 0]
    assert [option.measures[names[2]] for option in read_target.options[:5]] == [3, 2, 1, 1, 0]
    single = target("just_gen", answer=[["(go b c)", "1"]], plan=plan, positions=[3])
    assert right_texts(single) == ["(go b c)"]


def test_the_universe_of_what_is_out_of_reach_is_looked_through():
    read_target = target(
        "areach_gen", answer=["(go b c)"], answer_all=["(go b c)"], answer_all_is="unreachable", chance=0.2,
    )  # fmt: skip
    listed = {option.text for option in read_target.options}
    assert listed == {"(go a b)", "(go b c)", "(take x a)", "(take x b)", "(take x c)"}
    assert right_texts(read_target) == ["(go b c)"]
    assert (read_target.chance, read_target.fixed) == (0.2, 0.25)
    facts = target("reach_gen", answer=["robot c"], answer_all=["robot c"], chance=0.25)
    assert right_texts(facts) == ["(robot c)"]
    assert {option.text for option in facts.options} == {"(robot a)", "(robot b)", "(robot c)", "(held x)"}


def test_nobody_guesses_a_whole_list():
    read_target = target("app_gen", answer=["(go a b)"])
    assert (read_target.form, read_target.chance, read_target.options) == (WRITE, 0.0, ())
    assert read_target.replies == {"(go a b)"}
    assert target("prog_gen", answer={"pos": ["(robot b)"], "neg": ["(robot a)"]}).form == WRITE


def test_a_judged_sequence_is_measured_by_its_length_alone():
    claims = [{"sequence": ["(go a b)", "(go b c)"], "says": says} for says in ("plan", "applicable")]
    read_target = target("val_mcq", **choice(claims, ["yes it is", "no"], "B"))
    assert [option.marks for option in read_target.options] == [("says plan go",), ("says applicable go",)]
    assert {*read_target.options[0].measures} == {"length", "number of parts", "like the others"}
