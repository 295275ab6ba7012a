"""Check a description of local sight, without compiled code, because ``orrery doctor`` runs without it."""

from __future__ import annotations

from pathlib import Path

from orrery.config import Sight
from orrery.model import Domain, OrreryError, suggest


def check_sight(sight: Sight, domain: Domain, path: Path) -> None:
    """Refuse a description of local sight that does not fit the domain.

    Raises:
        OrreryError: a predicate does not exist, has no such argument, or changes although it must not.
    """
    named = domain.predicate_named
    arguments: dict[str, dict[str, tuple[int, ...]]] = {
        "agent": {name: (number,) for name, number in sight.agent.items()},
        "located": dict(sight.located),
        "adjacent": dict(sight.adjacent),
        "seen_if": dict.fromkeys([*sight.seen_if.values()], (1,)),
        "nearby": dict.fromkeys(sight.nearby, ()),
    }
    for key, numbers_by_name in arguments.items():
        where = f"{path}: sight.{key}"
        for name, numbers in numbers_by_name.items():
            if name not in named:
                mend = suggest(name, "predicates", sorted(named))
                raise OrreryError(where, f"names '{name}', which is no predicate", mend)
            if numbers and max(numbers) > named[name].arity:
                problem = f"gives '{name}' an argument {max(numbers)}, and it has {named[name].arity}"
                raise OrreryError(where, problem, "count the arguments from 1")
    if changing := sorted(domain.fluents & sight.adjacent.keys()):
        problem = f"names '{changing[0]}', which actions change"
        raise OrreryError(f"{path}: sight.adjacent", problem, "name predicates that no action changes")
    if unlocated := sorted(sight.seen_if.keys() - sight.located.keys()):
        problem = f"names '{unlocated[0]}', which is not in 'located'"
        raise OrreryError(f"{path}: sight.seen_if", problem, "list it there, too")
