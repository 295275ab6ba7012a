"""Texts that describe a problem, explicit or abstract, in several wordings and vocabularies."""

from __future__ import annotations

from orrery.families import Family, Gold, Table
from orrery.families.attack import WRITE, Target, TargetMaker
from orrery.families.text_to_pddl.rows import text_rows
from orrery.families.text_to_pddl.schemas import TEXT_TO_PDDL, TEXTS
from orrery.model import Row


def _target(row: Row) -> Target:
    """Return the target of a text.

    A problem is counted as correct on every row with the same loose key, provided that the scorer accepts it.
    """
    problem, text = f"{row['domain']} {row['loose_key']}", row["natural_language"]
    return Target(row["id"], row["domain"], row["name"], WRITE, text, frozenset([problem]), chance=0.0)


FAMILY = Family(
    tables=(
        Table(
            TEXT_TO_PDDL,
            text_rows,
            apart=("strict_key", "loose_key"),
            prompts={"words": ("domain_pddl", "natural_language")},
            template="text_to_pddl",
            gold=Gold(("problem_pddl",), lambda row, _: str(row["problem_pddl"]).strip()),
            scorer="text_to_pddl",
            attack=TargetMaker(("id", "name", "domain", "natural_language", "loose_key"), _target),
        ),
    ),
    intermediate=(TEXTS,),
)
