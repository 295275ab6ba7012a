"""Keys of many draws are those of each, and put-off draws equal earlier problems."""

import pytest

from orrery.catalog import Catalog
from orrery.equivalence.embedding import goal_holds_permuted
from orrery.equivalence.keys import as_spelled, keys, keys_of
from orrery.model import ConfigurationPair, OrreryError
from orrery.pddl.read import read_problem
from orrery.problems.candidates import (
    ProblemCandidate,
    ProblemMaker,
    Record,
    candidates_of,
    candidates_table,
    draw_candidate,
)
from orrery.problems.quotas import Draw, Quota, quotas
from orrery.problems.sampler import DUPLICATE, Sampler
from tests.checkout import checkout
from tests.effort import sample
from tests.every_domain import CATALOG, difficulties, entry
from tests.problems.sizes import NOTHING, drawing, size

OFFERING = ["blocksworld", "floor-tile", "gripper"]
SEED = 11


def draws(name, count):
    return [
        Draw(name, level, task, n)
        for n in range(count)
        for level in difficulties(name)
        for task in entry(name).tasks
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", sample([*OFFERING, *(name for name in CATALOG.names if name not in OFFERING)], 5)
)
def test_remembered_halves_of_keys_are_those_of_each_problem(name):
    """The keys of many draws of one maker are those of the plain route, which remembers nothing."""
    domain, rule = entry(name).domain, entry(name).closure_rule
    for candidate in ProblemMaker(entry(name), SEED).candidates(draws(name, 3), put_off=False):
        if candidate.record is None:
            continue
        problem = read_problem(candidate.record.problem_pddl, domain)
        has_texts = entry(name).description.texts
        written = as_spelled(domain, problem)
        expected = keys(domain, problem, rule=rule) if has_texts else keys_of(domain, problem, written)
        assert (candidate.record.strict_key, candidate.record.loose_key) == (expected.strict, expected.loose)
        open_goal = has_texts and candidate.draw.task.interchangeable
        holds = open_goal and goal_holds_permuted(domain, problem)
        assert candidate.record.goal_holds_initially == int(holds)


def test_candidates_come_back_from_their_table():
    candidates = ProblemMaker(entry("blocksworld"), SEED).candidates(draws("blocksworld", 4))
    assert any(candidate.put_off for candidate in candidates)
    candidates.append(candidates[0]._replace(record=None, reason="a reason", detail="a message"))
    drawn = [candidate.draw for candidate in candidates]
    assert list(candidates_of(drawn, candidates_table(candidates))) == candidates


@pytest.mark.slow
@pytest.mark.parametrize("name", OFFERING)
def test_what_is_put_off_equals_an_earlier_problem(name):
    maker, wanted = ProblemMaker(entry(name), SEED), draws(name, 8)
    candidates, seen, put_off = maker.candidates(wanted), set(), 0
    for candidate in candidates:
        if candidate.put_off:
            record = draw_candidate(entry(name), candidate.draw, SEED).record
            key = record.loose_key if candidate.draw.task.interchangeable else record.strict_key
            assert key in seen
            put_off += 1
        elif candidate.record:
            seen |= {candidate.record.loose_key, candidate.record.strict_key}
    assert put_off


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "problems", "tasks"),
    [
        *((name, {"easy": 40, "medium": 60}, ()) for name in OFFERING),
        ("blocksworld", {"easy": 30}, ("stack-to-stack", "staircase-to-staircase")),
    ],
)
def test_the_sampler_takes_the_same_problems_whether_any_are_put_off_or_not(name, problems, tasks):
    """With few easy tasks, so that those that only explicit texts tell apart are needed, too."""
    place, maker = entry(name), ProblemMaker(entry(name), SEED)
    size_asked, results = size(problems, tasks={name: tasks}), []
    for sampler in (
        Sampler(name, drawing(place, SEED)),
        Sampler(name, maker.candidates, lambda draws: maker.candidates(draws, put_off=False)),
    ):
        parts = zip(quotas(place, size_asked, NOTHING), (True, False), strict=True)
        accepted = [
            candidate for part, held_out in parts for candidate in sampler.drawn(part, held_out=held_out)
        ]
        rejected = sorted(
            (candidate.draw, candidate.reason, candidate.detail) for candidate in sampler.rejected
        )
        results.append(([(candidate.draw, candidate.record) for candidate in accepted], rejected))
    assert results[0] == results[1]
    assert any(record.explicit_only for _, record in results[0][0]) == bool(tasks)


def test_what_is_put_off_is_made_where_the_sign_is_not_settled():
    """The first of a sign is the same problem as one of another task: that says nothing of the second."""
    linked, free = ConfigurationPair("a", "goal", strict=True), ConfigurationPair("b", "goal")
    keys = {(linked, 0): "s", (free, 0): "s"}

    def made(wanted, explicit_only):
        for draw in wanted:
            sign = "free" if draw.task == free else "linked"
            strict = keys.get((draw.task, draw.number), f"t{draw.number}")
            record = Record(strict, "loose", 0, 0, "{}", "{}", "", 0, 0, 0)
            yield ProblemCandidate(draw, record if explicit_only or draw.number < 1 else None, sign=sign)

    sampler = Sampler(
        "d", lambda draws_wanted: made(draws_wanted, False), lambda draws_wanted: made(draws_wanted, True)
    )
    accepted = [*sampler.drawn([Quota("easy", 1, (linked,))], held_out=False)]
    accepted += sampler.drawn([Quota("easy", 1, (free,))], held_out=False)
    assert [candidate.record.strict_key for candidate in accepted] == ["s", "t1"]
    assert {candidate.reason for candidate in sampler.rejected} == {DUPLICATE}


def test_a_generator_that_remembers_earlier_problems_is_refused(tmp_path):
    root = checkout(tmp_path, ["ferry"])
    file = root / "generators" / "ferry.py"
    file.write_text(
        file.read_text().replace(
            "    SPACE.check(",
            "    globals().setdefault('made', []).append(task); rng.seed(len(made))\n    SPACE.check(",
        )
    )
    here = Catalog(root).entry("ferry")
    first = Draw("ferry", "hard", here.tasks[0], 0)
    with pytest.raises(OrreryError, match="another problem from the same random stream"):
        draw_candidate(here, first, SEED)
