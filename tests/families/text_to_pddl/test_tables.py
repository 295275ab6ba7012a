"""Texts made by tables are those made one by one, and what a claim of a generator decides is so."""

import random

import numpy as np
import pyarrow as pa
import pytest

from orrery.config import RenderSize
from orrery.equivalence.open_goal import OpenGoal
from orrery.families.text_to_pddl import tables
from orrery.families.text_to_pddl.marked import Marks
from orrery.families.text_to_pddl.passages import SPREAD, Passages
from orrery.families.text_to_pddl.schemas import TEXTS
from orrery.families.text_to_pddl.tables import TableRenderer, texts_table
from orrery.families.text_to_pddl.texts import TextRenderer, columns
from orrery.language.choices import Turn
from orrery.language.frame import TURNS
from orrery.language.words import arranged, names_by_type
from orrery.model import ParameterError
from orrery.seeds import stream
from orrery.store.columns import from_columns
from tests.effort import some
from tests.every_domain import CATALOG, ROOT, difficulties, entry, words
from tests.families.text_to_pddl.test_texts import PLAINLY, SEED, rows

TEXTED = [name for name in CATALOG.names if entry(name).description.texts]
EXCHANGEABLE = [name for name in CATALOG.names if entry(name).exchangeable]


def plain(name, given, size):
    renderer = TextRenderer(entry(name), SEED)
    return from_columns(TEXTS, columns([text for row in given for text in renderer.texts(row, size)]))


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTED)
def test_a_table_holds_the_texts_of_its_problems(name):
    given = [row for level in difficulties(name)[:2] for row in rows(name, level)]
    given += [{**given[0], reason: 1} for reason in ("explicit_only", "goal_holds_initially")]
    renderer, whole = TableRenderer(TextRenderer(entry(name), SEED)), pa.Table.from_pylist(given)
    assert renderer.table(whole).equals(plain(name, given, PLAINLY))
    assert renderer.table(whole.slice(3)).equals(plain(name, given[3:], PLAINLY))
    assert renderer.table(whole.slice(0, 0)).num_rows == 0


@pytest.mark.parametrize(
    "size", [RenderSize(paraphrases=2), RenderSize(vocabularies={"meaningless": 1.0}), RenderSize()]
)
def test_paraphrases_and_other_vocabularies_are_made_one_by_one(size):
    given = list(rows("ferry"))
    assert texts_table(ROOT, "ferry", SEED, size, pa.Table.from_pylist(given)).equals(
        plain("ferry", given, size)
    )


def test_facts_with_the_same_number_stand_in_the_order_of_their_sentences():
    """As rare as it is: few numbers are dealt out here, so that many meet."""
    renderer, rng = TextRenderer(entry("blocksworld"), SEED), random.Random(1)
    facts = tables._Facts(renderer)
    said = [[f"on b{rng.randint(1, 9)} b{n}" for n in range(rng.randint(0, 9))] for _ in range(40)]
    drawn = [[rng.choice([0, 1, 2**32 - 1]) for _ in some] for some in said]
    counts, nobody = np.array(list(map(len, said))), Marks((), ("",))
    listed = pa.array([each for some in said for each in some], pa.string())
    part = tables._PartTexts(facts.numbered(listed, counts, [nobody] * len(said)), counts, [])
    held = np.array([number % 3 == 0 for number in range(len(said))])
    between = pa.array(["\n- " if number % 5 == 0 else " " for number in range(len(said))], pa.string())
    numbers = np.array([n for some in drawn for n in some], "<u4")
    found, apart = facts.arranged(part, numbers, held, between)
    given = zip(said, drawn, between.to_pylist(), held.tolist(), strict=True)
    assert found.to_pylist() == [
        joint.join(arranged(map(renderer.sentences, some), n, held_out)) for some, n, joint, held_out in given
    ]
    assert not (apart & ~held).any()


@pytest.mark.parametrize("name", TEXTED)
def test_a_list_of_objects_that_is_made_once_is_that_of_every_problem_it_is_given_to(name):
    """In an order that has others first, so that what is found was made for another number or other names."""
    renderer = TextRenderer(entry(name), SEED)
    passages = Passages(words(name), lambda who: dict(who))
    asked = []
    for row in rows(name):
        names = renderer.names(renderer.given(row).marks.who)
        others = {kind: tuple(f"x{each}" for each in listed) for kind, listed in names.items()}
        for who in (names, others):
            known = tuple((kind, tuple(listed)) for kind, listed in who.items())
            turns = random.Random(1).sample(range(TURNS), 12)
            asked += [(known, turn, held) for turn in turns for held in (False, True)]
    random.Random(2).shuffle(asked)
    for who, number, held in asked:
        turn = Turn(number * SPREAD, held)
        text = words(name).objects(dict(who), turn)
        assert passages.objects(who, number, held) == (text, turn.held_out)


@pytest.mark.parametrize("name", EXCHANGEABLE)
def test_objects_that_a_generator_calls_exchangeable_matter_wherever_they_change_the_goal(name):
    """Against the search that knows nothing of the claim."""
    here, shown, kept = entry(name), 0, 0
    facts = tables._Facts(TextRenderer(here, SEED))
    for task in here.tasks:
        for number in range(some(8)):
            try:
                problem = here.make(task, "easy", stream(5, task.name, number)).problem
            except ParameterError:
                continue
            by_kind = names_by_type(problem, here.domain)
            kinds = [names for kind, names in by_kind.items() if kind != "object" or len(by_kind) == 1]
            goal = [facts.number[write_inside(literal)] for literal in problem.goal]
            for one, other in ((a, b) for names in kinds for a in names for b in names if a < b):
                if task.interchangeable:
                    changes = facts.changes(goal, {one: other, other: one})
                    found = OpenGoal(here.domain, problem, here.closure_rule).changes([one, other])
                    assert found is changes
                    shown += changes
                    kept += not changes
    assert shown > 10
    assert kept or name == "blocksworld"


def test_the_published_domains_say_that_their_objects_are_exchangeable():
    assert EXCHANGEABLE == ["blocksworld", "gripper"]


def write_inside(literal):
    return " ".join(literal.atom) if literal.positive else f"not ({' '.join(literal.atom)})"


def test_the_last_choices_of_a_long_passage_vary_as_the_first_ones_do():
    """Turns are few, and a passage may ask more of them than their numbers hold."""
    renderer = TextRenderer(entry("rover-single"), SEED)
    row = next(row for row in rows("rover-single") if row["init_configuration"].startswith("grid"))
    marked, marks, _ = renderer.given(row)
    given = row["init_configuration"], marked["init_parameters"], marks.who
    texts = {renderer.passages.text("init", *given, turn).text for turn in range(200)}
    assert len(texts) > 190
    assert len({text.split(". ")[-1] for text in texts}) > 12
