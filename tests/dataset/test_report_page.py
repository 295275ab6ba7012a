"""The page of a report: what failed is first, each number leads to as many rows, nothing is loaded."""

import html
import re
import subprocess
from collections import Counter
from itertools import product

import duckdb
import pyarrow as pa
import pytest

from orrery.checks import family_checks
from orrery.checks.verdicts import CheckFinding
from orrery.dataset.adversary import TableFigures
from orrery.dataset.adversary.verdict import TrickFigure
from orrery.dataset.question_report import FORMATS
from orrery.dataset.report import RunLine, count_figures, link, row_address, write_report
from orrery.dataset.row_counts import PROMPT, RowCounts, count_rows, count_seen, leakage
from orrery.dataset.selection import (
    ADDRESS,
    MEASURES,
    TOKEN,
    TOKENS,
    expression,
    prompt_columns,
    read_selection,
    rows_of,
    schema_of,
)
from orrery.dataset.size_histograms import bins_of, size_histograms, values_by_family
from orrery.dataset.views import query
from orrery.families import families, tables
from orrery.families.questions.kinds import question_kinds
from orrery.model import UsageError
from orrery.store.shards import splits, write_table_shards
from tests.effort import slow
from tests.every_domain import ROOT
from tests.library import samples
from tests.read_page import ReadPage
from tests.store.samples import row, write_shards

TABLES = ("acp_app_gen", "acp_app_bool", "acp_prog_gen", "plan_verification", "text_to_pddl")


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """A build with few rows of some tables."""
    return samples.build(tmp_path_factory.mktemp("build"), *TABLES)


def written(settings, **more):
    findings = more.pop("findings", [])
    write_report(settings, {("answers", "ferry"): 3}, findings, "abc", {}, **more)
    return (settings.outputs / "report" / "index.html").read_text()


def rows_listed(settings, clause):
    """The number of rows that a link of the page lists."""
    return query(settings.outputs / "dataset", f"select id from {html.unescape(clause)}").num_rows


@slow
def test_every_number_leads_to_as_many_rows(build):
    page = written(build)
    links = re.findall(r'<a href="([^"]*)" data-from="([^"]*)">([\d,]+)</a>', page)
    assert len(links) > 25
    for address, clause, n in links:
        assert rows_listed(build, clause) == int(n.replace(",", "")), clause
        assert address.startswith(f"{ADDRESS}/rows/")


def test_rows_on_composed_domains_are_counted_by_what_train_has(build, tmp_path):
    assert count_seen(build.outputs / "dataset") == []
    some = samples.published(tmp_path, "acp_app_gen")
    wanted = {("train", "both"): 3, ("test", "both"): 1, ("test", "neither"): 2, ("test", ""): 4}
    for table, split in product(("action_modeling", "domain_modeling"), ("train", "test")):
        values = [seen for (of_split, seen), n in wanted.items() if of_split == split for _ in range(n)]
        schema = tables()[table].schema
        write_shards(
            some, schema, split, [row(schema, id=f"{n}", seen=seen) for n, seen in enumerate(values)]
        )
    counts = {(count["table"], count["split"], count["seen"]): count["rows"] for count in count_seen(some)}
    expected = {(split, seen): n for (split, seen), n in wanted.items() if seen}
    assert counts == {
        (table, *key): n for table in ("action_modeling", "domain_modeling") for key, n in expected.items()
    }


@slow
def test_the_page_shows_rows_by_what_train_has_where_there_are_some(build, tmp_path):
    assert 'id="seen"' not in written(build)
    composed = samples.build(tmp_path, "acp_app_gen")
    schema = tables()["domain_modeling"].schema
    rows = [row(schema, id=f"{n}", domain="ferry", seen="theme") for n in range(7)]
    write_shards(composed.outputs / "dataset", schema, "test", rows)
    page = written(composed)
    section = page[page.index('id="seen"') : page.index('id="shapes"')]
    [(clause, n)] = re.findall(r'data-from="([^"]*)">([\d,]+)</a>', section)
    assert rows_listed(composed, clause) == int(n) == 7


@slow
def test_every_bar_leads_to_as_many_rows(build):
    page = written(build)
    bars = re.findall(r'<a href="[^"]*" data-(from|run)="([^"]*)"><path aria-label="([^"]*)"', page)
    counted = [(clause, label) for kind, clause, label in bars if kind == "from"]
    assert len(counted) > 5
    for clause, label in counted:
        if re.search(r": [\d,]+$", label):
            assert rows_listed(build, clause) == int(label.rpartition(": ")[2].replace(",", "")), label
    # A family has many tables: only its page shows the rows of all of them.
    assert {command for kind, command, _ in bars if kind == "run"} == {"orrery browse"}


