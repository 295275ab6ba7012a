"""The columns of problems: as generated, as solved, and as published; and columns shared with other tables.

A column is one line. Its description reaches the dataset card through the metadata of the Arrow field,
so every published column has a description. Columns contain no nulls unless their description says so.
"""

from __future__ import annotations

from typing import Any

from orrery.store.kinds import BOOL, INT, LONG, STRING, STRINGS, Schema, column, table

PROBLEM_ID = column("problem_id", STRING, "The problem, as `<domain>/<split>/<six digits>`")
DOMAIN = column("domain", STRING, "Name of the planning domain")
CONTEXT_STYLE = column(
    "style", STRING, "Style of the context: `prose`, or `formal` (each fact, condition and effect listed)"
)
CONTEXT_HELD_OUT = column(
    "unseen_templates",
    INT,
    "1 if the context has a wording that occurs in test splits only",
)
DIFFICULTY = column(
    "difficulty", STRING, "Range of sizes the problem was drawn from (`easy`, `medium`, `hard`)"
)
NAMES = column(
    "names",
    STRING,
    "Names of the objects: `numbered` (b1, l3), `given` (by the domain or a file), or the lists they are "
    "from, as `cities` or `cities+people`; it ends in `-new` where some occur in test splits only",
)
SEED_PATH = column("seed_path", STRING, "Path of the random stream that made the row, under the root seed")
NUM_OBJECTS = column("num_objects", INT, "Number of objects")
NUM_FACTS = column(
    "num_facts", INT, "Number of fluent facts in the grounded task; null where it was not grounded",
    nullable=True,
)  # fmt: skip
NUM_ACTIONS = column(
    "num_actions", INT, "Number of relaxed-reachable ground actions; null where more than 500 are possible",
    nullable=True,
)  # fmt: skip
NUM_STATES = column(
    "num_states", LONG, "Number of reachable states; null where they were not all visited", nullable=True
)
DOMAIN_PDDL = column("domain_pddl", STRING, "The domain in PDDL")
PROBLEM_PDDL = column("problem_pddl", STRING, "The problem in PDDL")
TASK = column("task", STRING, "Initial and goal configuration, as `<init>-to-<goal>`")
STRICT_KEY = column("strict_key", STRING, "Equal for problems that are equal up to renaming all objects")
LOOSE_KEY = column(
    "loose_key", STRING, "Equal for problems whose goal objects may also be exchanged; a bucket"
)
PLAN = column(
    "plan", STRINGS, "A validated plan, one `(action object ...)` a step; empty where there is none"
)
PLANNER = column("planner", STRING, "Who found the plan or proved that there is none")
PLANNER_VERSION = column("planner_version", STRING, "Version of that planner")
INIT_NUM = column("init_num_propositions", INT, "Number of facts in the initial state")
GOAL_NUM = column("goal_num_propositions", INT, "Number of literals in the goal")
INIT = column("init", STRING, "Configuration of the initial state")
GOAL = column("goal", STRING, "Configuration of the goal")
PARAMETERS = column("parameters", STRING, "JSON: parameters of both configurations, `init` and `goal`")
PLAN_COST = column("plan_cost", INT, "Number of actions in the plan; null where there is none", nullable=True)
H_STAR = column(
    "h_star",
    INT,
    "Fewest actions from the initial state to the goal; null where that is not proven or there is no plan",
    nullable=True,
)
SOLVABLE = column("solvable", BOOL, "Whether a plan exists; null where that is undecided", nullable=True)
PLAN_OPTIMAL = column("plan_optimal", BOOL, "Whether the plan is proven to have the fewest actions")

INIT_PARAMETERS = column("init_parameters", STRING, "JSON: parameters of the initial configuration")
GOAL_PARAMETERS = column("goal_parameters", STRING, "JSON: parameters of the goal configuration")
HOLDS = column(
    "goal_holds_initially",
    INT,
    "1 if the goal holds at the start once its objects change places; as it stands, it never does",
)
EXPLICIT_ONLY = column(
    "explicit_only",
    INT,
    "1 if another problem differs in the goal's objects alone, so that a text which leaves them "
    "open would be the same for both",
)

