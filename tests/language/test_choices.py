"""Choices: turns reach every wording, all at once are the same texts, and what is held out is told."""

import json
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orrery.checks.reading.shapes import COMPLETE, ShapeReader
from orrery.language.choices import EVERY, Every, Followed, Steady, Turn, Wordings, held_out, sentence_of
from orrery.language.frame import FRAMES, MARKS, REGISTERS, every_frame, frame_of
from orrery.language.shapes import CompleteRelations
from orrery.language.words import Words, macro_name, names_by_type, sentence
from orrery.model import OrreryError, ParameterError
from orrery.seeds import stream
from tests.effort import slow
from tests.every_domain import CATALOG, ROOT, entry

# Pieces with choices in them, as a macro puts them together.
TEXT = st.text("ab .\n", min_size=1, max_size=5)
CHOICES = st.recursive(
    TEXT,
    lambda inner: st.lists(st.lists(inner, max_size=3).map("".join), min_size=2, max_size=4).map(Every.of),
)
SAID = st.lists(CHOICES, min_size=1, max_size=4).map("".join)


@slow
@given(SAID)
def test_each_way_to_choose_gives_a_text_that_is_found_again(stated):
    wordings = Wordings.of(stated)
    for number, path in zip(range(60), wordings.paths(), strict=False):
        text = wordings.said(path)
        assert text == " ".join(text.split())
        matched = wordings.match(text)
        assert matched is not None, number
        assert wordings.said(matched) == text
    assert wordings.match("c") is None


@pytest.mark.parametrize("stated", ["\ue100a\ue101b", "a\ue102", "\ue100a\ue101\ue100b\ue102"])
def test_signs_that_do_not_match_are_refused(stated):
    with pytest.raises(ValueError, match="a choice"):
        Wordings.of(stated)


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 20), min_size=1, max_size=6))
def test_only_a_turn_that_may_takes_what_is_held_out(number, counts):
    turn, held_turn = Turn(number), Turn(number, held=True)
    for count in counts:
        assert 0 <= turn.digit(count) < count - held_out(count)
        assert 0 <= held_turn.digit(count) < count
    assert not turn.held_out


def test_half_of_the_choices_of_a_turn_that_may_are_held_out():
    digits = Counter(Turn(number, held=True).digit(16) for number in range(2_800))
    assert set(digits) == set(range(16))
    assert digits[14] + digits[15] == 1_400


def test_choices_side_by_side_multiply():
    digits = {(turn.digit(3), turn.digit(4)) for turn in map(Turn, range(12))}
    assert len(digits) == 12


def test_following_goes_through_all_paths_once():
    digits, path = [], []
    while True:
        turn = Followed(path)
        first = turn.digit(2)
        digits.append((first, turn.digit(3) if first else turn.digit(2)))
        if not (path := turn.next()):
            break
    assert digits == [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]


def test_a_path_followed_says_whether_it_is_held_out_as_a_turn_does():
    for count in (7, 8, 9, 16, 20):
        drawn = {}
        for number in range(2 * count):
            turn = Turn(number, held=True)
            digit = turn.digit(count)
            drawn[digit] = turn.held_out
        for digit, apart in drawn.items():
            followed = Followed([digit])
            assert (followed.digit(count), followed.held_out) == (digit, apart)


@slow
@given(SAID)
def test_a_sentence_of_choices_is_a_sentence_in_each(stated):
    plain = Wordings.of(stated)
    try:
        whole = Wordings.of(sentence_of(stated, sentence))
    except ValueError:
        return
    for path in plain.every(40):
        if path.strip(" .") and path[0] != " ":
            assert path.strip(" .")[:1].upper() in "AB"
    assert list(islice(whole.paths(), 40)) == list(islice(plain.paths(), 40))


def words_of(folder, body):
    (folder / "domains").mkdir()
    (folder / "domains" / "discs.j2").write_text(body)
    return Words("discs", folder)


def test_a_macro_that_looks_at_what_is_chosen_is_asked_wording_by_wording(tmp_path):
    words = words_of(
        tmp_path,
        "{% macro intro(variant) %}{{ (['owl', 'cat'] | choose(variant)) | a }} "
        "{{ ['x', 'y'] | choose(variant) }}."
        "{% endmacro %}",
    )
    assert set(words.every("intro").every(9)) == {"an owl x.", "an owl y.", "a cat x.", "a cat y."}


