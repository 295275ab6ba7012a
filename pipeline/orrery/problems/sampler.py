"""Sample distinct problems until the quotas are met, more often from pairs that have more of them.

Pair of configurations, difficulty and number determine a draw, so every process draws the same problem. The
sampler chooses the draws from the results of earlier draws in their order: the result does not depend on the
number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from orrery.model import ConfigurationPair
from orrery.problems.candidates import ProblemCandidate
from orrery.problems.quotas import Draw, Quota

ATTEMPTS = 8  # draws for each problem wanted, at most
FIRST = 32  # draws of a pair and difficulty before the rate of new problems is known
HANDFUL = 5  # problems that a pair gets before others take its place
WINDOW = 32  # latest draws from which the rate of new problems is estimated
GROWTH = 3  # so many draws in a round for each one before
TRIES = 8  # rounds that a pair may try for its handful

CHUNK = 100  # draws made again at a time, until no more are wanted
DUPLICATE = "same as an earlier problem"

DrawAll = Callable[[list[Draw]], Iterable[ProblemCandidate]]


@dataclass
class Sampler:
    """Accepts distinct problems of one domain; ``rejected`` holds the other candidates.

    No two problems have the same strict key. A loose key belongs to the held-out problems or to the others,
    never to both. A text that leaves the objects of the goal open is the same for all problems with one loose
    key, so only the first of them gets such a text; the others, accepted only to fill a quota, are
    ``explicit_only``.

    ``draw_all`` makes the candidates of draws, in any process, and returns them in the same order. It may put
    candidates off; ``draw_put_off`` makes those. Candidates of one sign have one loose key, and one strict
    key if their pair leaves no objects open. Once one of them is accepted, or is not new, the sign is
    *settled*: no other is accepted. The result does not depend on which candidates were put off.
    """

    domain: str
    draw_all: DrawAll
    draw_put_off: DrawAll | None = None
    rejected: list[ProblemCandidate] = field(default_factory=list)
    _settled: set[str] = field(default_factory=set)
    _strict: set[str] = field(default_factory=set)
    _rendered: set[str] = field(default_factory=set)
    _loose: dict[bool, set[str]] = field(default_factory=lambda: {True: set(), False: set()})

    def accepted(
        self, candidates: Iterable[ProblemCandidate], *, held_out: bool
    ) -> Iterator[ProblemCandidate]:
        """Yield the candidates that are accepted, of problems that were not drawn."""
        for candidate in candidates:
            if accepted := self._accept(candidate, held_out, explicit_only=True):
                yield accepted
            else:
                self._reject(candidate)

    def drawn(self, quotas: Iterable[Quota], *, held_out: bool) -> Iterator[ProblemCandidate]:
        """Draw and yield accepted candidates until the quotas are met or the attempts are spent.

        The pairs take turns first, in all difficulties. Once a pair has ``HANDFUL`` problems, it draws in
        proportion to the share of new problems among its latest draws.
        """
        progress = [_QuotaProgress(quota) for quota in quotas]
        counts = {(quota.quota.difficulty, pair.task): pair for quota in progress for pair in quota.pairs}
        spare: list[Draw] = []
        for draws in _rounds(self.domain, progress):
            for candidate in self.draw_all(draws):
                draw, sign = candidate.draw, candidate.sign
                if sign and sign in self._settled:
                    if draw.task.interchangeable:
                        spare.append(draw)
                    else:
                        self.rejected.append(ProblemCandidate(draw, None, DUPLICATE))
                    continue
                if candidate.put_off:
                    (candidate,) = self._draw_put_off([draw])
                if accepted := self._accept(candidate, held_out):
                    counts[draw.difficulty, draw.task].new += 1
                    yield accepted
                elif candidate.record and candidate.record.strict_key not in self._strict:
                    spare.append(draw)
                else:
                    self._reject(candidate)
                self._settle(candidate)
        missing = {quota.quota.difficulty: quota.missing for quota in progress}
        yield from self._drawn_again(spare, missing, held_out)

    def _drawn_again(
        self, spare: list[Draw], missing: dict[str, int], held_out: bool
    ) -> Iterator[ProblemCandidate]:
        """Fill the quotas with candidates that differ from accepted ones in the goal's objects alone."""
        for start in range(0, len(spare), CHUNK):
            draws = spare[start : start + CHUNK]
            for draw in draws:
                if not missing[draw.difficulty]:
                    self.rejected.append(ProblemCandidate(draw, None, DUPLICATE))
            draws = [draw for draw in draws if missing[draw.difficulty]]
            for candidate in self._draw_put_off(draws) if draws else ():
                if missing[candidate.draw.difficulty] and (
                    accepted := self._accept(candidate, held_out, explicit_only=True)
                ):
                    missing[candidate.draw.difficulty] -= 1
                    yield accepted
                else:
                    self._reject(candidate)

    def _draw_put_off(self, draws: list[Draw]) -> Iterable[ProblemCandidate]:
        """Return the candidates of the draws, none of them put off."""
        return (self.draw_put_off or self.draw_all)(draws)

    def _settle(self, candidate: ProblemCandidate) -> None:
        """Note the sign of a candidate if no other candidate of this sign can be accepted.

        A sign whose only problem so far was drawn before for another pair may still have others.
        """
        record = candidate.record
        if record is None or not candidate.sign:
            return
        if not candidate.draw.task.interchangeable or record.loose_key in self._rendered:
            self._settled.add(candidate.sign)

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
    """Yield the draws of round after round, until a round has none; in a round the pairs take turns."""
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
    """The draws of a pair in one difficulty; ``in_round`` and ``new`` count those of the latest round."""

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
        """The share of new problems among the latest draws, smoothed: never 0."""
        return (self.new_in_window + 0.5) / (self.window + 1)

    def close(self) -> None:
        """End the latest round; draws before it count for less."""
        self.accepted += self.new
        if self.window + self.in_round > WINDOW:  # earlier draws count as far as the window reaches back
            share = max(0, WINDOW - self.in_round) / max(self.window, 1)
            self.window, self.new_in_window = self.window * share, self.new_in_window * share
        self.window += self.in_round
        self.new_in_window += self.new
        self.in_round = self.new = 0

    def begin(self, count: int) -> None:
        """Begin a round with so many draws."""
        self.in_round = count
        self.drawn += count
        self.rounds += count > 0


