import csv
import io
import json
import re

import pytest
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.cli.tables import formatted
from orrery.dataset import views
from orrery.dataset.row_counts import rows_by_band
from orrery.evaluation.results.runs import write_run
from orrery.model import OrreryError, UsageError
from orrery.store import shards
from tests.evaluation.results.samples import ABOUT, row, turns
from tests.every_domain import ROOT
from tests.store import samples
from tests.tables import PUBLISHED

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return samples.dataset(tmp_path_factory.mktemp("o'dd") / "data set")


def answer(dataset, sql):
    return views.query(dataset, sql).to_pylist()


def test_one_view_a_table_and_one_a_split(dataset):
    names = {f"{table}{split}" for table in PUBLISHED for split in ("", "_train", "_validation", "_test")}
    assert set(views.views(dataset)) == names
    assert {row["name"] for row in answer(dataset, "show tables")} == names


def test_views_hold_the_rows_of_their_splits(dataset):
    counts = answer(dataset, "select domain, split, count(*) n from text_to_pddl group by all order by all")
    assert counts == [
        {"domain": domain, "split": split, "n": n}
        for domain in ("blocksworld", "gripper")
        for split, n in (("test", 3), ("train", 4), ("validation", 2))
    ]
    assert answer(dataset, "select count(*) n from acp_app_gen_test") == [{"n": 6}]


@pytest.mark.parametrize(
    ("lower", "upper", "band"),
    [(1, 10, 10), (11, 11, 25), (10, 11, None), (501, 1000, 1000), (990, 1001, None), (0, 4, None)],
)
def test_a_band_contains_both_bounds(dataset, lower, upper, band):
    sql = f"select band({{'lower': {lower}, 'upper': {upper}}}) as band"
    assert answer(dataset, sql) == [{"band": band}]


def test_rows_by_band_are_those_of_the_tables(dataset):
    (rows,) = answer(dataset, "select count(*) as n from text_to_pddl")
    assert sum(rows_by_band(dataset)["text_to_pddl"].values()) == rows["n"]


def test_rows_can_be_streamed_some_at_a_time(dataset):
    sql = "select id, split, answer from acp_prog_gen order by id"
    assert list(views.stream_rows(dataset, sql, at_a_time=4)) == answer(dataset, sql)
    rows = views.stream_rows(dataset, "select id from problems")
    assert next(rows)["id"].startswith("blocksworld/")
    rows.close()


def test_nested_columns_can_be_asked(dataset):
    rows = answer(dataset, "select distinct answer.pos[1] p, len(answer.neg) n from acp_prog_gen")
    assert rows == [{"p": "(a b)", "n": 1}]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        (
            "select * from text_to_pdl",
            r"text_to_pdl.*views: acp_app_bool, acp_app_gen, .*; and each with _train, _valid.* or _test\)",
        ),
        ("selec 1", "syntax error"),
        ("pivot problems on split using count(*)); copy problems to 'x.csv'; from (problems", "syntax error"),
        ("select nope from problems", "nope"),
        ("", "only one reading statement"),
        ("select 1; select 2", "only one reading statement"),
        ("drop view problems", "only one reading statement"),
        ("copy problems to 'x.csv'", "only one reading statement"),
        ("select * from read_text('/etc/hostname')", "disabled by configuration.*use the views"),
        ("select * from read_csv('http://localhost/x')", "disabled|httpfs"),
    ],
)
def test_wrong_queries_are_usage_errors(dataset, sql, message):
    with pytest.raises(UsageError, match=message):
        views.query(dataset, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "explain analyze copy (select 1) to '{file}'",
        "explain (analyze) copy problems to '{file}' (format parquet)",
        "explain analyze create table t as select 1",
        "explain select 1",
        "copy problems to '{file}'",
        "/* select */ copy problems to '{file}'",
        "with a as (select 1) insert into problems select * from a",
        "export database '{folder}'",
        "attach '{folder}/x.db'",
        "install httpfs",
        "load httpfs",
        "pragma database_list",
        "call pragma_version()",
        "set lock_configuration = false",
        "reset memory_limit",
        "create or replace view problems as select 1",
        "prepare x as select 1",
        "begin",
        "vacuum",
        "select 1; copy problems to '{file}'",
        "copy (pivot problems on split using count(*)) to '{file}'",
        "/* pivot */ copy (pivot problems on split using count(*)) to '{file}' (format parquet);",
        "create table t as pivot problems on split using count(*)",
        "insert into problems pivot problems on split using count(*)",
        "pivot problems on split using count(*); copy problems to '{file}'",
    ],
)
def test_what_is_no_select_is_refused_and_leaves_every_file_alone(dataset, tmp_path, sql):
    file = tmp_path / "grading.py"
    file.write_text("right = True\n")
    shard = str(shards.shards(dataset, "problems", "test")[0].resolve()).replace("'", "''")
    before = contents_of(dataset)
    for target in (file, shard):
        with pytest.raises(UsageError, match="only one reading statement is allowed"):
            views.query(dataset, sql.format(file=target, folder=tmp_path))
    assert contents_of(dataset) == before
    assert contents_of(tmp_path) == {file: b"right = True\n"}


