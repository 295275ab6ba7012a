"""Blocksworld: towers of blocks, a planner that moves each block at most twice, the closure of goals."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from pipeline.model import (
    Atom,
    Generated,
    Limits,
    Pairing,
    ParameterError,
    Parameters,
    Problem,
    State,
    Step,
    TypedName,
    literals,
)

DOMAIN = "blocksworld"
FLAT = ("on_table", "holding_one")
UNTIED = (*FLAT, "stack", "staircase", "equal_towers", "tower")
TIED = ("swap", "invert")
PAIRINGS: tuple[Pairing, ...] = (
    *(Pairing(init, goal) for init in UNTIED for goal in UNTIED if not {init, goal} <= set(FLAT)),
    *(Pairing(name, name, tied=True, strict=True) for name in TIED),
)
WIDEST: Limits = {"blocks": (1, 55)}
DRAWS = 200
# What the parameters of a side hold, besides those whose only number is "blocks".
KEYS: Mapping[str, tuple[str, ...]] = {
    "staircase": ("steps",), "equal_towers": ("height", "towers"),
    "tower": ("heights",), "swap": ("heights",), "invert": ("heights",),
}  # fmt: skip

Heights = list[int]
Tower = list[str]  # from the table upwards


# ---- parameters


@dataclass(frozen=True)
class Shape:
    """What a configuration asks of names: tower heights, highest first, and how many blocks are held."""

    heights: tuple[int, ...]
    held: int = 0

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return sum(self.heights) + self.held


def _divisors(n: int) -> list[int]:
    return [d for d in range(1, n + 1) if n % d == 0]


def _steps(n: int) -> int:
    """The number of steps of a staircase of ``n`` blocks; 0 where ``n`` is not triangular."""
    steps = int((2 * n) ** 0.5)
    return steps if steps * (steps + 1) == 2 * n else 0


def _partition(n: int, most: int, rng: random.Random) -> Heights:
    """Heights of 1 to ``most`` towers with ``n`` blocks in all, highest first."""
    cuts = sorted(rng.sample(range(1, n), rng.randint(1, min(n, most)) - 1))
    return sorted((b - a for a, b in zip([0, *cuts], [*cuts, n], strict=True)), reverse=True)


def _fits(configuration: str, n: int) -> bool:
    """Whether the configuration exists with ``n`` blocks."""
    fewest = {"swap": 4, "invert": 2}.get(configuration, 1)
    return n >= fewest and (configuration != "staircase" or _steps(n) > 0)


def _draw_side(configuration: str, n: int, rng: random.Random) -> Parameters:
    """Parameters of the configuration with ``n`` blocks."""
    if configuration in ("on_table", "holding_one", "stack"):
        return {"blocks": n}
    if configuration == "staircase":
        return {"steps": _steps(n)}
    if configuration == "equal_towers":
        height = rng.choice(_divisors(n)[:-1] or [n])
        return {"towers": n // height, "height": height}
    if configuration == "swap":
        lower = rng.randint(2, n // 2)
        return {"heights": [n - lower, lower]}
    return {"heights": _partition(n, max(10, n // 2), rng)}


def draw(pairing: Pairing, limits: Limits, rng: random.Random) -> Parameters:
    """``{"init": ..., "goal": ...}`` with a number of blocks within ``limits["blocks"]``.

    Sides: ``blocks`` (on_table, holding_one, stack), ``steps`` (staircase), ``towers`` and ``height``
    (equal_towers), ``heights`` (tower, swap, invert; a tied goal has none). The sides differ in shape,
    so that no renaming makes the goal hold at first, unless both are a stack or both a staircase.
    Raises ParameterError where nothing within the limits fits.
    """
    low, high = {**WIDEST, **limits}["blocks"]
    sizes = [n for n in range(low, high + 1) if _fits(pairing.init, n) and _fits(pairing.goal, n)]
    for _ in range(DRAWS if sizes else 0):
        n = rng.choice(sizes)
        drawn = {"init": _draw_side(pairing.init, n, rng)}
        drawn["goal"] = {} if pairing.tied else _draw_side(pairing.goal, n, rng)
        if _fault(pairing, drawn) is None:
            return drawn
    raise _violated(pairing, ("blocks", f"no two fitting sides found between {low} and {high} blocks"))


def _shape(configuration: str, side: Parameters) -> Shape:
    """The shape that the parameters of one side ask for."""
    if configuration == "on_table":
        return Shape((1,) * side["blocks"])
    if configuration == "holding_one":
        return Shape((1,) * (side["blocks"] - 1), held=1)
    if configuration == "stack":
        return Shape((side["blocks"],))
    if configuration == "staircase":
        return Shape(tuple(range(side["steps"], 0, -1)))
    if configuration == "equal_towers":
        return Shape((side["height"],) * side["towers"])
    return Shape(tuple(sorted(side["heights"], reverse=True)))


Fault = tuple[str, str]  # the violated constraint and what it asks


def _fault(pairing: Pairing, parameters: Parameters) -> Fault | None:
    """The first violated constraint, or None."""
    sides = {"init": pairing.init} if pairing.tied else {"init": pairing.init, "goal": pairing.goal}
    shapes = []
    for side, configuration in sides.items():
        given, keys = parameters.get(side, {}), KEYS.get(configuration, ("blocks",))
        if sorted(given) != list(keys):
            return "keys", f"{side}: {configuration} takes {' and '.join(keys)}"
        numbers = [n for value in given.values() for n in (value if isinstance(value, list) else [value])]
        if not numbers or any(type(n) is not int or n < 1 for n in numbers):
            return "positive", f"{side}: every number of {configuration} must be 1 or more"
        shapes.append(_shape(configuration, given))
    return _shape_fault(pairing, shapes)


def _shape_fault(pairing: Pairing, shapes: list[Shape]) -> Fault | None:
    init, goal = shapes[0], shapes[-1]
    if pairing.init == "swap" and (len(init.heights) != 2 or min(init.heights) < 2):
        return "two_towers", "swap needs exactly two towers of at least two blocks"
    if pairing.init == "invert" and max(init.heights) < 2:
        return "one_tall", "invert needs a tower of at least two blocks"
    if init.blocks != goal.blocks:
        return "same_blocks", f"the sides have {init.blocks} and {goal.blocks} blocks"
    same = pairing.init == pairing.goal and pairing.init in ("stack", "staircase")
    if not pairing.tied and init == goal and (not same or init.blocks < 2):
        return "different_sides", "both sides have one shape: there would be nothing to plan"
    return None


def _violated(pairing: Pairing, fault: Fault) -> ParameterError:
    where = f"{DOMAIN}/{pairing.name}"
    mend = "change the parameters or the limits of domains/blocksworld/domain.yaml"
    return ParameterError(where, f"constraint '{fault[0]}': {fault[1]}", mend)


# ---- problems


def build(pairing: Pairing, parameters: Parameters, rng: random.Random) -> Generated:
    """The problem of ``parameters``; ``rng`` says which block stands where.

    Both sides state the whole arrangement. Raises ParameterError naming the violated constraint.
    """
    fault = ("pairing", "the domain has no such task") if pairing not in PAIRINGS else None
    if fault := fault or _fault(pairing, parameters):
        raise _violated(pairing, fault)
    shape = _shape(pairing.init, parameters["init"])
    blocks = [f"b{i}" for i in range(1, shape.blocks + 1)]
    towers, held = _arrange(shape, blocks, rng)
    init = goal = _facts(towers, held)
    while init == goal:  # two stacks, or two staircases, can fall out the same
        goal = _goal(pairing, parameters, towers, rng)
    objects = tuple(TypedName(block) for block in blocks)
    problem = Problem(pairing.name, DOMAIN, objects, init, literals(goal))
    told = _told(parameters["init"])
    return Generated(problem, pairing, told, told if pairing.tied else _told(parameters["goal"]))


def _told(side: Parameters) -> Parameters:
    """The parameters of one side as the templates read them: heights highest first."""
    return {key: sorted(n, reverse=True) if isinstance(n, list) else n for key, n in side.items()}


def _goal(pairing: Pairing, parameters: Parameters, towers: list[Tower], rng: random.Random) -> State:
    if pairing.goal == "swap":
        (first, *upper), (second, *other) = towers
        return _facts([[second, *upper], [first, *other]], None)
    if pairing.goal == "invert":
        return _facts([tower[::-1] for tower in towers], None)
    shape = _shape(pairing.goal, parameters["goal"])
    return _facts(*_arrange(shape, [f"b{i}" for i in range(1, shape.blocks + 1)], rng))


def _arrange(shape: Shape, blocks: list[str], rng: random.Random) -> tuple[list[Tower], str | None]:
    """Towers of the wanted heights with the blocks in random places, and the held block."""
    rest = iter(rng.sample(blocks, len(blocks)))
    towers = [[next(rest) for _ in range(height)] for height in shape.heights]
    return towers, next(rest, None)


def _facts(towers: list[Tower], held: str | None) -> State:
    """Every fact of the arrangement."""
    found: set[Atom] = {("arm-empty",) if held is None else ("holding", held)}
    for tower in towers:
        found |= {("on-table", tower[0]), ("clear", tower[-1])}
        found |= {("on", above, below) for below, above in pairwise(tower)}
    return frozenset(found)


# ---- what the facts say: shared by planner and closure

TABLE = ""


@dataclass(frozen=True)
class Arrangement:
    """What some facts say, free of contradiction; a state says all, a goal perhaps little.

    ``below`` maps a block to what it stands on (TABLE or a block), ``above`` to what stands on it;
    ``bottom`` gives the lowest block of the pile that the facts tie it into.
    """

    blocks: tuple[str, ...]
    below: dict[str, str]
    above: dict[str, str]
    bottom: dict[str, str]
    clear: frozenset[str]
    held: str | None
    empty: bool

    def pile(self, block: str) -> Iterator[str]:
        """The block, what stands on it, what stands on that, and so on."""
        current: str | None = block
        while current is not None:
            yield current
            current = self.above.get(current)

    @property
    def complete(self) -> bool:
        """Whether the facts are those of a state that the arm can reach and leave."""
        loose = self.held is not None
        uncovered = {b for b in self.blocks if b not in self.above and b != self.held}
        return len(self.below) + loose == len(self.blocks) and self.clear == uncovered and self.empty != loose


def _read(facts: Iterable[Atom], objects: Iterable[TypedName]) -> Arrangement | None:
    """What the facts say, or None where they contradict each other or are not of this domain."""
    blocks = tuple(sorted(typed.name for typed in objects))
    said: dict[tuple[str, int], list[Atom]] = {
        ("on", 3): [], ("on-table", 2): [], ("clear", 2): [], ("holding", 2): [], ("arm-empty", 1): []
    }  # fmt: skip
    for fact in facts:
        if (fact[0], len(fact)) not in said or not set(blocks).issuperset(fact[1:]):
            return None
        said[fact[0], len(fact)].append(fact)
    on, on_table, clear, holding, empty = said.values()
    below = {block: support for _, block, support in on} | {block: TABLE for _, block in on_table}
    above = {support: block for _, block, support in on}
    held = holding[0][1] if holding else None
    if len(below) < len(on) + len(on_table) or len(above) < len(on) or len(holding) + len(empty) > 1:
        return None
    shown = frozenset(block for _, block in clear)
    if shown & above.keys() or (held is not None and held in {*below, *above, *shown}):
        return None
    bottom = _bottoms(blocks, below, above)
    if bottom is None:
        return None
    return Arrangement(blocks, below, above, bottom, shown, held, bool(empty))


def _bottoms(blocks: Iterable[str], below: dict[str, str], above: dict[str, str]) -> dict[str, str] | None:
    """The lowest block of each block's pile; None where blocks stand on each other in a circle."""
    found: dict[str, str] = {}
    count = 0
    for block in blocks:
        count += 1
        current: str | None = block if below.get(block, TABLE) == TABLE else None
        while current is not None:
            found[current] = block
            current = above.get(current)
    return found if len(found) == count else None


