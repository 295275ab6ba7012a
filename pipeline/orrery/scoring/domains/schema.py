"""The schema of the scores for actions and domains."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from orrery.planning.external_parsers import PARSERS
from orrery.scoring.domains.columns import COMPONENTS, GROUPS, PARTS, SPELLED, accepted_name
from orrery.store.kinds import BOOL, INT, REAL, STRING, STRINGS, Field, Schema, column, table

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
        *(entry for part in PARTS for entry in _part(part)),
        *(entry for name in COMPONENTS for entry in _component(name)),
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
