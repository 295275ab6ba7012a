"""Tables on a terminal: nothing is cut off, nothing in a cell is markup, numbers stand to the right."""

from orrery.cli import tables


def test_cells_are_folded_and_never_cut(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    long = "z" * 70
    tables.show(("id", "rows", "text"), [("a", 7, long), ("[bold]b", 1234, None)])
    out = capsys.readouterr().out
    assert out.count("z") == len(long)
    assert "[bold]b" in out
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= 40
    first, second = (next(line for line in out.splitlines() if n in line) for n in (" 7 ", "1234"))
    assert first.index(" 7 ") + 2 == second.index("1234") + 4  # they end in one column


def test_a_table_without_names_or_rows_is_printed(capsys):
    tables.show(("", ""), [("ok", "all fits")])
    tables.show(("id",), [])
    out = capsys.readouterr().out
    assert "all fits" in out
    assert "id" in out