def _sides(problem: Problem) -> tuple[Arrangement, Arrangement] | None:
    """Initial state and goal; None where a literal is negative, the goal impossible, the state odd."""
    if not all(literal.positive for literal in problem.goal):
        return None
    init, goal = _read(problem.init, problem.objects), _read(problem.goal_facts, problem.objects)
    return (init, goal) if init and goal and init.complete else None


# ---- closure


def close_goal(problem: Problem) -> frozenset[Atom] | None:
    """The facts true in every reachable goal state.

    None where a goal literal is negative, the initial state is not one of piles and an arm, or no
    state satisfies the goal. From a state of piles the arm reaches every other, so the closure does
    not depend on where it starts.
    """
    sides = _sides(problem)
    return frozenset(_implied(sides[1])) if sides else None


def _liftable(goal: Arrangement) -> set[str]:
    """Blocks that the arm holds in some goal states but not in all."""
    if goal.empty or goal.held is not None:
        return set()
    return set(goal.blocks) - goal.below.keys() - goal.above.keys() - goal.clear


def _open_ends(goal: Arrangement) -> tuple[set[str], set[str]]:
    """Blocks whose support the goal leaves open, and blocks that the goal lets carry another."""
    held = set() if goal.held is None else {goal.held}
    blocks = set(goal.blocks) - held
    return blocks - goal.below.keys(), blocks - goal.above.keys() - goal.clear


