"""The numbers of facts that a domain's actions can add and delete, by predicate.

*Is a state that holds all facts of a rearranged initial state that state?*
A rule answers whether some reachable state holds certain facts; placeholder verdicts ask whether a state
is reached exactly. The two are the same where predicates can be given weights above 0 such that no action
makes a state heavier: a state that holds as much as the initial one and a fact more would weigh more.
Some predicates need no weight: facts that are never taken away, come of actions that do nothing else,
and are asked for by none but such actions. A plan does without all those actions.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from heapq import heappop, heappush

from orrery.model import Action, Domain

_HEAVIEST = 16
_MOST_TRIED = 1_000  # of our domains none needs more than 3


@lru_cache(maxsize=64)
def lasting_predicates(domain: Domain) -> frozenset[str]:
    """Return the predicates whose facts no action ever takes away; static ones are among them."""
    deleted = {atom[0] for action in domain.actions for atom in action.delete}
    return frozenset(predicate.name for predicate in domain.predicates if predicate.name not in deleted)


@lru_cache(maxsize=64)
def free_predicates(domain: Domain) -> frozenset[str] | None:
    """Return the predicates that need no weight, or None where no weights for the others are found."""
    marks = domain.fluents & lasting_predicates(domain)
    while True:
        movers = [action for action in domain.actions if not _changes(action) <= marks]
        used = {literal.atom[0] for action in movers for literal in action.preconditions}
        tied = marks & used.union(*map(_changes, movers))
        if not tied:
            break
        marks -= tied
    weights = dict.fromkeys(sorted(domain.fluents - marks), 1)
    return marks if _balanced([_losses(action) for action in movers], weights) else None


def _changes(action: Action) -> frozenset[str]:
    return frozenset(atom[0] for atom in action.add | action.delete)


def _losses(action: Action) -> Counter[str]:
    """Return, by predicate, how many facts an action surely deletes, less how many it may add.

    Only what is asked for is surely there to be taken; two such facts of one predicate may be the same.
    """
    positive = {literal.atom for literal in action.preconditions if literal.positive}
    losses = Counter({atom[0] for atom in action.delete & positive})
    losses.subtract(atom[0] for atom in action.add)
    return losses


def _balanced(actions: list[Counter[str]], weights: dict[str, int]) -> bool:
    """Return whether weights of at least ``weights`` suit all actions; False too where the budget ends.

    An action that adds more than it takes is mended by a greater weight of something that it takes. Smaller
    sums are tried first and none twice, none above ``_HEAVIEST`` and at most ``_MOST_TRIED``: where no
    weights exist there are ``_HEAVIEST`` to the number of predicates to refute.
    """
    names = sorted(weights)
    start = tuple(weights[name] for name in names)
    queue, queued = [(sum(start), start)], {start}
    for _ in range(_MOST_TRIED):
        if not queue:
            return False
        _, candidate = heappop(queue)
        values = dict(zip(names, candidate, strict=True))
        unbalanced = _first_unbalanced(actions, values)
        if unbalanced is None:
            return True
        losses, lacking = unbalanced
        for name in sorted(name for name, count in losses.items() if count > 0):
            raised = {**values, name: values[name] + lacking}
            heavier = tuple(raised[name] for name in names)
            if raised[name] <= _HEAVIEST and heavier not in queued:
                queued.add(heavier)
                heappush(queue, (sum(heavier), heavier))
    return False


def _first_unbalanced(
    actions: list[Counter[str]], weights: dict[str, int]
) -> tuple[Counter[str], int] | None:
    """Return the first action that makes a state heavier, and by how much."""
    for losses in actions:
        lacking = -sum(weights[name] * count for name, count in losses.items())
        if lacking > 0:
            return losses, lacking
    return None
