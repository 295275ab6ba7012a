"""Small rows of every group of questions, and which of them a case of the golden file is tried on."""

from __future__ import annotations

import json

from orrery.grading import GRADERS

DOMAIN = """
; a comment with (parentheses
(define (domain blocks) (:requirements :strips)
 (:predicates (clear ?x) (ontable ?x) (arm-empty) (holding ?x) (on ?x ?y))
 (:action pick-up :parameters (?x) :precondition (clear ?x) :effect (holding ?x))
 (:action stack :parameters (?x - (either block object) ?y) :precondition (clear ?y) :effect (on ?x ?y))
 (:action wave :precondition (arm-empty) :effect (arm-empty)))
"""
PROBLEM = "(define (problem p) (:domain blocks) (:objects b1 b2 - block b10 - (either block object)) (:init))"


def row(group, answer, **more):
    return {"group": group, "answer": answer, "PDDL_domain": DOMAIN, "PDDL_problem": PROBLEM, **more}


TYPED = """
(define (domain rooms) (:types ball room) (:predicates (at ?b - ball ?r - room) (in ?r - room))
 (:action carry :parameters (?b - ball ?r - room) :precondition (in ?r) :effect (at ?b ?r))
 (:action go :parameters (?x ?y - room) :precondition (in ?x) :effect (in ?y))
 (:action rest :parameters () :precondition () :effect ()))
"""
ROOMS = (
    "(define (problem p) (:domain rooms) (:objects ball1 ball2 - ball room1 room2 - room) (:init (in room1)))"
)
TYPING = {
    "actions": {"carry": [["ball"], ["room"]], "go": [["room"], ["room"]], "rest": []},
    "objects": {"ball": ["ball1", "ball2"], "room": ["room1", "room2"], "object": ["ball1", "room1"]},
}


def typed_row(answer, **more):
    found = row("reachable_action_gen", answer, **more)
    return {**found, "PDDL_domain": TYPED, "PDDL_problem": ROOMS}


def choice_row(group, *texts, **more):
    labels = ["A", "B", "C", "D"]
    return {"group": group, "choices": {"text": list(texts), "label": labels}, "answer": "B", **more}


