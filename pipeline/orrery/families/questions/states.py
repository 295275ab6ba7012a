"""The states for questions: their columns, the conversion to records and back, and what memory holds of them.

``state_row`` writes the results on a state; ``state_record`` reads them as the record from which questions
are made. Of the states of a domain, the identifying columns are in memory, the rest in files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from orrery.catalog import SPLITS
from orrery.families.questions.question_row import proofs_of, written
from orrery.families.questions.state_record import StateRecord
from orrery.model import Atom, Domain, Row
from orrery.parts import Tables
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_atom, write_atom
from orrery.planning.decided import DecidedState
from orrery.planning.states import AskedState
from orrery.problems.schemas import shared
from orrery.store.kinds import BOOL, INT, LONG, STRING, STRINGS, Schema, column, table
from orrery.store.lookup import RowSource
from orrery.store.shards import read_rows

# The columns with the row numbers in the files of problems, states and solutions.
PROBLEM_AT, STATE_AT, SOLUTION_AT = "problem at", "state at", "solution at"

# Attributes that record and row have in common.
UNCHANGED = (
    "problem_id", "source", "step", "solvable", "h_star", "plan_optimal", "num_steps",
    "num_unreachable_actions", "num_states", "difficulty", "names", "seen", "seed_path",
)  # fmt: skip

# The columns of facts and actions that are proven one by one, each with the column of their proofs.
PROOFS = {
    "optimal_first_actions": "optimal_first_actions_proofs",
    "not_optimal_first_actions": "not_optimal_first_actions_proofs",
    "unreachable_facts": "unreachable_fact_proofs",
    "unreachable_actions": "unreachable_action_proofs",
}

STATES = table(
    "solved_states",
    "States that questions are asked about, and what is proven of them",
    *shared("problem_id"),
    column("state_id", STRING, "Name of the state within its problem"),
    column(
        "source",
        STRING,
        "`initial`, `plan`, `diverse` (a plan unlike that one), `walk`, or `barred` (the initial state "
        "without some facts)",
    ),
    column("step", INT, "Number of steps from the initial state; for `barred` states, their number"),
    column("state", STRINGS, "The facts that hold, sorted, statics included"),
    column(
        "goal_free_key",
        STRING,
        "Equal for states that are equal up to names of objects if goals are left out; empty if undecided",
    ),
    *shared("solvable"),
    column(
        "plan", STRINGS, "Steps of a valid plan from the state; empty where there is none, or none needed"
    ),
    column("plan_optimal", BOOL, "Whether no plan from the state is shorter"),
    column("h_star", INT, "Fewest actions to the goal; null where undecided or out of reach", nullable=True),
    column("h_star_proof", STRING, "How h_star, or that there is no plan, is known; empty where it is not"),
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
    problem_id: str,
    number: int,
    state: AskedState,
    decided: DecidedState,
    *,
    goal_free_key: str = "",
    planned: bool = False,
) -> dict[str, Any]:
    """Return the row with the results on state ``number`` of a problem."""
    plan, proven = decided.plan, {name: getattr(decided, name) or {} for name in PROOFS}
    return {
        "problem_id": problem_id,
        "state_id": f"{number:02d}",
        "source": state.source,
        "step": state.step,
        "state": written(state.state),
        "goal_free_key": goal_free_key,
        "solvable": decided.solvable,
        "plan": [write_atom(step) for step in plan.steps] if plan else [],
        "plan_optimal": bool(plan and plan.optimal),
        "h_star": decided.optimal_cost,
        "h_star_proof": str(decided.cost_proof or ""),
        "landmarks_yes": written(decided.landmarks),
        "landmarks_no": written(decided.not_landmarks),
        "landmark_proofs": proofs_of(decided.landmarks) + proofs_of(decided.not_landmarks),
        **{name: written(atoms) for name, atoms in proven.items()},
        **{PROOFS[name]: proofs_of(atoms) for name, atoms in proven.items()},
        "num_steps": decided.num_steps,
        "num_unreachable_actions": decided.num_unreachable_actions,
        "reachable_actions": written(decided.reachable_actions),
        "unreachable_listed": decided.unreachable_actions is not None,
        "undecided": sorted(decided.undecided),
        "landmarks_complete": decided.solvable is True and decided.is_complete("landmark"),
        "next_complete": decided.solvable is True and decided.is_complete("next"),
        "facts_complete": decided.is_complete("fact"),
        "actions_complete": decided.is_complete("action"),
        "num_states": decided.num_states,
        "planned": planned,
    }


def mark_goal_free(rows: Sequence[dict[str, Any]]) -> None:
    """Mark the states to ask about without their goals, by ``asked_without_goal``.

    If goals are left out, a state that is equal to one of another split is asked about in one split only: the
    first one in ``SPLITS``.
    """
    rank_of: dict[str, int] = {}
    for row in rows:
        rank, key = SPLITS.index(row["split"]), row["goal_free_key"]
        rank_of[key] = min(rank, rank_of.get(key, rank))
    for row in rows:
        row["asked_without_goal"] = SPLITS.index(row["split"]) == rank_of[row["goal_free_key"]]


def state_record(domain: Domain, row: Row) -> StateRecord:
    """Return ``row`` as a record, with the state as initial state and its proven values."""
    problem = read_problem(row["problem_pddl"], domain, row["problem_id"])
    problem = replace(problem, init=frozenset(map(parse_atom, row["state"])))
    settled, listed = row["landmarks_complete"], row["unreachable_listed"]
    yes, no, proofs = row["landmarks_yes"], row["landmarks_no"], row["landmark_proofs"]
    known = {
        "optimal_first_actions": row["next_complete"],
        "not_optimal_first_actions": row["next_complete"],
        "unreachable_facts": row["facts_complete"],
        "unreachable_actions": row["actions_complete"] and listed,
    }
    proven: dict[str, Any] = {
        name: _proven(row[name], row[PROOFS[name]]) if is_known else None for name, is_known in known.items()
    }
    return StateRecord(
        domain=domain,
        problem=problem,
        landmarks=_proven(yes, proofs[: len(yes)]) if settled else None,
        not_landmarks=_proven(no, proofs[len(yes) :]) if settled else None,
        plan=tuple(map(parse_atom, row["plan"])) if row["plan"] or problem.satisfied(problem.init) else None,
        reachable_actions=frozenset(map(parse_atom, row["reachable_actions"]))
        if row["actions_complete"]
        else None,
        **proven,
        **{name: row[name] for name in UNCHANGED},
    )


def _proven(facts: list[str], proofs: list[str]) -> dict[Atom, str]:
    return {parse_atom(fact): proof for fact, proof in zip(facts, proofs, strict=True)}


@dataclass(frozen=True)
class SomeStates:
    """Some states; picklable.

    A row of ``rows`` has the columns that identify a state and, named like ``files``, the row numbers of its
    other data; a file without the state has no number.
    """

    rows: Sequence[Row]
    files: Mapping[str, RowSource]

    def __str__(self) -> str:
        """Return the names of the first and the last state."""
        return f"{item_of(self.rows[0])} to {item_of(self.rows[-1])}"

    def those(self, wanted: Callable[[Row], bool]) -> SomeStates:
        """Return a subset of the states."""
        return replace(self, rows=list(filter(wanted, self.rows)))

    def batches(self, size: int) -> list[SomeStates]:
        """Return the states in batches of one size; the last one may be smaller."""
        starts = range(0, len(self.rows), size)
        return [replace(self, rows=self.rows[start : start + size]) for start in starts]

    def full(self) -> list[dict[str, Any]]:
        """Return the states with all their data; later files override earlier ones."""
        states = [dict[str, Any]() for _ in self.rows]
        for name, file in self.files.items():
            located = [
                (state, row[name]) for state, row in zip(states, self.rows, strict=True) if name in row
            ]
            rows_read = file.rows(number for _, number in located).to_pylist() if located else ()
            for (state, _), values in zip(located, rows_read, strict=True):
                state |= values
        for state, row in zip(states, self.rows, strict=True):
            state |= {name: value for name, value in row.items() if name not in self.files}
        return states


def with_full_states(make: Callable[[list[dict[str, Any]]], Tables], states: SomeStates) -> Tables:
    """Return the tables that ``make`` makes of states with all their columns."""
    return make(states.full())


def numbered(path: Path, schema: Schema, columns: Sequence[str], name: str) -> Iterator[dict[str, Any]]:
    """Yield some columns of the rows of a file, each with its row number as an additional column ``name``."""
    return ({**row, name: at} for at, row in enumerate(read_rows(path, schema, columns)))


def item_of(row: Row) -> str:
    """Return problem and state as text; a state without a name is called the initial state."""
    return f"{row['problem_id']}/{row.get('state_id', 'initial')}"
