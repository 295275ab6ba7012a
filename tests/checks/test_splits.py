"""Leaks between splits and profiles of problems, whatever the names of the objects."""

import random
import subprocess
import sys
from collections import defaultdict
from dataclasses import replace

import pytest

from orrery.checks import automorphisms, splits, verdict_parts
from orrery.checks.splits import leaks, profile
from orrery.checks.verdict_parts import Notes
from orrery.checks.verdicts import Note, Verdicts, undecided
from orrery.model import Literal, Problem, TypedName
from orrery.pddl.write import write_problem
from tests.every_domain import CATALOG, ROOT, easy_problems, entry
from tests.store.samples import row, write_shards
from tests.tables import PUBLISHED


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
        assert leaks([("a", "test", problem), ("b", "train", same)]) == ["a is the same problem as b"]
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


def test_symmetric_problems_are_decided_within_counted_work(monkeypatch):
    rng = random.Random(5)
    mine = [("a", "test", board(rook, rng)), ("b", "train", board(shrikhande, rng))]
    assert leaks(mine) == []
    assert leaks([*mine, ("c", "train", board(rook, rng))]) == ["a is the same problem as c"]
    assert leaks([*mine, ("c", "test", board(shrikhande, rng))]) == ["b is the same problem as c"]
    monkeypatch.setattr(automorphisms, "WORK", 1000)
    assert leaks(mine) == [undecided("whether a is the same problem as b")]


@pytest.mark.parametrize("name", CATALOG.names)
def test_no_renaming_changes_a_profile(name):
    domain = entry(name).domain
    for problem in easy_problems(name, 8):
        same = renamed(problem, domain.constants, random.Random(1))
        assert profile(same) == profile(problem)
        assert profile(other(same)) != profile(problem)


@pytest.mark.slow
def test_other_processes_give_the_same_profile():
    """Workers compare what they find: the seed of Python's hashes of texts must not matter."""
    problem = easy_problems("gripper", 3)[2]
    code = (
        "import sys; from tests.every_domain import entry; from orrery.checks.splits import profile;"
        "from orrery.pddl.read import read_problem; domain = entry('gripper').domain;"
        "print(profile(read_problem(sys.stdin.read(), domain)))"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            input=write_problem(problem), capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert int(done.stdout) == profile(problem)


def shared(folder, noted, neighbours=()):
    """The domains and profiles that problems of several splits share, one of which is among ``noted``."""
    notes = [Note("mine", name, str(number), "text") for name, number in noted]
    notes += [Note("others", name, str(number)) for name, number in neighbours]
    verdict_parts.part_of(folder, "a").save(verdict_parts.as_tables(Verdicts(notes=notes[::2])))
    verdict_parts.part_of(folder, "b").save(verdict_parts.as_tables(Verdicts(notes=notes[1::2])))
    table = [row(PUBLISHED["problems"], id=name, problem_pddl=f"of {name}") for name, _ in neighbours]
    problems = write_shards(folder, PUBLISHED["problems"], "train", [row(PUBLISHED["problems"]), *table])
    groups = splits.shared(Notes(folder), ("mine", "others"), problems)
    number_of = dict([*noted, *neighbours])
    for placed in (placed for group in groups for placed in group):
        assert placed.text == ("text" if placed.name in dict(noted) else f"of {placed.name}")
    for group in groups:
        assert len({(placed.name.split("/")[0], number_of[placed.name]) for placed in group}) == 1
    return {(group[0].name.split("/")[0], number_of[group[0].name]) for group in groups}


@pytest.mark.slow
def test_groups_are_those_that_looking_at_all_finds(tmp_path):
    for seed in range(10):
        rng = random.Random(seed)
        noted, neighbours = (
            [
                (f"{rng.choice('ab')}/{rng.choice(['train', 'test'])}/{kind}{n}", rng.randrange(-9, 9))
                for n in range(rng.randrange(20))
            ]
            for kind in "xy"
        )
        mine = {(name.split("/")[0], number) for name, number in noted}
        splits_of = defaultdict(set)
        for name, number in [*noted, *neighbours]:
            domain, split, _ = name.split("/")
            splits_of[domain, number].add(split)
        expected = {key for key in mine if len(splits_of[key]) > 1}
        assert shared(tmp_path / str(seed), noted, neighbours) == expected
