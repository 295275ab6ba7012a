"""Check that an abstract text determines its problem, up to objects that its row leaves open.

The text was made from parameters. A second problem of the same parameters, whose objects were given
their parts by other random numbers, must be equivalent: strictly, or in a placeholder row up to an
exchange of goal objects.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from orrery.checks.verdicts import undecided
from orrery.equivalence.keys import Keys, keys
from orrery.equivalence.undecided import Undecided
from orrery.equivalence.verdicts import EquivalenceOutcome, compare
from orrery.model import Atom, Domain, Problem

Rule = Callable[[Problem], frozenset[Atom] | None]


def equal_up_to_names(first: Any, second: Any, names: frozenset[str]) -> bool:
    """Return whether two parameters, JSON values, are equal up to the ``names`` of objects.

    Parameters may hold what was drawn when a problem was built, such as the place of each robot. Other
    values make another text, so that nothing follows from another problem.
    """
    return bool(_shape(first, names) == _shape(second, names))


def _shape(value: Any, names: frozenset[str]) -> Any:
    """Return the value with a mark for each name; names have no order."""
    if isinstance(value, Mapping):
        return sorted((str(_shape(key, names)), repr(_shape(each, names))) for key, each in value.items())
    if isinstance(value, list | tuple):
        return [_shape(each, names) for each in value]
    return ("name",) if value in names else value


def check(
    domain: Domain,
    problem: Problem,
    again: Problem,
    row: Mapping[str, Any],
    *,
    abstract_parts: Collection[str],
    exchangeable: bool,
    rule: Rule | None,
) -> list[str]:
    """Return how ``again``, built once more from the parameters of ``problem``, differs from it.

    ``abstract_parts`` are those with an abstract text, "init", "goal" or both; the other need not be the
    same. The stored keys of ``row`` must also be those of ``problem`` as it is published.
    """
    stored = Keys(row["strict_key"], row["loose_key"])
    found = keys(domain, problem, rule=rule)
    if isinstance(found, Undecided):
        return [undecided(f"its keys: {found.reason}")]
    if found != stored:
        return ["its stored keys are not its own"]
    if len(abstract_parts) == 1:
        return _one_part(domain, again, stored, next(iter(abstract_parts)), rule)
    verdict = compare(domain, again, problem, placeholder=exchangeable, rule=rule, gold_key=stored)
    if verdict.outcome is EquivalenceOutcome.UNDECIDED:
        return [undecided(f"whether its text determines it: {verdict.reason}")]
    same = verdict.outcome is EquivalenceOutcome.EQUIVALENT
    return [] if same else [f"its abstract text also fits a problem with {verdict.reason}"]


def _one_part(domain: Domain, again: Problem, stored: Keys, part: str, rule: Rule | None) -> list[str]:
    """Return how the initial state or the goal differs from that of the problem with the ``stored`` keys."""
    found = keys(domain, again, rule=rule)
    if isinstance(found, Undecided):
        return [undecided(f"whether its text determines it: {found.reason}")]
    same = found.init == stored.init if part == "init" else found.goal == stored.goal
    return [] if same else [f"its abstract text also fits a problem with another {part}"]
