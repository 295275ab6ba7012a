"""Whole domains in PDDL, written from a description: compared with the gold domain, and put to use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from orrery.planners.adl_domain import SearchLimits
from orrery.planners.external_parsers import PARSERS
from orrery.scoring.domains.columns import (
    COMPONENTS,
    GROUPS,
    PARTS,
    SPELLED,
    accepted_name,
    columns_of,
    scores_schema,
)
from orrery.scoring.domains.evaluation import Effort, evaluate_all
from orrery.scoring.scorer import Columns, DatasetRow, Scorer, option
from orrery.scoring.tally import Measures, RatioOf, columns, if_any
from orrery.store.kinds import Schema

GOLD = ("gold_actions",)
SOLVABLE = ("solvable_problems",)
MEASURES = Measures(
    shares=columns("readable", "equal", "executable", *map(accepted_name, PARSERS)),
    means=(
        *(f"{name}_f1" for name in COMPONENTS),
        "levenshtein_ratio",
        "indel_ratio",
        *(f"spelled_{name}_f1" for name in SPELLED),
    ),
    ratios={
        "action_accuracy": RatioOf(("equal_actions",), GOLD),
        **{f"{part}_accuracy": RatioOf((f"correct_{part}",), GOLD) for part in PARTS},
        **{f"{part}_distance": RatioOf((f"distance_{part}",), GOLD, bounded=False) for part in PARTS},
        "solve_rate": RatioOf(("solved",), SOLVABLE),
        "undecided_rate": RatioOf(("undecided",), ("problems",)),
        "agreement": RatioOf(("agreeing",), ("problems",)),
        "exact_plan": RatioOf(("exact_plans",), SOLVABLE),
        "good_plan": RatioOf(("good_plans",), ("good_plans", "bad_plans")),
        "gold_plan": RatioOf(("gold_plans",), SOLVABLE),
    },
    groups=columns(*GROUPS),
    listed={
        "errors": if_any("error"),
        "findings": lambda row: [line.split(": ")[0] for line in row["findings"]],
        "outcomes": lambda row: [line.split(": ")[1] for line in row["verdicts"]],
    },
    best="equal",
    shown=("equal", "action_accuracy", "effects_f1", "solve_rate"),
    printed=("errors", "findings", "outcomes"),
    note="Distances: a gold action.",
)


@dataclass(frozen=True)
class DomainScorer(Scorer):
    """Score whole domains written from a description (table domain_modeling)."""

    headed: ClassVar[bool] = False  # whether a row gives the declarations, so that only actions count
    needed: ClassVar[tuple[str, ...]] = ("id", "gold_domain", "problems")
    schema: ClassVar[Schema] = scores_schema("domain_modeling")
    measures: ClassVar[Measures] = MEASURES
    block: ClassVar[int] = 20  # other parsers read so many in one process

    seconds: float = option(10.0, "Limit of one call of a planner.", min=0.0)
    parsers: bool = option(True, "Ask other readers of PDDL whether they accept the domain.")
    problems: bool = option(True, "Solve the gold problems with the predicted domain.")

    @classmethod
    def reads(cls, column: str) -> bool:
        """Return whether scoring or grouping uses the column."""
        return column in (*cls.needed, *GROUPS)

    def score(self, row: DatasetRow, reply: str) -> Columns:
        """Return all figures of one prediction."""
        return self.score_all([(row, reply)])[0]

    def score_all(self, replies: Sequence[tuple[DatasetRow, str]]) -> list[Columns]:
        """Return all figures of some predictions; each parser is started once."""
        effort = Effort(PARSERS if self.parsers else (), self.problems, SearchLimits(seconds=self.seconds))
        found = evaluate_all([(reply, row) for row, reply in replies], effort, headed=self.headed)
        return [columns_of(row, each) for (row, _), each in zip(replies, found, strict=True)]


SCORER = DomainScorer
