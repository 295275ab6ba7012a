"""The columns of every table, in one place: name, kind, meaning, and whether a value may be missing.

A column is one line. Its description reaches the dataset card through the metadata of the Arrow field,
so nothing can be published without saying what it is. Columns hold no nulls unless they say so.
"""

from __future__ import annotations

from orrery.families.questions.schemas import QUESTIONS
from orrery.model import UsageError
from orrery.store.kinds import (
    BOOL,
    CANARY,
    INT,
    LARGEST_INTEGER,
    LONG,
    REAL,
    STRING,
    STRINGS,
    Field,
    Schema,
    as_json,
    by_name,
    column,
    description,
    key_columns,
    struct,
    table,
    table_name,
    with_canary,
)
from orrery.store.modelling_schemas import MODELLING
from orrery.store.shared_columns import (
    DIFFICULTY,
    DOMAIN,
    NUM_ACTIONS,
    NUM_FACTS,
    NUM_OBJECTS,
    NUM_STATES,
    PROBLEM_ID,
    SEED_PATH,
)

__all__ = [
    "BOOL",
    "CANARY",
    "INT",
    "INTERMEDIATE",
    "LARGEST_INTEGER",
    "LONG",
    "PUBLISHED",
    "REAL",
    "STRING",
    "STRINGS",
    "Field",
    "Schema",
    "as_json",
    "column",
    "description",
    "key_columns",
    "published",
    "struct",
    "table",
    "table_name",
    "with_canary",
]

_DOMAIN_PDDL = column("domain_pddl", STRING, "The domain in PDDL")
_PROBLEM_PDDL = column("problem_pddl", STRING, "The problem in PDDL")
_TASK = column("task", STRING, "Initial and goal configuration, as `<init>-to-<goal>`")
_STRICT_KEY = column("strict_key", STRING, "Equal for problems that are equal up to renaming all objects")
_LOOSE_KEY = column(
    "loose_key", STRING, "Equal for problems whose goal objects may also be exchanged; a bucket"
)
_PLAN = column(
    "plan", STRINGS, "A validated plan, one `(action object ...)` a step; empty where there is none"
)
_PLANNER = column("planner", STRING, "Who found the plan or proved that there is none")
_PLANNER_VERSION = column("planner_version", STRING, "Version of that planner")
_INIT_NUM = column("init_num_propositions", INT, "Number of facts in the initial state")
_GOAL_NUM = column("goal_num_propositions", INT, "Number of literals in the goal")
_INIT_ABSTRACT = column(
    "init_is_abstract", INT, "1 if the text summarises the initial state, 0 if it lists it"
)
_GOAL_ABSTRACT = column("goal_is_abstract", INT, "1 if the text summarises the goal, 0 if it lists it")
_PLACEHOLDER = column("is_placeholder", INT, "1 if the text leaves open which objects the goal names")
_GOAL_HOLDS = column(
    "goal_holds_initially",
    INT,
    "1 if the goal holds at the start: in placeholder rows for some choice of the goal's objects, "
    "in others as it stands",
)
_VOCABULARY = column(
    "vocabulary", STRING, "Words of the row: `plain`, or obfuscated ones, `meaningless` or `misleading`"
)
_PARAPHRASE = column(
    "paraphrase", INT, "0 in the one row that every problem and mixture has; 1, 2 ... tell it in other words"
)
_TEXT = column("natural_language", STRING, "The text that describes the problem")
_INIT = column("init", STRING, "Configuration of the initial state")
_GOAL = column("goal", STRING, "Configuration of the goal")
_PARAMETERS = column("parameters", STRING, "JSON: parameters of both configurations, `init` and `goal`")
_PLAN_COST = column(
    "plan_cost", INT, "Number of actions in the plan; null where there is none", nullable=True
)
_SOLVABLE = column("solvable", BOOL, "Whether a plan exists; null where that is undecided", nullable=True)

