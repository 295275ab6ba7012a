"""Sample distinct problems until the quotas are met, more often from tasks that have more of them.

Task, difficulty and number determine a draw, so every process draws the same problem. Which draws are made
is decided here, from the results of earlier draws in their order: the result does not depend on the number
of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import merge
from itertools import islice
from operator import itemgetter

from orrery.families.problems.candidates import KeptCandidates, ProblemCandidate
from orrery.families.problems.known import DrawList, KeySet, Rejects
from orrery.families.problems.quotas import Draw, Quota
from orrery.model import ConfigurationPair

ATTEMPTS = 8  # draws for each problem wanted, at most
FIRST = 32  # draws of a task and difficulty before it is known how many of them are new
HANDFUL = 5  # problems that a task gets before others take its place
WINDOW = 32  # latest draws from which the rate of new problems is estimated
GROWTH = 3  # so many draws in a round for each one before
TRIES = 8  # rounds that a task may try for these
DUPLICATE = "same as an earlier problem"

SLICE = 100_000  # draws of a round that are listed at a time
CHUNK = 100  # draws made again at a time, until no more are wanted
SOON = 1_000  # draws among which those are looked for that are made at the same time

DrawAll = Callable[[list[Draw]], Iterable[ProblemCandidate]]


@dataclass
class Sampler:
    """Accept distinct problems of one domain; ``rejected`` holds the others.

    No two problems are equal under their strict keys. A loose key belongs to the held-out problems or to
    the others, never to both. A text that leaves the objects of the goal open is the same for all
    problems that share one, so only the first gets such a text; the others, accepted where nothing else is
    left, are ``explicit_only``. ``draw_all`` makes a list of draws, in any process, and returns the
    candidates in the same order; it may put off those of a sign that it has met, which ``draw_every`` makes.
    ``key_set`` is what keys are kept in.

    Candidates of one sign have one loose key, and one strict key if their task leaves no objects open. So
    once one of them is accepted, or is not new, no other is; such a sign is *settled*. Whether those were
    made or put off changes nothing.
    """

    domain: str
    draw_all: DrawAll
    draw_every: DrawAll | None = None
    key_set: type[KeySet] = KeySet
    rejected: Rejects = field(default_factory=Rejects)
    _settled: KeySet = field(init=False)
    _strict: KeySet = field(init=False)
    _rendered: KeySet = field(init=False)
    _loose: dict[bool, KeySet] = field(init=False)

    def __post_init__(self) -> None:
        """Begin with no keys."""
        self._settled, self._strict, self._rendered = (self.key_set() for _ in range(3))
        self._loose = {True: self.key_set(), False: self.key_set()}

    def given(self, candidates: Iterable[ProblemCandidate], *, held_out: bool) -> Iterator[ProblemCandidate]:
        """Yield those of the given candidates that are accepted."""
        for candidate in candidates:
            if kept := self._accept(candidate, held_out, explicit_only=True):
                yield kept
            else:
                self._reject(candidate)

    def drawn(self, quotas: Iterable[Quota], *, held_out: bool) -> Iterator[ProblemCandidate]:
        """Draw and yield accepted candidates until the quotas are met or the attempts are spent.

        The tasks take turns first, in all difficulties. Once a task has ``HANDFUL`` problems, it draws in
        proportion to how many of its latest draws were new.
        """
        progress = [_QuotaProgress(quota) for quota in quotas]
        of = {(each.quota.difficulty, task.task): task for each in progress for task in each.tasks}
        spare = DrawList()
        for draws in _rounds(self.domain, progress):
            found = self.draw_all(draws)
            if isinstance(found, KeptCandidates):
                self._recall(found)
            for drawn, made in self._with_made(found):
                if drawn.sign and drawn.sign in self._settled:
                    if drawn.draw.task.interchangeable:
                        spare.append(drawn.draw)
                    else:
                        self.rejected.append(ProblemCandidate(drawn.draw, None, DUPLICATE))
                    continue
                candidate = made() if drawn.put_off else drawn
                if kept := self._accept(candidate, held_out):
                    of[candidate.draw.difficulty, candidate.draw.task].new += 1
                    yield kept
                elif candidate.record and candidate.record.strict_key not in self._strict:
                    spare.append(candidate.draw)
                else:
                    self._reject(candidate)
                self._settle(candidate)
        yield from self._drawn_again(spare, {each.quota.difficulty: each.left for each in progress}, held_out)

    def _with_made(
        self, found: Iterable[ProblemCandidate]
    ) -> Iterator[tuple[ProblemCandidate, Callable[[], ProblemCandidate]]]:
        """Yield candidates, each with what makes one that was put off.

        Together with it those of other signs that come soon are made: most will be asked for, too, and to
        make one takes as long as to make some.
        """
        waiting = iter(found)
        while some := list(islice(waiting, SOON)):
            made: dict[Draw, ProblemCandidate] = {}
            for place, drawn in enumerate(some):
                yield drawn, partial(self._made, some, place, made)

    def _made(
        self, some: Sequence[ProblemCandidate], place: int, made: dict[Draw, ProblemCandidate]
    ) -> ProblemCandidate:
        """Return the candidate at a place, made at last, and remember those made with it."""
        if some[place].draw not in made:
            first: dict[str, Draw] = {}
            for each in some[place:]:
                if each.put_off and each.sign not in self._settled:
                    first.setdefault(each.sign, each.draw)
            wanted = list(first.values())
            made.update(zip(wanted, self._every(wanted), strict=True))
        return made[some[place].draw]

    def _recall(self, found: KeptCandidates) -> None:
        """Have at hand what is known of the keys of some candidates."""
        self._settled.recall(found.all_of("sign"))
        self._strict.recall(found.all_of("strict_key"))
        loose = list(found.all_of("loose_key"))
        for known in (self._rendered, *self._loose.values()):
            known.recall(loose)

    def _drawn_again(
        self, spare: DrawList, left: dict[str, int], held_out: bool
    ) -> Iterator[ProblemCandidate]:
        """Fill what is left of the quotas with candidates that differ in the goal's objects alone."""
        waiting = iter(spare)
        while some := list(islice(waiting, CHUNK)):
            again = [draw for draw in some if left[draw.difficulty]]
            for draw in some:
                if not left[draw.difficulty]:
                    self.rejected.append(ProblemCandidate(draw, None, DUPLICATE))
            for candidate in self._every(again) if again else ():
                if left[candidate.draw.difficulty] and (
                    kept := self._accept(candidate, held_out, explicit_only=True)
                ):
                    left[candidate.draw.difficulty] -= 1
                    yield kept
                else:
                    self._reject(candidate)

    def _every(self, draws: list[Draw]) -> Iterable[ProblemCandidate]:
        """Return the candidates of the draws, none of them put off."""
        return (self.draw_every or self.draw_all)(draws)

    def _settle(self, candidate: ProblemCandidate) -> None:
        """Note a sign of which nothing is accepted any more.

        One whose only problem so far was drawn before, for another task, may still have others.
        """
        record = candidate.record
        if record is None or not candidate.sign:
            return
        if not candidate.draw.task.interchangeable or record.loose_key in self._rendered:
            self._settled.add(candidate.sign)

    def _accept(
        self, candidate: ProblemCandidate, held_out: bool, *, explicit_only: bool = False
    ) -> ProblemCandidate | None:
        """Return the candidate to keep, or None; ``explicit_only`` accepts one whose open text is not new."""
        record = candidate.record
        if record is None or record.strict_key in self._strict:
            return None
        open_goal = candidate.draw.task.interchangeable
        rendered = open_goal and record.loose_key in self._rendered
        if rendered and not explicit_only:
            return None
        if record.loose_key in self._loose[not held_out]:
            return None
        self._loose[held_out].add(record.loose_key)
        self._strict.add(record.strict_key)
        if open_goal:
            self._rendered.add(record.loose_key)
        return candidate._replace(record=record._replace(explicit_only=1)) if rendered else candidate

    def _reject(self, candidate: ProblemCandidate) -> None:
        self.rejected.append(
            ProblemCandidate(candidate.draw, None, DUPLICATE) if candidate.record else candidate
        )


