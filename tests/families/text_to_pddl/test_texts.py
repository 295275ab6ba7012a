"""Texts of problems: each mixture that may be rendered, nothing twice, all of it what the problem says."""

import json
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from string import ascii_lowercase

import pyarrow as pa
import pytest

from orrery.catalog import Catalog
from orrery.checks.reading.sentences import SentenceReader
from orrery.checks.texts import DomainTexts, Reader
from orrery.config import load
from orrery.families.text_to_pddl.schemas import TEXTS
from orrery.families.text_to_pddl.texts import MIXTURES, PLAIN, Text, TextRenderer, text_renderer, texts_table
from orrery.language.frame import frame_of
from orrery.language.renamed_domain import NAMES, vocabulary_of
from orrery.language.words import capitalised, macro_name, natural
from orrery.model import OrreryError, literals, parameters_beside
from orrery.pddl.read import read_problem
from orrery.problems.candidates import draw_candidate
from orrery.problems.quotas import Draw
from orrery.problems.schemas import GENERATED_PROBLEMS
from orrery.stages import generate, render
from orrery.store.shards import read
from orrery.workers import Workers
from tests.checkout import checkout, contents
from tests.effort import slow
from tests.every_domain import CATALOG, ROOT, entry
from tests.problems.sizes import size

SEED = 3
PLAINLY = size({}).render


def rows(name, difficulty="easy"):
    """A row of the table of problems for each task that has one."""
    for number, task in enumerate(entry(name).tasks):
        record = draw_candidate(entry(name), Draw(name, difficulty, task, 0), SEED).record
        if record is not None:
            yield {
                "problem_id": f"{name}/test/{number:06d}",
                "init_configuration": task.init,
                "goal_configuration": task.goal,
                "tied": task.tied,
                "strict": task.strict,
                **record._asdict(),
            }


@cache
def reader_of(name):
    return Reader.of(entry(name).words, entry(name).domain)


def faults(name, row, text):
    """What the check of texts finds wrong: facts, the list of objects, the frame, the columns."""
    words, domain = entry(name).words, entry(name).domain
    checked = DomainTexts(reader_of(name), read_problem(row["problem_pddl"], domain))
    passages = {
        part: words.every(
            macro_name(part, row[f"{part}_configuration"]),
            parameters_beside(json.loads(row[f"{part}_parameters"]), explicit_goal=not text.goal_is_abstract),
            checked.names,
        )
        for part in ("init", "goal")
        if getattr(text, f"{part}_is_abstract")
    }
    return checked.check(text._asdict(), passages)


def renderer_of(name, seed=SEED):
    return TextRenderer(entry(name), seed)


@pytest.mark.parametrize("name", CATALOG.names)
@pytest.mark.parametrize("paraphrases", [1, pytest.param(8, marks=slow)])
def test_texts_of_every_task_pass_the_check_of_texts(name, paraphrases):
    renderer = renderer_of(name)
    for row in rows(name):
        for text in renderer.texts(row, size({}, paraphrases=paraphrases).render):
            assert faults(name, row, text) == []


@pytest.mark.parametrize("name", ["blocksworld", "gripper", "floor-tile"])
def test_mixtures_are_those_that_the_task_allows(name):
    renderer = renderer_of(name)
    for row in rows(name):
        texts = renderer.texts(row, PLAINLY)
        fixed = row["tied"] or row["strict"]
        wanted = {(0, 0), (1, 1)} if fixed else set(MIXTURES)
        if not fixed and row["goal_holds_initially"]:
            wanted = {(0, 0)}
        assert {(text.init_is_abstract, text.goal_is_abstract) for text in texts} == wanted
        for text in texts:
            abstract = text.init_is_abstract + text.goal_is_abstract > 0
            assert text.mixture == MIXTURES[text.init_is_abstract, text.goal_is_abstract]
            assert (text.is_placeholder <= int(abstract and not fixed), text.goal_holds_initially) == (
                True,
                0,
            )
            assert (text.vocabulary, text.paraphrase) == (PLAIN, 0)


def test_a_text_that_leaves_the_goal_open_is_not_rendered_where_that_says_nothing_new():
    renderer = renderer_of("blocksworld")
    row = next(row for row in rows("blocksworld") if not row["tied"] and not row["goal_holds_initially"])
    assert len(renderer.texts(row, PLAINLY)) == 4
    for reason in ("goal_holds_initially", "explicit_only"):
        (text,) = renderer.texts({**row, reason: 1}, PLAINLY)
        assert text.mixture == "explicit-explicit"
        tied = {**row, reason: 1, "tied": True}
        assert [text.mixture for text in renderer.texts(tied, PLAINLY)] == [
            "explicit-explicit",
            "abstract-abstract",
        ]


