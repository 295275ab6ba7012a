"""Paraphrases are accepted where their problem is recovered, else kept with the reason; none is lost."""

from __future__ import annotations

import json
from functools import cache
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import orrery
from orrery.checks.paraphrase_reader import UNREAD
from orrery.demo_model import Fault, Faults, ScriptedReplies, serving
from orrery.demo_model.replies import NONSENSE
from orrery.demo_model.rewording import scripted
from orrery.evaluation.asker import Asker
from orrery.families.text_to_pddl.schemas import TEXT_TO_PDDL
from orrery.library.choice import RowSelection, items_of
from orrery.library.paraphrases import PARAPHRASES, REJECTS
from orrery.model import OrreryError, UsageError
from orrery.stages.evaluate import model_arguments
from orrery.stages.paraphrase import ACCEPTED_FILE, REJECTS_FILE, plan_of_file, plan_of_model, run
from orrery.store import shards
from orrery.store.columns import from_rows
from orrery.store.shards import write_table_shards
from tests.every_domain import ROOT

TABLE, MODEL, COUNT = "text_to_pddl", "openai-api/demo/demo", 2
ASKER = Asker(MODEL, "http://127.0.0.1:1/v1", max_retries=0)


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("DEMO_API_KEY", "any")


@cache
def rows():
    """Rows of one domain, two of which list the facts of the initial state."""
    stream = orrery.tasks(TABLE, "blocksworld", seed=5, root=ROOT)
    listed = islice((item for item in stream if not item.row["init_is_abstract"]), 2)
    told = (item for item in stream if item.row["init_is_abstract"])
    return [*listed, next(told)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("dataset")
    table = from_rows(TEXT_TO_PDDL, [dict(item.row) for item in rows()])
    write_table_shards(found, TEXT_TO_PDDL, "test", [table])
    return str(found)


@pytest.fixture(scope="module")
def written():
    """A sound paraphrase of each row and number, as the scripted model writes them."""
    texts = [item.reply for item in scripted(rows(), COUNT)][::2]
    ids = [item.row["id"] for item in rows() for _ in range(COUNT)]
    return [{"id": row_id, "natural_language": text} for row_id, text in zip(ids, texts, strict=True)]


def file_of(tmp_path, given):
    path = tmp_path / "given.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in given))
    return path


def tables(result):
    found = (result.folder / ACCEPTED_FILE, PARAPHRASES), (result.folder / REJECTS_FILE, REJECTS)
    return [list(shards.read_rows(path, schema)) for path, schema in found]


def by_file(tmp_path, folder, given, asker=None, split=None, name="run"):
    asked = model_arguments(asker) if asker else None
    planned = plan_of_file(file_of(tmp_path, given), folder, split, asked, ROOT)
    return run(planned, asker, ROOT, tmp_path / name, [].append)


def by_model(tmp_path, folder, server, name="run", count=COUNT):
    asker = Asker(MODEL, server.url, max_retries=0)
    planned = plan_of_model(RowSelection(folder, "test"), count, model_arguments(asker), ROOT)
    return run(planned, asker, ROOT, tmp_path / name, [].append)


def test_without_a_model_the_reader_alone_decides(tmp_path, folder, written):
    result = by_file(tmp_path, folder, written)
    accepted, rejects = tables(result)
    assert result.complete
    assert accepted
    assert rejects
    assert {row["accepted_by"] for row in accepted} == {"reader"}
    assert all(row["reason"].startswith(UNREAD) for row in rejects)
    assert len(accepted) + len(rejects) == len(written)
    again = {(row["id"], row["natural_language"]) for row in (*accepted, *rejects)}
    assert again == {(row["id"], row["natural_language"]) for row in written}


@pytest.mark.slow
def test_what_the_reader_cannot_read_the_model_is_asked_for(tmp_path, folder, written):
    with serving(ScriptedReplies(scripted(rows(), COUNT))) as server:
        result = by_file(tmp_path, folder, written, Asker(MODEL, server.url, max_retries=0))
        accepted, rejects = tables(result)
        by_reader = [row for row in accepted if row["accepted_by"] == "reader"]
        assert len(server.asked) == len(written) - len(by_reader)
    assert rejects == []
    assert len(accepted) == len(written)
    assert {row["recovered_by"] for row in by_reader} == {""}
    assert {row["recovered_by"] for row in accepted if row not in by_reader} == {MODEL}


@pytest.mark.slow
def test_a_model_that_recovers_nothing_leaves_its_replies_with_the_rejects(tmp_path, folder, written):
    with serving(ScriptedReplies([])) as server:
        result = by_file(tmp_path, folder, written, Asker(MODEL, server.url, max_retries=0))
    rejects = tables(result)[1]
    assert {row["reply"] for row in rejects} == {NONSENSE}
    assert all(row["reason"].startswith("the model recovered no problem: ") for row in rejects)


@pytest.mark.slow
def test_a_model_writes_paraphrases_and_nothing_is_asked_twice(tmp_path, folder):
    with serving(ScriptedReplies(scripted(rows(), COUNT))) as server:
        first = by_model(tmp_path, folder, server)
        asked = len(server.asked)
        again = by_model(tmp_path, folder, server)
        assert len(server.asked) == asked
    assert (first.accepted, first.rejected) == (again.accepted, again.rejected)
    accepted, rejects = tables(first)
    assert [(row["id"], row["number"]) for row in accepted] == [
        (item.row["id"], number)
        for item in items_of(RowSelection(folder, "test"), TABLE, ROOT)
        for number in range(1, COUNT + 1)
    ]
    assert rejects == []
    assert {row["author"] for row in accepted} == {MODEL}
    assert set(first.accepted) == {"reader", "model"}
    about = json.loads((tmp_path / "run" / "run.json").read_text())
    assert about["finished"] is True
    assert about["arguments"]["count"] == COUNT


@pytest.mark.slow
def test_paraphrases_that_leave_a_fact_out_are_rejected_with_the_reason(tmp_path, folder):
    with serving(ScriptedReplies(scripted(rows(), COUNT, drop=1.0))) as server:
        result = by_model(tmp_path, folder, server)
    accepted, rejects = tables(result)
    assert accepted == []
    assert len(rejects) == COUNT * len(rows())
    assert {row["reason"].partition(":")[0] for row in rejects} >= {"it tells another problem"}
    assert all(("lacks (" in row["reason"]) or row["reply"] for row in rejects)


@pytest.mark.slow
def test_what_got_no_reply_is_neither_accepted_nor_rejected_and_asked_for_again(tmp_path, folder):
    with serving(ScriptedReplies(scripted(rows(), COUNT)), Faults({Fault.JSON: 0.5}, seed=3)) as server:
        result = by_model(tmp_path, folder, server)
    assert not result.complete
    accepted, rejects = tables(result)
    assert len(accepted) + len(rejects) + result.unanswered == COUNT * len(rows())
    port = server.server_port
    with serving(ScriptedReplies(scripted(rows(), COUNT)), port=port) as server:
        result = by_model(tmp_path, folder, server)
    assert result.complete
    assert len(tables(result)[0]) == COUNT * len(rows())


def test_the_accepted_join_with_the_rows_of_the_split(tmp_path, folder, written):
    result = by_file(tmp_path, folder, written, split="test")
    split = pa.concat_tables([shards.read(path) for path in shards.shards(Path(folder), TABLE, "test")])
    joined = pq.read_table(result.folder / ACCEPTED_FILE).join(
        split.select(["id", "problem_pddl"]), "id", join_type="left outer"
    )
    assert joined.num_rows == sum(result.accepted.values())
    assert joined["problem_pddl"].null_count == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda row: {"natural_language": "  "}, "it is empty"),
        (lambda row: {"natural_language": row["natural_language"] + "\n"}, "it is the row's own text"),
        (lambda row: {"natural_language": "half \ud800"}, "it holds half a character"),
        (lambda row: {"natural_language": "a" * 100_001}, "it is too long"),
    ],
)
def test_what_is_no_paraphrase_is_rejected_unread(tmp_path, folder, change, reason):
    row = rows()[0].row
    rejects = tables(by_file(tmp_path, folder, [{"id": row["id"], **change(row)}]))[1]
    assert [each["reason"] for each in rejects] == [reason]


