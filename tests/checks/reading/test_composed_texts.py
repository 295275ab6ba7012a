"""Every damage to a text of a composed domain, or to what the row says of it, is found."""

import random
import re
from itertools import pairwise

import pytest

from orrery.checks.composed_domains import reader_of, text_faults
from orrery.checks.reading.composed_texts import numbered_steps
from orrery.checks.reading.cursor import UnreadableText
from orrery.composition.mechanic import read_mechanics
from orrery.composition.theme import read_theme, theme_names
from orrery.composition.wordings import worded
from orrery.pddl.write import parse_atom
from tests.checks.conftest import assert_all_damages_are_found, faults_of
from tests.every_domain import ROOT

pytestmark = pytest.mark.slow
SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z])")
CONDITION, RESULT = "Make sure that ", "Afterwards "


def with_texts(row, **texts):
    return {**row, "texts": {**row["texts"], **texts}}


def in_text(name, change):
    """A change of a row that changes one of its texts."""
    return lambda row: with_texts(row, **{name: change(row["texts"][name])})


def with_steps(row, change):
    """The row with other steps in all its texts; ``change`` takes and returns the texts of the steps."""
    steps = numbered_steps(row["texts"]["rel"])
    changed = change(list(steps))
    if changed is None:
        return row
    texts = dict(row["texts"])
    for number, (old, new) in enumerate(zip(steps, changed, strict=True), 1):
        for name in ("rel", "map"):
            texts[name] = texts[name].replace(f"({number}) {old}", f"({number}) {new}")
        texts["all"] = texts["all"].replace(old, new)
    return {**row, "texts": texts}


def in_steps(change):
    """A change of the first step that it changes, in all texts."""

    def changed(row):
        def first(steps):
            for place, step in enumerate(steps):
                if (new := change(step)) != step:
                    return [*steps[:place], new, *steps[place + 1 :]]
            return None

        return with_steps(row, first)

    return changed


def without_sentence(place):
    """A change that drops one sentence of a step that has several."""

    def change(step):
        sentences = SENTENCE_END.split(step)
        if len(sentences) > 1:
            del sentences[place]
        return " ".join(sentences)

    return change


def exchanged_sentences(row):
    """The row with the last sentences of two consecutive steps in each other's place."""

    def change(steps):
        for place, (first, second) in enumerate(pairwise(steps)):
            one, other = SENTENCE_END.split(first), SENTENCE_END.split(second)
            if len(one) > 1 and len(other) > 1 and one[-1] != other[-1]:
                one[-1], other[-1] = other[-1], one[-1]
                return [*steps[:place], " ".join(one), " ".join(other), *steps[place + 2 :]]
        return None

    return with_steps(row, change)


def exchanged_steps(row):
    """The row with two consecutive steps in each other's place, in all texts."""

    steps = numbered_steps(row["texts"]["rel"])
    texts = {
        name: text.replace(steps[0], "\0").replace(steps[1], "\1") for name, text in row["texts"].items()
    }
    texts = {name: text.replace("\0", steps[1]).replace("\1", steps[0]) for name, text in texts.items()}
    return {**row, "texts": texts}


def opposites(row):
    """Patterns of clauses in the words of a row, with the clause that says the opposite."""
    mechanics = read_mechanics(ROOT)
    words = read_theme(ROOT, row["theme"], frozenset(mechanics)).names(
        {name: mechanics[name] for name in row["mechanics"]}
    )
    for name in row["mechanics"]:
        for key, polarity in mechanics[name].words.facts.items():
            variables = [variable.lstrip("?") for variable in parse_atom(key)[1:]]
            marks = {variable: chr(0xE000 + place) for place, variable in enumerate(variables)}
            for pair in zip(polarity.true, polarity.false, strict=False):
                texts = [worded(text, {**words, **marks}) for text in pair]
                yield from (texts, texts[::-1])


def negated(text, row, start):
    """The text with the opposite of the first clause after ``start``, or unchanged."""
    for clause, opposite in opposites(row):
        pattern = re.escape(clause)
        for place in range(3):
            mark = chr(0xE000 + place)
            pattern = pattern.replace(mark, f"(?P<a{place}>[^.;]+?)", 1).replace(mark, f"(?P=a{place})")
        if match := re.search(rf"(?:{start})(?P<clause>{pattern})(?=[.;])", text):
            arguments = {name: text for name, text in match.groupdict().items() if name != "clause"}
            for name, argument in arguments.items():
                opposite = opposite.replace(chr(0xE000 + int(name[1:])), argument)
            return text[: match.start("clause")] + opposite + text[match.end() :]
    return text


