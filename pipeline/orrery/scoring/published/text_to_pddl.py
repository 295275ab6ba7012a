"""Planetarium (Algorithm 1): isomorphism of scene graphs with fully specified goals.

In placeholder rows, the initial scenes and the goal scenes are compared apart, so any object may change
places. Our rule exchanges only the objects that the text leaves open. Strict keys are equal if the joined
scenes are isomorphic, loose keys if both scenes are.
"""

from __future__ import annotations

from pathlib import Path

from orrery.equivalence.graph import Undecided
from orrery.equivalence.keys import Keys, keys
from orrery.grading import Score
from orrery.model import OrreryError, Problem
from orrery.pddl.read import read_problem
from orrery.scoring.problems.pairs import Judge, judge_of, known_of
from orrery.scoring.problems.reader import read_both
from orrery.scoring.scorer import Columns, DatasetRow


def value(reply: str, row: DatasetRow, score: Score, figures: Columns, root: Path) -> float | None:
    """Return whether the problem of a reply is equivalent to that of the row; None if a limit is reached."""
    domain_pddl = row.get("domain_pddl") or None
    known = known_of(root, str(row.get("domain") or ""), domain_pddl)
    judge = judge_of(domain_pddl, known)
    predicted = read_both(reply, judge.domain).plain.problem
    if predicted is None:
        return 0.0
    gold = read_problem(row["problem_pddl"], judge.domain, f"row {row.get('id', '')}")
    try:
        ours, theirs = _keys(judge, predicted), _keys(judge, gold)
    except (Undecided, OrreryError):  # the domain's rule may not support an odd problem
        return None
    return float(ours.loose == theirs.loose if row.get("is_placeholder") else ours.strict == theirs.strict)


def _keys(judge: Judge, problem: Problem) -> Keys:
    problem, known = judge.in_words(problem)
    return keys(known.domain, problem, known.rule)
