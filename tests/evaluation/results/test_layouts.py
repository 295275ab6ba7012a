"""The tables of papers contain the planted figures of runs, in every layout and format."""

import csv
import io
import re
import shlex
import shutil
from html import unescape
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.dataset.views import query
from orrery.evaluation.results.layouts import report, write_charts
from orrery.evaluation.results.runs import read_run, write_run
from orrery.model import UsageError
from orrery.yaml_text import read_yaml
from tests.effort import by_day, slow
from tests.evaluation.results.samples import ABOUT, row, rows, turns
from tests.every_domain import ROOT

TEMPLATES = ROOT / "templates"
SHOWN = 'run, "table", id, turn, verdict, detail'
LAYOUTS = sorted(path.stem for path in (TEMPLATES / "tables" / "layouts").glob("*.yaml"))


def printed(folder, layout, runs, form="csv"):
    """The tables of runs, given as rows by name of the run; the model of a run has its name."""
    folders = {name: folder / name for name in runs}
    for name, scores in runs.items():
        write_run(folders[name], [{**score, "model": name} for score in scores], {**ABOUT, "model": name})
    return report(TEMPLATES, layout, [read_run(path) for path in folders.values()]).text(TEMPLATES, form)


@slow
def test_a_model_may_be_named_like_another_with_its_run(tmp_path):
    for run, model in {"a": "demo", "b": "demo", "c": "demo (a)"}.items():
        about = {**ABOUT, "model": model}
        write_run(tmp_path / run, [row(table="acp_app_bool", format="bool", model=model)], about)
    runs = [read_run(tmp_path / run) for run in "abc"]
    text = report(TEMPLATES, "acpbench", runs).text(TEMPLATES, "csv")
    names = {name for table, name, _ in figures(text) if table == 0}
    assert names == {"demo (a)", "demo (b)", "demo (a) (c)"}


def figures(text):
    """The figures of a report in CSV, by table (numbered), row and column."""
    lines = [*csv.DictReader(io.StringIO(text))]
    tables = [*dict.fromkeys(line["table"] for line in lines)]
    return {
        (tables.index(line["table"]), line["row"], line["column"]): (
            float(line["value"]),
            line["best"] == "1",
        )
        for line in lines
    }


def answered(right, wrong, **columns):
    """Rows of scores on as many problems, right and wrong ones."""
    verdicts = ["right"] * right + ["wrong"] * wrong
    return [
        {**score, "problem_id": f"p{n}", "id": f"{columns['kind']}/{n}"}
        for n, score in enumerate(rows(verdicts, **columns))
    ]


def test_acpbench_has_tasks_by_format_with_their_mean_and_the_best_model(tmp_path):
    def run(app, val, choice):
        yes_or_no = {"format": "bool"}
        scores = answered(app, 10 - app, kind="app", table="acp_app_bool", **yes_or_no)
        scores += answered(val, 4 - val, kind="val", table="acp_val_bool", **yes_or_no)
        scores += answered(choice, 5 - choice, kind="app", table="acp_app_mcq", format="mcq")
        return [*scores, row("x", "acp_app_bool", "failed", format="bool"), row("y", "acp_app_gen", "wrong")]

    shown = figures(printed(tmp_path, "acpbench", {"weak": run(6, 2, 5), "strong": run(9, 3, 4)}))
    assert shown == {
        (0, "strong", "app"): (0.9, True),
        (0, "strong", "val"): (0.75, True),
        (0, "strong", "mean"): (0.825, True),
        (0, "weak", "app"): (0.6, False),
        (0, "weak", "val"): (0.5, False),
        (0, "weak", "mean"): (0.55, False),
        (1, "strong", "app"): (0.8, False),
        (1, "strong", "mean"): (0.8, False),
        (1, "weak", "app"): (1.0, True),
        (1, "weak", "mean"): (1.0, True),
        (2, "app / bool / ferry", "strong"): (0.9, True),
        (2, "app / bool / ferry", "weak"): (0.6, False),
        (2, "val / bool / ferry", "strong"): (0.75, True),
        (2, "val / bool / ferry", "weak"): (0.5, False),
        (2, "app / mcq / ferry", "strong"): (0.8, False),
        (2, "app / mcq / ferry", "weak"): (1.0, True),
    }


def test_a_model_without_a_task_has_no_mean(tmp_path):
    one = answered(1, 1, kind="app", table="acp_app_gen")
    both = one + answered(2, 0, kind="val", table="acp_val_gen")
    shown = figures(printed(tmp_path, "acpbench-hard", {"one": one, "both": both}))
    assert (0, "one", "mean") not in shown
    assert shown[0, "both", "mean"] == (0.75, False)


