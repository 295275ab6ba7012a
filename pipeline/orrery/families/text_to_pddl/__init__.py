"""Texts that describe a problem, explicit or abstract, in several wordings and vocabularies."""

from __future__ import annotations

from orrery.families import Family, Gold, Table
from orrery.families.text_to_pddl.rows import text_rows
from orrery.families.text_to_pddl.schemas import TEXT_TO_PDDL, TEXTS

FAMILY = Family(
    tables=(
        Table(
            TEXT_TO_PDDL,
            text_rows,
            apart=("strict_key", "loose_key"),
            prompts={"words": ("domain_pddl", "natural_language")},
            template="text_to_pddl",
            gold=Gold(("problem_pddl",), lambda row, _: str(row["problem_pddl"]).strip()),
            grader="text_to_pddl",
        ),
    ),
    intermediate=(TEXTS,),
)
