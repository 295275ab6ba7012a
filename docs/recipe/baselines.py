"""What replies without skill score on the held-out problems: the floor under the curve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from problems import Problem, text_of

from orrery.seeds import stream

CONSTANTS = 50  # of the most frequent gold replies, tried as the reply to all
Reply = Callable[[Problem], str]


def baselines(known: Sequence[Problem], held_out: Sequence[Problem], seed: int) -> dict[str, int]:
    """Return how many held-out problems each rule gets right that looks at the problem little or not at all.

    All use the gold replies of the ``known`` problems; the constant is the one that is best on these.
    """
    common = Counter(each.gold for each in known).most_common(CONSTANTS)
    constant = max((gold for gold, _ in common), key=lambda gold: _right(lambda _: gold, known[:200]))
    words = [(frozenset(text_of(each).split()), each.gold) for each in known]
    rng = stream(seed, "baselines")

    def nearest(problem: Problem) -> str:
        """Return the gold reply of the known problem that shares the largest share of words."""
        here = frozenset(text_of(problem).split())
        return max(words, key=lambda known: len(here & known[0]) / len(here | known[0]))[1]

    return {
        "one reply to all": _right(lambda _: constant, held_out),
        "reply to another problem": _right(lambda _: rng.choice(known).gold, held_out),
        "reply to the nearest problem": _right(nearest, held_out),
    }


def _right(reply: Reply, problems: Sequence[Problem]) -> int:
    return sum(each.score(reply(each)).value == 1.0 for each in problems)
