"""Columns of the tables that ask for actions or a domain, columns of a domain, and the import log."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pyarrow as pa

from orrery.language.tokenizer import TOKENIZER, symbols
from orrery.model import Domain
from orrery.pddl.adl import AdlDomain
from orrery.problems.schemas import shared
from orrery.store.kinds import BOOL, INT, STRING, STRINGS, column, table

_PROBLEM = pa.struct(
    [
        pa.field("name", STRING, nullable=False),
        pa.field("pddl", STRING, nullable=False),
        pa.field("solvable", BOOL, nullable=False),
        pa.field("plan", STRINGS, nullable=False),
        pa.field("optimal_cost", INT, nullable=True),
    ]
)
PROBLEMS = pa.list_(pa.field("element", _PROBLEM, nullable=False))
_TOLD = pa.struct(
    [
        pa.field("literal", STRING, nullable=False),
        pa.field("how", STRING, nullable=False),
        pa.field("places", pa.list_(pa.field("element", INT, nullable=False)), nullable=False),
    ]
)
TOLD = pa.list_(pa.field("element", _TOLD, nullable=False))
TEXTS = pa.struct([pa.field(name, STRING, nullable=False) for name in ("none", "sum", "map", "rel", "all")])

_PROBLEMS = column(
    "problems",
    PROBLEMS,
    "Problems of the domain, each with a valid plan or proven to have none; no plan: empty",
)
_GOLD = column("gold_domain", STRING, "The whole domain in PDDL")
_SOURCE = column("source", STRING, "`orrery`, or the corpus that the domain comes from")
_LICENSE = column("license", STRING, "Licence of the domain")

# Of composed domains; rows on other domains have empty lists and empty text in these columns.
_COMPOSED = (
    column("mechanics", STRINGS, "Mechanics of a composed domain, sorted; others: none"),
    column("attachments", STRINGS, "Attachments of a composed domain, as `mechanic/attachment/action`"),
    column("theme", STRING, "Theme of a composed domain; others: empty"),
    *shared("seen"),
)

ACTION_MODELING = table(
    "action_modeling",
    "Domains without the bodies of their actions, with texts that tell what the actions need and do",
    column("id", STRING, "Name of the row"),
    *shared("domain"),
    _SOURCE,
    _LICENSE,
    column("header", STRING, "The domain in PDDL without the bodies of its actions"),
    column("action_names", STRINGS, "Names of the actions, in the order of the domain"),
    column("texts", TEXTS, "Text conditions: nothing, a line an action, steps by action, their union, all"),
    _GOLD,
    _PROBLEMS,
    column(
        "explicitness", STRING, "Level of a procedure on a composed domain: `explicit`, `everyday`, `sparse`"
    ),
    column("told", TOLD, "How each literal is told (`stated`, `implied`, `common`), and in which steps"),
    *_COMPOSED,
)

DOMAIN_MODELING = table(
    "domain_modeling",
    "Descriptions of domains in plain language, with the domain in PDDL",
    column("id", STRING, "Name of the row"),
    *shared("domain"),
    column(
        "description_abstract",
        STRING,
        "Rules in general, types, predicates and actions, without what each action needs and does; "
        "empty where `style` is `generated`, as such a text does not determine the domain",
    ),
    column("description_concrete", STRING, "The same, with every precondition and effect in words"),
    _GOLD,
    column("num_actions", INT, "Number of actions"),
    column("num_predicates", INT, "Number of predicates"),
    column("num_types", INT, "Number of declared types"),
    column("requirements", STRINGS, "Requirements that the domain states, in its order"),
    column("tokens", INT, "Length of gold_domain in tokens"),
    column("tokenizer", STRING, "What counted the tokens"),
    _PROBLEMS,
    _LICENSE,
    _SOURCE,
    column("sha256", STRING, "SHA-256 of gold_domain"),
    column(
        "style",
        STRING,
        "`words` where the domain has words of its own, `generated` where templates wrote, `composed`",
    ),
    column(
        "told",
        TOLD,
        "How the general part tells each literal of a composed domain, and in which of its rules",
    ),
    *_COMPOSED,
)
NOT_COMPOSED = {"told": [], "mechanics": [], "attachments": [], "theme": "", "seen": ""}
"""The columns of composed domains in rows on other domains."""

FILE = "repairs.parquet"
PROBLEM_FOLDER = "problems/"  # prefix of log items that are problems
LEFT_OUT = "left out, not decided"
LOG = table(
    "repairs",
    "What was repaired, left out or missing in what was imported",
    column("id", STRING, "Name of the row"),
    column("item", STRING, "The file or entry"),
    column("what", STRING, "What was done or is missing"),
)


def is_problem_left_out(item: str, kind: str) -> bool:
    """Return whether a log entry records a released problem that is in no row."""
    return item.startswith(PROBLEM_FOLDER) and kind.startswith(LEFT_OUT)


def measures(domain: Domain | AdlDomain, text: str) -> dict[str, Any]:
    """Return the columns derived from a domain and its PDDL: text, counts, requirements, length and hash."""
    return {
        "gold_domain": text,
        "num_actions": len(domain.actions),
        "num_predicates": len(domain.predicates),
        "num_types": len(domain.types),
        "requirements": list(domain.requirements),
        "tokens": len(symbols(text)),
        "tokenizer": TOKENIZER,
        "sha256": sha256(text.encode()).hexdigest(),
    }
