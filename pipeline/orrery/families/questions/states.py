"""The states for questions: their columns, and the conversion to records and back.

``state_row`` writes the results on a state; ``state_record`` reads them as the record from which questions
are made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from orrery.families.questions.question_row import proofs_of, written
from orrery.families.questions.state_record import StateRecord
from orrery.model import Atom, Domain, Step
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_atom, write_atom
from orrery.planning.decided import DecidedState
from orrery.planning.states import AskedState
from orrery.problems.schemas import shared
from orrery.store.kinds import BOOL, INT, LONG, STRING, STRINGS, Schema, column, table

Row = Mapping[str, Any]

# Attributes that record and row have in common.
UNCHANGED = (
    "problem_id", "source", "step", "solvable", "h_star", "plan_optimal", "num_steps",
    "num_unreachable_actions", "num_states", "difficulty", "names", "seed_path",
)  # fmt: skip

STATES: Schema = table(
    "states",
    "States that questions are asked about, and what is proven of them",
    *shared("problem_id"),
    column("state_id", STRING, "Name of the state within its problem"),
    column("source", STRING, "`initial`, `plan`, `diverse` (a plan unlike that one) or `walk`"),
    column("step", INT, "Number of steps from the initial state"),
    column("state", STRINGS, "The facts that hold, sorted, statics included"),
    *shared("solvable"),
    column(
        "plan", STRINGS, "Steps of a valid plan from the state; empty where there is none, or none needed"
    ),
    column("plan_optimal", BOOL, "Whether no plan from the state is shorter"),
    column("h_star", INT, "Fewest actions to the goal; null where undecided or out of reach", nullable=True),
    column("landmarks_yes", STRINGS, "Facts every plan makes true, true neither here nor in the goal"),
    column("landmarks_no", STRINGS, "The other candidates: some plan avoids each"),
    column("landmark_proofs", STRINGS, "A proof per fact of landmarks_yes, then of landmarks_no"),
    column("optimal_first_actions", STRINGS, "Applicable actions that begin a shortest plan"),
    column("optimal_first_actions_proofs", STRINGS, "A proof per action of optimal_first_actions"),
    column("not_optimal_first_actions", STRINGS, "Applicable actions that begin no shortest plan"),
    column("not_optimal_first_actions_proofs", STRINGS, "A proof per action of not_optimal_first_actions"),
    column("unreachable_facts", STRINGS, "Facts that actions could add and that hold in no reachable state"),
    column("unreachable_fact_proofs", STRINGS, "A proof per unreachable fact"),
    column("num_steps", LONG, "Number of ground actions whose static preconditions and inequalities hold"),
    column("num_unreachable_actions", LONG, "Of these so many are proven never to be applicable"),
    column("reachable_actions", STRINGS, "Ground actions applicable in some reachable state"),
    column("unreachable_actions", STRINGS, "Those never applicable; empty unless unreachable_listed"),
    column("unreachable_action_proofs", STRINGS, "A proof per action of unreachable_actions"),
    column("unreachable_listed", BOOL, "Whether unreachable_actions are few enough to be listed"),
    column("undecided", STRINGS, "Kind and name of the facts and actions on which a budget ended"),
    column("landmarks_complete", BOOL, "Whether there is a plan and every landmark candidate is decided"),
    column(
        "next_complete",
        BOOL,
        "Whether there is a plan and every applicable action is known to begin a shortest one or not",
    ),
    column("facts_complete", BOOL, "Whether every fact's reachability is decided"),
    column("actions_complete", BOOL, "Whether every action's reachability is decided"),
    *shared("num_states"),
    column("planned", BOOL, "Whether nothing but a plan is known of it"),
    key=("problem_id", "state_id"),
)


def state_row(
    problem_id: str, number: int, state: AskedState, decided: DecidedState, *, planned: bool = False
) -> dict[str, Any]:
    """Return the row with the results on state ``number`` of a problem."""
    plan, listed = decided.plan, decided.unreachable_actions
    return {
        "problem_id": problem_id,
        "state_id": f"{number:02d}",
        "source": state.source,
        "step": state.step,
        "state": written(state.state),
        "solvable": decided.solvable,
        "plan": [write_atom(step) for step in plan.steps] if plan else [],
        "plan_optimal": bool(plan and plan.optimal),
        "h_star": decided.optimal_cost,
        "landmarks_yes": written(decided.landmarks),
        "landmarks_no": written(decided.not_landmarks),
        "landmark_proofs": proofs_of(decided.landmarks) + proofs_of(decided.not_landmarks),
        "optimal_first_actions": written(decided.optimal_first_actions),
        "optimal_first_actions_proofs": proofs_of(decided.optimal_first_actions),
        "not_optimal_first_actions": written(decided.not_optimal_first_actions),
        "not_optimal_first_actions_proofs": proofs_of(decided.not_optimal_first_actions),
        "unreachable_facts": written(decided.unreachable_facts),
        "unreachable_fact_proofs": proofs_of(decided.unreachable_facts),
        "num_steps": decided.num_steps,
        "num_unreachable_actions": decided.num_unreachable_actions,
        "reachable_actions": written(decided.reachable_actions),
        "unreachable_actions": written(listed or {}),
        "unreachable_action_proofs": proofs_of(listed or {}),
        "unreachable_listed": listed is not None,
        "undecided": sorted(decided.undecided),
        "landmarks_complete": decided.solvable is True and decided.is_complete("landmark"),
        "next_complete": decided.solvable is True and decided.is_complete("next"),
        "facts_complete": decided.is_complete("fact"),
        "actions_complete": decided.is_complete("action"),
        "num_states": decided.num_states,
        "planned": planned,
    }


def state_record(domain: Domain, row: Row) -> StateRecord:
    """Return ``row`` as a record, with the state as initial state and its proven values."""
    problem = read_problem(row["problem_pddl"], domain, row["problem_id"])
    problem = replace(problem, init=frozenset(map(parse_atom, row["state"])))
    settled = row["landmarks_complete"]
    yes, no, proofs = row["landmarks_yes"], row["landmarks_no"], row["landmark_proofs"]

    def proven(name: str, proofs_name: str, *, known: bool) -> dict[Atom, str] | None:
        return _proven(row[name], row[proofs_name]) if known else None

    return StateRecord(
        domain=domain,
        problem=problem,
        landmarks=_proven(yes, proofs[: len(yes)]) if settled else None,
        not_landmarks=_proven(no, proofs[len(yes) :]) if settled else None,
        unreachable=proven("unreachable_facts", "unreachable_fact_proofs", known=row["facts_complete"]),
        plan=_plan(row, goal_holds=problem.satisfied(problem.init)),
        optimal_first_actions=proven(
            "optimal_first_actions", "optimal_first_actions_proofs", known=row["next_complete"]
        ),
        not_optimal_first_actions=proven(
            "not_optimal_first_actions", "not_optimal_first_actions_proofs", known=row["next_complete"]
        ),
        reachable_actions=frozenset(map(parse_atom, row["reachable_actions"]))
        if row["actions_complete"]
        else None,
        unreachable_actions=proven(
            "unreachable_actions",
            "unreachable_action_proofs",
            known=row["actions_complete"] and row["unreachable_listed"],
        ),
        **{name: row[name] for name in UNCHANGED},
    )


def _plan(row: Row, goal_holds: bool) -> tuple[Step, ...] | None:
    """Return the plan; an empty plan is valid only if the goal holds."""
    return tuple(map(parse_atom, row["plan"])) if row["plan"] or goal_holds else None


def _proven(facts: list[str], proofs: list[str]) -> dict[Atom, str]:
    return {parse_atom(fact): proof for fact, proof in zip(facts, proofs, strict=True)}
