"""The right reply to a question, in the form that the graders accept."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from orrery.families import Gold, Row

NONE = "None"


def gold_of(table: str) -> Gold:
    """The right reply to the questions of a table; closed ones have one word."""
    known = {
        "acp_app_gen": Gold(("answer",), _all),
        "acp_areach_gen": Gold(("answer",), _one),
        "acp_just_gen": Gold(("answer", "plan", "positions"), _shorter),
        "acp_land_gen": Gold(("answer",), _yes),
        "acp_nexta_gen": Gold(("answer",), _yes),
        "acp_prog_gen": Gold(("answer",), _changes),
        "acp_reach_gen": Gold(("answer",), _one),
    }
    return known.get(table, Gold(("answer",), _word))


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
