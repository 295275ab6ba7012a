"""The columns of texts: as rendered, and as published with the problem that they describe."""

from __future__ import annotations

from orrery.problems.schemas import shared
from orrery.store.kinds import INT, STRING, STRINGS, column, fields, table

TEXTS = table(
    "texts",
    "Texts of the problems, by mixture of explicit and abstract sides",
    *shared("problem_id", "mixture"),
    column(
        "vocabulary", STRING, "Words of the row: `plain`, or obfuscated ones, `meaningless` or `misleading`"
    ),
    column(
        "paraphrase",
        INT,
        "0 in the one row that every problem and mixture has; 1, 2 ... tell it in other words",
    ),
    column("init_is_abstract", INT, "1 if the text summarises the initial state, 0 if it lists it"),
    column("goal_is_abstract", INT, "1 if the text summarises the goal, 0 if it lists it"),
    column(
        "is_placeholder",
        INT,
        "1 if exchanging the `open_objects` can change the goal: such goals are right, too",
    ),
    column(
        "open_objects",
        STRINGS,
        "The objects that the text leaves open, sorted, which scoring may exchange in placeholder rows: "
        "those that the passage on the initial state or that on the goal does not name; where each names "
        "objects of a kind that the other does not, those that no abstract passage names. Empty in wholly "
        "explicit texts, and where the goal refers to the initial state",
    ),
    column(
        "goal_holds_initially",
        INT,
        "1 if the goal holds at the start: in placeholder rows for some choice of the goal's objects, "
        "in others as it stands",
    ),
    column("natural_language", STRING, "The text that describes the problem"),
    column("init_text", STRING, "The part of the text on the initial state"),
    column("goal_text", STRING, "The part of the text on the goal"),
    column(
        "style",
        STRING,
        "How facts are told: `sentences`, one each and in random order; `prose`, grouped and merged as a "
        "person tells them; `summary` where both initial state and goal are summarised",
    ),
    column("register", STRING, "Register of the frame around the parts: `terse`, `plain` or `chatty`"),
    column(
        "unseen_templates",
        INT,
        "1 if the text has a wording or a frame that occurs in test splits only: in about half of their rows",
    ),
    key=("problem_id", "mixture", "vocabulary"),
)

TEXT_TO_PDDL = table(
    "text_to_pddl",
    "Texts that describe a planning problem, with the problem in PDDL",
    column(
        "id",
        STRING,
        "Name of the row: `<problem>/<mixture>`, then `/<vocabulary>` or `/p<paraphrase>` if any",
    ),
    *shared("problem_id"),
    column("name", STRING, "The task of the problem, as `task` has it"),
    *shared("domain", "init", "goal", "num_objects", "problem_pddl"),
    *fields(
        TEXTS,
        "natural_language",
        "init_text",
        "goal_text",
        "style",
        "register",
        "unseen_templates",
        "init_is_abstract",
    ),
    *shared("init_num_propositions"),
    *fields(TEXTS, "goal_is_abstract"),
    *shared("goal_num_propositions"),
    *fields(TEXTS, "is_placeholder", "open_objects", "goal_holds_initially", "vocabulary", "paraphrase"),
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
    *shared(
        "strict_key",
        "loose_key",
        "parameters",
        "domain_pddl",
        "plan",
        "plan_cost",
        "plan_optimal",
        "h_star",
        "horizon",
    ),
    column("num_landmarks", INT, "Number of non-trivial landmarks; null where undecided", nullable=True),
    *shared("solvable", "difficulty", "names", "task", "seen", "seed_path", "planner", "planner_version"),
)
