"""The report's tables: a column for each domain of ours, one for all of others; what is said of questions."""

from collections import Counter
from types import SimpleNamespace

import pytest

from orrery.checks.verdicts import CheckFinding
from orrery.dataset.question_report import plan_figures, unasked_states
from orrery.dataset.report import OTHERS, _grid, _still_open, link
from orrery.dataset.row_counts import RowCounts, count_rejects
from orrery.language.words import environment
from orrery.problems.schemas import REJECTS, reject
from orrery.store.shards import write
from tests.every_domain import ROOT


@pytest.mark.parametrize(
    ("cells", "columns", "lines"),
    [
        (
            [(("texts",), "ferry", 3), (("texts",), "barman", 2), (("texts",), "baking", 5), (("a",), "", 1)],
            ["", "ferry", OTHERS],
            {("a",): {"": 1}, ("texts",): {"ferry": 3, OTHERS: 7}},
        ),
        (
            [(("b",), "gripper", 1), (("a",), "ferry", 2), (("a",), "baking", 4)],
            ["ferry", "gripper", OTHERS],
            {("a",): {"ferry": 2, OTHERS: 4}, ("b",): {"gripper": 1}},
        ),
    ],
)
def test_domains_of_others_are_one_column_and_lines_are_sorted(cells, columns, lines):
    grid = _grid(cells, ["gripper", "ferry"])
    assert (grid.columns, grid.lines) == (columns, lines)
    assert list(grid.lines) == list(lines)


QUESTIONS = {
    "rows": {"ferry": {"app_gen": 3, "app_bool": 4}, "swap": {"app_gen": 2}},
    "totals": Counter(app_gen=5, app_bool=4),
    "not_asked": {
        "app_bool": {
            "odd": {"states": 4, "of": 9, "by_domain": Counter(swap=3, ferry=1)},
            "too few": {"states": 2, "of": 9, "by_domain": Counter(swap=2)},
        }
    },
    "reasons": {"gen": [], "bool": ["odd", "too few"], "mcq": []},
    "kinds": {"app": ["gen", "bool"]},
    "states": {"ferry": 5, "swap": 4},
    "cells": [],
    "exact": False,
    "difficulty": {},
}
PLANS = {
    "rows": {"corridor": {"reuse": 400}},
    "totals": Counter(reuse=400),
    "tasks": ["reuse"],
    "rejected": [{"task": "reuse", "rule": "goal_holds <it>", "by_domain": Counter(corridor=3)}],
}


@pytest.mark.parametrize(
    ("name", "figures", "parts"),
    [
        (
            "questions",
            QUESTIONS,
            ("odd: 3; too few: 2", ">5</span>", "44.4 %", "open: every state was asked about"),
        ),
        ("plans", PLANS, ("goal_holds &lt;it&gt;: 3", "400")),
    ],
)
def test_the_page_shows_rows_reasons_and_shares(name, figures, parts):
    template = environment(ROOT / "templates").get_template(f"report/{name}.html.j2")
    page = template.render(**{name: figures}, link=link)
    assert all(part in page for part in parts)


@pytest.fixture
def settings(tmp_path):
    """A build whose stages left some states out, one of them twice for one reason."""
    items = [f"ferry/test/{state}/land_bool" for state in ("000000/00", "000000/00", "000001/00")]
    rejects = {
        "questions": [reject("generate-questions", "ferry", item, "land_bool: unsolvable") for item in items],
        "plans": [
            reject("generate-plan-tasks", "ferry", "x", reason)
            for reason in ("plan_reuse: prefix_solves", "reuse: prefix_solves", "reuse: goal_holds")
        ],
    }
    for folder, rows in rejects.items():
        write(tmp_path / folder / "ferry" / "rejects.parquet", REJECTS, rows)
    return SimpleNamespace(outputs=tmp_path, all_domains=["ferry"])


def test_a_state_left_out_twice_counts_once(settings):
    unasked = unasked_states(count_rejects(settings), {"ferry": 8})
    assert unasked == {("land_bool", "unsolvable"): {"ferry": 2}}


def test_rows_and_rejects_of_plans_are_counted_by_task_and_rule(settings):
    assert plan_figures(RowCounts({}), []) is None
    rows = RowCounts({("plan_reuse", "", domain): 2 for domain in ("", "ferry")})
    plans = plan_figures(rows, count_rejects(settings))
    assert plans == {
        "rows": {"ferry": {"reuse": 2}},
        "totals": {"reuse": 2},
        "tasks": ["reuse"],
        "rejected": [
            {"task": "reuse", "rule": "goal_holds", "by_domain": {"ferry": 1}},
            {"task": "reuse", "rule": "prefix_solves", "by_domain": {"ferry": 2}},
        ],
    }


def test_what_stayed_open_is_reported_by_kind_not_by_row():
    findings = [
        CheckFinding("answers", "ferry", row, (), (f"whether {n} of 9 can be reached",))
        for row, n in (("b", 3), ("a", 4))
    ]
    findings.append(CheckFinding("answers", "swap", "c", ("wrong",), ()))
    assert _still_open(findings) == [("answers", "ferry", "whether … of … can be reached", 2, "a")]
