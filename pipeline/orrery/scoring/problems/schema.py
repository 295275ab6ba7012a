"""The schema of the scores for problems in PDDL."""

from __future__ import annotations

from orrery.store.kinds import BOOL, INT, STRING, STRINGS, column, table

_NO_PROBLEM = "false where no problem could be read, null where undecided"

SCHEMA = table(
    "scores",
    "Scores of model outputs for text_to_pddl",
    column("id", STRING, "The row of text_to_pddl"),
    column("sample", STRING, "Which output for that row; empty where there is one"),
    column("parseable", BOOL, "Whether a :strips problem of the domain can be read out of the output"),
    column("solvable", BOOL, f"Whether that problem has a plan; {_NO_PROBLEM}", nullable=True),
    column("correct", BOOL, f"Whether it is equivalent to the gold; {_NO_PROBLEM}", nullable=True),
    column("reason", STRING, "Which check decided `correct`, or what was left open"),
    column("solvable_reason", STRING, "Which route decided `solvable`, or what ended it"),
    column("error", STRING, "Class of the error where nothing could be read, else empty"),
    column("relaxed_parseable", BOOL, "As `parseable`, ignoring added types"),
    column("relaxed_solvable", BOOL, "As `solvable`, ignoring added types", nullable=True),
    column("relaxed_correct", BOOL, "As `correct`, ignoring added types", nullable=True),
    column("relaxed_reason", STRING, "As `reason`, ignoring added types"),
    column("relaxed_solvable_reason", STRING, "As `solvable_reason`, ignoring added types"),
    column("relaxed_error", STRING, "As `error`, ignoring added types"),
    column("detail", STRING, "What exactly is wrong with the output"),
    column("tolerated", STRINGS, "What was tolerated in reading the output, sorted"),
    column(
        "remark",
        STRING,
        "How the domain's planner or rule failed, or that the row lacks `open_objects`; else empty",
    ),
    column("domain", STRING, "Name of the planning domain"),
    column("mixture", STRING, "`explicit-explicit`, `explicit-abstract`, ... for init and goal"),
    column("size", STRING, "Number of propositions of the gold, in bins"),
    column("init", STRING, "Configuration of the initial state, as `<domain>/<configuration>`"),
    column("goal", STRING, "Configuration of the goal, as `<domain>/<configuration>`"),
    column("is_placeholder", INT, "1 if exchanging the row's open objects can change the goal"),
    column("vocabulary", STRING, "`plain`, or the obfuscated vocabulary of the row"),
    key=("id", "sample"),
)
