"""Whole domains in PDDL, written from a description: comparison with the gold, and solved problems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from orrery.grading import UNPARSED, Score
from orrery.pddl.tolerant import read_actions, read_adl
from orrery.planning.adl_domain import SearchLimits
from orrery.planning.external_parsers import PARSERS, TARSKI
from orrery.scoring.domains.columns import (
    COMPONENTS,
    GROUPS,
    PARTS,
    SPELLED,
    accepted_name,
    columns_of,
    scores_schema,
)
from orrery.scoring.domains.evaluation import EvaluationOptions, evaluate, evaluate_all
from orrery.scoring.scorer import Columns, DatasetRow, Scorer, message, option, verdict_of
from orrery.scoring.tally import Measures, RatioOf, columns

MOST_FAULTS = 10  # maximum number of faults in one message
GOLD = "gold_actions"
SOLVABLE = "solvable_problems"
MEASURES = Measures(
    shares=columns(
        "readable",
        "equal",
        "executable",
        "accepted_by_some",
        *map(accepted_name, ("orrery", *PARSERS)),
    ),
    means={
        **{f"{name}_f1": f"if(equal is null, null, {name}_f1)" for name in COMPONENTS},
        **columns("levenshtein_ratio", "indel_ratio", *(f"spelled_{name}_f1" for name in SPELLED)),
    },
    ratios={
        "action_accuracy": RatioOf("equal_actions", f"{GOLD} - undecided_actions"),
        "undecided_actions": RatioOf("undecided_actions", GOLD),
        **{f"{part}_accuracy": RatioOf(f"correct_{part}", GOLD) for part in PARTS},
        **{f"{part}_distance": RatioOf(f"distance_{part}", GOLD, bounded=False) for part in PARTS},
        "solve_rate": RatioOf("solved", f"{SOLVABLE} - undecided_solvable"),
        "undecided_rate": RatioOf("undecided", "problems"),
        "agreement": RatioOf("agreeing", "problems - undecided"),
        "exact_plan": RatioOf("exact_plans", f"{SOLVABLE} - undecided_exact"),
        "good_plan": RatioOf("good_plans", "good_plans + bad_plans"),
        "gold_plan": RatioOf("gold_plans", SOLVABLE),
    },
    groups=columns(*GROUPS),
    listed={
        "errors": "[nullif(error_class, '')]",
        "findings": "[split_part(line, ': ', 1) for line in findings]",
        "outcomes": "[split_part(line, ': ', 2) for line in verdicts]",
    },
    best="equal",
    shown=("equal", "action_accuracy", "effects_f1", "solve_rate"),
    printed=("errors", "findings", "outcomes"),
    note="Distances: a gold action. Undecided actions, problems and plans are in none of the other rates.",
)


@dataclass(frozen=True)
class DomainScorer(Scorer):
    """Score whole domains written from a description (table domain_modeling)."""

    headed: ClassVar[bool] = False  # whether rows give the declarations, so that only actions count
    needed: ClassVar[tuple[str, ...]] = ("id", "gold_domain", "problems")
    measures: ClassVar[Measures] = MEASURES
    corrects_right: ClassVar[bool] = True  # a domain may be equal to the gold and refused by parsers
    block: ClassVar[int] = 20  # other parsers read this many in one process

    seconds: float = option(10.0, "Limit of one call of a planner.", min=0.0)
    parsers: bool = option(True, "Ask other readers of PDDL whether they accept the domain.")
    problems: bool = option(True, "Solve the gold problems with the predicted domain.")

    @classmethod
    def schema(cls) -> Any:
        """Return the schema of the table of scores."""
        return scores_schema("action_modeling" if cls.headed else "domain_modeling")

    @classmethod
    def reads(cls, column: str) -> bool:
        """Return whether scoring or grouping uses the column."""
        return column in (*cls.needed, *GROUPS)

    def score(self, reply: str, row: DatasetRow) -> Score:
        """Return whether the domain, or the actions for a header, equal the gold."""
        evaluation = evaluate(reply, row, headed=self.headed)
        equal_actions = sum(alignment.equal is True for alignment in evaluation.strict.values())
        gold_actions = len(evaluation.gold.action_named)
        parts = {"action_accuracy": equal_actions / gold_actions if gold_actions else 0.0}
        if evaluation.predicted.empty:
            error = evaluation.predicted.error_class or "no domain could be read"
            return Score(0.0, UNPARSED, str(error), parts)
        if evaluation.unread:
            return Score(0.0, UNPARSED, evaluation.unread, parts)
        findings = (f"{finding.kind}: {finding.detail}" for finding in evaluation.findings)
        return verdict_of(evaluation.equal, next(findings, "differs from the gold domain"), parts)

    def measure(self, row: DatasetRow, reply: str, score: Score | None = None) -> Columns:
        """Return all figures of one prediction."""
        return self.measure_all([(row, reply, score)])[0]

    def measure_all(self, replies: Sequence[tuple[DatasetRow, str, Score | None]]) -> list[Columns]:
        """Return all figures of several predictions; each parser is started once."""
        options = EvaluationOptions(
            PARSERS if self.parsers else (), self.problems, SearchLimits(seconds=self.seconds)
        )
        evaluations = evaluate_all([(reply, row) for row, reply, _ in replies], options, headed=self.headed)
        pairs = zip(replies, evaluations, strict=True)
        return [columns_of(row, evaluation) for (row, *_), evaluation in pairs]

    def published_value(self, reply: str, row: DatasetRow, score: Score, figures: Columns) -> float | None:
        """Return whether tarski accepts the domain (Text2World, section 2.3); None without its verdict.

        The paper does not define how components are matched for its F1 scores, so there is no rule for them.
        """
        accepted = figures.get(accepted_name(TARSKI))
        return None if accepted is None else float(accepted)

    def feedback(self, reply: str, row: DatasetRow, score: Score) -> str:
        """Return the faults of a domain, or of the actions for a header, as a message."""
        faults = faults_of(reply, row["header"] if self.headed else "")
        if not faults:
            return ""
        num_omitted = max(len(faults) - MOST_FAULTS, 0)
        return message(self.root, "domain", faults=faults[:MOST_FAULTS], more=num_omitted, headed=self.headed)


def faults_of(prediction: str, header: str = "") -> list[str]:
    """Return the faults of a domain, or of actions under a header, in order, one line each.

    In Text2World (section 4.1) the feedback is the parser's message. Here it is every fault with its place
    and fix.
    """
    domain = read_actions(prediction, header, "reply") if header else read_adl(prediction, "reply")
    return [f"{fault.kind}: {fault}" for fault in domain.faults]


SCORER = DomainScorer