@pytest.mark.parametrize(
    ("sql", "columns", "rows"),
    [
        ("pivot problems on split using count(*) group by domain order by domain", 4, 2),
        ("with p as (from problems) pivot p on split using count(*) -- all\n;", None, None),
        ("select domain, test from (pivot problems on split using count(*) group by domain)", 2, 2),
        ("unpivot (select 1 as a, 2 as b) on a, b into name part value n", 2, 2),
        ("summarize problems", None, len(PUBLISHED["problems"]) + 1),
        ("describe problems", None, len(PUBLISHED["problems"]) + 1),
    ],
)
def test_tables_are_turned_and_summarised(dataset, sql, columns, rows):
    result = views.query(dataset, sql)
    assert result.num_rows == (rows or result.num_rows) > 0
    assert result.num_columns == (columns or result.num_columns)


def test_a_pivot_keeps_the_order_of_its_rows(dataset):
    sql = "pivot problems on split using count(*) group by id order by id desc"
    ids = views.query(dataset, sql)["id"].to_pylist()
    assert ids == sorted(ids, reverse=True)


@pytest.fixture(scope="module")
def corrected(tmp_path_factory):
    """A run whose replies were corrected: right at once, after one correction, after two, and never."""
    results = [
        *turns("a", "right", table="domain_modeling", effects_f1=1.0, error_class=""),
        *turns("b", "wrong", "right", table="domain_modeling", effects_f1=0.5, error_class="UndefinedType")[
            :1
        ],
        *turns("b", "wrong", "right", table="domain_modeling", effects_f1=0.5, error_class="")[1:],
        *turns("c", "unparsed", "wrong", "right", table="domain_modeling", effects_f1=0.0),
        *turns("d", "wrong", "wrong", "wrong", table="domain_modeling", effects_f1=0.5),
        *turns("g", "undecided", table="domain_modeling", effects_f1=0.0),
        *turns("h", "failed", table="domain_modeling"),
        *turns("e", "right", table="text_to_pddl", parseable=True, solvable=True, correct=True),
        *turns("f", "wrong", table="text_to_pddl", parseable=True, solvable=False, correct=False),
    ]
    return {"one": write_run(tmp_path_factory.mktemp("evals") / "one", results, ABOUT)}


def test_the_queries_of_the_page_on_runs_give_what_the_page_says(dataset, corrected):
    page = (ROOT / "docs" / "compare-runs.md").read_text()
    commands = re.findall(r'^orrery query "(.*)"$', page, re.MULTILINE)
    joined, by_table, parts, ec, classes = (
        views.query(dataset, command.replace('\\"', '"'), corrected).to_pylist() for command in commands
    )
    assert joined == []  # the run has no row of this table
    assert by_table == [{"table": "domain_modeling", "one": 0.75}, {"table": "text_to_pddl", "one": 0.5}]
    assert [list(each.values()) for each in parts] == [["one", 1.0, 0.5, 0.5]]
    assert [(each["k"], each["accuracy"]) for each in ec] == [(0, 0.25), (1, 0.5), (2, 0.75), (3, 0.75)]
    assert {each["effects"] for each in ec} == {0.5}
    assert [list(each.values())[1:] for each in classes] == [["", 1, 2, 2, 2], ["UndefinedType", 1, 0, 0, 0]]


