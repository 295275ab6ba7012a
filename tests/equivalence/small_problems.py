"""All small problems of four domains, with equivalence by brute force straight from its definition."""

import random
from dataclasses import replace
from functools import cache
from itertools import combinations, permutations, product
from pathlib import Path

from pipeline.model import Literal, Problem, TypedName
from pipeline.pddl.read import read_domain
from pipeline.semantics.execution import applicable_steps, progress
from pipeline.semantics.universe import fluent_atoms

FOLDER = Path(__file__).resolve().parents[2] / "domains"


@cache
def domain(name):
    return read_domain((FOLDER / name / "domain.pddl").read_text())


def problem(name, objects, init, goal=()):
    """``objects``: "a b - t c"-like dict type -> names."""
    typed = tuple(TypedName(o, (kind,)) for kind, names in objects.items() for o in names.split())
    return Problem("small", name, typed, frozenset(init), frozenset(goal))


def facts(text):
    return frozenset(tuple(part.split()) for part in text.split(",") if part.strip())


def starts(name):
    """Problems without goal, one for each small world."""
    if name == "blocksworld":
        for size in (1, 2, 3):
            blocks = "a b c"[: 2 * size - 1]
            table = [fact for b in blocks.split() for fact in (("on-table", b), ("clear", b))]
            yield problem(name, {"object": blocks}, [*table, ("arm-empty",)])
    elif name == "gripper":
        for grippers in ("left", "left right"):
            for first in ("ra", "rb"):
                static = facts(
                    f"room ra, room rb, ball x, ball y, {', '.join('gripper ' + g for g in grippers.split())}"
                )
                moving = facts(
                    f"at-robby ra, at x ra, at y {first}, {', '.join('free ' + g for g in grippers.split())}"
                )
                yield problem(name, {"object": f"ra rb x y {grippers}"}, static | moving)
    elif name == "ferry":
        for second in ("k", "m"):
            init = facts(f"not-eq k m, not-eq m k, at-ferry k, empty-ferry, at c k, at d {second}")
            yield problem(name, {"car": "c d", "location": "k m"}, init)
    else:
        for roads in ("p q, q r", "p q, q r, r p", "p q, p r, p s"):
            ways = facts(
                ", ".join(
                    f"connected {w}, connected {' '.join(reversed(w.split()))}" for w in roads.split(", ")
                )
            )
            places = sorted({name for fact in ways for name in fact[1:]})
            yield problem(name, {"place": " ".join(places)}, ways | facts("at-robot q, visited q"))


def renamings(given):
    """All bijections of the objects that keep types and static facts (others equate no two problems)."""
    objects = given.objects
    static = {fact for fact in given.init if fact[0] not in domain(given.domain).fluents}
    for image in permutations(objects):
        renaming = {one.name: two.name for one, two in zip(objects, image, strict=True)}
        kept = all(one.types == two.types for one, two in zip(objects, image, strict=True))
        if kept and set(mapped(static, renaming)) == static:
            yield renaming


def mapped(state, renaming):
    return tuple(sorted((fact[0], *[renaming[name] for name in fact[1:]]) for fact in state))


@cache
def worlds(name):
    """The small worlds of a domain."""
    return [World(start) for start in starts(name)]


class World:
    """One small world: its states, and classes of problems under renaming."""

    def __init__(self, start):
        self.start = start
        self.renamings = list(renamings(start))
        self.forms, self.reach, self.successors = {}, {}, {}
        self.states = self.reachable_from(start.init)

    def after(self, state):
        """The states one step on, by the lifted route that the product's sweep does not use."""
        if state not in self.successors:
            rules = domain(self.start.domain)
            steps = applicable_steps(rules, self.start, state)
            self.successors[state] = [progress(rules, state, step) for step in steps]
        return self.successors[state]

    def reachable_from(self, init):
        if init not in self.reach:
            found, todo = {init}, [init]
            while todo:
                new = set(self.after(todo.pop())) - found
                found |= new
                todo += new
            self.reach[init] = found
        return self.reach[init]

    def goal_states(self, given):
        return frozenset(s for s in self.reachable_from(given.init) if given.satisfied(s))

    def form(self, init, goals):
        """A canonical form by trying all renamings: of the initial state and the set of goal states."""
        if (init, goals) not in self.forms:
            self.forms[init, goals] = min(
                (mapped(init, r), tuple(sorted(mapped(s, r) for s in goals))) for r in self.renamings
            )
        return self.forms[init, goals]

    def goals(self, most):
        """All goals of up to ``most`` literals of both signs over facts that occur, and two that never do."""
        occur = frozenset().union(*self.states)
        never = [atom for atom in fluent_atoms(domain(self.start.domain), self.start) if atom not in occur]
        atoms = sorted(occur - frozenset.intersection(*self.states)) + never[:2]
        every = [Literal(atom, sign) for atom, sign in product(atoms, (True, False))]
        for size in range(most + 1):
            yield from map(frozenset, combinations(every, size))

    def problems(self, most, share=None, seed=0):
        """All problems of this world; with ``share`` that many drawn at random."""
        inits = sorted(self.states, key=sorted)
        goals = list(self.goals(most))
        if share is None:
            pairs = product(inits, goals)
        else:
            rng = random.Random(seed)
            pairs = ((rng.choice(inits), rng.choice(goals)) for _ in range(share))
        for init, goal in pairs:
            yield replace(self.start, init=init, goal=goal)


def full_goals(world):
    """Goals that spell out many facts: all subsets of one goal state's fluent facts."""
    fluents = domain(world.start.domain).fluents
    for state in sorted(world.states, key=sorted):
        moving = sorted(fact for fact in state if fact[0] in fluents)
        for size in range(len(moving) + 1):
            for chosen in combinations(moving, size):
                yield frozenset(map(Literal, chosen))
