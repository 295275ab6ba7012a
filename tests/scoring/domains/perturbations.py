"""Domains changed in one way each, with the verdict that semantics dictates."""

import random
import re
from dataclasses import replace
from pathlib import Path

from orrery.model import TypedName
from orrery.pddl.adl import NOT, AdlAction, Formula
from orrery.pddl.tolerant import read_adl
from orrery.pddl.write import write_type
from tests.scoring.domains import brute_force
from tests.scoring.domains.brute_force import disguised

FOLDER = Path(__file__).resolve().parents[3] / "domains"


def gold(name):
    """A domain with a cost in its first action, and one more action without preconditions."""
    domain = read_adl((FOLDER / name / "domain.pddl").read_text())
    first = domain.actions[0]
    cost = Formula("increase", (Formula("total-cost"), "2"))
    idle = AdlAction("idle", (), (), (Formula("idled"),))
    return replace(
        domain,
        requirements=(*domain.requirements, ":action-costs"),
        predicates=(*domain.predicates, replace(domain.predicates[0], name="idled", parameters=())),
        functions=(*domain.functions, replace(domain.predicates[0], name="total-cost", parameters=())),
        actions=(replace(first, effects=(*first.effects, cost)), *domain.actions[1:], idle),
    )


def written(domain):
    """A domain as PDDL."""
    lines = [f"(define (domain {domain.name})", f"(:requirements {' '.join(domain.requirements)})"]
    if domain.types:
        lines.append(f"(:types {typed(domain.types)})")
    if domain.constants:
        lines.append(f"(:constants {typed(domain.constants)})")
    lines.append(f"(:predicates {' '.join(f'({p.name} {typed(p.parameters)})' for p in domain.predicates)})")
    lines.append(f"(:functions {' '.join(f'({p.name} {typed(p.parameters)})' for p in domain.functions)})")
    for a in domain.actions:
        body = [f"(:action {a.name} :parameters ({typed(a.parameters)})"]
        if a.preconditions:
            body.append(f":precondition {joined(a.preconditions)}")
        lines.append(" ".join([*body, f":effect {joined(a.effects)})"]))
    return "\n".join(lines) + ")\n"


def typed(names):
    return " ".join(f"{n.name} - {write_type(n.types)}" for n in names)


def joined(formulas):
    return str(formulas[0]) if len(formulas) == 1 else f"(and {' '.join(map(str, formulas))})"


def mixed(rng, items):
    return tuple(rng.sample(items, len(items)))


def disguises(rng, domain):
    """Variables renamed, parameters and conjuncts in another order, conjunctions nested."""
    return replace(domain, actions=tuple(replace(disguised(rng, a), name=a.name) for a in domain.actions))


def actions(rng, domain):
    return replace(domain, actions=mixed(rng, domain.actions), predicates=mixed(rng, domain.predicates))


def a_predicate(_, domain):
    """The name of one predicate changed wherever it stands."""
    old, text = domain.predicates[0].name, written(domain)
    return read_adl(re.sub(rf"\({re.escape(old)}(?=[ )])", "(renamed-predicate", text))


def on_literal(side, change):
    """A change of one literal of one action."""

    def changed(rng, domain):
        places = [
            (i, j)
            for i, action in enumerate(domain.actions)
            for j, formula in enumerate(getattr(action, side))
            if formula.head != "increase" and change(formula) != formula
        ]
        i, j = rng.choice(places)
        formulas = list(getattr(domain.actions[i], side))
        new = change(formulas[j])
        formulas[j : j + 1] = [] if new is None else [new]
        action = replace(domain.actions[i], **{side: tuple(formulas)})
        return replace(domain, actions=(*domain.actions[:i], action, *domain.actions[i + 1 :]))

    return changed


def swapped(formula):
    if formula.head == NOT:
        return Formula(NOT, (swapped(formula.parts[0]),))
    return Formula(formula.head, formula.parts[::-1])


def negated(formula):
    return formula.parts[0] if formula.head == NOT else Formula(NOT, (formula,))


def dropped_action(rng, domain):
    out = rng.choice(domain.actions)
    return replace(domain, actions=tuple(action for action in domain.actions if action != out))


def renamed_action(rng, domain):
    number = rng.randrange(len(domain.actions))
    action = replace(domain.actions[number], name="renamed-action")
    return replace(domain, actions=(*domain.actions[:number], action, *domain.actions[number + 1 :]))


def junk(_, domain):
    return replace(domain, actions=(*domain.actions, AdlAction("junk", (), (), (Formula("idled"),))))


def a_type(rng, domain):
    action = next(a for a in domain.actions if a.parameters)
    last = action.parameters[-1]
    type_names = [t.name for t in domain.types if (t.name,) != last.types] or ["object"]
    kind = rng.choice(type_names) if last.types != (type_names[0],) or len(type_names) > 1 else "thing"
    changed = replace(action, parameters=(*action.parameters[:-1], TypedName(last.name, (kind,))))
    return replace(domain, actions=tuple(changed if a == action else a for a in domain.actions))


def no_cost(_, domain):
    first = domain.actions[0]
    effects = tuple(formula for formula in first.effects if formula.head != "increase")
    return replace(domain, actions=(replace(first, effects=effects), *domain.actions[1:]))


def in_capitals(_, domain):
    return read_adl(written(domain).upper())


def empty_precondition(_, domain):
    text = written(domain).replace(
        "(:action idle :parameters ()", "(:action idle :parameters () :precondition ()"
    )
    return read_adl(text)


SAME, BY_SEARCH, OTHER = "equal", "by trying all bijections", "different"
TABLE = {
    "disguise actions": (disguises, SAME),
    "reorder actions": (actions, SAME),
    "empty precondition": (empty_precondition, SAME),
    "change case": (in_capitals, SAME),
    "rename a predicate": (a_predicate, OTHER),
    "drop a precondition": (on_literal("preconditions", lambda formula: None), OTHER),
    "drop an effect": (on_literal("effects", lambda formula: None), OTHER),
    "negate a precondition": (on_literal("preconditions", negated), OTHER),
    "negate an effect": (on_literal("effects", negated), OTHER),
    "swap arguments of a precondition": (on_literal("preconditions", swapped), BY_SEARCH),
    "swap arguments of an effect": (on_literal("effects", swapped), BY_SEARCH),
    "drop an action": (dropped_action, OTHER),
    "rename an action": (renamed_action, OTHER),
    "add a junk action": (junk, OTHER),
    "change a type": (a_type, OTHER),
    "drop a cost": (no_cost, OTHER),
}


def perturbed(name, kind, seed):
    """Gold, prediction and whether they are equal; None where the domain has nothing to change so."""
    change, verdict = TABLE[kind]
    domain = gold(name)
    try:
        prediction = change(random.Random(f"{name} {kind} {seed}"), domain)
    except IndexError:
        return None
    pairs = zip(domain.actions, prediction.actions, strict=False)
    equal = all(brute_force.equal(b, a) for a, b in pairs) if verdict is BY_SEARCH else verdict is SAME
    return read_adl(written(domain)), read_adl(written(prediction)), equal