def contents_of(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "sql",
    [
        "from '{dataset}/manifest.json'",
        "from read_text('{dataset}/manifest.json')",
        "from read_text('{shard}/../../../manifest.json')",
        "from read_blob('{dataset}/*')",
        "from glob('{dataset}/**')",
        "from parquet_metadata('{dataset}/data/problems/*.parquet')",
        "from sniff_csv('/etc/passwd')",
        "from query('from read_text(''/etc/passwd'')')",
        "select * from problems where id in (select content from read_text('/etc/passwd'))",
        "from duckdb_secrets()",
    ],
)
def test_no_file_can_be_read_but_those_of_the_views(dataset, sql):
    shard = shards.shards(dataset, "problems", "test")[0].resolve()
    quoted = {name: str(path).replace("'", "''") for name, path in (("dataset", dataset), ("shard", shard))}
    with pytest.raises(UsageError, match=r"Permission Error.*use the views"):
        views.query(dataset, sql.format(**quoted))


def test_no_statement_reads_variables_of_the_program(dataset):
    secret = views.query(dataset, "select 'value' as value")
    with pytest.raises(UsageError, match="secret does not exist"):
        views.query(dataset, "from secret")
    assert secret.num_rows == 1


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("from range(1000000000)", "the answer is larger than 64 MiB.*LIMIT"),
        ("select list(i) from range(1000000000) t(i)", "takes more than 2GiB of memory"),
        ("select count(*) from range(1000000) a, range(1000000) b", "takes more than 1 s of processor time"),
        (
            "with recursive a as (select 1 n union all select n from a) select count(*) from a",
            "takes more than 1 s of processor time",
        ),
    ],
)
def test_a_statement_without_end_meets_its_limits(dataset, monkeypatch, sql, message):
    monkeypatch.setattr(views, "ANSWER_MEBIBYTES", 64)
    monkeypatch.setattr(views, "QUERY_SECONDS", 30.0 if "list" in sql else 1.0)
    with pytest.raises(UsageError, match=message):
        views.query(dataset, sql)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("select id from problems where id in (from read_text('/etc/passwd'))", "use the views"),
        ("explain analyze copy (select 1) to '/tmp/x'", "only one reading statement"),
        ("select * from nothing", "views: "),
    ],
)
def test_the_limits_hold_for_the_condition_of_an_export(dataset, sql, message):
    with pytest.raises(UsageError, match=message):
        next(views.stream_rows(dataset, sql))


def test_folder_that_is_no_dataset_is_refused(tmp_path):
    with pytest.raises(OrreryError, match="not a dataset of Orrery"):
        views.query(tmp_path, "select 1")


@pytest.mark.parametrize("said", ["truncated", "damaged"])
def test_a_damaged_shard_is_named_rather_than_the_query(tmp_path, said):
    dataset = samples.dataset(tmp_path / "dataset")
    path = shards.shards(dataset, "text_to_pddl", "test")[0]
    content = path.read_bytes()
    half = len(content) // 2
    path.write_bytes(
        content[:-50] if said == "truncated" else content[:4] + bytes(half) + content[4 + half :]
    )
    with pytest.raises(OrreryError, match=f"{path.name}: cannot be read: {said}") as error:
        views.query(dataset, "select sum(length(natural_language)) from text_to_pddl")
    assert error.value.code == 3


