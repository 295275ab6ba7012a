"""Choose the questions to keep such that frequencies do not reveal answers.

Yes and no are equally frequent in every table, domain and split, and also among claims of equal features, as
far as possible; features that only true claims have are not used. In multiple choice, all features, and each
of some heuristic rules, are correct in a quarter of the cases.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

YES, NO = "yes", "no"
WHOLE = 12  # rows are counted in twelfths
SLACK, LOOSER = (6, 12, 18), 10  # twelfths for a rule, more if necessary; one more for every ten rows
FEATURE_SLACK = 9  # shift if only the correct option has its features
RULE = "~"  # prefix of heuristic rules
LATEST, TIMES = "latest", "times in the plan"  # measures of parts of a plan
PLACE = "~option"  # prefix of a rule that takes the option at one position
# A rule that a map may make correct in a whole domain: it is balanced as far as enough rows remain.
BORNE_OUT = frozenset({"~objects together in a fact"})


# Requirements of open questions (see ``blind``): None is correct, or only search finds the answer.
NOTHING, HARD = "none", "search"
TWICE = "="  # in rules that repeat an object: correct in any state if conditions exclude each other
REPLY = "("  # prefix of a rule that is one reply
ROW = 1000  # ``shifts`` of open questions are counted in thousandths of a row


@dataclass(frozen=True, slots=True)
class RowCandidate:
    """A row of state number ``state``; ``row`` identifies it.

    For a yes/no question, ``answer`` is its answer, and ``shifts`` names the features of the claim. For an
    open question, ``answer`` is what a correct reply requires, and ``shifts`` gives by rule the part of the
    row that it gets right without the state. For multiple choice, ``shifts`` gives, in twelfths of a row, how
    much more often than by chance options of some features and each heuristic rule are correct; its options
    are ``matched`` if each could as well be the correct one. ``leans`` has the measures of the claim, or the
    difference between the correct option and the others (see ``exchange``). ``claim`` distinguishes the
    claims of several rows of one state. ``part`` and ``number`` tell where the row is stored, ``item`` names
    its state.
    """

    row: int
    state: int
    answer: str = ""
    shifts: tuple[tuple[str, int], ...] = ()
    matched: bool = True
    claim: int = 0
    leans: tuple[tuple[str, int], ...] = ()
    part: int = 0
    number: int = 0
    item: str = ""

    @property
    def features(self) -> str:
        """The features of the claim of a yes/no question."""
        return self.shifts[0][0]


def shifts_of(features: Sequence[str], rules: Mapping[str, Sequence[int]]) -> tuple[tuple[str, int], ...]:
    """Return the change of balance of ``features``, the correct option first, and of ``rules``, by a choice.

    A heuristic rule takes the option with the largest measure, and any of several with that measure.
    """
    shifts = Counter(dict.fromkeys(features, 0))
    shifts[features[0]] += WHOLE
    for feature in features:
        shifts[feature] -= WHOLE // len(features)
    for rule, values in rules.items():
        ties = values.count(max(values))
        hit = WHOLE // ties if values[0] == max(values) else 0
        shifts[RULE + rule] = hit - WHOLE // len(values)
    return tuple(shifts.items())


def choose_open(
    candidates: Sequence[RowCandidate], most: int, *, none: float, search: float, blind: float
) -> list[RowCandidate]:
    """Return at most ``most`` rows such that no reply without the state is correct too often.

    Args:
        candidates: One row per state, in order.
        most: The number of rows wanted.
        none: The maximum share of rows whose answer is None.
        search: The share of rows that only search answers, if there are enough; there are more of them only
            if other rows are too few.
        blind: The maximum share of rows that a form of replies may get right; half of it for one reply.
    """
    most_rows, chosen = most, list[RowCandidate]()
    while most_rows:
        chosen = _within(candidates, most_rows, math.floor(none * most_rows), search, blind)
        if len(chosen) == most_rows:
            break
        most_rows = len(chosen)  # shares refer to the existing rows
    return sorted(chosen, key=lambda candidate: candidate.state) if most_rows else []


class _BlindRows:
    """The kept rows of open questions, and how much of them each rule gets right."""

    def __init__(self, blind: float, rows: Iterable[RowCandidate] = ()) -> None:
        self.blind, self.kept, self.right = blind, dict[int, RowCandidate](), Counter[str]()
        for row in rows:
            self.keep(row)

    def keep(self, row: RowCandidate) -> None:
        self.kept[row.row] = row
        self.right.update(dict(row.shifts))

    def fits(self, row: RowCandidate, count: int) -> bool:
        """Return whether no rule would be correct too often among ``count`` rows with a further one."""
        share = int(self.blind * ROW * count)
        return row.row not in self.kept and all(
            self.right[rule] + part <= _room(rule, share) for rule, part in row.shifts
        )


def _blindness(row: RowCandidate) -> int:
    return sum(part for _, part in row.shifts)


def _within(
    candidates: Sequence[RowCandidate], most: int, nones: int, search: float, blind: float
) -> list[RowCandidate]:
    """Return rows within the shares of ``most`` rows; rows that rules seldom get right come first."""
    chosen, by_needs = _BlindRows(blind), defaultdict[str, list[RowCandidate]](list)
    for candidate in sorted(candidates, key=_blindness):
        by_needs[candidate.answer if candidate.answer in (HARD, NOTHING) else ""].append(candidate)
    for needs, room in ((HARD, math.ceil(search * most)), (NOTHING, nones), ("", most), (HARD, most)):
        for ranked in by_needs[needs]:
            if room == 0 or len(chosen.kept) == most:
                break
            if chosen.fits(ranked, most):
                chosen.keep(ranked)
                room -= 1
    return list(chosen.kept.values())


def _room(rule: str, share: int) -> int:
    """Return how much of the rows a rule may get right: half as much for one reply as for a form of replies.

    It is at least one row, unless the rule repeats an object. A rule that takes a reply by its position may
    get half a row more than a random reply.
    """
    if rule.startswith(RULE):
        return ROW // 2
    if TWICE in rule:
        return share
    return max(ROW, share // 2 if rule.startswith(REPLY) else share)


def more_open(
    candidates: Sequence[RowCandidate],
    first_rows: Sequence[RowCandidate],
    most: int,
    *,
    none: float,
    blind: float,
) -> list[RowCandidate]:
    """Return at most ``most`` more rows such that all shares remain valid after each of them.

    ``choose_open`` returned ``first_rows``; rows that only search answers come first.
    """
    rows, first = _BlindRows(blind, first_rows), len(first_rows)
    ordered = sorted(candidates, key=lambda candidate: (candidate.answer != HARD, _blindness(candidate)))
    for count in range(first + 1, first + most + 1):
        nones = sum(row.answer == NOTHING for row in rows.kept.values())
        fitting = (
            candidate
            for candidate in ordered
            if (nones < math.floor(none * count) or candidate.answer != NOTHING)
            and rows.fits(candidate, count)
        )
        if (addition := next(fitting, None)) is None:
            break
        rows.keep(addition)
    return list(rows.kept.values())[first:]


def choose_mcq(candidates: Sequence[RowCandidate], most: int, *, repeats: int = 1) -> list[RowCandidate]:
    """Return at most ``most`` rows, without those that make some features or a rule correct too often.

    They are in the order of selection, so that any first part is also balanced. A matched candidate of a
    state comes before others. A second row of a state is kept only if there are too few other rows, and at
    most ``repeats`` rows of a state.
    """
    candidates = sorted(candidates, key=lambda candidate: (candidate.state, not candidate.matched))
    excess: Counter[str] = Counter()
    states = AskedStates()
    levels = [(slack, frozenset[str](), 1) for slack in SLACK[:-1]]
    levels += [(SLACK[-2], frozenset(), times) for times in range(2, repeats + 1)]
    for slack, unminded, times in [
        *levels,
        (SLACK[-1], frozenset(), repeats),
        (SLACK[-1], BORNE_OUT, repeats),
    ]:
        for candidate in [*candidates, *candidates]:  # a row that did not fit may fit after others
            if len(states.kept) == most:
                break
            if not states.has_room(candidate, times):
                continue
            minded = [shift for shift in candidate.shifts if shift[0] not in unminded]
            if _fits(minded, excess, slack + len(states.kept) // LOOSER, matched=candidate.matched):
                states.keep(candidate)
                excess.update(dict(candidate.shifts))
    return list(states.kept.values())


class AskedStates:
    """The kept rows, by number in the order of selection, and the claims used of each state."""

    def __init__(self) -> None:
        """Create an empty collection."""
        self.kept: dict[int, RowCandidate] = {}
        self._claims: dict[int, list[int]] = defaultdict(list)

    def has_room(self, candidate: RowCandidate, times: int) -> bool:
        """Return whether fewer than ``times`` rows, none of them equal, are on the candidate's state."""
        claims = self._claims.get(candidate.state, ())
        return len(claims) < times and candidate.claim not in claims

    def keep(self, candidate: RowCandidate) -> None:
        """Keep a row."""
        self.kept[candidate.row] = candidate
        self._claims[candidate.state].append(candidate.claim)

    def may_replace(self, old: RowCandidate, new: RowCandidate) -> bool:
        """Return whether, with ``new`` in place of ``old``, no other state has more than one question."""
        claims = self._claims.get(new.state, [])
        unasked = new.row not in self.kept and new.claim not in claims
        return unasked if new.state == old.state else not claims

    def drop(self, candidate: RowCandidate) -> None:
        """Drop a row that was kept."""
        del self.kept[candidate.row]
        self._claims[candidate.state].remove(candidate.claim)