@slow
def test_too_many_wordings_that_must_be_asked_one_by_one_are_refused(tmp_path):
    choice = "{{ (['owl', 'cat', 'dog', 'emu'] | choose(variant)) | a }} "
    words = words_of(tmp_path, "{% macro intro(variant) %}" + 9 * choice + "{% endmacro %}")
    with pytest.raises(OrreryError, match="more than 20000 wordings"):
        words.every("intro")


def generated(name):
    """Some problems of a domain, of every task."""
    for task in entry(name).tasks:
        for number in range(4):
            try:
                yield task, entry(name).make(task, "easy", stream(7, task.name, number))
            except ParameterError:
                continue
            else:
                break


@pytest.mark.parametrize("name", CATALOG.names)
def test_what_a_turn_says_is_found_among_all_wordings_and_held_out_in_both(name):
    words = entry(name).words
    for task, generated_problem in generated(name):
        names = names_by_type(generated_problem.problem, entry(name).domain)
        asked = [("intro",), ("objects", names)]
        for part, parameters in (
            ("init", generated_problem.init_parameters),
            ("goal", generated_problem.goal_parameters),
        ):
            if words.has_passage(part, getattr(task, part)):
                parameters_read = json.loads(json.dumps(parameters))
                asked.append((macro_name(part, getattr(task, part)), parameters_read, names))
        for macro, *arguments in asked:
            wordings_all = words.every(macro, *arguments)
            assert len(set(wordings_all.every(8))) >= (4 if macro == "intro" else 8), macro
            for number in range(0, 2**20, 2**20 // 6):
                turn = Turn(number * 2_654_435_761 % 2**32, held=True)
                text = words.call(macro, *arguments, turn)
                way = wordings_all.match(text)
                assert way is not None, (macro, text)
                assert wordings_all.said(way) == text
                assert wordings_all.holds_out(way) == turn.held_out, (macro, text)


@pytest.mark.parametrize("name", CATALOG.names)
def test_facts_and_actions_have_many_wordings(name):
    place = entry(name)
    symbols = [("fact", p.name) for p in place.domain.predicates]
    symbols += [("action", a.name) for a in place.domain.actions]
    assert {symbol: count for symbol in symbols if (count := place.words.variants(*symbol)) < 8} == {}


@pytest.mark.parametrize("held", [False, True])
def test_frames_hold_each_part_once_and_are_read(held):
    frames_read = [frame_of(ROOT / "templates", number, held) for number in range(len(REGISTERS) * FRAMES)]
    assert {frame.register for frame in frames_read} == set(REGISTERS)
    assert any(frame.held_out for frame in frames_read) is held
    assert len({frame.pieces for frame in frames_read}) > len(frames_read) / 3
    for frame in frames_read[:: len(frames_read) // 150]:
        text = " ".join(frame.around(*MARKS).split())
        frames_matching = {
            register: every_frame(ROOT / "templates", register).match(text) for register in REGISTERS
        }
        assert [register for register, way in frames_matching.items() if way is not None] == [frame.register]
        way = frames_matching[frame.register]
        assert every_frame(ROOT / "templates", frame.register).holds_out(way) == frame.held_out


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_a_complete_relation_is_told_and_read_at_once(number, count):
    place = entry("ferry")
    complete = CompleteRelations(place.words, place.domain)
    assert complete.predicates == ("passage",)
    names = {"car": ["c1"], "location": [f"l{i}" for i in range(count)]}
    turn = Turn(number, held=True)
    text = complete.sentence("passage", turn) + " Car c1 is on the ferry."
    reader = ShapeReader(place.words, place.domain, (COMPLETE,))
    read = reader.read(text, names)
    assert read.rest == "Car c1 is on the ferry."
    assert len(set(read.facts)) == complete.size("passage", names) == count * (count - 1)
    assert read.held_out == turn.held_out
    assert reader.read("Car c1 is on the ferry.", names).facts == []


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 20), min_size=1, max_size=5), st.booleans())
def test_a_steady_turn_chooses_the_same_place_of_lists_of_one_length(number, counts, held):
    turn = Steady(number, held)
    digits = [turn.digit(count) for count in counts]
    assert digits == [Turn(number, held).digit(count) for count in counts]
    apart = [digit >= count - held_out(count) for digit, count in zip(digits, counts, strict=True)]
    assert turn.held_out == any(apart)
    assert held or not any(apart)


def test_all_wordings_at_once_are_no_number():
    with pytest.raises(TypeError):
        EVERY + 1
