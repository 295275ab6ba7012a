"""The documentation states the rules by which replies are read; each has cases that test it."""

from __future__ import annotations

import pytest

from orrery.grading import grade
from tests.every_domain import ROOT
from tests.grading.rules import RULES, Rule, table
from tests.grading.samples import rows_of

PAGE = ROOT / "docs" / "score-predictions.md"
CASES = [(rule, *case) for rule in RULES for case in rule.cases]


@pytest.mark.parametrize(("rule", "name", "reply", "verdict"), CASES)
def test_each_case_of_a_rule_has_its_verdict(rule: Rule, name: str, reply: str, verdict: str) -> None:
    for row in rows_of(name):
        assert grade(reply, row).verdict == verdict, (rule.sentence, reply[-200:])


def test_each_rule_has_a_right_reply_and_another_and_names_a_file_with_more_cases():
    for rule in RULES:
        verdicts = {verdict for _, _, verdict in rule.cases}
        assert "right" in verdicts, rule.sentence
        assert len(verdicts) > 1, rule.sentence
        assert (ROOT / "tests/grading" / rule.tests).is_file()


def test_the_page_has_the_rules_that_are_tested_and_no_others():
    section = PAGE.read_text(encoding="utf-8").partition("## What is tolerated")[2].partition("\n## ")[0]
    before, _, rest = section.partition("<!-- rules -->\n")
    listed, _, after = rest.partition("<!-- end of rules -->\n")
    assert listed == table(), "write what tests.grading.rules.table() returns into the page"
    assert "\n|" not in before + after