@slow
def test_it_is_well_formed_and_loads_nothing(build):
    content = written(build)
    page = ReadPage(content)
    assert page.values("src", "srcset", "data") == []
    assert "link" not in {tag for tag, _ in page.elements}
    aims = {address for address in page.values("href") if address.startswith("#")}
    assert {aim.removeprefix("#") for aim in aims} <= {*page.values("id")}
    assert "@import" not in content
    assert not re.findall(r"url\((?!#)", content)
    assert "prefers-color-scheme: dark" in content


@slow
def test_what_failed_stands_before_all_figures(build):
    bad = CheckFinding("answers", "ferry", "ferry/test/000001", ("it is <b>wrong</b>",), ())
    damaged = RunLine("one", problem="cannot be read")
    page = written(
        build,
        findings=[bad],
        runs=[damaged, RunLine("two", "m", 9, {"value": 0.5, "low": 0.2, "high": 0.8}, "abc")],
    )
    order = ["1 rows failed", "it is &lt;b&gt;wrong", "cannot be read", "Rows by table", "two", "50.0 %"]
    assert [page.index(each) for each in order] == sorted(page.index(each) for each in order)
    assert "these rows" in page
    assert f'href="{ADDRESS}/row/ferry/test/000001" data-run="orrery show ferry/test/000001"' in page


@slow
@pytest.mark.parametrize(
    ("faults", "undecided", "headline"),
    [
        ((), (), '<p class="good">Every row passed its checks.</p>'),
        ((), ("its plan",), '<p class="warn">No row failed. 1 row was not decided a second time.</p>'),
        (("bad",), ("its plan",), '<p class="bad">1 rows failed.</p>'),
    ],
)
def test_the_first_line_tells_what_was_not_decided_a_second_time(build, faults, undecided, headline):
    finding = CheckFinding("answers", "ferry", "ferry/test/000001", faults, undecided)
    assert headline in written(build, findings=[finding])


@slow
def test_tables_have_scopes_and_boxes_that_scroll_are_reached_by_keyboard(build):
    page = ReadPage(written(build))
    heads = [attributes for tag, attributes in page.elements if tag == "th"]
    boxes = [attributes for _, attributes in page.elements if "scroll" in attributes.get("class", "").split()]
    assert heads
    assert {each.get("scope") for each in heads} <= {"col", "row"}
    assert boxes
    assert all({"tabindex", "role", "aria-label"} <= each.keys() for each in boxes)


@slow
def test_every_check_is_listed_with_its_method(build):
    page = written(build)
    methods = re.findall(r'<th scope="row">([^<]*)</th>', page[page.index('id="checked"') :])
    listed = {name for names in methods for name in names.split(", ")}
    checks = {name for family in family_checks().values() for name in family.columns}
    assert {re.split(": | of kind ", name)[0] for name in checks} <= listed


@slow
def test_all_but_the_first_section_are_folded(build):
    page = written(build)
    sections = re.findall(r'<h2 id="([^"]*)"', page)
    parts = re.findall(r'<details class="part"><summary><h2 id="([^"]*)"', page)
    assert (sections[0], sections[1:]) == ("open", parts)


@slow
def test_the_same_build_gives_the_same_bytes(build):
    assert written(build) == written(build)


@slow
def test_leaks_between_splits_are_counted_and_listed(build, tmp_path):
    some = samples.published(tmp_path, "acp_app_gen")
    assert not any(each["shared"] for each in leakage(some)["shared"])
    schema = tables()["acp_app_gen"].schema
    row = dict(samples.fresh("acp_app_gen")[0].row)
    other = dict(samples.fresh("acp_app_gen")[1].row) | {"id": "x"}
    silent = dict.fromkeys(prompt_columns("acp_app_gen"), "") | {"id": "silent"}
    write_table_shards(
        some, schema, "validation", [pa.Table.from_pylist([other | silent | {"problem_id": "v"}], schema)]
    )
    rows = [
        row | {"id": "again"},
        other | {"problem_id": "y", "question": "?"},
        other | silent | {"problem_id": "t"},
    ]
    write_table_shards(some, schema, "train", [pa.Table.from_pylist(rows, schema)])
    found = {each["what"]: each for each in leakage(some)["shared"]}
    assert (found["problem_id"]["shared"], found[PROMPT]["shared"]) == (1, 1)
    listed = query(some, found[PROMPT]["sql"]).to_pylist()
    assert sorted(each["id"] for each in listed) == sorted(["again", row["id"]])


TEXTS = ["", "a-b (c d)", "x", "\u00e9!a\n b_c.", "  ", "ab", "a", "x", " pick(b1) ", "\u2013\u00a0z"]