def _rounds(domain: str, progress: Sequence[_QuotaProgress]) -> Iterator[list[Draw]]:
    """Yield the draws of round after round, of long rounds in slices, until a round has none."""
    while True:
        turns = merge(*_turns(domain, progress), key=itemgetter(0))
        some = list(islice(turns, SLICE))
        if not some:
            return
        while some:
            yield [draw for _, draw in some]
            some = list(islice(turns, SLICE))


def _turns(
    domain: str, progress: Sequence[_QuotaProgress]
) -> Iterator[Iterator[tuple[tuple[int, int], Draw]]]:
    """Yield the draws of each task in the next round, with their turns: all tasks, then all again."""
    for number, each in enumerate(progress):
        for place, task in enumerate(each.next_round()):
            yield _turns_of(domain, each.quota, number, place, task)


def _turns_of(
    domain: str, quota: Quota, number: int, place: int, task: _TaskDraws
) -> Iterator[tuple[tuple[int, int], Draw]]:
    for drawn in range(task.drawn - task.asked, task.drawn):
        turn = drawn * len(quota.tasks) + place
        yield (turn, number), Draw(domain, quota.difficulty, task.task, drawn)


@dataclass
class _TaskDraws:
    """The draws of a task in one difficulty; ``asked`` and ``new`` count those of the latest round."""

    task: ConfigurationPair
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
class _QuotaProgress:
    """A quota and what its tasks have contributed to it."""

    quota: Quota
    tasks: list[_TaskDraws] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Share out the turns among the tasks in their order."""
        count, tasks = self.quota.count, self.quota.tasks
        for place, task in enumerate(tasks):
            behind = (place - self.quota.first) % len(tasks)
            self.tasks.append(_TaskDraws(task, -(-max(0, count - behind) // len(tasks))))

    @property
    def left(self) -> int:
        """How many problems are still wanted."""
        return self.quota.count - sum(task.kept for task in self.tasks)

    def next_round(self) -> list[_TaskDraws]:
        """Begin the next round of each task; return the tasks."""
        for task in self.tasks:
            task.close()
        spent = sum(task.drawn for task in self.tasks)
        room = min(self.left, ATTEMPTS * self.quota.count - spent)
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
        # Not too many at once: a task may have no more distinct problems.
        most = [max(FIRST, GROWTH * task.drawn) for task in self.tasks]
        return [min(sum(each), top) for *each, top in zip(shares, more, most, strict=True)]


def apportioned(count: int, weights: Sequence[float]) -> list[int]:
    """Apportion ``count`` in proportion to the weights: by whole parts, then by largest remainders."""
    whole = sum(weights)
    parts = [count * weight / whole for weight in weights]
    shares = [int(part) for part in parts]
    order = sorted(range(len(parts)), key=lambda i: (shares[i] - parts[i], i))
    for i in order[: count - sum(shares)]:
        shares[i] += 1
    return shares
