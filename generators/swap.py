"""Swap: agents exchange roles.

Numbers of agents and roles may differ, and goals are permutations of the roles.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from orrery.generator_kit import Fault, ParameterSpace, typed
from orrery.model import Atom, ConfigurationPair, Generated, Limits, Parameters, Problem, Step, literals

DOMAIN = "swap"
TASKS: tuple[ConfigurationPair, ...] = (
    ConfigurationPair("bijection", "all", strict=True),
    ConfigurationPair("bijection", "some", strict=True),
    # Some agents have no role, or some roles no agent. These never change.
    ConfigurationPair("uneven", "some", strict=True),
    ConfigurationPair("uneven", "all", strict=True),
)
AGENTS = (
    "alice", "bruno", "clara", "david", "emma", "felix", "grace", "henry", "irene", "jonas", "karin", "louis",
)  # fmt: skip
ROLES = (
    "author", "baker", "cook", "driver", "editor", "farmer", "guide", "host", "judge", "mason", "nurse",
    "pilot",
)  # fmt: skip
WIDEST: Limits = {"agents": (2, len(AGENTS)), "roles": (2, len(ROLES))}
SHORT = 0.1  # the share of problems that may be solved by a single swap
DRAWS = 20
LEFT_OVER = 3  # at most one of this many agents or roles is left over in a drawn problem
HOPELESS = 8  # one of this many goals of uneven problems requires a role that its agent cannot get


# ---- parameters


def draw(task: ConfigurationPair, limits: Limits, rng: random.Random) -> Parameters:
    """Draw ``{"agents": n, "roles": n}`` within the limits; raise a ParameterError if none fit the task."""
    return SPACE.size(task, limits, rng, _nearly_even)


def _constraints(task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
    """Yield a fault for each violated constraint between the numbers."""
    agents, roles = parameters["agents"], parameters["roles"]
    if (task.init == "uneven") == (agents == roles):
        wish = "different numbers" if agents == roles else "the same number"
        yield task.init, f"needs {wish} of agents and roles, not {agents} and {roles}"


def _nearly_even(task: ConfigurationPair, parameters: Parameters) -> Iterator[Fault]:
    """Yield a fault also if too many agents or roles are left over.

    Guessing static facts would be too easy.
    """
    yield from _constraints(task, parameters)
    agents, roles = parameters["agents"], parameters["roles"]
    if abs(agents - roles) * LEFT_OVER > max(agents, roles):
        yield "left_over", "at most a third of the agents, or of the roles, may be left over"


SPACE = ParameterSpace(DOMAIN, TASKS, WIDEST, dict.fromkeys(WIDEST, int), _constraints)


# ---- problems


def build(task: ConfigurationPair, parameters: Parameters, rng: random.Random) -> Generated:
    """Build the problem of ``parameters``. Names, roles and goal are drawn from ``rng``.

    Raise a ParameterError that names the violated constraint.
    """
    SPACE.check(task, parameters)
    agents, roles = rng.sample(AGENTS, parameters["agents"]), rng.sample(ROLES, parameters["roles"])
    has = dict(zip(agents, roles, strict=False))
    few = rng.random() < SHORT
    for _ in range(DRAWS):
        wanted = _shuffled(has, rng) if task.goal == "all" else _some(_shuffled(has, rng), has, rng)
        if few or len(_swaps(has, wanted) or ()) > 1:
            break
    if task.init == "uneven" and rng.randrange(HOPELESS) == 0:
        wanted = _out_of_reach(agents, roles, wanted, rng)
    objects = typed({"agent": agents, "role": roles})
    init, goal = frozenset(_facts(has)), literals(_facts(wanted))
    return Generated(Problem(task.name, DOMAIN, objects, init, goal), task)


def _shuffled(has: dict[str, str], rng: random.Random) -> dict[str, str]:
    """Return the roles permuted; at least one agent gets another role."""
    roles = list(has.values())
    while roles == list(has.values()):
        rng.shuffle(roles)
    return dict(zip(has, roles, strict=True))


def _some(wanted: dict[str, str], has: dict[str, str], rng: random.Random) -> dict[str, str]:
    """Draw part of the goal; at least one agent gets another role."""
    moved = next(agent for agent in wanted if wanted[agent] != has[agent])
    unmoved = [agent for agent in wanted if agent != moved]
    chosen = {moved, *rng.sample(unmoved, rng.randint(0, len(unmoved) - 1))}
    return {agent: role for agent, role in wanted.items() if agent in chosen}


def _out_of_reach(
    agents: list[str], roles: list[str], wanted: dict[str, str], rng: random.Random
) -> dict[str, str]:
    """Return the goal with an unreachable fact: its agent has no role, or its role no agent."""
    if len(agents) > len(roles):
        return {**wanted, rng.choice(agents[len(roles) :]): _free(roles, wanted, rng)}
    return {**wanted, rng.choice(sorted(wanted)): rng.choice(roles[len(agents) :])}


def _free(roles: list[str], wanted: dict[str, str], rng: random.Random) -> str:
    """Return a role that the goal does not use, or any role if it uses all."""
    return rng.choice([role for role in roles if role not in wanted.values()] or roles)


def _facts(has: dict[str, str]) -> set[Atom]:
    return {("assigned", agent, role) for agent, role in has.items()}


# ---- plans


def plan(problem: Problem) -> list[Step] | None:
    """Return a swap for each agent whose goal role differs, in the order of the names; or None.

    Return None if a required role has no agent, or the goal contradicts itself.
    """
    has = {fact[1]: fact[2] for fact in sorted(problem.init)}
    wanted = {fact[1]: fact[2] for fact in sorted(problem.goal_facts)}
    steps = _swaps(has, wanted) if len(has) == len(problem.init) else None
    for _, agent, partner, role, its in steps or ():
        has[agent], has[partner] = its, role
    return steps if steps is not None and problem.satisfied(frozenset(_facts(has))) else None


def _swaps(has: dict[str, str], wanted: dict[str, str]) -> list[Step] | None:
    """Return a swap for each agent without its goal role; None if an agent cannot get that role."""
    now, steps = dict(has), list[Step]()
    for agent, role in sorted(wanted.items()):
        holder = next((partner for partner in now if now[partner] == role), None)
        if agent not in now or holder is None:
            return None
        if now[agent] != role:  # two agents may have the same role
            steps.append(("swap", agent, holder, now[agent], role))
            now[agent], now[holder] = role, now[agent]
    return steps
