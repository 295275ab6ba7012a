"""The recipe runs: from scratch it learns, is killed and goes on the same, and a pretrained model is trained.

Needs what ``recipe.txt`` lists, with this package installed:

    python tests/compatibility/recipe_runs.py docs/recipe FOLDER [MODEL]

MODEL is a pretrained model, a folder or a GGUF file: its likelihoods are compared as well, and it is trained.
Prints what was measured as one line of JSON; ends with an assertion where something is not as it must be.
"""

from __future__ import annotations

import importlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

# What an action changes in ferry, its name and arguments tell: that is learnt in a minute.
LEARNT = """
problems: {table: acp_prog_gen, domain: ferry, prompt: "{question_pddl}",
           gold: 1000, reward: 200, held_out: 400}
policy: {layers: 2, width: 64, heads: 2, reply: 30}
imitation: {steps: 220, batch: 32, learning_rate: 0.003}
reinforcement: {steps: 20, prompts: 8, replies: 8, learning_rate: 0.0005}
measuring: {every: 40, problems: 40}
threads: 1
"""
# Short prompts: a step of 135 million parameters on whole problems takes a processor a quarter of an hour.
PRETRAINED = """
problems: {{table: acp_prog_gen, domain: ferry, prompt: "{{question_pddl}}",
           gold: 8, reward: 16, held_out: 4}}
policy: {{model: {model}, precision: bfloat16, reply: 12, drawn_at_once: 8, learnt_at_once: 3}}
imitation: {{steps: 2, batch: 3, learning_rate: 0.0001}}
reinforcement: {{steps: 2, prompts: 2, replies: 4, learning_rate: 0.00001}}
measuring: {{every: 1, problems: 2}}
threads: 1
"""


def main() -> None:
    """Run the recipe in a folder."""
    recipe, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    whole = ended(recipe, folder, "whole", LEARNT)
    stopped = ended(recipe, folder, "stopped", LEARNT, kill_after="seed-1.pt")
    assert untimed(whole) == untimed(stopped), "a run that was killed ends otherwise"
    (records,) = (run["records"] for run in whole["runs"])
    first, between, last = (record for record in records if record["step"] in (0, 220, 240))
    asked_count = first["asked"]
    assert asked_count == whole["held_out"] >= 20
    low = whole["baselines"]["one reply to all"]
    noise = 3 * (asked_count / 2) ** 0.5  # three deviations of a difference, at the most
    assert between["right"] > first["right"] + noise, records
    assert last["right"] > max(first["right"], low) + noise, records

    save_model(folder / "model")
    models_tried = [str(folder / "model"), *sys.argv[3:]]
    sys.path.insert(0, str(recipe))
    gaps = {}
    for number, model in enumerate(models_tried):
        name, settings = f"pretrained-{number}", PRETRAINED.format(model=model)
        text = ended(recipe, folder, name, settings)
        phases = [record["phase"] for record in text["runs"][0]["records"]]
        assert phases == ["start", "imitation", "imitation", *["reinforcement"] * 2]
        gaps[Path(model).name] = likelihoods_agree(folder / f"{name}.yaml", folder / name)
    steps_without_finite_gradient_are_skipped(folder / "pretrained-0.yaml", folder / "pretrained-0")
    right = [record["right"] for record in (first, between, last)]
    print(
        json.dumps(
            {"held_out": asked_count, "right": right, "baselines": whole["baselines"], "likelihoods": gaps}
        )
    )


