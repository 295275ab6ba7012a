"""The rule for goal closures that comes with a domain of ours, found from the domain alone.

A domain is ours if its declarations and actions are those of a folder in ``domains/``, in whatever order,
under whatever name, and with whatever requirements.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache, partial
from pathlib import Path

from orrery import generator_file
from orrery.equivalence.closure import Rule
from orrery.equivalence.domain_isomorphism import same_declarations
from orrery.installation import find_root
from orrery.model import Domain
from orrery.pddl.read import read_domain_file

RULE = "close_goal"


def own_rule(domain: Domain) -> Rule | None:
    """Return the rule of the domain of ours that ``domain`` is; None where it is none, or has no rule."""
    return _found(find_root().absolute(), domain)


@lru_cache(maxsize=64)
def _found(root: Path, domain: Domain) -> Rule | None:
    for path in _candidates(root, domain):
        if same_declarations(domain, read_domain_file(path)):
            return _rule_of(root / "generators" / f"{path.parent.name}.py")
    return None


def _candidates(root: Path, domain: Domain) -> Iterator[Path]:
    """Yield the domain files of ``root`` that name all predicates of ``domain``: reading takes time."""
    for path in sorted(root.glob("domains/*/domain.pddl")):
        text = path.read_text(encoding="utf-8", errors="replace").lower()
        if all(predicate.name in text for predicate in domain.predicates):
            yield path


@cache
def _rule_of(path: Path) -> Rule | None:
    if not path.is_file():
        return None
    module = generator_file.load(path)
    return partial(generator_file.call, path, module, RULE) if hasattr(module, RULE) else None
