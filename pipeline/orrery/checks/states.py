"""Check decided states (cost, solvability, plans, never applicable actions) by search and Fast Downward.

The labels of published states must name the weakest proof that suffices: delete relaxation, the whole state
space if it is known, pairs of facts (h2), or unsolvability. Each is repeated: the delete relaxation by the
other grounding, which also confirms the ground task, and pairs by the other h2. A landmark is a fact without
whose achievers the goal is out of reach.

The compiled search decided most states. Landmarks and unreachable facts are checked in rows of the table
``states``, and next actions in questions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from orrery.checks import FamilyChecks
from orrery.checks.compiled_query import Condition, needs
from orrery.checks.execution import fault_of_plan
from orrery.checks.inputs import CheckedProblem
from orrery.checks.questions.answers import action_faults, fact_faults, landmark_faults, repeats
from orrery.checks.reachability import Pairs
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.relaxation import faults_of, is_relaxed_landmark, relaxation
from orrery.checks.verdicts import Verdicts, differing, undecided
from orrery.model import Atom, Proof, Row, State
from orrery.pddl.write import parse_atom, write_atom, write_problem

OF_PROBLEM = (
    "problem_id",
    "domain",
    "difficulty",
    "names",
    "seen",
    "domain_pddl",
    "num_objects",
    "seed_path",
)
BARRED = "barred"


def check(rechecked: RecheckedState, row: Row) -> list[str]:
    """Return the faults of a state's cost, solvability, plan, actions and size."""
    rechecked.take_plan(list(map(parse_atom, row["plan"])))
    faults = _cost_faults(rechecked, row["solvable"], row["h_star"]) + _plan_faults(rechecked, row)
    faults += size_faults(rechecked, row["num_states"])
    return faults + (_action_faults(rechecked, row) if row["actions_complete"] else [])


def origin_faults(row: Row, initial: State, fluents: Collection[str], barriers: Collection[str]) -> list[str]:
    """Return a fault if a state cannot come from the initial one.

    A barred state lacks some initial facts of the predicates ``barriers``. Every other state has the initial
    facts of predicates that are not ``fluents``.
    """
    state = frozenset(map(parse_atom, row["state"]))
    if row["source"] == BARRED:
        removed = {fact[0] for fact in initial - state}
        fits = state < initial and removed.issubset(barriers)
        return [] if fits else ["a barred state differs from the initial one by more than removed barriers"]
    changed = sorted(fact for fact in state ^ initial if fact[0] not in fluents)
    return [f"{write_atom(fact)} never changes, but differs from the initial state" for fact in changed]


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


def check_problem(checked: CheckedProblem, verdicts: Verdicts) -> None:
    """Check the published states of a problem, with the searches for its questions."""
    rows = checked.published("states")
    solved = (
        {(row["source"], row["step"]): row for row in checked.rows.get("solved_states", ())} if rows else {}
    )
    for row in rows:
        state = solved.get((row["state_source"], row["state_step"]))
        verdicts.judge("state columns", row, partial(_column_faults, checked, row, state))
        if state is not None:
            verdicts.judge("states", row, partial(published_faults, checked.of_state(state), row))
            verdicts.judge("state proofs", row, partial(label_faults, checked.of_state(state), row))


def _column_faults(checked: CheckedProblem, row: Row, state: Row | None) -> list[str]:
    """Return the columns that are not those of the problem and of its solved state."""
    if state is None:
        return [f"there is no state '{row['state_source']}' at step {row['state_step']}"]
    rechecked = checked.of_state(state)
    wanted = {
        "id": f"{checked.row['id']}/{state['source']}-{state['step']}/state",
        "problem_pddl": write_problem(rechecked.problem),
    }
    faults = [f"{name} is not that of its problem" for name in OF_PROBLEM if row[name] != checked.row[name]]
    return faults + differing(wanted, row)


