"""Drawing until the asked number of distinct problems stands, more often from tasks that have more of them.

A draw is known by its task, difficulty and number, so it gives the same problem whoever makes it. Which
draws are made is decided here, by what came of those before, in their order: the result does not depend
on the number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from orrery.families.problems.candidates import ProblemCandidate
from orrery.families.problems.quotas import Draw, Quota
from orrery.model import Task

ATTEMPTS = 8  # draws for each problem wanted, at most
FIRST = 32  # draws of a task and difficulty before it is known how many of them are new
HANDFUL = 5  # problems that a task gets before others take its place
WINDOW = 32  # draws that tell how many of the next ones will be new
GROWTH = 3  # so many draws in a round for each one before
TRIES = 8  # rounds that a task may try for these
DUPLICATE = "same as an earlier problem"

DrawAll = Callable[[list[Draw]], Iterable[ProblemCandidate]]


@dataclass
class Sampler:
    """Problems of one domain as they are accepted; ``rejected`` holds the others.

    No two problems are equal under their strict keys. A loose key belongs to the held-out problems or to
    the others, never to both. Problems that share it are told alike by a text that leaves the objects of the
    goal open, so one of them is told so; the others, taken where nothing else is left, are ``explicit_only``.
    ``draw_all`` draws a list of slots, in any process, and returns the drafts in the same order.
    """

    domain: str
    draw_all: DrawAll
    rejected: list[ProblemCandidate] = field(default_factory=list)
    _strict: set[str] = field(default_factory=set)
    _told: set[str] = field(default_factory=set)
    _held_out: dict[str, bool] = field(default_factory=dict)

    def given(self, drafts: Iterable[ProblemCandidate], *, held_out: bool) -> Iterator[ProblemCandidate]:
        """Yield the accepted ones of drafts that are there already."""
        for draft in drafts:
            if kept := self._accept(draft, held_out, alike=True):
                yield kept
            else:
                self._reject(draft)

    def drawn(self, wishes: Iterable[Quota], *, held_out: bool) -> Iterator[ProblemCandidate]:
        """Accepted drafts until the wishes are fulfilled or the attempts are spent.

        The first are of every difficulty and task. First the tasks take turns; then each draws in
        proportion to how many of its latest draws were new, once it has its handful.
        """
        fields = [_Field(wish) for wish in wishes]
        of = {(each.wish.difficulty, task.task): task for each in fields for task in each.tasks}
        spare: list[Draw] = []
        while slots := [slot for _, slot in sorted(_turns(self.domain, fields), key=itemgetter(0))]:
            for draft in self.draw_all(slots):
                if kept := self._accept(draft, held_out):
                    of[draft.slot.difficulty, draft.slot.task].new += 1
                    yield kept
                elif draft.record and draft.record.strict_key not in self._strict:
                    spare.append(draft.slot)
                else:
                    self._reject(draft)
        yield from self._drawn_again(spare, {each.wish.difficulty: each.left for each in fields}, held_out)

    def _drawn_again(
        self, spare: list[Draw], left: dict[str, int], held_out: bool
    ) -> Iterator[ProblemCandidate]:
        """What is left to wish for, of drafts that differ from accepted ones in the goal's objects alone."""
        again = [slot for slot in spare if left[slot.difficulty]]
        self.rejected += [
            ProblemCandidate(slot, None, DUPLICATE) for slot in spare if not left[slot.difficulty]
        ]
        for draft in self.draw_all(again) if again else ():
            if left[draft.slot.difficulty] and (kept := self._accept(draft, held_out, alike=True)):
                left[draft.slot.difficulty] -= 1
                yield kept
            else:
                self._reject(draft)

    def _accept(
        self, draft: ProblemCandidate, held_out: bool, *, alike: bool = False
    ) -> ProblemCandidate | None:
        """Return the draft as it is to be kept, or None; ``alike``: also if only its explicit text is new."""
        record = draft.record
        if record is None or record.strict_key in self._strict:
            return None
        open_goal = draft.slot.task.interchangeable
        told = open_goal and record.loose_key in self._told
        if (told and not alike) or self._held_out.setdefault(record.loose_key, held_out) != held_out:
            return None
        self._strict.add(record.strict_key)
        if open_goal:
            self._told.add(record.loose_key)
        return draft._replace(record=record._replace(explicit_only=int(told)))

    def _reject(self, draft: ProblemCandidate) -> None:
        self.rejected.append(ProblemCandidate(draft.slot, None, DUPLICATE) if draft.record else draft)


def _turns(domain: str, fields: Sequence[_Field]) -> Iterator[tuple[tuple[int, int], Draw]]:
    """Yield the slots of the next round, each with its turn: the tasks one by one, then all of them again."""
    for number, each in enumerate(fields):
        for place, task in enumerate(each.next_round()):
            for drawn in range(task.drawn - task.asked, task.drawn):
                turn = drawn * len(each.tasks) + place
                yield (turn, number), Draw(domain, each.wish.difficulty, task.task, drawn)


@dataclass
class _TaskDraws:
    """How a task of one difficulty has done: ``asked`` and ``new`` are draws of the latest round."""

    task: Task
    turns: int
    drawn: int = 0
    kept: int = 0
    rounds: int = 0
    asked: int = 0
    new: int = 0
    seen: float = 0.0
    fresh: float = 0.0

    @property
    def rate(self) -> float:
        """The part of the latest draws that were new; never 0, nor trusted where draws were few."""
        return (self.fresh + 0.5) / (self.seen + 1)

    def close(self) -> None:
        """End the latest round; draws before it count for less."""
        self.kept += self.new
        if self.seen + self.asked > WINDOW:  # what was new before counts as far as the window reaches back
            kept = max(0, WINDOW - self.asked) / max(self.seen, 1)
            self.seen, self.fresh = self.seen * kept, self.fresh * kept
        self.seen += self.asked
        self.fresh += self.new
        self.asked = self.new = 0

    def ask(self, count: int) -> None:
        """Begin a round with so many draws."""
        self.asked = count
        self.drawn += count
        self.rounds += count > 0


@dataclass
class _Field:
    """A wish and how far its tasks have fulfilled it."""

    wish: Quota
    tasks: list[_TaskDraws] = field(default_factory=list)

    def __post_init__(self) -> None:
        """The tasks in their order; those whose turn comes first have one turn more."""
        count, tasks = self.wish.count, self.wish.tasks
        for place, task in enumerate(tasks):
            behind = (place - self.wish.first) % len(tasks)
            self.tasks.append(_TaskDraws(task, -(-max(0, count - behind) // len(tasks))))

    @property
    def left(self) -> int:
        """How many problems are still wanted."""
        return self.wish.count - sum(task.kept for task in self.tasks)

    def next_round(self) -> list[_TaskDraws]:
        """Return the tasks, each told how many draws to make."""
        for task in self.tasks:
            task.close()
        spent = sum(task.drawn for task in self.tasks)
        room = min(self.left, ATTEMPTS * self.wish.count - spent)
        shares = self._shares(room) if spent else [min(task.turns, FIRST) for task in self.tasks]
        for task, count in zip(self.tasks, shares, strict=True):
            task.ask(count)
        return self.tasks

    def _shares(self, room: int) -> list[int]:
        """Return how many of ``room`` draws each task gets: what its handful lacks, then by its rate."""
        shares = []
        for task in self.tasks:
            lacking = min(HANDFUL, task.turns) - task.kept if task.rounds < TRIES else 0
            shares.append(min(room, max(0, lacking)))
            room -= shares[-1]
        more = apportioned(room, [task.rate**2 for task in self.tasks])
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
