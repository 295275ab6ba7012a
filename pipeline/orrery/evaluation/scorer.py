"""The scorer for Inspect: the score that ``orrery.score`` gives, for rows of any table."""

from __future__ import annotations

from anyio import to_thread
from inspect_ai.scorer import Score, Scorer, Target, accuracy, grouped, scorer, stderr
from inspect_ai.solver import TaskState

from orrery.evaluation.asked import AskedTable
from orrery.scoring.scorer import UNDECIDED

BY_DOMAIN = "domain"


@scorer(
    metrics=[
        accuracy(),
        stderr(),
        grouped(accuracy(), BY_DOMAIN, all=False),
        grouped(stderr(), BY_DOMAIN, all=False, name_template="{group_name}_stderr"),
    ]
)
def graded(table: AskedTable) -> Scorer:
    """Return the scorer of a table's samples.

    What a budget leaves undecided is unscored, as Inspect has it: kept, counted, and no part of any metric.

    Args:
        table: the items, by the ids of the samples.
    """

    async def score(state: TaskState, target: Target) -> Score | None:
        reply = None if state.output.empty else state.output.completion
        if reply is None:
            return Score.unscored(reason="no reply")
        grade = await to_thread.run_sync(table.score, str(state.sample_id), reply)
        metadata = {"verdict": grade.verdict, **grade.parts}
        if grade.verdict == UNDECIDED:
            return Score.unscored(reason=UNDECIDED, explanation=grade.detail, metadata=metadata)
        return Score(value=grade.value, answer=reply, explanation=grade.detail, metadata=metadata)

    return score
