"""Our rewards and training sets in TRL's trainers, with a tiny model of random weights.

Needs the packages of ``trl.txt`` beside this file and ``orrery``; ``tests/training/test_real_packages.py``
runs it. Prints what was found as one line of JSON, and fails where it is not as it must be.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import Iterable
from copy import deepcopy
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

import orrery

TABLE, DOMAIN = "acp_app_bool", "ferry"
STEPS, GROUP = 3, 8
TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}<end>{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)
ALIKE = {"max_steps": STEPS, "use_cpu": True, "logging_steps": 1, "report_to": [], "save_strategy": "no"}


def stream(**overrides: Any) -> orrery.TaskStream:
    """A fresh stream."""
    return orrery.tasks(TABLE, DOMAIN, seed=1, split="train", **overrides)


def tokenizer() -> PreTrainedTokenizerFast:
    """Bytes and the commonest pairs of them in a few prompts."""
    model = Tokenizer(models.BPE())
    model.pre_tokenizer, model.decoder = (
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoders.ByteLevel(),
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    learn = trainers.BpeTrainer(vocab_size=400, special_tokens=["<pad>", "<end>"], initial_alphabet=alphabet)
    model.train_from_iterator(
        [message["content"] for item in islice(stream(), 5) for message in item.prompt], learn
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=model, eos_token="<end>", pad_token="<pad>")
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def model(words: PreTrainedTokenizerFast) -> GPT2LMHeadModel:
    """A transformer of one layer."""
    torch.manual_seed(0)
    ends = {"eos_token_id": words.eos_token_id, "bos_token_id": words.eos_token_id}
    size = {"n_positions": 4096, "n_embd": 32, "n_layer": 1, "n_head": 2}
    return GPT2LMHeadModel(GPT2Config(vocab_size=len(words), pad_token_id=words.pad_token_id, **ends, **size))


def numbers(log: Iterable[dict[str, Any]], name: str) -> list[float]:
    """What was logged under a name, by step; all must be numbers."""
    values = [entry[name] for entry in log if name in entry]
    assert len(values) == STEPS, (name, values)
    assert all(map(math.isfinite, values)), (name, values)
    return values


def grpo(words: PreTrainedTokenizerFast, policy: Any, data: Any, reward: orrery.Reward, folder: str) -> Any:
    """Some steps of GRPO: the rewards that were given are those that were logged, and some of them differ."""
    heard: list[float] = []
    listener = reward.on_score

    def hear(row: Any, score: orrery.Score) -> None:
        heard.append(score.value)
        if listener is not None:
            listener(row, score)

    reward.on_score = hear
    settings = {"num_generations": GROUP, "per_device_train_batch_size": GROUP, "max_completion_length": 8}
    args = GRPOConfig(output_dir=folder, shuffle_dataset=False, temperature=1.0, **settings, **ALIKE)
    trainer = GRPOTrainer(
        model=policy, reward_funcs=reward, args=args, train_dataset=data, processing_class=words
    )
    trainer.train()
    log = trainer.state.log_history
    logged = numbers(log, "rewards/orrery_reward/mean")
    groups = [heard[start : start + GROUP] for start in range(0, len(heard), GROUP)]
    assert logged == [sum(group) / GROUP for group in groups], (logged, groups)
    assert 0 < sum(heard) < len(heard), heard  # the policy is right now and then
    numbers(log, "orrery_reward/undecided")
    assert any(numbers(log, "grad_norm"))  # and learns from it
    assert sum(reward.counts[TABLE].values()) == STEPS * GROUP, reward.counts
    return {"loss": numbers(log, "loss"), "reward": logged, "counts": reward.counts}


def unscorable(words: PreTrainedTokenizerFast, folder: str) -> dict[str, Any]:
    """Rewards of None are left out: a group of nothing else teaches nothing, and the loss stays a number."""
    args = GRPOConfig(output_dir=folder, num_generations=GROUP, per_device_train_batch_size=GROUP,
                      max_completion_length=4, **ALIKE)  # fmt: skip

    class Undecided(orrery.Reward):
        def value(self, score: orrery.Score) -> float | None:
            return super().value(orrery.Score(0.0, "undecided"))

    trainer = GRPOTrainer(
        model=model(words), reward_funcs=Undecided(undecided=None), args=args,
        train_dataset=orrery.training_set(stream(), GROUP), processing_class=words,
    )  # fmt: skip
    trainer.train()
    loss = numbers(trainer.state.log_history, "loss")
    assert loss == [0.0] * STEPS, loss
    return {"loss": loss}


def beginner(words: PreTrainedTokenizerFast, folder: str) -> GPT2LMHeadModel:
    """A model that has learned to say yes or no, and no more."""
    settings = {**ALIKE, "max_steps": 30, "learning_rate": 1e-2}
    args = SFTConfig(output_dir=folder, per_device_train_batch_size=4, max_length=2048, **settings)
    data = orrery.training_set(stream(), 40, "prompt-completion")
    policy = model(words)
    SFTTrainer(model=policy, args=args, train_dataset=data, processing_class=words).train()
    return policy


def sft(words: PreTrainedTokenizerFast, data: Any, folder: str) -> dict[str, Any]:
    """Some steps of supervised learning: the loss falls."""
    args = SFTConfig(
        output_dir=folder, per_device_train_batch_size=2, max_length=2048, learning_rate=1e-2, **ALIKE
    )
    trainer = SFTTrainer(model=model(words), args=args, train_dataset=data, processing_class=words)
    trainer.train()
    loss = numbers(trainer.state.log_history, "loss")
    assert loss[-1] < loss[0], loss
    return {"loss": loss}


def main() -> int:
    """Run all; further arguments name a file of ``orrery export sft``."""
    words = tokenizer()
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        data, policy = orrery.training_set(stream(), 8), beginner(words, folder)
        results["grpo on a set"] = grpo(words, deepcopy(policy), data, orrery.Reward(), folder)
        curriculum = orrery.Curriculum(TABLE, DOMAIN, window=GROUP * STEPS, seed=1)
        reward = orrery.Reward(on_score=curriculum.report, format_share=0.0)
        results["grpo on a curriculum"] = grpo(words, policy, orrery.training_set(curriculum), reward, folder)
        assert curriculum.rates[DOMAIN] is not None or curriculum.levels[DOMAIN] != "easy", curriculum.state()
        assert curriculum.position <= STEPS + 2, curriculum.position  # no more is drawn than is asked
        results["curriculum"] = curriculum.state()
        results["grpo on what is undecided"] = unscorable(words, folder)
        for form in ("messages", "prompt-completion"):
            results[f"sft {form}"] = sft(words, orrery.training_set(stream(), 8, form), folder)
        for file in sys.argv[1:]:
            from datasets import load_dataset

            rows = load_dataset("json", data_files=file, split="train", cache_dir=str(Path(folder) / "cache"))
            results[f"sft {Path(file).name}"] = sft(words, rows, folder)
    print(json.dumps(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
