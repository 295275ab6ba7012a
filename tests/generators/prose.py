"""What the tests of texts share: faults of grammar that a pattern can see, texts with names made alike."""

import re

from orrery.language.words import names_by_type

FAULTS = {
    "doubled stop": r"\.\s*\.|[,;:]\.|\.[,;:]",
    "doubled space": r"\S  +\S",
    "space before a mark": r"\s[.,;:]",
    "plural after one": r"\b(1|[Oo]ne) (blocks|balls|rooms|grippers|towers|others|times|hands)\b",
    "singular after many": r"\b(\d\d|[02-9]|two|three|four|five|six|seven|eight|nine|ten) "
    r"(ball|room|gripper|tower|hand)\b",
    "article before a plural": r"\b[Aa]n? (blocks|balls|rooms|grippers|towers)\b",
    "article before a vowel": r"\b[Aa] [aeio]\w+",
    "number disagrees": r"\b(there are|There are) (one|1)\b|\b(there is|There is) (two|three|\d\d|[2-9])\b",
    "name of a predicate": r"(?<!at-)\brobb?yy?\b",
    "repeated word": r"\b(\w+) \1\b",
    "small letter after a stop": r"(^|\. )(?![a-z]+\d+\b)[a-z]",  # names like b3 stay as they are
    "left over": r"[{}%\[\]]|\bNone\b(?! of)|undefined",
}


def faults(text):
    """The names of the faults found in the text, with what was found."""
    matches = [(name, re.search(pattern, text)) for name, pattern in FAULTS.items()]
    mark = [] if text.endswith(".") else ["no stop at the end"]
    return [f"{name}: {match[0]!r} in {text!r}" for name, match in matches if match] + mark


def without_names(text):
    """The text with names like r12 replaced in order of their first appearance."""
    order: dict[str, str] = {}
    return re.sub(r"\b([a-z])\d+\b", lambda m: order.setdefault(m[0], f"{m[1]}#{len(order)}"), text)


def abstract(words, domain, generated, variant=0):
    """The abstract text of both sides."""
    task, names = generated.task, names_by_type(generated.problem, domain)
    init = words.passage("init", task.init, generated.init_parameters, names, variant)
    return init + " " + words.passage("goal", task.goal, generated.goal_parameters, names, variant)
