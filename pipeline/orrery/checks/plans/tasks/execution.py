"""The state after a sequence, by carrying it out on sets of facts."""

from __future__ import annotations

from orrery.checks.execution import execute, idle, ill_typed
from orrery.checks.plans.asked import Asked, Row
from orrery.checks.task_check import QuestionContent, TaskCheck
from orrery.checks.verdicts import differing
from orrery.pddl.write import write_atom

FEWEST = 2


def _faults(asked: Asked) -> list[str]:
    row, domain, init, steps = asked.row, asked.domain, asked.problem.init, asked.steps("shown")
    if wrong := ill_typed(domain, asked.problem, steps):
        return wrong
    run = execute(domain, init, steps)
    if run.failed is not None:
        return [f"step {run.failed + 1} is not applicable"]
    changing = sorted(fact for fact in run.last if fact[0] in domain.fluents)
    true = {"num_steps": len(steps), "answer": [write_atom(fact) for fact in changing]}
    found = differing(true, row) + idle(domain, init, steps)
    found += ["it shows one step alone"] * (len(steps) < FEWEST)
    return found + ["the state is the same in the end"] * (run.last == init)


def _reply(row: Row) -> str:
    return f"ANSWER: {' '.join(row['answer'])}"


CHECK = TaskCheck(
    ("shown", "num_steps", "answer"),
    _faults,
    _reply,
    content=lambda asked: QuestionContent(lists=(tuple(asked.steps("shown")),), said=(None,)),
)
