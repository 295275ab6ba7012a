"""The report's tables: a column for each domain of ours, one for all of others; what is said of questions."""

import pytest

from orrery.checks.verdicts import CheckFinding
from orrery.config import load
from orrery.dataset.question_report import QuestionFigures, UnaskedStates, unasked_states
from orrery.dataset.report import OTHERS, _grid, _still_open, link
from orrery.dataset.row_counts import count_rejects
from orrery.language.words import environment
from orrery.problems.schemas import REJECTS, reject
from orrery.store.shards import write
from tests.every_domain import ROOT


def test_domains_of_others_are_one_column():
    cells = [
        (("texts",), "ferry", 3),
        (("texts",), "barman", 2),
        (("texts",), "baking", 5),
        (("tables",), "", 1),
    ]
    grid = _grid(cells, ["gripper", "ferry"])
    assert grid.columns == ["", "ferry", OTHERS]
    assert grid.lines == {("tables",): {"": 1}, ("texts",): {"ferry": 3, OTHERS: 7}}


def test_columns_and_lines_are_sorted():
    cells = [(("b",), "visitall", 1), (("a",), "ferry", 2), (("a",), "baking", 4)]
    grid = _grid(cells, ["visitall", "ferry"])
    assert grid.columns == ["ferry", "visitall", OTHERS]
    assert list(grid.lines) == [("a",), ("b",)]


def questions(**more):
    made = {"ferry": {"app_gen": 3, "app_bool": 4}, "swap": {"app_gen": 2}}
    missing = {
        "app_bool": {
            "too few": UnaskedStates(2, 9, {"swap": 2}),
            "odd": UnaskedStates(4, 9, {"swap": 3, "ferry": 1}),
        }
    }
    return QuestionFigures({"app": ["gen", "bool"]}, made, {"ferry": 5, "swap": 4}, missing, **more)


def test_rows_and_reasons_are_counted():
    summary = questions()
    assert (summary.total(), summary.total("app_gen"), summary.total("app_mcq")) == (9, 5, 0)
    assert summary.why("swap", "app_bool") == [("odd", 3), ("too few", 2)]
    assert summary.why("swap", "app_gen") == []
    assert summary.reasons("bool") == ["odd", "too few"]
    assert summary.reasons("gen") == []
    assert summary.as_json()["not_asked"]["app_bool"]["odd"]["states"] == 4


def test_the_page_shows_rows_reasons_and_shares():
    template = environment(ROOT / "templates").get_template("report/questions.html.j2")
    page = template.render(questions=questions(), link=link)
    assert "odd: 3; too few: 2" in page
    assert "44.4 %" in page  # 4 of 9 states
    assert "open: every state was asked about" in page


@pytest.fixture
def rejected(tmp_path):
    """A build whose stages left some states out, one of them twice for one reason."""
    (tmp_path / "params.yaml").write_text(
        "seed: 1\ndomains: [ferry]\nsize: s\nsizes:\n  s: {scale: 1, draw: {problems: {}}, by_domain: {}, "
        "solve: {asked: 1, states: 1}, render: {}, ask: {questions: 1}, check: {}}\n"
    )
    items = [
        "ferry/test/000000/00/land_bool",
        "ferry/test/000000/00/land_bool",
        "ferry/test/000001/00/land_bool",
    ]
    rows = [reject("ask", "ferry", item, "land_bool: unsolvable") for item in items]
    write(tmp_path / "outputs/questions/ferry/rejects.parquet", REJECTS, rows)
    return load(tmp_path)


def test_a_state_left_out_twice_counts_once(rejected):
    assert unasked_states(count_rejects(rejected), {"ferry": 8}) == {
        "land_bool": {"unsolvable": UnaskedStates(2, 8, {"ferry": 2})}
    }


def test_what_stayed_open_is_reported_by_kind_not_by_row():
    found = [
        CheckFinding("answers", "ferry", row, (), (f"whether {n} of 9 can be reached",))
        for row, n in (("b", 3), ("a", 4))
    ]
    found.append(CheckFinding("answers", "swap", "c", ("wrong",), ()))
    assert _still_open(found) == [("answers", "ferry", "whether … of … can be reached", 2, "a")]
