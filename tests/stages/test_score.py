"""The command that scores a file of predictions: whole, in pieces, interrupted, and on bad input."""

import json
import random
from functools import partial
from itertools import chain

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.pddl.read import read_domain, read_problem
from orrery.pddl.write import write_problem
from orrery.scoring import joining
from orrery.scoring.scorers.text_to_pddl import TextToPddlScorer
from orrery.stages import score as stage
from orrery.store import shards
from tests.effort import slow
from tests.scoring import command
from tests.scoring.problems.rows import renamed, rows, with_another_object, without_a_fact

RUNNER = CliRunner()
COUNT = 7


def write_dataset(folder, table, name="test-00000-of-00001.parquet"):
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(table), folder / name)


@pytest.fixture(scope="module")
def gold():
    """Rows of two domains with their problems."""
    return list(chain(rows("blocksworld", COUNT), rows("gripper", COUNT)))


@pytest.fixture(scope="module")
def dataset(gold, tmp_path_factory):
    """The rows as a dataset: all but two in the test split."""
    folder = tmp_path_factory.mktemp("dataset")
    table = [row for row, _ in gold]
    write_dataset(folder / "data" / "text_to_pddl", table[2:])
    write_dataset(folder / "data" / "text_to_pddl", table[:2], "train-00000-of-00001.parquet")
    return folder


def predictions(path, gold, change, rng=None):
    """A file with one output a row, in another order than the rows."""
    return command.predictions(path, {row["id"]: change(problem) for row, problem in gold}, rng=rng)


@pytest.fixture
def path(gold, tmp_path):
    """The right reply to each row of the test split."""
    return predictions(tmp_path / "p.jsonl", gold[2:], write_problem)


call = partial(command.call, "text-to-pddl")


def shares(summary):
    return [summary["overall"]["shares"][name]["share"] for name in ("parseable", "solvable", "correct")]


@slow
def test_gold_renamed_gold_and_spoilt_gold(gold, dataset, tmp_path):
    rng = random.Random(2)
    for change, wanted in (
        (write_problem, [1, 1, 1]),
        (lambda p: f"So:\n```\n{write_problem(renamed(p, rng))}```", [1, 1, 1]),
        (lambda p: write_problem(without_a_fact(p, rng)), [1, None, 0]),
        (lambda p: write_problem(with_another_object(p)), [1, None, 0]),
        (lambda _: "no", [0, 0, 0]),
        (lambda _: "half a \ud83d", [0, 0, 0]),
        (lambda _: None, [0, 0, 0]),
    ):
        path = predictions(tmp_path / "p.jsonl", gold[2:], change)
        summary = call(path, dataset)
        assert (summary["outputs"], summary["rows"], summary["rows_without_output"]) == (12, 12, 0)
        for found, share in zip(shares(summary), wanted, strict=True):
            assert share is None or found == share
        scores = shards.read(tmp_path / "p.scores.parquet", TextToPddlScorer.schema()).to_pylist()
        assert [row["id"] for row in scores] == [row["id"] for row, _ in gold[2:]]  # as the dataset has them
        assert not list(tmp_path.glob("*.unfinished"))


@slow
def test_missing_predictions_are_counted_and_groups_add_up(gold, dataset, tmp_path):
    path = predictions(tmp_path / "p.jsonl", gold[4:], write_problem)
    summary = call(path, dataset)
    assert (summary["rows"], summary["rows_with_output"], summary["rows_without_output"]) == (12, 10, 2)
    for group in summary["by"].values():
        assert sum(counts["outputs"] for counts in group.values()) == 10
    assert summary["by"]["domain"]["gripper"]["shares"]["correct"]["yes"] == COUNT
    every = call(path, dataset, "--split", "all")
    assert (every["rows"], every["rows_with_output"]) == (14, 10)


@slow
def test_results_in_either_form_and_printed_for_reading(dataset, tmp_path, path):
    call(path, dataset, "--out", str(tmp_path / "a.jsonl"))
    call(path, dataset, "--out", str(tmp_path / "a.parquet"))
    as_lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert as_lines == shards.read(tmp_path / "a.parquet", TextToPddlScorer.schema()).to_pylist()
    done = RUNNER.invoke(app, ["score", "text-to-pddl", str(path), "--dataset", str(dataset), "--jobs", "1"])
    assert "12 outputs for 12 of 12 rows" in done.stdout
    assert "100.0 (75.8-100.0)" in done.stdout


