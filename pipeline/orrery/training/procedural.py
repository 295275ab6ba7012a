"""Fresh items with the interface of reasoning-gym's procedural datasets.

The package itself is not required. ``register_reasoning_gym`` registers our datasets with its factory and
composites.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, make_dataclass
from functools import cached_property
from typing import Any, TypeAlias

from orrery.installation import needing
from orrery.library.fresh_rows import makers
from orrery.library.judging import score
from orrery.library.streams import TaskStream, tasks
from orrery.model import OrreryError, UsageError

Entry: TypeAlias = dict[str, Any]
PREFIX = "orrery_"  # prefix of dataset names in reasoning-gym's factory; the table follows
SIZE = 500  # as in reasoning-gym


@dataclass
class ProceduralConfig:
    """The configuration of ``ProceduralTasks``: the arguments of ``orrery.tasks``, and the number of items.

    ``seed`` None means 0, because seeds are never drawn from the clock.
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
        """Check the configuration.

        Raises:
            UsageError: the table, domain, difficulty, kind, style or split does not exist, or the size is not
                positive.
        """
        if self.size < 1:
            raise UsageError(f"size {self.size}", "is too small", "give 1 or more")
        self.stream()

    def stream(self) -> TaskStream:
        """Return the stream of the items."""
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
    """A dataset of fresh items for reasoning-gym, with ``len``, ``[i]``, iteration and ``score_answer``.

    An item is a dict of ``question`` (the system and user messages in one text), ``answer`` (a right reply)
    and ``metadata`` (the row, the separate messages, and the fields that reasoning-gym reads). Item i is the
    same regardless of earlier accesses.
    """

    def __init__(self, config: ProceduralConfig) -> None:
        """Create the dataset of ``config``. No item is made yet."""
        config.validate()
        # A plain object: the classes passed to reasoning-gym's factory cannot be pickled.
        self.config = ProceduralConfig(**asdict(config))
        self.size, self.seed = config.size, config.seed or 0

    @cached_property
    def _stream(self) -> TaskStream:
        return self.config.stream()

    @property
    def category(self) -> str:
        """The group of the dataset in reasoning-gym."""
        return "planning"

    def __len__(self) -> int:
        """Return the number of items in the configuration."""
        return self.size

    def __iter__(self) -> Iterator[Entry]:
        """Yield all items in order."""
        return (self[number] for number in range(self.size))

    def __getitem__(self, idx: int) -> Entry:
        """Return the item with this number.

        Numbers beyond the end give further items, as in reasoning-gym, whose composites use them.

        Raises:
            IndexError: the number is negative and below the first item.
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
        """Return 1.0 for a right answer to an item; otherwise 0.0, also if it is undecided. No answer raises.

        Raises:
            OrreryError: the entry is not of this dataset.
        """
        try:
            row = entry["metadata"]["row"]
        except (KeyError, TypeError) as error:
            raise OrreryError("entry", f"has no key {error}", "pass an item of the dataset") from error
        return score(answer, row).value


def register_reasoning_gym() -> list[str]:
    """Register a dataset for each table with reasoning-gym; return names such as ``orrery_acp_app_gen``.

    Then ``reasoning_gym.create_dataset(name, domain=..., seed=..., size=...)`` creates them, and composites
    may contain them. Repeated calls have no further effect.

    Raises:
        ToolMissing: reasoning-gym is not installed.
    """
    with needing("register_reasoning_gym", "pip install reasoning-gym"):
        from reasoning_gym.dataset import ProceduralDataset
        from reasoning_gym.factory import DATASETS, register_dataset
    ProceduralDataset.register(ProceduralTasks)
    named = {PREFIX + table: table for table in makers()}
    for name, table in named.items():
        if name not in DATASETS:
            fields = [("table", str, field(default=table))]
            config = make_dataclass(f"Config_{name}", fields, bases=(ProceduralConfig,))
            register_dataset(name, ProceduralTasks, config)
    return list(named)
