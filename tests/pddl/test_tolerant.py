"""Tolerant reading: sound domains whole, broken ones as far as they go, each fault with class and place."""

import random

import pytest

from orrery.corpus.repairs import repair
from orrery.model import Predicate, TypedName
from orrery.pddl.adl import Formula
from orrery.pddl.faults import DomainErrorClass, SourceText
from orrery.pddl.read import read_domain
from orrery.pddl.recover import recover
from orrery.pddl.subset import narrowed
from orrery.pddl.tolerant import joined, read_actions, read_adl
from orrery.pddl.tree import parse
from orrery.pddl.write import write_domain
from orrery.scoring.domains.alignment import prepare
from orrery.scoring.domains.component_f1 import components
from orrery.scoring.domains.evaluation import evaluate
from orrery.scoring.domains.findings import Flaw, findings
from tests.effort import by_day, grows_linearly, slow
from tests.every_domain import CATALOG, ROOT
from tests.pddl.nonsense import NAMES, nonsense
from tests.scoring.domains.lamps import LAMPS

E = DomainErrorClass


def test_a_sound_domain_has_no_fault_and_nothing_is_lost():
    domain = read_adl(LAMPS)
    assert (domain.name, domain.faults, domain.error_class) == ("lamps", (), None)
    assert domain.types == (TypedName("lamp", ("thing",)), TypedName("room", ("thing",)), TypedName("thing"))
    assert domain.constants == (TypedName("hall", ("room",)),)
    assert domain.functions == (Predicate("total-cost"),)
    assert list(domain.action_named) == ["switch-on", "move", "darken"]
    effects = domain.action_named["darken"].effects
    assert effects[1].variables == (TypedName("?k", ("lamp",)),)
    assert str(effects[1]) == "(forall (?k - lamp) (not (lit ?k)))"
    assert LAMPS.endswith(domain.text + "\n")


@pytest.mark.parametrize("name", CATALOG.names)
def test_our_domains_are_read_as_the_strict_reader_reads_them(name):
    text = (ROOT / "domains" / name / "domain.pddl").read_text()
    wide = read_adl(text)
    assert wide.faults == ()
    assert narrowed(wide, SourceText(text)) == read_domain(text)


# One thing wrong with LAMPS at a time: what is replaced, by what, and the class of the fault.
BROKEN = [
    ("(domain lamps)", "", E.UNDEFINED_DOMAIN_NAME),
    ("(domain lamps)", "(domain)", E.UNDEFINED_DOMAIN_NAME),
    ("(define (domain lamps)", "(domain lamps)", E.UNDEFINED_DOMAIN_NAME),
    ("(not (lit ?l)))\n", "(not (lit ?l))\n", E.INCORRECT_PARENTHESES),
    ("(not (lit ?l)))\n", "(not (lit ?l))))\n", E.INCORRECT_PARENTHESES),
    ("(not (lit ?l)))\n", "(not (lit ?l)) ())\n", E.INCORRECT_PARENTHESES),
    ("(dark))\n", "dark)\n", E.INCORRECT_PARENTHESES),
    ("(hangs-in ?l hall)", "(hangs-in ?l cellar)", E.UNDEFINED_CONSTANT),
    ("(hangs-in ?l hall)", "(hung ?l hall)", E.UNDEFINED_CONSTANT),
    (" :negative-preconditions", "", E.MISSING_REQUIREMENTS),
    (" :typing", "", E.MISSING_REQUIREMENTS),
    (" :conditional-effects", "", E.MISSING_REQUIREMENTS),
    (" :action-costs", "", E.MISSING_REQUIREMENTS),
    (" thing - object", "", E.UNDEFINED_TYPE),
    ("thing - object", "thing - lamp", E.UNDEFINED_TYPE),
    ("?from ?to - room", "?from ?to - chamber", E.UNDEFINED_TYPE),
    ("?r - room)\n    :pre", "?r -room)\n    :pre", E.UNDEFINED_TYPE),
    ("(:constants", "(:colours red) (:constants", E.UNSUPPORTED_FEATURE),
    (":effect (and (dark)", ":cause (dark) :effect (and (dark)", E.UNSUPPORTED_FEATURE),
    ("(lit ?l) (not (dark)) (inc", "(lit (brightest ?l)) (not (dark)) (inc", E.UNSUPPORTED_FEATURE),
    (":action-costs", ":action-costs :magic", E.UNSUPPORTED_FEATURE),
    ("(hangs-in ?l hall)", "(hangs-in hall ?l)", E.TYPE_MISMATCH),
    ("(hangs-in ?l hall)", "(hangs-in ?l)", E.TYPE_MISMATCH),
    ("(not (lit ?k))", "(not (lit ?m))", E.UNDEFINED_VARIABLE),
    ("(?l - lamp)\n", "(l - lamp)\n", E.UNDEFINED_VARIABLE),
    ("(dark))\n", "(dark) (dark))\n", E.DUPLICATE_DEFINITION),
    ("(:action darken", "(:action move", E.DUPLICATE_DEFINITION),
    ("lamp room - thing", "lamp lamp room - thing", E.DUPLICATE_DEFINITION),
    ("(?l - lamp ?r - room)\n    :pre", "(?l ?l - lamp ?r - room)\n    :pre", E.DUPLICATE_DEFINITION),
]


