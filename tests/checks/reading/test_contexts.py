"""Contexts and questions as models read them: those of a build are read whole, any other word is seen."""

import random
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise, product

import pytest

from orrery.catalog import SPLITS
from orrery.checks.questions.columns import format_of, read
from orrery.checks.questions.words_read_back import QuestionReader
from orrery.checks.reading.contexts import ContextReader
from orrery.families.questions.context import STYLES, context_of
from orrery.families.questions.state_record import StateRecord
from orrery.planning.grounding import ground
from tests.effort import slow, some
from tests.every_domain import CATALOG, difficulties, drawn, entry, words
from tests.tables import PUBLISHED

WORD = re.compile(r"[\w?-]+")


@cache
def reader(name):
    return ContextReader(words(name), entry(name).domain)


@cache
def question_reader(name):
    return QuestionReader(words(name), entry(name).domain)


@pytest.fixture(scope="module")
def asked(rows):
    """A row of every domain, kind and format."""
    found = {}
    for table in (name for name in PUBLISHED if name.startswith("acp_")):
        for row in rows[table]:
            found.setdefault((row["domain"], row["kind"], format_of(row)), row)
    return list(found.values())


@cache
def read_problem_of(row_id, domain_pddl, problem_pddl):
    """The problem of a row and its ground actions."""
    domain, problem = read({"id": row_id, "PDDL_domain": domain_pddl, "PDDL_problem": problem_pddl})
    return problem, tuple(ground(domain, problem).action_of)


def faults(row, context):
    problem, steps = read_problem_of(row["id"], row["PDDL_domain"], row["PDDL_problem"])
    answered = format_of(row) != "gen"
    read = reader(row["domain"]).check(
        context, row["kind"], problem, steps, style=row["style"], answered=answered
    )
    return read.faults_of(row)


@slow
def test_another_word_on_what_is_held_out_is_seen(asked):
    for row in asked:
        other = {**row, "unseen_templates": 1 - row["unseen_templates"]}
        assert any("unseen_templates" in fault for fault in faults(other, row["context"])), row["id"]


def contexts_of(name, split, count):
    """Contexts of drawn problems of a split, with the problems and their ground actions."""
    tasks, level = entry(name).tasks, difficulties(name)[0]
    for number in range(count):
        made = drawn(name, tasks[number % len(tasks)], level, number)
        if made is not None:
            problem = made.problem
            item = StateRecord(entry(name).domain, problem, f"{name}/{split}/{number:06d}")
            yield context_of(item, words(name)), problem, tuple(ground(entry(name).domain, problem).action_of)


@slow
@pytest.mark.parametrize("name", CATALOG.names)
def test_what_is_held_out_is_said_in_test_splits_alone_and_read_back(name):
    found = {split: set() for split in SPLITS}
    for split in SPLITS:
        for context, problem, steps in contexts_of(name, split, 6):
            for style, answered in product(STYLES, (False, True)):
                said = replace(context, style=style).rendered("nexta", answered=answered)
                read = reader(name).check(said.text, "nexta", problem, steps, style=style, answered=answered)
                assert read == ([], said.held_out), said.text
                found[split].add(said.held_out)
    assert found == {"train": {False}, "validation": {False}, "test": {False, True}}


LISTED = ("world", "goal", "propositions", "rules")  # the parts of prose where a reply names conditions


def lessened(domain):
    """The domain with an action that lacks a condition or an effect, in every way."""
    for action in domain.actions:
        for name in ("preconditions", "add", "delete"):
            some = getattr(action, name)
            for gone in sorted(some - action.add if name == "delete" else some):
                other = replace(action, **{name: some - {gone}})
                yield replace(domain, actions=tuple(other if a is action else a for a in domain.actions))


@slow
@pytest.mark.parametrize("name", CATALOG.names)
def test_rules_in_prose_are_read_back_and_each_condition_and_effect_counts(name):
    plans = ContextReader(words(name), entry(name).domain, "plans")
    for context, problem, steps in contexts_of(name, "test", 1):
        context = replace(context, style="prose")
        said = context.parts(LISTED)
        assert not re.search(r"\?\w", said.text), "a variable"
        read = plans.check(said.text, "verification", problem, steps, style="prose")
        assert read == ([], said.held_out), said.text
        for domain in lessened(entry(name).domain):
            other = replace(context, record=replace(context.record, domain=domain)).parts(LISTED).text
            assert plans.check(other, "verification", problem, steps, style="prose").faults, other


def other_words(text, rng, count):
    """The text with one word left out, said twice, or another word of the text in its place."""
    places = list(WORD.finditer(text))
    for place in rng.sample(places, min(count, len(places))):
        instead = rng.choice(["", f"{place[0]} {place[0]}", rng.choice(places)[0]])
        if instead != place[0]:
            yield f"{text[: place.start()]}{instead}{text[place.end() :]}"


@slow
def test_another_word_anywhere_in_a_context_is_seen(asked):
    """But for a few: a word more or less may give another wording of the same."""
    rng, unseen, seen = random.Random(0), 0, 0
    for row in asked:
        if format_of(row) == "gen":
            for changed in other_words(row["context"], rng, some(25)):
                if faults(row, changed):
                    seen += 1
                else:
                    unseen += 1
    assert unseen <= 0.01 * (seen + unseen)


@slow
def test_another_name_anywhere_in_the_state_is_seen(asked):
    for row in asked:
        problem, _ = read_problem_of(row["id"], row["PDDL_domain"], row["PDDL_problem"])
        names = sorted(typed.name for typed in problem.objects)
        for one, other in pairwise(names):
            for place in list(re.finditer(rf"(?<![\w-]){re.escape(one)}(?![\w-])", row["context"]))[
                : some(4)
            ]:
                changed = row["context"][: place.start()] + other + row["context"][place.end() :]
                assert faults(row, changed), (row["id"], changed)


def test_a_line_too_few_or_too_many_is_seen(asked):
    rng = random.Random(1)
    for row in asked:
        lines = row["context"].split("\n")
        for number in rng.sample(range(len(lines)), min(some(10), len(lines))):
            assert faults(row, "\n".join(lines[:number] + lines[number + 1 :])), (row["id"], lines[number])
            assert faults(row, "\n".join([*lines[:number], lines[number], *lines[number:]]))


def test_the_context_of_another_row_is_seen(asked):
    for one, other in pairwise(asked):
        if one["context"] != other["context"]:
            assert faults(one, other["context"])


def test_another_word_in_the_sentences_of_a_question_is_seen(asked):
    """What a question names is read elsewhere; the first and the last words name nothing."""
    for row in asked:
        for column in ("question", "question_pddl"):
            for changed in (row[column].partition(" ")[2], row[column] + " Really.", row[column] * 2):
                assert question_reader(row["domain"]).check({**row, column: changed}), (row["id"], changed)
        if format_of(row) == "mcq":
            assert question_reader(row["domain"]).check({**row, "query": row["query"] + " Really."})