def published_faults(rechecked: RecheckedState, row: Row) -> list[str]:
    """Return the faults of what is stated of a published state, each decided again."""
    rechecked.take_plan(list(map(parse_atom, row["plan"])))
    names = ("landmarks", "not_landmarks", "unreachable_facts", "unreachable_actions")
    faults = [fault for name in names for fault in repeats(name, row[name])]
    landmarks, others, facts, actions = (list(map(parse_atom, row[name])) for name in names)
    faults += _cost_faults(rechecked, row["solvable"], row["h_star"])
    faults += _plan_faults(rechecked, {**row, "plan_optimal": row["solvable"]})
    faults += size_faults(rechecked, row["num_states"]) + fact_faults(rechecked, set(facts))
    if row["solvable"]:
        faults += landmark_faults(rechecked, landmarks, others)
    elif landmarks or others or row["plan"]:
        faults.append("landmarks or a plan of a state without plan")
    universe = set(rechecked.universe)
    faults += differing({"num_possible_actions": len(universe)}, row)
    faults += [f"{write_atom(step)} is outside the universe" for step in sorted(set(actions) - universe)]
    reachable = universe - set(actions)
    if beyond := sorted(reachable - set(rechecked.task.action_of)):
        return [*faults, f"{write_atom(beyond[0])} is never applied"]
    return faults + action_faults(rechecked, reachable)


ProofTest: TypeAlias = Callable[[Atom], bool]


def label_faults(rechecked: RecheckedState, row: Row) -> list[str]:
    """Return the faults of the labels of a row."""
    relaxed = relaxation(rechecked.domain, rechecked.problem)
    task, facts, steps = rechecked.task, set(relaxed.facts), set(relaxed.steps)

    def is_pair_excluded(fact: Atom) -> bool:
        return rechecked.pairs.exclude(Condition(task.bit[fact]))

    def is_step_excluded(step: Atom) -> bool:
        return rechecked.pairs.exclude(needs(task.action_of[step]))

    tests: dict[str, tuple[str, ProofTest, ProofTest]] = {
        "landmarks": (
            "landmark_proofs",
            lambda fact: is_relaxed_landmark(task, task.bit.get(fact, 0)),
            partial(_is_pair_landmark, rechecked),
        ),
        "unreachable_facts": ("unreachable_fact_proofs", lambda fact: fact not in facts, is_pair_excluded),
        "unreachable_actions": (
            "unreachable_action_proofs",
            lambda step: step not in steps,
            is_step_excluded,
        ),
    }
    faults = [*faults_of(task, relaxed), *_cost_label_faults(row)]
    for name, (proofs, is_relaxed, is_excluded) in tests.items():
        faults += _label_faults(row, name, proofs, is_relaxed, is_excluded)
    return faults


def _cost_label_faults(row: Row) -> list[str]:
    """Return a fault if the proof of the cost is none that fits the other columns."""
    wanted = {Proof.ASTAR, Proof.EXHAUSTION} if row["solvable"] else {Proof.UNSOLVABILITY}
    if row["num_states"] is not None:
        wanted = {Proof.EXHAUSTION}
    return [f"h_star_proof is {row['h_star_proof']}"] * (row["h_star_proof"] not in wanted)


def _label_faults(
    row: Row, name: str, proofs: str, is_relaxed: ProofTest, is_excluded: ProofTest
) -> Iterator[str]:
    """Yield the elements of a column whose label is not the proof that decides them."""
    if len(row[proofs]) != len(row[name]):
        yield f"{proofs} has {len(row[proofs])} labels for {len(row[name])} of {name}"
        return
    for text, label in zip(row[name], row[proofs], strict=True):
        element = parse_atom(text)
        if is_relaxed(element):
            right = label == Proof.DELETE_RELAXATION
        elif row["num_states"] is not None:
            right = label == Proof.EXHAUSTION
        else:
            right = label == Proof.UNSOLVABILITY or (label == Proof.H2 and is_excluded(element))
        if not right:
            yield f"{proofs}: {text} is not known by {label}"


def _is_pair_landmark(rechecked: RecheckedState, fact: Atom) -> bool:
    """Return whether h2 excludes the goal without the actions that add a fact."""
    task = rechecked.task
    remaining = tuple(action for action in task.actions if not action.add & task.bit[fact])
    return Pairs(replace(task, actions=remaining)).exclude(Condition(task.goal_positive))


CHECKS = FamilyChecks(
    columns={
        "tables": ("id",),
        "state columns": (*OF_PROBLEM, "state_source", "state_step", "problem_pddl"),
        "states": (
            "solvable", "h_star", "plan", "landmarks", "not_landmarks", "unreachable_facts",
            "unreachable_actions", "num_possible_actions", "num_states",
        ),
        "state proofs": (
            "h_star_proof", "landmark_proofs", "unreachable_fact_proofs", "unreachable_action_proofs",
        ),
    },
    problem=check_problem,
)  # fmt: skip
