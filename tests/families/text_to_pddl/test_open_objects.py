"""Open objects: what a text names in both passages stays where it is, the rest may change places.

Rows are those of real draws. Which replies are right is worked out by trying all permutations.
"""

import random
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import chain, combinations, islice, pairwise, permutations, product
from math import factorial, prod

import pytest

from orrery.equivalence.canonical import renamed
from orrery.equivalence.closure import Budget
from orrery.equivalence.keys import keys
from orrery.equivalence.open_goal import OpenGoal
from orrery.equivalence.reaching import Reaching
from orrery.families.text_to_pddl.open_objects import NamedObjects, exchange_changes, open_objects, words_of
from orrery.families.text_to_pddl.texts import text_renderer
from orrery.model import Literal, ParameterError
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_domain, write_problem
from orrery.problems.candidates import draw_candidate
from orrery.problems.quotas import Draw
from orrery.scoring.problems.pairs import score_pair
from orrery.seeds import stream
from tests.effort import slow, some
from tests.every_domain import CATALOG, ROOT, entry
from tests.problems.sizes import size
from tests.scoring.problems.rows import known

SEED, MOST = 5, 720
DOMAINS = [name for name in CATALOG.names if entry(name).description.texts]
WITH_PLACEHOLDERS = ["blocksworld", "ferry", "floor-tile", "gripper"]


@cache
def texts_of(name, draws, difficulty="easy"):
    """Texts of drawn problems, each with its problem and row: some of every task."""
    texts_read = []
    for task, number in product(entry(name).tasks, range(draws)):
        record = draw_candidate(entry(name), Draw(name, difficulty, task, number), SEED).record
        if record is None:
            continue
        row = {
            "problem_id": f"{name}/test/{number:06d}",
            "init_configuration": task.init,
            "goal_configuration": task.goal,
            "tied": task.tied,
            "strict": task.strict,
            **record._asdict(),
        }
        problem = read_problem(record.problem_pddl, entry(name).domain)
        texts = text_renderer(ROOT, name, SEED).texts(row, size({}).render)
        texts_read += [(text, problem, row) for text in texts]
    return texts_read


def kinds(name, problem):
    """The objects by types and by static facts about each alone."""
    fluents, answers_by_text = entry(name).domain.fluents, {}
    for typed in problem.objects:
        properties = tuple(
            sorted(fact[0] for fact in problem.init if fact[1:] == (typed.name,) and fact[0] not in fluents)
        )
        answers_by_text.setdefault((typed.types, properties), []).append(typed.name)
    return list(answers_by_text.values())


def all_permutations(name, problem):
    """All permutations of the objects that keep types and static facts; None where they are many."""
    groups = kinds(name, problem)
    if prod(factorial(len(group)) for group in groups) > MOST:
        return None
    static = {fact for fact in problem.init if fact[0] not in entry(name).domain.fluents}
    moves = (
        dict(zip(chain(*groups), chain(*images), strict=True))
        for images in product(*map(permutations, groups))
    )
    return [move for move in moves if renamed(static, move) == static]


def moved(problem, move):
    """The problem with the goal's objects renamed."""
    goal = frozenset(
        Literal(next(iter(renamed([literal.atom], move))), literal.positive) for literal in problem.goal
    )
    return replace(problem, goal=goal)


def row_of(text, problem, row, name):
    return {
        "id": "x", "domain": name, "domain_pddl": write_domain(entry(name).domain), "solvable": True,
        "problem_pddl": row["problem_pddl"], "is_placeholder": text.is_placeholder,
        "open_objects": text.open_objects, "strict_key": row["strict_key"], "loose_key": row["loose_key"],
    }  # fmt: skip


@pytest.mark.parametrize("name", DOMAINS)
def test_what_both_passages_name_is_fixed(name):
    """Names are looked for as a reader would: one by one, in the passages."""
    for text, problem, row in texts_of(name, 1):
        named = [
            {typed.name for typed in problem.objects if re.search(rf"(?<![\w-]){typed.name}(?![\w-])", part)}
            for part in (text.init_text, text.goal_text)
        ]
        assert named[0] & named[1] & set(text.open_objects) == set() or not text.is_placeholder
        abstract = text.init_is_abstract + text.goal_is_abstract
        if row["tied"] or row["strict"] or not abstract:
            assert (text.open_objects, text.is_placeholder) == ([], 0)
        else:
            names = {typed.name for typed in problem.objects}
            assert names - set().union(*named) <= set(text.open_objects)
            assert text.open_objects == sorted(text.open_objects)
            assert not named[0] & named[1] & set(text.open_objects)


