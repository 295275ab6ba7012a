"""Predictions for ``text_to_pddl``: problems in PDDL, by whether they are parseable, solvable and correct."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from orrery.scoring.problems.known import known_of
from orrery.scoring.problems.pairs import Costs, score_pair
from orrery.scoring.problems.solvability import ProofLimits
from orrery.scoring.scorer import Columns, DatasetRow, Scorer, option
from orrery.scoring.tally import Measures, ScoreRow, columns, if_any
from orrery.store.kinds import BOOL, INT, STRING, STRINGS, Schema, column, table

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

UNKNOWN = "unknown"
USED = (
    "id",
    "problem_pddl",
    "domain_pddl",
    "domain",
    "is_placeholder",
    "open_objects",
    "solvable",
    "init",
    "goal",
    "init_is_abstract",
    "goal_is_abstract",
    "init_num_propositions",
    "goal_num_propositions",
    "vocabulary",
)
GROUPS = ("domain", "mixture", "size", "is_placeholder", "vocabulary", "init", "goal")
SHARES = tuple(f"{view}{name}" for view in ("", "relaxed_") for name in ("parseable", "solvable", "correct"))
_BINS = (20, 40, 60, 80)


def _undecided(row: ScoreRow) -> Iterator[str]:
    """Yield what was left open, and why."""
    for name, reason in (("solvable", "solvable_reason"), ("correct", "reason")):
        if row[name] is None:
            yield f"{name}: {row[reason]}"


@dataclass(frozen=True)
class TextToPddlScorer(Scorer):
    """Score problems in PDDL: parseable, solvable, correct; and the same ignoring added types."""

    needed: ClassVar[tuple[str, ...]] = ("id", "problem_pddl")
    schema: ClassVar[Schema] = SCHEMA
    measures: ClassVar[Measures] = Measures(
        shares=columns(*SHARES),
        groups=columns(*GROUPS),
        listed={
            "errors": if_any("error"),
            "tolerated": lambda row: list(row["tolerated"]),
            "reasons": if_any("reason"),
            "undecided": _undecided,
            "remarks": if_any("remark"),
        },
        best="correct",
        shown=SHARES,
        printed=("errors", "tolerated", "undecided", "remarks"),
    )

    seconds: float = option(5.0, "Limit of one call of the planner.", min=0.0)

    @classmethod
    def reads(cls, column: str) -> bool:
        """Return whether scoring or grouping uses the column."""
        return column in USED

    @property
    def depends(self) -> Collection[Path]:
        """The folders of the domains."""
        return [path for name in ("domains", "generators") if (path := self.root / name).is_dir()]

    def score(self, row: DatasetRow, reply: str) -> Columns:
        """Return the verdicts on a problem, and what the row is grouped by."""
        known = known_of(self.root, str(row.get("domain") or ""), row.get("domain_pddl") or None)
        costs = Costs(solving=ProofLimits(seconds=self.seconds))
        return score_pair(reply, row, known=known, costs=costs).as_row() | groups(row)


SCORER = TextToPddlScorer


def groups(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row of text_to_pddl is counted under; ``unknown`` where it does not say."""
    abstract = [row.get(f"{part}_is_abstract") for part in ("init", "goal")]
    mixture = "-".join("abstract" if part else "explicit" for part in abstract)
    counts = [row.get(f"{part}_num_propositions") for part in ("init", "goal")]
    domain = str(row.get("domain") or UNKNOWN)
    return {
        "domain": domain,
        "mixture": UNKNOWN if None in abstract else mixture,
        "size": UNKNOWN if None in counts else size_bin(sum(map(int, filter(None, counts)))),
        "init": f"{domain}/{row.get('init') or UNKNOWN}",
        "goal": f"{domain}/{row.get('goal') or UNKNOWN}",
        "is_placeholder": int(row.get("is_placeholder") or 0),
        "vocabulary": str(row.get("vocabulary") or "plain"),
    }


def size_bin(propositions: int) -> str:
    """Return the bin of a number of propositions: ``1-20``, ``21-40``, ... ``81+``."""
    lower = 1
    for upper in _BINS:
        if propositions <= upper:
            return f"{lower}-{upper}"
        lower = upper + 1
    return f"{lower}+"
