"""One training run: imitation of gold replies, then REINFORCE.

Phase 2 is REINFORCE (Williams, 1992). The baseline of a reply is the mean reward of the other replies to the
same problem (Kool, van Hoof and Welling, 2019; called RLOO in Ahmadian et al., 2024; GRPO of Shao et al.,
2024, divides by the standard deviation besides). Each step draws fresh replies and uses them once, so that no
ratio of probabilities needs clipping.

What is drawn at a step depends on the seed and the step alone. A run that was stopped goes on where it was
last measured, and ends as if it had not been stopped.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import cos, pi
from pathlib import Path
from typing import Any

import torch
from policy import Policy
from problems import Pool, Problem
from settings import Settings
from tqdm import tqdm

from orrery.model import OrreryError, UsageError
from orrery.seeds import digest, stream
from orrery.store.shards import replacing

START, IMITATION, REINFORCEMENT, CONTROL = "start", "imitation", "reinforcement", "control"
WARM_UP = 30  # steps in which the learning rate rises
LEAST = 0.05  # of the learning rate is left at the end of a phase
NORM = 1.0  # of the gradient, at most
MOST_SKIPPED = 5  # steps in turn whose gradient is not finite
BETAS, DECAY = (0.9, 0.98), 0.01  # of AdamW
Record = dict[str, Any]


@dataclass
class Run:
    """One training run: the model with its optimiser, the steps done, and what was measured.

    With the name of a ``control`` its second phase is that, more imitation; the first is the same.
    """

    settings: Settings
    pool: Pool
    seed: int
    control: str = ""
    done: int = 0
    seconds: float = 0.0
    records: list[Record] = field(default_factory=list)
    skipped: int = 0  # steps since the last measurement whose gradient was not finite
    skipped_in_turn: int = 0
    spent: Counter[str] = field(default_factory=Counter)  # seconds since the last measurement, by activity

    def __post_init__(self) -> None:
        """Make the model; its first weights depend on the seed."""
        torch.manual_seed(self._number("weights"))
        self.policy = Policy(self.settings.policy, self.pool.words())
        self._renew()

    def _renew(self) -> None:
        self.optimizer = torch.optim.AdamW(self.policy.model.parameters(), betas=BETAS, weight_decay=DECAY)

    def _number(self, *path: object) -> int:
        return int.from_bytes(digest(self.seed, *path)[:7])

    @property
    def phases(self) -> dict[str, int]:
        """The steps of each phase."""
        return {IMITATION: self.settings.imitation.steps, self._second: self.settings.reinforcement.steps}

    @property
    def _second(self) -> str:
        return CONTROL if self.control else REINFORCEMENT

    def place(self) -> tuple[str, int]:
        """Return the phase of the step that comes next, and its number in the phase."""
        first = self.phases[IMITATION]
        return (IMITATION, self.done) if self.done < first else (self._second, self.done - first)

    def step(self) -> Record:
        """Learn from one batch. A gradient that is not finite changes nothing and is counted.

        Raises:
            OrreryError: the gradients of several steps in turn are not finite.
        """
        phase, number = self.place()
        if not number:
            self._renew()  # gradients of the reward have another size
        rate = self._rate(phase)
        for group in self.optimizer.param_groups:
            group["lr"] = rate * _share(number, self.phases[phase])
        self.optimizer.zero_grad()
        said = self._reinforce() if phase == REINFORCEMENT else self._imitate(phase)
        norm = torch.nn.utils.clip_grad_norm_(self.policy.model.parameters(), NORM)
        self._apply(bool(norm.isfinite()), phase)
        self.done += 1
        return said

    def _apply(self, finite: bool, phase: str) -> None:
        """Change the weights by the gradient, or count a gradient that is not finite."""
        if finite:
            self.optimizer.step()
            self.skipped_in_turn = 0
            return
        self.skipped += 1
        self.skipped_in_turn += 1
        if self.skipped_in_turn == MOST_SKIPPED:
            raise OrreryError(
                f"seed {self.seed}, step {self.done} ({phase})",
                f"the gradients of {MOST_SKIPPED} steps in turn are not finite",
                "lower learning_rate or give precision: float32; the run goes on from its last measurement",
            )

    @contextmanager
    def _timed(self, activity: str) -> Iterator[None]:
        begun = time.monotonic()
        yield
        self.spent[activity] += time.monotonic() - begun

    def take_counts(self) -> Record:
        """Return the steps skipped and the seconds spent since the last call."""
        counts = {
            "skipped": self.skipped,
            "spent": {name: round(spent, 1) for name, spent in sorted(self.spent.items())},
        }
        self.skipped = 0
        self.spent.clear()
        return counts

    def _rate(self, phase: str) -> float:
        """Return the learning rate of a phase."""
        if phase == CONTROL:
            return self.settings.controls[self.control].learning_rate
        part = self.settings.imitation if phase == IMITATION else self.settings.reinforcement
        return part.learning_rate

    def _imitate(self, phase: str) -> Record:
        """Add the gradient of the gold replies' likelihood, a mean over their words."""
        known, count = self.pool.gold, self.settings.imitation.batch
        if phase == CONTROL:
            wanted = self.settings.controls[self.control]
            known, count = (known if wanted.gold == "phase 1" else self.pool.reward), wanted.batch
        batch = stream(self.seed, "batch", self.done).sample(known, count)
        replies = [self.policy.gold(each) for each in batch]
        with self._timed("learning"):
            loss = self._descend(batch, replies, [1.0] * len(batch), sum(map(len, replies)))
        return {"loss": round(loss, 4)}

    def _reinforce(self) -> Record:
        """Add the gradient of the expected reward, a mean over replies."""
        wanted = self.settings.reinforcement
        batch = stream(self.seed, "batch", self.done).sample(self.pool.reward, wanted.prompts)
        asked = [each for each in batch for _ in range(wanted.replies)]
        torch.manual_seed(self._number("replies", self.done))
        with self._timed("drawing"):
            replies = self.policy.replies(asked, wanted.temperature)
        with self._timed("scoring"):
            scores = [each.score(self.policy.text(reply)) for each, reply in zip(asked, replies, strict=True)]
        rewards = torch.tensor([score.value for score in scores]).view(-1, wanted.replies)
        others = (rewards.sum(1, keepdim=True) - rewards) / (wanted.replies - 1)
        advantages = (rewards - others).flatten().tolist()
        # Where all replies to a problem are right, or all wrong, there is nothing to learn.
        told = [number for number, each in enumerate(advantages) if each]
        chosen = [advantages[number] for number in told]
        with self._timed("learning"):
            self._descend([asked[n] for n in told], [replies[n] for n in told], chosen, len(asked))
        # What a budget leaves undecided has no reward, and is counted.
        undecided = sum(score.verdict == "undecided" for score in scores)
        return {"reward": round(rewards.mean().item(), 4), "undecided": undecided, "used": len(told)}

    def _descend(
        self, batch: Sequence[Problem], replies: list[list[int]], weights: list[float], total: int
    ) -> float:
        """Add the gradient of the loss, and return it: minus the weighted log-likelihoods over ``total``."""
        prompts = [self.policy.prompt(each) for each in batch]
        whole, size = 0.0, self.settings.policy.learnt_at_once
        for at in range(0, len(batch), size):
            part = slice(at, at + size)
            found = self.policy.log_likelihood(prompts[part], replies[part])
            loss: Any = -(found @ torch.tensor(weights[part]).to(found)) / total
            loss.backward()
            whole += loss.item()
        return whole

    def measure(self, phase: str, problems: Sequence[Problem]) -> Record:
        """Return how many problems the model gets right with its most likely replies."""
        replies = self.policy.replies(problems, temperature=0.0)
        scores = [each.score(self.policy.text(reply)) for each, reply in zip(problems, replies, strict=True)]
        by_domain: dict[str, list[int]] = {}
        for each, score in zip(problems, scores, strict=True):
            counts = by_domain.setdefault(each.row["domain"], [0, 0])
            counts[0] += score.value == 1.0
            counts[1] += 1
        right = sum(counts[0] for counts in by_domain.values())
        return {
            "phase": phase,
            "step": self.done,
            "right": right,
            "asked": len(problems),
            "by_domain": by_domain,
        }