@slow
@pytest.mark.parametrize("name", DOMAINS)
def test_replies_are_right_exactly_where_a_permutation_of_open_objects_makes_them_so(name):
    """All permutations of small problems: as replies, and again to tell which are right."""
    place, rng, answers = entry(name), random.Random(name), set()
    rows = [
        text_row
        for text_row in texts_of(name, 3)
        if text_row[0].init_is_abstract or text_row[0].goal_is_abstract
    ]
    small = (
        (text_row, moves)
        for text_row in rng.sample(rows, len(rows))
        if (moves := all_permutations(name, text_row[1]))
    )
    for (text, problem, row), moves in islice(small, max(12, some(40))):
        reaching = Reaching(place.domain, problem, Budget(states=20_000, calls=0))
        fixed = {typed.name for typed in problem.objects} - set(text.open_objects)

        def key(move, problem=problem, place=place):
            return keys(place.domain, moved(problem, move), place.closure_rule).strict

        admissible = [
            move
            for move in moves
            if all(move[typed] == typed for typed in fixed)
            and reaching.reaches(renamed(problem.init, move)) is True
        ]
        right = {key(move) for move in admissible} if text.is_placeholder else {row["strict_key"]}
        if not text.is_placeholder:
            goals = {moved(problem, move).goal for move in admissible}
            closed = {place.closure_rule(replace(problem, goal=goal)) for goal in goals}
            assert len(closed) <= 1 or row["tied"] or row["strict"]
        for move in rng.sample(moves, min(len(moves), 6)):
            reply = moved(problem, move)
            score = score_pair(write_problem(reply), row_of(text, problem, row, name), known=known(name))
            assert score.plain.correct is (key(move) in right), (row["problem_id"], text, move)
            answers.add((text.is_placeholder, score.plain.correct))
    assert ((1, True) in answers) is (name in WITH_PLACEHOLDERS)
    # All blocks are open, and the tiles of a floor cannot be exchanged.
    assert ((1, False) in answers) is (name in ("ferry", "gripper"))


@slow
@pytest.mark.parametrize("name", ["ferry", "gripper"])
def test_a_swapped_place_is_wrong_and_swapped_open_objects_are_right(name):
    """In every placeholder row of the draws, of problems as large as they come."""
    swapped = opened = 0
    for difficulty in ("easy", "medium"):
        for text, problem, row in texts_of(name, 2, difficulty):
            if not text.is_placeholder:
                continue
            row_asked = row_of(text, problem, row, name)
            for group in kinds(name, problem):
                free = sorted(set(group) & set(text.open_objects))
                fixed = sorted(set(group) - set(free))
                for first, second in islice(pairwise(free), 2):
                    reply = moved(problem, {first: second, second: first})
                    assert (
                        score_pair(write_problem(reply), row_asked, known=known(name)).plain.correct is True
                    )
                    opened += 1
                loads = {first: load(problem.init, first) for first in group}
                told_apart = [first for first in fixed if [*loads.values()].count(loads[first]) == 1]
                pairs = [(first, second) for first in told_apart for second in group if second != first]
                for first, second in pairs[:4]:
                    reply = moved(problem, {first: second, second: first})
                    if load(reply.goal_facts, first) != load(problem.goal_facts, first):
                        score = score_pair(write_problem(reply), row_asked, known=known(name))
                        assert score.plain.correct is False, (text, first, second)
                        swapped += 1
    assert opened > 20
    assert swapped > (20 if name == "gripper" else 0)


def load(facts, name):
    """How many things are in a place; where it is as many nowhere else, no renaming moves the place."""
    return sum(fact[-1] == name and len(fact) > 2 for fact in facts)


@slow
@pytest.mark.parametrize("name", ["visitall", "rover-single"])
def test_maps_leave_nothing_open_that_matters(name):
    """Their texts name each place: no goal that asks for other places is right."""
    rows = texts_of(name, 2)
    assert rows
    assert not any(text.is_placeholder for text, *_ in rows)


@slow
def test_only_colors_of_floors_are_open():
    """The tiles are named by their places; exchanging robots changes no goal."""
    seen = set()
    for text, problem, row in texts_of("floor-tile", 4):
        if text.is_placeholder:
            for move in all_permutations("floor-tile", problem) or ():
                tiles = [name for name in move if name.startswith("t")]
                reply = moved(problem, move)
                if any(move[name] != name for name in tiles) and reply.goal != problem.goal:
                    raise AssertionError("a floor has a symmetry")
            seen.add(row["goal_configuration"])
    assert seen >= {"all_different", "checkerboard", "paint_all", "paint_x"}


