"""The page of all runs says first what failed, shows every group of every run, and needs nothing else."""

import pytest

from orrery.dataset.views import query
from orrery.evaluation.results.page import run_lines, write_pages
from orrery.evaluation.results.runs import read_run, write_run
from orrery.evaluation.results.statistics import rounded
from orrery.evaluation.results.tallies import summary
from orrery.families import tables
from tests.evaluation.results.samples import ABOUT, accuracy, row, rows, turns
from tests.every_domain import ROOT
from tests.read_page import ReadPage


def page(evals):
    path = write_pages(evals, ROOT)
    assert path == evals / "index.html"
    parsed = ReadPage(path.read_text())
    return parsed, " ".join("".join(parsed.text).split())


@pytest.mark.slow
def test_what_failed_stands_before_everything_else(tmp_path):
    results = [row("a"), row("b", verdict="failed", failure="429 <script>alert(1)</script>")]
    write_run(tmp_path / "one", results, {**ABOUT, "finished": False, "rows": {"acp_app_gen": 7}})
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "scores.parquet").write_bytes(b"PAR1")
    _, text = page(tmp_path)
    order = ["two: cannot be read", "It is not finished: 5 replies", "429 <script>", "Runs", "Table"]
    places = [text.index(content) for content in order]
    assert places == sorted(places)
    # What others wrote is text, not part of the page.
    assert "<script>alert" not in (tmp_path / "index.html").read_text()


@pytest.mark.slow
def test_every_group_is_shown_with_its_interval(tmp_path):
    results = rows(["right"] * 3 + ["wrong"] * 2, plan_length=7, difficulty="hard") + rows(
        ["right"],
        table="text_to_pddl",
        problem_id="grid/0",
        kind="",
        format="",
        domain="grid",
        representation="pddl",
    )
    results += [row(seen, domain="logistics", seen=seen, explicitness="sparse") for seen in ("both", "theme")]
    write_run(tmp_path / "one", results, ABOUT)
    parsed, text = page(tmp_path)
    summarised = summary(read_run(tmp_path / "one"))
    shown = [summarised["overall"], *(share for by in summarised["by"].values() for share in by.values())]
    assert all(f"{100 * share['accuracy']['value']:.1f} (" in text for share in shown)
    low, high = (100 * end for end in accuracy(6, 2)[1:])
    ranges = [attributes for tag, attributes in parsed.elements if attributes.get("class") == "range"]
    drawn = [(float(drawn["x"]), float(drawn["x"]) + float(drawn["width"])) for drawn in ranges]
    assert any(abs(x - low) < 0.02 and abs(end - high) < 0.02 for x, end in drawn)
    # The run in the list, all replies, the mean of the tables twice less the drawing in the list, the groups.
    assert len(drawn) == 1 + 2 + sum(len(shares) for shares in summarised["by"].values())
    for title in (
        "Steps of the plan",
        "What the prompt shows",
        "Difficulty",
        "6-10",
        "Mechanics",
        "Explicitness",
    ):
        assert title in text


@pytest.mark.slow
def test_pairs_on_the_same_rows_are_compared_and_no_others(tmp_path):
    write_run(tmp_path / "one", rows(["right"] * 12), ABOUT)
    write_run(tmp_path / "two", rows(["wrong"] * 12), ABOUT)
    write_run(tmp_path / "three", rows(["right"] * 12), {**ABOUT, "data": "another version"})
    _, text = page(tmp_path)
    assert "one (demo) and two (demo)" in text
    assert "+100.0" in text
    assert "three (demo)" not in text
    assert text.count("p (Holm)") == 1
    write_run(tmp_path / "two", rows(["wrong"], table="other"), ABOUT)
    assert "No two runs asked the same rows of the same data." in page(tmp_path)[1]


def linked_figures(parsed):
    """The figures with a link, each with the query that the script composes."""
    tables, head, column = [], [], 0
    for tag, attributes in parsed.elements:
        if tag == "table":
            tables, head = [attributes.get("data-rows")], []
        elif tag == "tr":
            line, column = attributes.get("data-where"), 0
        elif tag == "th":
            head.append(attributes.get("data-where"))
        elif tag == "td":
            column += 1
        elif attributes.get("href") == "#rows":
            of_head = head[column - 1] if head else None
            yield " and ".join(filter(None, [*tables, line, of_head]))


