"""The columns of the scores for actions and domains, from the evaluation of a prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orrery.planning.external_parsers import PARSERS, accepted_by_some
from orrery.scoring.domains.component_f1 import F1Score
from orrery.scoring.domains.evaluation import Evaluation
from orrery.scoring.domains.plan_transfer import Solved, Solving

COMPONENTS = ("predicates", "actions", "parameters", "preconditions", "effects")
PARTS = ("parameters", "preconditions", "effects")
SPELLED = ("predicates", "parameters", "preconditions", "effects")
GROUPS = ("domain", "source", "style")
FIGURES = ("precision", "recall", "f1")
UNKNOWN = "unknown"
MOST_FINDINGS = 500  # maximum; a reply of megabytes may contain more
_SHOWN = 300


def accepted_name(parser: str) -> str:
    """Return the name of the column with the verdict of a parser."""
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
    """Return text that can be stored, because a reply may contain a lone surrogate."""
    return text.encode("utf-8", errors="replace").decode()


def _reading(evaluation: Evaluation) -> dict[str, Any]:
    verdicts = evaluation.verdicts
    refused = [verdict for verdict in verdicts.values() if verdict.accepted is not True and verdict.installed]
    return {
        "readable": evaluation.readable,
        "error_class": evaluation.error_class,
        "faults": [_clean(f"{fault.kind}: {fault}") for fault in evaluation.predicted.faults],
        "executable": evaluation.executable,
        "accepted_by_some": accepted_by_some(verdicts) if verdicts else None,
        "accepted_orrery": evaluation.sound,
        **{accepted_name(p): verdicts[p].accepted if p in verdicts else None for p in PARSERS},
        "refusals": [_clean(f"{v.parser}: {v.error or 'no answer'}: {v.message}") for v in refused],
        "equal": evaluation.equal,
    }


def _actions(evaluation: Evaluation) -> dict[str, Any]:
    """Return counts over the gold actions; missing ones count as wrong, with the full distance."""
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
    return {f"{name}_{figure}": float(getattr(score, figure)) for figure in FIGURES}


def _problems(solved: Sequence[Solved]) -> dict[str, Any]:
    """Return counts over the gold problems."""
    solvable = [problem for problem in solved if problem.solvable]
    undecided = [problem for problem in solvable if problem.outcome is Solving.UNDECIDED]
    uncompared = [
        problem for problem in solvable if problem.outcome is Solving.SOLVED and problem.exact is None
    ]
    decided = {True: Solving.SOLVED, False: Solving.UNSOLVABLE}
    return {
        "problems": len(solved),
        "solvable_problems": len(solvable),
        "solved": sum(problem.outcome is Solving.SOLVED for problem in solvable),
        "undecided": sum(problem.outcome is Solving.UNDECIDED for problem in solved),
        "undecided_solvable": len(undecided),
        "undecided_exact": len(undecided) + len(uncompared),
        "unfit": sum(problem.outcome in _UNFIT for problem in solved),
        "unfit_solvable": sum(problem.outcome in _UNFIT for problem in solvable),
        "agreeing": sum(problem.outcome is decided[problem.solvable] for problem in solved),
        "exact_plans": sum(problem.exact is True for problem in solved),
        "good_plans": sum(problem.forward is True for problem in solved),
        "bad_plans": sum(problem.forward is False for problem in solved),
        "shortcuts": sum(problem.forward is False for problem in solvable),
        "gold_plans": sum(problem.backward is True for problem in solvable),
        "verdicts": [_clean(f"{problem.problem}: {problem.outcome}: {problem.detail}") for problem in solved],
    }


_UNFIT = frozenset({Solving.DOMAIN_UNREADABLE, Solving.PROBLEM_UNREADABLE, Solving.OUTSIDE})
_OF_PARTS = {
    "correct": "Gold actions whose {} are right under the best bijection",
    "distance": "{} without a counterpart, on both sides",
}
_PROBLEMS = {
    "problems": "Gold problems",
    "solvable_problems": "Gold problems that have a plan",
    "solved": "Of these, how many the predicted domain solves",
    "undecided": "Gold problems that a limit left open",
    "undecided_solvable": "Of the solvable ones, how many a limit left open",
    "undecided_exact": "Of the solvable ones, how many have an undecided plan or comparison",
    "unfit": "Gold problems that could not be asked: domain or problem unreadable, or outside",
    "unfit_solvable": "Of the solvable ones, how many could not be asked",
    "agreeing": "Gold problems solved, or proven unsolvable, as under gold",
    "exact_plans": "Plans equal to the gold plan, whole, or to what the same search finds under gold",
    "good_plans": "Plans found that are plans under gold too",
    "bad_plans": "Plans found that are none under gold",
    "shortcuts": "Of these, how many are of solvable problems",
    "gold_plans": "Gold plans that are plans under the prediction too",
}


def scores_schema(name: str) -> Any:
    """Return the columns of the scores for predictions of table ``name``."""
    from orrery.store.kinds import BOOL, INT, REAL, STRING, STRINGS, column, table

    return table(
        "scores",
        f"Scores of model outputs for {name}",
        column("id", STRING, f"The row of {name}"),
        column("sample", STRING, "Which output for that row; empty where there is one"),
        column("readable", BOOL, "Whether anything of a domain could be read; if not, all scores are 0"),
        column(
            "error_class",
            STRING,
            "Class of the gravest fault or of the refusal, Unparsable where nothing was read, else empty",
        ),
        column("faults", STRINGS, "Every fault as `class: place: message (mend)`"),
        column(
            "executable",
            BOOL,
            "Whether Orrery's check and Fast Downward's translator accept the domain; null: no verdict",
            nullable=True,
        ),
        column("accepted_by_some", BOOL, "Whether some other parser accepts it; null: open", nullable=True),
        column("accepted_orrery", BOOL, "Whether Orrery's check finds no fault, also of requirements"),
        *(
            column(
                accepted_name(p),
                BOOL,
                f"Whether {p} accepts it; null: not asked, or no answer",
                nullable=True,
            )
            for p in PARSERS
        ),
        column("refusals", STRINGS, "Refusals as `parser: class: message`, and why parsers gave no answer"),
        column("equal", BOOL, "Whether predicates, types and actions equal the gold's", nullable=True),
        column("gold_actions", INT, "Number of gold actions"),
        column("predicted_actions", INT, "Number of predicted actions"),
        column("equal_actions", INT, "Gold actions whose prediction is equal up to a bijection"),
        column("undecided_actions", INT, "Gold actions of which that was not settled"),
        *(
            column(f"{figure}_{part}", INT, meaning.format(part).capitalize())
            for part in PARTS
            for figure, meaning in _OF_PARTS.items()
        ),
        *(
            column(f"{part}_{figure}", REAL, f"{figure.capitalize()} of {part}")
            for part in COMPONENTS
            for figure in FIGURES
        ),
        column("levenshtein_ratio", REAL, "1 - Levenshtein distance / longer length", nullable=True),
        column("indel_ratio", REAL, "1 - indel distance / both lengths, as published", nullable=True),
        *(
            column(f"spelled_{entry}_f1", REAL, f"Name-sensitive F1 of {entry}; not the published figure")
            for entry in SPELLED
        ),
        *(column(key, INT, meaning) for key, meaning in _PROBLEMS.items()),
        column("verdicts", STRINGS, "Each gold problem as `name: outcome: detail`"),
        column("findings", STRINGS, "Errors computed by comparison, as `class: action: what`"),
        *(column(name, STRING, f"The row's {name}") for name in GROUPS),
        key=("id", "sample"),
    )
