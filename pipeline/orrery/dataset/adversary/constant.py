"""One reply for all rows, or for all of a domain: chosen on other problems than it is tried on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from orrery.dataset.adversary.targets import FOLDS, Trial
from orrery.dataset.adversary.tried import Tried
from orrery.families.questions.question_row import NONE


def constants(trials: Sequence[Trial]) -> list[Tried]:
    """Return the constant rules with their scores; None as a reply where it is right in some row."""
    found = [_best(trials, "one reply", by_domain=False), _best(trials, "one reply a domain", by_domain=True)]
    if any(NONE in trial.target.replies for trial in trials):
        found.append(Tried("None", [float(NONE in t.target.replies) for t in trials], writes=True))
    return found


def _best(trials: Sequence[Trial], rule: str, *, by_domain: bool) -> Tried:
    counts: dict[tuple[str, int], Counter[str]] = {}
    for trial in trials:
        key = trial.target.domain if by_domain else ""
        for fold in range(FOLDS):
            if fold != trial.fold:
                counts.setdefault((key, fold), Counter()).update(trial.target.replies)
    best = {key: min(some, key=lambda reply: (-some[reply], reply)) for key, some in counts.items() if some}
    replies = [best.get((trial.target.domain if by_domain else "", trial.fold)) for trial in trials]
    scores = [
        float(reply is not None and reply in trial.target.replies)
        for reply, trial in zip(replies, trials, strict=True)
    ]
    return Tried(rule, list(scores), writes=True)
