"""From rows of the tables ``problems`` and ``states`` to what questions are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from orrery.families.questions.state_record import StateRecord
from orrery.model import Atom, Domain, Step
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_atom

Row = Mapping[str, Any]


def state_record(domain: Domain, row: Row) -> StateRecord:
    """The state in place of the initial one, with what is proven of it; ``row`` joins problem and state."""
    problem = read_problem(row["problem_pddl"], domain, row["problem_id"])
    problem = replace(problem, init=frozenset(map(parse_atom, row["state"])))
    yes, no = row["landmarks_yes"], row["landmarks_no"]
    proofs = row["landmark_proofs"]
    settled, nexts = row["landmarks_complete"], row["next_complete"]
    listed = row["actions_complete"] and row["unreachable_listed"]
    return StateRecord(
        domain=domain,
        problem=problem,
        problem_id=row["problem_id"],
        source=row["source"],
        step=row["step"],
        solvable=row["solvable"],
        h_star=row["h_star"],
        landmarks=_proven(yes, proofs[: len(yes)]) if settled else None,
        not_landmarks=_proven(no, proofs[len(yes) :]) if settled else None,
        unreachable=_proven(row["unreachable_facts"], row["unreachable_fact_proofs"])
        if row["facts_complete"]
        else None,
        plan=_plan(row, goal_holds=problem.satisfied(problem.init)),
        plan_optimal=row["plan_optimal"],
        closer=_proven(row["closer"], row["closer_proofs"]) if nexts else None,
        not_closer=_proven(row["not_closer"], row["not_closer_proofs"]) if nexts else None,
        reachable_actions=frozenset(map(parse_atom, row["reachable_actions"]))
        if row["actions_complete"]
        else None,
        unreachable_actions=_proven(row["unreachable_actions"], row["unreachable_action_proofs"])
        if listed
        else None,
        num_steps=row["num_steps"],
        num_unreachable_actions=row["num_unreachable_actions"],
        num_states=row["num_states"],
        difficulty=row["difficulty"],
        seed_path=row["seed_path"],
    )


def _plan(row: Row, goal_holds: bool) -> tuple[Step, ...] | None:
    """The plan; one without steps is one only where the goal holds."""
    return tuple(map(parse_atom, row["plan"])) if row["plan"] or goal_holds else None


def _proven(facts: list[str], proofs: list[str]) -> dict[Atom, str]:
    return {parse_atom(fact): proof for fact, proof in zip(facts, proofs, strict=True)}