def _fits(shifts: Sequence[tuple[str, int]], excess: Counter[str], slack: int, *, matched: bool) -> bool:
    """Return whether no rule or features are correct more often than chance and ``slack`` allow.

    A rule that is correct too seldom is hardly useful. Features of matched options are not counted; those of
    others may only compensate for rules that are correct too seldom.
    """
    for key, shift in shifts:
        if key.startswith(RULE):
            fits = shift <= 0 or excess[key] + shift <= (slack if matched or key.startswith(PLACE) else 0)
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
    return any(len(answers_there) == 2 for answers_there in answers.values())


def choose_bool(
    candidates: Sequence[RowCandidate], most: int, rng: random.Random, *, repeats: int = 1
) -> list[RowCandidate]:
    """Return at most ``most`` candidates in the order of states, with as many yes as no.

    The numbers of yes and no also differ by at most one among claims of equal features. A state with a true
    and a false claim takes the missing answer; another state waits for its match. If neither answer is
    missing, ``rng`` decides: alternation would let the position of a state, and thus its problem and
    difficulty, reveal the answer. A second row of a state is kept only if there are too few other rows, and
    at most ``repeats`` rows of a state.
    """
    chosen = _BalancedRows(rng)
    by_state = _by_state(candidates)
    for times, state in product(range(1, repeats + 1), sorted(by_state)):
        if len(chosen.asked.kept) >= most:
            break
        chosen.offer([claim for claim in by_state[state] if chosen.asked.has_room(claim, times)], times)
    return chosen.evened(most)


