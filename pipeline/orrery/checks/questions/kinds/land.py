"""Check landmarks with the whole state space, or by planner calls that avoid a fact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orrery.checks.questions.answers import different, fact_of, is_fact
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import QuestionCheck, QuestionView
from orrery.checks.verdicts import undecided
from orrery.model import OrreryError
from orrery.pddl.write import parse_atom, write_atom


def _faults(question: QuestionView) -> list[str]:
    """Return stored landmarks that some plan avoids, and other candidates that no plan avoids."""
    row, rechecked = question
    yes, no = (list(map(parse_atom, row["answer"][side])) for side in ("yes", "no"))
    trivial = rechecked.problem.init | rechecked.problem.goal_facts
    universe = [write_atom(fact) for fact in rechecked.facts if fact not in trivial]
    faults = different("candidates", [write_atom(fact) for fact in sorted(yes + no)], universe)
    if rechecked.problem.satisfied(rechecked.problem.init):
        faults.append("the goal holds already")
    if rechecked.solvable is None:
        return [*faults, undecided("the plan")]
    if not rechecked.solvable:
        return [*faults, "there is no plan"]
    verdicts = {fact: rechecked.is_landmark(fact) for fact in [*yes, *no] if is_fact(fact, rechecked)}
    faults += [f"{write_atom(fact)} is no landmark" for fact in yes if verdicts.get(fact) is False]
    faults += [f"{write_atom(fact)} is a landmark" for fact in no if verdicts.get(fact) is True]
    still_open = sum(verdict is None for verdict in verdicts.values())
    return faults + ([undecided(f"{still_open} of {len(verdicts)} landmarks")] if still_open else [])


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
