"""Every way of writing a right answer is right in every table; no way of spoiling it is, in any of them."""

from __future__ import annotations

import re

import pytest

import orrery
from orrery.library.fresh_rows import makers
from tests.every_domain import ROOT
from tests.grading.spoils import spoilt
from tests.grading.wraps import WRAPS
from tests.library.samples import fresh
from tests.scoring.scorers.test_domains import actions, domain_text, header

FEW = 2
_PAGE = ROOT / "docs" / "score-predictions.md"


def modelled(name):
    """A row of a table of actions or domains, with its answer."""
    text = domain_text(name)
    row = {"id": name, "domain": name, "gold_domain": text, "problems": [], "natural_language": "x"}
    yield "action_modeling", {**row, "header": header(text)}, actions(text)
    yield "domain_modeling", row, text


def answers(table):
    """Rows of a table with their answers."""
    if table.endswith("_modeling"):
        return [case[1:] for name in ("ferry", "blocksworld") for case in modelled(name) if case[0] == table]
    return [(item.row, item.gold) for item in fresh(table, FEW)]


TABLES = [*makers(), "action_modeling", "domain_modeling"]


def rejected(table):
    """The right replies of a table that are not read as right, and the number of all."""
    replies = [(row, wrap, write(text)) for row, text in answers(table) for wrap, write in WRAPS.items()]
    scores = ((wrap, orrery.score(reply, row, table)) for row, wrap, reply in replies)
    return [(wrap, score.verdict, score.detail) for wrap, score in scores if score.verdict != "right"], len(
        replies
    )


def passed(table, every):
    """The spoilt replies of a table that are right: each alone and in some, or ``every``, wrapping."""
    replies = [
        (row, way, wrap, WRAPS[wrap](changed))
        for row, text in answers(table)
        for place, (way, changed) in enumerate(spoilt(table, text).items())
        for wrap in (WRAPS if every else ["The answer stands alone.", *list(WRAPS)[place % 7 :: 7]])
    ]
    right = [case for case in replies if orrery.score(case[3], case[0], table).verdict == "right"]
    return [(way, wrap) for _, way, wrap, _ in right], len(replies)


@pytest.mark.slow
@pytest.mark.xdist_group("fresh")
@pytest.mark.parametrize("table", TABLES)
def test_each_wrapping_is_read_and_no_spoiled_answer_is_right(table):
    missed, number = rejected(table)
    assert len(missed) <= number // 200, missed
    assert passed(table, every=False)[0] == []


@pytest.mark.exhaustive
@pytest.mark.xdist_group("fresh")
@pytest.mark.parametrize("table", TABLES)
def test_no_spoiled_answer_is_right_in_any_wrapping(table):
    right, number = passed(table, every=True)
    assert right == []
    assert number >= 1_000  # an answer that is one word has few ways to be spoiled


@pytest.mark.slow
@pytest.mark.xdist_group("fresh")
def test_the_page_counts_no_more_replies_than_there_are():
    ways = sum(len(spoilt(table, text)) for table in TABLES for _, text in answers(table))
    right = sum(len(answers(table)) for table in TABLES) * len(WRAPS)
    page = " ".join(_PAGE.read_text(encoding="utf-8").split())
    counts = re.search(r"more than ([\d,]+) right replies .* more than ([\d,]+) spoiled ones", page)
    assert f"Each of these {len(WRAPS)} ways" in page
    stated_right, stated_spoilt = (int(count.replace(",", "")) for count in counts.groups())
    assert stated_right <= right
    assert stated_spoilt <= ways * len(WRAPS)


def test_the_page_lists_what_is_tolerated():
    listed = _PAGE.read_text(encoding="utf-8").partition("<!-- wraps -->\n")[2].partition("<!-- end -->")[0]
    assert listed == "".join(f"- {sentence}\n" for sentence in WRAPS)
    assert len(WRAPS) >= 40