def test_parquet_predictions_and_samples(gold, dataset, tmp_path):
    row, problem = gold[2]
    outputs = ["no", write_problem(problem), write_problem(problem)]
    table = [{"id": row["id"], "sample": number, "output": text} for number, text in enumerate(outputs)]
    pq.write_table(pa.Table.from_pylist(table), tmp_path / "p.parquet")
    summary = call(tmp_path / "p.parquet", dataset)
    assert (summary["outputs"], summary["rows_with_output"]) == (3, 1)
    assert summary["overall"]["shares"]["correct"]["yes"] == 2
    assert summary["some_output_correct"]["share"] == 1


@slow
def test_a_folder_laid_out_like_a_dataset_of_others(gold, tmp_path):
    table = [
        {"id": number, "domain": row["domain"], "problem_pddl": row["problem_pddl"], "is_placeholder": 0}
        for number, (row, _) in enumerate(gold)
    ]
    for folder in (tmp_path / "hub" / "data", tmp_path / "flat"):
        write_dataset(folder, table)
    lines = [{"id": number, "output": row["problem_pddl"]} for number, (row, _) in enumerate(gold)]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for folder in ("hub", "flat"):
        assert shares(call(tmp_path / "p.jsonl", tmp_path / folder)) == [1, 1, 1]


@slow
def test_blocks_workers_and_shards_change_no_byte(dataset, tmp_path, monkeypatch, path):
    call(path, dataset, "--out", str(tmp_path / "whole.parquet"))
    monkeypatch.setattr(TextToPddlScorer, "block", 3)
    monkeypatch.setattr(joining, "AT_ONCE", 2)
    call(path, dataset, "--out", str(tmp_path / "pieces.parquet"))
    call(path, dataset, "--out", str(tmp_path / "two.parquet"), "--jobs", "2")
    for name in ("pieces", "two"):
        assert (tmp_path / f"{name}.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()


class Interrupted(BaseException):
    """As if the process had been killed."""


class Interrupting:
    """Scores rows, up to ``most`` of them, then dies."""

    def __init__(self, most):
        self.most, self.scored, self.score = most, 0, TextToPddlScorer.measure

    def __get__(self, scorer, kind=None):
        return partial(self, scorer)

    def __call__(self, scorer, *reply):
        if self.scored == self.most:
            raise Interrupted
        self.scored += 1
        return self.score(scorer, *reply)


def interrupt(monkeypatch, root, *request, most=5):
    """Run until ``most`` rows are scored."""
    with monkeypatch.context() as patch:
        patch.setattr(TextToPddlScorer, "measure", Interrupting(most))
        with pytest.raises(Interrupted):
            stage.run(TextToPddlScorer(root), *request)


@slow
def test_an_interrupted_run_is_taken_up(dataset, tmp_path, monkeypatch, path):
    monkeypatch.setattr(TextToPddlScorer, "block", 2)
    whole, out = tmp_path / "whole.parquet", tmp_path / "out.parquet"
    stage.run(TextToPddlScorer(tmp_path), path, dataset, "test", whole)
    for resume, left in ((True, 12 - 4), (False, 12)):  # two blocks of two rows were done
        interrupt(monkeypatch, tmp_path, path, dataset, "test", out)
        assert (tmp_path / "out.parquet.unfinished").is_dir()
        assert not out.exists()
        counting = Interrupting(100)
        with monkeypatch.context() as patch:
            patch.setattr(TextToPddlScorer, "measure", counting)
            stage.run(TextToPddlScorer(tmp_path), path, dataset, "test", out, resume=resume)
        assert counting.scored == left
        assert out.read_bytes() == whole.read_bytes()
        assert not (tmp_path / "out.parquet.unfinished").exists()
        out.unlink()


@slow
def test_changed_predictions_are_not_taken_for_those_of_before(gold, dataset, tmp_path, monkeypatch, path):
    request = (path, dataset, "test", tmp_path / "out.parquet")
    interrupt(monkeypatch, tmp_path, *request)
    predictions(path, gold[2:], lambda _: "no")
    assert shares(stage.run(TextToPddlScorer(tmp_path), *request)) == [0, 0, 0]


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (lambda p, d: p.unlink(), 2, "no such file"),
        (lambda p, d: p.write_text(""), 3, "holds no predictions"),
        (lambda p, d: p.write_bytes(b'{"id": "\xff"}'), 3, "p.jsonl:1: is not UTF-8"),
        (lambda p, d: p.write_text('{"id": "blocksworld/2"}'), 3, "p.jsonl:1: has no output"),
        (lambda p, d: p.write_text(p.read_text() + "mixed,in,csv\n"), 3, "p.jsonl:13: is not JSON"),
        (lambda p, d: p.write_text(p.read_text() * 2), 3, "is also on line 1"),
        (lambda p, d: p.write_text('{"id": "nope", "output": ""}'), 2, "p.jsonl:1: 'nope' is not an id of"),
        (lambda p, d: p.write_text('{"id": "blocksworld/0", "output": ""}'), 2, "is a row of split 'train'"),
    ],
)
def test_bad_predictions_end_in_one_line(dataset, tmp_path, change, code, words, path):
    change(path, dataset)
    message = call(path, dataset, code=code)
    assert words in message
    assert len(message.strip().splitlines()) == 1
    assert sorted(found.name for found in tmp_path.iterdir()) == (["p.jsonl"] if path.exists() else [])


