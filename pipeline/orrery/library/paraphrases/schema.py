"""The tables of paraphrases: those that were accepted, and those that were not, with the reason."""

from __future__ import annotations

from orrery.store.kinds import INT, STRING, Schema, column, table

READER, MODEL = "reader", "model"  # how a paraphrase was accepted

_ID = column("id", STRING, "The row of text_to_pddl that it tells in other words: joins with that table")
_NUMBER = column("number", INT, "Which paraphrase of the row it is, from 1 on: in the order of the file")
_TEXT = column("natural_language", STRING, "The paraphrase")
_AUTHOR = column("author", STRING, "The model that wrote it; empty for one that came from a file")

PARAPHRASES: Schema = table(
    "paraphrases",
    "Texts of rows of text_to_pddl in other words, from which the row's problem was recovered exactly",
    _ID,
    _NUMBER,
    _TEXT,
    _AUTHOR,
    column(
        "accepted_by",
        STRING,
        "How the problem was recovered: `reader`, from wordings that are known; or `model`, which was asked "
        "for the problem with the paraphrase and the domain alone, and wrote an equivalent one",
    ),
    column("recovered_by", STRING, "The model that recovered the problem; empty where the reader did"),
    key=("id", "number"),
)

REJECTS: Schema = table(
    "paraphrase_rejects",
    "Paraphrases that were not accepted, with the reason",
    _ID,
    _NUMBER,
    _TEXT,
    _AUTHOR,
    column("reason", STRING, "Why the problem of the row was not recovered from it"),
    column("reply", STRING, "What the model wrote when it was asked for the problem; empty if it was not"),
    key=("id", "number"),
)
