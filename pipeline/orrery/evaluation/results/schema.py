"""The table of scores: one row a reply that a model was asked for."""

from __future__ import annotations

from orrery.grading import RIGHT, UNPARSED, WRONG
from orrery.store.kinds import INT, REAL, STRING, Schema, column, table

UNDECIDED = "undecided"  # a budget ended before the reply was proven right or wrong
FAILED = "failed"  # no reply was got
DECIDED = (RIGHT, WRONG, UNPARSED)  # the verdicts that accuracy is taken over
VERDICTS = (*DECIDED, UNDECIDED, FAILED)
SPLITS = ("train", "validation", "test", "fresh")
TEXTS = ("reply", "detail", "error")  # texts that others wrote, whatever they hold

SCORES: Schema = table(
    "scores",
    "Scores of the replies of a model, one row a reply asked for, sorted by table, id and epoch",
    column("run", STRING, "Name of the run: of its folder in `outputs/evals`"),
    column("model", STRING, "The model that was asked"),
    column("table", STRING, "The row's table, such as `acp_app_gen`"),
    column("split", STRING, "`train`, `validation` or `test`; `fresh` for tasks of a stream"),
    column("id", STRING, "The row's id: joins with the tables"),
    column("epoch", INT, "How often the row was asked before in this run, from 1 on"),
    column("domain", STRING, "Name of the planning domain"),
    column("kind", STRING, "Kind of the question, or plan task; else empty"),
    column("format", STRING, "`open`, `bool` or `mcq`; empty where a table has no formats"),
    column("representation", STRING, "What the prompt shows: `words`, `pddl` or `both`"),
    column("style", STRING, "Style of the prompt, such as `zero_shot`"),
    column("difficulty", STRING, "Difficulty of the row's problem, where it has one", nullable=True),
    column("plan_length", INT, "Steps of the row's plan, where it has one", nullable=True),
    column("turns", INT, "Replies of the model: more than 1 where it was told what is wrong, 0 without any"),
    column("value", REAL, "1.0 if the last reply is right, else 0.0"),
    column("verdict", STRING, "`right`, `wrong`, `unparsed`, `undecided`, or `failed` if no reply was got"),
    column("detail", STRING, "Why the last reply is not right"),
    column("reply", STRING, "The last reply; empty if none was got"),
    column("first_value", REAL, "`value` of the first reply, before any correction", nullable=True),
    column("first_verdict", STRING, "`verdict` of the first reply; empty without one"),
    column("input_tokens", INT, "Tokens of the prompts, as the server counted them", nullable=True),
    column("output_tokens", INT, "Tokens of the replies, as the server counted them", nullable=True),
    column("seconds", REAL, "From the first request to the last reply", nullable=True),
    column("error", STRING, "Why no reply was got; empty if one was"),
    key=("table", "id"),
)
