"""A build under the Inspect tasks of ACPBench, unmodified: gold scores 1.0, nonsense 0.0.

Needs ``inspect_ai`` and ``datasets`` (``requirements.txt`` beside this file), and the task file that the
authors of ACPBench publish (``evals/acpbench.py`` of their repository); it is not part of Orrery:

    python tests/compatibility/inspect_tasks.py outputs/dataset acpbench.py [--limit N]

The dataset is placed as ``ibm-research/acp_bench`` in an empty working folder. Exits with 1 where a score
is another than that.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from datasets import load_dataset
from inspect_ai import eval as evaluate
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, get_model, modelapi

NONSENSE = "Xyzzy."
WANTED = {"gold": 1.0, "nonsense": 0.0}
CONFIGURATIONS = [
    f"acp_{kind}_{form}"
    for form in ("bool", "mcq")
    for kind in ("app", "areach", "just", "land", "prog", "reach", "val")
]
Replies = Mapping[str, str]


class ScriptedModel(ModelAPI):  # type: ignore[misc]
    """A model that looks up what it is asked."""

    def __init__(self, model_name: str, reply: Callable[[str], str], **_: Any) -> None:
        """``reply`` gives the answer to a prompt."""
        super().__init__(model_name)
        self.reply = reply

    async def generate(
        self, input: list[ChatMessage], tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        """The reply to the last message."""
        return ModelOutput.from_content(self.model_name, self.reply(input[-1].text))


@modelapi(name="scripted")
def scripted() -> type[ModelAPI]:
    """The scripted model, under the name by which Inspect finds it."""
    return ScriptedModel


def golden(configuration: str) -> Callable[[str], str]:
    """The stored answers, by context and question as the prompt joins them."""
    rows = load_dataset("ibm-research/acp_bench", configuration, split="test")
    answers = {f"{row['context']}\n{row['question']}\n": row["answer"] for row in rows}
    return lambda prompt: f"{answers[prompt[: prompt.rindex('Only answer')]]}"


def score(task: Any, reply: Callable[[str], str], limit: int | None) -> float:
    """The accuracy of a model with these replies in a task."""
    model = get_model("scripted/model", reply=reply, memoize=False)
    log = evaluate(task, model=model, limit=limit, display="none", log_dir="logs")[0]
    if log.status != "success":
        raise RuntimeError(f"{task}: {log.error}")
    return float(log.results.scores[0].metrics["accuracy"].value)


def main() -> int:
    """Run both models over the tasks; 0 if every score is as it must be."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dataset", type=Path)
    parser.add_argument("tasks", type=Path, help="the published task file")
    parser.add_argument("--limit", type=int, help="rows of each task")
    options = parser.parse_args()
    source, file = options.dataset.resolve(), options.tasks.resolve()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("ibm-research").mkdir()
        Path("ibm-research/acp_bench").symlink_to(source)
        spec = spec_from_file_location("acpbench_tasks", file)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        for name in CONFIGURATIONS:
            replies = {"gold": golden(name), "nonsense": lambda prompt: NONSENSE}
            got = {
                who: score(getattr(module, name)(), reply, options.limit) for who, reply in replies.items()
            }
            wrong += got != WANTED
            mark = "" if got == WANTED else "  <-"
            print(f"{name:20} gold {got['gold']:.4f}  nonsense {got['nonsense']:.4f}{mark}", flush=True)
    print(f"{len(CONFIGURATIONS)} tasks, {wrong} not as they must be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
