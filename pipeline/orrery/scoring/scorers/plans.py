"""Replies to plan tasks: plans written, checked, repaired and followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from orrery.grading import Score
from orrery.grading.pddl import UngradedConstruct
from orrery.grading.plans.plan_reply import read_plan
from orrery.grading.plans.simulation import fault_in
from orrery.grading.plans.tasks import plan
from orrery.grading.row import Atom
from orrery.grading.score import UnreadableAnswer
from orrery.grading.symbols import problem_of
from orrery.pddl.faults import SourceText
from orrery.planning.any_plan import check_any_plan
from orrery.scoring.grades import UNREAD, GradeScorer, verdict_measures
from orrery.scoring.scorer import DatasetRow, message
from orrery.scoring.tally import Measures, columns

JUDGED_BY = (
    "group",
    "domain_pddl",
    "problem_pddl",
    "nl_templates",
)  # fields of a plan row, all stated in the prompt
PARTS = {
    "cost_ratio": "The least cost by that of the plan, 0 where it is none; null for other tasks",
    "f1": "F1 of the facts of the state; null for other tasks",
    "verdict_right": "1 if it is right whether a plan is valid; null for other tasks",
    "step_right": "1 if the step that fails is right; null for other tasks",
    "literals_right": "1 if the literals that do not hold are right; null for other tasks",
}


# The group of replies that should get the same verdict; null if the row has no twin group.
_TWINS = "case when twin_group <> '' then [twin_group, vocabulary, sample] end"


@dataclass(frozen=True)
class PlanScorer(GradeScorer):
    """Grade plans and answers about plans in replies to the plan tables."""

    needed: ClassVar[tuple[str, ...]] = (
        "id",
        "group",
        "domain",
        "domain_pddl",
        "problem_pddl",
        "nl_templates",
    )
    replies_to: ClassVar[tuple[str, str]] = ("the tasks of planning", "a table of plans")
    unread: ClassVar[frozenset[str]] = UNREAD | {"question", "given_problem_pddl", "given_examples"}
    labels: ClassVar[Mapping[str, str]] = {
        "group": "The table of the row",
        "task": "What is asked: `generation`, `optimal`, `verification` and so on",
        "domain": "Name of the planning domain",
        "vocabulary": "`plain`, or the obfuscated names that the row uses",
        "form": "How the goal is told; empty where that is not what is measured",
        "twin_group": "Equal for the rows of one problem in several forms; else empty",
    }
    parts: ClassVar[Mapping[str, str]] = PARTS
    measures: ClassVar[Measures] = verdict_measures(
        means=columns(*PARTS),
        groups={**columns("domain", "task", "vocabulary"), "form": "nullif(form, '')"},
        alike={"groups answered alike": _TWINS},
    )

    def labelled(self, row: DatasetRow) -> dict[str, str]:
        """Return the labels of a row; the task of a row that does not name it is that of its group."""
        labels = super().labelled(row)
        return {**labels, "task": labels["task"] or labels["group"].partition("_")[2]}

    def score(self, reply: str, row: DatasetRow) -> Score:
        """Return the verdict of the grader of the row's group; plans of any PDDL are executed."""
        try:
            return super().score(reply, row)
        except UngradedConstruct:
            group = str(row["group"])
            if group not in plan.CHECKS:
                raise
            return plan.CHECKS[group](plan.GRADERS[group].read(reply, row), row, _fault_of)

    def feedback(self, reply: str, row: DatasetRow, score: Score) -> str:
        """Return the first fault of a plan; for tasks without a plan as answer, feedback as for questions."""
        if str(row["group"]) not in plan.GRADERS:
            return super().feedback(reply, row, score)
        prompt_columns = {name: row[name] for name in JUDGED_BY}
        try:
            steps = read_plan(reply, prompt_columns)
        except UnreadableAnswer as reason:
            return message(self.root, "plan", fault=str(reason), read=False)
        # Feedback never reveals whether a plan exists.
        fault = _fault_of(prompt_columns, steps) if steps else ""
        return message(self.root, "plan", fault=fault, read=True) if fault else ""


def _fault_of(row: DatasetRow, steps: Sequence[tuple[Atom, int]]) -> str:
    """Return why numbered steps are not a plan for a row of any PDDL; empty if they are one.

    Raises:
        OrreryError: the PDDL is faulty, or cannot be executed.
    """
    try:
        return fault_in(problem_of(row), steps)
    except UngradedConstruct:
        domain, problem = (
            SourceText(row[f"{part}_pddl"], f"row {row.get('id', '')}, {part}")
            for part in ("domain", "problem")
        )
        verdict = check_any_plan(domain, problem, [step for step, _ in steps])
        place = "" if verdict.failed_at is None else f"step {verdict.failed_at + 1}: "
        return "" if verdict.valid else f"{place}{verdict.reason}"


SCORER = PlanScorer
