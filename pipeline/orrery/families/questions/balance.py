"""Which of the questions made are kept, so that counting does not betray answers.

Yes and no are equally frequent in every table, domain and split, and among claims of each look as nearly as
can be: a look that only true claims have is not asked about. Of a choice every look, and each of a few rules
of thumb, is right in a quarter of the cases.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

YES, NO = "yes", "no"
WHOLE = 12  # a row is counted in twelfths
SLACK, LOOSER = (6, 12, 18), 10  # twelfths for a rule, more if need be; one more for every ten rows
LOOK_SLACK = 9  # one option of its look, the right one
RULE = "~"  # begins the name of a rule of thumb
# Rules that what excludes each other may bear out in a whole domain: minded as far as rows are left.
BORNE_OUT = frozenset({"~same first argument", "~not same first argument"})


@dataclass(frozen=True, slots=True)
class RowCandidate:
    """A row made of the state number ``state``; ``row`` finds it again.

    ``answer`` is that of a yes/no question, and its ``shifts`` names the look of the claim. For a choice
    ``shifts`` has, in twelfths of a row, by how much each look and each rule of thumb is right in it more
    than by chance; its options are ``alike`` where each look might as well have been the right one.
    """

    row: int
    state: int
    answer: str = ""
    shifts: tuple[tuple[str, int], ...] = ()
    alike: bool = True

    @property
    def look(self) -> str:
        """The look of the claim of a yes/no question."""
        return self.shifts[0][0]


def shifts_of(looks: Sequence[str], rules: Mapping[str, Sequence[int]]) -> tuple[tuple[str, int], ...]:
    """The shifts of a choice: ``looks`` of its options, the right one first, and what ``rules`` measure.

    A rule of thumb takes the option of which it measures most, any of them at a tie.
    """
    found = Counter(dict.fromkeys(looks, 0))
    found[looks[0]] += WHOLE
    for look in looks:
        found[look] -= WHOLE // len(looks)
    for rule, values in rules.items():
        ties = values.count(max(values))
        hit = WHOLE // ties if values[0] == max(values) else 0
        found[RULE + rule] = hit - WHOLE // len(values)
    return tuple(found.items())


def first(drafts: Sequence[RowCandidate], most: int) -> list[RowCandidate]:
    """The first ``most``."""
    return list(drafts[:most])


def choices(drafts: Sequence[RowCandidate], most: int, *, strict: bool) -> list[RowCandidate]:
    """The first ``most``, but for those that would make a look or a rule of thumb right too often.

    Of the drafts of one state one at most is kept, and of those first that are alike. Where not ``strict``,
    simply the first ones.
    """
    drafts = sorted(drafts, key=lambda draft: (draft.state, not draft.alike))
    if not strict:
        return first(list({draft.state: draft for draft in reversed(drafts)}.values())[::-1], most)
    excess: Counter[str] = Counter()
    kept: dict[int, RowCandidate] = {}
    strictly: list[tuple[int, frozenset[str]]] = [(slack, frozenset()) for slack in SLACK]
    for slack, unminded in [*strictly, (SLACK[-1], BORNE_OUT)]:
        for draft in [*drafts, *drafts]:  # what did not fit may fit after others
            minded = [each for each in draft.shifts if each[0] not in unminded]
            fits = _fits(minded, excess, slack + len(kept) // LOOSER, alike=draft.alike)
            if fits and len(kept) < most and draft.state not in kept:
                kept[draft.state] = draft
                for key, shift in draft.shifts:
                    excess[key] += shift
    return [kept[state] for state in sorted(kept)]


def _fits(shifts: Sequence[tuple[str, int]], excess: Counter[str], slack: int, *, alike: bool) -> bool:
    """Whether no rule gets right more often than by chance and ``slack``, and no look far from it.

    A rule that is right too seldom tells next to nothing. Options that are alike have no look to mind; the
    others may make up for what a rule is right too seldom, no more.
    """
    for key, shift in shifts:
        if key.startswith(RULE):
            fits = shift <= 0 or excess[key] + shift <= (slack if alike else 0)
        else:
            fits = alike or abs(excess[key] + shift) <= max(LOOK_SLACK, abs(excess[key]))
        if not fits:
            return False
    return True


def has_matches(drafts: Iterable[RowCandidate]) -> bool:
    """Whether some look is that of a true and of a false claim."""
    answers: dict[str, set[str]] = defaultdict(set)
    for draft in drafts:
        answers[draft.look].add(draft.answer)
    return any(len(found) == 2 for found in answers.values())


def yes_no(
    drafts: Sequence[RowCandidate], most: int, rng: random.Random, *, strict: bool
) -> list[RowCandidate]:
    """At most ``most`` of the drafts, one of a state, in the order of states; as many yes as no.

    Where ``strict``, the counts of yes and no differ by one at most for every look, too. A state that has
    both sides of a look takes the one that is lacking; one that has not waits for its match. Where neither
    side is lacking, ``rng`` decides: taking turns would let the place of a state, and with it its problem and
    the difficulty, tell the answer.
    """
    chosen = _Chosen(strict, rng)
    by_state: dict[int, list[RowCandidate]] = defaultdict(list)
    for draft in drafts:
        by_state[draft.state].append(draft)
    for state in sorted(by_state):
        if len(chosen.kept) >= most:
            break
        chosen.offer(by_state[state])
    return chosen.evened(most)


class _Chosen:
    """The drafts kept so far, those that wait, and by how many yes exceeds no: for each look, and in all."""

    def __init__(self, strict: bool, rng: random.Random) -> None:
        self.strict, self.rng = strict, rng
        self.kept: dict[int, RowCandidate] = {}
        self.excess: Counter[str] = Counter()
        self.waiting: dict[tuple[str, str], list[RowCandidate]] = defaultdict(list)

    def offer(self, drafts: list[RowCandidate]) -> None:
        """Keep one of the drafts of a state, or let them wait."""
        sides: dict[str, dict[str, RowCandidate]] = defaultdict(dict)
        for draft in drafts:
            sides[self._look(draft)].setdefault(draft.answer, draft)
        both = sorted(look for look, by_answer in sides.items() if len(by_answer) == 2)
        if both:
            look = self.rng.choice(self._helpful(both))
            self._keep(sides[look][self._lacking(look)])
            return
        for draft in drafts:
            if self._even_out(draft):
                return
        for draft in drafts:
            self.waiting[self._look(draft), draft.answer].append(draft)

    def _helpful(self, looks: list[str]) -> list[str]:
        """Those of the looks that lack what all together lack; else those that lack nothing, or all."""
        total = self.excess.total()
        lacking = [look for look in looks if self.excess[look] * total > 0]
        return lacking or [look for look in looks if not self.excess[look]] or looks

    def _look(self, draft: RowCandidate) -> str:
        return draft.look if self.strict else ""

    def _lacking(self, look: str) -> str:
        """The answer that the look lacks, or else all together, or else one that is drawn."""
        excess = self.excess[look] or self.excess.total()
        return YES if excess < 0 else NO if excess > 0 else self.rng.choice((YES, NO))

    def _even_out(self, draft: RowCandidate) -> bool:
        """Keep a draft whose answer its look lacks, or with a match that waits; say whether it was kept."""
        look, other = self._look(draft), NO if draft.answer == YES else YES
        if self.excess[look] * (1 if draft.answer == YES else -1) < 0:
            self._keep(draft)
            return True
        matches = [each for each in self.waiting[look, other] if each.state not in self.kept]
        if matches:
            self._keep(matches[0])
            self._keep(draft)
        return bool(matches)

    def _keep(self, draft: RowCandidate) -> None:
        self.kept[draft.state] = draft
        self.excess[self._look(draft)] += 1 if draft.answer == YES else -1

    def evened(self, most: int) -> list[RowCandidate]:
        """What was kept, without the last rows that are too many on one side."""
        for draft in sorted(self.kept.values(), key=lambda draft: draft.state, reverse=True):
            total = self.excess.total()
            if total == 0 and len(self.kept) <= most:
                break
            side = 1 if draft.answer == YES else -1
            if total == 0 or (total * side > 0 and self.excess[self._look(draft)] * side > 0):
                del self.kept[draft.state]
                self.excess[self._look(draft)] -= side
        return [self.kept[state] for state in sorted(self.kept)]
