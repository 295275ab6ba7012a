"""The sentences around what a question names: every one that a template may write is known."""

import pytest

from orrery.checks.questions.question_frames import QuestionFrames
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
def test_every_wording_around_a_claim_is_known_and_no_other(kind, claim):
    frames = QuestionFrames(words("depots"), entry("depots").domain)
    for variant in range(WORDINGS_TRIED):
        ending = template("bool_mcq").bool_ending(variant)
        questions = [
            f"{template(kind).question_bool(variant, named, '(drive a b)')}\n{ending}" for named in claim
        ]
        question, question_pddl = (
            "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())
            for text in questions
        )
        row = {"kind": kind, "claim": "{}", "question": question, "question_pddl": question_pddl}
        assert frames.check(row) == []
        assert frames.check({**row, "question": f"{question} Really?"})
