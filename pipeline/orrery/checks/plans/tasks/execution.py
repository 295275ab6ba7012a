"""Check the state after a sequence by executing it on sets of facts."""

from __future__ import annotations

from orrery.checks.execution import execute, idle, ill_typed
from orrery.checks.plans.plan_row import PlanRow
from orrery.checks.task_check import QuestionContent, TaskCheck
from orrery.checks.verdicts import differing
from orrery.model import Row
from orrery.pddl.write import write_atom

FEWEST = 2


def _faults(view: PlanRow) -> list[str]:
    row, domain, problem, steps = view.row, view.domain, view.problem, view.steps("given_actions")
    if wrong := ill_typed(domain, problem, steps):
        return wrong
    run = execute(domain, problem, steps)
    if run.failed is not None:
        return [f"step {run.failed + 1} is not applicable"]
    changing = sorted(fact for fact in run.last if fact[0] in domain.fluents)
    true = {"num_steps": len(steps), "answer": [write_atom(fact) for fact in changing]}
    faults = differing(true, row) + idle(domain, problem, steps)
    faults += ["it shows one step alone"] * (len(steps) < FEWEST)
    return faults + ["the state is the same in the end"] * (run.last == problem.init)


def _reply(row: Row) -> str:
    return f"ANSWER: {' '.join(row['answer'])}"


CHECK = TaskCheck(
    ("given_actions", "num_steps", "answer"),
    _faults,
    _reply,
    content=lambda view: QuestionContent(lists=(tuple(view.steps("given_actions")),), said=(None,)),
)