def test_output_in_three_styles(dataset):
    found = views.query(
        dataset,
        "select id, plan, plan_cost, 'x\n' || repeat('y', 99) as long from problems_test order by id limit 2",
    )
    lines = formatted(found, "table").splitlines()
    assert lines[0].split() == ["id", "plan", "plan_cost", "long"]
    assert len(lines) == 4
    assert lines[2].startswith('blocksworld/test/000000  ["(a b)", "(c)"]')
    assert lines[2].endswith("y…")
    first, *rest = csv.reader(io.StringIO(formatted(found, "csv")))
    assert first == found.column_names
    assert rest[0] == ["blocksworld/test/000000", '["(a b)", "(c)"]', "", "x\n" + "y" * 99]
    assert json.loads(formatted(found, "json")) == found.to_pylist()


def test_no_rows_still_show_the_columns(dataset):
    nothing = views.query(dataset, "select id, domain from problems where false")
    assert formatted(nothing, "table").splitlines()[0] == "id  domain"
    assert formatted(nothing, "csv") == "id,domain\n"
    assert formatted(nothing, "json") == "[]\n"


def scored(evals, name, ids, verdict="right"):
    write_run(evals / name, [row(id, verdict=verdict) for id in ids], ABOUT)
    return {name: evals / name / "scores.parquet"}


def test_scores_of_all_runs_join_with_the_tables(dataset, tmp_path):
    ids = [each["id"] for each in answer(dataset, "select id from acp_app_gen_test order by id")]
    runs = scored(tmp_path, "it's one", ids) | scored(tmp_path, "two", ids[:2], "wrong")
    found = views.query(
        dataset,
        "select run, t.domain, count(*) n, avg(value) v from scores join acp_app_gen t using (id) "
        "group by all order by all",
        runs,
    )
    domains = {each["id"]: each["domain"] for each in answer(dataset, "select id, domain from acp_app_gen")}
    assert {(r["run"], r["domain"], r["n"], r["v"]) for r in found.to_pylist()} == {
        (run, domain, sum(domains[id] == domain for id in some), value)
        for run, some, value in (("it's one", ids, 1.0), ("two", ids[:2], 0.0))
        for domain in {domains[id] for id in some}
    }
    assert "scores" in {each["name"] for each in views.query(dataset, "show tables", runs).to_pylist()}


def test_a_copied_run_is_called_like_its_folder(dataset, tmp_path):
    scored(tmp_path, "one", ["a"])
    (tmp_path / "one").rename(tmp_path / "other")
    runs = {"other": tmp_path / "other" / "scores.parquet"}
    assert views.query(dataset, "select run from scores", runs).to_pylist() == [{"run": "other"}]


def test_without_runs_the_message_says_how_to_make_one(dataset):
    with pytest.raises(UsageError, match="'scores' is there once `orrery eval` ran; views: acp_app_bool"):
        views.query(dataset, "select * from scores")


def test_runs_can_be_asked_without_a_dataset(tmp_path):
    runs = scored(tmp_path / "evals", "one", ["a", "b"])
    found = views.query(tmp_path / "none", "select count(*) n from scores", runs).to_pylist()
    assert found == [{"n": 2}]


def test_a_damaged_run_is_named(dataset, tmp_path):
    runs = scored(tmp_path, "one", ["a"])
    path = runs["one"]
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(OrreryError, match=r"scores.parquet: cannot be read: truncated.*`orrery eval` again"):
        views.query(dataset, "select * from scores", runs)


def test_nothing_else_beside_the_runs_can_be_read(dataset, tmp_path):
    runs = scored(tmp_path / "evals", "one", ["a"])
    (tmp_path / "evals" / "secret.csv").write_text("a\n1\n")
    with pytest.raises(UsageError, match="disabled by configuration"):
        views.query(dataset, f"select * from '{tmp_path}/evals/secret.csv', scores", runs)


def test_the_command_finds_the_runs_beside_the_dataset(dataset, tmp_path):
    scored(tmp_path / "outputs" / "evals", "one", ["a"])
    asked = ["query", "select run, verdict from scores", "--json", "--root", str(tmp_path)]
    for more in ([], ["--dataset", str(dataset)]):
        found = CliRunner().invoke(app, [*asked, *more])
        assert json.loads(found.stdout) == [{"run": "one", "verdict": "right"}]
