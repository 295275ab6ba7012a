"""Depots: crates piled on the pallets of places, hoists that lift the crates, and trucks that carry them.

Places are depots and distributors; each has at least one pallet.

- *served*: each place has at least one hoist.
- *unserved*: some places have no hoist. Crates there cannot move, although trucks may visit.
- *yard*: one place without trucks, with one pallet and fewer hoists than crates. Crates deep in the pile
  cannot move, which only search shows.

A goal gives the supports of *some* crates, or of *all* movable crates. If ``hopeless`` is 1, the goal
requires a crate to be put where no hoist is, or to be lifted where no hoist is. All other problems are
solvable: hoists and trucks can take all piles apart and rebuild them.

Other configurations have texts without names. Each place has one pallet and one hoist, and all trucks are at
one depot. There is *one pile* of all crates, at that depot; or *two piles*, there and at a distributor; or
all crates are in one of the trucks (*truckload*). Their goals refer to these piles.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise, permutations, product

from orrery.generator_kit import Fault, ParameterSpace, check_length, numbered, shuffled, typed
from orrery.model import Atom, ConfigurationPair, Generated, Limits, Parameters, Problem, Step, literals

DOMAIN = "depots"
_PILED: Mapping[str, tuple[str, ...]] = {
    "one_pile": ("moved", "inverted", "halved"),
    "two_piles": ("joined", "exchanged", "inverted"),
    "truckload": ("shared", "piled"),
}
TASKS: tuple[ConfigurationPair, ...] = (
    ConfigurationPair("served", "some_crates", strict=True),
    ConfigurationPair("unserved", "some_crates", strict=True),
    ConfigurationPair("served", "all_crates", strict=True),
    ConfigurationPair("yard", "some_crates", strict=True),
    *(ConfigurationPair(init, goal, strict=True) for init, goals in _PILED.items() for goal in goals),
)
WIDEST: Limits = {
    "depots": (1, 8), "distributors": (0, 8), "trucks": (0, 10), "pallets": (1, 40), "hoists": (2, 40),
    "crates": (1, 60),
}  # fmt: skip
KINDS = {**dict.fromkeys(WIDEST, int), "unserved": int, "hopeless": int}
PLACES = ("depots", "distributors")
# First letters of names by type. Texts write a noun before a name. Distributors use s (site), as d is taken.
LETTERS = {"depot": "d", "distributor": "s", "truck": "t", "pallet": "p", "hoist": "h", "crate": "c"}
PAIRS, ALONE = ("at", "on", "in", "lifting"), ("available", "clear")
IN_TRUCK, HOPELESS, DRAWS = 0.3, 0.3, 100
YARD = {"depots": 1, "distributors": 0, "trucks": 0, "pallets": 1, "unserved": 0, "hopeless": 0}
YARD_HOISTS, DEEP = 5, 2  # maximum number of hoists, and maximum difference of crates and hoists


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw counts within ``limits``, the number of ``unserved`` places, and ``hopeless``, 0 or 1.

    Raise a ParameterError if no counts within the limits fit the task.
    """
    if task.init == "yard":
        low, high = (min(limit, YARD_HOISTS) for limit in limits.get("hoists", WIDEST["hoists"]))

        def yard() -> Parameters:
            hoists = rng.randint(low, high)
            return {**YARD, "hoists": hoists, "crates": hoists + rng.randint(1, DEEP)}

        return SPACE.attempt(task, yard, DRAWS)
    if task.init in _PILED:
        return SPACE.attempt(task, lambda: _draw_piled(task, {**WIDEST, **limits}, rng))
    is_unserved = task.init == "unserved"

    def drawn() -> Parameters:
        """Draw parameters that may still violate constraints."""
        parameters = {key: rng.randint(*limits.get(key, WIDEST[key])) for key in WIDEST}
        places = parameters["depots"] + parameters["distributors"]
        parameters["unserved"] = rng.randint(1, max(1, places // 3)) if is_unserved else 0
        parameters["hopeless"] = int(is_unserved and rng.random() < HOPELESS)
        return parameters

    return SPACE.attempt(task, drawn, DRAWS)


def _draw_piled(task: ConfigurationPair, ranges: Limits, rng: random.Random) -> Parameters:
    """Draw parameters with one pallet and one hoist for each place, within the ranges."""
    kinds = [
        (depots, distributors)
        for depots, distributors in _places(ranges)
        if depots + distributors <= ranges["crates"][1]
    ]
    depots, distributors = rng.choice(kinds) if kinds else (0, 0)
    places = depots + distributors
    crates = rng.randint(*ranges["crates"])
    if task.goal == "shared" and places:
        crates = places * max(1, crates // places)
    few, most = ranges["crates"]
    sizes = {"depots": depots, "distributors": distributors, "trucks": rng.randint(*ranges["trucks"])}
    piles = {"pallets": places, "hoists": places, "crates": crates if few <= crates <= most else 0}
    return {**sizes, **piles, "unserved": 0, "hopeless": 0}


def _places(ranges: Limits) -> list[tuple[int, int]]:
    """Return the pairs of numbers of depots and distributors that the ranges of pallets and hoists allow."""
    low, high = (f(ranges["pallets"][n], ranges["hoists"][n]) for n, f in ((0, max), (1, min)))
    depots, distributors = (range(ranges[kind][0], ranges[kind][1] + 1) for kind in PLACES)
    return [pair for pair in product(depots, distributors) if low <= sum(pair) <= high]


def _constraints(task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint between the numbers."""
    if task.init == "yard":
        if any(parameters[key] != value for key, value in YARD.items()):
            yield "yard", "has one depot with one pallet, and no trucks"
        if parameters["crates"] <= parameters["hoists"]:
            yield "deep", "needs more crates than hoists"
        return
    places, unserved = parameters["depots"] + parameters["distributors"], parameters["unserved"]
    if task.init in _PILED:
        yield from _unfit_for_piles(task, parameters, places)
    if unserved < 0 or (unserved > 0) != (task.init == "unserved"):
        yield "unserved", "at least one place is in the task of that name, none in others"
    if places - unserved < 2 or parameters["hoists"] < places - unserved or parameters["pallets"] < places:
        yield "places", "two or more must have a hoist, and each must have a pallet"
    if parameters["trucks"] < 1:
        yield "trucks", "needs one or more"
    if parameters["hopeless"] not in (0, task.init == "unserved"):
        yield "hopeless", "is 0, or 1 where a place is unserved"


def _unfit_for_piles(task: ConfigurationPair, parameters: Parameters, places: int) -> Iterator[Fault]:
    """Yield a fault if the places are not alike, or if the piles have too few crates."""
    if {parameters["pallets"], parameters["hoists"]} != {places} or not parameters["distributors"]:
        yield "even", "needs a pallet and a hoist for each place, and a distributor"
    if parameters["crates"] < (3 if task.init == "two_piles" else 2):
        yield "piles", "needs two crates or more, or three in two piles"
    if task.goal == "shared" and parameters["crates"] % places:
        yield "shared", "needs as many crates for each place"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, KINDS, _constraints)


@dataclass(frozen=True)
class _DepotPlaces:
    """Names by type, and the places of pallets and hoists; the unserved places come last."""

    names: Mapping[str, list[str]]
    places: list[str]
    served: list[str]
    pallets: dict[str, str]
    hoists: dict[str, str]
    rng: random.Random
    docks: list[str]  # possible places of trucks


Piles = dict[str, list[str]]  # by pallet, from the bottom up


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. Piles and places are drawn from ``rng``.

    Raise a ParameterError that names the violated constraint.
    """
    SPACE.check(task, parameters)
    yard = _yard(parameters, rng)
    if task.init in _PILED:
        return _built_piles(task, parameters, yard)
    crates = rng.sample(yard.names["crate"], parameters["crates"])
    # A hoist can lift the first crate, so that the problem is not trivial.
    aboard = (
        {crates.pop(): rng.choice(yard.names["truck"])}
        if yard.names["truck"] and len(crates) > 1 and rng.random() < IN_TRUCK
        else {}
    )
    piles = _piled(crates[:1], _pallets(yard, served=True), rng)
    for crate in crates[1:]:
        piles.setdefault(rng.choice(yard.names["pallet"]), []).append(crate)
    facts = frozenset(_facts(yard, piles, aboard))
    if task.init == "yard":
        goal = _reordered(piles, parameters["hoists"], rng)
    else:
        goal = _goal(task, yard, piles, [*aboard], facts, bool(parameters["hopeless"]))
    problem = Problem(task.name, DOMAIN, typed(yard.names), facts, literals(goal))
    return Generated(problem, task, dict(parameters), {})


def _built_piles(task: ConfigurationPair, parameters: Parameters, yard: _DepotPlaces) -> Generated:
    """Build a problem whose text uses no names."""
    rng, names = yard.rng, yard.names
    depot, distributor = rng.choice(names["depot"]), rng.choice(names["distributor"])
    pallet = {place: pallet for pallet, place in yard.pallets.items()}
    crates = rng.sample(names["crate"], parameters["crates"])
    half = (len(crates) + 1) // 2
    cuts = {"one_pile": [crates], "two_piles": [crates[:half], crates[half:]]}.get(task.init, [])
    piles = dict(zip((pallet[depot], pallet[distributor]), cuts, strict=False))
    aboard = {} if piles else dict.fromkeys(crates, rng.choice(names["truck"]))
    facts = frozenset(_facts(replace(yard, docks=[depot]), piles, aboard))
    wanted = _wanted(_goal_piles(task.goal, piles, crates, pallet[distributor], sorted(yard.pallets)))
    problem = Problem(task.name, DOMAIN, typed(names), facts, literals(wanted))
    return Generated(problem, task, dict(parameters), {**parameters, "piles": len(piles)})


def _goal_piles(goal: str, piles: Piles, crates: list[str], pallet: str, pallets: list[str]) -> Piles:
    """Return the piles of a goal; ``pallet`` is the pallet of a distributor."""
    first, *later_piles = piles.values() or [crates]
    half, first_place = len(first) // 2, next(iter(piles), pallet)
    share = len(crates) // len(pallets)
    wanted: dict[str, Piles] = {
        "moved": {pallet: first},
        "piled": {pallet: crates},
        "inverted": {base: pile[::-1] for base, pile in piles.items()},
        "halved": {first_place: first[: len(first) - half], pallet: first[len(first) - half :]},
        "joined": {first_place: [*first, *chain.from_iterable(later_piles)]},
        "exchanged": dict(zip(piles, [*later_piles, first], strict=False)),
        "shared": {base: crates[number * share :][:share] for number, base in enumerate(pallets)},
    }
    return wanted[goal]


def _yard(parameters: Parameters, rng: random.Random) -> _DepotPlaces:
    """Draw places of pallets and hoists: one in each place (hoists: each served place), the rest random."""
    names = {kind: numbered(letter, parameters[kind + "s"]) for kind, letter in LETTERS.items()}
    places = shuffled([*names["depot"], *names["distributor"]], rng)
    served = places[: len(places) - parameters["unserved"]]
    pallets, hoists = (_shared(names["pallet"], places, rng), _shared(names["hoist"], served, rng))
    return _DepotPlaces(names, places, served, pallets, hoists, rng, places)


def _shared(movables: list[str], places: list[str], rng: random.Random) -> dict[str, str]:
    """Draw the place of each object: each place gets one object first, the others are random."""
    spots = places + [rng.choice(places) for _ in movables[len(places) :]]
    return dict(zip(rng.sample(movables, len(movables)), spots, strict=True))


def _pallets(yard: _DepotPlaces, served: bool) -> list[str]:
    """Return the pallets of the served places, or of the others."""
    return sorted(pallet for pallet, place in yard.pallets.items() if (place in yard.served) == served)


def _piled(crates: list[str], pallets: list[str], rng: random.Random) -> Piles:
    """Draw a pile for each crate. Later crates are on top of earlier ones."""
    piles: Piles = {}
    for crate in crates:
        piles.setdefault(rng.choice(pallets), []).append(crate)
    return piles


def _facts(yard: _DepotPlaces, piles: Piles, aboard: Mapping[str, str]) -> Iterator[Atom]:
    """Yield the initial state. Hoists are empty; the places of trucks are random."""
    yield from (("at", fixture, place) for fixture, place in (yard.pallets | yard.hoists).items())
    yield from (("available", hoist) for hoist in yard.hoists)
    yield from (("at", truck, yard.rng.choice(yard.docks)) for truck in yard.names["truck"])
    yield from (("in", crate, truck) for crate, truck in aboard.items())
    for pallet, place in yard.pallets.items():
        pile = [pallet, *piles.get(pallet, [])]
        yield ("clear", pile[-1])
        yield from (("at", crate, place) for crate in pile[1:])
        yield from _ons(pile)


def _ons(pile: list[str]) -> Iterator[Atom]:
    yield from (("on", upper, lower) for lower, upper in pairwise(pile))


def _reordered(piles: Piles, hoists: int, rng: random.Random) -> set[Atom]:
    """Draw goal facts of a pile: the top ``hoists`` crates get a new order, the others stay."""
    ((pallet, pile),) = piles.items()
    below, upper = [pallet, *pile[:-hoists]], pile[-hoists:]
    while (new_order := rng.sample(upper, len(upper))) == upper:
        pass
    wanted = sorted(_ons([below[-1], *new_order]))
    new = sorted(set(wanted) - set(_ons([below[-1], *upper])))
    return {rng.choice(new), *rng.sample(wanted, rng.randint(1, len(wanted)))}


def _goal(
    task: ConfigurationPair,
    yard: _DepotPlaces,
    piles: Piles,
    aboard: list[str],
    facts: frozenset[Atom],
    hopeless: bool,
) -> set[Atom]:
    """Draw the supports of all or some movable crates in another arrangement."""
    rng, pallets = yard.rng, _pallets(yard, served=True)
    movable = sorted(aboard + [crate for pallet in pallets for crate in piles.get(pallet, [])])
    while (wanted := _wanted(_piled(rng.sample(movable, len(movable)), pallets, rng))) <= facts:
        pass
    goal = set(wanted)
    if task.goal == "some_crates":
        new = sorted(wanted - facts)
        goal = {rng.choice(new), *rng.sample(sorted(wanted), rng.randint(1, len(wanted)))}
    return _spoiled(goal, yard, piles) if hopeless else goal


def _wanted(piles: Piles) -> set[Atom]:
    return {fact for pallet, pile in piles.items() for fact in _ons([pallet, *pile])}


def _spoiled(goal: set[Atom], yard: _DepotPlaces, piles: Piles) -> set[Atom]:
    """Make the goal unreachable: a crate must move to, or from, a pallet out of the reach of hoists."""
    rng, far, near = yard.rng, _pallets(yard, served=False), _pallets(yard, served=True)
    stuck = sorted(crate for pallet in far for crate in piles.get(pallet, []))
    if stuck and rng.random() < 0.5:
        free = sorted(set(near) - {fact[2] for fact in goal}) or near
        return goal | {("on", rng.choice(stuck), rng.choice(free))}
    crate = rng.choice(sorted(fact[1] for fact in goal))
    return {fact for fact in goal if fact[1] != crate} | {("on", crate, rng.choice(far))}


# ---- plans


@dataclass
class _PlanState:
    """The current state while a plan is built.

    ``settled`` are the crates in their final position. ``carrier`` is the truck that takes all others.
    """

    at: dict[str, str]
    on: dict[str, str]
    carried: dict[str, str]  # the truck of each crate that is in one
    hoists: dict[str, str]  # one hoist for each place that has any
    carrier: str
    goal: dict[str, str]
    settled: set[str]
    steps: list[Step] = field(default_factory=list)

    def drive(self, truck: str, place: str) -> None:
        """Bring a truck to a place."""
        if self.at[truck] != place:
            self.steps.append(("drive", truck, self.at[truck], place))
            self.at[truck] = place

    def load(self, hoist: str, crate: str, place: str) -> None:
        """Load the crate that a hoist is lifting into the carrier."""
        self.drive(self.carrier, place)
        self.steps.append(("load", hoist, crate, self.carrier, place))
        self.carried[crate] = self.carrier

    def take(self, crate: str) -> None:
        """Load a clear crate."""
        place, surface = self.at.pop(crate), self.on.pop(crate)
        self.steps.append(("lift", self.hoists[place], crate, surface, place))
        self.load(self.hoists[place], crate, place)

    def place(self, crate: str, surface: str) -> None:
        """Put a crate from its truck on a surface."""
        place, truck = self.at[surface], self.carried.pop(crate)
        self.drive(truck, place)
        self.steps.append(("unload", self.hoists[place], crate, truck, place))
        self.steps.append(("drop", self.hoists[place], crate, surface, place))
        self.at[crate], self.on[crate] = place, surface
        self.settled.add(crate)

    def spot(self, crate: str) -> str | None:
        """Return the final support of a crate: as in the goal, or a surface that the goal does not use."""
        free = self.settled - {*self.on.values()}
        ready = sorted(surface for surface in free if self.at[surface] in self.hoists)
        wanted = {*self.goal.values()}
        fit = [
            surface
            for surface in ready
            if self.goal.get(crate, "" if surface in wanted else surface) == surface
        ]
        return fit[0] if fit else None


def plan(problem: Problem) -> list[Step] | None:
    """Return a plan of about six steps per crate or fewer, or None.

    Crates that are not in their final position are loaded, then put where the goal requires. The result is
    None if the goal has other literals than crates on surfaces, or a surface is out of the reach of hoists.
    It is also None if an object is in two places, or a fact that a step needs is missing.
    """
    steps = _planned(problem)
    return steps if steps is not None and _leads_to_goal(problem, steps) else None


def _leads_to_goal(problem: Problem, steps: list[Step]) -> bool:
    """Return whether the steps are applicable in order and reach the goal."""
    state = problem.init
    for step in steps:
        needs, adds, ends = _rule(step)
        if not needs <= state:
            return False
        state = state - ends | adds
    return problem.satisfied(state)


def _rule(step: Step) -> tuple[frozenset[Atom], frozenset[Atom], frozenset[Atom]]:
    """Return the preconditions, add effects and delete effects of a step."""
    name, *arguments = step
    if name == "drive":
        truck, origin, destination = arguments
        before, after = ("at", truck, origin), ("at", truck, destination)
        return frozenset({before}), frozenset({after}), frozenset({before})
    hoist, crate, surface, place = arguments
    free, held = ("available", hoist), ("lifting", hoist, crate)
    stands = {("at", crate, place), ("on", crate, surface), ("clear", crate)}
    rules: dict[str, tuple[set[Atom], set[Atom], set[Atom]]] = {
        "lift": ({free, *stands}, {held, ("clear", surface)}, {free, *stands}),
        "drop": (
            {held, ("at", surface, place), ("clear", surface)},
            {free, *stands},
            {held, ("clear", surface)},
        ),
        "load": ({held, ("at", surface, place)}, {free, ("in", crate, surface)}, {held}),
        "unload": (
            {free, ("at", surface, place), ("in", crate, surface)},
            {held},
            {free, ("in", crate, surface)},
        ),
    }
    needs, adds, ends = rules[name]
    return frozenset({*needs, ("at", hoist, place)}), frozenset(adds), frozenset(ends)


def _planned(problem: Problem) -> list[Step] | None:
    """Return the steps of a plan for a problem whose initial state is sound."""
    if not any(typed.types == ("truck",) for typed in problem.objects):
        return _yard_plan(problem)
    work = _work(problem)
    if work is None or any(not literal.positive or literal.atom[0] != "on" for literal in problem.goal):
        return None
    for hoist, crate in sorted(fact[1:] for fact in problem.init if fact[0] == "lifting"):
        work.load(hoist, crate, work.at[hoist])
    while tops := sorted({*work.on} - work.settled - {*work.on.values()}):
        work.take(tops[0])
    waiting = sorted(crate for crate in work.carried if crate in {*work.goal, *work.goal.values()})
    while waiting:
        moves = ((crate, spot) for crate in waiting if (spot := work.spot(crate)) is not None)
        if (move := next(moves, None)) is None:
            return None
        work.place(*move)
        waiting.remove(move[0])
    return work.steps if all(work.on.get(fact[1]) == fact[2] for fact in problem.goal_facts) else None


def _yard_plan(problem: Problem) -> list[Step] | None:
    """Return a plan that lifts the upper crates of the only pile and drops them in another order, or None."""
    on = {fact[2]: fact[1] for fact in sorted(problem.init) if fact[0] == "on"}
    pallets = [typed.name for typed in problem.objects if typed.types == ("pallet",)]
    hoists = sorted(fact[1] for fact in problem.init if fact[0] == "available")
    places = {fact[2] for fact in problem.init if fact[0] == "at"}
    if len(pallets) != 1 or len(places) != 1 or any(fact[0] == "lifting" for fact in problem.init):
        return None
    pile, (place,) = pallets, places
    while pile[-1] in on and len(pile) <= len(on):  # a cycle of crates on each other would never end
        pile.append(on[pile[-1]])
    other_literals = {literal for literal in problem.goal if literal.atom[0] != "on"}
    for count in range(min(len(hoists), len(pile) - 1) + 1):
        below, upper = pile[: len(pile) - count], pile[len(pile) - count :]
        for order in permutations(upper):
            if not other_literals and problem.satisfied(frozenset(_ons([*below, *order]))):
                held = dict(zip(upper, hoists, strict=False))
                ons = dict(pairwise([below[-1], *upper][::-1]))
                lifts: list[Step] = [("lift", held[c], c, ons[c], place) for c in reversed(upper)]
                drops: list[Step] = [("drop", held[c], c, s, place) for s, c in pairwise([below[-1], *order])]
                return lifts + drops
    return None


def _work(problem: Problem) -> _PlanState | None:
    """Return the initial state.

    Return None if it is unsound or has no truck. Examples of unsound states: an object is in two places, or
    has a type with subtypes, so that it may be a place and neither depot nor distributor.
    """
    pairs = {kind: sorted((f[1], f[2]) for f in problem.init if f[0] == kind) for kind in PAIRS}
    at, on, carried = dict(pairs["at"]), dict(pairs["on"]), dict(pairs["in"])
    located = [crate for kind in ("on", "in") for crate, _ in pairs[kind]]
    located += [crate for _, crate in pairs["lifting"]]
    kinds = {typed.name: typed.types[0] for typed in problem.objects}
    crates = sorted(name for name, kind in kinds.items() if kind == "crate")
    trucks = sorted(name for name, kind in kinds.items() if kind == "truck")
    fixed = {name for name, kind in kinds.items() if kind in ("pallet", "hoist", "truck")}
    placed = len(at) == len(pairs["at"]) and {*at} == fixed | {*on}
    if (
        not trucks
        or not placed
        or not LETTERS.keys() >= {*kinds.values()}
        or sorted(located) != crates
        or len({*on.values()}) < len(on)
    ):
        return None
    hoists = {place: name for name, place in sorted(at.items()) if kinds[name] == "hoist"}
    goal = {fact[1]: fact[2] for fact in problem.goal_facts if fact[0] == "on"}
    pallets = {name for name, kind in kinds.items() if kind == "pallet"}
    work = _PlanState(at, on, carried, hoists, trucks[0], goal, pallets)
    return work if _settle(work) else None


def _settle(work: _PlanState) -> bool:
    """Mark the crates that are in their final position or out of reach; False if crates form a cycle."""
    upper, wanted = {lower: crate for crate, lower in work.on.items()}, {on: c for c, on in work.goal.items()}
    settled = 0
    for pallet in sorted(work.settled):
        below, fits = pallet, True
        while (crate := upper.get(below)) is not None:
            same = work.goal.get(crate, below) == below and wanted.get(below, crate) == crate
            fits = (fits and same) or work.at[below] not in work.hoists
            work.settled |= {crate} if fits else set()
            below, settled = crate, settled + 1
    return settled == len(work.on)


# ---- closure


def close_goal(problem: Problem) -> frozenset[Atom] | None:
    """Return the fluent facts true in every reachable goal state, or None.

    The result is None if the goal has other literals than crates on surfaces, or is unreachable. It is also
    None if there is no truck or no pallet in reach of a hoist, or if the initial state is unsound. Crates in
    reach of a hoist can be arranged in any way, with the help of a truck. All other crates never move.
    """
    work = _work(problem)
    if work is None or not all(literal.positive and literal.atom[0] == "on" for literal in problem.goal):
        return None
    on = {fact[1]: fact[2] for fact in problem.goal_facts}
    once = len({*on.values()}) == len(problem.goal)
    return _closed(problem, on) if once and _follows(problem) else None


def _follows(problem: Problem) -> bool:
    """Return whether the clear, available and at facts of the initial state follow from the piles."""
    arguments_by_kind = {
        kind: {fact[1:] for fact in problem.init if fact[0] == kind} for kind in (*PAIRS, *ALONE)
    }
    at, on = ({fact[0]: fact[1] for fact in arguments_by_kind[kind]} for kind in ("at", "on"))
    hoists = {typed.name for typed in problem.objects if typed.types == ("hoist",)}
    pallets = {typed.name for typed in problem.objects if typed.types == ("pallet",)}
    busy = {fact[0] for fact in arguments_by_kind["lifting"]}
    return (
        len(busy) == len(arguments_by_kind["lifting"])
        and arguments_by_kind["available"] == {(hoist,) for hoist in hoists - busy}
        and arguments_by_kind["clear"] == {(name,) for name in (pallets | on.keys()) - {*on.values()}}
        and all(at[crate] == at.get(surface) for crate, surface in on.items())
    )


def _closed(problem: Problem, wanted: dict[str, str]) -> frozenset[Atom] | None:
    """Return the closure of a goal, given the support of each crate; None if the goal is unreachable."""
    kinds = {typed.name: typed.types[0] for typed in problem.objects}
    at = {fact[1]: fact[2] for fact in problem.init if fact[0] == "at"}
    served = {place for name, place in at.items() if kinds[name] == "hoist"}
    still = {name for name, place in at.items() if place not in served and kinds[name] != "truck"}
    moving = {name for name, kind in kinds.items() if kind == "crate"} - still
    pallets = {name for name, kind in kinds.items() if kind == "pallet"} - still
    on = {crate: surface for crate, surface in wanted.items() if crate in moving}
    stays = all(("on", *pair) in problem.init for pair in wanted.items() if pair[0] in still)
    if not pallets or not stays or not {*on.values()} <= moving | pallets:
        return None
    upper, place = {below: crate for crate, below in on.items()}, dict[str, str]()
    for pallet in pallets:
        top: str | None = pallet
        while top is not None:
            place[top] = at[pallet]
            top = upper.get(top)
    floating = sorted(upper.keys() & moving - on.keys())  # the lowest crates of piles with an open position
    chained = {*place}
    for lowest in floating:
        typed: str | None = lowest
        while typed is not None:
            chained.add(typed)
            typed = upper.get(typed)
    if not moving & {*on} <= chained:
        return None  # a cycle of crates on each other
    lone = moving - chained
    return frozenset(_forced(problem, _Wish(pallets, on, upper, place, floating, lone, still)))


@dataclass(frozen=True)
class _Wish:
    """The goal: ``on`` maps crates to supports, ``place`` maps crates above a pallet to their place.

    ``floating`` are the lowest crates of piles without a pallet. ``lone`` are the movable crates without any
    goal. ``still`` are the objects that no hoist reaches.
    """

    pallets: set[str]
    on: dict[str, str]
    upper: dict[str, str]
    place: dict[str, str]
    floating: list[str]
    lone: set[str]
    still: set[str]

    def top(self, name: str) -> str:
        """Return the top of the pile above a pallet or crate."""
        while name in self.upper:
            name = self.upper[name]
        return name


def _forced(problem: Problem, wish: _Wish) -> Iterator[Atom]:
    """Yield the facts of the closure."""
    kinds = {typed.name: typed.types[0] for typed in problem.objects}
    places = {name for name, kind in kinds.items() if kind in ("depot", "distributor")}
    trucks = {name for name, kind in kinds.items() if kind == "truck"}
    for fact in problem.init:
        fixed = fact[0] == "at" and kinds[fact[1]] in ("pallet", "hoist")
        parked = fact[0] == "at" and fact[1] in trucks and len(places) == 1
        if fixed or parked or (fact[0] in ("at", "on", "clear") and fact[1] in wish.still):
            yield fact
    yield from (("on", *pair) for pair in wish.on.items())
    place = dict(wish.place)
    spots = {place[pallet] for pallet in wish.pallets}
    if len(spots) == 1:  # all piles are at this place
        (spot,) = spots
        place |= dict.fromkeys([*wish.on, *wish.floating], spot)
    yield from (("at", name, spot) for name, spot in place.items() if name not in wish.pallets)
    if wish.lone:
        return
    yield from (("available", hoist) for hoist, kind in kinds.items() if kind == "hoist")
    if not wish.floating:
        yield from (("clear", wish.top(pallet)) for pallet in wish.pallets)
    elif len(wish.floating) == 1:
        yield ("clear", wish.top(wish.floating[0]))
        if len(wish.pallets) == 1:
            yield "on", wish.floating[0], wish.top(next(iter(wish.pallets)))


# ---- long plans


def fewest_steps(problem: Problem) -> int | None:
    """Return a lower bound on the number of steps of every plan; None if a crate is in a truck or lifted.

    A crate that the goal puts on another surface is lifted and dropped; if this surface is on a pallet of
    another place, it is also loaded and unloaded. A truck arrives at each such place, and at each place from
    which crates leave, unless it has a truck initially and no crates arrive.
    """
    if any(fact[0] in ("in", "lifting") for fact in problem.init):
        return None
    at = {fact[1]: fact[2] for fact in problem.init if fact[0] == "at"}
    on = {fact[1]: fact[2] for fact in problem.init if fact[0] == "on"}
    wanted = {fact[1]: fact[2] for fact in problem.goal_facts if fact[0] == "on"}
    ends = {crate: at[root] for crate in wanted if (root := _root(wanted, crate)) not in on}
    carried = {crate: place for crate, place in ends.items() if at[crate] != place}
    dropped = sum(on[crate] != surface or crate in carried for crate, surface in wanted.items())
    trucks = {at[typed_name.name] for typed_name in problem.objects if typed_name.types == ("truck",)}
    visited = {*carried.values()} | ({at[crate] for crate in carried} - trucks)
    return 2 * dropped + 2 * len(carried) + len(visited)


def _root(wanted: Mapping[str, str], crate: str) -> str:
    """Return the lowest surface that the goal states below a crate; a crate if they form a circle."""
    surface = crate
    for _ in wanted:
        surface = wanted.get(surface, surface)
    return surface


def ladder(steps: int, rng: random.Random) -> Problem:
    """Draw two or three places with a hoist each, one truck, and piles of crates that belong elsewhere.

    Each crate is lifted, loaded, unloaded and dropped once; the truck drives at most twice a place.
    Raise a ParameterError for more than 250 steps.
    """
    check_length(DOMAIN, steps, 250)
    places = ["d1", *numbered("s", rng.randint(1, 2))]
    crates = shuffled(numbered("c", max(1, (steps * 9 // 10 - len(places)) // 4)), rng)
    pallets = {f"p{number}": places[number % len(places)] for number in range(1, 2 * len(places) + 1)}
    init: set[Atom] = {("at", pallet, place) for pallet, place in pallets.items()}
    init |= {("at", f"h{n}", place) for n, place in enumerate(places, 1)} | {("at", "t1", places[0])}
    init |= {("available", f"h{number}") for number in range(1, len(places) + 1)}
    tops, ends = {pallet: pallet for pallet in list(pallets)[: len(places)]}, list(pallets)[len(places) :]
    goal = set[Atom]()
    for crate in crates:
        pallet = rng.choice(sorted(tops))
        init |= {("on", crate, tops[pallet]), ("at", crate, pallets[pallet])}
        tops[pallet] = crate
    below = {fact[1]: fact[2] for fact in init if fact[0] == "on"}
    finals = {pallet: pallet for pallet in ends}
    for pallet, crate in sorted(tops.items()):
        while crate != pallet:
            end = rng.choice([other for other in ends if pallets[other] != pallets[pallet]])
            goal.add(("on", crate, finals[end]))
            finals[end], crate = crate, below[crate]
    init |= {("clear", surface) for surface in [*tops.values(), *ends]}
    kinds = {
        "depot": ["d1"], "distributor": places[1:], "truck": ["t1"], "pallet": list(pallets),
        "hoist": numbered("h", len(places)), "crate": crates,
    }  # fmt: skip
    return Problem("ladder", DOMAIN, typed(kinds), frozenset(init), literals(goal))
