"""The measures of a domain in a row of ``domain_modeling``, wherever the domain comes from."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from orrery.language.tokenizer import TOKENIZER, symbols
from orrery.model import Domain
from orrery.pddl.adl import AdlDomain


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
