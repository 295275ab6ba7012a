"""Leaks between splits, whatever the names of the objects."""

import random
from dataclasses import replace

import pytest

from orrery.checks import automorphisms
from orrery.checks.splits import leaks
from orrery.checks.verdicts import undecided
from orrery.model import Literal, Problem, TypedName
from orrery.pddl.read import read_problem
from tests.every_domain import CATALOG, easy_problems, entry


def renamed(problem, constants, rng):
    """The problem with its objects called otherwise and listed in another order."""
    old = [typed.name for typed in problem.objects]
    fresh = [f"n{number}" for number in range(len(old))]
    rng.shuffle(fresh)
    name = dict(zip(old, fresh, strict=True)) | {typed.name: typed.name for typed in constants}

    def stated(atom):
        return (atom[0], *(name[argument] for argument in atom[1:]))

    objects = [TypedName(name[typed.name], typed.types) for typed in problem.objects]
    rng.shuffle(objects)
    return replace(
        problem,
        objects=tuple(objects),
        init=frozenset(map(stated, problem.init)),
        goal=frozenset(Literal(stated(literal.atom), literal.positive) for literal in problem.goal),
    )


def other(problem):
    """The problem with one goal fact less, or with its goal empty."""
    return replace(problem, goal=frozenset(sorted(problem.goal)[1:]))


@pytest.mark.parametrize("name", CATALOG.names)
def test_renaming_the_objects_does_not_hide_a_leak(name):
    rng = random.Random(name)
    for problem in easy_problems(name, 8):
        same = renamed(problem, entry(name).domain.constants, rng)
        assert leaks([("a", "test", problem), ("b", "train", same)]) == [("a", "is the same problem as b")]
        assert leaks([("a", "test", problem), ("b", "test", same)]) == []
        assert leaks([("a", "test", problem), ("b", "train", other(same))]) == []


def board(adjacent, rng):
    """A problem on sixteen squares of which some are joined: all alike, each with six neighbours."""
    squares = [(x, y) for x in range(4) for y in range(4)]
    name = dict(zip(squares, rng.sample([f"n{number}" for number in range(16)], 16), strict=True))
    facts = [("joined", name[a], name[b]) for a in squares for b in squares if adjacent(a, b)]
    return Problem("p", "d", tuple(map(TypedName, sorted(name.values()))), frozenset(facts), frozenset())


def rook(a, b):
    """One row or one column."""
    return (a[0] == b[0]) != (a[1] == b[1])


def shrikhande(a, b):
    """The graph of Shrikhande, which has the same parameters as that of the rook."""
    return ((a[0] - b[0]) % 4, (a[1] - b[1]) % 4) in {(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)}


def test_symmetric_problems_on_which_vf2_does_not_end_are_decided_within_counted_work(monkeypatch):
    rng = random.Random(5)
    mine = [("a", "test", board(rook, rng)), ("b", "train", board(shrikhande, rng))]
    assert leaks(mine) == []
    assert leaks([*mine, ("c", "train", board(rook, rng))]) == [("a", "is the same problem as c")]
    assert leaks([*mine, ("c", "test", board(shrikhande, rng))]) == [("b", "is the same problem as c")]
    monkeypatch.setattr(automorphisms, "WORK", 1000)
    texts = [" ".join(leak) for leak in leaks(mine)]
    assert texts == [undecided("whether a is the same problem as b")]


def test_a_built_dataset_has_no_leak_and_a_planted_one_is_seen(build, rows):
    for name in sorted(path.name for path in (build / "domains").iterdir()):
        domain = entry(name).domain
        mine = [
            (row["id"], row["id"].split("/")[1], read_problem(row["problem_pddl"], domain))
            for row in rows["problems"]
            if row["domain"] == name
        ]
        assert leaks(mine) == []
        first, split, problem = mine[0]
        elsewhere = "train" if split == "test" else "test"
        planted = renamed(problem, domain.constants, random.Random(1))
        assert leaks([*mine, ("planted", elsewhere, planted)]) == [(first, "is the same problem as planted")]