@pytest.mark.parametrize(("old", "new", "kind"), BROKEN)
def test_each_fault_has_its_class_and_the_rest_is_read(old, new, kind):
    text = LAMPS.replace(old, new, 1)
    assert text != LAMPS
    domain = read_adl(text)
    assert domain.error_class is kind, domain.faults
    fault = next(fault for fault in domain.faults if fault.kind is kind)
    assert fault.message
    assert fault.place.startswith("<domain>:")
    kept = {"switch-on", "move"} <= domain.action_named.keys()
    assert kept
    assert {"hangs-in", "lit"} <= {predicate.name for predicate in domain.predicates}
    assert domain.action_named["switch-on"].effects[-1].head == "increase"


def test_a_place_is_that_of_the_fault():
    fault = read_adl(LAMPS.replace("(hangs-in ?l hall)", "(hung ?l hall)")).faults[0]
    line = next(number for number, line in enumerate(LAMPS.splitlines(), 1) if "hangs-in ?l hall" in line)
    assert fault.place == f"<domain>:{line}:19"
    assert (
        str(fault)
        == f"<domain>:{line}:19: predicate 'hung' is not declared (add 'hung' to (:predicates ...))"
    )


@pytest.mark.parametrize(
    "around",
    [
        "Here you are :) (as asked):\n```pddl\n{}```\nI hope (really) that this helps!",
        "<think>(define (domain draft) (:action x :effect (y)))</think>\n{}",
        "<think>{}</think> That is it.",
        "First a draft: (define (domain draft) (:action x :effect (y)))\nbetter:\n{}\n1) done",
        "{}\nFor example: (define (problem p) (:domain lamps) (:init) (:goal (dark)))",
        "{}\nNote that (:types ...) holds the types.",
        "\ufeff{}",
    ],
)
def test_the_domain_is_found_in_a_reply(around):
    domain = read_adl(around.replace("{}", LAMPS))
    assert (domain.name, len(domain.actions), domain.faults) == ("lamps", 3, ())
    assert domain.text in LAMPS


def test_escapes_of_html_are_undone():
    domain = read_adl(LAMPS.replace("(", "&#40;").replace(")", "&rpar;"))
    assert (domain.faults, len(domain.actions)) == ((), 3)


@pytest.mark.parametrize(
    "text", ["", "no PDDL at all", ")))", "(((", "(define (problem p) (:domain d))", ";" * 99]
)
def test_where_there_is_no_domain_nothing_is_read(text):
    domain = read_adl(text)
    assert domain.empty
    assert domain.error_class is E.UNDEFINED_DOMAIN_NAME


def test_actions_alone_are_read_under_a_header():
    header, bodies = LAMPS.split("  (:action", 1)
    header += ")"
    reply = "Sure!\n\n(:action" + bodies.rstrip()[:-1] + "\nDone."
    found = read_actions(reply, header)
    assert found.faults == ()
    assert found.actions == read_adl(LAMPS).actions
    assert found.predicates == read_adl(LAMPS).predicates
    assert read_actions(LAMPS.replace("(lit ?l - lamp)", "(lid)"), header).actions == found.actions
    whole = read_adl(joined(header, found))
    assert (whole.faults, whole.actions, whole.name) == ((), found.actions, "lamps")
    assert read_actions("sorry", header).actions == ()
    assert read_actions("sorry", header).faults