def hard():
    """Rows with similarities, and one in four right replies to reachability that is not None."""
    yield from (row(str(n), jaccard=value) for n, value in enumerate((0.0, 0.5)))
    yield row("p", "acp_prog_gen", kind="prog", pos=1.0, neg=0.0, jaccard=0.5)
    for n, value in enumerate((1.0, 0.0, 0.0, 0.0)):
        yield row(f"v{n}", "acp_val_gen", "wrong", kind="val", off_by_one=value)
    for n, answer in enumerate(("[]", "[]", '["(a)"]', None)):
        yield row(f"r{n}", "acp_reach_gen", kind="reach", answer=answer)


def problems():
    parts = [(True, True, True), (True, True, False), (True, None, False), (False, False, False)]
    for n, (read, solvable, correct) in enumerate(parts):
        mixture = ("explicit-explicit", "abstract-abstract")[n % 2]
        columns = {"parseable": read, "solvable": solvable, "correct": correct, "mixture": mixture}
        yield row(str(n), "text_to_pddl", **columns)


def domains():
    first, second = turns("a", "wrong", "right", table="domain_modeling", domain="a")
    good, bad = {"executable": True, "effects_f1": 1.0}, {"executable": False, "effects_f1": 0.5}
    yield {**first, **bad, "error_class": "UndefinedType"}
    yield {**second, **good, "error_class": ""}
    yield row("b", "domain_modeling", domain="b", **good, error_class="")


def actions():
    names = (
        "equal_actions", "gold_actions", "solved", "solvable_problems", "exact_plans", "distance_effects",
        "unfit_solvable", "shortcuts", "good_plans",
    )  # fmt: skip
    counts = [(1, 4, 2, 4, 0, 23, 1, 1, 1), (6, 6, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 1, 0, 0, 0, 0, 0)]
    decided = dict.fromkeys(("undecided_actions", "undecided_solvable", "undecided_exact"), 0)
    for style, (n, count) in product(("all", "map_reasoned"), enumerate(counts)):
        columns = dict(zip(names, count, strict=True)) | decided
        yield row(str(n), "action_modeling", domain=str(n), style=style, **columns)


def plans():
    for vocabulary, right in {"plain": 3, "meaningless": 0}.items():
        verdicts, about = ["right"] * right + ["wrong"] * (4 - right), {"vocabulary": vocabulary}
        yield from rows(verdicts, table="plan_optimal", kind="optimal", split=vocabulary, **about)


def episodes():
    ends = {"ferry": ["", "", "dead end", "step budget"], "grid": ["", "reply budget", "invalid actions"]}
    for domain, reasons in ends.items():
        for n, end in enumerate(reasons):
            columns = {"domain": domain, "kind": "world", "detail": end}
            yield row(f"{domain}/{n}", "world", "wrong" if end else "right", **columns)


# The figures of rows by layout: by table, row and column.
PLANTED = {
    "acpbench-hard": (
        hard,
        {
            (1, "m", "app Jaccard"): 0.25,
            **{
                (1, "m", f"prog {part}"): n
                for part, n in (("Jaccard", 0.5), ("positive", 1), ("negative", 0))
            },
            (2, "m", "val"): 0.25,
            (3, "m", "reach"): 0.5,
            (4, "app / ferry", "m"): 1,
        },
    ),
    "planetarium": (
        problems,
        {
            (0, "m", "zero_shot parseable"): 0.75,
            (0, "m", "zero_shot solvable"): 2 / 3,
            (0, "m", "zero_shot correct"): 0.25,
            (1, "m / explicit-explicit", "correct"): 0.5,
            (1, "m / abstract-abstract", "correct"): 0,
        },
    ),
    "text2world": (
        domains,
        {
            (0, "m / EC_0", "executable"): 0.5,
            (0, "m / EC_1", "executable"): 1,
            (0, "m / EC_0", "F1 effects"): 0.75,
            (0, "m / EC_1", "F1 effects"): 1,
            (1, "m / UndefinedType", "EC_0"): 0.5,
            (1, "m / UndefinedType", "EC_1"): 0,
        },
    ),
    "proc2pddl": (
        actions,
        {
            (table, f"m / {style}", name): value
            for style in ("all / direct", "map / reasoned")
            for table, name, value in (
                (0, "action accuracy", 0.7),
                (0, "problems solved", 0.4),
                (0, "exact plans", 0),
                (1, "effects", 2.3),
                (2, "unsolved, syntax", 0.2),
                (2, "unsolved, action", 0.4),
                (2, "solved, bad plan", 0.2),
                (2, "solved, good plan", 0.2),
            )
        },
    ),
    "planbench": (
        plans,
        {
            (0, "optimal / plain", "m"): 0.75,
            (0, "optimal / meaningless", "m"): 0,
            (1, "optimal / ferry / plain", "m"): 0.75,
        },
    ),
    "worlds": (
        episodes,
        {
            (0, "ferry", "m"): 1 / 2,
            (0, "grid", "m"): 1 / 3,
            (1, "m", "all domains goal"): 3 / 7,
            (1, "m", "all domains dead end"): 1 / 7,
            (1, "m", "all domains step budget"): 2 / 7,
            (1, "m", "all domains invalid actions"): 1 / 7,
        },
    ),
}