@dataclass
class _QuotaProgress:
    """A quota and the draws of its pairs."""

    quota: Quota
    pairs: list[_PairDraws] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Share out the turns among the pairs in their order."""
        count, tasks = self.quota.count, self.quota.tasks
        for place, task in enumerate(tasks):
            behind = (place - self.quota.first) % len(tasks)
            self.pairs.append(_PairDraws(task, -(-max(0, count - behind) // len(tasks))))

    @property
    def missing(self) -> int:
        """The number of problems that the quota still lacks."""
        return self.quota.count - sum(pair.accepted for pair in self.pairs)

    def next_round(self) -> list[_PairDraws]:
        """Begin the next round of each pair; return the pairs."""
        for pair in self.pairs:
            pair.close()
        spent = sum(pair.drawn for pair in self.pairs)
        room = min(self.missing, ATTEMPTS * self.quota.count - spent)
        shares = self._shares(room) if spent else [min(pair.turns, FIRST) for pair in self.pairs]
        for pair, count in zip(self.pairs, shares, strict=True):
            pair.begin(count)
        return self.pairs

    def _shares(self, room: int) -> list[int]:
        """Return how many of ``room`` draws each pair gets: up to its handful first, then by its rate."""
        shares = []
        for pair in self.pairs:
            lacking = min(HANDFUL, pair.turns) - pair.accepted if pair.rounds < TRIES else 0
            shares.append(min(room, max(0, lacking)))
            room -= shares[-1]
        by_rate = apportioned(room, [pair.rate**2 for pair in self.pairs])
        # Not too many at a time: a pair may have no other distinct problems.
        limits = [max(FIRST, GROWTH * pair.drawn) for pair in self.pairs]
        return [
            min(share + extra, limit) for share, extra, limit in zip(shares, by_rate, limits, strict=True)
        ]


def apportioned(count: int, weights: Sequence[float]) -> list[int]:
    """Apportion ``count`` in proportion to the weights: by whole parts, then by largest remainders."""
    whole = sum(weights)
    parts = [count * weight / whole for weight in weights]
    shares = [int(part) for part in parts]
    order = sorted(range(len(parts)), key=lambda i: (shares[i] - parts[i], i))
    for i in order[: count - sum(shares)]:
        shares[i] += 1
    return shares
