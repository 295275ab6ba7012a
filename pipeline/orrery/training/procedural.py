"""Fresh items with the interface of reasoning-gym's procedural datasets.

The package is not needed for it; ``register_reasoning_gym`` makes its factory and composites know ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, make_dataclass
from functools import cached_property
from typing import Any, TypeAlias

from orrery.library.fresh_rows import makers
from orrery.library.judging import score
from orrery.library.streams import TaskStream, tasks
from orrery.model import OrreryError, ToolMissing, UsageError

Entry: TypeAlias = dict[str, Any]
PREFIX = "orrery_"  # names of datasets in reasoning-gym's factory are this and the table
SIZE = 500  # as in reasoning-gym


@dataclass
class ProceduralConfig:
    """What the items of ``ProceduralTasks`` are: the arguments of ``orrery.tasks``, and how many.

    ``seed`` None is 0, for we draw no seeds by the clock.
    """

    table: str = "acp_app_gen"
    domain: str | None = None
    difficulty: str | None = None
    kind: str | None = None
    style: str = "zero_shot"
    split: str | None = "train"
    seed: int | None = 0
    size: int = SIZE

    def validate(self) -> None:
        """Refuse what no dataset can be made of.

        Raises:
            UsageError: there is no such table, domain, difficulty, kind, style or split, or the size is not
                positive.
        """
        if self.size < 1:
            raise UsageError(f"size {self.size}", "is too small", "give 1 or more")
        self.stream()

    def stream(self) -> TaskStream:
        """Return the stream whose items these are."""
        return tasks(
            self.table,
            self.domain,
            self.difficulty,
            self.seed or 0,
            self.kind,
            self.style,
            split=self.split,
        )


class ProceduralTasks:
    """A dataset of fresh items as reasoning-gym has them: ``len``, ``[i]``, iteration, ``score_answer``.

    An item is a dict of ``question`` (the system and user messages in one text), ``answer`` (a right reply)
    and ``metadata`` (with the row, the messages apart, and what reasoning-gym reads). The i-th is the same
    whatever was asked for before.
    """

    def __init__(self, config: ProceduralConfig) -> None:
        """Hold the items that ``config`` says; none is made yet."""
        config.validate()
        # A plain one: the classes that reasoning-gym's factory is given cannot be pickled.
        self.config = ProceduralConfig(**asdict(config))
        self.size, self.seed = config.size, config.seed or 0

    @cached_property
    def _stream(self) -> TaskStream:
        return self.config.stream()

    @property
    def category(self) -> str:
        """The group of the dataset, as reasoning-gym calls it."""
        return "planning"

    def __len__(self) -> int:
        """Return the number of items that the configuration says."""
        return self.size

    def __iter__(self) -> Iterator[Entry]:
        """Yield all items in order."""
        return (self[number] for number in range(self.size))

    def __getitem__(self, idx: int) -> Entry:
        """Return the item of a number.

        Past the end come further ones, as in reasoning-gym, whose composites ask for them.

        Raises:
            IndexError: the number is below the first, counted from the end.
            OrreryError: there is no such item within the budget of states.
        """
        number = idx if idx >= 0 else idx + self.size
        if number < 0:
            raise IndexError(f"{idx} of {self.size} items")
        item = self._stream.item(number)
        about = {"domain": item.row["domain"], "difficulty": item.row["difficulty"]}
        return {
            "question": "\n\n".join(message["content"] for message in item.prompt),
            "answer": item.gold,
            "metadata": {
                "source_dataset": PREFIX + item.table,
                "source_index": number,
                "table": item.table,
                "row": dict(item.row),
                "messages": item.prompt,
                "difficulty": about,
            },
        }

    def score_answer(self, answer: str | None, entry: Entry) -> float:
        """Return 1.0 for a right answer to an item, else 0.0; undecided ones get 0.0. No answer raises.

        Raises:
            OrreryError: the entry is none of ours.
        """
        try:
            row = entry["metadata"]["row"]
        except (KeyError, TypeError) as error:
            raise OrreryError("entry", f"has no key {error}", "pass an item of the dataset") from error
        return score(answer, row).value


def register_reasoning_gym() -> list[str]:
    """Make reasoning-gym know a dataset for each table; return their names, such as ``orrery_acp_app_gen``.

    Then ``reasoning_gym.create_dataset(name, domain=..., seed=..., size=...)`` makes them, and composites may
    hold them. Calling it again does nothing more.

    Raises:
        ToolMissing: reasoning-gym is not installed.
    """
    try:
        from reasoning_gym.dataset import ProceduralDataset
        from reasoning_gym.factory import DATASETS, register_dataset
    except ModuleNotFoundError as error:
        mend = "pip install reasoning-gym"
        raise ToolMissing("register_reasoning_gym", f"requires the package {error.name}", mend) from error
    ProceduralDataset.register(ProceduralTasks)
    named = {PREFIX + table: table for table in makers()}
    for name, table in named.items():
        if name not in DATASETS:
            fields = [("table", str, field(default=table))]
            config = make_dataclass(f"Config_{name}", fields, bases=(ProceduralConfig,))
            register_dataset(name, ProceduralTasks, config)
    return list(named)
