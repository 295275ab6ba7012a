"""Blocksworld: towers of blocks, a planner that moves each block at most twice, and the closure of goals."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise, product

from orrery.generator_kit import (
    Fault,
    ParameterSpace,
    check_length,
    composition,
    ill_formed,
    numbered,
    reordered,
    shuffled,
    spans,
    weighted,
)
from orrery.model import (
    OBJECT,
    Atom,
    ConfigurationPair,
    Generated,
    Limits,
    Parameters,
    Problem,
    Step,
    TypedName,
    literals,
)

DOMAIN = "blocksworld"
FLAT = ("on_table", "holding_one")
UNTIED = (*FLAT, "stack", "staircase", "equal_towers", "tower")
TIED = ("swap", "invert")
TOWERS = ("equal_towers", "tower", "invert")  # if all blocks were on the table, they would be on_table
TASKS: tuple[ConfigurationPair, ...] = (
    *(ConfigurationPair(init, goal) for init in UNTIED for goal in UNTIED if not {init, goal} <= set(FLAT)),
    *(ConfigurationPair(name, name, tied=True, strict=True) for name in TIED),
)
EXCHANGEABLE = True  # all arrangements are reachable from each other, and goals are complete
WIDEST: Limits = {"blocks": (1, 55), "propositions": (1, 10_000)}
# Parameters of each configuration that has others than only "blocks".
FORMS: Mapping[str, Mapping[str, type]] = {
    "staircase": {"steps": int}, "equal_towers": {"height": int, "towers": int},
    "tower": {"heights": list}, "swap": {"heights": list}, "invert": {"heights": list},
}  # fmt: skip


Tower = list[str]  # from the table upwards
Size = tuple[int, int, int]  # blocks, number of towers in the initial state, number of towers in the goal


# ---- parameters


@dataclass(frozen=True)
class Shape:
    """The shape of a configuration: tower heights, highest first, and the number of held blocks."""

    heights: tuple[int, ...]
    held: int = 0

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return sum(self.heights) + self.held


@cache
def _partitions(n: int, parts: int) -> int:
    """Return the number of ways to write ``n`` as an unordered sum of ``parts`` positive numbers."""
    if n < parts or parts < 1:
        return int(n == parts == 0)
    return _partitions(n - 1, parts - 1) + _partitions(n - parts, parts)


def _steps(n: int) -> int:
    """Return the number of steps of a staircase of ``n`` blocks; 0 if ``n`` is not a triangular number."""
    steps = int((2 * n) ** 0.5)
    return steps if steps * (steps + 1) == 2 * n else 0


def _shapes(configuration: str, n: int) -> dict[int, int]:
    """Return the possible numbers of towers with ``n`` blocks, each with its number of shapes."""
    if configuration in ("tower", "invert"):
        tower_counts = range(1, min(n - 1, max(10, n // 2)) + 1)
        return {towers: _partitions(n, towers) for towers in tower_counts}
    if configuration == "equal_towers":
        return {towers: 1 for towers in range(2, n) if n % towers == 0}
    fixed = {"on_table": n, "holding_one": n - 1, "stack": 1, "staircase": _steps(n) or -1, "swap": 2}
    count = n // 2 - 1 if configuration == "swap" else int(fixed[configuration] >= 0)
    return {fixed[configuration]: count} if count > 0 else {}


def _propositions(configuration: str, n: int, towers: int) -> int:
    """Count the facts that state the configuration."""
    return n + towers + (configuration != "holding_one")


@cache
def _menu(
    task: ConfigurationPair, low: int, high: int, least: int, most: int
) -> tuple[list[Size], list[int]]:
    """Return the sizes within the limits on blocks and propositions, and their cumulative weights.

    A size with more shapes has a larger weight, so that the few problems of small sizes are not repeated
    often.
    """
    sizes = list[tuple[Size, int]]()
    for n in range(low, high + 1):
        before, after = (_shapes(name, n) for name in (task.init, task.goal))
        for init_towers, goal_towers in (
            zip(before, before, strict=True) if task.tied else product(before, after)
        ):
            facts = _propositions(task.init, n, init_towers) + _propositions(task.goal, n, goal_towers)
            many = before[init_towers] if task.tied else before[init_towers] * after[goal_towers]
            if not task.tied and init_towers == goal_towers:
                many -= _common_shapes(task, n, init_towers, min(before[init_towers], after[goal_towers]))
            if many and least <= facts <= most:
                sizes.append(((n, init_towers, goal_towers), many))
    return weighted(sizes)


def _common_shapes(task: ConfigurationPair, n: int, towers: int, shapes: int) -> int:
    """Return the number of shapes with ``towers`` towers that init and goal can share.

    Such problems are trivial.
    """
    if task.init == task.goal and task.init in ("stack", "staircase"):
        return int(n == 1)  # higher ones have other orders of the blocks
    same = task.init == task.goal or "tower" in (task.init, task.goal) or towers == n
    return shapes if same and "holding_one" not in (task.init, task.goal) else 0


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw ``{"init": ..., "goal": ...}`` within the limits of ``blocks`` and ``propositions`` (of both).

    Parameters: ``blocks`` (on_table, holding_one, stack), ``steps`` (staircase), ``towers`` and ``height``
    (equal_towers), ``heights`` (tower, swap, invert; a tied goal has none). Init and goal differ in shape,
    so that no renaming makes the goal true initially. Two stacks or two staircases are the exception.
    Raise a ParameterError if no parameters within the limits fit the task.
    """
    (low, high), (least, most) = (limits.get(name, WIDEST[name]) for name in ("blocks", "propositions"))
    sizes, weights = _menu(task, max(low, 1), high, least, most)
    while True:
        n, before, after = SPACE.pick(task, sizes, rng, weights)
        drawn = {"init": _draw_configuration(task.init, n, before, rng)}
        drawn["goal"] = {} if task.tied else _draw_configuration(task.goal, n, after, rng)
        if before != after or SPACE.fits(task, drawn):
            return drawn


