"""All small problems of many domains, with equivalence by brute force straight from its definition."""

import random
from dataclasses import replace
from functools import cache
from itertools import chain, combinations, permutations, product
from pathlib import Path

from orrery.model import Literal, Problem, TypedName
from orrery.pddl.read import read_domain
from orrery.planning.execution import progress
from orrery.planning.universe import fluent_atoms
from tests.effort import some
from tests.universe import applicable_steps

from .lands import LANDS, WORLDS

FOLDER = Path(__file__).resolve().parents[2] / "domains"
DOMAINS = ("blocksworld", "ferry", "gripper", "visitall", *WORLDS)
FEW = 20  # so many are drawn by day, too


@cache
def domain(name):
    return read_domain(LANDS[name] if name in LANDS else (FOLDER / name / "domain.pddl").read_text())


def problem(name, objects, init, goal=()):
    """``objects``: "a b - t c"-like dict type -> names."""
    typed = tuple(TypedName(o, (kind,)) for kind, names in objects.items() for o in names.split())
    return Problem("small", name, typed, frozenset(init), frozenset(goal))


def facts(text):
    return frozenset(tuple(part.split()) for part in text.split(",") if part.strip())


def starts(name):
    """Problems without goal, one for each small world."""
    if name in WORLDS:
        return (
            problem(name, objects, facts(f"{static}, {first}")) for objects, static, first in WORLDS[name]
        )
    makers = {"blocksworld": blocks, "gripper": grippers, "ferry": ferries, "visitall": walks}
    return makers[name]()


def blocks():
    for size in (1, 2, 3):
        names = "a b c"[: 2 * size - 1]
        table = [fact for b in names.split() for fact in (("on-table", b), ("clear", b))]
        yield problem("blocksworld", {"object": names}, [*table, ("arm-empty",)])


def grippers():
    for hands in ("left", "left right"):
        for first in ("ra", "rb"):
            kinds = ["room ra", "room rb", "ball x", "ball y", *(f"gripper {hand}" for hand in hands.split())]
            free = [f"free {hand}" for hand in hands.split()]
            init = facts(", ".join([*kinds, *free, "at-robby ra", "at x ra", f"at y {first}"]))
            yield problem("gripper", {"object": f"ra rb x y {hands}"}, init)


def ferries():
    for second in ("k", "m"):
        init = facts(f"passage k m, passage m k, at-ferry k, empty-ferry, at c k, at d {second}")
        yield problem("ferry", {"car": "c d", "location": "k m"}, init)


def walks():
    for roads in ("p q, q r", "p q, q r, r p", "p q, p r, p s"):
        roads_read = [way.split() for way in roads.split(", ")]
        linked = frozenset(("connected", *pair) for way in roads_read for pair in (way, way[::-1]))
        places = sorted({name for way in roads_read for name in way})
        yield problem("visitall", {"place": " ".join(places)}, linked | facts("at-robot q, visited q"))


def renamings(candidate):
    """All bijections of the objects that keep types and static facts (others equate no two problems)."""
    static = {fact for fact in candidate.init if fact[0] not in domain(candidate.domain).fluents}
    kinds = {}
    for typed in candidate.objects:
        kinds.setdefault(typed.types, []).append(typed.name)
    constants = {typed.name: typed.name for typed in domain(candidate.domain).constants}
    for images in product(*map(permutations, kinds.values())):
        renaming = dict(zip(chain(*kinds.values()), chain(*images), strict=True)) | constants
        if set(mapped(static, renaming)) == static:
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
        """The states one step on, by the lifted route that the product's exhaustive search does not use."""
        if state not in self.successors:
            rules = domain(self.start.domain)
            steps = applicable_steps(rules, self.start, state)
            self.successors[state] = [progress(rules, state, step) for step in steps]
        return self.successors[state]

    def reachable_from(self, init):
        if init not in self.reach:
            reached, todo = {init}, [init]
            while todo:
                new = set(self.after(todo.pop())) - reached
                reached |= new
                todo += new
            self.reach[init] = reached
        return self.reach[init]

    def goal_states(self, candidate):
        return frozenset(s for s in self.reachable_from(candidate.init) if candidate.satisfied(s))

    def form(self, init, goals):
        """A canonical form by trying all renamings: of the initial state and the set of goal states."""
        if (init, goals) not in self.forms:
            self.forms[init, goals] = min(
                (mapped(init, r), tuple(sorted(mapped(s, r) for s in goals))) for r in self.renamings
            )
        return self.forms[init, goals]

    def form_of(self, candidate):
        """The form of a problem, with what distinguishes worlds."""
        return self.start.objects, self.form(candidate.init, self.goal_states(candidate))

    def forms_accepted(self, gold, open_objects=None):
        """The forms of the problems that placeholder mode accepts, by trying all permutations.

        With ``open_objects`` only those that keep every other object in its place.
        """
        reachable, goals = self.reachable_from(gold.init), self.goal_states(gold)
        fixed = [
            typed.name
            for typed in gold.objects
            if open_objects is not None and typed.name not in open_objects
        ]
        accepted = set()
        for renaming in self.renamings:
            if all(renaming[name] == name for name in fixed) and all(
                frozenset(mapped(state, renaming)) in reachable for state in reachable
            ):
                moved = frozenset(frozenset(mapped(state, renaming)) for state in goals)
                accepted.add((self.start.objects, self.form(gold.init, moved)))
        return accepted

    def closed(self, candidate):
        """What a domain's rule gives, by brute force: the fluent facts true in all goal states."""
        goals = self.goal_states(candidate)
        if not goals or not all(literal.positive for literal in candidate.goal):
            return None
        shared = frozenset.intersection(*goals)
        return frozenset(fact for fact in shared if fact[0] in domain(candidate.domain).fluents)

    def goals(self, most):
        """All goals of up to ``most`` literals of both signs over facts that occur, and two that never do."""
        occur = frozenset().union(*self.states)
        never = [atom for atom in fluent_atoms(domain(self.start.domain), self.start) if atom not in occur]
        atoms = sorted(occur - frozenset.intersection(*self.states)) + never[:2]
        literals_all = [Literal(atom, sign) for atom, sign in product(atoms, (True, False))]
        for size in range(most + 1):
            yield from map(frozenset, combinations(literals_all, size))

    def problems(self, most, share, seed=0):
        """So many problems of this world, drawn at random, by day a fifth of many."""
        inits = sorted(self.states, key=sorted)
        goals, rng = list(self.goals(most)), random.Random(seed)
        for _ in range(min(share, max(FEW, some(share)))):
            yield replace(self.start, init=rng.choice(inits), goal=rng.choice(goals))


