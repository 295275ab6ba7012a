"""The columns of the scores for actions and domains, from the evaluation of a prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orrery.planning.external_parsers import PARSERS, executable
from orrery.scoring.domains.components import F1Score
from orrery.scoring.domains.evaluation import Evaluation
from orrery.scoring.domains.plan_transfer import Solved, Solving

COMPONENTS = ("predicates", "actions", "parameters", "preconditions", "effects")
PARTS = ("parameters", "preconditions", "effects")
SPELLED = ("predicates", "parameters", "preconditions", "effects")
GROUPS = ("domain", "source", "style")
UNPARSABLE = "Unparsable"
UNKNOWN = "unknown"
MOST_FINDINGS = 500  # a reply of megabytes may hold more
_SHOWN = 300


def accepted_name(parser: str) -> str:
    """Return the column for the verdict of a parser."""
    return f"accepted_{parser.replace('-', '_')}"


def columns_of(row: Mapping[str, Any], evaluation: Evaluation) -> dict[str, Any]:
    """Return the evaluation of a prediction as columns, with the groups of the row."""
    return {
        **_reading(evaluation),
        **_actions(evaluation),
        **{key: value for name in COMPONENTS for key, value in _scores(name, evaluation).items()},
        "levenshtein_ratio": evaluation.levenshtein,
        "indel_ratio": evaluation.indel,
        **{f"spelled_{part}_f1": float(getattr(evaluation.spelled, part)) for part in SPELLED},
        **_problems(evaluation.solved),
        "findings": [
            _clean(f"{part.kind}: {part.action}: {part.detail[:_SHOWN]}")
            for part in (*evaluation.findings[:MOST_FINDINGS], *evaluation.plans)
        ],
        **{name: str(row.get(name) or UNKNOWN) for name in GROUPS},
    }


def _clean(text: str) -> str:
    """Return text that can be stored: a reply may hold a lone surrogate."""
    return text.encode("utf-8", errors="replace").decode()


def _reading(evaluation: Evaluation) -> dict[str, Any]:
    domain, verdicts = evaluation.predicted, evaluation.verdicts
    readable = bool(domain.text) and not domain.empty
    refused = [verdict for verdict in verdicts.values() if verdict.accepted is not True and verdict.installed]
    return {
        "readable": readable,
        "error": str(domain.error_class or "") if readable else UNPARSABLE,
        "faults": [_clean(f"{fault.kind}: {fault}") for fault in domain.faults],
        "executable": executable(verdicts) if verdicts else None,
        **{accepted_name(p): verdicts[p].accepted if p in verdicts else None for p in PARSERS},
        "refusals": [_clean(f"{v.parser}: {v.error or 'no answer'}: {v.message}") for v in refused],
        "equal": evaluation.equal,
    }


def _actions(evaluation: Evaluation) -> dict[str, Any]:
    """Return counts over the gold actions; missing ones count as wrong, with full distance."""
    mine, theirs, strict = evaluation.predicted.action_named, evaluation.gold.action_named, evaluation.strict
    values: dict[str, Any] = {
        "gold_actions": len(theirs),
        "predicted_actions": len(mine),
        "equal_actions": sum(alignment.equal is True for alignment in strict.values()),
        "undecided_actions": sum(alignment.equal is None for alignment in strict.values()),
    }
    for part in PARTS:
        counts = [getattr(alignment, part) for alignment in strict.values()]
        counts += [getattr(alignment, part) for alignment in evaluation.alone]
        values[f"correct_{part}"] = sum(count.same for count in counts[: len(strict)])
        values[f"distance_{part}"] = sum(count.distance for count in counts)
    return values


def _scores(name: str, evaluation: Evaluation) -> dict[str, float]:
    score: F1Score = getattr(evaluation.components, name)
    return {f"{name}_{figure}": float(getattr(score, figure)) for figure in ("precision", "recall", "f1")}


def _problems(solved: Sequence[Solved]) -> dict[str, Any]:
    """Return counts over the gold problems."""
    solvable = [problem for problem in solved if problem.solvable]
    decided = {True: Solving.SOLVED, False: Solving.UNSOLVABLE}
    return {
        "problems": len(solved),
        "solvable_problems": len(solvable),
        "solved": sum(problem.outcome is Solving.SOLVED for problem in solvable),
        "undecided": sum(problem.outcome is Solving.UNDECIDED for problem in solved),
        "unfit": sum(problem.outcome in _UNFIT for problem in solved),
        "agreeing": sum(problem.outcome is decided[problem.solvable] for problem in solved),
        "exact_plans": sum(problem.exact is True for problem in solved),
        "good_plans": sum(problem.forward is True for problem in solved),
        "bad_plans": sum(problem.forward is False for problem in solved),
        "gold_plans": sum(problem.backward is True for problem in solvable),
        "verdicts": [_clean(f"{problem.problem}: {problem.outcome}: {problem.detail}") for problem in solved],
    }


_UNFIT = frozenset({Solving.DOMAIN_UNREADABLE, Solving.PROBLEM_UNREADABLE, Solving.OUTSIDE})
