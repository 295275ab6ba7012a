"""Check decided states (cost, solvability, plans, never applicable actions) by search and Fast Downward.

The compiled search decided most states. Landmarks, next actions and unreachable facts are checked row by row
in ``answers``, from the published PDDL.
"""

from __future__ import annotations

from orrery.checks.execution import fault_of_plan
from orrery.checks.questions.answers import action_faults
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.verdicts import differing, undecided
from orrery.model import Row
from orrery.pddl.write import parse_atom


def check(rechecked: RecheckedState, row: Row) -> list[str]:
    """Return the faults of a state's cost, solvability, plan, actions and size."""
    rechecked.take_plan(list(map(parse_atom, row["plan"])))
    faults = _cost_faults(rechecked, row["solvable"], row["h_star"]) + _plan_faults(rechecked, row)
    faults += size_faults(rechecked, row["num_states"])
    return faults + (_action_faults(rechecked, row) if row["actions_complete"] else [])


def check_decided(rechecked: RecheckedState, row: Row) -> list[str]:
    """Return the faults of the number of states of a problem, and of a plan that is called optimal."""
    faults = size_faults(rechecked, row["num_states"])
    if not row["plan_optimal"]:
        return faults
    return faults + _cost_faults(rechecked, True, row["plan_cost"])


def _cost_faults(rechecked: RecheckedState, solvable: bool | None, cost: int | None) -> list[str]:
    """Return a fault if cost or solvability differs from the recheck."""
    if solvable is None:
        return ["a cost without a plan"] if cost is not None else []
    if rechecked.solvable is None:
        return [undecided("whether there is a plan")]
    if rechecked.solvable is not solvable:
        return [f"stated {'solvable' if solvable else 'unsolvable'}, which is wrong"]
    if cost is None or not solvable:
        return ["a cost without a plan"] if cost is not None else []
    if rechecked.h_star is None:
        return [undecided("the cost")]
    return [] if cost == rechecked.h_star else [f"the cost is {cost}, should be {rechecked.h_star}"]


def size_faults(rechecked: RecheckedState, num_states: int | None) -> list[str]:
    """Return a fault if a stated number of reachable states contradicts the search, also if unfinished."""
    if num_states is None:
        return []
    visited, size = rechecked.visited, rechecked.visited.size
    if num_states == size if visited.complete else num_states >= size:
        return []
    return [f"num_states is {num_states}, there are {size}{'' if visited.complete else ' and more'}"]


def _plan_faults(rechecked: RecheckedState, row: Row) -> list[str]:
    """Return a fault if the stored plan from the state is invalid, or not as short as stated."""
    steps = list(map(parse_atom, row["plan"]))
    if row["plan_optimal"] and len(steps) != row["h_star"]:
        return [f"a plan of {len(steps)} steps is called optimal, h_star is {row['h_star']}"]
    fault = fault_of_plan(rechecked.domain, rechecked.problem, steps) if steps else ""
    return [f"the plan is not valid: {fault}"] if fault else []


def _action_faults(rechecked: RecheckedState, row: Row) -> list[str]:
    """Return stored unreachable actions that are applicable, others that never are, and wrong counts."""
    reachable = set(map(parse_atom, row["reachable_actions"]))
    steps = len(rechecked.universe)
    wanted = {"num_steps": steps, "num_unreachable_actions": steps - len(reachable)}
    faults = differing(wanted, row)
    stored = set(map(parse_atom, row["unreachable_actions"]))
    if row["unreachable_listed"] and (len(stored) != steps - len(reachable) or stored & reachable):
        faults.append("unreachable_actions are not all but the reachable ones")
    if not reachable <= set(rechecked.task.action_of):
        return [*faults, "some reachable actions are beyond delete relaxation"]
    return faults + action_faults(rechecked, reachable)