def test_of_two_versions_of_an_action_the_last_is_meant():
    found = read_actions("Draft: (:action a :effect (dark))\nBetter: (:action a :effect (not (dark)))", LAMPS)
    assert [(a.name, str(a.effects[0])) for a in found.actions] == [("a", "(not (dark))")]
    assert found.faults == ()
    nameless = read_actions("(:action :effect (dark)) (:action :effect (dark))", LAMPS)
    assert nameless.error_class is E.INCORRECT_PARENTHESES


FIRST = LAMPS.index("  (:action")
PIECES = f"First:\n```\n{LAMPS[:FIRST].rstrip()})\n```\nThen:\n```\n{LAMPS[FIRST:].rstrip()[:-1]}\n```"


def test_a_domain_may_be_written_in_pieces():
    found = read_adl(PIECES)
    assert (found.name, found.predicates, found.actions) == (
        "lamps",
        read_adl(LAMPS).predicates,
        read_adl(LAMPS).actions,
    )
    assert found.faults == ()


@pytest.mark.parametrize("read", [read_adl, lambda text: read_actions(text, LAMPS)])
def test_an_action_below_a_domain_replaces_its_action_unless_it_is_only_mentioned(read):
    better = "(:action darken :parameters (?l - lamp) :precondition (lit ?l) :effect (dark))"
    for below in (f"Better:\n```\n{better}\n```", f"Wait.\n\n{better}"):
        found = read(f"{LAMPS}\n{below}")
        assert found.action_named["darken"].effects == (Formula("dark"),)
        assert list(found.action_named) == ["switch-on", "move", "darken"]
        assert not any(fault.lost for fault in found.faults)
    for mention in ("(:action darken)", "(:action darken :parameters (?l) ...)", "(:action darken [...])"):
        assert read(f"{LAMPS}\nThe action `{mention}` ends it.").actions == read(LAMPS).actions
    assert read(f"{LAMPS}\nBetter: (:action dark").actions != read(LAMPS).actions


CHANGES = [
    "Wait, darken should not need (hangs-in ?l hall).",
    "Actually, the effect of `move` has to include dark().",
    "**Correction:** remove `(lit ?l)`.",
    "(:predicates (hangs-in ?l - lamp ?r - room) (lit ?l - lamp))",
    "Corrected:\n```\n(:types lamp - object)\n```",
    "Better:\n```\n(define (domain lamps) (:predicates (dark)",
]


@pytest.mark.parametrize("below", CHANGES)
def test_text_below_that_changes_a_domain_is_a_fault(below):
    faults = read_adl(f"```\n{LAMPS}```\n\n{below}").faults
    assert [fault.lost for fault in faults] == [True]
    assert "below changes the domain" in faults[0].message


@pytest.mark.parametrize(
    "below",
    [
        "Don't forget `:typing` (see the requirements). Actually, that is all.",
        "Note: (:predicates ...) are predicates, (:types) the types, and (:functions [names]) the rest.",
        f"Again: `{LAMPS[LAMPS.index('(:predicates') : LAMPS.index('(:functions')].strip()}`",
        "(define (problem p) (:domain lamps) (:objects l - lamp) (:init (dark)) (:goal (lit l)))",
    ],
)
def test_other_text_below_a_domain_is_none(below):
    assert read_adl(f"{LAMPS}\n\n{below}").faults == ()


def test_a_word_of_the_domain_begins_no_correction():
    text = LAMPS.replace("darken", "wait")
    assert read_adl(f"{text}\n\nActions:\n- wait: makes it (dark)").faults == ()


def test_stubs_of_a_header_give_way():
    header = LAMPS[: LAMPS.index("  (:action")] + "(:action switch-on) (:action move :parameters ()))"
    found = read_actions(LAMPS, header)
    whole = read_adl(joined(header, found))
    assert (whole.faults, whole.actions) == ((), read_adl(LAMPS).actions)


def test_actions_of_a_fragment_are_mended_too():
    found = read_actions(
        "(:action a :parameters (?l - lamp)) :effect (lit ?l)) (:action b :effect (dark)", LAMPS
    )
    assert [(a.name, a.effects) for a in found.actions] == [
        ("a", (Formula("lit", ("?l",)),)),
        ("b", (Formula("dark"),)),
    ]
    assert found.error_class is E.INCORRECT_PARENTHESES


