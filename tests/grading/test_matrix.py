"""Every way of writing a right answer is right in every table; no way of spoiling it is, in any of them."""

from __future__ import annotations

import re
from collections import Counter

import pytest

import orrery
from orrery.library.fresh_rows import makers
from tests.every_domain import ROOT
from tests.grading.wraps import WRAPS
from tests.library.samples import fresh
from tests.scoring.scorers.test_domains import actions, domain_text, header

FEW = 2
_ITEM = re.compile(r"\([^()]+\)")
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


def of_items(text):
    """Ways of spoiling an answer with items in parentheses: each makes it wrong, or no answer."""
    items = list(dict.fromkeys(_ITEM.findall(text)))
    end = text.rindex(")") + 1
    begin = text.index("(")
    for made_up in (
        *("(fly x y)", "(teleport b1)", "(at-robot)", "(do-nothing zork0)", "(zork0 b1 b2)", "(go_home x1)"),
        *(f"({items[0].strip('()').split()[0]} zork{n} zork{n})" for n in range(4)),
        *(f"{item[:-1]} zork0)" for item in items[:3]),
        *(f"{item[:-1]} {item[1:-1]})" for item in items[:3]),
    ):
        for joint in (" ", ", ", "\n"):
            yield f"with {made_up}", f"{text[:end]}{joint}{made_up}{text[end:]}"
        yield f"after {made_up}", f"{text[:begin]}{made_up} {text[begin:]}"
    for item in items[:4]:
        for changed in (item.replace("(", "(re"), item.replace(")", "9)"), item.replace(")", " and more)")):
            yield f"{item} is {changed}", text.replace(item, changed)


WORDS = {
    "yes": ["no", "not yes", "yes or no", "maybe", "yes and no", "neither", "", "unknown", "yes / no", "ye"],
    "no": ["yes", "not no", "yes or no", "maybe", "no and yes", "neither", "", "unknown", "no / yes", "n0t"],
}


def of_words(answer):
    """Ways of spoiling an answer of one word."""
    if answer in WORDS:
        yield from ((word, f"ANSWER: {word}") for word in WORDS[answer])
    elif answer.isdigit():
        number = int(answer)
        others = [number + 1, number + 10, f"-{number}", f"{number}.5", f"{number} or {number + 1}"]
        others += [
            f"not {number}",
            f"1{number}",
            f"{number}0",
            "",
            "none",
            "the last",
            f"{number}, {number + 1}",
        ]
        yield from ((str(other), f"ANSWER: {other}") for other in others)
    elif len(answer) == 1:
        others = [letter for letter in "ABCDE" if letter != answer]
        said = (
            *others,
            *(f"{answer} or {other}" for other in others),
            *(f"{answer} and {o}" for o in others),
        )
        yield from ((word, f"ANSWER: {word}") for word in (*said, f"not {answer}", "", "none of them", "all"))


def of_pddl(text):
    """Ways of spoiling a problem, actions or a domain. A fact that follows from others may be left out."""
    yield "cut off", text[: len(text) // 2]
    yield "empty", "(define (problem p))"
    for item in list(dict.fromkeys(_ITEM.findall(text)))[4:40]:
        if not item.startswith(("(:", "(domain", "(problem")):
            yield f"{item} is renamed", text.replace(item, item.replace("(", "(re", 1), 1)
            yield f"{item} has more", text.replace(item, item.replace(")", " b1)", 1), 1)
            yield f"{item} is made up", text.replace(item, f"{item} (fly x y)", 1)


def spoiled(table, text):
    if table == "text_to_pddl" or table.endswith("_modeling"):
        return of_pddl(text)
    return of_items(text) if "(" in text else of_words(text.removeprefix("ANSWER: "))


TABLES = [*makers(), "action_modeling", "domain_modeling"]


@pytest.mark.slow
@pytest.mark.xdist_group("fresh")
@pytest.mark.parametrize("table", TABLES)
def test_each_wrapping_is_read_and_no_spoiled_answer_is_right(table):
    rejected, passed, tried = [], [], Counter()
    for number, (row, text) in enumerate(answers(table)):
        for wrap, write in WRAPS.items():
            tried["right"] += 1
            score = orrery.score(write(text), row, table)
            if score.verdict != "right":
                rejected.append((number, wrap, score.verdict, score.detail))
        ways = list(dict(spoiled(table, text)).items())
        for place, (way, changed) in enumerate(ways):
            # All ways alone, and each in some of the wrappings.
            for wrap in ("The answer stands alone.", *list(WRAPS)[place % 7 :: 7]):
                tried["spoiled"] += 1
                if orrery.score(WRAPS[wrap](changed), row, table).verdict == "right":
                    passed.append((number, way, wrap))
    print(table, dict(tried), len(rejected), len(passed))
    assert passed == []
    assert len(rejected) <= tried["right"] // 200, rejected


def test_the_page_lists_what_is_tolerated():
    listed = _PAGE.read_text(encoding="utf-8").partition("<!-- wraps -->\n")[2].partition("<!-- end -->")[0]
    assert listed == "".join(f"- {sentence}\n" for sentence in WRAPS)
    assert len(WRAPS) >= 40