def _implied(goal: Arrangement) -> set[Atom]:
    """The facts true in every goal state.

    An open block lies on the table in all of them iff it cannot be lifted and nothing may carry it
    but the top of its own pile; a top is clear in all iff it cannot be lifted and no other pile is open.
    """
    liftable, (loose, carriers) = _liftable(goal), _open_ends(goal)
    ends = {goal.bottom[end]: end for end in carriers}  # an open top is the only end of its pile
    true: set[Atom] = {
        ("on", *pair) if pair[1] != TABLE else ("on-table", pair[0]) for pair in goal.below.items()
    }
    true |= {("clear", block) for block in goal.clear}
    true |= {("on-table", block) for block in loose - liftable if len(carriers) == (block in ends)}
    true |= {("clear", end) for end in carriers - liftable if len(loose) == (goal.bottom[end] in loose)}
    if goal.held is not None:
        true.add(("holding", goal.held))
    elif not liftable:
        true.add(("arm-empty",))
    return true


# ---- plans


def plan(problem: Problem) -> list[Step] | None:
    """A plan that lifts each block at most twice, in time linear in the blocks; or None.

    Blocks that already stand where the goal wants them, down to the table, stay. The others are taken
    off and put where they belong if that is ready, else on the table; then piles are built upwards
    (after Gupta and Nau, 1992). None where ``close_goal`` gives None.
    """
    if problem.satisfied(problem.init):
        return []
    sides = _sides(problem)
    return _Arm(*sides).work() if sides else None