def pairs(candidates: Sequence[RowCandidate], most: int, rng: random.Random) -> list[RowCandidate]:
    """Return at most ``most`` candidates in pairs: a yes and a no of equal features.

    No state has two questions.
    """
    chosen = list[RowCandidate]()
    waiting: dict[tuple[str, str], RowCandidate] = {}
    for _, of_state in sorted(_by_state(candidates).items()):
        if len(chosen) + 2 > most:
            break
        of_state = rng.sample(of_state, len(of_state))
        mates = [(claim, waiting.get((claim.features, _opposite_answer(claim.answer)))) for claim in of_state]
        matched = next(((claim, mate) for claim, mate in mates if mate), None)
        if matched is None:
            for claim in of_state:
                waiting.setdefault((claim.features, claim.answer), claim)
            continue
        chosen += matched
        done = {claim.state for claim in matched}
        waiting = {key: claim for key, claim in waiting.items() if claim.state not in done}
    return chosen


def _by_state(candidates: Iterable[RowCandidate]) -> dict[int, list[RowCandidate]]:
    by_state: dict[int, list[RowCandidate]] = defaultdict(list)
    for candidate in candidates:
        by_state[candidate.state].append(candidate)
    return by_state


def _opposite_answer(answer: str) -> str:
    return NO if answer == YES else YES


