"""Sizes for tests of generation, and what real domains make of them."""

from orrery.config import HeldOut, Size
from orrery.problems.maker import draw_candidate
from orrery.problems.quotas import quotas
from orrery.problems.sampler import Sampler
from tests.every_domain import entry

NOTHING = HeldOut()


def size(problems, **more):
    """A size that asks for these problems and for no questions."""
    render = {key: more.pop(key) for key in ("paraphrases", "vocabularies") if key in more}
    return Size.model_validate(
        {
            "scale": 1,
            "by_domain": more.pop("by_domain", {}),
            "draw": {"problems": problems, **more},
            "solve": {"problems_with_questions": 0, "states": 0},
            "render": render,
            "ask": {"questions": 0},
            "check": {},
        }
    )


def drawing(here, seed, order=None):
    """Makes draws of a domain in this process; ``order`` rearranges the drawing, not the candidates."""

    def draw_all(draws):
        numbers = list(range(len(draws)))
        (order or (lambda _: None))(numbers)
        made = {number: draw_candidate(here, draws[number], seed) for number in numbers}
        return [made[number] for number in range(len(draws))]

    return draw_all


def sampled(name, problems, seed, order=None, **more):
    """The accepted candidates of a real domain, and the rejected ones."""
    here = entry(name)
    sampler = Sampler(name, drawing(here, seed, order))
    parts = quotas(here, size(problems, **more), NOTHING)
    found = [
        candidate
        for part, held_out in zip(parts, (True, False), strict=True)
        for candidate in sampler.drawn(part, held_out=held_out)
    ]
    return found, sampler.rejected
