"""The table of scores: one row an output, with its verdicts, their reasons, and what to group it by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orrery.scoring.pairs import ProblemScore
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
    column("tolerated", STRINGS, "What was put up with in reading the output, sorted"),
    column("remark", STRING, "What is to be said of the domain's planner where it failed, else empty"),
    column("domain", STRING, "Name of the planning domain"),
    column("mixture", STRING, "`explicit-explicit`, `explicit-abstract`, ... for init and goal"),
    column("size", STRING, "Number of propositions of the gold, in bins"),
    column("init", STRING, "Configuration of the initial state, as `<domain>/<configuration>`"),
    column("goal", STRING, "Configuration of the goal, as `<domain>/<configuration>`"),
    column("is_placeholder", INT, "1 if the goal's objects may be exchanged"),
    column("vocabulary", STRING, "`plain`, or the obfuscated vocabulary of the row"),
    key=("id", "sample"),
)

UNKNOWN = "unknown"
_BINS = (20, 40, 60, 80)


def result(row: Mapping[str, Any], sample: str, score: ProblemScore) -> dict[str, Any]:
    """One row of the table."""
    return {"id": str(row["id"]), "sample": sample} | score.as_row() | groups(row)


def groups(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a row of text_to_pddl is counted under; ``unknown`` where it does not say."""
    sides = [row.get(f"{side}_is_abstract") for side in ("init", "goal")]
    mixture = "-".join("abstract" if side else "explicit" for side in sides)
    counts = [row.get(f"{side}_num_propositions") for side in ("init", "goal")]
    domain = str(row.get("domain") or UNKNOWN)
    return {
        "domain": domain,
        "mixture": UNKNOWN if None in sides else mixture,
        "size": UNKNOWN if None in counts else size_bin(sum(map(int, filter(None, counts)))),
        "init": f"{domain}/{row.get('init') or UNKNOWN}",
        "goal": f"{domain}/{row.get('goal') or UNKNOWN}",
        "is_placeholder": int(row.get("is_placeholder") or 0),
        "vocabulary": str(row.get("vocabulary") or "plain"),
    }


def size_bin(propositions: int) -> str:
    """The bin of a number of propositions: ``1-20``, ``21-40``, ... ``81+``."""
    lower = 1
    for upper in _BINS:
        if propositions <= upper:
            return f"{lower}-{upper}"
        lower = upper + 1
    return f"{lower}+"
