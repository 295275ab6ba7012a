"""The choice of questions to keep, so that frequencies give no answer away.

Yes and no are equally frequent in every table, domain and split, and among claims of equal features as nearly
as can be: features that only true claims have are not asked about. In multiple choice all features, and each
of a few rules of thumb, are right in a quarter of the cases.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

YES, NO = "yes", "no"
WHOLE = 12  # a row is counted in twelfths
SLACK, LOOSER = (6, 12, 18), 10  # twelfths for a rule, more if need be; one more for every ten rows
FEATURE_SLACK = 9  # one option of its features, the right one
RULE = "~"  # begins the name of a rule of thumb
# Rules that exclusion, or a map, may bear out in a whole domain: minded as far as rows are left.
BORNE_OUT = frozenset({"~same first argument", "~not same first argument", "~objects together in a fact"})


NOTHING, HARD = (
    "none",
    "search",
)  # answers of open questions: None, and what only search shows (see ``blind``)
TWICE = (
    "="  # in rules that name an object twice: right whatever the state where conditions exclude each other
)
ROW = 1000  # a row in thousandths, in which ``shifts`` of open questions are counted


@dataclass(frozen=True, slots=True)
class RowCandidate:
    """A row made of the state number ``state``; ``row`` finds it again.

    ``answer`` is that of a yes/no question, and its ``shifts`` names the features of the claim. Of an open
    one it is what a right reply needs, and ``shifts`` says by rule how much of the row it gets right blindly.
    For multiple choice ``shifts`` has, in twelfths of a row, by how much options of certain features and each
    rule of thumb are right in it more than by chance; its options are ``matched`` where each might as well
    have been the right one.
    """

    row: int
    state: int
    answer: str = ""
    shifts: tuple[tuple[str, int], ...] = ()
    matched: bool = True

    @property
    def features(self) -> str:
        """The features of the claim of a yes/no question."""
        return self.shifts[0][0]


def shifts_of(features: Sequence[str], rules: Mapping[str, Sequence[int]]) -> tuple[tuple[str, int], ...]:
    """Return how a choice changes the balance of ``features``, the right option first, and of ``rules``.

    A rule of thumb takes the option of which it measures most, any of them at a tie.
    """
    found = Counter(dict.fromkeys(features, 0))
    found[features[0]] += WHOLE
    for each in features:
        found[each] -= WHOLE // len(features)
    for rule, values in rules.items():
        ties = values.count(max(values))
        hit = WHOLE // ties if values[0] == max(values) else 0
        found[RULE + rule] = hit - WHOLE // len(values)
    return tuple(found.items())


def choose_open(
    candidates: Sequence[RowCandidate], most: int, *, none: float, search: float, blind: float
) -> list[RowCandidate]:
    """Return at most ``most`` rows such that no reply that needs no look at the state is right too often.

    Args:
        candidates: One row a state, in order.
        most: The number of rows wanted.
        none: The largest share of rows whose answer is None.
        search: The share taken, if there are as many, of rows that only search answers; more of them only
            where the others give too few.
        blind: The largest share of rows that a fixed reply, or a form of replies, may get right.
    """
    wanted, kept = most, list[RowCandidate]()
    while wanted:
        kept = _within(candidates, wanted, math.floor(none * wanted), search, blind)
        if len(kept) == wanted:
            break
        wanted = len(kept)  # shares are those of the rows that are there
    return sorted(kept, key=lambda candidate: candidate.state) if wanted else []


def _within(
    candidates: Sequence[RowCandidate], most: int, nones: int, search: float, blind: float
) -> list[RowCandidate]:
    """Return rows within the shares of ``most`` rows; those that rules get right least come first.

    A rule may be right in one of them at least, unless it names an object twice.
    """
    right: Counter[str] = Counter()
    share, kept = int(blind * ROW * most), dict[int, RowCandidate]()

    def fits(candidate: RowCandidate) -> bool:
        """Return whether no rule would be right too often with this row."""
        return all(
            right[rule] + part <= (share if TWICE in rule else max(ROW, share))
            for rule, part in candidate.shifts
        )

    candidates = sorted(candidates, key=lambda each: sum(part for _, part in each.shifts))
    hard = [each for each in candidates if each.answer == HARD]
    empty = [each for each in candidates if each.answer == NOTHING]
    others = [each for each in candidates if each.answer not in (HARD, NOTHING)]
    for some, room in ((hard, math.ceil(search * most)), (empty, nones), (others, most), (hard, most)):
        for each in some:
            if room == 0 or len(kept) == most:
                break
            if each.row not in kept and fits(each):
                kept[each.row] = each
                right.update(dict(each.shifts))
                room -= 1
    return list(kept.values())


def choose_mcq(candidates: Sequence[RowCandidate], most: int, *, strict: bool) -> list[RowCandidate]:
    """Return the first ``most``, without those that make some features or a rule right too often.

    Of the candidates of one state one at most is kept, a matched one first. Where not ``strict``,
    simply the first ones.
    """
    candidates = sorted(candidates, key=lambda candidate: (candidate.state, not candidate.matched))
    if not strict:
        return list({candidate.state: candidate for candidate in reversed(candidates)}.values())[::-1][:most]
    excess: Counter[str] = Counter()
    kept: dict[int, RowCandidate] = {}
    strictly: list[tuple[int, frozenset[str]]] = [(slack, frozenset()) for slack in SLACK]
    for slack, unminded in [*strictly, (SLACK[-1], BORNE_OUT)]:
        for candidate in [*candidates, *candidates]:  # what did not fit may fit after others
            minded = [each for each in candidate.shifts if each[0] not in unminded]
            fits = _fits(minded, excess, slack + len(kept) // LOOSER, matched=candidate.matched)
            if fits and len(kept) < most and candidate.state not in kept:
                kept[candidate.state] = candidate
                for key, shift in candidate.shifts:
                    excess[key] += shift
    return [kept[state] for state in sorted(kept)]


def _fits(shifts: Sequence[tuple[str, int]], excess: Counter[str], slack: int, *, matched: bool) -> bool:
    """Return whether no rule or features are right more often than chance and ``slack`` allow.

    A rule that is right too seldom is hardly worth anything. Options that match have no features to mind; the
    others may make up for what a rule is right too seldom, no more.
    """
    for key, shift in shifts:
        if key.startswith(RULE):
            fits = shift <= 0 or excess[key] + shift <= (slack if matched else 0)
        else:
            fits = matched or abs(excess[key] + shift) <= max(FEATURE_SLACK, abs(excess[key]))
        if not fits:
            return False
    return True


def has_matches(candidates: Iterable[RowCandidate]) -> bool:
    """Return whether a true and a false claim share their features."""
    answers: dict[str, set[str]] = defaultdict(set)
    for candidate in candidates:
        answers[candidate.features].add(candidate.answer)
    return any(len(found) == 2 for found in answers.values())


def choose_bool(
    candidates: Sequence[RowCandidate], most: int, rng: random.Random, *, strict: bool
) -> list[RowCandidate]:
    """Return at most ``most`` candidates, one of a state, in the order of states; as many yes as no.

    Where ``strict``, the counts of yes and no differ by one at most among claims of equal features, too. A
    state that has a true and a false one takes the one that is lacking; one that has not waits for its match.
    Where neither is lacking, ``rng`` decides: taking turns would let the place of a state, and with it its
    problem and the difficulty, give the answer.
    """
    chosen = _Chosen(strict, rng)
    by_state: dict[int, list[RowCandidate]] = defaultdict(list)
    for candidate in candidates:
        by_state[candidate.state].append(candidate)
    for state in sorted(by_state):
        if len(chosen.kept) >= most:
            break
        chosen.offer(by_state[state])
    return chosen.evened(most)


class _Chosen:
    """The candidates kept so far, those that wait, and how far yes exceeds no: by features, and in all."""

    def __init__(self, strict: bool, rng: random.Random) -> None:
        self.strict, self.rng = strict, rng
        self.kept: dict[int, RowCandidate] = {}
        self.excess: Counter[str] = Counter()
        self.waiting: dict[tuple[str, str], list[RowCandidate]] = defaultdict(list)

    def offer(self, candidates: list[RowCandidate]) -> None:
        """Keep one of the candidates of a state, or let them wait."""
        found: dict[str, dict[str, RowCandidate]] = defaultdict(dict)
        for candidate in candidates:
            found[self._features(candidate)].setdefault(candidate.answer, candidate)
        both = sorted(features for features, by_answer in found.items() if len(by_answer) == 2)
        if both:
            features = self.rng.choice(self._helpful(both))
            self._keep(found[features][self._lacking(features)])
            return
        for candidate in candidates:
            if self._even_out(candidate):
                return
        for candidate in candidates:
            self.waiting[self._features(candidate), candidate.answer].append(candidate)

    def _helpful(self, features: list[str]) -> list[str]:
        """Return the features that lack the same answer as the total; else those that lack none, or all."""
        total = self.excess.total()
        lacking = [each for each in features if self.excess[each] * total > 0]
        return lacking or [each for each in features if not self.excess[each]] or features

    def _features(self, candidate: RowCandidate) -> str:
        return candidate.features if self.strict else ""

    def _lacking(self, features: str) -> str:
        """Return the answer that the features lack, else the total lacks, else a random one."""
        excess = self.excess[features] or self.excess.total()
        return YES if excess < 0 else NO if excess > 0 else self.rng.choice((YES, NO))

    def _even_out(self, candidate: RowCandidate) -> bool:
        """Keep a candidate whose answer its features lack, or a match that waits; say whether it was kept."""
        features, other = self._features(candidate), NO if candidate.answer == YES else YES
        if self.excess[features] * (1 if candidate.answer == YES else -1) < 0:
            self._keep(candidate)
            return True
        matches = [each for each in self.waiting[features, other] if each.state not in self.kept]
        if matches:
            self._keep(matches[0])
            self._keep(candidate)
        return bool(matches)

    def _keep(self, candidate: RowCandidate) -> None:
        self.kept[candidate.state] = candidate
        self.excess[self._features(candidate)] += 1 if candidate.answer == YES else -1

    def evened(self, most: int) -> list[RowCandidate]:
        """Return what was kept, without the last rows of the answer that is too frequent."""
        for candidate in sorted(self.kept.values(), key=lambda candidate: candidate.state, reverse=True):
            total = self.excess.total()
            if total == 0 and len(self.kept) <= most:
                break
            sign = 1 if candidate.answer == YES else -1
            if total == 0 or (total * sign > 0 and self.excess[self._features(candidate)] * sign > 0):
                del self.kept[candidate.state]
                self.excess[self._features(candidate)] -= sign
        return [self.kept[state] for state in sorted(self.kept)]