def other_theme(row):
    name = next(name for name in theme_names(ROOT) if name != row["theme"])
    return read_theme(ROOT, name, frozenset(read_mechanics(ROOT))).content


def own_theme(row):
    return read_theme(ROOT, row["theme"], frozenset(read_mechanics(ROOT))).content


def replaced_first(row, texts, other):
    """The row with the first of these texts that stands in the article replaced by another text."""
    article = row["texts"]["all"]
    text = next(text for text in (*texts, *(text.upper() for text in texts)) if text in article)
    return with_texts(row, all=article.replace(text, other))


def exchanged_remark(row):
    article, theme = row["texts"]["all"], own_theme(row)
    remark = next(text for text in theme.remarks if text in article)
    return with_texts(row, all=article.replace(remark, other_theme(row).remarks[0]))


def exchanged_lines(text):
    first, second, *others = text.split("\n")
    return "\n".join([second, first, *others])


def exchanged_phrases(text, joint=": "):
    """The text with what the first two lines say of their names in each other's place."""
    first, second, *others = text.split("\n")
    (one, _, says), (other, _, says_other) = first.partition(joint), second.partition(joint)
    return "\n".join([f"{one}{joint}{says_other}", f"{other}{joint}{says}", *others])


PROCEDURE = {
    "the first sentence of a step dropped": in_steps(without_sentence(0)),
    "the last sentence of a step dropped": in_steps(without_sentence(-1)),
    "a sentence twice": in_steps(lambda step: f"{step} {SENTENCE_END.split(step)[-1]}"),
    "a sentence added": in_steps(lambda step: f"{step} It rains."),
    "a condition of nothing": in_steps(lambda step: f"Make sure that it rains. {step}"),
    "sentences exchanged between steps": exchanged_sentences,
    "steps exchanged": exchanged_steps,
    "a stop dropped": in_steps(lambda step: step[:-1]),
    "a letter changed": in_steps(lambda step: step.replace(" the ", " teh ", 1)),
    "a clause negated": lambda row: in_steps(lambda step: negated(step, row, r"that |Afterwards |unless "))(
        row
    ),
    "a result stated as a condition": in_steps(
        lambda step: re.sub(r"(Afterwards|Now|In the end|By then) (?=[^.]*\.)", CONDITION, step, count=1)
    ),
    "a condition stated as a result": in_steps(
        lambda step: re.sub(r"(Make sure|Check first|Be certain) that ", RESULT, step, count=1)
    ),
    "rel without a step": in_text("rel", lambda text: text.rpartition("\n")[0]),
    "rel with numbers exchanged": in_text(
        "rel", lambda text: text.replace("(1) ", "(0) ").replace("(2) ", "(1) ").replace("(0) ", "(2) ")
    ),
    "rel with lines exchanged": in_text("rel", exchanged_lines),
    "rel with another sentence": in_text("rel", lambda text: text + " It rains."),
    "map without an action": in_text("map", lambda text: text.rpartition("\n")[0]),
    "map with an action twice": in_text("map", lambda text: f"{text}\n{text.partition(chr(10))[0]}"),
    "map with steps of another action": in_text("map", exchanged_phrases),
    "map without a step": in_text(
        "map", lambda text: re.sub(r": (\(\d+\) [^\n]*?) \(\d+\) [^\n]*", r": \1", text, count=1)
    ),
    "map with another step": lambda row: with_texts(
        row,
        map=row["texts"]["map"]
        + f" ({len(numbered_steps(row['texts']['rel']))}) {numbered_steps(row['texts']['rel'])[-1]}",
    ),
    "sum without an action": in_text("sum", lambda text: text.rpartition("\n")[0]),
    "sum of another action": in_text("sum", exchanged_phrases),
    "sum with other words": in_text("sum", lambda text: text + " again"),
    "something under none": in_text("none", lambda _: "It rains."),
    "all with another title": lambda row: replaced_first(row, own_theme(row).titles, "How it rains"),
    "all with another opening": lambda row: replaced_first(row, own_theme(row).openings, "It rains."),
    "all with a remark of another theme": exchanged_remark,
    "all with a further remark": in_text("all", lambda text: f"{text}\nIt rains."),
    "all with a further beginning": in_text("all", lambda text: f"It rains.\n{text}"),
    "all without its last step": lambda row: with_texts(
        row, all=row["texts"]["all"].replace(numbered_steps(row["texts"]["rel"])[-1], "")
    ),
    "all with another sentence": lambda row: with_texts(
        row,
        all=row["texts"]["all"].replace(
            numbered_steps(row["texts"]["rel"])[0], f"{numbered_steps(row['texts']['rel'])[0]} It rains."
        ),
    ),
    "all in small letters": in_text("all", str.lower),
}


