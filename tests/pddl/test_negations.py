"""Negations are moved inwards without a change of meaning: truth in small worlds, formula by formula."""

import random
from itertools import product

import pytest

from orrery.model import TypedName
from orrery.pddl.adl import Formula
from orrery.pddl.conjuncts import effect_with_inner_negations, with_inner_negations

WORLD = ("a", "b")


def random_condition(rng, names, depth):
    head = rng.choice(["p", "q", "not", "and", "or", "imply", "exists", "forall"]) if depth else "p"
    if head in ("p", "q"):
        return Formula(head, tuple(rng.choice(names) for _ in range(1 + (head == "q"))))
    if head in ("exists", "forall"):
        name = f"?v{depth}"
        return Formula(head, (random_condition(rng, [*names, name], depth - 1),), (TypedName(name),))
    count = {"not": 1, "imply": 2}.get(head) or rng.randint(0, 3)
    return Formula(head, tuple(random_condition(rng, names, depth - 1) for _ in range(count)))


def holds(formula, facts, names):
    head, parts = formula.head, formula.parts
    if head == "not":
        return not holds(parts[0], facts, names)
    if head == "imply":
        return not holds(parts[0], facts, names) or holds(parts[1], facts, names)
    if head in ("and", "or"):
        return (all if head == "and" else any)(holds(part, facts, names) for part in parts)
    if head in ("exists", "forall"):
        (variable,) = formula.variables
        truths = (holds(parts[0], facts, {**names, variable.name: constant}) for constant in WORLD)
        return any(truths) if head == "exists" else all(truths)
    return (head, *(names.get(part, part) for part in parts)) in facts


def heads_under_negations(formula):
    for part in formula.formulas:
        if formula.head == "not":
            yield part.head
        yield from heads_under_negations(part)


@pytest.mark.parametrize("seed", range(4))
def test_the_meaning_stays_and_only_atoms_are_negated(seed):
    rng = random.Random(seed)
    atoms = [("p", x) for x in WORLD] + [("q", x, y) for x, y in product(WORLD, WORLD)]
    for _ in range(150):
        condition = random_condition(rng, ["?x", "a"], 4)
        moved = with_inner_negations(condition)
        assert set(heads_under_negations(moved)) <= {"p", "q"}
        assert with_inner_negations(moved) == moved
        for _ in range(20):
            facts, names = {atom for atom in atoms if rng.random() < 0.5}, {"?x": rng.choice(WORLD)}
            assert holds(moved, facts, names) is holds(condition, facts, names), condition


def test_effects_keep_their_negations():
    p, q = Formula("p", ("?x",)), Formula("q", ("?x", "?x"))
    condition = Formula("imply", (p, q))
    effect = Formula("and", (Formula("not", (p,)), Formula("when", (condition, Formula("not", (q,))))))
    moved = effect_with_inner_negations(effect)
    assert moved.parts[0] == effect.parts[0]
    assert moved.parts[1].parts == (Formula("or", (Formula("not", (p,)), q)), Formula("not", (q,)))


@pytest.mark.parametrize(
    "odd",
    [Formula("not", ("?x",)), Formula("not"), Formula("imply", (Formula("p"),)), Formula("and", ("?x",))],
    ids=lambda odd: odd.head,
)
def test_what_is_not_well_formed_stays(odd):
    assert with_inner_negations(odd) == odd
    assert with_inner_negations(Formula("not", (odd,))) == Formula("not", (odd,))
