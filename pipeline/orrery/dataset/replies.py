"""The right reply to a row, in the form that graders and scorers accept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, TypeAlias

from orrery.families.questions.kinds import question_kinds
from orrery.model import UsageError

Row: TypeAlias = Mapping[str, Any]
Reply: TypeAlias = Callable[[Row, Random], str]


def reply_of(table: str) -> tuple[tuple[str, ...], Reply]:
    """The columns that a reply needs, and what makes it of a row; ``rng`` chooses where several are right.

    Raises:
        UsageError: the table has no replies; the message lists those that have.
    """
    known: dict[str, tuple[tuple[str, ...], Reply]] = {
        "action_modeling": (("gold_domain",), _actions),
        "domain_modeling": (("gold_domain",), _domain),
        "text_to_pddl": (("problem_pddl",), _problem),
    }
    for kind in question_kinds().values():
        known |= {f"acp_{kind.name}_{form}": kind.gold(form) for form in kind.formats}
    if table not in known:
        tables = ", ".join(sorted(known))
        raise UsageError(f"table '{table}'", "has no question and answer to export", f"tables: {tables}")
    return known[table]


def _problem(row: Row, rng: Random) -> str:
    return str(row["problem_pddl"]).strip()


def _domain(row: Row, rng: Random) -> str:
    return str(row["gold_domain"]).strip()


def _actions(row: Row, rng: Random) -> str:
    """The bodies of the actions, which our writer puts last in a domain."""
    _, opening, bodies = str(row["gold_domain"]).strip().removesuffix(")").partition("(:action")
    return opening + bodies
