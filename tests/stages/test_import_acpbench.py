"""Published files of every layout are read, judged and written; what cannot be read is refused."""

import gzip
import json

import pytest

from orrery.corpus.acpbench import redecide
from orrery.model import OrreryError
from orrery.pddl.write import write_atom, write_domain, write_problem
from orrery.stages import import_acpbench, imports
from orrery.stages.import_acpbench import ROWS, run
from orrery.store.shards import read_rows
from tests.every_domain import easy_problems, entry
from tests.universe import applicable_steps


def published(number, answer, **more):
    problem = easy_problems("ferry", 1)[0]
    return {
        "id": number,
        "group": "applicable_actions_gen",
        "context": "",
        "question": "Which actions?",
        "answer": answer,
        "PDDL_domain": write_domain(entry("ferry").domain),
        "PDDL_problem": write_problem(problem),
        **more,
    }


@pytest.fixture
def folder(tmp_path):
    """A published folder: a list of rows, a packed list of choices, lines, and files of other things."""
    problem = easy_problems("ferry", 1)[0]
    steps = [write_atom(step) for step in applicable_steps(entry("ferry").domain, problem, problem.init)]
    assert len(steps) > 1
    found = tmp_path / "dataset"
    (found / "app").mkdir(parents=True)
    (found / "app" / "dev.gen.json").write_text(json.dumps([published(-7, steps), published(8, steps[1:])]))
    choice = {"id": 9, "group": "applicable_actions_mc", "context": "", "question": "A or B?", "answer": "A"}
    packed = json.dumps([{**choice, "choices": {"text": ["x", "y"], "label": ["A", "B"]}}])
    (found / "app" / "test.mcq.json.gz").write_bytes(gzip.compress(packed.encode()))
    outside = published(10, steps, PDDL_domain="(define (domain d) (:durative-action a))")
    (found / "acp_app_gen-test.jsonl").write_text(json.dumps(outside) + "\n")
    (found / "package.json").write_text('{"name": "site"}')
    return found


def test_all_rows_are_judged_and_distinguished(folder, tmp_path):
    summary = run(folder, tmp_path / "out")
    rows = {row["id"]: row for row in read_rows(tmp_path / "out" / "acpbench.parquet", ROWS)}
    verdicts = {name: row["verdict"] for name, row in rows.items()}
    assert verdicts == {"-7": "right", "8": "wrong", "9": "outside", "10": "outside"}
    assert json.loads(rows["8"]["answer"]) == json.loads(rows["-7"]["stored"])
    assert (rows["-7"]["split"], rows["9"]["split"], rows["10"]["split"]) == ("validation", "test", "test")
    assert rows["9"]["choices"]
    assert summary.made == {"rows": 4, "app right": 1, "app wrong": 1}
    assert summary.left_out == {
        "outside: PDDL outside the subset": 1,
        "outside: the row holds no PDDL": 1,
    }


def test_an_interrupted_import_keeps_the_rows_decided_and_goes_on(folder, tmp_path, monkeypatch):
    decided = []

    def judged(row, effort):
        if len(decided) == 2:
            raise KeyboardInterrupt
        decided.append(row["id"])
        return redecide(row, effort)

    monkeypatch.setattr(imports, "PART", 1)
    monkeypatch.setattr(import_acpbench, "redecide", judged)
    with pytest.raises(KeyboardInterrupt):
        run(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    again = []
    monkeypatch.setattr(
        import_acpbench, "redecide", lambda row, e: (again.append(row["id"]), redecide(row, e))[1]
    )
    run(folder, tmp_path / "out")
    assert len(again) == 2
    assert {*again, *decided} == {"-7", "8", "9", "10"}
    monkeypatch.undo()
    run(folder, tmp_path / "whole")
    one, two = ((tmp_path / out / "acpbench.parquet").read_bytes() for out in ("out", "whole"))
    assert one == two
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dataset", "out", "whole"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", ": is not JSON"),
        (b"[1, 2", ": is not JSON"),
        (b"[1, 2]", ""),
        (b'[{"id": 1, "id": 1}]', ": `id`: a key is given twice with the same value"),
        (b'[{"id": 1, "id": 2}]', ": `id`: a key is given twice with different values"),
        (b"\xef\xbb\xbf[]", ": begins with a byte order mark"),
        (b"[\r\n]", ": has line ends of another system"),
        ('[{"id": "\xe9"}]'.encode("latin-1"), ": is not UTF-8, and is read as Latin-1"),
    ],
)
def test_a_deviating_file_is_named_and_the_others_are_read(folder, tmp_path, content, problem):
    (folder / "app" / "dev.gen.json").write_bytes(content)
    summary = run(folder, tmp_path / "out")
    assert summary.made["rows"] == 2
    assert len(summary.warnings) == bool(problem)
    assert all(f"dev.gen.json{problem}" in warning for warning in summary.warnings)


def test_a_bad_line_is_named_and_the_others_are_read(folder, tmp_path):
    path = folder / "acp_app_gen-test.jsonl"
    path.write_text("{\n" + path.read_text() + "[1\n")
    summary = run(folder, tmp_path / "out")
    assert summary.made["rows"] == 4
    (warning,) = summary.warnings
    assert "acp_app_gen-test.jsonl:1: is not JSON" in warning
    assert "1 more" in warning


def test_a_folder_without_questions_is_refused(tmp_path):
    with pytest.raises(OrreryError, match="has no rows of questions"):
        run(tmp_path, tmp_path / "out")
    with pytest.raises(OrreryError, match="is not a folder"):
        run(tmp_path / "nothing", tmp_path / "out")
