"""Prose with one random change states something else or cannot be read, if the change alters its sense."""

import random
import re

import pytest

from orrery.checks.reading.prose import prose_reader
from orrery.language.prose import ObjectOrder, ProseWriter
from orrery.language.words import names_by_type
from orrery.model import Literal, OrreryError
from tests.every_domain import easy_problems, entry, words

TEXTS, CHANGES = 6, 20
UNNOTICED = 0.05  # of the changes: an article less, or a word that gives another wording of the same facts
NEGATION = "it is not the case that "


def changed(text, names, rng):
    """The text with a word dropped or replaced, another name, another number or a negation less or more."""
    kind = rng.choice(["drop", "swap", "name", "number", "negation"])
    if kind == "negation":
        if NEGATION in text.lower():
            return re.sub(NEGATION, "", text, count=1, flags=re.IGNORECASE)
        return f"I{NEGATION[1:]}{text[:1].lower()}{text[1:]}"
    patterns = {"name": "|".join(map(re.escape, sorted(names, key=len, reverse=True))), "number": r"\d+"}
    places = list(re.finditer(rf"(?<![\w-])(?:{patterns.get(kind, r'[a-z-]+')})(?![\w-])", text))
    if not places:
        return text
    place = rng.choice(places)
    instead = {
        "drop": "",
        "swap": rng.choice(places)[0],
        "name": rng.choice(names),
        "number": str(rng.randrange(100)),
    }[kind]
    return f"{text[: place.start()]}{instead}{text[place.end() :]}"


@pytest.mark.parametrize("domain", ["ferry", "gripper", "rover-single"])
def test_a_random_change_is_noticed(domain):
    rng, seen, unseen = random.Random(domain), 0, []
    reader = prose_reader(words(domain), entry(domain).domain)
    writer = ProseWriter(words(domain), entry(domain).domain)
    for number, problem in enumerate(easy_problems(domain, TEXTS)):
        names = names_by_type(problem, entry(domain).domain)
        objects = sorted({name for members in names.values() for name in members})
        facts = sorted(Literal(fact, rng.random() < 0.9) for fact in sorted(problem.init))
        text = " ".join(writer.prose(facts, ObjectOrder.of(names), random.Random(number)).sentences)
        for mutant in {changed(text, objects, rng) for _ in range(CHANGES)} - {text}:
            try:
                literals = sorted(reader.literals(mutant, names))
            except OrreryError:
                literals = None
            seen += literals != facts
            unseen += [mutant] if literals == facts else []
    assert len(unseen) <= UNNOTICED * (seen + len(unseen)), unseen
    assert seen > TEXTS
