"""Error classes computed from the comparison; the golden file holds what the scorer says of each."""

import json
import re

import pytest

from orrery.pddl.tolerant import read_adl
from orrery.scoring.domains.component_f1 import components
from orrery.scoring.domains.domain_equality import same_but_for_names
from orrery.scoring.domains.evaluation import evaluate
from orrery.scoring.domains.findings import Flaw, findings
from orrery.scoring.scorers.domains import SCORER
from tests.every_domain import CATALOG, ROOT
from tests.scoring.domains.lamps import LAMPS
from tests.scoring.domains.wrong_predictions import GOLDEN, WRONG, prediction, said

GOLD = read_adl(LAMPS)
SAYS = {row["prediction"]: row for row in map(json.loads, GOLDEN.read_text().splitlines())}


@pytest.mark.parametrize("name", WRONG)
def test_what_the_scorer_says_of_each_wrong_prediction(name):
    assert said(name) == SAYS[name]


@pytest.mark.parametrize("kind", [kind for kind in Flaw if kind not in (Flaw.GOOD_PLAN, Flaw.BAD_PLAN)])
def test_each_class_is_found_where_it_was_put(kind):
    assert any(line.startswith(f"{kind}: ") for line in SAYS[kind]["findings"])


def test_the_right_domain_has_no_error():
    assert findings(GOLD, GOLD, components(GOLD, GOLD)) == ()
    assert not same_but_for_names(GOLD, read_adl(prediction("missing effect")))


@pytest.mark.parametrize("name", CATALOG.names)
def test_new_names_are_a_surface_divergence_and_nothing_else_is(name):
    text = (ROOT / "domains" / name / "domain.pddl").read_text()
    gold = read_adl(text)
    symbols = [
        *(t.name for t in gold.types),
        *(p.name for p in gold.predicates),
        *(a.name for a in gold.actions),
    ]
    renamed = gold.text
    for symbol in sorted(set(symbols), key=len, reverse=True):
        renamed = "".join(
            f"new-{part}" if part.lower() == symbol else part for part in re.split(r"([() \n\t;?])", renamed)
        )
    renamed_domain = read_adl(renamed)
    assert renamed_domain.predicates != gold.predicates
    assert same_but_for_names(renamed_domain, gold)
    flaws = findings(renamed_domain, gold, components(renamed_domain, gold))
    assert [finding.kind for finding in flaws] == [Flaw.SURFACE_DIVERGENCE]
    first = renamed_domain.actions[0]
    mutant = read_adl(renamed.replace(str(first.effects[0]), "", 1))
    assert not same_but_for_names(mutant, gold)


def test_names_that_are_joined_differently_are_no_mere_divergence():
    straight = read_adl(
        "(define (domain d) (:predicates (p ?x ?y)) (:action a :parameters (?x ?y) :effect (p ?x ?y)))"
    )
    twisted = read_adl(
        "(define (domain d) (:predicates (q ?x ?y)) (:action a :parameters (?x ?y) :effect (q ?x ?x)))"
    )
    assert not same_but_for_names(straight, twisted)
    same = read_adl(
        "(define (domain d) (:predicates (q ?x ?y)) (:action b :parameters (?u ?v) :effect (q ?v ?u)))"
    )
    assert same_but_for_names(straight, same)


def test_a_cost_keeps_its_name():
    assert not same_but_for_names(GOLD, read_adl(LAMPS.replace("total-cost", "fuel")))
    assert not same_but_for_names(GOLD, read_adl(LAMPS.replace("total-cost) 1", "total-cost) 2")))


# Text that is in no domain: changes of the right one that leave all that is read as it is.
LOST = {
    "cut off": LAMPS.rstrip()[:-1],
    "cut off in a fence": f"```\n{LAMPS.rstrip()[:-2]}\n```",
    "an unknown section": LAMPS.replace("(:functions", "(:colours (red)) (:functions"),
    "an unknown keyword": LAMPS.replace(":effect (and (dark)", ":cause (lit ?l) :effect (and (dark)"),
    "a nameless list": LAMPS.replace("(dark))\n", "(dark) ((lit ?l)))\n"),
    "an action twice": LAMPS.rstrip()[:-1] + "(:action move :effect (dark)))",
    "a predicate twice": LAMPS.replace("(dark))\n", "(dark) (dark ?l))\n"),
    "a type twice": LAMPS.replace("(:constants", "(:types lamp - room) (:constants"),
    "two conditions of one not": LAMPS.replace("(not (lit ?l)))", "(not (lit ?l) (dark)))"),
    "commas": LAMPS.replace("(lit ?l) (not", "(lit ?l), (not"),
    "a correction below": f"{LAMPS}\nWait, darken needs (lit ?l).",
}  # fmt: skip


@pytest.mark.parametrize("way", LOST)
def test_a_domain_with_text_that_is_lost_is_not_right(way):
    row = {"gold_domain": LAMPS}
    assert LOST[way] != LAMPS
    assert evaluate(LAMPS, row).equal is True
    assert evaluate(LOST[way], row).equal is False
    assert SCORER().score(LOST[way], row).verdict == "unparsed"
    assert evaluate(LOST[way], {"gold_domain": LOST[way]}).unread == ""


@pytest.mark.parametrize(
    "text",
    [
        LAMPS + ")",
        LAMPS.replace("(dark))\n", "(dark) (dark))\n"),
        LAMPS.replace(":effect (and (dark)", ":effects (and (dark)"),
        LAMPS.replace(" :typing", ""),
    ],
)
def test_a_fault_that_loses_nothing_leaves_the_domain_right(text):
    assert text != LAMPS
    assert evaluate(text, {"gold_domain": LAMPS}).equal is True
