"""The columns of texts: as rendered, and as published with the problem that they describe."""

from __future__ import annotations

from orrery.problems.schemas import (
    DIFFICULTY,
    DOMAIN,
    DOMAIN_PDDL,
    GOAL,
    GOAL_NUM,
    H_STAR,
    INIT,
    INIT_NUM,
    LOOSE_KEY,
    NAMES,
    NUM_OBJECTS,
    PARAMETERS,
    PLAN,
    PLAN_COST,
    PLAN_OPTIMAL,
    PLANNER,
    PLANNER_VERSION,
    PROBLEM_ID,
    PROBLEM_PDDL,
    SEED_PATH,
    SOLVABLE,
    STRICT_KEY,
    TASK,
)
from orrery.store.kinds import INT, STRING, STRINGS, Schema, column, table

INIT_ABSTRACT = column(
    "init_is_abstract", INT, "1 if the text summarises the initial state, 0 if it lists it"
)
GOAL_ABSTRACT = column("goal_is_abstract", INT, "1 if the text summarises the goal, 0 if it lists it")
PLACEHOLDER = column(
    "is_placeholder", INT, "1 if exchanging the `open_objects` can change the goal: such goals are right, too"
)
OPEN_OBJECTS = column(
    "open_objects",
    STRINGS,
    "The objects that the text leaves open, sorted, which scoring may exchange in placeholder rows: those "
    "that the passage on the initial state or that on the goal does not name; where each names objects of a "
    "kind that the other does not, those that no abstract passage names. Empty in wholly explicit texts, and "
    "where the goal refers to the initial state",
)
GOAL_HOLDS = column(
    "goal_holds_initially",
    INT,
    "1 if the goal holds at the start: in placeholder rows for some choice of the goal's objects, "
    "in others as it stands",
)
VOCABULARY = column(
    "vocabulary", STRING, "Words of the row: `plain`, or obfuscated ones, `meaningless` or `misleading`"
)
PARAPHRASE = column(
    "paraphrase", INT, "0 in the one row that every problem and mixture has; 1, 2 ... tell it in other words"
)
INIT_TEXT = column("init_text", STRING, "The part of the text on the initial state")
GOAL_TEXT = column("goal_text", STRING, "The part of the text on the goal")
STYLE = column(
    "style",
    STRING,
    "How facts are told: `sentences`, one each and in random order; `prose`, grouped and merged as a person "
    "tells them; `summary` where both initial state and goal are summarised",
)
REGISTER = column("register", STRING, "Register of the frame around the parts: `terse`, `plain` or `chatty`")
HELD_OUT_LANGUAGE = column(
    "unseen_templates",
    INT,
    "1 if the text has a wording or a frame that occurs in test splits only: in about half of their rows",
)
TEXT = column("natural_language", STRING, "The text that describes the problem")

TEXTS: Schema = table(
    "texts",
    "Texts of the problems, by mixture of explicit and abstract sides",
    PROBLEM_ID,
    column("mixture", STRING, "`explicit-explicit`, `explicit-abstract`, ... for init and goal"),
    VOCABULARY,
    PARAPHRASE,
    INIT_ABSTRACT,
    GOAL_ABSTRACT,
    PLACEHOLDER,
    OPEN_OBJECTS,
    GOAL_HOLDS,
    TEXT,
    INIT_TEXT,
    GOAL_TEXT,
    STYLE,
    REGISTER,
    HELD_OUT_LANGUAGE,
    key=("problem_id", "mixture", "vocabulary"),
)

TEXT_TO_PDDL: Schema = table(
    "text_to_pddl",
    "Texts that describe a planning problem, with the problem in PDDL",
    column(
        "id",
        STRING,
        "Name of the row: `<problem>/<mixture>`, then `/<vocabulary>` or `/p<paraphrase>` if any",
    ),
    PROBLEM_ID,
    column("name", STRING, "The task of the problem, as `task` has it"),
    DOMAIN,
    INIT,
    GOAL,
    NUM_OBJECTS,
    PROBLEM_PDDL,
    TEXT,
    INIT_TEXT,
    GOAL_TEXT,
    STYLE,
    REGISTER,
    HELD_OUT_LANGUAGE,
    INIT_ABSTRACT,
    INIT_NUM,
    GOAL_ABSTRACT,
    GOAL_NUM,
    PLACEHOLDER,
    OPEN_OBJECTS,
    GOAL_HOLDS,
    VOCABULARY,
    PARAPHRASE,
    column(
        "num_propositions",
        INT,
        "Number of facts in the initial state and literals in the goal together",
    ),
    column("fold", INT, "0 to 4: five random folds by `loose_key`, so that no two of them share a problem"),
    column(
        "fold_size",
        STRING,
        "Range of `num_propositions`: `1-20`, `21-40`, `41-60`, `61-80` or `81+`; a view for reporting",
    ),
    column(
        "fold_mixture",
        STRING,
        "The mixture of init and goal, as `explicit-abstract`: a view for reporting, no hold-out by content, "
        "as nearly every problem stands under several values",
    ),
    STRICT_KEY,
    LOOSE_KEY,
    PARAMETERS,
    DOMAIN_PDDL,
    PLAN,
    PLAN_COST,
    PLAN_OPTIMAL,
    H_STAR,
    column("num_landmarks", INT, "Number of non-trivial landmarks; null where undecided", nullable=True),
    SOLVABLE,
    DIFFICULTY,
    NAMES,
    TASK,
    SEED_PATH,
    PLANNER,
    PLANNER_VERSION,
)