def _share(number: int, steps: int) -> float:
    """Return the share of a phase's learning rate: it rises, then falls along a cosine."""
    falling = LEAST + (1 - LEAST) * (1 + cos(pi * number / steps)) / 2
    return min(1.0, (number + 1) / WARM_UP) * falling


def prepare(settings: Settings) -> None:
    """Set PyTorch up: its threads, and that the same seed gives the same run."""
    torch.set_num_threads(settings.threads)
    torch.use_deterministic_algorithms(True, warn_only=settings.policy.device == "cuda")


def train(run: Run, file: Path) -> None:
    """Do the steps that are left; at each measurement the run is saved to ``file``."""
    held, measuring = run.pool.held_out, run.settings.measuring
    steps = sum(run.phases.values())
    ends = {run.phases[IMITATION], steps}
    begun = time.monotonic() - run.seconds
    if not run.records:
        run.records.append(run.measure(START, held))
    with tqdm(total=steps, initial=run.done, desc=f"seed {run.seed}") as progress:
        while run.done < steps:
            phase = run.place()[0]
            said = run.step()
            progress.update()
            if run.done in ends or run.done % measuring.every == 0:
                counts = run.take_counts()
                record = run.measure(phase, held if run.done in ends else held[: measuring.problems])
                run.seconds = time.monotonic() - begun
                run.records.append(record | said | counts | {"seconds": round(run.seconds)})
                save(run, file)
                if run.done == run.phases[IMITATION] and not run.control:
                    save(run, imitated(file))  # where controls begin
                progress.write(f"seed {run.seed}: {json.dumps(run.records[-1])}", file=sys.stderr)
    save(run, file)


