"""Published yes/no questions."""

from __future__ import annotations

import pytest

from orrery.grading import grade
from tests.grading.published import MARKUP

VERDICTS = ("{}", "**{}**.", "{}, because there is no obstacle.", "The answer is {}!", "It is {}")


@pytest.mark.slow
def test_yes_and_no_in_every_markup(closed_rows):
    graded = 0
    for row in (row for row in closed_rows if row["format"] == "bool"):
        opposite = {"yes": "no", "no": "yes"}[row["answer"]]
        for markup in MARKUP:
            for form in VERDICTS:
                for word, verdict in ((row["answer"], "right"), (opposite, "wrong")):
                    for reply in (word, word.capitalize(), {"yes": "True", "no": "False"}[word]):
                        text = markup.format(form.format(reply))
                        assert grade(text, row).verdict == verdict, text
                        graded += 1
    assert graded > 50_000
