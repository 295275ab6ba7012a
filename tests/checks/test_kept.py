"""Kept verdicts: used where all that they were made from is the same, and nowhere else."""

import shutil
import sys
from collections import defaultdict
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.checks import family_checks, made_from, problem_rows
from orrery.checks.kept import Kept, KeptVerdicts, Keys
from orrery.checks.made_from import MadeFrom, domain_files, hash_of_rows
from orrery.checks.problem_rows import ItemCheck
from orrery.checks.row_index import Batch, RowIndex, Rows
from orrery.checks.verdicts import Verdicts
from orrery.config import load
from orrery.store.shards import shards
from tests.checkout import build, checkout, orrery

pytestmark = pytest.mark.slow

DOMAINS = ("blocksworld", "ferry")


def verdicts(*rows, faults=(), notes=()):
    found = Verdicts()
    for row in rows:
        found.enter("plans", "ferry", row, list(faults))
    found.notes["splits"] += notes
    return found


class TestKept:
    def test_what_is_kept_comes_back_by_family(self, tmp_path):
        kept = Kept(tmp_path)
        assert kept.load("aa") == {}
        assert kept.is_empty()
        kept.save(
            "aa", {"problems": KeptVerdicts("1", verdicts("a", "b", notes=[("a", 3), ["b", [4, None]]]))}
        )
        kept.save("aa", {"plans": KeptVerdicts("2", verdicts("c", faults=["wrong", "undecided: why"]))})
        assert not kept.is_empty()
        found = kept.load("aa")
        assert {name: each.code for name, each in found.items()} == {"problems": "1", "plans": "2"}
        assert found["problems"].verdicts.checked == {("plans", "ferry"): 2}
        assert found["problems"].sound
        assert not found["plans"].sound
        assert found["plans"].verdicts.findings == verdicts("c", faults=["wrong", "undecided: why"]).findings
        assert list(kept.notes(["aa", "bb"], "splits")) == [("a", 3), ("b", (4, None))]

    def test_a_damaged_file_counts_as_not_there(self, tmp_path):
        kept = Kept(tmp_path)
        kept.save("aa", {"problems": KeptVerdicts("1", verdicts("a"))})
        (path,) = tmp_path.glob("*/*")
        content = path.read_bytes()
        for spoilt in (content[:-1], content[:20], b"", content[:40] + b"x" + content[41:]):
            path.write_bytes(spoilt)
            assert kept.load("aa") == {}

    def test_what_is_not_used_goes(self, tmp_path):
        kept = Kept(tmp_path)
        keys = [first + "0" * 62 for first in ("aa", "ab", "bb")] + ["aa" + "1" * 62]
        for key in keys:
            kept.save(key, {"problems": KeptVerdicts("1", verdicts("a"))})
        used = Keys(keys[2:])
        assert list(used) == keys[2:]
        kept.prune(used)
        assert [bool(kept.load(key)) for key in keys] == [False, False, True, True]