def with_told(row, place, **columns):
    told = list(row["told"])
    told[place] = {**told[place], **columns}
    return {**row, "told": told}


def first_entry(row, *ways):
    """The place of the first entry that is told in one of these ways, or None."""
    return next((place for place, entry in enumerate(row["told"]) if entry["how"] in ways), None)


def told_otherwise(way, *, to, shift=0):
    """A change of the first entry that is told in one way: to another way, or to other places."""

    def change(row):
        place = first_entry(row, way)
        if place is None:
            return row
        places = [number + shift for number in row["told"][place]["places"]] if to != "common" else []
        return with_told(row, place, how=to, places=places)

    return change


TOLD = {
    "stated as implied": told_otherwise("stated", to="implied"),
    "implied as stated": told_otherwise("implied", to="stated"),
    "stated as common": told_otherwise("stated", to="common"),
    "implied as common": told_otherwise("implied", to="common"),
    "common as implied": told_otherwise("common", to="implied"),
    "stated in another place": told_otherwise("stated", to="stated", shift=1),
    "implied in another place": told_otherwise("implied", to="implied", shift=1),
    "an entry dropped": lambda row: {**row, "told": row["told"][1:]},
    "an entry twice": lambda row: {**row, "told": [*row["told"], row["told"][0]]},
    "another literal": lambda row: with_told(
        row, 0, literal=row["told"][0]["literal"].replace(" pre (", " eff (")
    ),
    "a negated literal": lambda row: with_told(
        row, 0, literal=re.sub(r"(\([^()]*\))", r"(not \1)", row["told"][0]["literal"])
    ),
    "no literal": lambda row: with_told(row, 0, literal="nothing"),
    "a place twice": lambda row: (
        row
        if first_entry(row, "stated") is None
        else with_told(
            row,
            first_entry(row, "stated"),
            places=row["told"][first_entry(row, "stated")]["places"] * 2,
        )
    ),
}  # fmt: skip


def in_description(*names, pattern, new):
    """A change of the first places that fit a pattern, in these descriptions."""

    def change(row):
        return row | {
            f"description_{name}": re.sub(
                pattern, new, row[f"description_{name}"], count=1, flags=re.DOTALL | re.MULTILINE
            )
            for name in names
        }

    return change


BOTH = ("abstract", "concrete")
GENERAL = r"(## General\n[^\n]*?)"


def negated_detail(opening):
    def change(row):
        text = row["description_concrete"]
        start, mark, end = text.partition(f"  {opening}: ")
        return {**row, "description_concrete": start + mark + negated(end, row, "")}

    return change


def negated_meaning(row):
    text = row["description_concrete"]
    start, mark, end = text.partition("## Predicates")
    return {**row, "description_concrete": start + mark + negated(end, row, r"\): ")}


