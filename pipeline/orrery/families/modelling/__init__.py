"""Domains to be written in PDDL: their actions from texts, or the whole from a description."""

from __future__ import annotations

from orrery.families import Family, Gold, Row, Table
from orrery.families.modelling.rows import modelling_rows
from orrery.families.modelling.schemas import ACTION_MODELING, DOMAIN_MODELING


def _domain(row: Row, *_: object) -> str:
    return str(row["gold_domain"]).strip()


def _actions(row: Row, *_: object) -> str:
    """Return the bodies of the actions, which our writer puts last in a domain."""
    _before, opening, bodies = _domain(row).removesuffix(")").partition("(:action")
    return opening + bodies


FAMILY = Family(
    tables=(
        Table(
            ACTION_MODELING,
            modelling_rows(ACTION_MODELING),
            apart=("gold_domain",),
            prompts={
                "header": ("header", "action_names"),
                "text": ("header", "action_names", "texts"),
            },
            template="action_modeling",
            gold=Gold(("gold_domain",), _actions),
            scorer="actions",
        ),
        Table(
            DOMAIN_MODELING,
            modelling_rows(DOMAIN_MODELING),
            apart=("gold_domain",),
            prompts={"abstract": ("description_abstract",), "concrete": ("description_concrete",)},
            template="domain_modeling",
            gold=Gold(("gold_domain",), _domain),
            scorer="domains",
        ),
    ),
)
