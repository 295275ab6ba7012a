"""A build under lm-evaluation-harness's own ACPBench tasks, unmodified: gold scores 1.0, nonsense 0.0.

Needs the packages of ``requirements.txt`` beside this file, which the rest of Orrery does not, so it is a
script of its own (``.ci/harness`` sets up a Python for it):

    python tests/compatibility/lm_eval_harness.py outputs/dataset [--limit N] [TASK ...]

The dataset is placed as ``ibm-research/acp_bench`` in an empty working folder, where the tasks look
before they ask a Hub. Two scripted models answer every question of the test split: one gives the stored
answer in the plainest dress, the other gives nonsense. Exits with 1 where a score is another than that.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lm_eval import simple_evaluate
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM

GROUPS = ("acp_bench", "acp_bench_hard")
NONSENSE = "Xyzzy."  # without a, b, c and d: the harness takes any of these letters for a choice
MEASURES = ("score", "exact_match")
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

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        """One reply for each request, in their order."""
        return [self.reply(request.doc) for request in requests]

    def loglikelihood(self, requests: list[Instance], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        """No task of ACPBench asks for it."""
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


def scores(model: LM, tasks: list[str], limit: int | None) -> dict[str, float]:
    """The score of each task."""
    found = simple_evaluate(
        model=model, tasks=tasks, limit=limit, bootstrap_iters=0, confirm_run_unsafe_code=True
    )
    return {
        task: value
        for task, metrics in sorted(found["results"].items())
        for name, value in metrics.items()
        if name.split(",")[0] in MEASURES
    }


def main() -> int:
    """Run both models over the tasks; 0 if every score is as it must be."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dataset", type=Path)
    parser.add_argument("tasks", nargs="*", default=GROUPS)
    parser.add_argument("--limit", type=int, help="rows of each task")
    given = parser.parse_intermixed_args()
    source = given.dataset.resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("ibm-research").mkdir()
        Path("ibm-research/acp_bench").symlink_to(source)
        replies: dict[str, Callable[[Row], str]] = {"gold": gold, "nonsense": lambda row: NONSENSE}
        table = {
            name: scores(Scripted(reply), list(given.tasks), given.limit) for name, reply in replies.items()
        }
    wrong = 0
    for task in table["gold"]:
        got = {name: table[name][task] for name in table}
        wrong += got != WANTED
        mark = "" if got == WANTED else "  <-"
        print(f"{task:32} gold {got['gold']:.4f}  nonsense {got['nonsense']:.4f}{mark}")
    print(f"{len(table['gold'])} tasks, {wrong} not as they must be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
