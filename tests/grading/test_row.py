"""Rows as other libraries give them, and with columns that are absent."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from orrery.grading import grade
from tests.grading.plans import rows as plans
from tests.grading.samples import REPLIES, rows_of
from tests.question_rows import ROWS


def as_json(value):
    return value if isinstance(value, str | bool) else json.dumps(value)


def as_numpy(value):
    if isinstance(value, dict):
        return {key: as_numpy(element) for key, element in value.items()}
    if isinstance(value, list):
        array = np.empty(len(value), dtype=object)
        array[:] = [as_numpy(element) for element in value]
        return array
    return np.int64(value) if isinstance(value, int) else value


@pytest.mark.by_day(30)
@pytest.mark.parametrize("convert", [as_json, as_numpy, pa.scalar], ids=["json", "numpy", "arrow"])
@pytest.mark.parametrize("name", [*ROWS, *plans.ROWS])
def test_rows_may_come_from_other_libraries(name, convert):
    [row] = rows_of(name)
    converted = {key: convert(value) for key, value in row.items()}
    for case in (case for case in REPLIES if case["row"] in (name, "mc" if name.startswith("mc-") else "")):
        assert grade(case["reply"], converted) == grade(case["reply"], row)


def test_columns_that_a_table_lacks_may_be_null():
    for name, of_kind in ROWS.items():
        absent = dict.fromkeys(("answer_all", "answer_all_is", "typing", "sequence", "positions"))
        absent |= dict.fromkeys(("plan", "choices_pddl", "choices"))
        for reply in ("ANSWER: None", "ANSWER: 2", "ANSWER: B", "ANSWER: (wave)", "ANSWER: yes"):
            assert grade(reply, absent | of_kind) == grade(reply, of_kind), name