@pytest.mark.slow
def test_every_figure_shows_the_query_of_its_replies(tmp_path):
    results = rows(
        ["right", "wrong", "undecided"], plan_length=7, seen="both", table="acp_app_bool", format="bool"
    )
    for name in ("it's", "two"):
        write_run(tmp_path / name, results, {**ABOUT, "model": f'"{name}"'})
    parsed, _ = page(tmp_path)
    paths = {name: tmp_path / name / "scores.parquet" for name in ("it's", "two")}
    counts = [query(tmp_path / "none", sql, paths).num_rows for sql in linked_figures(parsed)]
    assert len(counts) > 25
    # The decided replies of a run, or of a pair.
    assert {*counts} == {2, 4}


@pytest.mark.slow
def test_tables_of_the_papers_are_shown_and_few_runs_are_compared(tmp_path):
    def text_of(runs):
        for number in range(runs):
            scores = rows(["right", "wrong"], table="acp_app_bool", format="bool", model=f"model {number}")
            write_run(tmp_path / f"run {number}", scores, {**ABOUT, "model": f"model {number}"})
        return page(tmp_path)[1]

    few, many = text_of(2), text_of(5)
    for text in (few, many):
        assert "acpbench (Kokel et al., 2025" in text
        assert "Accuracy by task, format and domain" in text
        assert "acpbench-hard" not in text
        assert "breakdowns" not in text
    assert "McNemar" not in few
    assert ("+0.0" in few, "+0.0" in many) == (True, False)
    assert "orrery compare RUN RUN compares two of the 5 runs." in many


@pytest.mark.slow
def test_the_page_of_30_models_and_all_tables_has_less_than_5_megabytes(tmp_path):
    names = [name for name, table in tables().items() if table.scorer]
    for model in range(30):
        scores = [
            row(
                f"{name}/{n}", name, ("right", "wrong")[(n + model) % 2], kind=name.split("_")[1],
                format=name.rpartition("_")[2], domain=f"domain {n % 10}", problem_id=str(n % 15),
                plan_length=n, objects=n, vocabulary=("plain", "meaningless", "random")[n % 3],
                model=f"model {model}", parseable=True, mixture="explicit-explicit", size="1-20",
            )
            for name in names
            for n in range(30)
        ]  # fmt: skip
        write_run(tmp_path / f"run {model}", scores, {**ABOUT, "model": f"model {model}"})
    path = write_pages(tmp_path, ROOT)
    assert 1e6 < path.stat().st_size < 5e6


@pytest.mark.slow
def test_the_page_needs_nothing_from_elsewhere(tmp_path):
    write_run(tmp_path / "a run", [row()], ABOUT)
    write_run(tmp_path / "b", turns("x", "wrong", "right"), ABOUT)
    parsed, text = page(tmp_path)
    content = (tmp_path / "index.html").read_text()
    links = parsed.values("href", "src")
    assert all(link.startswith("#") for link in links)
    assert "rows" in parsed.values("id")
    assert {link.removeprefix("#").replace("%20", " ") for link in links} <= {*parsed.values("id")}
    assert "http" not in content
    assert "prefers-color-scheme: dark" in content
    assert "max-width: 36rem" in content
    assert "first reply 0.0" in text


def test_without_runs_the_page_says_how_to_make_one(tmp_path):
    assert "There are no runs yet: orrery eval makes one." in page(tmp_path / "evals")[1]


@pytest.mark.slow
def test_equal_runs_give_equal_pages(tmp_path):
    for name in ("x", "y"):
        write_run(tmp_path / name / "one", rows(["right", "wrong", "failed"]), ABOUT)
    first, second = (write_pages(tmp_path / name, ROOT).read_bytes() for name in ("x", "y"))
    assert first == second


def test_the_report_of_a_build_leads_to_it():
    assert 'href="../evals/index.html"' in (ROOT / "templates" / "report" / "index.html.j2").read_text()


def test_each_run_has_a_line_for_the_report(tmp_path):
    write_run(tmp_path / "two", rows(["right"] * 3 + ["wrong"]), ABOUT)
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "scores.parquet").write_bytes(b"PAR1")
    damaged, line = run_lines(tmp_path)
    assert (damaged.name, damaged.accuracy) == ("one", None)
    assert "cannot be read" in damaged.problem
    assert (line.name, line.model, line.replies, line.data) == ("two", ABOUT["model"], 4, ABOUT["data"])
    assert line.accuracy == rounded(accuracy(3, 1))
    assert run_lines(tmp_path / "none") == []
