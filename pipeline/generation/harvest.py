"""Drawing until the asked number of distinct problems stands, more often from tasks that have more of them.

A draw is known by its task, difficulty and number, so it gives the same problem whoever makes it. Which
draws are made is decided here, by what came of those before, in their order: the result does not depend
on the number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from pipeline.generation.drafts import Draft
from pipeline.generation.slots import Slot, Wish
from pipeline.model import Pairing

ATTEMPTS = 12  # draws for each problem wanted, at most
FIRST = 32  # draws of a task and difficulty before it is known how many of them are new
HANDFUL = 5  # problems that a task gets before others take its place
GROWTH = 3  # so many draws in a round for each one before
TRIES = 8  # rounds that a task may try for these
DUPLICATE = "same as an earlier problem"

DrawAll = Callable[[list[Slot]], Iterable[Draft]]


@dataclass
class Harvest:
    """Problems of one domain as they are accepted, no two of them equal; ``rejected`` holds the others.

    ``draw_all`` draws a list of slots, in any process, and returns the drafts in the same order.
    """

    domain: str
    draw_all: DrawAll
    rejected: list[Draft] = field(default_factory=list)
    _taken: set[str] = field(default_factory=set)

    def given(self, drafts: Iterable[Draft]) -> Iterator[Draft]:
        """The accepted ones of drafts that are there already."""
        return filter(self._accepts, drafts)

    def drawn(self, wishes: Iterable[Wish]) -> Iterator[Draft]:
        """Accepted drafts until the wishes are fulfilled or the attempts are spent.

        The first are of every difficulty and task. First the tasks take turns; then each draws in
        proportion to how many of its latest draws were new, once it has its handful.
        """
        fields = [_Field(wish) for wish in wishes]
        while slots := [slot for _, slot in sorted(_turns(self.domain, fields), key=itemgetter(0))]:
            of = {(each.wish.difficulty, task.pairing): task for each in fields for task in each.tasks}
            for draft in self.draw_all(slots):
                if self._accepts(draft):
                    of[draft.slot.difficulty, draft.slot.pairing].new += 1
                    yield draft

    def _accepts(self, draft: Draft) -> bool:
        """Whether the draft has a problem that is new; keeps its keys or, if not, the draft."""
        if draft.record is None:
            self.rejected.append(draft)
            return False
        found = {draft.record.strict_key, draft.record.loose_key}
        if found & self._taken:
            self.rejected.append(draft._replace(record=None, reason=DUPLICATE))
            return False
        self._taken |= found
        return True


def _turns(domain: str, fields: Sequence[_Field]) -> Iterator[tuple[tuple[int, int], Slot]]:
    """The slots of the next round, each with its turn: the tasks one by one, then all of them again."""
    for number, each in enumerate(fields):
        for place, task in enumerate(each.next_round()):
            for drawn in range(task.drawn - task.asked, task.drawn):
                turn = drawn * len(each.tasks) + place
                yield (turn, number), Slot(domain, each.wish.difficulty, task.pairing, drawn)


@dataclass
class _Task:
    """How a task of one difficulty has done: ``asked`` and ``new`` are draws of the latest round."""

    pairing: Pairing
    turns: int
    drawn: int = 0
    kept: int = 0
    rounds: int = 0
    asked: int = 0
    new: int = 0
    rate: float = 0.5

    def close(self) -> None:
        """End the latest round, if the task had any draws in it."""
        if self.asked:
            # One draw more on either side: a rate of few draws is not to be trusted, and none is ever 0.
            self.rate = (self.new + 1) / (self.asked + 2)
        self.kept += self.new
        self.asked = self.new = 0

    def ask(self, count: int) -> None:
        """Begin a round with so many draws."""
        self.asked = count
        self.drawn += count
        self.rounds += count > 0


@dataclass
class _Field:
    """A wish and how far its tasks have fulfilled it."""

    wish: Wish
    tasks: list[_Task] = field(default_factory=list)

    def __post_init__(self) -> None:
        """The tasks in their order; those whose turn comes first have one turn more."""
        count, pairings = self.wish.count, self.wish.pairings
        for place, pairing in enumerate(pairings):
            behind = (place - self.wish.first) % len(pairings)
            self.tasks.append(_Task(pairing, -(-max(0, count - behind) // len(pairings))))

    def next_round(self) -> list[_Task]:
        """The tasks, each told how many draws to make."""
        for task in self.tasks:
            task.close()
        spent = sum(task.drawn for task in self.tasks)
        left = self.wish.count - sum(task.kept for task in self.tasks)
        room = min(left, ATTEMPTS * self.wish.count - spent)
        shares = self._shares(room) if spent else [min(task.turns, FIRST) for task in self.tasks]
        for task, count in zip(self.tasks, shares, strict=True):
            task.ask(count)
        return self.tasks

    def _shares(self, room: int) -> list[int]:
        """How many of ``room`` draws each task gets: what its handful lacks, then by its rate."""
        shares = []
        for task in self.tasks:
            lacking = min(HANDFUL, task.turns) - task.kept if task.rounds < TRIES else 0
            shares.append(min(room, max(0, lacking)))
            room -= shares[-1]
        more = apportioned(room, [task.rate for task in self.tasks])
        # Not too many at once: a task may run dry.
        most = [max(FIRST, GROWTH * task.drawn) for task in self.tasks]
        return [min(sum(each), top) for *each, top in zip(shares, more, most, strict=True)]


def apportioned(count: int, weights: Sequence[float]) -> list[int]:
    """``count`` shared out in proportion to the weights: by whole parts, then by largest remainders."""
    whole = sum(weights)
    parts = [count * weight / whole for weight in weights]
    shares = [int(part) for part in parts]
    order = sorted(range(len(parts)), key=lambda i: (shares[i] - parts[i], i))
    for i in order[: count - sum(shares)]:
        shares[i] += 1
    return shares