@by_day(3)
@pytest.mark.parametrize("seed", range(6))
def test_no_damage_raises_and_sound_text_is_its_own_tree(seed):
    rng = random.Random(seed)
    assert recover(SourceText(LAMPS)).lists == (parse(SourceText(LAMPS)),)
    assert recover(SourceText(LAMPS)).mended == ()
    for _ in range(60):
        text = LAMPS
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(text))
            piece = rng.choice(
                ["", "(", ")", "((", "))", " - ", ":effect", "(:action ", "?x", "define", "```", "\0"]
            )
            text = text[:at] + piece + text[at + rng.randint(0, 5) :]
        domain = read_adl(text)
        assert domain.faults or domain == read_adl(text)
        read_actions(text, LAMPS)
        prepared = [prepare(action) for action in domain.actions]
        assert len(prepared) == len(domain.actions)


@pytest.mark.parametrize("seed", range(4))
def test_a_lost_parenthesis_costs_one_action_at_most(seed):
    rng = random.Random(seed)
    whole = read_adl(write_domain(read_domain((ROOT / "domains/gripper/domain.pddl").read_text())))
    for _ in range(20):
        places = [i for i, c in enumerate(whole.text) if c in "()" and i > whole.text.index("(:action")]
        at = rng.choice(places)
        domain = read_adl(whole.text[:at] + whole.text[at + 1 :])
        right = sum(domain.action_named.get(action.name) == action for action in whole.actions)
        assert right >= len(whole.actions) - 1


def few_faults(text):
    domain = read_adl(text)
    assert len(domain.faults) <= 20 * len(DomainErrorClass)


@slow
@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_nonsense_takes_time_in_proportion_to_its_length(number):
    assert grows_linearly(few_faults, nonsense(50_000)[number], nonsense(200_000)[number])


DERIVED = """(define (domain d) (:requirements :derived-predicates :disjunctive-preconditions :typing)
  (:types block) (:predicates (on ?x ?y - block) (above ?x ?y - block))
  (:derived (above {0} {1}) (or (on {0} {1}) (above {1} {0}))))"""


def test_derived_predicates_are_read():
    domain = read_adl(DERIVED.format("?x", "?y"))
    assert domain.faults == ()
    assert domain.other[0].variables == (TypedName("?x"), TypedName("?y"))
    same, other = (
        read_adl(DERIVED.format("?u", "?v")),
        read_adl(DERIVED.format("?x", "?y").replace("on ?x", "on ?y")),
    )
    assert findings(same, domain, components(same, domain)) == ()
    assert {f.kind for f in findings(other, domain, components(other, domain))} == {
        Flaw.MISSING_PREDICATE,
        Flaw.EXTRA_PREDICATE,
    }
    assert read_adl(DERIVED.format("?x", "?y").replace("(above {0}", "above")).actions == ()


WORDS = [
    *("(", ")") * 12,
    *("(:action", "(:durative-action", "(:derived", "(:types", "(:predicates", "(:functions", "(:constants"),
    *(
        ":parameters",
        ":precondition",
        ":effect",
        ":condition",
        ":duration",
        "(define",
        "(domain",
        "(:requirements",
    ),
    *(
        "and",
        "or",
        "not",
        "imply",
        "when",
        "forall",
        "exists",
        "increase",
        "=",
        "<",
        "at",
        "start",
        "over",
        "all",
    ),
    *(
        "?x",
        "?y",
        "-",
        "p",
        "q",
        "either",
        "5",
        "object",
        "-b",
        "a-",
        ":strips",
        "oneof",
        "probabilistic",
        "?",
    ),
]


@slow
@pytest.mark.parametrize("seed", range(4))
def test_no_order_of_words_raises(seed):
    rng = random.Random(f"words {seed}")
    for _ in range(300):
        text = " ".join(rng.choices(WORDS, k=rng.randint(1, 60)))
        text = rng.choice(["", "(define (domain d) ", "(define (domain d) (:action a :effect "]) + text
        evaluation = evaluate(text, {"gold_domain": LAMPS})
        assert evaluation.equal is False
        assert 0 <= evaluation.components.effects.f1 <= 1
        other = evaluate(LAMPS, {"gold_domain": text})
        assert other.equal is False
        repair(text)


def test_durative_actions_are_read():
    text = """(define (domain d) (:requirements :durative-actions :typing) (:predicates (p ?x) (q ?x))
      (:durative-action a :parameters (?x) :duration (= ?duration 5)
        :condition (and (at start (p ?x)) (over all (q ?x))) :effect (at end (not (p ?x)))))"""
    domain = read_adl(text)
    assert domain.faults == ()
    assert [formula.head for formula in domain.actions[0].preconditions] == [
        ":duration",
        "at start",
        "over all",
    ]
