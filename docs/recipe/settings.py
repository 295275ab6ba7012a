"""The configuration of the recipe as a validated model, read from YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from orrery.config import read_model
from orrery.model import UsageError

SCRATCH = "scratch"
Steps = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]
Rate = Annotated[float, Field(gt=0, lt=1)]


class Part(BaseModel):
    """A mapping with known keys: a mistyped key must not leave a default in force in silence."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, content: Any) -> Any:
        unknown = sorted(set(map(str, content)) - set(cls.model_fields)) if isinstance(content, dict) else []
        if unknown:
            mend = f"keys are: {', '.join(cls.model_fields)}"
            raise PydanticCustomError("fault", "does not know '{key}'", {"key": unknown[0], "mend": mend})
        return content


class Problems(Part):
    """What is learnt: a table's stream, as ``orrery.tasks`` takes it.

    ``prompt`` is a text with the names of columns of the row in braces, or ``action`` and ``action_pddl``:
    the action of the question and its definition. Left empty, the model reads the item's own prompt.

    ``gold`` problems are for phase 1, ``reward`` problems for phase 2. For measuring there are ``held_out``
    draws from the test split, of which each problem is kept once.

    In place of ``domain``, ``seen`` names domains for training and measuring, and ``unseen`` domains for
    measuring only; items are drawn from them in turn. With ``composed``, every second problem to train on is
    from one of as many composed domains of the train split.
    """

    table: str
    domain: str | None = None
    seen: list[str] = []
    unseen: list[str] = []
    composed: Steps = 0
    difficulty: str | None = None
    kind: str | None = None
    seed: int = 0
    prompt: str = ""
    gold: Steps = 0
    reward: Steps = 1000
    held_out: Count = 200

    @model_validator(mode="after")
    def _names_domains_once(self) -> Problems:
        if self.domain and self.seen:
            raise PydanticCustomError("fault", "has both domain and seen", {"mend": "give one of them"})
        if self.unseen and not self.seen:
            mend = "give problems.seen, the domains to train on"
            raise PydanticCustomError("fault", "has unseen domains but no seen ones", {"mend": mend})
        if both := sorted({*self.seen} & {*self.unseen}):
            mend = "remove it from one of them"
            raise PydanticCustomError(
                "fault", "has '{domain}' as seen and unseen", {"domain": both[0], "mend": mend}
            )
        return self


class Policy(Part):
    """The model: ``scratch``, or the folder or id of a pretrained one that ``transformers`` can load.

    ``layers``, ``width`` and ``heads`` are of a model from scratch. Its tokens are the words of its problems,
    or byte pairs, as many as ``pieces``, which spell names of other domains too. ``reply`` is the longest
    reply in tokens.
    ``drawn_at_once`` and ``learnt_at_once`` say how many replies are computed together, and bound the memory.
    With ``bfloat16`` the model computes in it, and keeps weights in float32: smaller steps would be lost.
    """

    model: str = SCRATCH
    layers: Count = 3
    width: Count = 128
    heads: Count = 4
    pieces: Annotated[int, Field(ge=257)] | None = None
    precision: Literal["float32", "bfloat16"] = "float32"
    device: Literal["cpu", "cuda"] = "cpu"
    reply: Count = 100
    drawn_at_once: Count = 256
    learnt_at_once: Count = 256

    @model_validator(mode="after")
    def _divides(self) -> Policy:
        if self.width % (2 * self.heads):
            mend = "give a multiple of twice the heads"
            raise PydanticCustomError(
                "fault", "the width {width} does not fit", {"width": self.width, "mend": mend}
            )
        return self


class Imitation(Part):
    """Phase 1: supervised learning of gold replies, ``batch`` of them a step; none where ``steps`` is 0."""

    steps: Steps = 0
    batch: Count = 32
    learning_rate: Rate = 1e-3


class Control(Part):
    """More imitation in the place of phase 2, from the same model and for as many steps.

    ``gold`` says of which problems: those of phase 1 again, or those of phase 2, whose gold replies
    reinforcement never reads.
    """

    gold: Literal["phase 1", "phase 2"] = "phase 1"
    batch: Count = 32
    learning_rate: Rate = 1e-4


class Reinforcement(Part):
    """Phase 2: REINFORCE; a step draws ``replies`` replies to each of ``prompts`` problems.

    There is none where ``steps`` is 0.
    """

    steps: Steps = 100
    prompts: Count = 16
    replies: Annotated[int, Field(ge=2)] = 8
    temperature: Annotated[float, Field(gt=0)] = 1.0
    learning_rate: Rate = 1e-4


class Measuring(Part):
    """All held-out problems are measured before and after a phase, and some after ``every`` steps."""

    every: Count = 50
    problems: Count = 100


class Settings(Part):
    """All that a run depends on, but for its seed. ``threads`` are those of PyTorch on the processor."""

    problems: Problems
    policy: Policy = Policy()
    imitation: Imitation = Imitation()
    reinforcement: Reinforcement = Reinforcement()
    controls: dict[str, Control] = {}  # by name
    measuring: Measuring = Measuring()
    threads: Count = 2

    @model_validator(mode="after")
    def _has_gold(self) -> Settings:
        if self.imitation.steps and self.problems.gold < self.imitation.batch:
            mend = "give problems.gold of imitation.batch or more, or no imitation.steps"
            raise PydanticCustomError("fault", "phase 1 has too few gold replies", {"mend": mend})
        if self.policy.model == SCRATCH and not self.problems.gold:
            mend = "give problems.gold, of whose words its vocabulary is made"
            raise PydanticCustomError("fault", "a model from scratch does not know the words", {"mend": mend})
        for name, each in self.controls.items():
            if (self.problems.gold if each.gold == "phase 1" else self.problems.reward) < each.batch:
                mend = "give a smaller batch, or more problems"
                said = {"name": name, "mend": mend}
                raise PydanticCustomError("fault", "the control '{name}' has too few problems", said)
        if self.reinforcement.steps and self.problems.reward < self.reinforcement.prompts:
            mend = "give problems.reward of reinforcement.prompts or more"
            raise PydanticCustomError("fault", "phase 2 has too few problems", {"mend": mend})
        return self


def read_settings(path: Path) -> Settings:
    """Return the configuration of a YAML file.

    Raises:
        OrreryError: it cannot be read, or a key or value is wrong; the message names it.
    """
    return read_model(path, Settings)


def with_composed(settings: Settings, number: int) -> Settings:
    """Return the configuration with another number of composed domains in training.

    Raises:
        UsageError: the number does not fit the other keys.
    """
    try:
        problems = Problems.model_validate({**settings.problems.model_dump(), "composed": number})
    except ValidationError as error:
        raise UsageError(f"--composed {number}", error.errors()[0]["msg"]) from error
    return settings.model_copy(update={"problems": problems})