# Work in progress: one file a table, stage and domain, under outputs/<stage>/<domain>/.
INTERMEDIATE: dict[str, Schema] = by_name(
    table(
        "problems",
        "Problems as generated",
        PROBLEM_ID,
        DOMAIN,
        column("split", STRING, "train, validation or test"),
        _TASK,
        column("init_configuration", STRING, "Configuration of the initial state"),
        column("goal_configuration", STRING, "Configuration of the goal"),
        column("tied", BOOL, "Whether both sides are one configuration and linked"),
        column("strict", BOOL, "Whether the identity of objects matters"),
        DIFFICULTY,
        column("index", INT, "Number of the problem within its domain and split"),
        column("init_parameters", STRING, "JSON: parameters of the initial configuration"),
        column("goal_parameters", STRING, "JSON: parameters of the goal configuration"),
        _PROBLEM_PDDL,
        NUM_OBJECTS,
        _INIT_NUM,
        _GOAL_NUM,
        column(
            "goal_holds_initially",
            INT,
            "1 if the goal holds at the start once its objects change places; as it stands, it never does",
        ),
        column(
            "explicit_only",
            INT,
            "1 if another problem differs in the goal's objects alone, so that a text which leaves them "
            "open would tell both alike",
        ),
        _STRICT_KEY,
        _LOOSE_KEY,
        SEED_PATH,
        key=("problem_id",),
    ),
    table(
        "rejects",
        "What a stage left out, and why",
        column("stage", STRING, "The stage"),
        DOMAIN,
        column("item", STRING, "What was left out"),
        column("reason", STRING, "Why, in a few words that can be counted"),
        column("detail", STRING, "The message"),
        key=("stage", "domain", "item"),
    ),
    table(
        "texts",
        "Texts of the problems, by mixture of explicit and abstract sides",
        PROBLEM_ID,
        column("mixture", STRING, "`explicit-explicit`, `explicit-abstract`, ... for init and goal"),
        _VOCABULARY,
        _PARAPHRASE,
        _INIT_ABSTRACT,
        _GOAL_ABSTRACT,
        _PLACEHOLDER,
        _GOAL_HOLDS,
        _TEXT,
        column("init_text", STRING, "The part of the text on the initial state"),
        column("goal_text", STRING, "The part of the text on the goal"),
        key=("problem_id", "mixture", "vocabulary"),
    ),
    table(
        "solutions",
        "What is proven of each problem",
        PROBLEM_ID,
        column("outcome", STRING, "Named outcome of the planner"),
        _SOLVABLE,
        _PLAN,
        _PLAN_COST,
        column("optimal", BOOL, "Whether the plan is proven to have the fewest actions"),
        column("plan_proof", STRING, "How solvability or unsolvability, and optimality, are known"),
        _PLANNER,
        _PLANNER_VERSION,
        NUM_FACTS,
        NUM_ACTIONS,
        NUM_STATES,
        key=("problem_id",),
    ),
    table(
        "states",
        "States that questions are asked about, and what is proven of them",
        PROBLEM_ID,
        column("state_id", STRING, "Name of the state within its problem"),
        column("source", STRING, "`initial`, `plan`, `diverse` (a plan unlike that one) or `walk`"),
        column("step", INT, "Number of steps from the initial state"),
        column("state", STRINGS, "The facts that hold, sorted, statics included"),
        _SOLVABLE,
        column(
            "plan", STRINGS, "Steps of a valid plan from the state; empty where there is none, or none needed"
        ),
        column("plan_optimal", BOOL, "Whether no plan from the state is shorter"),
        column(
            "h_star", INT, "Fewest actions to the goal; null where undecided or out of reach", nullable=True
        ),
        column("landmarks_yes", STRINGS, "Facts every plan makes true, true neither here nor in the goal"),
        column("landmarks_no", STRINGS, "The other candidates: some plan avoids each"),
        column("landmark_proofs", STRINGS, "A proof per fact of landmarks_yes, then of landmarks_no"),
        column("closer", STRINGS, "Applicable actions after which the goal is one step nearer"),
        column("closer_proofs", STRINGS, "A proof per action of closer"),
        column("not_closer", STRINGS, "Applicable actions after which it is not"),
        column("not_closer_proofs", STRINGS, "A proof per action of not_closer"),
        column("unreachable_facts", STRINGS, "Facts that hold in no reachable state"),
        column("unreachable_fact_proofs", STRINGS, "A proof per unreachable fact"),
        column("num_steps", LONG, "Number of well-typed ground actions, repeated arguments included"),
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
            "Whether there is a plan and every applicable action is in closer or not_closer",
        ),
        column("facts_complete", BOOL, "Whether every fact's reachability is decided"),
        column("actions_complete", BOOL, "Whether every action's reachability is decided"),
        NUM_STATES,
        key=("problem_id", "state_id"),
    ),
)


