"""A curriculum: the difficulty rises if a model succeeds, and falls if it fails.

Each domain has its own level, an index in its list of difficulties. The user reports successes and failures
(see ``Ladder``).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from orrery.catalog import entry_of
from orrery.grading import Score
from orrery.installation import find_root
from orrery.library.items import Item
from orrery.library.streams import ATTEMPTS, tasks
from orrery.model import OrreryError, Row, UsageError
from orrery.scoring.scorer import UNDECIDED

VERSION = 1  # version of the format of ``state``
TRIES = 100  # draws before a difficulty without items is dropped: some seconds


@dataclass(frozen=True)
class LadderRules:
    """When a level changes: shares of successes at which it rises and falls, and reports per decision.

    When a window of reports is full, the level rises if the share of successes is at least ``raise_at``, and
    falls if it is at most ``lower_at``. Otherwise the window moves on.
    """

    raise_at: float = 0.7
    lower_at: float = 0.3
    window: int = 50

    def __post_init__(self) -> None:
        """Refuse thresholds and windows that are not possible.

        Raises:
            UsageError: they are not.
        """
        if not 0 <= self.lower_at < self.raise_at <= 1:
            raise UsageError(
                f"raise_at {self.raise_at}, lower_at {self.lower_at}",
                "are invalid thresholds",
                "give 0 <= lower_at < raise_at <= 1",
            )
        if self.window < 1:
            raise UsageError(f"window {self.window}", "is too small to contain a report", "give 1 or more")


class Ladder:
    """A level from 0 to ``top``, with the window of reports at this level."""

    def __init__(self, rules: LadderRules, top: int, level: int = 0, recent: Iterable[float] = ()) -> None:
        """Start at a level, with the reports ``recent``."""
        self.rules, self.top, self.level, self.recent = rules, top, level, deque(recent)

    @property
    def rate(self) -> float | None:
        """The share of successes in the window; None if it is empty."""
        return math.fsum(self.recent) / len(self.recent) if self.recent else None

    def report(self, value: float) -> None:
        """Record a success as a number from 0 to 1, and decide if the window is full."""
        self.recent.append(value)
        if len(self.recent) > self.rules.window:
            self.recent.popleft()
        if len(self.recent) < self.rules.window:
            return
        rate = math.fsum(self.recent) / self.rules.window
        if rate >= self.rules.raise_at and self.level < self.top:
            self.move(self.level + 1)
        elif rate <= self.rules.lower_at and self.level > 0:
            self.move(self.level - 1)

    def drop(self) -> None:
        """Remove the present level and those above it, and go one level down."""
        self.top = self.level - 1
        self.move(self.top)

    def move(self, level: int) -> None:
        """Set the level and clear the window."""
        self.level = level
        self.recent.clear()


class Curriculum(Iterator[Item]):
    """An endless iterator of fresh items whose difficulty follows the reported success.

    The domains are used in turn. Item numbers continue at every level, so that no item is repeated. The same
    reports in the same order give the same items, in any process. ``state`` can be saved as JSON, and
    ``restore`` continues from it.
    """

    def __init__(
        self,
        table: str,
        domain: str | Sequence[str] | None = None,
        difficulties: Sequence[str] | None = None,
        *,
        raise_at: float = 0.7,
        lower_at: float = 0.3,
        window: int = 50,
        seed: int = 0,
        split: str | None = "train",
        root: Path | str | None = None,
        **options: Any,
    ) -> None:
        """Start every domain at its first difficulty.

        Args:
            table: the table of the items.
            domain: one or several domains (default: all domains of the table).
            difficulties: the difficulties, easiest first (default: those of each domain's ``domain.yaml``). A
                domain uses the ones that it has.
            raise_at: the minimum share of successes in a full window at which the difficulty rises.
            lower_at: the maximum share of successes at which the difficulty falls.
            window: the number of reports per decision.
            seed: the seed of the items.
            split: draw only problems of this split of the dataset; None means all problems.
            root: the folder with domains, generators and templates (default: that of the installation).
            options: further arguments of ``tasks``: ``kind``, ``style``, ``max_states``.

        Raises:
            UsageError: the shares or the window are not valid, or ``tasks`` has no such items.
        """
        self.rules = LadderRules(raise_at, lower_at, window)
        self.table, self.seed, self.position = table, seed, 0
        home = find_root(root).absolute()
        given = {"seed": seed, "split": split, "root": home, **options}
        named = [domain] if isinstance(domain, str) else domain
        names = tasks(table, **given).domains if named is None else tuple(dict.fromkeys(named))
        if not names:
            raise UsageError(
                "domain []", "is an empty list", "name a domain, or leave the argument out for all domains"
            )
        self._steps = {name: _difficulties(home, name, difficulties) for name in names}
        self._ladders = {name: Ladder(self.rules, len(steps) - 1) for name, steps in self._steps.items()}
        # An unknown table, domain or difficulty is reported now, not in the middle of a run.
        self._streams = {
            (name, level): tasks(table, name, step or None, **given)
            for name, steps in self._steps.items()
            for level, step in enumerate(steps)
        }

    @property
    def domains(self) -> tuple[str, ...]:
        """The domains, which are used in turn."""
        return tuple(self._steps)

    @property
    def levels(self) -> dict[str, str]:
        """The current difficulty of each domain."""
        return {name: self._steps[name][ladder.level] for name, ladder in self._ladders.items()}

    @property
    def rates(self) -> dict[str, float | None]:
        """The share of successes in the window of each domain; None if the window is empty."""
        return {name: ladder.rate for name, ladder in self._ladders.items()}

    def __next__(self) -> Item:
        """Return an item of the next domain at its current difficulty.

        A difficulty that gives no item in ``TRIES`` draws, because its state spaces exceed the budget, is
        dropped permanently; the easier ones remain.

        Raises:
            OrreryError: even the easiest difficulty of a domain gives no item.
        """
        name = self.domains[self.position % len(self.domains)]
        while True:
            level = self._ladders[name].level
            try:
                number = self.position // len(self.domains)
                item = self._streams[name, level].item(number, TRIES if level else ATTEMPTS)
            except OrreryError:
                if level == 0:
                    raise
                self._steps[name] = self._steps[name][:level]
                self._ladders[name].drop()
                continue
            self.position += 1
            return item

    def report(self, item: Item | Row, outcome: Score | float | None) -> None:
        """Record the result of a model on an item. Several replies to an item may be reported.

        Results at another difficulty than the current one, and undecided results, are ignored.

        Args:
            item: the item, or its row.
            outcome: its score, or a number from 0 to 1; None is ignored.

        Raises:
            UsageError: the item is of no domain of this curriculum, or the outcome is not a number from 0 to
            1.
        """
        row = item.row if isinstance(item, Item) else item
        name = str(row.get("domain"))
        if name not in self._steps:
            raise UsageError(
                f"report of '{row.get('id')}'",
                "belongs to a domain outside this curriculum",
                f"domains: {', '.join(self._steps)}",
            )
        value = success_of(outcome)
        if value is None or row.get("difficulty") != self.levels[name]:
            return
        self._ladders[name].report(value)

    def state(self) -> dict[str, Any]:
        """Return the state of the curriculum as JSON values."""
        return {
            "version": VERSION,
            "table": self.table,
            "seed": self.seed,
            "position": self.position,
            "difficulties": {name: list(steps) for name, steps in self._steps.items()},
            "levels": {name: ladder.level for name, ladder in self._ladders.items()},
            "recent": {name: list(ladder.recent) for name, ladder in self._ladders.items()},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from ``state``. The curriculum must have been created with the same arguments.

        Raises:
            UsageError: the state is not valid, or is of another table, seed or set of domains.
        """
        place = "state of a curriculum"
        try:
            same = (VERSION, self.table, self.seed, list(self._steps))
            if (state["version"], state["table"], state["seed"], list(state["levels"])) != same:
                raise UsageError(
                    place, "belongs to another curriculum", f"this curriculum: {self.table}, seed {self.seed}"
                )
            steps = {name: tuple(map(str, state["difficulties"][name])) for name in self._steps}
            levels = {name: int(state["levels"][name]) for name in self._steps}
            recent = {name: list(map(float, state["recent"][name])) for name in self._steps}
            position = int(state["position"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(
                place, f"cannot be read: {error!r}", "pass a value that state() returned"
            ) from error
        for name, outcomes in steps.items():
            if outcomes != self._steps[name][: len(outcomes)] or not 0 <= levels[name] < len(outcomes):
                raise UsageError(
                    place,
                    f"has other difficulties of {name}",
                    "create the curriculum with the same arguments",
                )
        self._steps, self.position = steps, position
        self._ladders = {
            name: Ladder(self.rules, len(steps[name]) - 1, levels[name], recent[name]) for name in steps
        }


def _difficulties(root: Path, domain: str, wanted: Sequence[str] | None) -> tuple[str, ...]:
    """Return the difficulties of a domain, in order.

    Raises:
        UsageError: the domain has none of the wanted difficulties, or one is given twice.
    """
    levels = tuple(entry_of(root, domain).description.difficulties or ()) or ("",)
    if wanted is None:
        return levels
    chosen = tuple(level for level in wanted if level in levels)
    if not chosen or any(first == second for first, second in pairwise(sorted(chosen))):
        raise UsageError(
            f"difficulties {', '.join(wanted)}",
            f"are not all difficulties of domain {domain}",
            f"difficulties: {', '.join(levels)}",
        )
    return chosen


def success_of(outcome: Score | float | None) -> float | None:
    """Return an outcome as a number from 0 to 1; None if it is to be ignored."""
    if isinstance(outcome, Score):
        return None if outcome.verdict == UNDECIDED else outcome.value
    if outcome is None:
        return None
    if not 0 <= outcome <= 1:  # other values than numbers are not valid either
        raise UsageError(f"outcome {outcome}", "is not a success rate", "give a number between 0 and 1")
    return float(outcome)
