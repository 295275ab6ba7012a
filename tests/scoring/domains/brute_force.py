"""Random small actions, and what is true of two of them by trying every bijection."""

from itertools import permutations, product

from orrery.model import TypedName
from orrery.pddl.adl import AdlAction, Formula

CONNECTED = ("and", "or", "not", "when", "imply")


def atom(rng, names):
    predicate, arity = rng.choice([("p", 1), ("q", 2), ("r", 0), ("q", 2), ("s", 3)])
    return Formula(predicate, tuple(rng.choice(names) for _ in range(arity)))


def condition(rng, names, depth):
    kind = rng.choice(["atom"] * 6 + ["not", "and", "or", "=", "exists", "forall", "imply"])
    if depth == 0 or kind == "atom":
        return atom(rng, names)
    if kind == "=":
        return Formula("=", (rng.choice(names), rng.choice(names)))
    if kind in ("exists", "forall"):
        bound = tuple(TypedName(f"?b{depth}{i}", (rng.choice("tu"),)) for i in range(rng.randint(1, 2)))
        inner = condition(rng, [*names, *(typed.name for typed in bound)], depth - 1)
        return Formula(kind, (inner,), bound)
    count = 1 if kind == "not" else 2 if kind == "imply" else rng.randint(1, 3)
    return Formula(kind, tuple(condition(rng, names, depth - 1) for _ in range(count)))


def effect(rng, names, depth):
    kind = rng.choice(["literal"] * 5 + ["when", "forall", "increase"])
    if depth and kind == "when":
        return Formula("when", (condition(rng, names, 1), effect(rng, names, 0)))
    if depth and kind == "forall":
        bound = (TypedName("?c", (rng.choice("tu"),)),)
        return Formula("forall", (effect(rng, [*names, "?c"], depth - 1),), bound)
    if kind == "increase":
        return Formula("increase", (Formula("total-cost"), rng.choice(["1", "2"])))
    fact = atom(rng, names)
    return fact if rng.random() < 0.6 else Formula("not", (fact,))


def random_action(rng, most=4, wide=True):
    parameters = tuple(TypedName(f"?x{i}", (rng.choice("ttu"),)) for i in range(rng.randint(0, most)))
    names = [typed.name for typed in parameters] + ["k"]
    depth = 2 if wide and rng.random() < 0.4 else 0
    conditions = tuple(condition(rng, names, depth) for _ in range(rng.randint(0, 4)))
    effects = tuple(effect(rng, names, 2 if depth else 0) for _ in range(rng.randint(0, 3)))
    return AdlAction("a", parameters, conditions, effects)


def renamed(formula, names):
    """The formula with its names replaced; what it binds is left alone."""
    inner = {name: to for name, to in names.items() if name not in {v.name for v in formula.variables}}
    parts = tuple(renamed(p, inner) if isinstance(p, Formula) else inner.get(p, p) for p in formula.parts)
    return Formula(formula.head, parts, formula.variables)


def disguised(rng, action):
    """The same action: parameters renamed and permuted, conjuncts shuffled and nested, bound names new."""
    names = [f"?y{i}" for i in range(len(action.parameters))]
    rng.shuffle(names)
    mapping = {typed.name: name for typed, name in zip(action.parameters, names, strict=True)}
    parameters = [TypedName(mapping[typed.name], typed.types) for typed in action.parameters]
    rng.shuffle(parameters)
    conditions = [shuffled(rng, renamed(f, mapping)) for f in action.preconditions]
    effects = [shuffled(rng, renamed(f, mapping)) for f in action.effects]
    return AdlAction("b", tuple(parameters), nested(rng, conditions), nested(rng, effects))


def nested(rng, formulas):
    rng.shuffle(formulas)
    cut = rng.randint(0, len(formulas))
    return (*formulas[:cut], Formula("and", tuple(formulas[cut:])))


def shuffled(rng, formula):
    """Order within ``and``, ``or`` and ``=`` changed, and bound variables renamed and listed otherwise."""
    parts = [shuffled(rng, part) if isinstance(part, Formula) else part for part in formula.parts]
    if formula.head in ("and", "or", "="):
        rng.shuffle(parts)
    if not formula.variables:
        return Formula(formula.head, tuple(parts))
    fresh = {v.name: f"?z{rng.randint(0, 9**12)}" for v in formula.variables}
    bound = [TypedName(fresh[v.name], v.types) for v in formula.variables]
    rng.shuffle(bound)
    return Formula(formula.head, tuple(renamed(part, fresh) for part in parts), tuple(bound))


def mutated(rng, action):
    """The action with one thing changed, dropped or added; now and then what comes out is equal after all."""
    parts = [list(action.preconditions), list(action.effects)]
    side = rng.choice(parts)
    names = [typed.name for typed in action.parameters] + ["k"]
    kind = rng.choice(["drop", "add", "negate", "type", "swap"])
    if kind == "type" and action.parameters:
        number = rng.randrange(len(action.parameters))
        changed = list(action.parameters)
        changed[number] = TypedName(changed[number].name, (rng.choice("tuv"),))
        return AdlAction("c", tuple(changed), action.preconditions, action.effects)
    if side and kind == "drop":
        side.pop(rng.randrange(len(side)))
    elif side and kind == "swap":
        number = rng.randrange(len(side))
        two = rng.sample(names, 2) if len(names) > 1 else names * 2
        side[number] = renamed(side[number], {two[0]: two[1], two[1]: two[0]})
    elif side and kind == "negate":
        number = rng.randrange(len(side))
        side[number] = Formula("not", (side[number],))
    else:
        side.append(atom(rng, names))
    return AdlAction("c", action.parameters, tuple(parts[0]), tuple(parts[1]))


