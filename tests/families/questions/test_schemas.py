"""Tables of questions: which of their columns grading takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orrery.dataset.question_view import uniform
from orrery.families import families, table_of
from orrery.families.questions.question_row import OPEN
from orrery.families.questions.schemas import QUESTIONS
from orrery.grading import grade
from orrery.store.kinds import STRINGS, column, table_name
from tests.question_rows import ROWS

BY_GROUP = {table.task.group_of(table.format): table for table in QUESTIONS.values()}
REPLIES = (
    "ANSWER: None",
    "ANSWER: 2",
    "ANSWER: B",
    "ANSWER: yes",
    "ANSWER: (go room1 room1)",
    "(wave) (wave)",
)


def right_replies(row):
    """All right replies to a row."""
    task, form = BY_GROUP[row["group"]].task, BY_GROUP[row["group"]].format
    return set((task.every_reply or task.replies)(row)) if form == OPEN else {row["answer"]}


class Watched(dict):
    """A row that knows which of its columns were asked for."""

    def __init__(self, row):
        super().__init__(row)
        self.asked = set()

    def get(self, name, default=None):
        self.asked.add(name)
        return super().get(name, default)

    def __getitem__(self, name):
        self.asked.add(name)
        return super().__getitem__(name)


@pytest.mark.parametrize("name", ROWS)
def test_graders_look_at_no_other_columns(name):
    row = Watched(ROWS[name])
    table = BY_GROUP[row["group"]]
    for reply in (*REPLIES, *(f"ANSWER: {reply}" for reply in sorted(right_replies(ROWS[name])))):
        grade(reply, row)
    assert "group" in row.asked
    assert row.asked & set(table.schema.names) <= set(table.graded)


@pytest.mark.parametrize("name", [name for name in ROWS if not name.startswith("mc-")])
def test_right_replies_take_no_other_columns_than_tricks_read(name):
    row = Watched(ROWS[name])
    table = BY_GROUP[row["group"]]
    right_replies(row)
    read = {*table_of(table_name(table.schema)).attack.columns, "group"}
    assert row.asked & set(table.schema.names) <= read


@pytest.mark.parametrize("name", [name for name, table in QUESTIONS.items() if table.format == OPEN])
def test_a_column_of_a_new_kind_is_graded_by_unless_it_says_otherwise(monkeypatch, name):
    (published,) = (table for table in families()["questions"].tables if table.name == name)
    table, added_column = QUESTIONS[name], column("more", STRINGS, "Another column")
    row = dict.fromkeys(table.schema.names, "x") | {"more": ["y"]}

    def told(**changes):
        task = replace(table.task, columns=(*table.task.columns, added_column), **changes)
        changed_table = table._replace(task=task, schema=table.schema.append(added_column))
        monkeypatch.setitem(QUESTIONS, name, changed_table)
        return '"more":["y"]' in uniform(row, published, "ANSWER: x")["grader_input"]

    assert told()
    assert told(every_reply=lambda row: row["more"])
    assert told(reply_columns=("answer", "more"))
    assert not told(ungraded=("more",))
