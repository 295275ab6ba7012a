"""Predictions for ``text_to_pddl``: problems in PDDL, scored as parseable, solvable and correct."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from orrery.equivalence.graph import Undecided
from orrery.equivalence.keys import keys
from orrery.grading import UNPARSED, Score
from orrery.model import OrreryError
from orrery.pddl.read import read_problem
from orrery.scoring.problems.pairs import (
    DomainKnowledge,
    ScoreLimits,
    judge_of,
    known_of,
    score_pair,
    scores_schema,
)
from orrery.scoring.problems.reader import read_both
from orrery.scoring.problems.solvability import ProofLimits
from orrery.scoring.scorer import Columns, DatasetRow, Scorer, message, option, verdict_of
from orrery.scoring.tally import Measures, columns

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


# The names of undecided columns with their reasons.
_UNDECIDED = """[
    case when solvable is null then 'solvable: ' || solvable_reason end,
    case when correct is null then 'correct: ' || reason end
]"""


@dataclass(frozen=True)
class TextToPddlScorer(Scorer):
    """Score problems in PDDL: parseable, solvable, correct; and the same ignoring added types."""

    needed: ClassVar[tuple[str, ...]] = ("id", "problem_pddl")
    measures: ClassVar[Measures] = Measures(
        shares=columns(*SHARES),
        groups=columns(*GROUPS),
        listed={
            "errors": "[nullif(error, '')]",
            "tolerated": "tolerated",
            "reasons": "[nullif(reason, '')]",
            "undecided": _UNDECIDED,
            "remarks": "[nullif(remark, '')]",
        },
        best="correct",
        shown=SHARES,
        printed=("errors", "tolerated", "undecided", "remarks"),
    )

    seconds: float = option(5.0, "Limit of one call of the planner.", min=0.0)

    @classmethod
    def schema(cls) -> Any:
        """Return the schema of the table of scores."""
        return scores_schema()

    @classmethod
    def reads(cls, column: str) -> bool:
        """Return whether scoring or grouping uses the column."""
        return column in USED

    @property
    def depends(self) -> Collection[Path]:
        """The folders of the domains."""
        return [path for name in ("domains", "generators") if (path := self.root / name).is_dir()]

    def score(self, reply: str, row: DatasetRow) -> Score:
        """Return whether the problem is equivalent to that of the row, as it is written."""
        scores = score_pair(reply, row, known=self._knowledge_of_row(row))
        view = scores.plain
        parts = {name: float(bool(getattr(view, name))) for name in ("parseable", "solvable", "correct")}
        if not view.parseable:
            return Score(0.0, UNPARSED, ": ".join(filter(None, (view.error, scores.detail))), parts)
        return verdict_of(view.correct, view.reason, parts)

    def measure(self, row: DatasetRow, reply: str, score: Score | None = None) -> Columns:
        """Return the verdicts on a problem, and the groups of the row."""
        costs = ScoreLimits(solving=ProofLimits(seconds=self.seconds))
        return score_pair(reply, row, known=self._knowledge_of_row(row), costs=costs).as_row() | groups(row)

    def published_value(self, reply: str, row: DatasetRow, score: Score, figures: Columns) -> float | None:
        """Return whether the scene graphs are isomorphic (Planetarium, Algorithm 1); None beyond a limit.

        In placeholder rows, the initial scenes and the goal scenes are compared apart, so any object may
        change places. Our rule exchanges only the objects that the text leaves open. Strict keys are equal
        if the joined scenes are isomorphic, loose keys if both scenes are.
        """
        judge = judge_of(row.get("domain_pddl") or None, self._knowledge_of_row(row))
        predicted = read_both(reply, judge.domain).plain.problem
        if predicted is None:
            return 0.0
        gold = read_problem(row["problem_pddl"], judge.domain, f"row {row.get('id', '')}")
        try:
            translated = [judge.in_words(problem) for problem in (predicted, gold)]
            ours, theirs = (keys(known.domain, problem, known.rule) for problem, known in translated)
        except (Undecided, OrreryError):  # the domain's rule may not support an odd problem
            return None
        same_scenes, same_problem = ours.loose == theirs.loose, ours.strict == theirs.strict
        return float(same_scenes if row.get("is_placeholder") else same_problem)

    def feedback(self, reply: str, row: DatasetRow, score: Score) -> str:
        """Return the error that prevents reading a problem, or that it has no plan, if that is proven."""
        judge = judge_of(row["domain_pddl"], self._knowledge_of_row(row))
        reading = read_both(reply, judge.domain).plain
        if reading.problem is None:
            fault = ": ".join(filter(None, (str(reading.error or "").replace("-", " "), reading.detail)))
            return message(self.root, "problem", fault=fault)
        problem, knowledge = judge.in_words(reading.problem)
        is_unsolvable = knowledge.prover.solve(problem).solvable is False
        return message(self.root, "problem", fault="") if is_unsolvable else ""

    def _knowledge_of_row(self, row: DatasetRow) -> DomainKnowledge | None:
        return known_of(self.root, str(row.get("domain") or ""), row.get("domain_pddl") or None)


SCORER = TextToPddlScorer


def groups(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the groups of a row of text_to_pddl; ``unknown`` if it lacks the columns."""
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
