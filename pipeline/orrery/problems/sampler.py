"""Sample distinct problems until the quotas are met, more often from tasks with more of them.

Task, difficulty and number determine a draw, so every process draws the same problem. The
sampler chooses draws by the results of earlier draws in order, so the result does not depend on the
number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import InitVar, dataclass, field
from operator import itemgetter

from orrery.model import ConfigurationPair
from orrery.problems.candidates import ProblemCandidate
from orrery.problems.quotas import Draw, Quota

ATTEMPTS = 8  # maximum number of draws per wanted problem
FIRST = 32  # draws of a task and difficulty before the rate of new problems is known
HANDFUL = 5  # problems of a task before others replace it
WINDOW = 32  # latest draws used to estimate the rate of new problems
GROWTH = 3  # growth factor of the draws per round
TRIES = 8  # maximum rounds for the handful of a task

DUPLICATE = "same as an earlier problem"

DrawAll = Callable[[list[Draw]], Iterable[ProblemCandidate]]


@dataclass
class Sampler:
    """Accepts distinct problems of one domain; ``rejected`` contains the other candidates.

    No two problems have the same strict key. A loose key belongs either to the held-out problems or to the
    others. A text that leaves the objects of the goal open is the same for all problems with one loose
    key, so only the first of them gets such a text. The others, accepted only to fill a quota, are
    ``explicit_only``.

    ``draw_all`` makes the candidates of draws, in any process, and returns them in the same order. No problem
    with an ``excluded`` loose key is accepted.
    """

    domain: str
    draw_all: DrawAll
    rejected: list[ProblemCandidate] = field(default_factory=list)
    excluded: InitVar[Set[str]] = frozenset()
    _strict: set[str] = field(default_factory=set)
    _rendered: set[str] = field(default_factory=set)
    _loose: dict[bool, set[str]] = field(default_factory=dict)

    def __post_init__(self, excluded: Set[str]) -> None:
        """Treat the excluded loose keys as drawn already, by the held-out problems and by the others."""
        self._rendered |= excluded
        self._loose = {True: {*excluded}, False: {*excluded}}

    def accepted(
        self, candidates: Iterable[ProblemCandidate], *, held_out: bool
    ) -> Iterator[ProblemCandidate]:
        """Yield the accepted candidates among problems that were not drawn."""
        for candidate in candidates:
            if accepted := self._accept(candidate, held_out, explicit_only=True):
                yield accepted
            else:
                self._reject(candidate)

    def drawn(self, quotas: Iterable[Quota], *, held_out: bool) -> Iterator[ProblemCandidate]:
        """Draw and yield accepted candidates until the quotas are met or the draws are used up.

        First the tasks are used in turn, in all difficulties. After a task has ``HANDFUL`` problems, its
        number of draws is proportional to the share of new problems among its latest draws.
        """
        progress = [_QuotaProgress(quota) for quota in quotas]
        counts = {(quota.quota.difficulty, pair.task): pair for quota in progress for pair in quota.pairs}
        spare: list[ProblemCandidate] = []
        for draws in _rounds(self.domain, progress):
            for candidate in self.draw_all(draws):
                draw = candidate.draw
                if accepted := self._accept(candidate, held_out):
                    counts[draw.difficulty, draw.task].new += 1
                    yield accepted
                elif candidate.record and candidate.record.strict_key not in self._strict:
                    spare.append(candidate)
                else:
                    self._reject(candidate)
        # The quotas are filled with candidates that differ from accepted ones only in the goal's objects.
        missing = {quota.quota.difficulty: quota.missing for quota in progress}
        for candidate in spare:
            difficulty = candidate.draw.difficulty
            accepted = self._accept(candidate, held_out, explicit_only=True) if missing[difficulty] else None
            if accepted:
                missing[difficulty] -= 1
                yield accepted
            else:
                self._reject(candidate)

    def _accept(
        self, candidate: ProblemCandidate, held_out: bool, *, explicit_only: bool = False
    ) -> ProblemCandidate | None:
        """Return the accepted candidate, or None.

        With ``explicit_only``, a candidate is also accepted if its open text is not new.
        """
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
        """Add a candidate to the rejected ones, without its record."""
        self.rejected.append(
            ProblemCandidate(candidate.draw, None, DUPLICATE) if candidate.record else candidate
        )


def _rounds(domain: str, progress: Sequence[_QuotaProgress]) -> Iterator[list[Draw]]:
    """Yield the draws round by round, until a round has none; in a round the tasks are used in turn."""
    while True:
        turns = [
            (number * len(quota.pairs) + place, rank, Draw(domain, quota.quota.difficulty, pair.task, number))
            for rank, quota in enumerate(progress)
            for place, pair in enumerate(quota.next_round())
            for number in range(pair.drawn - pair.in_round, pair.drawn)
        ]
        if not turns:
            return
        yield [draw for *_, draw in sorted(turns, key=itemgetter(0, 1))]


@dataclass
class _PairDraws:
    """The draws of a task in one difficulty; ``in_round`` and ``new`` count those of the latest round."""

    task: ConfigurationPair
    turns: int
    drawn: int = 0
    accepted: int = 0
    rounds: int = 0
    in_round: int = 0
    new: int = 0
    window: float = 0.0
    new_in_window: float = 0.0

    @property
    def rate(self) -> float:
        """The share of new problems among the latest draws, smoothed so that it is never 0."""
        return (self.new_in_window + 0.5) / (self.window + 1)

    def close(self) -> None:
        """End the latest round; earlier draws get less weight."""
        self.accepted += self.new
        if self.window + self.in_round > WINDOW:  # earlier draws count as far as the window reaches
            share = max(0, WINDOW - self.in_round) / max(self.window, 1)
            self.window, self.new_in_window = self.window * share, self.new_in_window * share
        self.window += self.in_round
        self.new_in_window += self.new
        self.in_round = self.new = 0

    def begin(self, count: int) -> None:
        """Begin a round with ``count`` draws."""
        self.in_round = count
        self.drawn += count
        self.rounds += count > 0


@dataclass
class _QuotaProgress:
    """A quota and the draws of its tasks."""

    quota: Quota
    pairs: list[_PairDraws] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Divide the problems among the tasks in order."""
        count, tasks = self.quota.count, self.quota.tasks
        for place, task in enumerate(tasks):
            behind = (place - self.quota.first) % len(tasks)
            self.pairs.append(_PairDraws(task, -(-max(0, count - behind) // len(tasks))))

    @property
    def missing(self) -> int:
        """The number of problems that the quota still lacks."""
        return self.quota.count - sum(pair.accepted for pair in self.pairs)

    def next_round(self) -> list[_PairDraws]:
        """Begin the next round of each task; return the tasks."""
        for pair in self.pairs:
            pair.close()
        spent = sum(pair.drawn for pair in self.pairs)
        room = min(self.missing, ATTEMPTS * self.quota.count - spent)
        shares = self._shares(room) if spent else [min(pair.turns, FIRST) for pair in self.pairs]
        for pair, count in zip(self.pairs, shares, strict=True):
            pair.begin(count)
        return self.pairs

    def _shares(self, room: int) -> list[int]:
        """Return the draws of each task, ``room`` in total: first up to its handful, then by its rate."""
        shares = []
        for pair in self.pairs:
            lacking = min(HANDFUL, pair.turns) - pair.accepted if pair.rounds < TRIES else 0
            shares.append(min(room, max(0, lacking)))
            room -= shares[-1]
        by_rate = apportioned(room, [pair.rate**2 for pair in self.pairs])
        # Only a few at a time, because a task may have no other distinct problems.
        limits = [max(FIRST, GROWTH * pair.drawn) for pair in self.pairs]
        return [
            min(share + extra, limit) for share, extra, limit in zip(shares, by_rate, limits, strict=True)
        ]


def apportioned(count: int, weights: Sequence[float]) -> list[int]:
    """Divide ``count`` in proportion to the weights, by the largest-remainder method."""
    whole = sum(weights)
    parts = [count * weight / whole for weight in weights]
    shares = [int(part) for part in parts]
    order = sorted(range(len(parts)), key=lambda i: (shares[i] - parts[i], i))
    for i in order[: count - sum(shares)]:
        shares[i] += 1
    return shares