@slow
@pytest.mark.parametrize("name", ["blocksworld", "gripper"])
def test_paraphrases_say_the_same_in_other_words_and_leave_the_first_row_alone(name):
    renderer = renderer_of(name)
    for row in rows(name):
        plain, texts = renderer.texts(row, PLAINLY), renderer.texts(row, size({}, paraphrases=3).render)
        assert texts[: len(plain)] == plain
        assert Counter(text.paraphrase for text in texts)[0] == len(plain)
        assert {text.mixture for text in texts} == {text.mixture for text in plain}
        assert len({text.natural_language for text in texts}) == len(texts)
        assert len({(text.mixture, text.paraphrase) for text in texts}) == len(texts)
        assert not any(faults(name, row, text) for text in texts[len(plain) :])
    assert Counter(text.paraphrase for text in texts)[2]


def test_the_wording_depends_on_the_seed_and_the_problem_alone():
    row = next(rows("gripper"))
    assert renderer_of("gripper").texts(row, PLAINLY) == renderer_of("gripper").texts(row, PLAINLY)
    assert renderer_of("gripper").texts(row, PLAINLY) != renderer_of("gripper", SEED + 1).texts(row, PLAINLY)


@pytest.mark.parametrize("name", CATALOG.names)
def test_problems_that_differ_in_names_alone_are_told_in_the_same_sentences(name):
    """The new names are much longer, and of another length than the names of the first ten objects."""
    renderer, compared = renderer_of(name), 0
    for row in rows(name):
        old = sorted(typed.name for typed in read_problem(row["problem_pddl"], entry(name).domain).objects)
        if old != sorted(old, key=natural):
            continue  # facts and lists of objects would have another order
        new = {
            one: f"{'abc'[n // 26]}{ascii_lowercase[n % 26]}-object-of-long-name" for n, one in enumerate(old)
        }
        back = {text: one for one, long in new.items() for text in (long, capitalised(long))}

        def told(text, names):
            return re.sub(r"[\w-]+", lambda word: names.get(word[0], word[0]), text)

        columns = ("problem_pddl", "init_parameters", "goal_parameters")
        renamed = {**row, **{column: told(row[column], new) for column in columns}}
        texts, others = (renderer.texts(one, PLAINLY) for one in (row, renamed))
        for one, other in zip(texts, others, strict=True):
            assert told(other.natural_language, back).lower() == one.natural_language.lower()
            assert [told(each, back) for each in other.open_objects] == one.open_objects
        compared += len(texts)
    assert compared


@pytest.mark.parametrize("vocabulary", NAMES)
def test_other_vocabularies_describe_the_renamed_problem(vocabulary):
    renderer, place = renderer_of("blocksworld"), entry("blocksworld")
    words = vocabulary_of(place.domain, vocabulary, ROOT / "templates", SEED)
    for row in list(rows("blocksworld"))[:6]:
        plain = renderer.texts(row, PLAINLY)
        *others_rendered, text = renderer.texts(row, size({}, vocabularies={vocabulary: 1.0}).render)
        assert (others_rendered, text.vocabulary, text.mixture) == (plain, vocabulary, "explicit-explicit")
        problem = read_problem(row["problem_pddl"], place.domain)
        renamed = words.of(problem).problem(problem)
        inverter = SentenceReader(words.words, words.domain)
        assert inverter.literals(text.init_text) == literals(renamed.init)
        assert inverter.literals(text.goal_text) == renamed.goal
        assert not re.search(r"\bblocks?\b", text.natural_language)


def test_a_share_of_the_problems_is_rendered_in_another_vocabulary():
    renderer, size_asked = renderer_of("ferry"), size({}, vocabularies={"meaningless": 0.3}).render
    row = next(rows("ferry"))
    rows_many = [{**row, "problem_id": f"ferry/train/{number:06d}"} for number in range(200)]
    vocabularies = Counter(text.vocabulary for row in rows_many for text in renderer.texts(row, size_asked))
    assert 35 <= vocabularies["meaningless"] <= 85


def test_a_table_holds_the_texts_of_its_problems_in_order():
    size_asked, problems = size({}, paraphrases=2).render, list(rows("ferry"))
    texts = [text for row in problems for text in text_renderer(ROOT, "ferry", SEED).texts(row, size_asked)]
    table = texts_table(ROOT, "ferry", SEED, size_asked, pa.Table.from_pylist(problems))
    assert table.column_names == list(Text._fields) == TEXTS.names
    assert [Text(**row) for row in table.to_pylist()] == texts
    assert (
        texts_table(ROOT, "ferry", SEED, size_asked, pa.Table.from_pylist(problems).slice(0, 0)).num_rows == 0
    )