@by_day(2)
@pytest.mark.parametrize("layout", PLANTED)
def test_every_layout_has_the_figures_of_its_paper(tmp_path, layout):
    make, expected = PLANTED[layout]
    shown = figures(printed(tmp_path, layout, {"m": [*make()]}))
    assert {place: shown[place][0] for place in expected} == pytest.approx(expected, abs=1e-6)


@slow
def test_figures_that_are_no_shares_are_printed_as_numbers(tmp_path):
    text = printed(tmp_path, "proc2pddl", {"m": [*actions()]}, "text")
    assert "2.30 (0.00-" in text
    assert "70.0 (" in text


# Columns of a right and of an undecided reply, by layout.
F1 = ("predicates_f1", "parameters_f1", "preconditions_f1", "effects_f1")
COUNTED = {"gold_actions": 3, "solvable_problems": 2}
UNDECIDED = {
    "acpbench": ({"table": "acp_app_bool", "format": "bool"}, {}, {}),
    "acpbench-hard": ({"table": "acp_app_gen"}, {"jaccard": 1.0}, {}),
    "breakdowns": ({"plan_length": 3, "objects": 3, "explicitness": "sparse", "seen": "both"}, {}, {}),
    "planbench": ({"table": "plan_optimal", "kind": "optimal", "vocabulary": "plain"}, {}, {}),
    "planetarium": (
        {"table": "text_to_pddl", "mixture": "explicit-explicit", "size": "1-20", "parseable": True},
        {"solvable": True, "correct": True},
        {},
    ),
    "proc2pddl": (
        {"table": "action_modeling", **COUNTED},
        {"equal_actions": 3, "undecided_actions": 0, "solved": 2, "undecided_solvable": 0, "exact_plans": 2,
         "undecided_exact": 0},
        {"equal_actions": 1, "undecided_actions": 2, "solved": 1, "undecided_solvable": 1, "exact_plans": 0,
         "undecided_exact": 2},
    ),
    "text2world": (
        {"table": "domain_modeling", "levenshtein_ratio": 1.0, "error_class": ""},
        {"executable": True, **dict.fromkeys(F1, 1.0)},
        dict.fromkeys(F1, 0.5),
    ),
    "worlds": ({"table": "world", "kind": "world"}, {}, {"detail": "dead end"}),
}  # fmt: skip


@by_day(2)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_undecided_reply_is_not_a_wrong_one(tmp_path, layout):
    both, right, undecided = UNDECIDED[layout]
    scores = [row("a", **both, **right), row("b", **both, **undecided, verdict="undecided")]
    shown = figures(printed(tmp_path, layout, {"m": scores}))
    assert shown
    ends = {value for (table, *_), (value, _) in shown.items() if layout == "worlds" and table == 1}
    assert {value for value, _ in shown.values()} - (ends - {1.0}) == {1.0}
    assert ends in (set(), {0.0, 1.0})


@slow
def test_a_run_has_as_many_corrections_as_it_was_asked_with(tmp_path):
    def lines(turns_of):
        good = {"table": "domain_modeling", "executable": True, "error_class": ""}
        runs = {"plain": turns("a", "wrong", **good), "corrected": turns("a", "wrong", "right", **good)}
        for name, scores in runs.items():
            about = {**ABOUT, "model": name, **turns_of.get(name, {})}
            write_run(tmp_path / name, [{**score, "model": name} for score in scores], about)
        shown = report(TEMPLATES, "text2world", [read_run(tmp_path / name) for name in runs])
        return [" ".join(labels) for labels, _ in shown.tables[0].lines]

    asked = [f"corrected EC_{k}" for k in (0, 1)]
    assert lines({}) == [*asked, "plain EC_0"]
    turns_of = {"plain": {"arguments": {"turns": 0}}, "corrected": {"arguments": {"turns": 3}}}
    assert lines(turns_of) == [*asked, "corrected EC_2", "corrected EC_3", "plain EC_0"]