def test_the_same_text_is_taken_once(tmp_path, folder, written):
    result = by_file(tmp_path, folder, [written[0], written[0]])
    assert sum(result.accepted.values()) == 1
    assert dict(result.rejected) == {"it is paraphrase 1 of the row again": 1}


def test_a_wrong_file_is_one_error_that_names_the_line(tmp_path, folder, written):
    wrong = [written[0], {"id": "no/such/row", "natural_language": "text"}]
    with pytest.raises(
        UsageError, match=r"given.jsonl:2: 'no/such/row' is not an id of table text_to_pddl in "
    ):
        by_file(tmp_path, folder, wrong)
    with pytest.raises(OrreryError, match=r"given.jsonl:1: has no natural_language"):
        by_file(tmp_path, folder, [{"id": "a"}])
    with pytest.raises(OrreryError, match=r"given.jsonl: holds no paraphrases"):
        by_file(tmp_path, folder, [])
    with pytest.raises(UsageError, match="no such file"):
        plan_of_file(tmp_path / "none.jsonl", folder, None, None, ROOT)
    with pytest.raises(UsageError, match="has no rows in split 'train'"):
        by_file(tmp_path, folder, written, split="train")
    assert not (tmp_path / "run").exists()


def test_a_folder_keeps_to_its_arguments(tmp_path, folder, written):
    by_file(tmp_path, folder, written)
    with pytest.raises(UsageError, match="was started with digest"):
        by_file(tmp_path, folder, written[:1])
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="contains other files"):
        by_file(tmp_path, folder, written, name="other")


@pytest.mark.slow
def test_a_wrong_key_ends_the_run_at_once(tmp_path, folder):
    with (
        serving(ScriptedReplies(scripted(rows(), COUNT)), key="right") as server,
        pytest.raises(UsageError, match="the server refuses it"),
    ):
        by_model(tmp_path, folder, server)