DESCRIPTION = {
    "a general sentence dropped": in_description(*BOTH, pattern=rf"{GENERAL} [^.\n]*\.$", new=r"\1"),
    "a general sentence twice": in_description(*BOTH, pattern=rf"{GENERAL}( [^.\n]*\.)$", new=r"\1\2\2"),
    "a general sentence added": in_description(*BOTH, pattern=r"(## General\n)", new=r"\1It rains. "),
    "a general sentence negated": in_description(
        *BOTH, pattern=rf"{GENERAL} (can|is|are) (?=[^\n]*$)", new=r"\1 \2 not "
    ),
    "another general part in one": in_description("abstract", pattern=rf"{GENERAL} [^.\n]*\.$", new=r"\1"),
    "another title": in_description(*BOTH, pattern=r"\A# ", new="# The "),
    "a part dropped": in_description("abstract", pattern=r"\n\n## Predicates.*?(?=\n\n)", new=""),
    "a part twice": in_description("concrete", pattern=r"(\n\n## Predicates.*?)(?=\n\n)", new=r"\1\1"),
    "a type dropped": in_description("abstract", pattern=r"(## Types\n)- [^\n]*\n", new=r"\1"),
    "a type added": in_description("abstract", pattern=r"(## Types\n)", new=r"\1- rain\n"),
    "a parent of a type dropped": in_description(
        "abstract", pattern=r"^(- [\w-]+) \(an? [\w-]+\)$", new=r"\1"
    ),
    "a predicate dropped": in_description("abstract", pattern=r"(## Predicates\n)- [^\n]*\n", new=r"\1"),
    "another meaning of a predicate": in_description(
        "abstract", pattern=r"(## Predicates\n- [^:]*: )[^\n]*", new=r"\1it rains."
    ),
    "a meaning negated": negated_meaning,
    "another type in a signature": in_description(
        "abstract", pattern=r"(## Predicates.*?\?\w+ - )[\w-]+", new=r"\1rain"
    ),
    "an action dropped": in_description("abstract", pattern=r"(## Actions\n)- [^\n]*\n", new=r"\1"),
    "another purpose": in_description(
        "abstract", pattern=r"(## Actions\n- [^:]*: )[^\n]*(\n- [^:]*: )[^\n]*", new=r"\1to rain.\2to rain."
    ),
    "purposes exchanged": in_description(
        "abstract",
        pattern=r"(## Actions\n- [^:]*: )([^\n]*)(\n- [^:]*: )([^\n]*)",
        new=r"\1\4\3\2",
    ),
    "parameters swapped in a signature": in_description(
        "concrete",
        pattern=r"(## Actions.*?\([\w-]+ )(\?\w+ - [\w-]+) (\?\w+ - [\w-]+)",
        new=r"\1\3 \2",
    ),
    "details in the abstract one": lambda row: {**row, "description_abstract": row["description_concrete"]},
    "no details in the concrete one": lambda row: {
        **row,
        "description_concrete": row["description_abstract"],
    },
    "a condition dropped": in_description("concrete", pattern=r"(  Before: )[^;\n]*; ", new=r"\1"),
    "a condition twice": in_description("concrete", pattern=r"  Before: ([^;.\n]*)", new=r"  Before: \1; \1"),
    "a condition negated": negated_detail("Before"),
    "all conditions dropped": in_description(
        "concrete", pattern=r"  Before: [^\n]*", new="  Before: nothing."
    ),
    "an effect dropped": in_description("concrete", pattern=r"(  Afterwards: )[^;\n]*; ", new=r"\1"),
    "an effect negated": negated_detail("Afterwards"),
    "conditions and effects exchanged": in_description(
        "concrete", pattern=r"Before: ([^\n]*)\n  Afterwards: ([^\n]*)", new=r"Before: \2\n  Afterwards: \1"
    ),
    "variables swapped in a condition": in_description(
        "concrete",
        pattern=r"(  Before: [^\n]*?)(\?\w+)([^;.\n?]*)(\?\w+)",
        new=r"\1\4\3\2",
    ),
    "an unknown clause": in_description("concrete", pattern=r"  Before: ", new="  Before: it rains; "),
}  # fmt: skip


@pytest.mark.parametrize("damage", PROCEDURE | TOLD)
def test_damage_to_a_procedure_or_what_is_told_is_found(check, composed, damage):
    assert_all_damages_are_found(check, composed["action_modeling"], (PROCEDURE | TOLD)[damage])


class DescriptionCheck:
    """The check of the texts of rows on domains, without that of their problems, which takes seconds."""

    @staticmethod
    def faults(row):
        return list(text_faults(reader_of(ROOT, row), row))


@pytest.mark.parametrize("damage", [name for name in DESCRIPTION | TOLD if not name.startswith("common")])
def test_damage_to_a_description_or_what_is_told_is_found(composed, damage):
    damaged = (DESCRIPTION | TOLD)[damage]
    assert_all_damages_are_found(DescriptionCheck, composed["domain_modeling"], damaged)


def test_descriptions_as_made_have_no_fault(composed):
    assert [faults_of(DescriptionCheck, row) for row in composed["domain_modeling"]] == [[]] * 6


def test_any_two_sentences_exchanged_are_found(check, composed):
    rng = random.Random(0)
    for row in composed["action_modeling"]:
        steps = numbered_steps(row["texts"]["rel"])
        first, second = rng.sample(range(len(steps)), 2)
        new = list(steps)
        new[first], new[second] = new[second], new[first]
        assert faults_of(check, with_steps(row, lambda _, new=new: new)), row["id"]


def test_a_sentence_that_no_wording_gives_is_named(composed):
    row = composed["action_modeling"][0]
    damaged = PROCEDURE["a sentence added"](row)
    with pytest.raises(UnreadableText, match="It rains"):
        reader_of(ROOT, row).procedure(damaged["texts"])
