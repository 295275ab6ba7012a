"""Executable domains: sound by our check, and accepted by Fast Downward's translator.

Every declaration of domains is doubled and removed; the kind of change determines the verdict and the class.
"""

from collections import Counter
from dataclasses import replace

import pytest

from orrery.pddl.faults import DomainErrorClass
from orrery.pddl.tolerant import read_adl
from orrery.planning.external_parsers import PDDL, TRANSLATOR, UNIFIED_PLANNING, ParserVerdict, verdicts
from orrery.scoring.domains.columns import columns_of
from orrery.scoring.domains.evaluation import EvaluationOptions, evaluate, evaluate_all
from tests.composition.compositions import COMPOSITIONS, kept
from tests.every_domain import ROOT
from tests.scoring.domains.declarations import mutants
from tests.scoring.domains.lamps import LAMPS

E = DomainErrorClass
HERE = (PDDL, UNIFIED_PLANNING, TRANSLATOR)
OURS = [path.parent.name for path in sorted(ROOT.glob("domains/*/domain.pddl"))]


def text_of(name):
    return LAMPS if name == "lamps" else (ROOT / "domains" / name / "domain.pddl").read_text()


def check(text):
    """Our check gives every mutant the class of its change; the text itself has no fault."""
    assert not read_adl(text).faults
    changed = list(mutants(text))
    read = {mutant.change: (mutant.kind, read_adl(mutant.text).error_class) for mutant in changed}
    assert {change: pair for change, pair in read.items() if pair[0] != pair[1]} == {}
    return Counter(mutant.kind for mutant in changed)


def test_all_kinds_of_changes_occur_and_have_their_classes():
    kinds = check(LAMPS)
    expected = {E.DUPLICATE_DEFINITION, E.UNDEFINED_TYPE, E.UNDEFINED_CONSTANT, E.UNDEFINED_VARIABLE}
    assert set(kinds) == {*expected, E.MISSING_REQUIREMENTS, None}


@pytest.mark.parametrize("name", OURS)
def test_changes_of_our_domains_have_their_classes(name):
    check(text_of(name))


@pytest.mark.slow
@pytest.mark.parametrize("index", COMPOSITIONS)
def test_changes_of_composed_domains_have_their_classes(index):
    check(kept(index).row["gold_domain"])


@pytest.mark.slow
def test_no_other_parser_refuses_all_changes_that_our_check_refuses():
    """The translator checks neither doubled names nor types nor requirements; the others do so in part."""
    changed = list(mutants(LAMPS))
    answers = verdicts([mutant.text for mutant in changed], HERE)
    accepted = {
        parser: {mutant.kind for mutant, read in zip(changed, answers, strict=True) if read[parser].accepted}
        for parser in HERE
    }
    assert {E.DUPLICATE_DEFINITION, E.UNDEFINED_TYPE, E.MISSING_REQUIREMENTS} <= accepted[TRANSLATOR]
    assert all(kinds > {None} for kinds in accepted.values())
    harmless = [read for mutant, read in zip(changed, answers, strict=True) if mutant.kind is None]
    assert harmless
    assert all(read[TRANSLATOR].accepted for read in harmless)


def figures(reply, parsers=HERE):
    row = {"gold_domain": LAMPS, "problems": []}
    [evaluation] = evaluate_all([(reply, row)], EvaluationOptions(parsers, solve=False))
    columns = columns_of(row, evaluation)
    names = ("executable", "accepted_orrery", "accepted_by_some", "error_class")
    return tuple(columns[name] for name in names)


TWICE = LAMPS.replace("(dark))\n", "(dark) (lit ?l - lamp))\n", 1)
NUMERIC = LAMPS.replace("(:requirements", "(:requirements :numeric-fluents")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (LAMPS, (True, True, True, "")),
        (f"Here it is:\n```pddl\n{LAMPS}```", (True, True, True, "")),
        (TWICE, (False, False, True, "DuplicateDefinition")),
        (NUMERIC, (False, True, True, "UnsupportedFeature")),
        ("I cannot do that.", (False, False, False, "Unparsable")),
    ],
)
def test_a_domain_is_executable_if_our_check_and_the_translator_accept_it(reply, expected):
    assert figures(reply) == expected


@pytest.mark.parametrize(
    "verdicts_read",
    [
        {},
        {PDDL: ParserVerdict(PDDL, True)},
        {TRANSLATOR: ParserVerdict(TRANSLATOR, None, installed=False)},
    ],
)
@pytest.mark.parametrize(("reply", "kind"), [(LAMPS, ""), (TWICE, "DuplicateDefinition")])
def test_without_the_translator_no_domain_has_a_verdict_but_faults_have_a_class(verdicts_read, reply, kind):
    evaluation = replace(evaluate(reply, {"gold_domain": LAMPS}), verdicts=verdicts_read)
    assert (evaluation.executable, evaluation.error_class) == (None, kind)
    assert evaluation.sound is not bool(kind)


def test_a_limit_of_the_translator_leaves_only_sound_domains_undecided():
    late = {TRANSLATOR: ParserVerdict(TRANSLATOR, None, "stopped")}
    read = [replace(evaluate(reply, {"gold_domain": LAMPS}), verdicts=late) for reply in (LAMPS, TWICE)]
    assert [evaluation.executable for evaluation in read] == [None, False]