def value(formula, names):
    """The meaning of a formula's form: sets where order does not count, all orders of bound variables tried.

    Conjuncts under ``forall`` and the effects of ``when`` count one by one.
    """
    head = formula.head
    if head == "not" and isinstance(formula.parts[0], Formula) and formula.parts[0].head == "not":
        return value(formula.parts[0].parts[0], names)
    if head in ("forall", "exists"):
        return quantified(formula, names)
    parts = [value(p, names) if isinstance(p, Formula) else names.get(p, p) for p in formula.parts]
    if head == "and":
        return joined(frozenset().union(*(p[1] if is_and(p) else {p} for p in parts)))
    if head == "or":
        return parts[0] if len(parts) == 1 else ("or", frozenset(parts))
    return ("=", frozenset(parts), len(set(parts))) if head == "=" else (head, *parts)


def is_and(form):
    return isinstance(form, tuple) and form[0] == "and" and len(form) == 2 and isinstance(form[1], frozenset)


def joined(parts):
    return next(iter(parts)) if len(parts) == 1 else ("and", parts)


def quantified(formula, names):
    """All values over the orders of bound variables together: equal iff some order makes them equal."""
    if formula.head == "forall" and formula.parts[0].head == "and":
        quantified_parts = [Formula("forall", (part,), formula.variables) for part in formula.parts[0].parts]
        return value(Formula("and", tuple(quantified_parts)), names)
    variables, body = formula.variables, formula.parts[0]
    while formula.head == "forall" and body.head == "forall":
        again = {v.name for v in body.variables}  # bound anew: the outer one occurs nowhere
        outer = [TypedName(f"{v.name} outer", v.types) if v.name in again else v for v in variables]
        variables, body = (*outer, *body.variables), body.parts[0]
        if body.head == "and":
            return value(Formula("and", tuple(Formula("forall", (p,), variables) for p in body.parts)), names)
    level = sum(name.startswith("#") for name in names.values())
    values = set()
    for order in permutations(variables):
        inner = {**names, **{v.name: f"#{level + i}" for i, v in enumerate(order)}}
        values.add((tuple(v.types for v in order), value(body, inner)))
    return (formula.head, frozenset(values))


DUAL = {"and": "or", "or": "and", "forall": "exists", "exists": "forall"}


def moved(formula, denied=False):
    """A condition with only atoms negated, and without implications."""
    parts, head = formula.parts, formula.head
    if head == "not":
        return moved(parts[0], not denied)
    if head == "imply":
        return moved(Formula("or", (Formula("not", parts[:1]), parts[1])), denied)
    if head in DUAL:
        head = DUAL[head] if denied else head
        inner = [moved(part, denied) for part in parts]
        flat = [term for part in inner for term in (part.parts if part.head == head == "or" else [part])]
        return Formula(head, tuple(flat), formula.variables)
    return Formula("not", (formula,)) if denied else formula


def conditions_moved(effect):
    """An effect with the same done to the conditions of ``when``."""
    if effect.head == "when":
        return Formula("when", (moved(effect.parts[0]), conditions_moved(effect.parts[1])))
    if effect.head in ("and", "forall"):
        return Formula(effect.head, tuple(map(conditions_moved, effect.parts)), effect.variables)
    return effect


def meaning(action, names):
    sides = (tuple(map(moved, action.preconditions)), tuple(map(conditions_moved, action.effects)))
    values = [value(Formula("and", formulas), names) for formulas in sides]
    return [f[1] if is_and(f) else frozenset({f}) for f in values]


def equal(first, second):
    """Whether some bijection that preserves types makes both sides equal."""
    if len(first.parameters) != len(second.parameters):
        return False
    right = meaning(second, {v.name: f"@{i}" for i, v in enumerate(second.parameters)})
    for order in permutations(range(len(second.parameters))):
        if all(v.types == second.parameters[i].types for v, i in zip(first.parameters, order, strict=True)):
            names = {v.name: f"@{i}" for v, i in zip(first.parameters, order, strict=True)}
            if meaning(first, names) == right:
                return True
    return False


def best(predicted, gold, typed):
    """The most conjuncts and then types that an injection matches, by trying all of them."""
    marks = {v.name: f"@{i}" for i, v in enumerate(predicted.parameters)}
    mine = meaning(predicted, marks)
    best_match = (-1, -1)
    choices = [*range(len(predicted.parameters)), None]
    for picks in product(choices, repeat=len(gold.parameters)):
        used = [pick for pick in picks if pick is not None]
        pairs = [
            (g, predicted.parameters[i]) for g, i in zip(gold.parameters, picks, strict=True) if i is not None
        ]
        alike = sum(g.types == p.types for g, p in pairs)
        if len(set(used)) < len(used) or (typed and alike < len(pairs)):
            continue
        names = {
            g.name: f"@{i}" if i is not None else "@nothing"
            for g, i in zip(gold.parameters, picks, strict=True)
        }
        theirs = meaning(gold, names)
        best_match = max(best_match, (sum(len(a & b) for a, b in zip(mine, theirs, strict=True)), alike))
    return best_match