@slow
def test_figures_without_rows_are_columns(tmp_path):
    scores = [
        row(table="text_to_pddl", parseable=True),
        row("b", "text_to_pddl", correct=True, style="reasoned"),
    ]
    write_run(tmp_path / "one", scores, ABOUT)
    styles, table, *_ = report(TEMPLATES, "planetarium", [read_run(tmp_path / "one")]).tables
    assert styles.columns == ("reasoned correct", "zero_shot parseable")
    assert table.columns == ("parseable", "solvable", "correct")
    assert "-" in table.aligned()[1].split()


def varied(model, layout):
    """Rows of the tables of a layout with all figures, a third of them undecided or failed."""
    both, right, undecided = UNDECIDED[layout]
    for n in range(12):
        fact = {"domain": f"d{n % 2}", "style": ("all", "map_reasoned")[n % 2], "split": f"it's {n % 2}"}
        verdict = ("right", "wrong", "undecided", "right", "wrong", "failed")[n % 6]
        figures = {} if verdict == "failed" else undecided if verdict == "undecided" else right
        extra = {"error_class": "" if verdict == "right" else "A", "executable": verdict == "right"}
        columns = {**both, **fact, **figures, **(extra if layout == "text2world" else {}), "model": model}
        first, last = turns(f"{n}", "wrong", verdict, **columns)
        yield from (first, last) if n % 4 == 0 else ({**last, "turn": 0},)


@by_day(1)
@pytest.mark.parametrize("layout", sorted(LAYOUTS, key=lambda layout: layout != "planbench"))
def test_every_figure_has_the_query_of_its_replies(tmp_path, layout):
    for name, model in {"one": 'it\'s "a"', "two": 'it\'s "a"', "three": "b"}.items():
        write_run(tmp_path / name, varied(model, layout), {**ABOUT, "model": model})
    runs = [read_run(tmp_path / name) for name in ("one", "two", "three")]
    paths = {run.name: tmp_path / run.name / "scores.parquet" for run in runs}
    part_of = {
        part["title"]: part for part in read_yaml(TEMPLATES / "tables/layouts" / f"{layout}.yaml")["parts"]
    }
    for table in report(TEMPLATES, layout, runs).tables:
        by_figure = part_of[table.title]["figures"]
        for (_, figures), of_line in zip(table.lines, table.replies["lines"], strict=True):
            cells = zip(table.columns, figures, table.replies["columns"], strict=True)
            for head, figure, of_column in cells:
                conditions = [table.replies["statement"], of_line, *filter(None, [of_column])]
                replies = query(tmp_path / "none", " and ".join(conditions), paths)
                if figure.interval is None:
                    assert not replies.num_rows
                    continue
                if head == "mean":
                    assert replies.num_rows
                    continue
                sql = next(by_figure[name] for name in by_figure if not name or head.endswith(name))
                amount, weight = (sql, "1") if isinstance(sql, str) else sql
                value = f"sum(({amount})::double) / sum({weight}) as value"
                statement = conditions[0].replace(SHOWN, value)
                [row] = query(
                    tmp_path / "none", " and ".join([statement, *conditions[1:]]), paths
                ).to_pylist()
                assert row["value"] == pytest.approx(figure.interval.value)


def properties(model, right):
    """Rows with all properties of the charts; of each ten, so many are right."""
    return [
        row(
            f"{n}", verdict="right" if n % 10 < right else "wrong", model=model, plan_length=n % 20,
            objects=n % 10, seen=("both", "theme")[n % 2],
            explicitness=("explicit", "everyday", "sparse")[n % 3],
        )
        for n in range(60)
    ]  # fmt: skip


