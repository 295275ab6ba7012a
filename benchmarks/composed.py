"""Measure composed domains: processor seconds a kept domain, rules that reject, and baselines without texts.

Run by hand: ``python benchmarks/composed.py [NUMBER]`` with a number of compositions (default: 60). The
baselines write the actions of test domains from the header and the signatures: empty bodies; every condition
that the parameters allow; the action of that name in train; the actions of the nearest domain of train, by
the words of the description, with predicates renamed by arity. A prediction counts if it equals the gold
action (``scoring.domains.alignment.equal_actions``).
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

from orrery.composition.rows import composed_rows
from orrery.composition.splits import split_of_composition
from orrery.config import load
from orrery.model import Action, Atom, Domain, Literal
from orrery.pddl.read import read_domain
from orrery.pddl.tolerant import read_adl
from orrery.pddl.write import write_domain
from orrery.scoring.domains.alignment import equal_actions

ROOT = Path(__file__).resolve().parent.parent
NUMBER = 60

Row = Mapping[str, Any]


def main() -> None:
    """Print the figures."""
    number, seed = int(sys.argv[1]) if len(sys.argv) > 1 else NUMBER, load(ROOT).seed
    composed_rows(0, ROOT, seed)  # loads the files of mechanics and the compiled loops
    reasons, seconds, rows = Counter[str](), list[float](), list[Row]()
    for place in range(1, number + 1):
        start = time.process_time()
        made = composed_rows(place, ROOT, seed)
        seconds.append(time.process_time() - start)
        reasons.update(reject["reason"] for reject in made["rejects"])
        rows += made["domain_modeling"]
    print(
        f"{len(rows)} of {number} compositions are kept; {sum(seconds) / max(1, len(rows)):.2f} s each, ",
        end="",
    )
    print(f"{median(seconds):.2f} s a composition (median)")
    for reason, count in reasons.most_common():
        print(f"{count:6} {reason}")
    splits = {row["domain"]: split_of_composition(row["mechanics"], row["theme"], seed) for row in rows}
    train = [row for row in rows if splits[row["domain"]] == "train"]
    test = [row for row in rows if splits[row["domain"]] == "test"]
    for name, baseline in BASELINES.items():
        right = [equal for row in test for equal in _verdicts(row, baseline(row, train))]
        print(f"{sum(right) / max(1, len(right)):7.1%} of {len(right)} actions of test: {name}")


def _verdicts(row: Row, actions: Sequence[Action]) -> list[bool]:
    """Return which predicted actions equal those of gold, by name."""
    domain = replace(read_domain(row["gold_domain"]), actions=tuple(actions))
    predicted = {action.name: action for action in read_adl(write_domain(domain)).actions}
    gold = read_adl(row["gold_domain"]).actions
    return [one.name in predicted and equal_actions(predicted[one.name], one) is True for one in gold]


def _empty(row: Row, _train: Sequence[Row]) -> list[Action]:
    return [_with_body(action, (), (), ()) for action in read_domain(row["gold_domain"]).actions]


def _unified(row: Row, _train: Sequence[Row]) -> list[Action]:
    domain = read_domain(row["gold_domain"])
    return [_with_body(action, _atoms(domain, action), (), ()) for action in domain.actions]


def _atoms(domain: Domain, action: Action) -> list[Atom]:
    """Return all atoms over the parameters of an action."""
    return [
        (predicate.name, *(parameter.name for parameter in chosen))
        for predicate in domain.predicates
        for chosen in product(action.parameters, repeat=predicate.arity)
        if all(
            domain.fits(one.types, wanted.types)
            for one, wanted in zip(chosen, predicate.parameters, strict=True)
        )
    ]


def _by_name(row: Row, train: Sequence[Row]) -> list[Action]:
    known = {action.name: action for one in train for action in read_domain(one["gold_domain"]).actions}
    domain = read_domain(row["gold_domain"])
    copied = [
        replace(known[action.name], name=action.name) for action in domain.actions if action.name in known
    ]
    return [action for action in copied if _is_declared(action, domain)]


def _nearest(row: Row, train: Sequence[Row]) -> list[Action]:
    """Return the actions of the nearest domain of train, given the names of this one in order."""
    if not train:
        return []
    words = set(row["description_abstract"].split())
    near = max(train, key=lambda one: _overlap(words, set(one["description_abstract"].split())))
    source, domain = read_domain(near["gold_domain"]), read_domain(row["gold_domain"])
    names: dict[str, str] = {}
    for predicate in source.predicates:
        free = (
            p.name for p in domain.predicates if p.arity == predicate.arity and p.name not in names.values()
        )
        names[predicate.name] = next(free, predicate.name)
    pairs = zip(domain.actions, source.actions, strict=False)
    copied = [_renamed(known, action, names) for action, known in pairs]
    return [action for action in copied if _is_declared(action, domain)]


def _overlap(first: set[str], second: set[str]) -> float:
    return len(first & second) / len(first | second)


def _renamed(known: Action, action: Action, names: Mapping[str, str]) -> Action:
    """Return a known action with this action's name, and its types where the numbers of parameters agree."""

    def atoms(ones: Iterable[Atom]) -> list[Atom]:
        return [(names[one[0]], *one[1:]) for one in ones]

    typed = zip(known.parameters, action.parameters, strict=False)
    parameters = tuple(mine._replace(types=other.types) for mine, other in typed)
    conditions = atoms(literal.atom for literal in known.preconditions)
    body = _with_body(known, conditions, atoms(known.add), atoms(known.delete))
    return replace(body, name=action.name, parameters=parameters)


def _is_declared(action: Action, domain: Domain) -> bool:
    """Return whether a domain declares the types and predicates of an action."""
    variables = {parameter.name for parameter in action.parameters}
    atoms = [*(literal.atom for literal in action.preconditions), *action.add, *action.delete]
    types = {kind for parameter in action.parameters for kind in parameter.types}
    return types <= set(domain.ancestors) and all(
        atom[0] in domain.predicate_named
        and domain.predicate_named[atom[0]].arity == len(atom) - 1
        and set(atom[1:]) <= variables
        for atom in atoms
    )


def _with_body(
    action: Action, conditions: Iterable[Atom], add: Iterable[Atom], delete: Iterable[Atom]
) -> Action:
    return replace(
        action,
        preconditions=frozenset(map(Literal, conditions)),
        add=frozenset(add),
        delete=frozenset(delete),
    )


BASELINES = {
    "empty bodies": _empty,
    "every condition that the parameters allow": _unified,
    "the action of that name in train": _by_name,
    "the actions of the nearest domain of train": _nearest,
}

if __name__ == "__main__":
    main()
