"""Ways of spoiling a right answer: each makes it wrong, or no answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

# The name of a way, and the spoilt answer.
Spoilt: TypeAlias = tuple[str, str]

_ITEM = re.compile(r"\([^()]+\)")
_HEDGES = ("maybe", "or", "possibly", "it might be that", "it could also be")
_OPPOSITES = {"yes": ("no", "true", "false"), "no": ("yes", "false", "true")}
# The answer is {0}, its opposite {1}; {2} and {3} are the same as "true" or "false".
_OF_VERDICTS = (
    *("{1}", "{1}.", "**{1}**", "({1})", "{3}", "it is {3}", "The answer is {1}", "not {0}", "not {2}"),
    *("{0} or {1}", "{1} or {0}", "{0} and {1}", "{0} / {1}", "{0}/{1}", "{0}, {1}", "{0}; {1}", "{0} | {1}"),
    *("{0}, wait, {1}", "either {0} or {1}", "neither {0} nor {1}", "both {0} and {1}", "{0} vs {1}"),
    *("{2} or {3}", "{2}/{3}", "{0} {3}", "{2}, {1}", "[{0}, {1}]", "{0} but also {1}", "{0}{1}", "{0}x"),
    *("maybe", "unknown", "neither", "", "I do not know", "cannot be determined", "N/A", "none", "A", "2"),
    *("(wave)", "n0t", "ye"),
)
# The answer is the number {0}, another number is {1}.
_OF_NUMBERS = (
    *("{1}", "-{0}", "{0}.5", "{0}.25", "{0},{1}", "{0}e2", "{0}x", "1{0}", "{0}1", "index {1}", "**{1}**"),
    *("({1})", "step {1}", "{0} or {1}", "{1} or {0}", "{0} and {1}", "{0}, {1}", "{0}/{1}", "[{0}, {1}]"),
    *("{0}; {1}", "{0} | {1}", "{0} vs {1}", "{0} - {1}", "either {0} or {1}", "neither {0} nor {1}"),
    *("both {0} and {1}", "between {0} and {1}", "not {0}", "anything but {0}", "any index except {0}"),
    *("{0} is wrong", "{0} is not the answer", "", "none", "the last", "all", "unknown", "maybe", "yes", "A"),
)
# The answer is the letter {0}, another letter is {1}.
_OF_LETTERS = (
    *(
        "{1}",
        "{0} or {1}",
        "{0} and {1}",
        "{1} or {0}",
        "not {0}",
        "neither {0} nor {1}",
        "either {0} or {1}",
    ),
    *("both {0} and {1}", "{0}, {1}", "{0}/{1}", "{0}; {1}", "{0} | {1}", "[{0}, {1}]", "{0} vs {1}"),
    *("{0} plus {1}", "{0} & {1}", "{0}{1}", "option {1}", "({1})", "**{1}**", "anything but {0}"),
    *("any except {0}", "{0} is wrong", "{0} is not correct", "", "none of them", "all", "all of the above"),
    *("maybe", "unknown", "yes", "2"),
)
_OF_VALID = (
    *("invalid", "not valid", "valid or invalid", "maybe valid", "valid / invalid", "valid/invalid"),
    *("invalid, step 2", "invalid, end", "valid and invalid", "valid, invalid", "neither valid nor invalid"),
    *("either valid or invalid", "no", "false", "not a plan", "the plan is not valid", "it fails at step 1"),
    *("perhaps valid", "possibly valid", "is it valid?", "", "unknown", "maybe", "step 2", "2", "A", "none"),
    *("valid, (fly x y)", "valid (at-robot)", "valid and (fly x y)", "valid\nmaybe (fly x y)"),
    *("[valid, invalid]", "valid; invalid", "valid vs invalid", "valid | invalid", "the goal is not reached"),
    *("inexecutable", "I do not know", "unsuccessful", "incorrect"),
)  # fmt: skip
# The right answer is that there is none.
_OF_NONE = (
    *("(fly x y)", "none, (fly x y)", "(fly x y), none", "none or (fly x y)", "(fly x y) or none"),
    *("none\n(fly x y)", "none; (fly x y)", "none and (fly x y)", "either none or (fly x y)"),
    *("none, wait, (fly x y)", "none\nWait: (fly x y)", "none\nmaybe (fly x y)", "none / (fly x y)"),
    *("maybe none", "possibly none", "perhaps none", "not none", "none?", "is it none?", "", "some", "one"),
    *("unknown", "maybe", "I do not know", "all of them", "yes", "A", "2", "(wave)", "nune"),
)


def spoilt(table: str, text: str) -> dict[str, str]:
    """The spoilt answers of a row of a table, by the name of the way."""
    if table == "text_to_pddl" or table.endswith("_modeling"):
        return dict(_of_pddl(text))
    return dict(_of_items(text) if "(" in text else spoilt_words(text.removeprefix("ANSWER: ")))


def _of_items(text: str) -> Iterator[Spoilt]:
    """An answer with items in parentheses."""
    items = list(dict.fromkeys(_ITEM.findall(text)))
    end = text.rindex(")") + 1
    begin = text.index("(")
    name = items[0].strip("()").split()[0]
    for made_up in (
        *("(fly x y)", "(teleport b1)", "(at-robot)", "(do-nothing zork0)", "(zork0 b1 b2)", "(go_home x1)"),
        *(f"({name} zork{n} zork{n})" for n in range(4)),
        *(f"{item[:-1]} zork0)" for item in items[:3]),
        *(f"{item[:-1]} {item[1:-1]})" for item in items[:3]),
    ):
        for joint in (" ", ", ", "\n"):
            yield f"with {made_up}", f"{text[:end]}{joint}{made_up}{text[end:]}"
        yield f"after {made_up}", f"{text[:begin]}{made_up} {text[begin:]}"
    for hedge in _HEDGES:
        for made_up in ("(fly x y)", "(at-robot)", f"({name} zork0 zork1)"):
            yield f"{hedge} {made_up}", f"{text[:end]}\n{hedge} {made_up}{text[end:]}"
    for item in items[:4]:
        for changed in (item.replace("(", "(re"), item.replace(")", "9)"), item.replace(")", " and more)")):
            yield f"{item} is {changed}", text.replace(item, changed)


def spoilt_words(answer: str) -> Iterator[Spoilt]:
    """An answer of one word."""
    if answer in _OPPOSITES:
        words: Iterable[str] = [form.format(answer, *_OPPOSITES[answer]) for form in _OF_VERDICTS]
    elif answer.isdigit():
        others = range(int(answer) + 1, int(answer) + 4)
        words = [form.format(answer, other) for form in _OF_NUMBERS for other in others]
    elif len(answer) == 1:
        others_of = [letter for letter in "ABCDE" if letter != answer]
        words = [form.format(answer, other) for form in _OF_LETTERS for other in others_of]
    else:
        words = {"valid": _OF_VALID, "none": _OF_NONE}.get(answer, ())
    yield from ((word, f"ANSWER: {word}") for word in words)


def _of_pddl(text: str) -> Iterator[Spoilt]:
    """A problem, actions or a domain.

    A fact that follows from others may be left out, and the first of two declarations of a predicate counts.
    """
    is_domain = "(:predicates" in text
    for percent in range(3, 100, 3):
        yield f"cut off after {percent} percent", text[: len(text) * percent // 100]
    yield "the last parenthesis is missing", text.rstrip()[:-1]
    yield "empty", "(define (problem p))"
    changed = text.rstrip()[:-1] + "(fly x y))"
    items = list(dict.fromkeys(_ITEM.findall(text)))[4:8]
    for item in items:
        yield f"{item} is corrected below", f"{text}\n\nWait, {item} is wrong."
    for end in (50, 75, 100):
        below = changed[: len(changed) * end // 100]
        yield (
            f"{end} percent of another one below",
            f"{text}\n\nBetter:\n\n{below.replace(items[0], '(fly x y)')}",
        )
    for item in list(dict.fromkeys(_ITEM.findall(text)))[4:40]:
        if not item.startswith(("(:", "(domain", "(problem")):
            name = item.strip("()").split()[0]
            yield f"{item} is renamed", text.replace(item, item.replace("(", "(re", 1), 1)
            yield f"{item} has more", text.replace(item, item.replace(")", " b1)", 1), 1)
            yield f"{item} is made up", text.replace(item, f"{item} (fly x y)", 1)
            if not is_domain:
                yield f"{item} has an unknown object", text.replace(item, f"{item} ({name} zork0 zork0)", 1)