def related(world, rng, count):
    """Problems of a world in families of seven, with the same goal in other words.

    A problem with a random goal, or one that a reachable state satisfies; facts true in all goal states put
    in, and all of them; the goal under permutations of objects, an admissible one and another if there are
    such; initial state and goal under one; another initial state.
    """
    inits, atoms = sorted(world.states, key=sorted), sorted(frozenset().union(*world.states))
    families = []
    while len(families) * 5 < count:
        init, goal = rng.choice(inits), []
        for _ in range(rng.randint(1, 3)):
            goal.append(Literal(rng.choice(atoms), rng.random() < 0.75))
        if len(families) % 3:
            state = rng.choice(sorted(world.reachable_from(init), key=sorted))
            goal = [Literal(literal.atom, literal.atom in state) for literal in goal]
        candidate = replace(world.start, init=init, goal=frozenset(goal))
        families.append(list(family(world, candidate, rng, inits)))
    return [candidate for members in families for candidate in members][:count]


def family(world, candidate, rng, inits):
    """The problem and those that ``related`` derives from it."""
    yield candidate
    if goals := sorted(world.goal_states(candidate), key=sorted):
        shared = sorted(frozenset.intersection(*goals))
        yield replace(
            candidate, goal=candidate.goal | {Literal(rng.choice(shared))} if shared else candidate.goal
        )
        yield replace(
            candidate, goal=frozenset(map(Literal, shared)) | {g for g in candidate.goal if not g.positive}
        )
    moves = [rng.choice(kind or world.renamings) for kind in sorted_moves(world, candidate.init)]
    for move in moves:
        yield replace(candidate, goal=moved_goal(candidate, move))
    yield replace(
        candidate, init=frozenset(mapped(candidate.init, moves[1])), goal=moved_goal(candidate, moves[1])
    )
    yield replace(candidate, init=rng.choice(inits))


def reworded(candidate, rng):
    """The problem with other names, objects in another order, sets built in another order."""
    names = [typed.name for typed in candidate.objects]
    fresh = ["table", *(f"table{number}" for number in range(1, len(names)))]
    renaming = dict(zip(names, rng.sample(fresh, len(names)), strict=True))
    renaming |= {typed.name: typed.name for typed in domain(candidate.domain).constants}
    objects = tuple(TypedName(renaming[typed.name], typed.types) for typed in candidate.objects)
    init = frozenset(mapped(candidate.init, renaming))
    objects = tuple(rng.sample(objects, len(objects)))
    return replace(candidate, objects=objects, init=init, goal=moved_goal(candidate, renaming))


def sorted_moves(world, init):
    """Permutations that lead to another reachable state, and those that lead out of what is reachable."""
    images = [(move, frozenset(mapped(init, move))) for move in world.renamings]
    reachable = world.reachable_from(init)
    admissible = [move for move, image in images if image != init and image in reachable]
    return admissible, [move for move, image in images if image not in reachable]


def moved_goal(candidate, move):
    """The goal with objects renamed."""
    return frozenset(Literal(mapped([literal.atom], move)[0], literal.positive) for literal in candidate.goal)