def test_tokens_are_words_and_single_marks():
    pattern = re.compile(TOKEN, re.ASCII)
    sql = f"select len(regexp_extract_all(unnest, '{TOKEN}')) from unnest(?)"
    assert [n for (n,) in duckdb.execute(sql, [TEXTS]).fetchall()] == [len(pattern.findall(x)) for x in TEXTS]


@slow
def test_every_measure_is_what_its_sql_counts(build):
    made_of = build.outputs / "dataset"
    by_measure = values_by_family(made_of)
    for measure, by_family in by_measure.items():
        for family, values in by_family.items():
            counted = Counter()
            for name, by_split in splits(made_of).items():
                schema = schema_of(by_split["test"][0])
                if name in {t.name for t in families()[family].tables} and (
                    sql := expression(measure, schema)
                ):
                    listed = query(made_of, f"select {sql} as v from {name}").to_pylist()
                    counted.update(row["v"] for row in listed)
            counted.pop(None, None)
            assert values == counted, (measure, family)
    assert {*by_measure} == {*MEASURES} > {TOKENS}
    for each in size_histograms(made_of, ROOT / "templates"):
        totals = {family: values.total() for family, values in by_measure[each["measure"]].items()}
        assert {family: sum(rows) for family, rows in each["rows"].items()} == totals


def test_bins_are_round_hold_everything_and_end_where_values_get_rare():
    assert bins_of(Counter({3: 1})) == [(3, 3)]
    assert bins_of(Counter(range(10))) == [(n, n) for n in range(10)]
    wide = bins_of(Counter(range(100)))
    assert wide[0] == (0, 4)
    assert wide[-1] == (95, 99)
    rare = bins_of(Counter({**dict.fromkeys(range(20), 100), 5000: 1}))
    assert rare[-1] == (19, None)


def test_an_address_and_its_selection_are_the_same():
    chosen = rows_of("acp_prog_gen", "two words", split="test", answers=(1, None), solvable=None)
    _, _, query_string = chosen.address.partition("?")
    from urllib.parse import parse_qsl

    assert read_selection("acp_prog_gen", parse_qsl(query_string)) == chosen


@pytest.mark.parametrize(
    "wrong",
    [{"no_such": "1"}, {"num_objects": (None, "1; drop table x")}, {"num_objects": ("nan", None)}],
)
def test_what_is_no_column_and_no_number_is_refused(wrong):
    with pytest.raises(UsageError):
        rows_of("acp_app_gen", **wrong).where(tables()["acp_app_gen"].schema)


def test_values_are_quoted_in_sql_and_for_the_shell(build):
    chosen = rows_of("acp_app_gen", "it's `$HOME`", domain="a'b\"c")
    assert rows_listed(build, chosen.clause) == 0
    word = chosen.command.removeprefix("orrery query ")
    shell = subprocess.run(["sh", "-c", f"printf %s {word}"], capture_output=True, text=True, check=True)
    assert shell.stdout == f"select id from {chosen.clause}"


@slow
def test_a_page_of_forty_domains_takes_less_than_a_megabyte(build):
    figures = count_figures(build)
    domains = [f"some-domain-{n}" for n in range(40)]
    cells = product(["", *tables()], ["", "train", "validation", "test"], ["", *domains])
    names = [f"{kind}_{form}" for kind in question_kinds() for form in FORMATS]
    left = {"states": 12, "of": 480, "by_domain": Counter(domains)}
    questions = figures.questions | {
        "states": dict.fromkeys(domains, 12),
        "kinds": dict.fromkeys(question_kinds(), FORMATS),
        "rows": dict.fromkeys(domains, dict.fromkeys(names, 12)),
        "not_asked": dict.fromkeys(names, dict.fromkeys(["too few claims", "no counterpart"], left)),
        "reasons": dict.fromkeys(FORMATS, ("no counterpart", "too few claims")),
    }
    large = figures._replace(rows=RowCounts(dict.fromkeys(cells, 12)), domains=domains, questions=questions)
    attacked = [
        TableFigures(
            name,
            12,
            [TrickFigure(name, domain, "least length", 12, 0.5, 0.5, 12) for domain in ("", *domains)],
        )
        for name in tables()
    ]
    page = written(build, counted=large, attacked=attacked)
    assert 300_000 < len(page.encode()) < 1_000_000


def test_a_number_without_rows_is_no_link():
    assert link(0, "acp_app_gen") == "0"
    assert row_address("all tables") == "all tables"


def test_rows_are_counted_by_split_and_domain(build):
    counted = count_rows(build.outputs / "dataset")
    assert set(counted.tables) == set(TABLES)
    assert all(counted.total(name, "test") == counted.total(name) == samples.FEW for name in TABLES)
    assert counted.total("acp_app_gen", "train") == 0
    assert counted.total() == sum(n for *_, n in counted.cells()) == samples.FEW * len(TABLES)
