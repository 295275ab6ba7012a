"""The words of the questions: grammar, and that a context says all that an answer needs, and nothing else."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from orrery.checks.reading.contexts import ContextReader
from orrery.families.questions.context import FORMAL, PROSE, STYLES, context_of
from orrery.families.questions.kinds import question_kinds
from orrery.families.questions.state_record import StateRecord
from orrery.language.words import Words
from orrery.planning.execution import types_of_objects
from orrery.planning.grounding import ground
from tests.effort import by_day
from tests.families.questions.asked_rows import ask_open

KINDS = question_kinds()
MAY_BE_NONE = ("app", "areach", "land", "prog", "reach")
WRONG = re.compile(r"  |[ (][.,;:)]|[.,;:]{2}|[{}]|\( |\ba a\b|\bthe the\b|\band and\b")
SHARED = re.compile(r"for every ([^:]*): ([^.]*)\.", re.IGNORECASE)


def texts(cases, kind, seeds=12):
    for case, seed in product(cases[::3], range(seeds)):
        row = ask_open(KINDS[kind], case.item, case.words, random.Random(seed))
        if isinstance(row, dict):
            yield case, row


def is_whole(line, names, endings):
    """Whether a line begins with a capital or a name, ends, and closes its parentheses."""
    begins = not line or line[0].isupper() or line[0] in "(0123456789" or line.split()[0] in names
    return begins and line[-1:] in endings and line.count("(") == line.count(")")


@by_day(2)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_grammar(cases_made, kind):
    seen = 0
    for case, row in texts(cases_made, kind):
        seen += 1
        sequence = " ".join(row.get("sequence") or row.get("plan") or ["nothing"])
        names = {*types_of_objects(case.item.domain, case.item.problem)}
        for line in (row["context"] + "\n" + row["question"]).splitlines():
            assert not WRONG.search(line.replace("...", "x")), line
            assert line == line.strip()
            assert is_whole(line.removesuffix(sequence).strip(), names, ".:?"), line
    assert seen >= 20


def test_fixed_facts_are_ruled_out_as_unreachable_even_where_only_pddl_is_reported(cases_made):
    rows = [row for _, row in texts(cases_made, "reach")]
    for row in rows:
        for question in (row["question"], row["question_pddl"]):
            assert re.search("of a kind that (no|some) action (makes|can make) true", question), question
    assert len({row["question_pddl"] for row in rows}) >= 12


@by_day(2)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_there_are_three_phrasings_or_more(cases_made, kind):
    case = next(case for case, _ in texts(cases_made, kind, 1))
    questions = {
        ask_open(KINDS[kind], case.item, case.words, random.Random(seed))["question"] for seed in range(60)
    }
    first = {question.splitlines()[0].split("(")[0].split(" to ")[0] for question in questions}
    assert len(first) >= 3
    assert all("`ANSWER:" in question for question in questions)
    assert all(("None" in question) == (kind in MAY_BE_NONE) for question in questions)


def in_style(style, case):
    return replace(context_of(case.item, case.words), style=style)


def expanded(text: str) -> str:
    """The text with what is said of several objects together said of each alone."""

    def each(match: re.Match[str]) -> str:
        ranges = [part.split(" among ") for part in match[1].split(" and every ")]
        variables = [variable for variable, _ in ranges]
        text = ""
        for names in product(*(re.split(r", | and ", names) for _, names in ranges)):
            rendered = match[2]
            for variable, name in zip(variables, names, strict=True):
                rendered = re.sub(rf"{re.escape(variable)}(?![\w-])", name, rendered)
            text += rendered + ". "
        return text

    return SHARED.sub(each, text)


def says(text: str, clause: str) -> bool:
    pattern = rf"(?<![\w-]){re.escape(clause)}(?![\w-])"
    return re.search(pattern, text, re.IGNORECASE) is not None


def faults_of(context, kind):
    """What the check sees wrong in a context, or in what the context holds out."""
    item = context.record
    reader = ContextReader(context.words, item.domain)
    rendered, steps = context.rendered(kind), tuple(ground(item.domain, item.problem).action_of)
    read = reader.check(rendered.text, kind, item.problem, steps, style=context.style)
    return [*read.faults, *(["held out"] * (read.held_out != rendered.held_out))]


@by_day(4)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_check_reads_every_context_back(cases_made, kind, style):
    for case in cases_made:
        assert faults_of(in_style(style, case), kind) == []


def test_prose_has_no_variables_and_is_shorter(cases_made):
    for case in cases_made[::3]:
        for kind in KINDS:
            prose, formal = (in_style(style, case).rendered(kind).text for style in (PROSE, FORMAL))
            assert "?" not in prose, prose
            assert len(prose) < len(formal)


def test_questions_that_offer_their_answers_do_not_say_how_one_is_written(cases_made):
    context = in_style(PROSE, cases_made[0])
    assert "(" in context.rendered("app").text.splitlines()[-1]
    assert context.rendered("app").text.startswith(context.rendered("app", answered=True).text)
    assert (
        "\n" + context.rendered("app", answered=True).text.splitlines()[-1]
        != context.rendered("app").text.splitlines()[-1]
    )


def test_most_states_are_told_in_prose(cases_made):
    styles = [
        context_of(StateRecord(case.item.domain, case.item.problem, f"p{number}"), case.words).style
        for number in range(100)
        for case in cases_made[:1]
    ]
    assert 60 <= styles.count(PROSE) <= 90


def test_rules_name_negative_conditions_and_inequality(cases_made):
    case = next(case for case in cases_made if case.item.domain.name == "relay")
    text = in_style(FORMAL, case).rendered("app").text
    (rule,) = (line for line in text.splitlines() if line.startswith("(pass "))
    assert "it is not the case that ?b carries ?o" in rule
    assert "?a and ?b are different" in rule


def test_nothing_is_said_of_repeated_arguments_where_types_differ(cases_made):
    case = next(case for case in cases_made if case.item.domain.name == "relay")
    context = context_of(case.item, case.words)
    assert context.actions_may_repeat
    assert context.facts_may_repeat
    domain = case.item.domain
    actions_left = [action for action in domain.actions if action.name in ("soak", "wait")]
    item = StateRecord(replace(domain, actions=tuple(actions_left)), case.item.problem, "x")
    context = context_of(item, case.words)
    assert not context.actions_may_repeat
    assert not context.facts_may_repeat
    assert not context.adds_win


def test_untyped_domains_say_that_any_object_fits_a_proposition(cases_made):
    """Facts like (at g1 b2) count there, so a reader must know, and nowhere else."""
    texts_by_sign = {True: set(), False: set()}
    for case, row in texts(cases_made, "reach"):
        typed = any(p.types != ("object",) for q in case.item.domain.predicates for p in q.parameters)
        texts_by_sign[typed].add(row["question"].splitlines()[1])
    assert texts_by_sign[True]
    assert texts_by_sign[False]
    assert not texts_by_sign[True] & texts_by_sign[False]


def test_facts_stated_together_come_in_the_order_of_what_they_share(cases_made):
    case = next(case for case in cases_made if case.item.domain.name == "relay")
    places = [f"p{i}" for i in range(1, 13)]
    roads = [("road", p, q) for p in places for q in places if p != q]
    rendered = context_of(case.item, case.words)._about(roads)
    assert [re.findall(r"from (\S+) to (\S+)\.", text)[0] for text in rendered] == [(p, "?q") for p in places]


def test_one_wording_throughout(cases_made):
    """A clause of the goal that holds already is found word for word in the state."""
    matched = 0
    for case, _ in texts(cases_made, "land"):
        context = context_of(case.item, case.words)
        rendered = expanded(in_style(FORMAL, case).rendered("land").text)
        for fact in case.item.problem.goal_facts & case.item.problem.init:
            wordings = {case.words.fact(fact, v) for v in range(case.words.variants("fact", fact[0]))}
            used = [wording for wording in wordings if says(rendered, wording)]
            assert len(used) == 1
            matched += 1
        assert context.goal
    assert matched


@pytest.mark.parametrize("path", sorted((Path(__file__).parents[3] / "templates" / "domains").glob("*.j2")))
def test_words_of_every_domain_take_variables(path):
    """Rules are worded with ?x for objects, so no macro may compute with its arguments."""
    words = Words(path.stem, path.parents[1])
    for name, macro in words.macros.items():
        if name.startswith(("fact_", "action_")):
            kind, _, symbol = name.partition("_")
            variables = [f"?x{i}" for i in range(len(macro.arguments) - 1)]
            for variant in range(words.variants(kind, symbol)):
                sentence = words.say(kind, symbol, *variables, variant=variant)
                assert all(variable in sentence for variable in variables), (name, sentence)
