"""What replies without skill score on the held-out problems: the floor under the curve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from problems import Problem, text_of

from orrery.seeds import stream

CONSTANTS = 50  # of the most frequent gold replies, tried as the reply to all
Reply = Callable[[Problem], str]


def baselines(known: Sequence[Problem], held_out: Sequence[Problem], seed: int) -> dict[str, int]:
    """Return how many held-out problems each rule gets right that does not solve them.

    Three use the gold replies of the ``known`` problems; the constant is the one that is best on these.
    Where rows list the applicable actions, one of them is drawn as well: what a model reaches that knows no
    more than what can be done.
    """
    common = Counter(each.gold for each in known).most_common(CONSTANTS)
    constant = max((gold for gold, _ in common), key=lambda gold: _right(lambda _: gold, known[:200]))
    words = [(frozenset(text_of(each).split()), each.gold) for each in known]
    rng = stream(seed, "baselines")
    rules: dict[str, Reply] = {
        "one reply to all": lambda _: constant,
        "reply to another problem": lambda _: rng.choice(known).gold,
    }

    def nearest(problem: Problem) -> str:
        """Return the gold reply of the known problem that shares the largest share of words."""
        here = frozenset(text_of(problem).split())
        return max(words, key=lambda known: len(here & known[0]) / len(here | known[0]))[1]

    rules["reply to the nearest problem"] = nearest
    if all(_actions(each) for each in held_out):
        rules["an applicable action at random"] = lambda problem: f"ANSWER: {rng.choice(_actions(problem))}"
    return {name: _right(rule, held_out) for name, rule in rules.items()}


def _actions(problem: Problem) -> list[str]:
    """Return the applicable actions, where the row lists them: right ones first, as in the row."""
    answer = problem.row.get("answer")
    if not isinstance(answer, Mapping) or not {"yes", "no", "maybe"} <= set(answer):
        return []
    return [action for verdict in ("yes", "no", "maybe") for action in answer[verdict]]


def _right(reply: Reply, problems: Sequence[Problem]) -> int:
    return sum(each.score(reply(each)).value == 1.0 for each in problems)
