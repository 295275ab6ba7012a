"""Templates of questions: what a broken one is told."""

import pytest

from orrery.families.plans.words import texts_of
from orrery.families.questions.context import context_of
from orrery.model import OrreryError
from orrery.seeds import stream
from tests.families.plans.made import sources

GOOD = '{% set parts = ["world"] %}{% macro question(say, variant) %}What?{% endmacro %}'


def template(folder, text):
    (folder / "plans").mkdir()
    path = folder / "plans" / "riddle.j2"
    if text is not None:
        path.write_text(text)
    return path


def texts(folder, *replies):
    source = sources("ferry")[0]
    return texts_of(folder, "riddle", context_of(source.record, source.words), stream(1), *replies)


def test_a_template_asks(tmp_path):
    template(tmp_path, GOOD)
    texts_made = texts(tmp_path)
    assert (texts_made.question, texts_made.question_pddl) == ("What?", "What?")


@pytest.mark.parametrize(
    ("text", "arguments", "fault"),
    [
        (None, (), "template 'plans/riddle.j2' does not exist"),
        ("{% macro question(say %}", (), "expected token"),
        ("{% set parts = [] %}", (), "does not define macro question"),
        (GOOD.replace("What?", "{{ nothing.at_all }}"), (), "'nothing' is undefined"),
        (GOOD, ("too much",), "takes not more than 2"),
        (GOOD.replace("What?", '{% import "plans/other.j2" as x %}'), (), "plans/other.j2"),
    ],
)
def test_a_broken_template_is_named_with_what_is_wrong(tmp_path, text, arguments, fault):
    path = template(tmp_path, text)
    with pytest.raises(OrreryError) as caught:
        texts(tmp_path, *arguments)
    assert str(path) in caught.value.where
    assert fault in caught.value.problem
    assert caught.value.mend
