"""Blocks have all rows of their problems, and are checked again only if what they read has changed."""

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.checks import problem_blocks, verdict_parts
from orrery.checks.inputs import CheckInputs
from orrery.checks.problem_blocks import BlockCheck, ProblemTables, fingerprints
from orrery.checks.sql import files_of
from orrery.checks.tables import check_table
from orrery.config import load
from orrery.model import OrreryError
from tests.tables import PUBLISHED

pytestmark = pytest.mark.slow


@pytest.fixture
def root(build, tmp_path):
    """A copy of the build, to be changed."""
    return shutil.copytree(build, tmp_path / "checkout")


def block_check_of(root, **changes):
    settings = load(root)
    limits = {
        "seconds": settings.size.check.seconds,
        "share": settings.size.check.recheck_sample_rate,
        **changes,
    }
    inputs = CheckInputs(root, root / "outputs/dataset", settings.domains, settings.seed, **limits)
    tables = ProblemTables.of_build(settings)
    return BlockCheck(inputs, tables, root / "verdicts", fingerprints(root, settings.domains))


def test_blocks_have_all_problems_once_with_their_rows_and_those_of_costly_families_are_alone(
    root, rows, monkeypatch
):
    monkeypatch.setattr(problem_blocks, "READ_TOGETHER", 7)
    monkeypatch.setattr(problem_blocks, "TOGETHER", 3)
    check = block_check_of(root)
    blocks = check.tables.blocks(check.inputs)
    ids = [problem for block in blocks for problem in block.problems]
    assert sorted(ids) == sorted(row["id"] for row in rows["problems"])
    assert all(problem.startswith(f"{block.domain}/") for block in blocks for problem in block.problems)
    decided = {row["problem_id"] for row in rows["solved_states"]}
    assert decided
    assert all(len(block.problems) == 1 for block in blocks if not decided.isdisjoint(block.problems))
    expected = {}
    for table in [*PUBLISHED, "solved_states", "texts"]:
        for row in rows[table]:
            if "problem_id" in row:
                of_problem = expected.setdefault(row["problem_id"], {})
                of_problem.setdefault(table, []).append(row.get("id"))
    for block in blocks:
        for problem, by_table in check.tables.rows(block).items():
            by_name = {
                table: sorted(map(str, (row.get("id") for row in listed)))
                for table, listed in by_table.items()
            }
            assert by_name == {table: sorted(map(str, names)) for table, names in expected[problem].items()}


def test_a_planner_decides_some_problems_of_each_table_and_domain(root, rows):
    check = block_check_of(root)
    by_planner = {block.problems[0] for block in check.tables.blocks(check.inputs) if block.by_planner}
    for table in (table for table in PUBLISHED if table.startswith("acp_")):
        for domain in {row["domain"] for row in rows[table]}:
            assert any(row["problem_id"] in by_planner for row in rows[table] if row["domain"] == domain)
    everything = block_check_of(root, share=1.0)
    blocks = everything.tables.blocks(everything.inputs)
    assert sum(block.by_planner for block in blocks) > len(by_planner)


def test_rows_as_they_were_made_have_no_faults(root):
    check, settings = block_check_of(root), load(root)
    for block in check.tables.blocks(check.inputs):
        assert [finding for finding in check(block)[1].findings if finding.faults] == []
    assert [fault for name in PUBLISHED for fault in check_table(settings, name)] == []


def checked_again(root, monkeypatch, **changes):
    """The problems that are checked, not taken from disk."""
    problems = []
    monkeypatch.setattr(
        problem_blocks,
        "_check_problem",
        lambda _, rows, *__: problems.extend(row["id"] for row in rows["problems"]),
    )
    check = block_check_of(root, **changes)
    done = [check(block)[0] for block in check.tables.blocks(check.inputs)]
    verdict_parts.keep_only(root / "verdicts", done)
    assert {path.name for path in (root / "verdicts").iterdir()} == set(done)
    return problems


def change(root, table, column, value_of):
    """Change the first value of a column of a table in the domain ferry; the problem of its row."""
    for path in files_of(root / "outputs" / "dataset", table):
        content = pq.read_table(path, partitioning=None)
        listed = content.to_pylist()
        for row in listed:
            if row["domain"] == "ferry":
                row[column] = value_of(row[column])
                pq.write_table(pa.Table.from_pylist(listed, content.schema), path)
                return row["problem_id"]
    raise AssertionError(table)


def test_only_what_changed_is_checked_again(root, monkeypatch):
    problems = checked_again(root, monkeypatch)
    assert len(problems) == len(set(problems)) > 20
    assert checked_again(root, monkeypatch) == []
    for table, column, value_of in (
        ("text_to_pddl", "natural_language", lambda text: f"{text} Indeed."),
        ("problems", "plan_cost", lambda cost: (cost or 0) + 1),
        ("acp_app_gen", "question", lambda text: f"{text}?"),
    ):
        changed = change(root, table, column, value_of)
        again = checked_again(root, monkeypatch)
        assert changed in again
        assert all(name.startswith("ferry/") for name in again)
    ferry = {name for name in problems if name.startswith("ferry/")}
    for path in ("templates/domains/ferry.j2", "generators/ferry.py", "domains/ferry/domain.pddl"):
        (root / path).write_text((root / path).read_text() + "\n")
        assert set(checked_again(root, monkeypatch)) == ferry
    (root / "templates" / "texts" / "new.j2").write_text("")
    assert set(checked_again(root, monkeypatch)) == set(problems)
    assert set(checked_again(root, monkeypatch, seconds=1.0)) == set(problems)


def test_a_fault_is_found_again_though_nothing_changed_since(root):
    problem = change(root, "problems", "plan_cost", lambda cost: (cost or 0) + 1)
    check = block_check_of(root)
    [block] = (block for block in check.tables.blocks(check.inputs) if problem in block.problems)
    first, again = check(block)[1], check(block)[1]
    assert any(finding.row == problem and finding.faults for finding in again.findings)
    assert (first.checked, first.findings) == (again.checked, again.findings)


def test_a_row_without_its_problem_is_named_and_a_file_of_another_version_refused(root, rows):
    assert list(block_check_of(root).tables.dangling()) == []
    change(root, "acp_app_gen", "problem_id", lambda _: "ferry/test/999999")
    [fault] = block_check_of(root).tables.dangling()
    assert "is not published" in fault
    path = files_of(root / "outputs" / "dataset", "acp_app_gen")[0]
    pq.write_table(pq.read_table(path, partitioning=None).drop_columns(["question"]), path)
    with pytest.raises(OrreryError, match="question"):
        block_check_of(root)
