"""The sentences around what a question names: every one that a template may write is known."""

import pytest

from orrery.checks.questions.question_frames import QuestionFrames, _lines
from orrery.families.questions.kinds import question_kinds
from orrery.language.words import WORDINGS_TRIED, environment
from tests.every_domain import ROOT, entry, words

CLAIMS = (
    ("the truck is at depot d1", "(at t1 d1)"),
    ("(1) drive from a to b, (2) drive from b to a", "(drive a b) (drive b a)"),
)


def template(kind):
    return environment(ROOT / "templates").get_template(f"questions/{kind}.j2").module


CLOSED = [kind for kind in sorted(question_kinds()) if hasattr(template(kind), "question_bool")]


@pytest.mark.parametrize("kind", CLOSED)
@pytest.mark.parametrize("claim", CLAIMS, ids=["one", "two"])
def test_every_wording_around_a_claim_is_known(kind, claim):
    frames = QuestionFrames(words("depots"), entry("depots").domain)._closed(kind, "question_bool")
    for variant in range(WORDINGS_TRIED):
        for named in claim:
            said = _lines(str(template(kind).question_bool(variant, named, "(drive a b)")))
            assert any(frame.fullmatch(said) for frame in frames), said