def test_scores_do_not_replace_the_replies(dataset, tmp_path, path):
    before = path.read_text()
    assert "is the file of the predictions" in call(path, dataset, "--out", f"{tmp_path}/./p.jsonl", code=2)
    assert path.read_text() == before


def test_bad_datasets_end_in_one_line(gold, dataset, tmp_path, path):
    (tmp_path / "empty").mkdir()
    write_dataset(tmp_path / "columns" / "data" / "text_to_pddl", [{"id": "a", "text": "b"}])
    twice = [row for row, _ in gold[2:4]] * 2
    write_dataset(tmp_path / "twice" / "data" / "text_to_pddl", twice)
    write_dataset(tmp_path / "damaged", twice)
    damaged = tmp_path / "damaged" / "test-00000-of-00001.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-50])
    for folder, more, code, words in (
        ("none", [], 2, "no such folder"),
        ("empty", [], 2, "has no rows of text_to_pddl in split 'test'"),
        (dataset, ["--split", "dev"], 2, "available splits: test, train"),
        (dataset, ["--out", str(tmp_path / "x.csv")], 2, "must end in .parquet or .jsonl"),
        ("columns", [], 3, "has no column problem_pddl"),
        ("twice", [], 3, "two rows have the id"),
        ("damaged", [], 3, "cannot be read"),
    ):
        message = call(path, tmp_path / folder, *more, code=code)
        assert words in message
        assert len(message.strip().splitlines()) == 1


def test_a_row_that_cannot_be_read_is_named(gold, tmp_path):
    row = gold[2][0] | {"problem_pddl": "(define (problem x))"}
    write_dataset(tmp_path / "data", [row])
    path = predictions(tmp_path / "p.jsonl", gold[2:3], write_problem)
    assert f"error: row {row['id']}: problem_pddl:1:1" in call(path, tmp_path, code=3)


@slow
def test_a_built_dataset_scores_full_marks_against_itself(built_somehow, tmp_path):
    built = built_somehow
    rng = random.Random(3)
    files = sorted((built / "outputs/dataset/data/text_to_pddl").glob("*.parquet"))
    table = list(chain.from_iterable(shards.read_rows(path) for path in files))
    golds = []
    for row in table:
        domain = read_domain(row["domain_pddl"])
        golds.append((row, read_problem(row["problem_pddl"], domain)))
    assert len(golds) > 80
    for change, correct in (
        (write_problem, 1),
        (lambda p: write_problem(renamed(p, rng)), 1),
        (lambda p: write_problem(without_a_fact(p, rng)), 0),
    ):
        path = predictions(tmp_path / "p.jsonl", golds, change)
        summary = call(path, built / "outputs" / "dataset", "--split", "all", "--root", str(built))
        assert summary["rows_without_output"] == 0
        assert (
            summary["overall"]["shares"]["correct"]["share"]
            == summary["overall"]["shares"]["relaxed_correct"]["share"]
            == correct
        )
        if correct:  # some problems of depots have no plan, on purpose
            solvable = sum(row["solvable"] for row in table) / len(table)
            assert shares(summary) == [1, pytest.approx(solvable, abs=1e-5), 1]
            assert {row["domain"] for row in table if not row["solvable"]} <= {"depots"}
        assert summary["undecided"] == summary["remarks"] == {}
