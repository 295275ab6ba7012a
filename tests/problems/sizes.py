"""Sizes for tests of generation, and what real domains make of them."""

from orrery.config import HeldOut, Size
from orrery.problems.candidates import draw_candidate
from orrery.problems.quotas import quotas
from orrery.problems.sampler import Sampler
from tests.every_domain import entry

NOTHING = HeldOut()


def size(problems, **overrides):
    """A size that asks for these problems and for no questions."""
    render = {key: overrides.pop(key) for key in ("paraphrases", "vocabularies") if key in overrides}
    return Size.model_validate(
        {
            "scale": 1,
            "by_domain": overrides.pop("by_domain", {}),
            "draw": {"problems": problems, **overrides},
            "solve": {"problems_with_questions": 0, "states": 0},
            "render": render,
            "ask": {"questions": 0},
            "check": {},
        }
    )


def drawing(place, seed, order=None):
    """Makes draws of a domain in this process; ``order`` rearranges the drawing, not the candidates."""

    def draw_all(draws):
        numbers = list(range(len(draws)))
        (order or (lambda _: None))(numbers)
        candidates = {number: draw_candidate(place, draws[number], seed) for number in numbers}
        return [candidates[number] for number in range(len(draws))]

    return draw_all


def sampled(name, problems, seed, order=None, **overrides):
    """The accepted candidates of a real domain, and the rejected ones."""
    place = entry(name)
    sampler = Sampler(name, drawing(place, seed, order))
    parts = quotas(place, size(problems, **overrides), NOTHING)
    accepted = [
        candidate
        for part, held_out in zip(parts, (True, False), strict=True)
        for candidate in sampler.drawn(part, held_out=held_out)
    ]
    return accepted, sampler.rejected
