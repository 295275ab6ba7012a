"""The columns of the question tables: eight kinds with open answers, seven as yes/no and as choice.

The published columns come first, under their names and types, so that graders of the published sets
read our rows; ours follow.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from orrery.families.problems.schemas import (
    DIFFICULTY,
    DOMAIN,
    NUM_ACTIONS,
    NUM_FACTS,
    NUM_OBJECTS,
    NUM_STATES,
    PROBLEM_ID,
    SEED_PATH,
)
from orrery.store.kinds import (
    INT,
    INTS,
    LONG,
    STRING,
    STRING_LISTS,
    STRINGS,
    Field,
    Schema,
    by_name,
    column,
    struct,
    table,
)

SUBJECTS = {
    "app": "applicable actions",
    "areach": "actions out of reach",
    "just": "superfluous steps of a plan",
    "land": "landmarks",
    "nexta": "actions that bring the goal closer",
    "prog": "the effects of an action",
    "reach": "facts out of reach",
    "val": "the first step of a sequence that cannot be taken",
}
CLOSED = ("app", "areach", "just", "land", "prog", "reach", "val")  # kinds with yes/no and choice

_NEXT = pa.struct(
    [
        *(pa.field(name, STRINGS, nullable=False) for name in ("yes", "no", "maybe")),
        pa.field("opt", STRING, nullable=False),
    ]
)
_PDDL = (
    column("PDDL_domain", STRING, "The domain in PDDL"),
    column("PDDL_problem", STRING, "The problem in PDDL; its init is the state asked about"),
)
_OURS = (
    DOMAIN,
    PROBLEM_ID,
    column("kind", STRING, "Kind of the question"),
    column("context_pddl", STRING, "The context with PDDL in place of words: domain and problem"),
    column("context_both", STRING, "The context in words, followed by domain and problem in PDDL"),
    column("question_pddl", STRING, "The question with its facts and actions in PDDL alone"),
    column("state_source", STRING, "Where the state comes from: `initial`, `plan`, `diverse` or `walk`"),
    column("state_step", INT, "Number of steps between the initial state and the state asked about"),
    DIFFICULTY,
    NUM_OBJECTS,
    NUM_FACTS.with_nullable(False),
    NUM_ACTIONS.with_nullable(False),
    NUM_STATES,
    column("branching", INT, "Number of actions applicable in the state"),
    column("h_star", INT, "Fewest actions from the state to the goal; null if not proven", nullable=True),
    column("proofs", STRING, "JSON: how each stored element of the answer is known"),
    SEED_PATH,
)  # fmt: skip
_ASKED = (
    column("id", STRING, "Name of the row: `<problem>/<source>-<step>/<kind>`, then the format if not open"),
    column("group", STRING, "Kind and format of the question"),
    column("context", STRING, "The domain, the state and what the question needs, in words"),
)


def _open(kind: str, answer_kind: Any, answer: str, *more: Field) -> Schema:
    """The table of open questions of a kind; ``more`` are columns that only this kind has."""
    return table(
        f"acp_{kind}_gen",
        f"Open questions on {SUBJECTS[kind]}",
        *_ASKED,
        column("question", STRING, "The question"),
        column("answer", answer_kind, answer),
        *_PDDL,
        *_OURS,
        *more,
    )


def _yes_no(kind: str) -> Schema:
    return table(
        f"acp_{kind}_bool",
        f"Yes/no questions on {SUBJECTS[kind]}",
        *_ASKED,
        column("question", STRING, "The question"),
        column("answer", STRING, "`yes` or `no`"),
        *_PDDL,
        *_OURS,
        column("claim", STRING, "JSON: the claim that is asked about, in PDDL"),
        column("form", STRING, "Kind of the claim: how it was made"),
    )


def _choice(kind: str) -> Schema:
    return table(
        f"acp_{kind}_mcq",
        f"Multiple-choice questions on {SUBJECTS[kind]}",
        *_ASKED,
        column("question", STRING, "The question with its four options"),
        column("choices", struct("text", "label"), "The options and their labels, in order"),
        column("query", STRING, "The question without its options"),
        column("answer", STRING, "Label of the right option"),
        *_PDDL,
        *_OURS,
        column("choices_pddl", STRINGS, "The options in PDDL"),
        column("claims", STRING, "JSON: what each option claims, in PDDL"),
        column("forms", STRINGS, "Kind of each option: how it was made"),
    )


_REMOVALS = (
    "Every removal that leaves a valid plan: `[a, b, -1]` for two consecutive actions, "
    "`[a, k]` for the k-th occurrence of one"
)
_NEVER = "actions that no reachable state allows"

OPEN: dict[str, Schema] = by_name(
    _open("app", STRINGS, "All ground actions applicable in the state"),
    _open(
        "areach",
        STRINGS,
        f"Well-typed ground {_NEVER}, empty if there are none; 50 where they are more than 2000",
        column("answer_all", STRINGS, f"The {_NEVER}, or all others, whichever are fewer"),
        column("answer_all_is", STRING, "Which of the two `answer_all` holds: `unreachable` or `reachable`"),
        column("num_unreachable", LONG, f"Number of well-typed ground {_NEVER}"),
        column(
            "typing", STRING,
            "JSON: `actions`, the types that each argument of an action accepts; `objects`, the names by "
            "type, subtypes included",
        ),
    ),
    _open(
        "just", STRING_LISTS, _REMOVALS,
        column("plan", STRINGS, "The plan to simplify"),
        column("positions", INTS, "Where in the plan each removal of `answer` starts, counted from 0"),
    ),
    _open("land", struct("yes", "no"), "Facts every plan makes true (`yes`) and all other candidates (`no`)"),
    _open(
        "nexta", _NEXT,
        "Applicable actions after which the goal is one action nearer (`yes`) and the others (`no`); "
        "`maybe` is empty; `opt` is the number of actions that the goal needs",
    ),
    _open(
        "prog", struct("pos", "neg"), "Facts that become true (`pos`) and facts that become false (`neg`)"
    ),
    _open(
        "reach",
        STRINGS,
        "Facts that hold in no reachable state, without parentheses; at most 50, empty if there are none",
        column("answer_all", STRINGS, "All facts that hold in no reachable state"),
    ),
    _open(
        "val", INT, "Index, from 0, of the first action of the sequence that is not applicable in its turn",
        column("sequence", STRINGS, "The sequence of actions"),
    ),
)  # fmt: skip

QUESTIONS: dict[str, Schema] = OPEN | by_name(*map(_yes_no, CLOSED)) | by_name(*map(_choice, CLOSED))