@slow
def test_charts_have_a_point_per_figure_and_their_figures_as_csv(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for model, right in {"it's <a>": 9, "b": 4}.items():
        about = {**ABOUT, "model": model}
        write_run(tmp_path / "outputs" / "evals" / f"run-{right}", properties(model, right), about)
    arguments = ["tables", "--layout", "breakdowns", "--format", "csv", "--charts", "charts"]
    every_table = CliRunner().invoke(app, arguments)
    assert every_table.exit_code == 0, every_table.output
    columns = {
        "plan-length": ["0", "1-2", "3-5", "6-10", "11-20"],
        "objects": ["0", "1-2", "3-5", "6-10"],
        "explicitness": ["explicit", "everyday", "sparse"],
        "seen": ["seen", "unseen"],
    }
    assert {path.name for path in Path("charts").iterdir()} == {
        f"{name}.{ending}" for name in columns for ending in ("svg", "csv")
    }
    for name, values in columns.items():
        written = Path(f"charts/{name}.csv").read_text()
        lines = [*csv.DictReader(io.StringIO(written))]
        assert [(line["row"], line["column"]) for line in lines] == [*product(["b", "it's <a>"], values)]
        assert written.partition("\n")[2] in every_table.stdout
        svg = ElementTree.parse(f"charts/{name}.svg")
        descriptions = [element.get("aria-roledescription") for element in svg.iter()]
        assert descriptions.count("point") == len(lines) == 2 * len(values)
        assert {*values, "it's <a>", "b"} <= {element.text for element in svg.iter()}
    assert figures(Path("charts/seen.csv").read_text())[0, "b", "seen"] == (0.4, False)


def test_a_layout_without_charts_is_refused(tmp_path):
    write_run(tmp_path / "one", [row(table="acp_app_bool", format="bool")], ABOUT)
    tables = report(TEMPLATES, "acpbench", [read_run(tmp_path / "one")])
    with pytest.raises(UsageError, match=r"no charts .*--layout breakdowns"):
        write_charts(tables, TEMPLATES, tmp_path / "charts")
    assert not (tmp_path / "charts").exists()


@slow
def test_remarks_are_about_the_runs_of_the_tables(tmp_path):
    write_run(tmp_path / "one", [row(table="acp_app_bool", format="bool")], ABOUT)
    write_run(tmp_path / "two", [row(table="text_to_pddl")], {**ABOUT, "data": "other", "finished": False})
    runs = [read_run(tmp_path / name) for name in ("one", "two")]
    assert report(TEMPLATES, "acpbench", runs).remarks == []


@slow
def test_rows_of_one_problem_widen_the_interval(tmp_path):
    def run(problems):
        verdicts = (["right"] * 4 + ["wrong"] * 4) * 5
        scores = rows(verdicts, table="acp_app_bool", format="bool")
        return [{**score, "problem_id": str(n // problems)} for n, score in enumerate(scores)]

    text = printed(tmp_path, "acpbench", {"apart": run(1), "together": run(4)})
    lines = {line["row"]: line for line in csv.DictReader(io.StringIO(text)) if line["column"] == "app"}
    widths = {name: float(line["high"]) - float(line["low"]) for name, line in lines.items()}
    assert {name: line["clusters"] for name, line in lines.items()} == {"apart": "40", "together": "10"}
    assert widths["together"] > 1.5 * widths["apart"]


@by_day(1)
@pytest.mark.parametrize("on_disk", [False, True])
def test_a_copied_run_has_the_name_of_its_folder(tmp_path, on_disk):
    about = {**ABOUT, "finished": False, "arguments": {"turns": 1}}
    write_run(tmp_path / "x", turns("a", "wrong", "right", table="domain_modeling", executable=True), about)
    shutil.copytree(tmp_path / "x", tmp_path / "y")
    shown = report(TEMPLATES, "text2world", [read_run(tmp_path / name, on_disk=on_disk) for name in "xy"])
    labels = [labels for labels, _ in shown.tables[0].lines]
    assert labels == [(f"demo ({run})", f"EC_{turn}") for run in "xy" for turn in (0, 1)]
    assert {figures[0].interval.value for _, figures in shown.tables[0].lines} == {1.0}
    assert shown.remarks == ["x is not finished", "y is not finished"]


def test_a_run_that_is_named_twice_is_refused(tmp_path):
    write_run(tmp_path / "x", [row()], ABOUT)
    with pytest.raises(UsageError, match="run 'x': is named 2 times"):
        report(TEMPLATES, "acpbench-hard", [read_run(tmp_path / "x")] * 2)


@by_day(1)
@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_every_format_has_all_labels_and_figures(tmp_path, form):
    name = "[a]_<b>|50%\\*"
    scores = answered(3, 1, kind="app", table="acp_app_bool", format="bool")
    for run in ("one", "two"):
        about = {**ABOUT, "model": name if run == "one" else "zz", "data": run, "finished": run == "one"}
        kept = scores if run == "one" else scores[2:]
        write_run(tmp_path / run, [{**score, "model": about["model"]} for score in kept], about)
    chosen = [read_run(tmp_path / run) for run in ("one", "two")]
    text = report(TEMPLATES, "acpbench", chosen).text(TEMPLATES, form)
    labels = {
        "markdown": r"\[a]\_\<b>\|50%\\\*",
        "latex": r"{[}a]\_\textless{}b\textgreater{}\textbar{}50\%\textbackslash{}{*}",
    }
    assert labels.get(form, name) in unescape(text)
    assert "<b>|" not in text or form != "html"
    best = {
        "text": "75.0 (%)*",
        "markdown": "**75.0 (%)**",
        "latex": r"\textbf{75.0 (%)}",
        "html": "<b>75.0 (%)</b>",
    }
    assert re.search(re.escape(best[form]).replace("%", r"[\d.]+-[\d.]+"), text)
    assert "50.0 (" in text
    assert "different versions of the data" in text
    assert "two is not finished" in text
    if form == "markdown":
        widths = [line.replace(r"\|", "").count("|") for line in text.splitlines() if line.startswith("|")]
        assert widths == [4] * 4 + [6] * 3
    if form == "latex":
        assert text.count(r"\begin") == text.count(r"\end")


def test_an_unknown_layout_lists_the_layouts():
    with pytest.raises(UsageError, match=f"is unknown .*layouts: {', '.join(LAYOUTS)}"):
        report(TEMPLATES, "acpbnech", [])


@slow
@pytest.mark.parametrize("name", [name for name in LAYOUTS if name != "breakdowns"])
def test_runs_without_figures_of_a_layout_are_refused(tmp_path, name):
    [pattern] = read_yaml(TEMPLATES / "tables" / "layouts" / f"{name}.yaml")["tables"][:1]
    write_run(tmp_path / "one", [row(table="other")], ABOUT)
    write_run(tmp_path / "failed", [row(table=pattern.replace("*", "app"), verdict="failed")], ABOUT)
    for runs in ([], [read_run(tmp_path / "one")], [read_run(tmp_path / "failed")]):
        with pytest.raises(
            UsageError, match=r"no run has decided replies of .* .run `orrery eval --tables '"
        ):
            report(TEMPLATES, name, runs)


@slow
def test_the_commands_of_the_page_print_the_named_runs_or_all(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("small", "large"):
        scores = answered(1, 1, kind="app", table="acp_app_bool", format="bool")
        scores += turns("d", "wrong", "right", table="domain_modeling", executable=True, plan_length=3)
        scores = [{**score, "model": name} for score in scores]
        write_run(tmp_path / "outputs" / "evals" / name, scores, {**ABOUT, "model": name})
    page = (ROOT / "docs" / "compare-runs.md").read_text()
    commands = re.findall(r"^orrery (tables .*)$", page, re.MULTILINE)
    outputs = [CliRunner().invoke(app, shlex.split(command, comments=True)) for command in commands]
    assert [output.exit_code for output in outputs] == [0, 0, 0], outputs
    every, two, _ = (output.stdout for output in outputs)
    assert "chart: outputs/charts/plan-length.svg" in outputs[2].stderr
    assert {"small", "large"} <= {*every.split()}
    assert two.startswith("%")
    damaged = tmp_path / "outputs" / "evals" / "damaged" / "scores.parquet"
    damaged.parent.mkdir()
    damaged.write_bytes(b"PAR1")
    with_damaged = CliRunner().invoke(app, shlex.split(commands[0], comments=True))
    assert with_damaged.stdout == every
    assert "left out: run damaged: cannot be read" in with_damaged.stderr
    named = CliRunner().invoke(app, ["tables", "--layout", "acpbench", "--run", "large", "--format", "csv"])
    rows_of = {line["row"] for line in csv.DictReader(io.StringIO(named.stdout))}
    assert rows_of == {"large", "app / bool / ferry"}


@slow
def test_remarks_on_figures_in_csv_are_warnings(tmp_path):
    write_run(tmp_path / "x", [row()], {**ABOUT, "finished": False})
    command = ["tables", "--layout", "acpbench-hard", "--run", str(tmp_path / "x")]
    printed_csv = CliRunner().invoke(app, [*command, "--format", "csv"])
    assert "x is not finished" not in printed_csv.stdout
    assert printed_csv.stderr == "warning: x is not finished\n"
    assert CliRunner().invoke(app, command).stderr == ""
