"""The right reply to a row, in the form that graders and scorers accept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, TypeAlias

from orrery.model import UsageError

Row: TypeAlias = Mapping[str, Any]
Reply: TypeAlias = Callable[[Row, Random], str]

NONE = "None"
PAIR = "-1"  # stands last in a removal of two actions


def reply_of(table: str) -> tuple[tuple[str, ...], Reply]:
    """The columns that a reply needs, and what makes it of a row; ``rng`` chooses where several are right.

    Raises:
        UsageError: the table has no replies; the message lists those that have.
    """
    known: dict[str, tuple[tuple[str, ...], Reply]] = {
        "acp_app_gen": (("answer",), _all),
        "acp_areach_gen": (("answer",), _one),
        "acp_just_gen": (("answer", "plan", "positions"), _shorter),
        "acp_land_gen": (("answer",), _yes),
        "acp_nexta_gen": (("answer",), _yes),
        "acp_prog_gen": (("answer",), _changes),
        "acp_reach_gen": (("answer",), _one),
        "acp_val_gen": (("answer",), _word),
        "action_modeling": (("gold_domain",), _actions),
        "domain_modeling": (("gold_domain",), _domain),
        "text_to_pddl": (("problem_pddl",), _problem),
    }
    if table.startswith("acp_") and table.endswith(("_bool", "_mcq")):
        return ("answer",), _word
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


def _all(row: Row, rng: Random) -> str:
    return f"ANSWER: {_listed(row['answer'])}"


def _changes(row: Row, rng: Random) -> str:
    return f"ANSWER: pos: {_listed(row['answer']['pos'])} neg: {_listed(row['answer']['neg'])}"


def _word(row: Row, rng: Random) -> str:
    return f"ANSWER: {row['answer']}"


def _shorter(row: Row, rng: Random) -> str:
    """The plan without what one of the removals takes away."""
    start, removal = rng.choice(list(zip(row["positions"], row["answer"], strict=True)))
    plan = list(row["plan"])
    del plan[start : start + len(removal) - 1]
    return f"ANSWER: {' '.join(plan) or NONE}"


def _yes(row: Row, rng: Random) -> str:
    return _any(row["answer"]["yes"], rng)


def _one(row: Row, rng: Random) -> str:
    return _any(row["answer"], rng)


def _any(right: Sequence[str], rng: Random) -> str:
    return f"ANSWER: {_listed([rng.choice(right)] if right else [])}"


def _listed(atoms: Sequence[str]) -> str:
    """The facts or actions in parentheses, with commas; None where there are none."""
    return ", ".join(f"({atom.strip('()')})" for atom in atoms) or NONE
