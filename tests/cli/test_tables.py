"""Tables on a terminal: nothing is cut off, nothing in a cell is markup, numbers stand to the right."""

import duckdb
import pytest

from orrery.cli import score, tables
from orrery.model import UsageError
from orrery.scoring.scorers.questions import QuestionScorer
from orrery.scoring.tally import tally
from orrery.store.columns import from_rows


def test_cells_are_folded_and_never_cut(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(tables, "on_terminal", lambda: True)
    long = "z" * 70
    tables.show(("id", "rows", "text"), [("a", 7, long), ("[bold]b", 1234, None)])
    out = capsys.readouterr().out
    assert out.count("z") == len(long)
    assert "[bold]b" in out
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= 40
    first, second = (next(line for line in out.splitlines() if n in line) for n in (" 7 ", "1234"))
    assert first.index(" 7 ") + 2 == second.index("1234") + 4  # they end in one column


def test_what_is_piped_is_aligned_and_never_cut(capsys):
    tables.show(("id", "rows", "text"), [("a", 7, "z" * 200), ("b", 1234, None)])
    assert capsys.readouterr().out.splitlines() == [
        f"id  rows  {'text'}",
        f"a      7  {'z' * 200}",
        "b   1234",
    ]


def test_a_table_without_names_or_rows_is_printed(capsys):
    tables.show(("", ""), [("ok", "all fits")])
    tables.show(("id",), [])
    out = capsys.readouterr().out
    assert "all fits" in out
    assert "id" in out


def test_scores_are_a_table_on_a_terminal_and_the_same_figures_in_a_file(capsys, monkeypatch):
    measures = QuestionScorer.measures
    row = {"detail": "why", "kind": "land", "format": "gen", "domain": "ferry", "sample": "", "group": "g"}
    verdicts = ("right", "right", "wrong", "unparsed")
    row |= dict.fromkeys(measures.means)
    rows = [{**row, "jaccard": 0.25, "id": verdict, "verdict": verdict} for verdict in verdicts]
    summary = tally(from_rows(QuestionScorer.schema(), rows), measures, 9)
    printed = {}
    for terminal in (False, True):
        monkeypatch.setattr(tables, "on_terminal", lambda terminal=terminal: terminal)
        monkeypatch.setenv("COLUMNS", "120")
        score._print(summary, measures)
        printed[terminal] = capsys.readouterr().out
    plain, drawn = (set(printed[terminal].split()) for terminal in (False, True))
    assert plain == {word for word in drawn if set(word) != {"─"}}
    assert "all" in printed[False].splitlines()[3]
    assert "─" in printed[True]
    assert "jaccard" in plain


@pytest.mark.parametrize(
    ("sql", "style", "problem"),
    [
        ("select 1 as a, 2 as a", "json", "two columns are named 'a'"),
        ("select 'infinity'::double as x", "json", "not finite"),
        ("select [1.0, 'nan'::float] as x", "json", "not finite"),
        ("select date '-infinity' as d", "json", "cannot be printed"),
        ("select timestamp '10000-01-01' as d", "csv", "cannot be printed"),
        ("select [date '0044-03-15 (BC)'] as d", "table", "cannot be printed"),
    ],
)
def test_what_a_style_cannot_print_is_one_error(sql, style, problem):
    table = duckdb.sql(sql).to_arrow_table()
    with pytest.raises(UsageError, match=problem) as caught:
        tables.formatted(table, style)
    assert caught.value.mend


def test_equal_names_and_infinity_are_printed_in_other_styles():
    table = duckdb.sql("select 1 as a, 'infinity'::double as a").to_arrow_table()
    assert tables.formatted(table, "csv") == "a,a\n1,inf\n"