# The dataset, as outputs/dataset/data/<table>/<split>-*.parquet. The split is in the file's name only.
PUBLISHED: dict[str, Schema] = (
    by_name(
        table(
            "problems",
            "Planning problems with a plan or a proof that there is none",
            column("id", STRING, "The problem, as `<domain>/<split>/<six digits>`"),
            DOMAIN,
            _TASK,
            _INIT,
            _GOAL,
            DIFFICULTY,
            _DOMAIN_PDDL,
            _PROBLEM_PDDL,
            _PARAMETERS,
            NUM_OBJECTS,
            _INIT_NUM,
            _GOAL_NUM,
            _SOLVABLE,
            _PLAN,
            _PLAN_COST,
            column("plan_optimal", BOOL, "Whether the plan is proven to have the fewest actions"),
            NUM_FACTS,
            NUM_ACTIONS,
            NUM_STATES,
            _STRICT_KEY,
            _LOOSE_KEY,
            _PLANNER,
            _PLANNER_VERSION,
            SEED_PATH,
        ),
        table(
            "text_to_pddl",
            "Texts that describe a planning problem, with the problem in PDDL",
            column(
                "id",
                STRING,
                "Name of the row: `<problem>/<mixture>`, then `/<vocabulary>` or `/p<paraphrase>` if any",
            ),
            column("name", STRING, "Name of the problem"),
            DOMAIN,
            _INIT,
            _GOAL,
            NUM_OBJECTS,
            _PROBLEM_PDDL,
            _TEXT,
            _INIT_ABSTRACT,
            _INIT_NUM,
            _GOAL_ABSTRACT,
            _GOAL_NUM,
            _PLACEHOLDER,
            _GOAL_HOLDS,
            _VOCABULARY,
            _PARAPHRASE,
            column(
                "num_propositions",
                INT,
                "Number of facts in the initial state and literals in the goal together",
            ),
            column("fold", INT, "0 to 4: five random folds by problem, so that equal problems share one"),
            column(
                "fold_size", STRING, "Fold by `num_propositions`: `1-20`, `21-40`, `41-60`, `61-80` or `81+`"
            ),
            column("fold_mixture", STRING, "Fold by mixture of init and goal, as `explicit-abstract`"),
            _STRICT_KEY,
            _LOOSE_KEY,
            _PARAMETERS,
            _DOMAIN_PDDL,
            _PLAN,
            _PLAN_COST,
            column("plan_optimal", BOOL, "Whether the plan is proven to have the fewest actions"),
            column(
                "num_landmarks", INT, "Number of non-trivial landmarks; null where undecided", nullable=True
            ),
            _SOLVABLE,
            DIFFICULTY,
            _TASK,
            SEED_PATH,
            _PLANNER,
            _PLANNER_VERSION,
        ),
    )
    | QUESTIONS
    | MODELLING
)


def published(name: str) -> Schema:
    """The schema of a published table; raises UsageError that lists the tables otherwise."""
    if name not in PUBLISHED:
        raise UsageError(f"table '{name}'", "is not published", f"tables: {', '.join(sorted(PUBLISHED))}")
    return PUBLISHED[name]
