"""Promised numbers of questions: kept, named where a domain cannot, or the command ends with 5."""

from __future__ import annotations

import itertools
import json
import shutil
from collections import Counter

import pytest

from orrery.checks.questions.promised import faults
from orrery.families.questions.cells import CELLS
from orrery.problems.schemas import REJECTS
from orrery.stages import generate_questions
from orrery.store.shards import read_rows, shards, write
from tests.checkout import checkout, must, orrery
from tests.tables import QUESTIONS

pytestmark = pytest.mark.slow

ASKED, PROMISED = ("ferry", "swap"), 2
EMPTIED = ("acp_app_gen", "acp_app_bool", "acp_val_mcq")
SIZE = f"ask: {{questions: {PROMISED}, exact: true}}"


def cells_of(root, name):
    return list(read_rows(root / "outputs/questions" / name / "cells.parquet", CELLS))


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Two domains up to the questions, and how the commands that asked them ended."""
    root = checkout(tmp_path_factory.mktemp("promised"), ASKED)
    params = root / "params.yaml"
    text = params.read_text().replace(
        "problems_with_questions: 2, states: 2,",
        "problems_with_questions: 2, states: 2, extra_problems: 1, plan_states: 1,",
    )
    params.write_text(text.replace("ask: {questions: 3}", SIZE))
    for name in ASKED:
        for stage in ("generate", "render", "solve"):
            must(root, stage, name, "--jobs", "1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generate_questions, "ROUNDS", 1)
        return root, {name: orrery(root, "generate-questions", name, "--jobs", "1") for name in ASKED}


def test_the_command_ends_with_5_and_names_what_is_short_or_with_0(asked):
    root, ended = asked
    for name, result in ended.items():
        lacking = [each for each in cells_of(root, name) if each["rows"] < PROMISED and not each["bounded"]]
        assert result.exit_code == (5 if lacking else 0), result.stderr
        for each in lacking:
            assert f"{each['table']} {each['split']} has {each['rows']} of {PROMISED}" in result.stderr
            assert f"questions on {name}" in result.stderr


def test_every_cell_is_full_or_has_a_reason(asked):
    root, _ = asked
    for name in ASKED:
        found = cells_of(root, name)
        problems = {each["split"] for each in found}
        assert {(each["table"], each["split"]) for each in found} == set(
            itertools.product(QUESTIONS, problems)
        )
        assert all(each["rows"] <= PROMISED for each in found)
        assert all(each["reason"] for each in found if each["rows"] < PROMISED)
        assert not any(each["bounded"] for each in found if each["rows"] == PROMISED)


def test_what_a_domain_cannot_give_is_bounded(asked):
    """Every sensible fact and action of ferry stays within reach."""
    root, _ = asked
    bounded = {each["table"]: each for each in cells_of(root, "ferry") if each["bounded"]}
    for table in ("acp_reach_gen", "acp_areach_gen"):
        assert "nothing is out of reach" in bounded[table]["reason"]
        assert bounded[table]["rows"] == 0


def test_too_many_promised_is_refused_and_nothing_is_lost(asked, tmp_path, monkeypatch):
    monkeypatch.setattr(generate_questions, "ROUNDS", 0)
    root = shutil.copytree(asked[0], tmp_path / "copy")
    params = root / "params.yaml"
    params.write_text(params.read_text().replace(SIZE, "ask: {questions: 40, exact: true}"))
    result = orrery(root, "generate-questions", *ASKED, "--jobs", "1")
    assert result.exit_code == 5
    assert all(f"questions on {name}: " in result.stderr for name in ASKED)
    assert "acp_app_gen test has" in result.stderr
    assert "sizes.tiny.solve" in result.stderr
    folder = root / "outputs/questions/ferry"
    made = sum(1 for _ in read_rows(folder / "acp_app_gen.parquet", QUESTIONS["acp_app_gen"]))
    assert made > PROMISED
    assert list(read_rows(folder / "rejects.parquet", REJECTS))
    assert not (root / "outputs/.unfinished").exists()


def emptied(root, name, table):
    """Let a domain have no rows of a table, and say why."""
    folder = root / "outputs/questions" / name
    write(folder / f"{table}.parquet", QUESTIONS[table], [])
    lost = {"rows": 0, "spare": 0, "bounded": True, "reason": "emptied for a test"}
    cells = [{**each, **lost} if each["table"] == table else each for each in cells_of(root, name)]
    write(folder / "cells.parquet", CELLS, cells)


def test_totals_are_kept_by_other_domains_and_checked_in_the_files(asked, tmp_path):
    root = shutil.copytree(asked[0], tmp_path / "copy")
    for table in EMPTIED:
        emptied(root, "ferry", table)
    for name in ASKED:
        must(root, "generate-plan-tasks", name, "--jobs", "1")
        must(root, "generate-worlds", name, "--jobs", "1")
    must(root, "describe-domains")
    must(root, "assemble")
    dataset = root / "outputs/dataset"
    promised = json.loads((dataset / "manifest.json").read_text())["promised"]["questions"]
    by_cell = {(c["table"], c["split"], c["domain"]): c for name in ASKED for c in cells_of(root, name)}
    counts = Counter()
    for table, schema in QUESTIONS.items():
        for path in shards(dataset, table):
            rows = list(read_rows(path, schema))
            assert len({row["id"] for row in rows}) == len(rows)
            counts.update((table, path.name.split("-")[0], row["domain"]) for row in rows)
    more = 0
    for table, split in {key[:2] for key in by_cell}:
        mine = [cell for key, cell in by_cell.items() if key[:2] == (table, split)]
        lacking = sum(PROMISED - cell["rows"] for cell in mine)
        added = min(lacking, sum(cell["spare"] for cell in mine))
        total = sum(counts[table, split, cell["domain"]] for cell in mine)
        assert total == sum(cell["rows"] for cell in mine) + (
            added // 2 * 2 if table.endswith("bool") else added
        )
        more += added
    assert more >= len(EMPTIED), "no domain has added anything: the test shows nothing"
    bounded = {key for key, cell in by_cell.items() if cell["bounded"]}
    assert {(c["table"], c["split"], c["domain"]) for c in promised["bounded"]} == bounded
    card = (dataset / "README.md").read_text()
    assert "nothing is out of reach" in card
    if not any(cell["rows"] < PROMISED and not cell["bounded"] for cell in by_cell.values()):
        assert not list(faults(counts, sorted(by_cell), PROMISED, promised))


def named(rows=0, domain="b"):
    return {"table": "t", "split": "test", "domain": domain, "rows": rows, "reason": "for a reason"}


CASES = [("t", "test", "a"), ("t", "test", "b")]


@pytest.mark.parametrize(
    ("counts", "bounded", "totals", "said"),
    [
        ({"a": 4, "b": 4}, [], [], ""),
        ({"a": 8, "b": 0}, [named()], [], ""),
        ({"a": 4, "b": 3}, [], [], "names no rows, there are 3 of 4"),
        ({"a": 5, "b": 0}, [named()], [], "5 rows in all, should be 8"),
        ({"a": 5, "b": 0}, [named()], [{"table": "t", "split": "test", "rows": 5, "promised": 8}], ""),
        ({"a": 8, "b": 1}, [named()], [], "names 0 rows, there are 1"),
        ({"a": 4, "b": 4}, [named(4)], [], "names 4 rows, there are enough"),
        ({"a": 4, "b": 4}, [named(0, "c")], [], "test c: the manifest names 0 rows"),
        ({"a": 5, "b": 4}, [], [], "9 rows in all, should be 8"),
    ],
)
def test_counts_are_compared_with_the_promise_and_the_named_cells(counts, bounded, totals, said):
    there = {("t", "test", name): n for name, n in counts.items()}
    found = list(faults(there, CASES, 4, {"rows": 4, "bounded": bounded, "totals": totals}))
    assert any(said in each for each in found) if said else not found