def save(run: Run, file: Path) -> None:
    """Write what a stopped run needs to go on, and its records as lines of JSON beside it."""
    state = {
        "about": _about(run),
        "done": run.done,
        "seconds": run.seconds,
        "records": run.records,
        "skipped_in_turn": run.skipped_in_turn,
        "model": run.policy.model.state_dict(),
        "optimizer": run.optimizer.state_dict(),
    }
    with replacing(file) as new:
        torch.save(state, new)
    with replacing(file.with_suffix(".jsonl")) as new:
        new.write_text("".join(json.dumps(each) + "\n" for each in run.records), encoding="utf-8")


def imitated(file: Path) -> Path:
    """Return where a run that is saved to ``file`` is kept as it was after imitation."""
    return file.with_name(f"{file.stem}-imitated{file.suffix}")


def restore(run: Run, file: Path, *, control: str = "") -> None:
    """Go on from what was saved, if there is anything; ``control`` is that of the run that saved it.

    Raises:
        UsageError: it is of a run with other settings.
    """
    if not file.exists():
        return
    state = torch.load(file, map_location=run.settings.policy.device, weights_only=True)
    if state["about"] != _about(run) | {"control": control}:
        raise UsageError(str(file), "is of a run with other settings", "name another folder with --out")
    run.policy.model.load_state_dict(state["model"])
    run.optimizer.load_state_dict(state["optimizer"])
    run.done, run.seconds, run.records = state["done"], state["seconds"], state["records"]
    run.skipped_in_turn = state["skipped_in_turn"]


def _about(run: Run) -> Record:
    return {
        "settings": run.settings.model_dump(mode="json"),
        "seed": run.seed,
        "control": run.control,
    }
