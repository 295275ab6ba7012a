"""Next action: an action after which the goal is one action nearer."""

from __future__ import annotations

import random

import pyarrow as pa

from orrery.families.drafts import Rejected
from orrery.families.questions.open_question import OpenQuestion, question_task
from orrery.families.questions.question_row import NONE, listed, proofs_of, written
from orrery.families.questions.state_record import StateRecord
from orrery.store.kinds import STRING, STRINGS, column


def ask(record: StateRecord, rng: random.Random) -> OpenQuestion:
    """Return a question for an action that begins a shortest plan, if each one is decided and some do not."""
    record.refuse_without_way()
    yes, no = record.optimal_first_actions, record.not_optimal_first_actions
    if (
        record.h_star is None
        or yes is None
        or no is None
        or sorted([*yes, *no]) != [action.step for action in record.applicable]
    ):
        raise Rejected("next actions not fully decided")
    if not no:
        raise Rejected("every applicable action brings the goal closer")
    answer = {"yes": written(yes), "no": written(no), "maybe": [], "opt": str(record.h_star)}
    return OpenQuestion(answer, proofs={"yes": proofs_of(yes), "no": proofs_of(no)})


_ANSWER = pa.struct(
    [
        *(pa.field(name, STRINGS, nullable=False) for name in ("yes", "no", "maybe")),
        pa.field("opt", STRING, nullable=False),
    ]
)
TASK = question_task(
    name="nexta",
    subject="actions that bring the goal closer",
    group="goal_closer",
    ask=ask,
    answer=column(
        "answer",
        _ANSWER,
        "Applicable actions after which the goal is one action nearer (`yes`) and the others (`no`); "
        "`maybe` is empty; `opt` is the number of actions that the goal needs",
    ),
    replies=lambda row: [listed([step]) for step in row["answer"]["yes"]] or [NONE],
)
