"""Colours and fingerprints: no renaming changes them, small changes of a problem do."""

import random
import subprocess
import sys
from collections import defaultdict

import pytest

from orrery.checks import splits, verdict_parts
from orrery.checks.automorphisms import fingerprint, first_colours, marked, refined
from orrery.checks.splits import profile
from orrery.checks.verdict_parts import Notes
from orrery.checks.verdicts import Note, Verdicts
from orrery.pddl.write import write_problem
from tests.checks.test_splits import other, renamed
from tests.every_domain import CATALOG, ROOT, easy_problems, entry
from tests.store.samples import row, write_shards
from tests.tables import PUBLISHED


@pytest.mark.parametrize("name", CATALOG.names)
def test_no_renaming_changes_a_profile(name):
    domain = entry(name).domain
    for problem in easy_problems(name, 8):
        same = renamed(problem, domain.constants, random.Random(1))
        assert profile(domain, same) == profile(domain, problem)
        assert profile(domain, other(same)) != profile(domain, problem)


def test_objects_that_play_other_parts_have_other_colours():
    domain, problem = entry("blocksworld").domain, easy_problems("blocksworld", 30)[-1]
    facts = marked(domain, {0: problem.init})
    colours = refined(first_colours(domain, problem), facts, len(problem.objects))
    state = {name: {fact for fact in problem.init if name in fact} for name in colours}
    for first_colour in colours:
        for two in colours:
            if {fact[0] for fact in state[first_colour]} != {fact[0] for fact in state[two]}:
                assert colours[first_colour] != colours[two]
    assert fingerprint(colours, facts) != fingerprint(colours, facts[1:])


@pytest.mark.slow
def test_other_processes_give_the_same_profile():
    """Workers compare what they find: the seed of Python's hashes of texts must not matter."""
    problem = easy_problems("gripper", 3)[2]
    code = (
        "import sys; from tests.every_domain import entry; from orrery.checks.splits import profile;"
        "from orrery.pddl.read import read_problem; domain = entry('gripper').domain;"
        "print(profile(domain, read_problem(sys.stdin.read(), domain)))"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            input=write_problem(problem), capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert int(done.stdout) == profile(entry("gripper").domain, problem)


def shared(folder, noted, neighbours=()):
    """The domains and profiles that problems of several splits share, one of which is among ``noted``."""
    notes = [Note("mine", name, str(number), "text") for name, number in noted]
    notes += [Note("others", name, str(number)) for name, number in neighbours]
    verdict_parts.save(verdict_parts.part_of(folder, "a"), Verdicts(notes=notes[::2]))
    verdict_parts.save(verdict_parts.part_of(folder, "b"), Verdicts(notes=notes[1::2]))
    table = [row(PUBLISHED["problems"], id=name, problem_pddl=f"of {name}") for name, _ in neighbours]
    problems = write_shards(folder, PUBLISHED["problems"], "train", [row(PUBLISHED["problems"]), *table])
    groups = splits.shared(Notes(folder), ("mine", "others"), problems)
    number_of = dict([*noted, *neighbours])
    for placed in (placed for group in groups for placed in group):
        assert placed.text == ("text" if placed.name in dict(noted) else f"of {placed.name}")
    for group in groups:
        assert len({(placed.name.split("/")[0], number_of[placed.name]) for placed in group}) == 1
    return {(group[0].name.split("/")[0], number_of[group[0].name]) for group in groups}


def test_problems_of_one_profile_are_compared_where_they_are_in_several_splits(tmp_path):
    noted = [("a/test/0", 1), ("a/train/1", -2), ("a/test/2", 1), ("a/test/3", -2), ("a/train/4", 3)]
    assert shared(tmp_path / "1", noted) == {("a", -2)}
    assert shared(tmp_path / "2", [*noted, ("b/train/5", 1)]) == {("a", -2)}
    assert shared(tmp_path / "3", [*noted, ("a/validation/5", 1)]) == {("a", -2), ("a", 1)}
    assert shared(tmp_path / "4", []) == set()


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
