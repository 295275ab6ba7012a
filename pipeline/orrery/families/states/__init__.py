"""States of which everything is decided: the table ``states``, from the results of ``solve``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pyarrow.compute as pc

from orrery.catalog import entry_of
from orrery.config import Settings
from orrery.families import Family
from orrery.families import Table as PublishedTable
from orrery.families.problems import of_split
from orrery.families.questions.states import STATES
from orrery.model import Domain, Row
from orrery.pddl.read import read_problem
from orrery.pddl.write import parse_atom, write_domain, write_problem
from orrery.problems.schemas import GENERATED_PROBLEMS, shared
from orrery.store.columns import Table, from_rows
from orrery.store.kinds import BOOL, INT, LONG, STRING, STRINGS, column, table, table_name
from orrery.store.lookup import groups
from orrery.store.shards import read_rows

DECIDED_STATES = table(
    "states",
    "States of which everything is decided: h*, landmarks, unreachable facts and actions, with proofs",
    column("id", STRING, "Name of the row: its problem, source and step of the state, and `state`"),
    *shared("problem_id", "domain", "difficulty", "names", "seen", "state_source"),
    column(
        "state_step",
        INT,
        "Number of steps from the initial state of the problem; for `barred` states, their number",
    ),
    *shared("domain_pddl"),
    column("problem_pddl", STRING, "The problem in PDDL; its initial state is this state"),
    *shared("num_objects"),
    column("solvable", BOOL, "Whether there is a plan from the state"),
    column("h_star", INT, "Fewest actions to the goal; null where there is no plan", nullable=True),
    column(
        "h_star_proof",
        STRING,
        "How `h_star` is known, or that there is no plan: `exhaustion` of the state space, `astar` (A\\* with"
        " an admissible heuristic), or `unsolvability` (a proof of unsolvability without the state space)",
    ),
    column("plan", STRINGS, "A shortest plan from the state; empty where there is none, or none needed"),
    column(
        "landmarks",
        STRINGS,
        "All facts that every plan makes true and that are true neither here nor in the goal; empty where "
        "there is no plan",
    ),
    column(
        "landmark_proofs",
        STRINGS,
        "How each landmark is known: without the actions that add it, the goal is out of reach by "
        "`delete-relaxation`, `h2` (pairs of facts) or `unsolvability`; or by `exhaustion`",
    ),
    column("not_landmarks", STRINGS, "The other facts that actions could add: some plan avoids each"),
    column("unreachable_facts", STRINGS, "All facts that actions could add and that no reachable state has"),
    column(
        "unreachable_fact_proofs",
        STRINGS,
        "How each is known: `delete-relaxation`, `h2` (pairs of facts), `exhaustion` or `unsolvability`",
    ),
    column(
        "unreachable_actions",
        STRINGS,
        "All ground actions that are applicable in no reachable state, of those whose static preconditions "
        "and inequalities hold",
    ),
    column("unreachable_action_proofs", STRINGS, "How each is known, as for facts"),
    column(
        "num_possible_actions",
        LONG,
        "Number of ground actions whose static preconditions and inequalities hold",
    ),
    *shared("num_states", "seed_path"),
)
OF_PROBLEM = ("problem_id", "domain", "difficulty", "names", "seen", "num_objects", "seed_path")
OF_STATE = (
    "solvable", "h_star", "h_star_proof", "plan", "unreachable_facts", "unreachable_fact_proofs",
    "unreachable_actions", "unreachable_action_proofs", "num_states",
)  # fmt: skip


def state_rows(settings: Settings, split: str, only: Sequence[str] | None = None) -> Iterator[Table]:
    """Yield the rows of a split, domain by domain; always all columns.

    A state is left out if something about it is undecided, or if it has too many unreachable actions.
    """
    for name in settings.all_domains:
        path = settings.outputs / "solutions" / name / f"{table_name(STATES)}.parquet"
        problems: Mapping[str, Row] | None = None
        for states in groups(path, STATES):
            of_states = of_split(states, name, split)
            decided = pc.and_(
                of_states["unreachable_listed"], pc.equal(pc.list_value_length(of_states["undecided"]), 0)
            )
            if not (rows := of_states.filter(decided).to_pylist()):
                continue
            problems = problems or _problems(settings, name)
            domain = entry_of(settings.root, name).domain
            yield from_rows(DECIDED_STATES, [_row(domain, problems[row["problem_id"]], row) for row in rows])


def _problems(settings: Settings, name: str) -> Mapping[str, Row]:
    """Return the problems of a domain by id."""
    path = settings.outputs / "problems" / name / f"{table_name(GENERATED_PROBLEMS)}.parquet"
    return {
        row["problem_id"]: row for row in read_rows(path, GENERATED_PROBLEMS, [*OF_PROBLEM, "problem_pddl"])
    }


def _row(domain: Domain, problem: Row, state: Row) -> Row:
    """Return the published row of a decided state."""
    facts = frozenset(map(parse_atom, state["state"]))
    posed = replace(read_problem(problem["problem_pddl"], domain, problem["problem_id"]), init=facts)
    return {
        **{column: problem[column] for column in OF_PROBLEM},
        **{column: state[column] for column in OF_STATE},
        "id": f"{state['problem_id']}/{state['source']}-{state['step']}/state",
        "state_source": state["source"],
        "state_step": state["step"],
        "domain_pddl": write_domain(domain),
        "problem_pddl": write_problem(posed),
        "landmarks": state["landmarks_yes"],
        "landmark_proofs": state["landmark_proofs"][: len(state["landmarks_yes"])],
        "not_landmarks": state["landmarks_no"],
        "num_possible_actions": state["num_steps"],
    }


FAMILY = Family(tables=(PublishedTable(DECIDED_STATES, state_rows, apart=("problem_id",)),))