class _Arm:
    """One run of the planner: what lies where, which blocks are done, and the steps so far."""

    def __init__(self, init: Arrangement, goal: Arrangement) -> None:
        self.init, self.goal = init, goal
        self.above = dict(init.above)
        self.steps: list[Step] = []
        self.done: set[str] = set()
        for bottom in self._bottoms(init):
            self._settle(bottom)

    @staticmethod
    def _bottoms(side: Arrangement) -> list[str]:
        return [b for b in side.blocks if side.below.get(b, TABLE) == TABLE and b != side.held]

    def _settle(self, bottom: str) -> None:
        """Mark the blocks of the pile, from the table up, that need not move."""
        support = TABLE
        for block in self.init.pile(bottom):
            wanted = self.goal.below.get(block, support)
            occupied = support in self.goal.clear or self.goal.above.get(support, block) != block
            if block == self.goal.held or wanted != support or occupied:
                return
            self.done.add(block)
            support = block

    def work(self) -> list[Step]:
        """The whole plan."""
        if self.init.held is not None:
            self._place(self.init.held)
        for bottom in self._bottoms(self.init):
            self._take_down(bottom)
        for bottom in self._bottoms(self.goal):
            for lower, block in zip(pile := list(self.goal.pile(bottom)), pile[1:], strict=False):
                if block not in self.done:
                    self.steps += [("pickup", block), ("stack", block, lower)]
        if self.goal.held is not None:
            self.steps.append(("pickup", self.goal.held))
        return self._without_idle()

    def _take_down(self, bottom: str) -> None:
        """Take what is not done off the pile, from the top."""
        pile = list(self.init.pile(bottom))
        for lower, block in reversed(list(pairwise(pile))):
            if block in self.done:
                return
            self.steps.append(("unstack", block, lower))
            del self.above[lower]
            self._place(block)
        if self.goal.below.get(bottom, TABLE) == TABLE and bottom != self.goal.held:
            self.done.add(bottom)

    def _place(self, block: str) -> None:
        """Put the block in hand where it belongs if that is ready, else on the table."""
        wanted = self.goal.below.get(block, TABLE)
        if wanted in self.done and wanted not in self.above:
            self.steps.append(("stack", block, wanted))
            self.above[wanted] = block
            self.done.add(block)
            return
        self.steps.append(("putdown", block))
        if wanted == TABLE and block != self.goal.held:
            self.done.add(block)

    def _without_idle(self) -> list[Step]:
        """The steps without those that put a block on the table and at once lift it again."""
        kept: list[Step] = []
        for step in self.steps:
            if step[0] == "pickup" and kept and kept[-1] == ("putdown", step[1]):
                kept.pop()
            else:
                kept.append(step)
        return kept
