"""The columns of the scores for actions and domains, from the evaluation of a prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from orrery.planners.external_parsers import PARSERS, executable
from orrery.scoring.domains.components import F1Score
from orrery.scoring.domains.evaluation import Evaluation
from orrery.scoring.domains.plan_transfer import Solved, Solving
from orrery.store.kinds import BOOL, INT, REAL, STRING, STRINGS, Field, Schema, column, table

COMPONENTS = ("predicates", "actions", "parameters", "preconditions", "effects")
PARTS = ("parameters", "preconditions", "effects")
SPELLED = ("predicates", "parameters", "preconditions", "effects")
GROUPS = ("domain", "source", "style")
UNPARSABLE = "Unparsable"
UNKNOWN = "unknown"
MOST_FINDINGS = 500  # a reply of megabytes may hold more
_SHOWN = 300
_PROBLEMS: Mapping[str, str] = MappingProxyType(
    {
        "problems": "Gold problems",
        "solvable_problems": "Gold problems that have a plan",
        "solved": "Of these, how many the predicted domain solves",
        "undecided": "Gold problems that a limit left open",
        "unfit": "Gold problems that could not be asked: domain or problem unreadable, or outside",
        "agreeing": "Gold problems solved, or proven unsolvable, as under gold",
        "exact_plans": "Plans equal to the gold plan, whole, or to what the same search finds under gold",
        "good_plans": "Plans found that are plans under gold too",
        "bad_plans": "Plans found that are none under gold: shortcuts",
        "gold_plans": "Gold plans that are plans under the prediction too",
    }
)


def scores_schema(name: str) -> Schema:
    """Return the columns of the scores for predictions of table ``name``."""
    return table(
        "scores",
        f"Scores of model outputs for {name}",
        column("id", STRING, f"The row of {name}"),
        column("sample", STRING, "Which output for that row; empty where there is one"),
        column("readable", BOOL, "Whether anything of a domain could be read; if not, all scores are 0"),
        column("error", STRING, "Class of the gravest fault, Unparsable where nothing was read, else empty"),
        column("faults", STRINGS, "Every fault as `class: place: message (mend)`"),
        column("executable", BOOL, "Whether some parser accepts the domain; null: open", nullable=True),
        *map(_accepted, PARSERS),
        column("refusals", STRINGS, "Refusals as `parser: class: message`, and why parsers gave no answer"),
        column("equal", BOOL, "Whether predicates, types and actions equal the gold's", nullable=True),
        column("gold_actions", INT, "Number of gold actions"),
        column("predicted_actions", INT, "Number of predicted actions"),
        column("equal_actions", INT, "Gold actions whose prediction is equal up to a bijection"),
        column("undecided_actions", INT, "Gold actions of which that was not settled"),
        *(each for part in PARTS for each in _part(part)),
        *(each for name in COMPONENTS for each in _component(name)),
        column("levenshtein_ratio", REAL, "1 - Levenshtein distance / longer length", nullable=True),
        column("indel_ratio", REAL, "1 - indel distance / both lengths, as published", nullable=True),
        *(
            column(f"spelled_{each}_f1", REAL, f"Name-sensitive F1 of {each}; not the published figure")
            for each in SPELLED
        ),
        *(column(key, INT, meaning) for key, meaning in _PROBLEMS.items()),
        column("verdicts", STRINGS, "Each gold problem as `name: outcome: detail`"),
        column("findings", STRINGS, "Errors computed by comparison, as `class: action: what`"),
        *(column(name, STRING, f"The row's {name}") for name in GROUPS),
        key=("id", "sample"),
    )


def accepted_name(parser: str) -> str:
    """Return the column for the verdict of a parser."""
    return f"accepted_{parser.replace('-', '_')}"


def _accepted(parser: str) -> Field:
    meaning = f"Whether {parser} accepts it; null: not asked, or no answer"
    return column(accepted_name(parser), BOOL, meaning, nullable=True)


def _part(part: str) -> tuple[Field, Field]:
    return (
        column(f"correct_{part}", INT, f"Gold actions whose {part} are right under the best bijection"),
        column(f"distance_{part}", INT, f"{part.capitalize()} without a counterpart, on both sides"),
    )


def _component(name: str) -> tuple[Field, ...]:
    return tuple(
        column(f"{name}_{figure}", REAL, f"{figure.capitalize()} of {name}")
        for figure in ("precision", "recall", "f1")
    )


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