@slow
@pytest.mark.parametrize("name", ["floor-tile", "visitall"])
def test_other_goals_on_maps_are_right_only_where_a_symmetry_says_so(name):
    """Replies with any exchange of places, colors or robots in the goal, row by row.

    What is right besides the goal itself: its image under a symmetry of the whole initial state, which is the
    same problem in other names, after an exchange of open objects.
    """
    place, rng, accepted = entry(name), random.Random(f"maps {name}"), 0
    for text, problem, row in texts_of(name, 6 if name == "visitall" else 2):
        every = all_permutations(name, problem)
        if every is None or not (text.init_is_abstract or text.goal_is_abstract):
            continue

        def closed(goal, problem=problem, place=place):
            return place.closure_rule(replace(problem, goal=goal))

        fixed = {typed.name for typed in problem.objects} - set(
            text.open_objects if text.is_placeholder else ()
        )
        opened = [move for move in every if all(move[typed] == typed for typed in fixed)]
        symmetries = [move for move in every if renamed(problem.init, move) == problem.init]
        right = {
            renamed(closed(moved(problem, exchange).goal), symmetry)
            for exchange in opened
            for symmetry in symmetries
        }
        of_kind = kinds(name, problem)
        anyhow = ([rng.sample(group, len(group)) for group in of_kind] for _ in range(4))
        moves = [dict(zip(chain(*of_kind), chain(*images), strict=True)) for images in anyhow]
        for move in [*moves, *symmetries[-2:], *opened[-2:]]:
            reply = moved(problem, move)
            score = score_pair(write_problem(reply), row_of(text, problem, row, name), known=known(name))
            assert score.plain.correct is (closed(reply.goal) in right), (text, move)
            accepted += score.plain.correct and reply.goal != problem.goal
    assert accepted


@pytest.mark.parametrize(
    ("init", "goal", "opened"),
    [
        # abstract, named: initial state and goal. Of kind r: r1 r2 r3, of kind b: b1 b2.
        ((1, "r1 r2 r3"), (0, "r2 b1 b2"), "b1 b2 r1 r3"),
        ((1, ""), (0, "r2 b1 b2"), "b1 b2 r1 r2 r3"),
        ((1, "r1"), (0, "r2 b1 b2"), "b1 b2 r2 r3"),
        ((0, "r1 r2 b1"), (1, "r3"), "b1 b2 r1 r2"),
        ((1, "r1 b1"), (1, "r2"), "b1 b2 r3"),
        ((1, "r1 r2 b1"), (1, "r2"), "b1 b2 r1 r3"),
        ((0, "r1"), (0, "r2"), ""),
    ],
)
def test_open_objects_by_what_is_named(init, goal, opened):
    kinds = [frozenset({"r1", "r2", "r3"}), frozenset({"b1", "b2"})]
    passages = [NamedObjects(bool(abstract), frozenset(named.split())) for abstract, named in (init, goal)]
    assert open_objects(kinds, *passages) == opened.split()


@pytest.mark.parametrize("name", ["blocksworld", "gripper"])
def test_objects_that_a_generator_calls_exchangeable_matter_wherever_they_change_the_goal(name):
    """Against the search that knows nothing of the claim."""
    domain, answers = entry(name).domain, Counter()
    for task, number in product(entry(name).tasks, range(some(8))):
        try:
            problem = entry(name).make(task, "easy", stream(5, task.name, number)).problem
        except ParameterError:
            continue
        goal = frozenset(literal.atom for literal in problem.goal)
        groups = [frozenset(group) for group in kinds(name, problem)]
        for pair in (pair for group in groups for pair in combinations(sorted(group), 2)):
            if task.interchangeable and all(literal.positive for literal in problem.goal):
                changes = exchange_changes(goal, groups, pair)
                assert OpenGoal(domain, problem, entry(name).closure_rule).changes(pair) is changes
                answers[changes] += 1
    assert answers[True] > 10
    assert answers[False] or name == "blocksworld"


def test_the_published_domains_say_that_their_objects_are_exchangeable():
    assert [name for name in CATALOG.names if entry(name).exchangeable] == ["blocksworld", "gripper"]


def test_names_are_words_of_their_own():
    assert words_of("Room r12 holds -- b1, b2; loc-3.") >= {"r12", "b1", "b2", "loc-3"}
    assert "r1" not in words_of("Room r12 holds r1-a")
