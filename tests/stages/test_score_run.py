"""Replies that are stored are scored as those of a run: the same rows, whoever stored them."""

import json

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from orrery.cli.main import app
from orrery.demo_model import ScriptedReplies, serving
from orrery.evaluation.asker import Asker, Outcome
from orrery.evaluation.kept_replies import kept_replies
from orrery.evaluation.results.runs import read_run
from orrery.library.choice import RowSelection
from orrery.model import OrreryError, UsageError
from orrery.stages.evaluate import model_arguments, plan, run, write_scores
from orrery.stages.score_run import score_again, score_file
from tests.evaluation.samples import items, modelled_dataset
from tests.every_domain import ROOT
from tests.library.samples import IN_ONE_PROCESS, dataset, fresh
from tests.scoring.command import predictions

pytestmark = IN_ONE_PROCESS

NAMES = ("acp_val_bool", "acp_prog_gen", "plan_generation", "text_to_pddl")
# Columns that only a server or the name of a run fills.
OF_SERVER = ["run", "model", "finish_reason", "input_tokens", "output_tokens", "seconds"]


def asked_items():
    return [item for name in NAMES for item in fresh(name)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(dataset(tmp_path_factory.mktemp("dataset"), *NAMES))


def scored(path, folder, evals, *, split="test", name="run", told=None):
    tell = (told if told is not None else []).append
    return score_file(path, RowSelection(folder, split), "m", evals, name, ROOT, tell)


def again(folder, path, told=None, **options):
    """A run that is scored once more."""
    return score_again(path, folder, ROOT, (told if told is not None else []).append, **options)


@pytest.fixture
def asked(folder, tmp_path, monkeypatch):
    """Return a function that asks a demo model of some strength, with corrections."""
    monkeypatch.setenv("DEMO_API_KEY", "any")

    def ask(strength, turns, **choice):
        with serving(ScriptedReplies(asked_items(), right=strength)) as server:
            asker = Asker("openai-api/demo/demo", server.url, max_retries=0)
            request = plan(
                RowSelection(folder, **choice),
                ",".join(NAMES),
                turns,
                model_arguments(asker),
                ROOT,
                [].append,
            )
            return run(request, asker, tmp_path / "evals" / "asked", [].append).run

    return ask


@pytest.mark.slow
@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
def test_a_file_with_the_replies_of_a_run_gets_the_rows_of_the_run(strength, asked, folder, tmp_path):
    scores = asked(strength, 0).scores
    outputs = dict(zip(scores["id"].to_pylist(), scores["reply"].to_pylist(), strict=True))
    of_file = scored(predictions(tmp_path / "replies.jsonl", outputs), folder, tmp_path / "evals")
    assert of_file.scores.drop(OF_SERVER).equals(scores.drop(OF_SERVER))
    assert of_file.about["finished"] is True
    assert of_file.scores.num_rows == len(asked_items())


@pytest.mark.slow
@pytest.mark.parametrize("choice", [{}, {"seed": 5, "limit": 2}, {"limit": 2, "style": "two_shot"}])
def test_a_run_is_scored_again_without_its_scores_and_without_a_server(choice, asked, folder, tmp_path):
    before = asked(0.4, 2, **choice).scores
    assert before.num_rows > choice.get("limit", 3) * len(NAMES)
    (tmp_path / "evals" / "asked" / "scores.parquet").unlink()
    rescored = again(folder, tmp_path / "evals" / "asked")
    assert rescored.scores.equals(before)
    if "seed" in choice:
        return
    other = dataset(tmp_path / "other", "acp_app_gen", *NAMES)
    with pytest.raises(UsageError, match="was started with data"):
        score_again(tmp_path / "evals" / "asked", str(other), ROOT, [].append)


def test_rows_without_a_reply_are_counted_and_not_scored(folder, tmp_path):
    told = []
    outputs = {item.row["id"]: item.gold for item in (fresh("acp_val_bool")[0], fresh("acp_prog_gen")[1])}
    path = predictions(tmp_path / "replies.jsonl", outputs)
    first = scored(path, folder, tmp_path / "evals", told=told)
    assert told == ["left out: 4 rows of these tables without a reply"]
    assert first.scores["verdict"].to_pylist() == ["right", "right"]
    assert first.scores["table"].to_pylist() == ["acp_prog_gen", "acp_val_bool"]
    rescored = again(folder, tmp_path / "evals" / "run")
    assert rescored.scores.equals(first.scores)


def test_a_file_with_other_replies_is_another_run(folder, tmp_path):
    item = asked_items()[0]

    def run_of(name, output):
        path = tmp_path / name / "replies.jsonl"
        path.parent.mkdir()
        return scored(predictions(path, {item.row["id"]: output}), folder, tmp_path / "evals", name=None)

    right, same, empty = run_of("a", item.gold), run_of("b", item.gold), run_of("c", "no answer")
    assert right.name == same.name != empty.name
    assert read_run(tmp_path / "evals" / right.name).scores["verdict"].to_pylist() == ["right"]
    assert empty.scores["verdict"].to_pylist() == ["unparsed"]
    with pytest.raises(UsageError, match="another name with --run"):
        scored(tmp_path / "c" / "replies.jsonl", folder, tmp_path / "evals", name=right.name)


def test_the_published_rule_is_a_column_next_to_ours(folder, tmp_path):
    told = []
    outputs = {fresh(name)[0].row["id"]: fresh(name)[0].gold for name in ("plan_generation", "text_to_pddl")}
    path = predictions(tmp_path / "replies.jsonl", outputs)
    request = (path, RowSelection(folder), "m", tmp_path / "evals", "run", ROOT)
    run = score_file(*request, told.append, published=True)
    assert run.scores["table"].to_pylist() == ["plan_generation", "text_to_pddl"]
    assert run.scores["value"].to_pylist() == [1.0, 1.0]
    assert run.scores["published_rule_value"].to_pylist() == [None, 1.0]
    assert told[0] == "no published rule: plan_generation"
    rescored = again(folder, tmp_path / "evals" / "run")
    assert rescored.scores["published_rule_value"].to_pylist() == [None, None]
    published = again(folder, tmp_path / "evals" / "run", published=True)
    assert published.scores.equals(run.scores)


def test_a_published_rule_of_no_table_is_refused(folder, tmp_path):
    path = predictions(tmp_path / "replies.jsonl", {fresh("plan_generation")[0].row["id"]: "(go)"})
    with pytest.raises(UsageError, match="no published rule for plan_generation") as error:
        score_file(
            path, RowSelection(folder), "m", tmp_path / "evals", "run", ROOT, [].append, published=True
        )
    assert "acp_app_gen" in str(error.value)
    assert "plan_" not in error.value.mend
    assert not (tmp_path / "evals").exists()


@pytest.mark.slow
def test_the_summary_has_the_published_rule_if_it_is_asked_for(folder, tmp_path):
    rows = [item.row["id"] for item in fresh("acp_val_bool")]
    path = predictions(tmp_path / "replies.jsonl", dict(zip(rows, ("yes", "no", "yes"), strict=True)))
    options = [path, "--dataset", folder, "--out", tmp_path / "evals"]
    assert "published rule" not in called(*options).stdout
    lines = called(*options, "--rule", "published").stdout.splitlines()
    head, line = (next(line for line in lines if key in line) for key in ("published rule", "acp_val_bool"))
    figures = json.loads(called(*options, "--rule", "published", "--json").stdout)["overall"]
    assert head.split()[-3:] == ["published", "rule", "accuracy"]
    assert figures["published_rule"] == pytest.approx(figures["accuracy"]["value"], abs=1e-5)
    assert f"{100 * figures['published_rule']:.1f}" in line.split()


def test_failed_requests_stay_when_a_run_is_scored_again(folder, tmp_path):
    request = plan(RowSelection(folder), "acp_val_bool", 0, {"model": "m"}, ROOT, [].append)
    first, second, _ = request.tables[0].items
    failures = {("acp_val_bool", row_id): f"429 {row_id}" for row_id in (first, second)}
    path = tmp_path / "evals" / "run"
    with kept_replies(path / "replies.jsonl") as replies:
        before = write_scores(request, replies, Outcome(failures), path)
    assert before.scores["verdict"].to_pylist() == ["failed", "failed"]
    rescored = again(folder, path)
    assert rescored.scores.equals(before.scores)
    assert sorted(rescored.scores["failure"].to_pylist()) == sorted(failures.values())
    (path / "scores.parquet").write_bytes(b"PAR1")
    told = []
    assert score_again(path, folder, ROOT, told.append).scores.num_rows == 0
    assert "failed requests" in told[0]


@pytest.mark.slow
def test_replies_to_rows_that_the_style_leaves_out_are_counted(tmp_path):
    dataset_folder, told = modelled_dataset(tmp_path, "ferry", "swap", description_abstract=""), []
    golds = {item.row["id"]: item.gold for item in items("domain_modeling")}
    path = predictions(tmp_path / "replies.jsonl", golds)
    assert scored(path, dataset_folder, tmp_path / "evals", told=told).scores["id"].to_pylist() == [
        "swap/test"
    ]
    assert "left out: 1 replies to rows that the style leaves out" in told
    assert not any("without a reply" in line for line in told)


@pytest.mark.parametrize(
    ("rows", "split", "message"),
    [
        (
            [{"id": "nowhere", "output": ""}],
            "test",
            r"replies.jsonl:1: 'nowhere' is not an id of split 'test'",
        ),
        ([{"output": ""}], "train", r"is not an id of split 'train'"),
        ([{"output": "", "sample": 1}], "test", r"one of several"),
        ([{"output": ""}] * 2, "test", r"jsonl:2: .* is also on line 1"),
        ([], "test", "holds no predictions"),
    ],
)
def test_files_that_cannot_be_scored_are_refused_before_anything_is_written(
    rows, split, message, folder, tmp_path
):
    path = tmp_path / "replies.jsonl"
    of_dataset = {"id": asked_items()[0].row["id"]}
    path.write_text("".join(json.dumps(of_dataset | row) + "\n" for row in rows))
    with pytest.raises(OrreryError, match=message):
        scored(path, folder, tmp_path / "evals", split=split)
    assert not (tmp_path / "evals").exists()


def test_an_id_of_two_tables_is_refused(folder, tmp_path):
    both = dataset(tmp_path / "both", "acp_val_bool")
    table = both / "data" / "acp_prog_bool"
    table.mkdir()
    [path] = (both / "data" / "acp_val_bool").iterdir()
    (table / path.name).write_bytes(path.read_bytes())
    replies = predictions(tmp_path / "replies.jsonl", {fresh("acp_val_bool")[0].row["id"]: "yes"})
    with pytest.raises(UsageError, match="is an id of acp_prog_bool and of acp_val_bool"):
        scored(replies, str(both), tmp_path / "evals")


@pytest.mark.slow
def test_a_run_of_a_model_is_not_replaced_by_a_file(asked, folder, tmp_path):
    asked(1.0, 0)
    before = (tmp_path / "evals" / "asked" / "replies.jsonl").read_bytes()
    path = predictions(tmp_path / "replies.jsonl", {asked_items()[0].row["id"]: ""})
    with pytest.raises(UsageError, match="another name with --run"):
        scored(path, folder, tmp_path / "evals", name="asked")
    assert (tmp_path / "evals" / "asked" / "replies.jsonl").read_bytes() == before


def called(*arguments):
    return CliRunner().invoke(app, ["score", *map(str, arguments)])


@pytest.mark.slow
def test_the_command_takes_a_file_and_then_its_run(folder, tmp_path):
    path = predictions(tmp_path / "some.jsonl", {item.row["id"]: item.gold for item in asked_items()[:6]})
    options = ("--dataset", folder, "--out", tmp_path / "evals", "--root", ROOT)
    done = called(path, *options, "--run", "mine")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("run mine: some, 6 replies, finished")
    assert pq.read_table(tmp_path / "evals" / "mine" / "scores.parquet").num_rows == 6
    assert read_run(tmp_path / "evals" / "mine").about["model"] == "some"
    again = called("mine", *options, "--json")
    assert json.loads(again.stdout)["overall"]["right"] == 6
    assert called(tmp_path / "evals" / "mine", *options).exit_code == 0
    assert "mine" in (tmp_path / "evals" / "index.html").read_text()


def test_what_is_neither_a_run_nor_a_file_is_refused(tmp_path):
    done = called("text-to-pdl", "--out", tmp_path)
    assert done.exit_code == 2
    assert "'text-to-pdl': is neither a run nor a file" in done.stderr
    assert "text-to-pddl" in done.stderr


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"arguments": 1', '{"arguments": {"data": "5"}}'])
def test_a_damaged_description_of_a_run_is_one_error(content, tmp_path):
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(OrreryError, match="does not state the arguments of a run"):
        score_again(tmp_path, "outputs/dataset", ROOT, [].append)
