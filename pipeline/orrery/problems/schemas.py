"""The columns of problems: as generated, as solved, and as published; and columns shared with other tables.

A column is one line. Its description reaches the dataset card through the metadata of the Arrow field,
so every published column has a description. Columns contain no nulls unless their description says so.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from orrery.problems.horizon import HORIZON
from orrery.store.kinds import BOOL, INT, LONG, STRING, STRINGS, Schema, column, fields, table

_SHARED = table(
    "shared",
    "Columns of several tables",
    column("problem_id", STRING, "The problem, as `<domain>/<split>/<six digits>`"),
    column("domain", STRING, "Name of the planning domain"),
    column(
        "style", STRING, "Style of the context: `prose`, or `formal` (each fact, condition and effect listed)"
    ),
    column(
        "unseen_templates",
        INT,
        "1 if the context has a wording that occurs in test splits only",
    ),
    column(
        "difficulty",
        STRING,
        "Range of sizes that it was drawn from (`easy`, `medium`, `hard`); `ladder-50`: for about 50 steps",
    ),
    column(
        "names",
        STRING,
        "Names of the objects: `numbered` (b1, l3), `given` (by the domain or a file), or the lists they are "
        "from, as `cities` or `cities+people`; it ends in `-new` where some occur in test splits only",
    ),
    column(
        "seen",
        STRING,
        "Which mechanics and theme of a composed domain also occur in train: `both`, `mechanics`, `theme`, "
        "`neither`; empty for other domains",
    ),
    column("seed_path", STRING, "Path of the random stream that made the row, under the root seed"),
    column("num_objects", INT, "Number of objects"),
    column(
        "num_facts",
        INT,
        "Number of fluent facts in the grounded task; null where it was not grounded",
        nullable=True,
    ),
    column(
        "num_actions",
        INT,
        "Number of relaxed-reachable ground actions; null where more than 500 are possible",
        nullable=True,
    ),
    column(
        "num_states", LONG, "Number of reachable states; null where they were not all visited", nullable=True
    ),
    column("domain_pddl", STRING, "The domain in PDDL"),
    column("problem_pddl", STRING, "The problem in PDDL"),
    column("task", STRING, "Initial and goal configuration, as `<init>-to-<goal>`"),
    column("strict_key", STRING, "Equal for problems that are equal up to renaming all objects"),
    column("loose_key", STRING, "Equal for problems whose goal objects may also be exchanged; a bucket"),
    column("plan", STRINGS, "A validated plan, one `(action object ...)` a step; empty where there is none"),
    column("planner", STRING, "Who found the plan or proved that there is none"),
    column("planner_version", STRING, "Version of that planner"),
    column("init_num_propositions", INT, "Number of facts in the initial state"),
    column("goal_num_propositions", INT, "Number of literals in the goal"),
    column("init", STRING, "Configuration of the initial state"),
    column("goal", STRING, "Configuration of the goal"),
    column("parameters", STRING, "JSON: parameters of both configurations, `init` and `goal`"),
    column("plan_cost", INT, "Number of actions in the plan; null where there is none", nullable=True),
    column(
        "h_star",
        INT,
        "Fewest actions from the initial state to the goal; null where that is not proven or "
        "there is no plan",
        nullable=True,
    ),
    HORIZON,
    column("solvable", BOOL, "Whether a plan exists; null where that is undecided", nullable=True),
    column("plan_optimal", BOOL, "Whether the plan is proven to have the fewest actions"),
    column("init_parameters", STRING, "JSON: parameters of the initial configuration"),
    column("goal_parameters", STRING, "JSON: parameters of the goal configuration"),
    column(
        "goal_holds_initially",
        INT,
        "1 if the goal holds at the start once its objects change places; as it stands, it never does",
    ),
    column(
        "explicit_only",
        INT,
        "1 if another problem differs in the goal's objects alone, so that a text which leaves them "
        "open would be the same for both",
    ),
    column("split", STRING, "train, validation or test"),
    column("context_pddl", STRING, "The context with PDDL in place of words: domain and problem"),
    column("context_both", STRING, "The context in words, followed by domain and problem in PDDL"),
    column("question_pddl", STRING, "The question with its facts and actions in PDDL alone"),
    column(
        "state_source", STRING, "Where the state comes from: `initial`, `plan`, `diverse`, `walk` or `barred`"
    ),
    column("mixture", STRING, "`explicit-explicit`, `explicit-abstract`, ... for init and goal"),
)
shared = partial(fields, _SHARED)  # returns columns of several tables by their names

GENERATED_PROBLEMS: Schema = table(
    "problems",
    "Problems as generated",
    *shared("problem_id", "domain", "split", "task"),
    column("init_configuration", STRING, "Configuration of the initial state"),
    column("goal_configuration", STRING, "Configuration of the goal"),
    column("tied", BOOL, "Whether initial state and goal are one configuration and linked"),
    column("strict", BOOL, "Whether the identity of objects matters"),
    *shared("difficulty", "names", "seen"),
    column("index", INT, "Number of the problem within its domain and split"),
    *shared(
        "init_parameters",
        "goal_parameters",
        "problem_pddl",
        "num_objects",
        "init_num_propositions",
        "goal_num_propositions",
        "goal_holds_initially",
        "explicit_only",
        "strict_key",
        "loose_key",
        "seed_path",
    ),
    key=("problem_id",),
)

CANDIDATES: Schema = table(
    "candidates",
    "Draws of unfinished builds: a problem, or the reason why there is none",
    column("reason", STRING, "Why there is no problem; the columns on it are empty then"),
    column("detail", STRING, "The message"),
    *shared(
        "strict_key",
        "loose_key",
        "goal_holds_initially",
        "explicit_only",
        "init_parameters",
        "goal_parameters",
        "problem_pddl",
        "num_objects",
        "init_num_propositions",
        "goal_num_propositions",
    ),
    key=("strict_key",),
)

REJECTS: Schema = table(
    "rejects",
    "What a stage left out, and why",
    column("stage", STRING, "The stage"),
    *shared("domain"),
    column("item", STRING, "What was left out"),
    column("reason", STRING, "Why, in a few words that can be counted"),
    column("detail", STRING, "The message"),
    key=("stage", "domain", "item"),
)

SOLUTIONS: Schema = table(
    "solutions",
    "What is proven of each problem",
    *shared("problem_id"),
    column("outcome", STRING, "Named outcome of the planner"),
    *shared("solvable", "plan", "plan_cost"),
    column("optimal", BOOL, "Whether a search proved that the plan has the fewest actions"),
    column("plan_proof", STRING, "How solvability or unsolvability, and optimality, are known"),
    *shared("horizon", "planner", "planner_version", "num_facts", "num_actions", "num_states"),
    key=("problem_id",),
)

PROBLEMS: Schema = table(
    "problems",
    "Planning problems with a plan or a proof that there is none",
    column("id", STRING, "The problem, as `<domain>/<split>/<six digits>`"),
    column("problem_id", STRING, "The same, under the name that it has in every other table"),
    *shared(
        "domain",
        "task",
        "init",
        "goal",
        "difficulty",
        "names",
        "domain_pddl",
        "problem_pddl",
        "parameters",
        "num_objects",
        "init_num_propositions",
        "goal_num_propositions",
        "solvable",
        "plan",
        "plan_cost",
        "plan_optimal",
        "h_star",
        "horizon",
        "num_facts",
        "num_actions",
        "num_states",
        "strict_key",
        "loose_key",
        "planner",
        "planner_version",
        "seen",
        "seed_path",
    ),
)


def reject(stage: str, domain: str, item: str, reason: str, detail: str = "") -> dict[str, Any]:
    """Return a row of the table of rejects."""
    return {"stage": stage, "domain": domain, "item": item, "reason": reason, "detail": detail}
