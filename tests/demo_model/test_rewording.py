"""The scripted model tells rows anew, and leaves out what it is told to leave out."""

from __future__ import annotations

from orrery.checks.paraphrase_reader import reader_of
from orrery.demo_model import ScriptedReplies
from orrery.demo_model.rewording import OPENING, scripted
from orrery.library.paraphrases import Paraphrase, recovery, rewording
from tests.every_domain import ROOT
from tests.stages.test_paraphrase import rows

COUNT = 2


def replies(drop=0.0):
    return ScriptedReplies(scripted(rows(), COUNT, drop))


def both(model, item, number):
    """What the model makes of a row, and what it recovers from that."""
    text = model.reply(rewording(item.row, number, ROOT).prompt)
    back = recovery(item.row, Paraphrase(item.row["id"], number, text), ROOT)
    return text, back.score(model.reply(back.prompt))


def test_paraphrases_differ_and_tell_the_same_problem():
    for item in rows():
        reader = reader_of(ROOT, item.row["domain"])
        replies_seen = [both(replies(), item, number) for number in range(1, COUNT + 1)]
        assert len({text for text, _ in replies_seen} | {item.row["natural_language"]}) == COUNT + 1
        assert [score.verdict for _, score in replies_seen] == ["right"] * COUNT
        for text, _ in replies_seen:
            assert reader.read(item.row, text).same in (True, None)
            assert (reader.read(item.row, text).same is None) == text.startswith(OPENING)


def test_from_what_leaves_a_fact_out_the_problem_is_not_recovered():
    for item in rows():
        for number in range(1, COUNT + 1):
            text, score = both(replies(drop=1.0), item, number)
            assert score.verdict in ("wrong", "unparsed")
            assert not reader_of(ROOT, item.row["domain"]).read(item.row, text).same


def test_the_same_paraphrases_come_at_any_time_and_as_many_are_faulty_as_asked_for():
    questions = [rewording(item.row, number, ROOT) for item in rows() for number in (1, 2)]
    first = [replies(drop=0.5).reply(question.prompt) for question in questions]
    assert [replies(drop=0.5).reply(question.prompt) for question in reversed(questions)] == first[::-1]
    sound, faulty = ([replies(drop).reply(question.prompt) for question in questions] for drop in (0.0, 1.0))
    assert {text in sound for text in first} == {True, False}
    assert all(text in (*sound, *faulty) for text in first)