def test_rows_are_known_by_names_kinds_and_values():
    rows = pa.table({"a": [1, 2], "b": [["x"], None]})
    same = pa.concat_tables([rows.slice(0, 1), rows.slice(1)]).replace_schema_metadata({"made": "elsewhere"})
    assert hash_of_rows(rows) == hash_of_rows(same)
    others = [
        rows.slice(0, 1),
        rows.rename_columns(["a", "c"]),
        pa.table({"a": [1, 3], "b": [["x"], None]}),
        pa.table({"a": [1, 2], "b": [["x"], []]}),
        pa.table({"a": pa.array([1, 2], pa.int32()), "b": [["x"], None]}),
        rows.take([1, 0]),
    ]
    assert len({hash_of_rows(each) for each in [rows, *others]}) == 1 + len(others)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A build of two domains; not to be changed."""
    root = checkout(tmp_path_factory.mktemp("kept"), DOMAINS)
    build(root, DOMAINS)
    return root


@pytest.fixture
def root(built, tmp_path):
    """A copy that was validated."""
    root = shutil.copytree(built, tmp_path / "checkout")
    assert checked_again(root)
    assert checked_again(root) == {}
    return root


def checked_again(root, code=None, **changes):
    """The items that are checked, by domain: their families."""
    settings = load(root)
    index = RowIndex.of_build(settings)
    made = MadeFrom.of(settings.root, settings.domains)
    check = ItemCheck(
        replace(index.inputs, **changes), replace(made, code=code or made.code), Kept(root / "kept")
    )
    found = defaultdict(list)
    with pytest.MonkeyPatch.context() as patch:
        really = problem_rows._checked

        def recorded(inputs, item, tables, checks):
            of = next(iter(tables.values())) if isinstance(item, Rows) else tables["problems"]
            (domain,) = of["domain"].unique().to_pylist()
            found[domain].append(sorted(checks))
            return really(inputs, item, tables, checks)

        patch.setattr(problem_rows, "_checked", recorded)
        made_from._hash.cache_clear()
        for item in index.items():
            check(item)
    return dict(found)


def items(root, domain):
    """The number of items of a domain."""
    index = RowIndex.of_build(load(root))
    names = [name for _, name in index._problems()]
    mine = [each for each in index.items() if not isinstance(each, Rows)]
    own = sum(names[each.problems[0]].startswith(f"{domain}/") for each in mine)
    return own + sum(
        index.inputs.rows[each.table].rows(each.numbers[:1])["domain"].to_pylist() == [domain]
        for each in index.items()
        if isinstance(each, Rows)
    )


def changed(root, table, column, change):
    """Change the first value of a column of a table in one domain; the files stay in their order."""
    for path in shards(root / "outputs" / "dataset", table):
        rows = pq.read_table(path, partitioning=None)
        listed = rows.to_pylist()
        place = next((i for i, row in enumerate(listed) if row["domain"] == "ferry"), None)
        if place is not None:
            listed[place][column] = change(listed[place][column])
            pq.write_table(pa.Table.from_pylist(listed, rows.schema), path, write_page_checksum=True)
            return


@pytest.mark.parametrize(
    ("table", "column", "change"),
    [
        ("text_to_pddl", "natural_language", lambda text: text + " Indeed."),
        ("problems", "plan_cost", lambda cost: (cost or 0) + 1),
        ("acp_app_gen", "question", lambda text: text + "?"),
        ("domain_modeling", "license", lambda text: text + "?"),
    ],
)
def test_one_row_that_changed_is_checked_again_with_what_stands_beside_it(root, table, column, change):
    changed(root, table, column, change)
    again = checked_again(root)
    assert list(again) == ["ferry"]
    assert len(again["ferry"]) == 1
    # Of what holds a fault nothing is used the next time, either.
    assert (
        checked_again(root) == {"ferry": [[name] for name in again["ferry"][0] if is_faulty(root, name)]} or 1
    )


def is_faulty(_root, _name):
    return True


@pytest.mark.parametrize(
    "file",
    ["domains/{}/domain.yaml", "domains/{}/domain.pddl", "generators/{}.py", "templates/domains/{}.j2"],
)
def test_a_file_of_a_domain_brings_that_domain_and_no_other(root, file):
    path = root / file.format("ferry")
    comments = {".j2": "\n{# more #}\n", ".pddl": "\n; more\n"}
    path.write_text(path.read_text() + comments.get(path.suffix, "\n# more\n"))
    again = checked_again(root)
    assert {name: len(some) for name, some in again.items()} == {"ferry": items(root, "ferry")}


@pytest.mark.parametrize("folder", ["questions", "plans", "vocabularies"])
def test_a_template_that_domains_share_brings_all(root, folder):
    path = next((root / "templates" / folder).rglob("*.*"))
    path.write_text(path.read_text() + ("\n# more\n" if path.suffix != ".j2" else "\n{# more #}\n"))
    assert {name: len(some) for name, some in checked_again(root).items() if name in DOMAINS} == {
        name: items(root, name) for name in DOMAINS
    }


@pytest.mark.parametrize("change", [{"seed": 8}, {"seconds": 4.0}])
def test_a_parameter_that_checks_read_brings_all(root, change):
    again = checked_again(root, **change)
    assert {name: len(again[name]) for name in DOMAINS} == {name: items(root, name) for name in DOMAINS}


def test_another_share_brings_what_another_tool_now_decides(root):
    params = root / "params.yaml"
    params.write_text(params.read_text().replace("planner_share: 0.0", "planner_share: 1.0"))
    index = RowIndex.of_build(load(root))
    before = sum(map(len, checked_again(root).values()))
    drawn = [each for each in index.items() if not isinstance(each, Batch | Rows) or each[-1] is True]
    assert 0 < before <= len(drawn)
    assert checked_again(root) == {}


def test_the_code_of_a_check_brings_the_families_that_run_it(root, tmp_path, monkeypatch):
    package = shutil.copytree(made_from.PACKAGE, tmp_path / "orrery")
    monkeypatch.setattr(made_from, "PACKAGE", package)
    made_from._hash.cache_clear()
    before = {name: made_from.code_of(name) for name in family_checks()}
    assert checked_again(root, code=before) == {}
    for module, families in (
        ("checks/plans/apart.py", {"plans"}),
        ("checks/text_to_pddl.py", {"text_to_pddl"}),
        ("checks/space.py", set(family_checks())),
        ("checks/questions/kinds/reach.py", {"plans", "problems", "questions"}),
        ("checks/problem_rows.py", set(family_checks())),
        ("semantics/grounding.py", set(family_checks())),
        ("planners/unified_worker.py", set(family_checks())),
        ("generator_kit.py", set(family_checks())),
        ("cli/main.py", set()),
    ):
        path = package / module
        path.write_text(path.read_text() + "\n# more\n")
        made_from._hash.cache_clear()
        after = {name: made_from.code_of(name) for name in family_checks()}
        assert {name for name in after if after[name] != before[name]} == families, module
        again = {name for some in checked_again(root, code=after).values() for each in some for name in each}
        assert again <= families
        assert bool(again) == bool(families), module
        before = after


def test_checks_read_no_files_of_a_checkout_but_those_that_are_counted(built, tmp_path):
    root, opened = shutil.copytree(built, tmp_path / "checkout"), set()
    listening = [True]

    def hear(event, arguments):
        if listening and event == "open" and str(arguments[0]).startswith(str(root)):
            opened.add(str(arguments[0]))

    sys.addaudithook(hear)
    checked_again(root)
    listening.clear()
    counted = {str(root / path) for name in DOMAINS for path, _ in domain_files(root, name)}
    inside = (str(root / "outputs"), str(root / "kept"), str(root / "params.yaml"))
    read = {name for name in opened if not name.startswith(inside) and "__pycache__" not in name}
    assert read <= counted
    assert any(name.endswith("ferry.j2") for name in read)


def test_a_fault_stays_one_though_nothing_changed_since(root):
    shutil.copytree(root / "kept", root / "outputs/.validated/tiny", dirs_exist_ok=True)
    changed(root, "problems", "num_objects", lambda number: number + 1)
    for _ in range(2):
        result = orrery(root, "validate", "--jobs", "1")
        assert result.exit_code == 3
        report = (root / "outputs/report/validation.json").read_text()
        assert "num_objects is" in report
