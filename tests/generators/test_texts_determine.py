"""Abstract texts determine their problems, for all small parameters of the published configurations.

Of tied and strict tasks two problems with one text are the same up to renaming. Of the others they are the
same as far as a placeholder row asks; so no two problems with different loose keys share a text.
"""

from itertools import chain

import pytest

from orrery.equivalence.keys import Keys, keys
from orrery.equivalence.problem_equivalence import EquivalenceOutcome, compare
from orrery.model import Generated
from tests.every_domain import entry, words
from tests.generators import prose
from tests.generators.parameters import blocksworld, built, floor_tile, gripper

pytestmark = pytest.mark.slow

VARIANTS = (0, 1, 2)


def check(name, generated_problems):
    """The number of different texts; fails where two problems of one text differ."""
    place, wordings = entry(name), words(name)
    first: dict[str, tuple[Keys, Generated]] = {}
    for generated in generated_problems:
        problem_keys = keys(place.domain, generated.problem, rule=place.closure_rule)
        assert isinstance(problem_keys, Keys)
        for variant in VARIANTS:
            text = prose.without_names(prose.abstract(wordings, place.domain, generated, variant))
            known_keys, earlier = first.setdefault(text, (problem_keys, generated))
            if known_keys.strict != problem_keys.strict:
                assert generated.task.interchangeable, (text, generated, earlier)
                assert earlier.task.interchangeable, (text, generated, earlier)
                assert known_keys.loose == problem_keys.loose, (text, generated, earlier)
            if known_keys.strict != problem_keys.strict and variant == 0:
                pair = generated.problem, earlier.problem
                verdict = compare(place.domain, *pair, placeholder=True, rule=place.closure_rule)
                assert verdict.outcome is EquivalenceOutcome.EQUIVALENT, (text, generated, earlier)
    return len(first)


def blocks(most):
    place = entry("blocksworld")
    return chain(*(built(place, task, blocksworld(task, most), 3) for task in place.tasks))


def test_texts_of_up_to_six_blocks():
    assert check("blocksworld", blocks(6)) > 1000


@pytest.mark.parametrize(
    ("sizes", "builds"), [pytest.param((3, 3, 2), 1, marks=pytest.mark.exhaustive), ((2, 3, 3), 2)]
)
def test_texts_of_up_to_three_rooms_balls_and_grippers(sizes, builds):
    place = entry("gripper")
    generated_problems = chain(*(built(place, task, gripper(task, *sizes), builds) for task in place.tasks))
    assert check("gripper", generated_problems) > 500


def test_texts_of_small_floors():
    place = entry("floor-tile")
    tiles = {"paint_x": 9, "rings": 9, "disconnected_rows": 9}
    generated_problems = chain(
        *(built(place, t, floor_tile(t, 3, tiles.get(t.goal, 4), 2), 3) for t in place.tasks)
    )
    assert check("floor-tile", generated_problems) > 500
