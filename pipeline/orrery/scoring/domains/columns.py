"""The columns of the scores for actions and domains, from the evaluation of a prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orrery.planners.external_parsers import PARSERS, executable
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


def columns_of(row: Mapping[str, Any], found: Evaluation) -> dict[str, Any]:
    """Return the evaluation of a prediction as columns, and what the row is grouped by."""
    return {
        **_reading(found),
        **_actions(found),
        **{key: value for name in COMPONENTS for key, value in _scores(name, found).items()},
        "levenshtein_ratio": found.levenshtein,
        "indel_ratio": found.indel,
        **{f"spelled_{each}_f1": float(getattr(found.spelled, each)) for each in SPELLED},
        **_problems(found.solved),
        "findings": [
            _clean(f"{each.kind}: {each.action}: {each.detail[:_SHOWN]}")
            for each in (*found.findings[:MOST_FINDINGS], *found.plans)
        ],
        **{name: str(row.get(name) or UNKNOWN) for name in GROUPS},
    }


def _clean(text: str) -> str:
    """Return text that can be stored: a reply may hold a lone surrogate."""
    return text.encode("utf-8", errors="replace").decode()


def _reading(found: Evaluation) -> dict[str, Any]:
    domain, said = found.predicted, found.verdicts
    readable = bool(domain.text) and not domain.empty
    refused = [verdict for verdict in said.values() if verdict.accepted is not True and verdict.installed]
    return {
        "readable": readable,
        "error": str(domain.error_class or "") if readable else UNPARSABLE,
        "faults": [_clean(f"{fault.kind}: {fault}") for fault in domain.faults],
        "executable": executable(said) if said else None,
        **{accepted_name(p): said[p].accepted if p in said else None for p in PARSERS},
        "refusals": [_clean(f"{v.parser}: {v.error or 'no answer'}: {v.message}") for v in refused],
        "equal": found.equal,
    }


def _actions(found: Evaluation) -> dict[str, Any]:
    """Return counts over the gold actions; missing ones count as wrong, with full distance."""
    mine, theirs, strict = found.predicted.action_named, found.gold.action_named, found.strict
    values: dict[str, Any] = {
        "gold_actions": len(theirs),
        "predicted_actions": len(mine),
        "equal_actions": sum(each.equal is True for each in strict.values()),
        "undecided_actions": sum(each.equal is None for each in strict.values()),
    }
    for part in PARTS:
        counts = [getattr(each, part) for each in strict.values()]
        counts += [getattr(each, part) for each in found.alone]
        values[f"correct_{part}"] = sum(count.same for count in counts[: len(strict)])
        values[f"distance_{part}"] = sum(count.distance for count in counts)
    return values


def _scores(name: str, found: Evaluation) -> dict[str, float]:
    score: F1Score = getattr(found.components, name)
    return {f"{name}_{figure}": float(getattr(score, figure)) for figure in ("precision", "recall", "f1")}


def _problems(solved: Sequence[Solved]) -> dict[str, Any]:
    """Return counts over the gold problems."""
    solvable = [each for each in solved if each.solvable]
    decided = {True: Solving.SOLVED, False: Solving.UNSOLVABLE}
    return {
        "problems": len(solved),
        "solvable_problems": len(solvable),
        "solved": sum(each.outcome is Solving.SOLVED for each in solvable),
        "undecided": sum(each.outcome is Solving.UNDECIDED for each in solved),
        "unfit": sum(each.outcome in _UNFIT for each in solved),
        "agreeing": sum(each.outcome is decided[each.solvable] for each in solved),
        "exact_plans": sum(each.exact is True for each in solved),
        "good_plans": sum(each.forward is True for each in solved),
        "bad_plans": sum(each.forward is False for each in solved),
        "gold_plans": sum(each.backward is True for each in solvable),
        "verdicts": [_clean(f"{each.problem}: {each.outcome}: {each.detail}") for each in solved],
    }


_UNFIT = frozenset({Solving.DOMAIN_UNREADABLE, Solving.PROBLEM_UNREADABLE, Solving.OUTSIDE})
