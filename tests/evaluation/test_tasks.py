"""Inspect finds a task for every table, and what it finds with one is what our own scores say.

Inspect takes seconds to import: it is imported where it runs, not wherever tests are collected.
"""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from orrery.demo_model import ScriptedReplies, serving
from orrery.evaluation.asked import AskedTable
from orrery.grading import Score
from tests.evaluation.samples import ASKING, ROOT, items
from tests.library.samples import IN_ONE_PROCESS, dataset, fresh

pytestmark = IN_ONE_PROCESS

TABLE = "acp_val_bool"
NONSENSE = "I do not know."


def task_create(name, **arguments):
    from inspect_ai._eval.registry import task_create

    return task_create(name, **arguments)


class RepliesInTurn:
    """A model that gives its replies in turn."""

    def __init__(self, *replies):
        self.left = list(replies)

    def reply(self, _):
        return self.left.pop(0)


@pytest.fixture
def ask(tmp_path, monkeypatch):
    monkeypatch.setenv("DEMO_API_KEY", "any")

    def run(table_asked, *replies):
        from inspect_ai import eval as inspect_eval

        from orrery.evaluation.tasks import inspect_task

        with serving(RepliesInTurn(*replies)) as server:
            (log,) = inspect_eval(
                inspect_task(table_asked),
                "openai-api/demo/demo",
                model_base_url=server.url,
                display="none",
                log_dir=str(tmp_path),
                max_samples=1,
                ctl_server=False,
            )
        assert log.status == "success", log.error
        return log

    return run


@pytest.mark.slow
@pytest.mark.parametrize("table", ASKING)
def test_every_table_has_a_task(table):
    with pytest.raises(Exception, match="is not a folder") as refused:
        task_create(f"orrery/{table}", dataset="nowhere")
    assert type(refused.value).__name__ == "PrerequisiteError", "Inspect prints it without a trace"


@pytest.mark.slow
def test_its_arguments_choose_the_rows(tmp_path):
    folder = dataset(tmp_path / "dataset", TABLE)
    task = task_create(f"orrery/{TABLE}", dataset=str(folder), limit=2, shots=0, representation="pddl")
    assert len(task.dataset) == 2
    assert task.dataset[0].metadata["representation"] == "pddl"
    fresh = task_create(f"orrery/{TABLE}", seed=5, limit=1).dataset[0]
    item = items(TABLE)[0]
    assert (fresh.id, fresh.target) == (item.row["id"], item.gold)
    assert [{"role": message.role, "content": message.content} for message in fresh.input] == item.prompt


@pytest.mark.slow
def test_it_scores_as_the_library_does_with_shares_by_domain(ask):
    items_asked = items(TABLE)
    log = ask(AskedTable(TABLE, items_asked, "fresh"), items_asked[0].gold, NONSENSE)
    assert [sample.scores["graded"].value for sample in log.samples] == [1.0, 0.0]
    assert log.samples[1].scores["graded"].metadata["verdict"] == "unparsed"
    metrics = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    domains = {item.row["domain"] for item in items_asked}
    assert set(metrics) == {"accuracy", "stderr", *domains, *(f"{domain}_stderr" for domain in domains)}
    assert metrics["accuracy"] == 0.5


@pytest.mark.slow
def test_corrections_lead_to_a_right_reply_and_count_by_the_last(ask):
    items_asked = items(TABLE, 1)
    table_asked = AskedTable(TABLE, items_asked, "fresh", turns=2)
    log = ask(table_asked, NONSENSE, NONSENSE, items_asked[0].gold)
    (sample,) = log.samples
    assert sample.scores["graded"].value == 1.0
    assert [message.role for message in sample.messages] == [
        "system",
        "user",
        *["assistant", "user"] * 2,
        "assistant",
    ]
    assert [{"role": m.role, "content": m.text} for m in sample.messages[:-1]] == table_asked.messages(
        sample.id, [NONSENSE, NONSENSE]
    )


@pytest.mark.slow
def test_what_is_undecided_is_unscored(ask, monkeypatch):
    items_asked = items(TABLE)
    table_asked = AskedTable(TABLE, items_asked, "fresh")
    verdicts = {NONSENSE: Score(0.0, "undecided", "too many states"), "right": Score(1.0, "right")}
    monkeypatch.setattr(table_asked, "score", lambda _, reply: verdicts[reply])
    log = ask(table_asked, "right", NONSENSE)
    scores = log.results.scores[0]
    assert (scores.scored_samples, scores.unscored_samples, scores.metrics["accuracy"].value) == (1, 1, 1.0)
    score = log.samples[1].scores["graded"]
    assert math.isnan(score.value)
    assert (score.reason, score.explanation) == ("undecided", "too many states")


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_sample_without_a_reply_is_unscored(anyio_backend):
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Target

    from orrery.evaluation.tasks import graded

    class State:
        output = ModelOutput(model="m", choices=[])
        sample_id = "x"

    score = await graded(AskedTable(TABLE, [], "fresh"))(State(), Target("yes"))
    assert math.isnan(score.value)
    assert score.reason == "no reply"


@pytest.mark.exhaustive
def test_the_command_of_inspect_runs_a_task_of_the_installed_package(tmp_path):
    tool = Path(sys.executable).with_name("inspect")
    command = [tool, "eval", f"orrery/{TABLE}", "--model", "openai-api/demo/demo", "--display", "plain"]
    environment = os.environ | {"COLUMNS": "100", "DEMO_API_KEY": "any"}
    options = {"cwd": tmp_path, "capture_output": True, "text": True, "env": environment}
    arguments = [f"-T{option}" for option in ("seed=5", "limit=3", "shots=0", "turns=1")]
    with serving(ScriptedReplies(fresh(TABLE))) as server:
        run = subprocess.run([*command, "--model-base-url", server.url, *arguments], **options)
    assert run.returncode == 0, run.stderr
    assert f"{TABLE} (3 samples)" in run.stdout
    assert re.search(r"accuracy +1.000", run.stdout)
    wrong = subprocess.run([*command, "--model-base-url", server.url, "-Tdomain=mars", "-Tseed=1"], **options)
    output = " ".join((wrong.stdout + wrong.stderr).split())
    assert wrong.returncode != 0
    assert "has no fresh items of table" in output
    assert "Traceback" not in output


@pytest.mark.exhaustive
def test_importing_the_tasks_adds_little_to_importing_inspect():
    code = "import time, inspect_ai; t = time.process_time(); import orrery.evaluation.tasks as m;"
    run = subprocess.run(
        [sys.executable, "-c", f"{code} print(time.process_time() - t)"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert float(run.stdout) < 2, run.stderr
