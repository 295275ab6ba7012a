"""Check landmarks with the whole state space, or by planner calls that avoid a fact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orrery.checks.questions.answers import fact_of, landmark_faults
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import QuestionCheck, QuestionView
from orrery.checks.verdicts import undecided
from orrery.model import OrreryError
from orrery.pddl.write import parse_atom


def _faults(question: QuestionView) -> list[str]:
    """Return stored landmarks that some plan avoids, and other candidates that no plan avoids."""
    row, rechecked = question
    yes, no = (list(map(parse_atom, row["answer"][side])) for side in ("yes", "no"))
    faults = list[str]()
    if rechecked.problem.satisfied(rechecked.problem.init):
        faults.append("the goal holds already")
    if rechecked.solvable is None:
        return [*faults, undecided("the plan")]
    if not rechecked.solvable:
        return [*faults, "there is no plan"]
    return faults + landmark_faults(rechecked, yes, no)


def _holds(claim: Mapping[str, Any], rechecked: RecheckedState) -> bool | None:
    fact = fact_of(claim["fact"], rechecked)
    if fact in rechecked.problem.init | rechecked.problem.goal_facts:
        raise OrreryError("claim", f"{claim['fact']} holds now, or is part of the goal")
    if not rechecked.solvable:
        if rechecked.solvable is None:
            return None
        raise OrreryError("claim", "there is no plan")
    return rechecked.is_landmark(fact)


CHECK = QuestionCheck(
    groups={"gen": "landmarks_gen", "bool": "landmarks_bool", "mcq": "landmarks_mcq"},
    columns=("answer",),
    faults=_faults,
    reply=lambda row: row["answer"]["yes"][0] if row["answer"]["yes"] else "",
    keys=frozenset({"fact"}),
    holds=_holds,
    proven=((("landmarks_yes", "landmarks_no"), "landmark_proofs"),),
    proof_lists=("yes", "no"),
)