@slow
def test_the_last_choices_of_a_long_passage_vary_as_the_first_ones_do():
    """Turns are few, and a passage may ask more of them than their numbers hold."""
    row = next(row for row in rows("rover-single") if row["init_configuration"].startswith("grid"))
    many = ({**row, "problem_id": f"rover-single/train/{number:06d}"} for number in range(200))
    renderer = renderer_of("rover-single")
    passages = {renderer.texts(problem, PLAINLY)[-1].init_text for problem in many}
    assert len(passages) > 190
    assert len({passage.split(". ")[-1] for passage in passages}) > 12


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ("{{ objects ~ init }}", "must contain"),
        ("{{ objects ~ init ~ goal ~ goal }}", "must contain"),
        ("{{ nothing }}", "nothing"),
        ("{{ objects", "end of print statement"),
    ],
)
def test_a_faulty_frame_names_its_template(tmp_path, frame, message):
    root = checkout(tmp_path, ["ferry"])
    path = root / "templates/texts/frame.j2"
    path.write_text("{% macro frame_terse(objects, init, goal, variant) %}" + frame + "{% endmacro %}")
    with pytest.raises(OrreryError, match=message) as caught:
        frame_of(root / "templates", 0)
    assert "templates/texts/frame.j2" in caught.value.where


def test_no_rows_are_asked_for_and_none_are_made(tmp_path):
    """A size may leave a domain out: its tables are there, and empty."""
    settings = load(checkout(tmp_path, ["ferry"]))
    settings = replace(settings, size=size({"easy": 3}, by_domain={"ferry": {"problems": {"easy": 0}}}))
    generate.run(settings, "ferry")
    render.run(settings, "ferry")
    assert read(settings.outputs / "problems/ferry/problems.parquet", GENERATED_PROBLEMS).num_rows == 0
    assert read(settings.outputs / "texts/ferry/texts.parquet", TEXTS).num_rows == 0


@slow
def test_one_row_a_key_and_mixture_and_no_text_twice(tmp_path):
    """Also where small problems run out, and any number of workers gives the same bytes."""
    settings = load(checkout(tmp_path, ["blocksworld"]))
    settings = replace(settings, size=size({"easy": 300, "medium": 60}))
    generate.run(settings, "blocksworld")
    render.run(settings, "blocksworld")
    problems = read(settings.outputs / "problems/blocksworld/problems.parquet").to_pylist()
    texts = read(settings.outputs / "texts/blocksworld/texts.parquet").to_pylist()
    of = {row["problem_id"]: row for row in problems}
    keys = [
        (of[text["problem_id"]]["loose_key" if text["is_placeholder"] else "strict_key"], text["mixture"])
        for text in texts
    ]
    assert len(set(keys)) == len(keys)
    assert len({text["natural_language"] for text in texts}) == len(texts)
    assert sum(row["explicit_only"] for row in problems) > 10
    for key in ("strict_key", "loose_key"):
        assert len({(row[key], row["split"]) for row in problems}) == len({row[key] for row in problems})


@slow
def test_workers_and_hash_seeds_do_not_show_in_the_files(tmp_path):
    """Workers are new processes: each has a hash seed of its own."""
    written = []
    for jobs in (1, 2):
        settings = load(checkout(tmp_path / str(jobs), ["gripper"]))
        settings = replace(settings, size=size({"easy": 90}, paraphrases=2, vocabularies={"misleading": 0.2}))
        generate.run(settings, "gripper", Workers(jobs))
        render.run(settings, "gripper", Workers(jobs))
        written.append(contents(settings.outputs))
    assert written[0] == written[1]


@pytest.mark.parametrize("held_out", [False, True])
def test_held_out_configurations_are_test_problems(tmp_path, held_out):
    root = checkout(tmp_path, ["ferry"])
    if held_out:
        params = root / "params.yaml"
        params.write_text(params.read_text() + "held_out: {configurations: {ferry: [aboard]}, domains: []}\n")
    settings = replace(load(root), size=size({"easy": 24}))
    generate.run(settings, "ferry")
    rows = read(settings.outputs / "problems/ferry/problems.parquet").to_pylist()
    aboard = [
        row["split"] for row in rows if "aboard" in (row["init_configuration"], row["goal_configuration"])
    ]
    assert aboard
    assert (set(aboard) == {"test"}) is held_out
    assert Catalog(root).entry("ferry").tasks
