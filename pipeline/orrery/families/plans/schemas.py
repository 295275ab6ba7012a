"""The columns of the plan tables, ``plan_<task>``: those that all share, and those of each task.

Every row stands for itself: ``domain_pddl`` and ``problem_pddl`` are what a plan is judged by, in the names
of the row's vocabulary, and ``phrases`` are all words that a reply may use for them.
"""

from __future__ import annotations

import pyarrow as pa

from orrery.families.problems.schemas import (
    CONTEXT_HELD_OUT,
    CONTEXT_STYLE,
    DIFFICULTY,
    DOMAIN,
    DOMAIN_PDDL,
    NAMES,
    NUM_ACTIONS,
    NUM_FACTS,
    NUM_OBJECTS,
    NUM_STATES,
    PROBLEM_ID,
    SEED_PATH,
)
from orrery.store.kinds import BOOL, INT, REAL, STRING, STRINGS, Field, Schema, column, table

COMMON = (
    column("id", STRING, "Name of the row: problem, state, task and what is particular to it"),
    column("group", STRING, "The name of the table, by which replies are graded"),
    column("task", STRING, "What is asked: `generation`, `optimal`, `verification` and so on"),
    DOMAIN,
    PROBLEM_ID,
    column("vocabulary", STRING, "`plain`, or the obfuscated names that the row uses"),
    column("context", STRING, "The world, its rules and the goal in words"),
    column("question", STRING, "What is asked, in words"),
    column("context_pddl", STRING, "The context with PDDL in place of words: domain and problem"),
    column("question_pddl", STRING, "The question with its facts and actions in PDDL alone"),
    CONTEXT_STYLE,
    CONTEXT_HELD_OUT,
    column("context_both", STRING, "The context in words, followed by domain and problem in PDDL"),
    DOMAIN_PDDL,
    column(
        "problem_pddl",
        STRING,
        "The problem that a plan is judged by, in PDDL: where the plan starts and what is wanted in the end",
    ),
    column(
        "phrases", STRING, "JSON: all wordings of actions and facts by name, with {0}, {1} for arguments"
    ),
    column("state_source", STRING, "Where the state comes from: `initial`, `plan`, `diverse` or `walk`"),
    column("state_step", INT, "Number of steps from the initial state of the problem"),
    DIFFICULTY,
    NAMES,
    NUM_OBJECTS,
    NUM_FACTS,
    NUM_ACTIONS,
    NUM_STATES,
    column("branching", INT, "Number of applicable actions where a plan starts"),
    column(
        "h_star", INT, "Fewest actions to the goal of problem_pddl; null where undecided or out of reach",
        nullable=True,
    ),
    SEED_PATH,
)  # fmt: skip

_PLAN = column("plan", STRINGS, "A validated plan for problem_pddl, one `(action object ...)` a step")
_LENGTH = column("plan_length", INT, "Number of actions in the plan")
_SHOWN = column("shown", STRINGS, "The actions that the question shows")
_SHOWN_PROBLEM = column("shown_problem_pddl", STRING, "The problem that the shown plan solves, in PDDL")
EXAMPLE = pa.struct(
    [pa.field("problem_pddl", STRING, nullable=False), pa.field("plan", STRINGS, nullable=False)]
)

_EXAMPLES = pa.list_(pa.field("element", EXAMPLE, nullable=False))

_OWN: dict[str, tuple[str, tuple[Field, ...]]] = {
    "generation": (
        "A plan is wanted from a state to a goal",
        (_PLAN, _LENGTH, column("plan_optimal", BOOL, "Whether no plan is shorter")),
    ),
    "optimal": (
        "A plan of least cost is wanted; what actions cost is stated",
        (
            _PLAN,
            _LENGTH,
            column("cost", INT, "The least cost of a plan, proven by search through all states"),
            column("action_costs", STRING, "JSON: what each action costs, by name"),
            column("object_costs", STRING, "JSON: what a step costs more for an object that it names"),
            column("costs_matter", BOOL, "Whether every plan with the fewest actions costs more than that"),
            column("proof", STRING, "How the least cost is known"),
        ),
    ),
    "verification": (
        "Is a sequence of actions a plan; if not, which step fails first, or what is missing at the end",
        (
            _SHOWN,
            column("plan_length", INT, "Number of actions shown"),
            column("valid", BOOL, "Whether it is a plan"),
            column(
                "fault", STRING,
                "What was done to a plan to break it: `left_out`, `doubled`, `exchanged`, `other_object`, "
                "`other_action` or `goal_missed`; empty where it is one",
            ),
            column("fails_at", INT, "The first step that fails, counted from 1; 0 where none does"),
            column(
                "missing", STRINGS,
                "The preconditions that do not hold there, or the goal literals missing at the end, sorted",
            ),
        ),
    ),
    "reuse": (
        "A plan is shown; one for another goal from the same state is wanted",
        (
            _SHOWN,
            _SHOWN_PROBLEM,
            _PLAN,
            _LENGTH,
            column("reusable", REAL, "Share of the steps of a shortest plan that the shown one has, at best"),
        ),
    ),
    "replanning": (
        "A plan is interrupted by an event that changes facts; a plan from there on is wanted",
        (
            _SHOWN,
            _SHOWN_PROBLEM,
            column("event_step", INT, "The step after which the event comes, counted from 1"),
            column("event", STRINGS, "The literals that the event makes true, sorted"),
            _PLAN,
            _LENGTH,
        ),
    ),
    "generalization": (
        "Small solved problems of one structure are shown; a plan for a larger one is wanted",
        (
            column("shown_examples", _EXAMPLES, "The solved problems"),
            _PLAN,
            _LENGTH,
        ),
    ),
    "execution": (
        "The state after a sequence of actions is wanted: the facts that actions can change",
        (
            _SHOWN,
            column("num_steps", INT, "Number of actions shown"),
            column("answer", STRINGS, "The changeable facts that hold afterwards, sorted"),
        ),
    ),
    "reformulation": (
        "One problem with its goal told in several forms, a row each; a plan is wanted",
        (
            column(
                "form", STRING,
                "`plain`, `shuffled`, `completed`, `reduced`, `reworded` or `abstract`",
            ),
            column("twin_group", STRING, "Equal for the rows of one problem"),
            _PLAN,
            _LENGTH,
        ),
    ),
    "solvability": (
        "Is there a plan: one is wanted, or the statement that there is none",
        (
            column("solvable", BOOL, "Whether there is a plan"),
            _PLAN,
            _LENGTH,
            column("proof", STRING, "How that is known: `witness`, or `exhaustion` where there is none"),
            column("pair", STRING, "Equal for the two rows of a pair, of which one has a plan"),
            column(
                "contrast", STRING,
                "How the two of a pair differ: `names` in the goal, `world` (static facts removed), or "
                "`arrangement` of the goal",
            ),
            column("removed", STRINGS, "Static facts of the problem that this row's world lacks"),
        ),
    ),
    "causality": (
        "Which step provides what another needs, or fails first where one is left out",
        (
            column("asked", STRING, "`provider` or `fails`"),
            _SHOWN,
            column("step", INT, "The step that needs the fact, or that is left out, counted from 1"),
            column("fact", STRING, "The precondition; empty where it is asked what fails"),
            column("answer", INT, "The step asked for, counted from 1; 0 is the initial state"),
        ),
    ),
}  # fmt: skip

PLANS: dict[str, Schema] = {
    name: table(f"plan_{name}", description, *COMMON, *own) for name, (description, own) in _OWN.items()
}