SEQUENCE = ["(pick-up b1)", "(stack b1 b2)", "(pick-up b2)", "(stack b1 b2)", "(wave)"]
PLAN = ["(pick-up b1)", "(stack b1 b2)", "(wave)", "(wave)", "(pick-up b2)", "(stack b2 b10)"]
REMOVALS = [["(wave)", "1"], ["(wave)", "2"], ["(wave)", "(wave)", "-1"]]
UNREACHABLE = ["(carry ball2 room1)", "(carry ball2 room2)", "(go room1 room1)", "(go room2 room2)"]
CLOSER = {
    "yes": ["(pick-up b1)", "(stack b1 b2)"],
    "no": ["(stack b1 b10)", "(wave)"],
    "maybe": [],
    "opt": "3",
}
ASKED = {
    "val": f'What is the first of "{" ".join(SEQUENCE).upper()}"? Say (none) or it.',
    "just": f'Simplify the plan "{" ".join(PLAN)}" by (one) or (two).',
    "first": 'Simplify the plan "(wave) (pick-up b1) (wave) (wave)".',
    "upper": 'Simplify the plan "(WAVE) (WAVE) (PICK-UP b1)".',
}
ROWS = {
    "app": row("applicable_actions_gen", ["(stack b1 b2)", "(stack b1 b10)", "(wave)"]),
    "app-one": row("applicable_actions_gen", ["(pick-up b1)"]),
    "app-none": row("applicable_actions_gen", []),
    "prog": row("progression_gen", {"pos": ["(arm-empty)", "(on b1 b2)"], "neg": ["(clear b2)"]}),
    "prog-gain": row("progression_gen", {"pos": ["(holding b1)"], "neg": []}),
    "prog-none": row("progression_gen", {"pos": [], "neg": []}),
    "land": row("landmarks_gen", {"yes": ["(holding b1)", "(arm-empty)"], "no": ["(holding b2)"]}),
    "land-none": row("landmarks_gen", {"yes": [], "no": ["(holding b2)"]}),
    "reach": row("reachable_atom_gen", ["on b1 b1"], answer_all=["on b1 b1", "on b2 b2"]),
    "reach-none": row("reachable_atom_gen", [], answer_all=[]),
    "areach": typed_row(
        UNREACHABLE[2:], answer_all=UNREACHABLE, answer_all_is="unreachable", typing=json.dumps(TYPING)
    ),
    "areach-few": typed_row(
        ["(go room1 room1)"],
        answer_all=["(go room1 room2)", "(rest)"],
        answer_all_is="reachable",
        typing=json.dumps(TYPING),
    ),
    "areach-none": typed_row([], answer_all=[], answer_all_is="unreachable", typing=json.dumps(TYPING)),
    "areach-published": typed_row(["(GO ROOM1 ROOM1)"]),
    "nexta": row("goal_closer_gen", CLOSER),
    "val": row("validation_gen", 2, sequence=SEQUENCE, question="Which index?"),
    "val-published": row("validation_gen", 2, question=ASKED["val"]),
    "just": row(
        "action_justification_gen", REMOVALS, plan=PLAN, positions=[2, 3, 2], question="Which (wave) (wave)?"
    ),
    "just-published": row("action_justification_gen", REMOVALS, question=ASKED["just"]),
    "just-first": row(
        "action_justification_gen", [["(wave)", "1"], ["(wave)", "3"]], question=ASKED["first"]
    ),
    "just-upper": row("action_justification_gen", [["(WAVE)", "(WAVE)", "-1"]], question=ASKED["upper"]),
    "mc-app": choice_row(
        "applicable_actions_mc",
        *("pick up block b2", "pick up block b1", "wave", "pick up block b10"),
        choices_pddl=["(pick-up b2)", "(pick-up b1)", "(wave)", "(pick-up b10)"],
    ),
    "mc-prog": choice_row(
        "progression_mcq",
        "The arm is empty and Block b1 is clear",
        "The arm is empty",
        "Block b1 is clear and Block b2 is clear",
        "Block b2 is held",
        choices_pddl=["(arm-empty) (clear b1)", "(arm-empty)", "(and (clear b1) (clear b2))", "(holding b2)"],
    ),
    "mc-val": choice_row(
        "validation_mcq",
        "The sequence is not valid",
        "The sequence is applicable, but does not achieve the goal",
        "The sequence is not applicable",
        "The sequence is a plan",
    ),
    "mc-just": choice_row(
        "action_justification_mcq",
        *("wave and wave", "wave and pick up block b1", "pick up block b2 and wave", "wave and sit"),
        choices_pddl=["(wave) (wave)", "(wave) (pick-up b1)", "(pick-up b2) (wave)", "(wave) (sit)"],
    ),
    "mc-reach": choice_row("reachable_atom_mc", "a on b", "b on a", "a on a", "b on b"),
    "mc-areach": choice_row("reachable_action_mc", "lift a", "lift b", "lift c", "lift d"),
    "mc-land": choice_row("landmarks_mcq", "c is a block", "a is clear", "b is clear", "d is clear"),
    "mc-twice": choice_row("applicable_actions_mc", "wave", "pick up block b1", "Wave", "(wave)"),
}
BOOLS = sorted(group for group in GRADERS if group.endswith("_bool"))
CHOICES = sorted(name for name in ROWS if name.startswith("mc-"))


def asked(name):
    """The rows that a case is tried on: ``bool-yes``, ``bool-no`` and ``mc`` stand for every kind."""
    if name.startswith("bool-"):
        return [{"group": group, "answer": name.removeprefix("bool-")} for group in BOOLS]
    return [ROWS[each] for each in CHOICES] if name == "mc" else [ROWS[name]]
