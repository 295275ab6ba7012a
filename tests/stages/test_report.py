"""The report's tables: a column for each domain of ours, one for all of others."""

from pipeline.stages.report import OTHERS, _grid


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
