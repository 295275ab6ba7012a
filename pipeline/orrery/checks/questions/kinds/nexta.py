"""Check next actions by the distances in the whole state space; otherwise, by planner calls."""

from __future__ import annotations

from orrery.checks.questions.answers import different
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.task_check import QuestionCheck, QuestionView
from orrery.checks.verdicts import differing, undecided
from orrery.model import Step
from orrery.pddl.write import parse_atom, write_atom


def _faults(question: QuestionView) -> list[str]:
    """Return actions of ``yes`` that begin no shortest plan, and actions of ``no`` that begin one."""
    row, rechecked = question
    answer = row["answer"]
    faults = different("applicable", answer["yes"] + answer["no"], list(map(write_atom, rechecked.steps)))
    faults += ["maybe is not empty"] * bool(answer["maybe"])
    if rechecked.problem.satisfied(rechecked.problem.init):
        faults.append("the goal holds already")
    if rechecked.h_star is None:
        return [*faults, "there is no plan" if rechecked.solvable is False else undecided("the cost")]
    faults += differing({"opt": str(rechecked.h_star)}, answer)
    applicable = set(rechecked.steps)
    yes, no = ([s for s in map(parse_atom, answer[side]) if s in applicable] for side in ("yes", "no"))
    return faults + _next_faults(rechecked, yes, no)


def _next_faults(rechecked: RecheckedState, yes: list[Step], no: list[Step]) -> list[str]:
    """Return actions on the wrong side.

    One planner call decides those of ``no`` together; if it fails, each gets a call of its own.
    """
    verdicts = {step: rechecked.leads_on(step) for step in yes}
    away = rechecked.lead_away(no)
    verdicts |= {
        step: rechecked.leads_on(step) if away is False else (not away if away else None) for step in no
    }
    faults = [f"{write_atom(step)} does not bring the goal closer" for step in yes if verdicts[step] is False]
    faults += [f"{write_atom(step)} brings the goal closer" for step in no if verdicts[step]]
    still_open = sum(verdict is None for verdict in verdicts.values())
    return faults + ([undecided(f"{still_open} of {len(verdicts)} next actions")] if still_open else [])


CHECK = QuestionCheck(
    groups={"gen": "goal_closer_gen"},
    columns=("answer",),
    faults=_faults,
    reply=lambda row: row["answer"]["yes"][0] if row["answer"]["yes"] else "",
    proven=(
        (("optimal_first_actions",), "optimal_first_actions_proofs"),
        (("not_optimal_first_actions",), "not_optimal_first_actions_proofs"),
    ),
    proof_lists=("yes", "no"),
)