GENERATED_PROBLEMS: Schema = table(
    "problems",
    "Problems as generated",
    PROBLEM_ID,
    DOMAIN,
    column("split", STRING, "train, validation or test"),
    TASK,
    column("init_configuration", STRING, "Configuration of the initial state"),
    column("goal_configuration", STRING, "Configuration of the goal"),
    column("tied", BOOL, "Whether initial state and goal are one configuration and linked"),
    column("strict", BOOL, "Whether the identity of objects matters"),
    DIFFICULTY,
    NAMES,
    column("index", INT, "Number of the problem within its domain and split"),
    INIT_PARAMETERS,
    GOAL_PARAMETERS,
    PROBLEM_PDDL,
    NUM_OBJECTS,
    INIT_NUM,
    GOAL_NUM,
    HOLDS,
    EXPLICIT_ONLY,
    STRICT_KEY,
    LOOSE_KEY,
    SEED_PATH,
    key=("problem_id",),
)

CANDIDATES: Schema = table(
    "candidates",
    "Draws of unfinished builds: a problem, the reason why there is none, or neither where it was put off",
    column("sign", STRING, "Equal for draws that are known to be alike before they are made"),
    column("reason", STRING, "Why there is no problem"),
    column("detail", STRING, "The message"),
    column("made", BOOL, "Whether there is a problem; the columns on it are empty otherwise"),
    STRICT_KEY,
    LOOSE_KEY,
    HOLDS,
    EXPLICIT_ONLY,
    INIT_PARAMETERS,
    GOAL_PARAMETERS,
    PROBLEM_PDDL,
    NUM_OBJECTS,
    INIT_NUM,
    GOAL_NUM,
    key=("sign",),
)

REJECTS: Schema = table(
    "rejects",
    "What a stage left out, and why",
    column("stage", STRING, "The stage"),
    DOMAIN,
    column("item", STRING, "What was left out"),
    column("reason", STRING, "Why, in a few words that can be counted"),
    column("detail", STRING, "The message"),
    key=("stage", "domain", "item"),
)

SOLUTIONS: Schema = table(
    "solutions",
    "What is proven of each problem",
    PROBLEM_ID,
    column("outcome", STRING, "Named outcome of the planner"),
    SOLVABLE,
    PLAN,
    PLAN_COST,
    column("optimal", BOOL, "Whether the plan is proven to have the fewest actions"),
    column("plan_proof", STRING, "How solvability or unsolvability, and optimality, are known"),
    PLANNER,
    PLANNER_VERSION,
    NUM_FACTS,
    NUM_ACTIONS,
    NUM_STATES,
    key=("problem_id",),
)

PROBLEMS: Schema = table(
    "problems",
    "Planning problems with a plan or a proof that there is none",
    column("id", STRING, "The problem, as `<domain>/<split>/<six digits>`"),
    column("problem_id", STRING, "The same, under the name that it has in every other table"),
    DOMAIN,
    TASK,
    INIT,
    GOAL,
    DIFFICULTY,
    NAMES,
    DOMAIN_PDDL,
    PROBLEM_PDDL,
    PARAMETERS,
    NUM_OBJECTS,
    INIT_NUM,
    GOAL_NUM,
    SOLVABLE,
    PLAN,
    PLAN_COST,
    PLAN_OPTIMAL,
    H_STAR,
    NUM_FACTS,
    NUM_ACTIONS,
    NUM_STATES,
    STRICT_KEY,
    LOOSE_KEY,
    PLANNER,
    PLANNER_VERSION,
    SEED_PATH,
)


def reject(stage: str, domain: str, item: str, reason: str, detail: str = "") -> dict[str, Any]:
    """Return a row of the table of rejects."""
    return {"stage": stage, "domain": domain, "item": item, "reason": reason, "detail": detail}
