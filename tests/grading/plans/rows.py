"""Small rows of every task about plans, made by hand of the domains of the collection."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from orrery.families.plans.words import phrases_of
from orrery.language.words import Words
from orrery.pddl.read import read_domain

ROOT = Path(__file__).parents[3]
TEMPLATES = ROOT / "templates"


@cache
def domain_text(name):
    return (ROOT / "domains" / name / "domain.pddl").read_text(encoding="utf-8")


@cache
def phrases(name):
    """All wordings of a domain, with {0}, {1} for arguments, as rows have them."""
    return phrases_of(Words(name, TEMPLATES), read_domain(domain_text(name)))


def problem(domain, objects, init, goal):
    return f"(define (problem p) (:domain {domain}) (:objects {objects}) (:init {init}) (:goal (and {goal})))"


def row(task, domain, problem_pddl, **overrides):
    return {
        "group": f"plan_{task}", "task": task, "domain": domain, "domain_pddl": domain_text(domain),
        "problem_pddl": problem_pddl, "nl_templates": phrases(domain), **overrides,
    }  # fmt: skip


BLOCKS = problem(
    "blocksworld",
    "a b c",
    "(clear a) (on a b) (on-table b) (arm-empty) (clear c) (on-table c)",
    "(on b c) (not (on a b))",
)
BLOCKS_PLAN = ["(unstack a b)", "(putdown a)", "(pickup b)", "(stack b c)"]
FERRY = problem(
    "ferry",
    "c0 c1 - car l0 l1 - location",
    "(at c0 l0) (at c1 l1) (at-ferry l0) (empty-ferry) (passage l0 l1) (passage l1 l0)",
    "(at c0 l1) (at-ferry l0)",
)
FERRY_PLAN = ["(board c0 l0)", "(sail l0 l1)", "(debark c0 l1)", "(sail l1 l0)"]
FERRY_COSTS = {"board": 1, "debark": 1, "sail": 3}
STUCK = problem("ferry", "c0 - car l0 l1 - location", "(at c0 l0) (at-ferry l1) (empty-ferry)", "(at c0 l1)")

ROWS = {
    "blocks": row("generation", "blocksworld", BLOCKS, plan=BLOCKS_PLAN),
    "ferry": row("generation", "ferry", FERRY, plan=FERRY_PLAN),
    "optimal": row(
        "optimal", "ferry", FERRY, plan=FERRY_PLAN, cost=13, action_costs=json.dumps(FERRY_COSTS),
        object_costs=json.dumps({"l0": 1, "c0": 1}),
    ),
    **{
        task: row(task, "ferry", FERRY, plan=FERRY_PLAN)
        for task in ("reuse", "replanning", "reformulation", "generalization")
    },
    "solvable": row("solvability", "ferry", FERRY, plan=FERRY_PLAN, solvable=True),
    "unsolvable": row("solvability", "ferry", STUCK, plan=[], solvable=False),
    "valid": row(
        "verification", "blocksworld", BLOCKS, given_actions=BLOCKS_PLAN, valid=True, fails_at=0, missing=[]
    ),
    "fails": row(
        "verification", "blocksworld", BLOCKS, valid=False, fails_at=3, missing=["(arm-empty)", "(clear b)"],
        given_actions=["(unstack a b)", "(stack a b)", "(pickup b)", "(stack b c)"],
    ),
    "misses": row(
        "verification", "blocksworld", BLOCKS, valid=False, fails_at=0,
        missing=["(on b c)", "(not (on a b))"], given_actions=["(unstack a b)", "(stack a b)"],
    ),
    "execution": row(
        "execution", "ferry", FERRY, given_actions=FERRY_PLAN[:3], num_steps=3,
        answer=["(at c0 l1)", "(at c1 l1)", "(at-ferry l1)", "(empty-ferry)"],
    ),
    "provider": row(
        "causality", "ferry", FERRY, question_type="provider", given_actions=FERRY_PLAN, step=3,
        fact="(on c0)", answer=1,
    ),
    "initially": row(
        "causality", "ferry", FERRY, question_type="provider", given_actions=FERRY_PLAN, step=2,
        fact="(passage l0 l1)", answer=0,
    ),
    "follows": row(
        "causality", "ferry", FERRY, question_type="fails", given_actions=FERRY_PLAN, step=1,
        fact="", answer=3,
    ),
}  # fmt: skip
