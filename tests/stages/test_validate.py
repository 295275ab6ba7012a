"""What may be missing from a dataset, and that one wrong answer in any table of questions ends the build."""

import json
import re
import shutil
import sys
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from orrery.dataset.adversary import TableFigures
from orrery.dataset.adversary.verdict import TrickFigure
from orrery.stages import validate
from orrery.store.shards import shards
from tests.checkout import build, checkout, contents, must, orrery
from tests.stages.test_stages import NOT_ASKED
from tests.tables import PUBLISHED

pytestmark = pytest.mark.slow

DOMAINS = ("blocksworld", "ferry")


def asks_for(root, problems, ferry, questions):
    """The size ``tiny`` with these problems a domain, ferry's apart, and so many questions."""
    params = root / "params.yaml"
    text = params.read_text().replace("questions: 3", f"questions: {questions}")
    text = text.replace("problems_with_questions: 2", f"problems_with_questions: {questions}")
    text = text.replace("by_domain: {}", f"by_domain: {{ferry: {{problems: {ferry}}}}}", 1)
    params.write_text(text.replace("problems: {easy: 6}", f"problems: {problems}", 1))


def test_a_size_may_leave_out_questions_and_domains_and_no_trick_may_score(tmp_path, monkeypatch):
    root = checkout(tmp_path, DOMAINS)
    asks_for(root, "{easy: 4}", "{}", 0)
    build(root, DOMAINS)
    must(root, "validate", "--jobs", "1")
    assert not json.loads((root / "outputs/report/adversary.json").read_text())[0]["unread"]
    trick = TrickFigure("text_to_pddl", "", "most <b>", 900, 0.9, 0.5, 900.0)
    monkeypatch.setattr(validate, "asking", lambda _: ["text_to_pddl"])
    monkeypatch.setattr(validate, "attack_table", lambda _, name: TableFigures(name, 900, [trick]))
    result = orrery(root, "validate", "--jobs", "1")
    assert result.exit_code == 3
    assert "adversary: text_to_pddl: the rule 'most <b>' scores 0.900 on 900 rows" in result.stderr
    verdict = json.loads((root / "outputs/report/validation.json").read_text())
    assert not verdict["passed"]
    assert verdict["adversary"][0]["verdict"] == "too much"
    assert "most &lt;b&gt;" in (root / "outputs/report/index.html").read_text()
    assert orrery(root, "publish", "--to", str(tmp_path / "published")).exit_code == 3
    dataset = root / "outputs/dataset"
    assert shards(dataset, "text_to_pddl")
    assert shards(dataset, "domain_modeling")
    assert not shards(dataset, "acp_app_gen")
    assert "ferry" not in must(root, "query", "select distinct domain from problems").output


def other(row):
    """Another answer to a row: its sides swapped, its first element dropped, or one more."""
    answer = row["answer"]
    if isinstance(answer, int):
        return {"answer": answer + 1}
    if isinstance(answer, str):
        return {"answer": {"yes": "no", "no": "yes"}.get(answer, "A" if answer != "A" else "B")}
    if isinstance(answer, dict):
        one, two = list(answer)[:2]
        return {"answer": {**answer, one: answer[two], two: answer[one]}}
    if len(row.get("positions") or ()) > 1:
        return {"answer": answer[1:], "positions": row["positions"][1:]}
    return {"answer": answer[1:] or ["(zz)"]}


def spoil(path):
    """Changes the answer of the last row of a file; the row's id."""
    table = pq.read_table(path, partitioning=None)
    rows = table.to_pylist()
    rows[-1] |= other(rows[-1])
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path, write_page_checksum=True)
    return rows[-1]["id"]


def test_a_wrong_answer_in_any_table_is_found_and_a_missing_table_too(tmp_path):
    root = checkout(tmp_path, ("ferry",))
    asks_for(root, "{easy: 4}", "{easy: 4, medium: 2}", 2)
    build(root, ("ferry",))
    data = root / "outputs/dataset/data"
    tables = sorted(folder.name for folder in data.glob("acp_*"))
    assert {*tables} == {name for name in PUBLISHED if name.startswith("acp_")} - NOT_ASKED
    spoilt = {spoil(sorted((data / table).glob("*.parquet"))[0]) for table in tables[1:]}
    shutil.rmtree(data / tables[0])
    result = orrery(root, "validate", "--jobs", "1")
    assert result.exit_code == 3
    assert re.search(rf"data/{tables[0]}/[\w-]+\.parquet: is missing", result.stderr)
    failed = json.loads((root / "outputs/report/validation.json").read_text())["failed"]
    assert {each["row"] for each in failed if each["check"] == "answers"} == spoilt
    stated = json.loads((root / "outputs/report/questions.json").read_text())
    there = {table: sum(map(pq_rows, (data / table).glob("*.parquet"))) for table in tables[1:]}
    assert {f"acp_{table}": n for table, n in stated["rows"]["ferry"].items()} == there
    page = (root / "outputs/report/index.html").read_text()
    assert all(row in page for row in spoilt)
    assert "Not asked, and why" in page


def pq_rows(path):
    return pq.read_metadata(path).num_rows


def test_a_report_is_the_same_for_any_number_of_workers(tmp_path):
    root = checkout(tmp_path, ("ferry",))
    build(root, ("ferry",))
    must(root, "validate", "--jobs", "1")
    report = contents(root / "outputs/report")
    shutil.rmtree(root / "outputs" / validate.VERDICTS)
    must(root, "validate", "--jobs", "2")
    assert contents(root / "outputs/report") == report


def test_results_on_whole_tables_are_there_when_a_run_stopped_and_only_then(tmp_path, monkeypatch):
    root = checkout(tmp_path, ("ferry",))
    build(root, ("ferry",))
    must(root, "validate", "--jobs", "1")
    report = contents(root / "outputs/report")
    attacked = []
    attack_table = validate.attack_table
    monkeypatch.setattr(
        validate, "attack_table", lambda dataset, name: attacked.append(name) or attack_table(dataset, name)
    )
    runs = []
    for installed in (["older"], validate.distributions()):
        with monkeypatch.context() as stopped:
            stopped.setattr(validate, "distributions", partial(list, installed))
            stopped.setattr(validate, "write_report", lambda *_: sys.exit(137))
            assert orrery(root, "validate", "--jobs", "1").exit_code == 137
        runs.append([*attacked])
        attacked.clear()
    every_table, again = runs
    assert "text_to_pddl" in every_table
    assert again == every_table
    must(root, "validate", "--jobs", "1")
    assert not attacked
    assert contents(root / "outputs/report") == report
    must(root, "validate", "--jobs", "1")
    assert attacked == every_table
    assert contents(root / "outputs/report") == report


def test_results_on_whole_tables_are_not_used_for_other_rows(tmp_path, monkeypatch):
    root = checkout(tmp_path, ("ferry",))
    build(root, ("ferry",))
    with monkeypatch.context() as stopped:
        stopped.setattr(validate, "write_report", lambda *_: sys.exit(137))
        assert orrery(root, "validate", "--jobs", "1").exit_code == 137
    path, *others = sorted((root / "outputs/dataset/data/text_to_pddl").glob("*.parquet"))
    table = pq.read_table(path, partitioning=None).slice(1)
    pq.write_table(table, path, write_page_checksum=True)
    orrery(root, "validate", "--jobs", "1")
    attacked = json.loads((root / "outputs/report/adversary.json").read_text())
    [rows] = (of_table["rows"] for of_table in attacked if of_table["table"] == "text_to_pddl")
    assert rows == table.num_rows + sum(map(pq_rows, others))