def likelihoods_agree(file: Path, out: Path) -> dict[str, float]:
    """Compare likelihoods in one padded batch with each reply alone; return the largest relative differences.

    The reference reads prompt and reply as one text, in float32, without padding and without a cache.
    """
    settings = importlib.import_module("settings").read_settings(file)
    pool = importlib.import_module("problems").drawn(settings.problems, out / "problems.jsonl")
    policy = importlib.import_module("policy").Policy(settings.policy, pool.words())
    problems = pool.reward[:3]
    prompts = [policy.prompt(problem)[-tail:] for problem, tail in zip(problems, (90, 60, 31), strict=True)]
    shared = [prompts[0], prompts[1], prompts[0], prompts[2], prompts[1]]
    replies = [policy.gold(problem) for problem in (*problems, *pool.gold[:2])]
    replies[1] = replies[1][:2]
    with torch.no_grad():
        alone = torch.tensor([whole_text(policy.model, *pair) for pair in zip(shared, replies, strict=True)])
        gaps = {}
        for precision, tolerance in (("float32", 1e-3), ("bfloat16", 0.05)):
            policy.settings = settings.policy.model_copy(update={"precision": precision})
            batch = policy.log_likelihood(shared, replies)
            gaps[precision] = float(((batch - alone) / alone).abs().max())
            assert gaps[precision] < tolerance, (precision, batch, alone)
        assert gaps["float32"] < gaps["bfloat16"], "bfloat16 was not used"
    return gaps


def whole_text(model: Any, prompt: list[int], reply: list[int]) -> float:
    """Return the log-likelihood of a reply to a prompt, read as one sequence."""
    logits = model(input_ids=torch.tensor([prompt + reply])).logits[0, len(prompt) - 1 : -1]
    return float(torch.log_softmax(logits, dim=-1)[range(len(reply)), reply].sum())


def steps_without_finite_gradient_are_skipped(file: Path, out: Path) -> None:
    """One such step changes no weight and is counted; too many in turn end the run with one error."""
    settings = importlib.import_module("settings").read_settings(file)
    pool = importlib.import_module("problems").drawn(settings.problems, out / "problems.jsonl")
    learning = importlib.import_module("learning")
    longer = settings.imitation.model_copy(update={"steps": 2 * learning.MOST_SKIPPED})
    run = learning.Run(settings.model_copy(update={"imitation": longer}), pool, seed=1)
    weights = {name: value.clone() for name, value in run.policy.model.state_dict().items()}
    plain = run.policy.log_likelihood
    run.policy.log_likelihood = lambda *pair: plain(*pair) * torch.nan
    run.step()
    assert run.take_counts()["skipped"] == 1
    assert all(torch.equal(weights[name], value) for name, value in run.policy.model.state_dict().items())
    for _ in range(learning.MOST_SKIPPED - 2):
        run.step()
    refused = False
    try:
        run.step()
    except learning.OrreryError:
        refused = True
    assert refused, "the run went on without one finite gradient"
    run.policy.log_likelihood = plain
    run.step()
    assert run.skipped_in_turn == 0


def ended(recipe: Path, folder: Path, name: str, settings: str, kill_after: str = "") -> dict[str, Any]:
    """Run a configuration to its end; kill it once before, as soon as a file is there. Return the results."""
    file, out = folder / f"{name}.yaml", folder / name
    file.write_text(settings)
    command = [sys.executable, str(recipe / "train.py"), str(file), "--out", str(out)]
    if kill_after:
        with subprocess.Popen(command) as process:
            while not (out / kill_after).exists():
                assert process.poll() is None, "it ended before it was killed"
                time.sleep(0.1)
            process.send_signal(signal.SIGKILL)
        assert not (out / "curve.json").exists()
    subprocess.run(command, check=True)
    curve: dict[str, Any] = json.loads((out / "curve.json").read_text())
    assert (out / "curve.svg").read_text().startswith("<svg")
    return curve


def untimed(curve: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Return the records of runs without the time they took."""
    return [[record | {"seconds": 0, "spent": {}} for record in run["records"]] for run in curve["runs"]]


def save_model(folder: Path) -> None:
    """Save a tiny language model with random weights, with a tokenizer of bytes and a format of chats."""
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    core.train_from_iterator([], trainers.BpeTrainer(special_tokens=["<end>"], initial_alphabet=alphabet))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=core, eos_token="<end>")
    tokenizer.chat_template = (
        "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant: "
    )
    shape = GPT2Config(vocab_size=len(tokenizer), n_embd=32, n_layer=1, n_head=2, n_positions=8192)
    GPT2LMHeadModel(shape).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    main()