class _BalancedRows:
    """The kept candidates, the waiting ones, and the excess of yes over no: by features, and in total."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.asked = AskedStates()
        self.excess: Counter[str] = Counter()
        self.waiting: dict[tuple[str, str], list[RowCandidate]] = defaultdict(list)

    def offer(self, candidates: list[RowCandidate], times: int) -> None:
        """Keep one of the candidates of a state, if it has fewer than ``times`` rows, or let them wait."""
        by_features: dict[str, dict[str, RowCandidate]] = defaultdict(dict)
        for candidate in candidates:
            by_features[candidate.features].setdefault(candidate.answer, candidate)
        matched = sorted(features for features, by_answer in by_features.items() if len(by_answer) == 2)
        if matched:
            features = self.rng.choice(self._helpful(matched))
            self._keep(by_features[features][self._lacking(features)])
            return
        for candidate in candidates:
            if self._even_out(candidate, times):
                return
        for candidate in candidates:
            self.waiting[candidate.features, candidate.answer].append(candidate)

    def _helpful(self, features: list[str]) -> list[str]:
        """Return the features that lack the same answer as the total; else those that lack none, or all."""
        total = self.excess.total()
        lacking = [feature for feature in features if self.excess[feature] * total > 0]
        return lacking or [feature for feature in features if not self.excess[feature]] or features

    def _lacking(self, features: str) -> str:
        """Return the answer that the features lack, else the one that the total lacks, else a random one."""
        excess = self.excess[features] or self.excess.total()
        return YES if excess < 0 else NO if excess > 0 else self.rng.choice((YES, NO))

    def _even_out(self, candidate: RowCandidate, times: int) -> bool:
        """Keep a candidate whose answer its features lack, or a waiting match; return whether it was kept."""
        features, opposite = candidate.features, _opposite_answer(candidate.answer)
        if self.excess[features] * (1 if candidate.answer == YES else -1) < 0:
            self._keep(candidate)
            return True
        waiting = (claim for claim in self.waiting[features, opposite] if claim.state != candidate.state)
        matches = [claim for claim in waiting if self.asked.has_room(claim, times)]
        if matches:
            self._keep(matches[0])
            self._keep(candidate)
        return bool(matches)

    def _keep(self, candidate: RowCandidate) -> None:
        self.asked.keep(candidate)
        self.excess[candidate.features] += 1 if candidate.answer == YES else -1

    def evened(self, most: int) -> list[RowCandidate]:
        """Return the kept candidates without the last rows of the more frequent answer."""
        rows = self.asked.kept
        for candidate in sorted(rows.values(), key=_place, reverse=True):
            total = self.excess.total()
            if total == 0 and len(rows) <= most:
                break
            sign = 1 if candidate.answer == YES else -1
            if total == 0 or (total * sign > 0 and self.excess[candidate.features] * sign > 0):
                self.asked.drop(candidate)
                self.excess[candidate.features] -= sign
        return sorted(rows.values(), key=_place)


def _place(candidate: RowCandidate) -> tuple[int, int]:
    return candidate.state, candidate.row
