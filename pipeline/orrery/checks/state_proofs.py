"""Check how the values of a published state are known: each label must name the weakest proof that suffices.

The order is delete relaxation, the whole state space if it is known, pairs of facts (h2), and unsolvability.
Each is repeated: the delete relaxation by the other grounding, which also confirms the ground task, and pairs
by the other h2. A landmark is a fact without whose achievers the goal is out of reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from orrery.checks.compiled_query import Condition, needs
from orrery.checks.landmark_bound import is_relaxed_landmark
from orrery.checks.reachability import Pairs
from orrery.checks.rechecked_state import RecheckedState
from orrery.checks.relaxation import faults_of, relaxation
from orrery.model import Atom, Proof, Row
from orrery.pddl.write import parse_atom

Test: TypeAlias = Callable[[Atom], bool]


def check(rechecked: RecheckedState, row: Row) -> list[str]:
    """Return the faults of the labels of a row."""
    relaxed = relaxation(rechecked.domain, rechecked.problem)
    task, facts, steps = rechecked.task, set(relaxed.facts), set(relaxed.steps)

    def is_pair_excluded(fact: Atom) -> bool:
        return rechecked.pairs.exclude(Condition(task.bit[fact]))

    def is_step_excluded(step: Atom) -> bool:
        return rechecked.pairs.exclude(needs(task.action_of[step]))

    tests: dict[str, tuple[str, Test, Test]] = {
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
    faults = [*faults_of(task, relaxed), *_cost_faults(row)]
    for name, (proofs, is_relaxed, is_excluded) in tests.items():
        faults += _label_faults(row, name, proofs, is_relaxed, is_excluded)
    return faults


def _cost_faults(row: Row) -> list[str]:
    """Return a fault if the proof of the cost is none that fits the other columns."""
    wanted = {Proof.ASTAR, Proof.EXHAUSTION} if row["solvable"] else {Proof.UNSOLVABILITY}
    if row["num_states"] is not None:
        wanted = {Proof.EXHAUSTION}
    return [f"h_star_proof is {row['h_star_proof']}"] * (row["h_star_proof"] not in wanted)


def _label_faults(row: Row, name: str, proofs: str, is_relaxed: Test, is_excluded: Test) -> Iterator[str]:
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
