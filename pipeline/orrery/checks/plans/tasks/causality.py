"""Check causal links of a plan by executing steps: who produces a fact, and what fails without a step."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.checks.execution import added_facts, execute, idle, ill_typed, preconditions
from orrery.checks.plans.plan_row import PlanRow
from orrery.checks.task_check import QuestionContent, TaskCheck
from orrery.checks.verdicts import differing
from orrery.model import Literal, Row, Step
from orrery.pddl.write import parse_atom

PROVIDER, FAILS = "provider", "fails"


def _faults(view: PlanRow) -> list[str]:
    row, domain, problem, steps = view.row, view.domain, view.problem, view.steps("given_actions")
    if wrong := ill_typed(domain, problem, steps):
        return wrong
    run, at = execute(domain, problem, steps), row["step"]
    if run.failed is not None:
        return [f"step {run.failed + 1} is not applicable"]
    if not 1 <= at <= len(steps):
        return [f"step is {at}, {len(steps)} are shown"]
    faults = idle(domain, problem, steps)
    if row["question_type"] == PROVIDER:
        fact = parse_atom(row["fact"])
        if Literal(fact) not in preconditions(domain, steps[at - 1]):
            return [*faults, f"step {at} does not need {row['fact']}"]
        answer = _provider(view, steps[: at - 1], fact)
    elif row["question_type"] == FAILS:
        faults += ["fact: none is asked about"] * (row["fact"] != "")
        failed = execute(domain, problem, [*steps[: at - 1], *steps[at:]]).failed
        if failed is None:
            return [*faults, f"nothing fails without step {at}"]
        answer = failed + 2  # step numbers are those of the shown plan, from 1
    else:
        return [*faults, f"'{row['question_type']}' means nothing"]
    faults += ["it is the step beside"] * (abs(answer - at) == 1)
    return faults + differing({"answer": answer}, row)


def _provider(view: PlanRow, before: Sequence[Step], fact: tuple[str, ...]) -> int:
    """Return the last of the steps that adds a fact, counted from 1; 0 if no step adds it."""
    return max((n for n, step in enumerate(before, 1) if fact in added_facts(view.domain, step)), default=0)


def _content(view: PlanRow) -> QuestionContent:
    row = view.row
    fact = parse_atom(row["fact"]) if row["fact"] else None
    arguments = (None, row["question_type"], row["step"], None)
    return QuestionContent(
        lists=(tuple(view.steps("given_actions")),), numbers=(row["step"],), fact=fact, said=arguments
    )


def _reply(row: Row) -> str:
    return f"ANSWER: {row['answer']}"


CHECK = TaskCheck(
    ("question_type", "given_actions", "step", "fact", "answer"), _faults, _reply, content=_content
)
