"""The columns of the table ``states``."""

from __future__ import annotations

from orrery.problems.schemas import shared
from orrery.store.kinds import BOOL, INT, LONG, STRING, STRINGS, Schema, column, table

DECIDED_STATES: Schema = table(
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
