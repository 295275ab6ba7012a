"""A build under lm-evaluation-harness: gold scores 1.0, nonsense 0.0, in its ACPBench tasks and in ours.

Needs the packages of ``requirements.txt`` beside this file, which the rest of Orrery does not, so it is a
script of its own (``.ci/harness`` sets up a Python for it):

    python tests/compatibility/lm_eval_harness.py outputs/dataset [--limit N] [TASK ...]

First the harness's own ACPBench tasks, unmodified: the dataset is placed as ``ibm-research/acp_bench`` in an
empty working folder, where the tasks look before they ask a Hub. Then the tasks that lie in the dataset's
folder ``lm_eval``, which is moved elsewhere for it; their prompts must be those of the library. Two scripted
models answer every row of the test split: one gives the stored answer in the plainest dress, the other gives
nonsense. Exits with 1 where a score is another than that.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lm_eval import simple_evaluate
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

import orrery

GROUPS = ("acp_bench", "acp_bench_hard")
OURS = "orrery"  # the group of all our tasks, and how their names begin
NONSENSE = "Xyzzy."  # without a, b, c and d: the harness takes any of these letters for a choice
MEASURES = ("score", "exact_match", "accuracy")
WANTED = {"gold": 1.0, "nonsense": 0.0}
Row = Mapping[str, Any]


def gold(row: Row) -> str:
    """The stored answer of a row, as a model would write it."""
    answer, group = row["answer"], row["group"]
    if group == "progression_gen":
        return " ".join("[" + " ".join(answer[side]) + "]" for side in ("pos", "neg"))
    if group in ("goal_closer_gen", "landmarks_gen"):
        return answer["yes"][0] if answer["yes"] else "None"
    if group == "reachable_atom_gen":
        return f"({answer[0]})" if answer else "None"
    if group == "reachable_action_gen":
        return answer[0] if answer else "None"
    if group == "applicable_actions_gen":
        return " ".join(answer)
    if group == "action_justification_gen":
        return " ".join(simplified(row))
    return f"The answer is {answer}." if group.endswith("bool") else str(answer)


def simplified(row: Row) -> list[str]:
    """The plan without the first removal that the row stores."""
    start = row["positions"][0]
    width = 2 if row["answer"][0][-1] == "-1" else 1
    return [*row["plan"][:start], *row["plan"][start + width :]]


class Scripted(LM):  # type: ignore[misc]
    """A model that answers each question by a function of its row."""

    def __init__(self, reply: Callable[[Row], str]) -> None:
        """``reply`` gives the answer to a row."""
        super().__init__()
        self.reply = reply
        self.asked: dict[str, str] = {}

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        """One reply for each request, in their order."""
        self.asked |= {
            f"{request.task_name} {request.doc.get('id')}": request.args[0] for request in requests
        }
        return [self.reply(request.doc) for request in requests]

    def apply_chat_template(self, messages: list[Row], add_generation_prompt: bool = True) -> str:
        """The messages as they are."""
        return json.dumps(messages)

    def chat_template(self, chat_template: bool | str = False) -> str:
        """What the harness notes down of a template."""
        return "messages as JSON"

    @property
    def tokenizer_name(self) -> str:
        """What the harness notes down of the tokenizer."""
        return "none"

    def loglikelihood(self, requests: list[Instance], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        """No task asks for it."""
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


def scores(model: LM, tasks: list[str], limit: int | None, **overrides: Any) -> dict[str, float]:
    """The score of each task."""
    results = simple_evaluate(
        model=model, tasks=tasks, limit=limit, bootstrap_iters=0, confirm_run_unsafe_code=True, **overrides
    )
    return {
        task: value
        for task, metrics in sorted(results["results"].items())
        for name, value in metrics.items()
        if name.split(",")[0] in MEASURES
    }


def of_acpbench(source: Path, tasks: list[str], limit: int | None) -> int:
    """Run both models over tasks of ACPBench in the working folder; how many are not as they must be."""
    Path("ibm-research").mkdir()
    Path("ibm-research/acp_bench").symlink_to(source)
    replies: dict[str, Callable[[Row], str]] = {"gold": gold, "nonsense": lambda row: NONSENSE}
    table = {name: scores(Scripted(reply), tasks, limit) for name, reply in replies.items()}
    return said(table)


def of_ours(source: Path, tasks: list[str], limit: int | None) -> int:
    """Run both models over tasks of the dataset, moved into the working folder; how many are wrong."""
    shutil.copytree(source, "moved elsewhere")
    manager = TaskManager(include_path="moved elsewhere/lm_eval", include_defaults=False)
    models = {"gold": Scripted(lambda row: row["gold"]), "nonsense": Scripted(lambda row: NONSENSE)}
    table = {
        name: scores(model, tasks, limit, task_manager=manager, apply_chat_template=True)
        for name, model in models.items()
    }
    return said(table) + other_prompts(source, models["gold"].asked)


def other_prompts(source: Path, prompts: Mapping[str, str]) -> int:
    """How many rows were asked otherwise than the library asks them; all tasks together."""
    wrong = 0
    for task in sorted({prompt.split()[0] for prompt in prompts}):
        mine = {
            prompt.split(" ", 1)[1]: text for prompt, text in prompts.items() if prompt.split()[0] == task
        }
        items = {item.row["id"]: item for item in orrery.load(source, task.removeprefix(f"{OURS}_"))}
        differing = [id for id, text in mine.items() if json.loads(text) != items[id].prompt]
        if differing:
            print(f"{task}: {len(differing)} prompts differ from the library's, such as {differing[0]}")
        wrong += len(differing)
    print(f"{len(prompts)} prompts, {wrong} not those of the library")
    return wrong


def said(table: Mapping[str, Mapping[str, float]]) -> int:
    """Print the scores of the models; how many tasks are not as they must be."""
    wrong = 0
    for task in table["gold"]:
        got = {name: table[name][task] for name in table}
        wrong += got != WANTED
        mark = "" if got == WANTED else "  <-"
        print(f"{task:32} gold {got['gold']:.4f}  nonsense {got['nonsense']:.4f}{mark}")
    print(f"{len(table['gold'])} tasks, {wrong} not as they must be")
    return wrong


def main() -> int:
    """Run both models over the tasks; 0 if every score is as it must be."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dataset", type=Path)
    parser.add_argument("tasks", nargs="*", default=[*GROUPS, OURS])
    parser.add_argument("--limit", type=int, help="rows of each task")
    options = parser.parse_intermixed_args()
    source, wrong = options.dataset.resolve(), 0
    ours = [task for task in options.tasks if task.split("_")[0] == OURS]
    theirs = [task for task in options.tasks if task not in ours]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        wrong += of_acpbench(source, theirs, options.limit) if theirs else 0
        wrong += of_ours(source, ours, options.limit) if ours else 0
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
