"""Which of the questions made are kept, so that counting does not betray answers.

Yes and no are equally frequent in every table, domain and split, and among claims of each look as nearly as
can be: a look that only true claims have is not asked about.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

YES, NO = "yes", "no"


@dataclass(frozen=True, slots=True)
class Draft:
    """A row made of the state number ``state``; ``row`` finds it again.

    ``answer`` and ``look`` are those of a yes/no question, empty in other formats; ``alike`` says of a
    choice whether its options look alike.
    """

    row: int
    state: int
    answer: str = ""
    look: str = ""
    alike: bool = True


def first(drafts: Sequence[Draft], most: int) -> list[Draft]:
    """The first ``most``."""
    return list(drafts[:most])


def choices(drafts: Sequence[Draft], most: int, *, strict: bool) -> list[Draft]:
    """The first ``most`` whose options look alike; of all where ``strict`` is False."""
    return [draft for draft in drafts if draft.alike or not strict][:most]


def has_matches(drafts: Iterable[Draft]) -> bool:
    """Whether some look is that of a true and of a false claim."""
    answers: dict[str, set[str]] = defaultdict(set)
    for draft in drafts:
        answers[draft.look].add(draft.answer)
    return any(len(found) == 2 for found in answers.values())


def yes_no(drafts: Sequence[Draft], most: int, *, strict: bool) -> list[Draft]:
    """At most ``most`` of the drafts, one of a state, in the order of states; as many yes as no.

    Where ``strict``, the counts of yes and no differ by one at most for every look, too. A state that has
    both sides of one look takes the one that is lacking; one that has not waits for its match.
    """
    chosen = _Chosen(strict)
    by_state: dict[int, list[Draft]] = defaultdict(list)
    for draft in drafts:
        by_state[draft.state].append(draft)
    for state in sorted(by_state):
        if len(chosen.kept) >= most:
            break
        chosen.offer(by_state[state])
    return chosen.evened(most)


class _Chosen:
    """The drafts kept so far, those that wait, and by how many yes exceeds no: for each look, and in all."""

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.kept: dict[int, Draft] = {}
        self.excess: Counter[str] = Counter()
        self.waiting: dict[tuple[str, str], list[Draft]] = defaultdict(list)

    def offer(self, drafts: list[Draft]) -> None:
        """Keep one of the drafts of a state, or let them wait."""
        by_answer = {draft.answer: draft for draft in drafts}
        looks = {self._look(draft) for draft in drafts}
        if len(by_answer) == 2 and len(looks) == 1:
            self._keep(by_answer[self._lacking(looks.pop())])
            return
        for draft in drafts:
            if self._even_out(draft):
                return
        for draft in drafts:
            self.waiting[self._look(draft), draft.answer].append(draft)

    def _look(self, draft: Draft) -> str:
        return draft.look if self.strict else ""

    def _lacking(self, look: str) -> str:
        """The answer that the look lacks, or else all together, or else the number of rows decides."""
        excess = self.excess[look] or self.excess.total()
        return YES if excess < 0 else NO if excess > 0 else (YES, NO)[len(self.kept) % 2]

    def _even_out(self, draft: Draft) -> bool:
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

    def _keep(self, draft: Draft) -> None:
        self.kept[draft.state] = draft
        self.excess[self._look(draft)] += 1 if draft.answer == YES else -1

    def evened(self, most: int) -> list[Draft]:
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