def _draw_configuration(configuration: str, n: int, towers: int, rng: random.Random) -> Parameters:
    """Draw parameters of the configuration with ``n`` blocks in ``towers`` towers."""
    if configuration in ("on_table", "holding_one", "stack"):
        return {"blocks": n}
    if configuration == "staircase":
        return {"steps": towers}
    if configuration == "equal_towers":
        return {"towers": towers, "height": n // towers}
    if configuration == "swap":
        lower = rng.randint(2, n // 2)
        return {"heights": [n - lower, lower]}
    return {"heights": sorted(composition(n, towers, rng), reverse=True)}


def _shape(configuration: str, parameters: Parameters) -> Shape:
    """Return the shape of a configuration with the given parameters."""
    if configuration == "on_table":
        return Shape((1,) * parameters["blocks"])
    if configuration == "holding_one":
        return Shape((1,) * (parameters["blocks"] - 1), held=1)
    if configuration == "stack":
        return Shape((parameters["blocks"],))
    if configuration == "staircase":
        return Shape(tuple(range(parameters["steps"], 0, -1)))
    if configuration == "equal_towers":
        return Shape((parameters["height"],) * parameters["towers"])
    return Shape(tuple(sorted(parameters["heights"], reverse=True)))


def _constraints(task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint."""
    configurations = {"init": task.init} if task.tied else {"init": task.init, "goal": task.goal}
    shapes = []
    for part, configuration in configurations.items():
        part_parameters = parameters.get(part, {})
        for constraint, asks in ill_formed(part_parameters, FORMS.get(configuration, {"blocks": int})):
            yield constraint, f"{part}: {configuration} {asks}"
        if any(min(n, default=0) < 1 if isinstance(n, list) else n < 1 for n in part_parameters.values()):
            yield "positive", f"{part}: every number of {configuration} must be 1 or more"
        shapes.append(_shape(configuration, part_parameters))
    init, goal = shapes[0], shapes[-1]
    if task.init == "swap" and (len(init.heights) != 2 or min(init.heights) < 2):
        yield "two_towers", "swap needs exactly two towers of at least two blocks"
    for configuration, shape in zip(configurations.values(), shapes, strict=True):
        if configuration in TOWERS and max(shape.heights, default=0) < 2:
            yield "one_tall", f"{configuration} needs a tower of at least two blocks"
    if init.blocks != goal.blocks:
        yield "same_blocks", f"init and goal have {init.blocks} and {goal.blocks} blocks"
    same = task.init == task.goal and task.init in ("stack", "staircase")
    if not task.tied and init == goal and (not same or init.blocks < 2):
        yield "different_shapes", "init and goal have one shape: there would be nothing to plan"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, None, _constraints)


# ---- problems


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. The positions of the blocks are drawn from ``rng``.

    Init and goal are complete states, so the goal equals its own closure.
    Raise a ParameterError that names the violated constraint.
    """
    SPACE.check(task, parameters)
    shape, init_parameters = _shape(task.init, parameters["init"]), _for_templates(parameters["init"])
    towers, held = _arrange(shape, rng)
    init = _facts(towers, held)
    if task.tied:
        goal, goal_parameters = _facts(_tied_goal(task.goal, towers), None), init_parameters
    else:
        goal_shape = _shape(task.goal, parameters["goal"])
        goal, goal_parameters = _facts(*_arrange(goal_shape, rng)), _for_templates(parameters["goal"])
        while shape == goal_shape and init == goal:  # two stacks, or two staircases, may be equal
            goal = _facts(*_arrange(goal_shape, rng))
    problem = Problem(task.name, DOMAIN, _objects(shape.blocks), init, literals(goal))
    return Generated(problem, task, init_parameters, goal_parameters, closure=goal)


@cache
def _objects(blocks: int) -> tuple[TypedName, ...]:
    return tuple(map(TypedName, numbered("b", blocks)))


def _for_templates(parameters: Parameters) -> Parameters:
    """Return the parameters of a configuration for the templates, with heights in descending order."""
    return {key: sorted(n, reverse=True) if isinstance(n, list) else n for key, n in parameters.items()}


def _tied_goal(configuration: str, towers: list[Tower]) -> list[Tower]:
    if configuration == "invert":
        return [tower[::-1] for tower in towers]
    (first, *upper), (second, *second_upper) = towers
    return [[second, *upper], [first, *second_upper]]


def _arrange(shape: Shape, rng: random.Random) -> tuple[list[Tower], str | None]:
    """Draw towers of the given heights with the blocks in random places, and the held block."""
    blocks = reordered(numbered("b", shape.blocks), rng)
    return [blocks[start:end] for start, end in spans(shape.heights)], blocks[-1] if shape.held else None


def _facts(towers: list[Tower], held: str | None) -> frozenset[Atom]:
    """Return every fact of the arrangement."""
    facts: list[Atom] = [("arm-empty",) if held is None else ("holding", held)]
    for tower in towers:
        facts += (("on-table", tower[0]), ("clear", tower[-1]))
        facts += [("on", above, below) for below, above in pairwise(tower)]
    return frozenset(facts)


# ---- the arrangement in a set of facts: shared by planner and closure

TABLE = ""


@dataclass(frozen=True)
class Arrangement:
    """The arrangement that consistent facts describe. A state is complete; a goal may be partial.

    ``below`` maps a block to its support (TABLE or a block), ``above`` to the block on it.
    ``bottom`` gives the lowest block of the pile that the facts connect it to.
    """

    blocks: tuple[str, ...]
    below: dict[str, str]
    above: dict[str, str]
    bottom: dict[str, str]
    clear: frozenset[str]
    held: str | None
    empty: bool

    def pile(self, block: str) -> Iterator[str]:
        """Yield the block, the block on it, the block on that, and so on."""
        current: str | None = block
        while current is not None:
            yield current
            current = self.above.get(current)

    @property
    def complete(self) -> bool:
        """Whether the facts form a complete, sound state."""
        loose = self.held is not None
        uncovered = {b for b in self.blocks if b not in self.above and b != self.held}
        return len(self.below) + loose == len(self.blocks) and self.clear == uncovered and self.empty != loose


ARITY = {"on": 3, "on-table": 2, "clear": 2, "holding": 2, "arm-empty": 1}  # facts about the arm


def _read(facts: Collection[Atom], blocks: tuple[str, ...]) -> Arrangement | None:
    """Return the arrangement in the facts.

    Return None if they contradict each other or do not belong to this domain.
    """
    if any(ARITY.get(fact[0]) != len(fact) for fact in facts):
        return None
    facts_by_kind: dict[str, list[Atom]] = {kind: [] for kind in ARITY}
    for fact in facts:
        facts_by_kind[fact[0]].append(fact[1:])
    if not frozenset(blocks).issuperset(chain(*chain(*facts_by_kind.values()))):
        return None
    on, on_table, clear, holding, empty = facts_by_kind.values()
    below = dict(on) | {block: TABLE for (block,) in on_table}  # type: ignore[arg-type]
    above = {support: block for block, support in on}
    held = holding[0][0] if holding else None
    if len(below) < len(on) + len(on_table) or len(above) < len(on) or len(holding) + len(empty) > 1:
        return None
    shown = frozenset(chain(*clear))
    if not shown.isdisjoint(above) or (held is not None and held in chain(below, above, shown)):
        return None
    bottom = _bottoms(blocks, below, above)
    if bottom is None:
        return None
    return Arrangement(blocks, below, above, bottom, shown, held, bool(empty))


def _bottoms(blocks: Iterable[str], below: dict[str, str], above: dict[str, str]) -> dict[str, str] | None:
    """Return the lowest block of each block's tower; None if blocks form a cycle."""
    bottom_of: dict[str, str] = {}
    count = 0
    for block in blocks:
        count += 1
        current: str | None = block if below.get(block, TABLE) == TABLE else None
        while current is not None:
            bottom_of[current] = block
            current = above.get(current)
    return bottom_of if len(bottom_of) == count else None


def _read_both(problem: Problem) -> tuple[Arrangement, Arrangement] | None:
    """Return initial state and goal.

    Return None if a literal is negative, the goal impossible, or the state unsound.
    """
    if not all(literal.positive for literal in problem.goal):
        return None
    blocks = tuple(sorted(typed.name for typed in problem.objects))
    init, goal = _read(problem.init, blocks), _read(problem.goal_facts, blocks)
    return (init, goal) if init and goal and init.complete else None


# ---- closure


def close_goal(problem: Problem) -> frozenset[Atom] | None:
    """Return the facts true in every reachable goal state.

    Return None if a goal literal is negative, the initial state is unsound, or no state satisfies the goal.
    Every sound state is reachable from every other, so the closure does not depend on the initial state.
    """
    arrangements = _read_both(problem)
    return frozenset(_implied(arrangements[1])) if arrangements else None


def _liftable(goal: Arrangement) -> set[str]:
    """Return the blocks that the arm holds in some goal states but not in all."""
    if goal.empty or goal.held is not None:
        return set()
    return set(goal.blocks) - goal.below.keys() - goal.above.keys() - goal.clear


def _open_ends(goal: Arrangement) -> tuple[set[str], set[str]]:
    """Return the blocks whose support the goal leaves open, and the blocks that may carry another."""
    held = set() if goal.held is None else {goal.held}
    blocks = set(goal.blocks) - held
    return blocks - goal.below.keys(), blocks - goal.above.keys() - goal.clear


def _implied(goal: Arrangement) -> set[Atom]:
    """Return the facts true in every goal state.

    An open block is on the table in all of them iff it cannot be lifted and no other pile has a top that may
    carry it. A top is clear in all of them iff it cannot be lifted and no other pile is open at its bottom.
    """
    liftable, (loose, carriers) = _liftable(goal), _open_ends(goal)
    ends = {goal.bottom[end]: end for end in carriers}  # an open top is the only open end of its pile
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
    """Return a plan that lifts each block at most twice, in time linear in the blocks; or None.

    Blocks that are in their final position, down to the table, are not moved. The others are taken off. Each
    is put in its final position if that is ready, otherwise on the table. Then piles are built upwards (after
    Gupta and Nau, 1992). The result is None if that of ``close_goal`` is None.
    """
    if problem.satisfied(problem.init):
        return []
    arrangements = _read_both(problem)
    return _Arm(*arrangements).work() if arrangements else None


class _Arm:
    """One run of the planner: the current arrangement, the finished blocks, and the steps so far."""

    def __init__(self, init: Arrangement, goal: Arrangement) -> None:
        self.init, self.goal = init, goal
        self.above = dict(init.above)
        self.steps: list[Step] = []
        self.done: set[str] = set()
        for bottom in self._bottoms(init):
            self._settle(bottom)

    @staticmethod
    def _bottoms(facts: Arrangement) -> list[str]:
        return [b for b in facts.blocks if facts.below.get(b, TABLE) == TABLE and b != facts.held]

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
        """Return the whole plan."""
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
        """Take unfinished blocks off the pile, from the top."""
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
        """Put the held block in its final position if that is ready, otherwise on the table."""
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
        """Return the steps without pairs that put a block on the table and immediately lift it again."""
        useful_steps: list[Step] = []
        for step in self.steps:
            if step[0] == "pickup" and useful_steps and useful_steps[-1] == ("putdown", step[1]):
                useful_steps.pop()
            else:
                useful_steps.append(step)
        return useful_steps


# ---- long plans


def fewest_steps(problem: Problem) -> int | None:
    """Return a lower bound on the number of steps of every plan; None if a block is held, or as ``plan``.

    A block must be moved if the goal puts it elsewhere, or if it stands on a block that must be moved. It is
    lifted and put down. If the goal has it above a block that must be moved and that is below it initially,
    it is lifted before that block's first move and put down after the last one, so it moves twice (Gupta and
    Nau, 1992).
    """
    arrangements = _read_both(problem)
    if arrangements is None or any(facts.held is not None for facts in arrangements):
        return None
    init, goal = arrangements
    moves = 0
    for bottom in _Arm._bottoms(init):
        moved = set[str]()
        for block in init.pile(bottom):
            support = init.below[block]
            if support in moved or goal.below.get(block, support) != support:
                moves += 1 + any(lower in moved for lower in _supports(goal, block))
                moved.add(block)
    return 2 * moves


def _supports(facts: Arrangement, block: str) -> Iterator[str]:
    """Yield the block below ``block``, the block below that, and so on."""
    lower = facts.below.get(block, TABLE)
    while lower != TABLE:
        yield lower
        lower = facts.below.get(lower, TABLE)


def ladder(steps: int, rng: random.Random) -> Problem:
    """Draw towers to rebuild, each into piles of its own blocks; every block moves once, or lies already.

    A shortest plan has at most ``steps`` steps, and at most a third fewer.
    Raise a ParameterError for more than 100 steps.
    """
    check_length(DOMAIN, steps, 100)
    names = shuffled(numbered("b", rng.randint(max(2, -(-steps // 3)), max(2, steps // 2))), rng)
    init: list[list[str]] = []
    goal: list[list[str]] = []
    while names:
        height = len(names) if len(names) < 4 else rng.randint(2, len(names) - 2)
        tower, names = names[:height], names[height:]
        piles = [list[str]() for _ in range(rng.randint(1, max(1, height // 3)))]
        for block in reversed(tower[1:]):  # from the top; the lowest block ends on a pile
            rng.choice(piles).append(block)
        next((pile for pile in piles if pile), piles[0]).append(tower[0])
        init.append(tower)
        goal += [pile for pile in piles if pile]
    facts = _facts_of_piles(init) | {("clear", tower[-1]) for tower in init} | {("arm-empty",)}
    objects = tuple(sorted(TypedName(name, (OBJECT,)) for tower in init for name in tower))
    return Problem("ladder", DOMAIN, objects, frozenset(facts), literals(_facts_of_piles(goal)))


def _facts_of_piles(piles: Iterable[Sequence[str]]) -> set[Atom]:
    """Return the positions of the blocks of piles, each given from the table upwards."""
    facts: set[Atom] = {("on-table", pile[0]) for pile in piles}
    return facts | {("on", upper, lower) for pile in piles for lower, upper in pairwise(pile)}
