"""Our worlds as environments of TRL's trainer, with a tiny model whose replies follow a script.

Half of a group calls the tools of a shortest plan, the others make a wrong call and stop. Needs the packages
of ``trl.txt`` beside this file and ``orrery``; ``tests/training/test_real_packages.py`` runs it. Prints what
was found as one line of JSON, and fails where it is not as it must be.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
import trl
from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from transformers.utils import get_json_schema
from trl import GRPOConfig, GRPOTrainer
from world_episode import RULES, SEED, SPLIT, checked, replies, reward, words_of

import orrery

DOMAIN, SEEDS, GROUP = "ferry", (3, 5), 4
SPECIAL = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<tool_call>", "</tool_call>"]
SPECIAL += ["<tool_response>", "</tool_response>"]
WRONG = {"name": "board", "arguments": {"car": "c1", "l": "l1"}}


def tokenizer() -> PreTrainedTokenizerFast:
    """Bytes and the tokens of the template, which is one that TRL knows."""
    model = Tokenizer(models.BPE())
    model.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    model.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    model.train_from_iterator([], trainers.BpeTrainer(special_tokens=SPECIAL, initial_alphabet=alphabet))
    words = PreTrainedTokenizerFast(tokenizer_object=model, eos_token=SPECIAL[1], pad_token=SPECIAL[2])
    words.chat_template = (Path(trl.__file__).parent / "chat_templates" / "qwen3.jinja").read_text()
    return words


class ScriptedTrainer(GRPOTrainer):
    """A trainer whose replies are tool calls of a script instead of samples."""

    seen: list[str]

    def _generate_single_turn(self, prompt_ids: Any, *_: Any, **__: Any) -> tuple[list[list[int]], None]:
        texts = self.processing_class.batch_decode(prompt_ids)
        self.seen += texts
        replies = [self.scripted(text, number) for number, text in enumerate(texts)]
        return [self.processing_class(f"{reply}<|im_end|>")["input_ids"] for reply in replies], None

    def scripted(self, text: str, number: int) -> str:
        """The next reply of a rollout; the first one of every second rollout is wrong."""
        done, is_first = text.count("</tool_response>"), "</tool_response>" not in text
        if json.dumps(WRONG) in text:
            return "I stop."
        if is_first and number % 2:
            return called(WRONG)
        (plan,) = [plan for start, plan in PLANS.items() if start in text]
        return called(plan[done]) if done < len(plan) else "It is done."


def called(call: dict[str, Any]) -> str:
    """A tool call as the template writes it."""
    return f"<tool_call>\n{json.dumps(call)}\n</tool_call>"


def calls(seed: int) -> list[dict[str, Any]]:
    """The calls of a shortest plan."""
    problem = orrery.world(DOMAIN, seed, split="train").problem
    parameters = {a.name: [p.name[1:] for p in a.parameters] for a in problem.domain.actions}
    plan = [action.step for action in problem.oracle.shortest_plan(problem.task.init)]
    return [
        {"name": name, "arguments": dict(zip(parameters[name], rest, strict=True))} for name, *rest in plan
    ]


PLANS = {orrery.world(DOMAIN, seed, split="train").first_observation: calls(seed) for seed in SEEDS}


def schemas(domain: str) -> list[str]:
    """The names of tools, each of which has a schema with descriptions."""
    episode = orrery.world_environment(domain, split=None)()
    names = [
        name for name in dir(episode) if not name.startswith("_") and name not in ("reset", "get_reward")
    ]
    for name in names:
        schema = get_json_schema(getattr(episode, name))["function"]
        assert schema["name"] == name
        assert schema["description"]
        parameters = schema["parameters"]["properties"]
        assert all(value["type"] == "string" and value["description"] for value in parameters.values())
    return names


def transcript() -> str:
    """The digest of the episode that every adapter plays, by calls of tools."""
    episode = orrery.world_environment(DOMAIN, split=SPLIT, **RULES)()
    said = [episode.reset(seed=SEED)]
    said += [getattr(episode, name)(*arguments) for name, *arguments in map(words_of, replies())]
    assert episode.get_reward() == reward()
    written = episode._world.transcript()
    assert said == [written["observation"], *(turn["observation"] for turn in written["turns"])]
    return checked(written)


def main() -> int:
    """Train for some steps."""
    words = tokenizer()
    assert {"board", "debark", "sail", "look", "list"} == set(schemas(DOMAIN))
    tools = {domain: len(schemas(domain)) for domain in ("alfworld", "grid", "logistics", "composed-17")}
    rows = [{"prompt": [{"role": "user", "content": "Reach the goal. "}], "seed": seed} for seed in SEEDS]
    torch.manual_seed(0)
    size = {"n_layer": 1, "n_head": 1, "n_embd": 8, "n_positions": 16_384}
    ends = {"eos_token_id": words.eos_token_id, "bos_token_id": words.eos_token_id}
    policy = GPT2LMHeadModel(GPT2Config(vocab_size=len(words), **size, **ends))
    with tempfile.TemporaryDirectory() as folder:
        args = GRPOConfig(
            output_dir=folder, max_steps=2, num_generations=GROUP, per_device_train_batch_size=GROUP,
            max_completion_length=8_192, use_cpu=True, logging_steps=1, report_to=[], save_strategy="no",
            shuffle_dataset=False,
        )  # fmt: skip
        trainer = ScriptedTrainer(
            model=policy, args=args, train_dataset=Dataset.from_list(rows), processing_class=words,
            environment_factory=orrery.world_environment(DOMAIN, max_states=20_000),
        )  # fmt: skip
        trainer.seen = []
        trainer.train()
    history = [entry for entry in trainer.state.log_history if "rewards/FerryWorld/mean" in entry]
    assert [entry["rewards/FerryWorld/mean"] for entry in history] == [0.5, 0.5], history
    assert all(entry["tools/failure_frequency"] == 0.0 for entry in history), "no call raises"
    assert all(entry["grad_norm"] > 0 for entry in history)
    refused = [text for text in trainer.seen if json.dumps(WRONG) in text]
    assert len(refused) == len(SEEDS) * GROUP / 2
    assert all("'board' takes 2 arguments" in text for text in refused)
    steps = [len(plan) for plan in PLANS.values()]
    print(json.dumps({"trl": trl.__version__, "tools": tools, "steps": steps, "transcript": transcript()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
