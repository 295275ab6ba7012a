"""Check a large problem with small examples: they are smaller, solved, and do not solve it after renaming."""

from __future__ import annotations

from orrery.checks.execution import plan_faults
from orrery.checks.plans.plan_row import PlanRow, plan_reply, stored_plan_faults
from orrery.checks.task_check import QuestionContent, TaskCheck
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_atom

FEWEST, MOST = 2, 3  # number of examples


def _faults(view: PlanRow) -> list[str]:
    row, examples = view.row, view.row["given_examples"]
    faults = stored_plan_faults(view)
    if not FEWEST <= len(examples) <= MOST:
        faults.append(f"shows {len(examples)} examples")
    fewest = row["horizon"]["lower"] if row["horizon"] else None
    if fewest is None:
        faults.append("no lower bound is known, so that an example might solve it under other names")
    for number, example in enumerate(examples, 1):
        place = f"example {number}"
        problem = read_problem(example["problem_pddl"], view.domain, row["id"])
        faults += plan_faults(view.domain, problem, list(map(parse_atom, example["plan"])), place)
        faults += [f"{place}: is not smaller"] * (len(problem.objects) >= len(view.problem.objects))
        faults += [f"{place}: the goal holds at the start"] * problem.satisfied(problem.init)
        if fewest is not None and len(example["plan"]) >= fewest:
            faults.append(f"{place}: its plan is as long as one that is asked for")
    if len({example["problem_pddl"] for example in examples}) < len(examples):
        faults.append("shows an example twice")
    return faults


def _content(view: PlanRow) -> QuestionContent:
    examples = view.row["given_examples"]
    texts = [example["problem_pddl"] for example in examples]
    return QuestionContent(
        lists=tuple(tuple(map(parse_atom, example["plan"])) for example in examples),
        problems=tuple(read_problem(text, view.domain, view.row["id"]) for text in texts),
    )


CHECK = TaskCheck(("given_examples", "plan", "plan_length"), _faults, plan_reply, content=_content)
