"""Damages to the text of a domain in PDDL."""

import re

ATOM = r"\((?!not|and)[^()]*\)"


def replaced(pattern, new, count=1):
    """A change of a text: the first places that fit a pattern."""
    return lambda text: re.sub(pattern, new, text, count=count, flags=re.DOTALL)


def other_argument(match):
    """The atom with its last two arguments in the other order."""
    *first, one, two = match[0].strip("()").split()
    return f"({' '.join([*first, two, one])})"


def type_changed(text):
    """The PDDL with another declared type of the last parameter of an action that has a type."""
    types = re.findall(r"[\w-]+", text.partition("(:types ")[2].partition(")")[0])
    match = re.search(r"(:parameters \([^()]* - )([\w-]+)\)", text)
    if not match or len(types) < 2:
        return text
    changed = next(kind for kind in types if kind != match[2])
    return text.replace(match[0], f"{match[1]}{changed})", 1)


DAMAGES = {
    "a precondition dropped": replaced(rf"(:precondition \(and ){ATOM} ?", r"\1"),
    "the last precondition dropped": replaced(rf" (?:{ATOM}|\(not {ATOM}\))\)(\n    :effect)", r")\1"),
    "an effect dropped": replaced(rf"(:effect \(and ){ATOM} ?", r"\1"),
    "a delete effect dropped": replaced(rf" \(not {ATOM}\)(\)+\n|\)+$)", r"\1"),
    "variables swapped in a precondition": replaced(
        r"(?<=:precondition \(and )\([\w-]+ \?[\w-]+ \?[\w-]+\)", other_argument
    ),
    "variables swapped in an effect": replaced(
        r"(?<=:effect \(and )\([\w-]+ \?[\w-]+ \?[\w-]+\)", other_argument
    ),
    "a condition negated": replaced(rf"(:precondition \(and )({ATOM})", r"\1(not \2)"),
    "a deletion made an addition": replaced(rf"(:effect .*?)\(not ({ATOM})\)", r"\1\2"),
    "a precondition added": replaced(
        rf"(:precondition \(and )({ATOM})(.*?:effect \(and )({ATOM})", r"\1\4 \2\3\4"
    ),
    "a type of a parameter changed": type_changed,
    "types of a predicate dropped": replaced(r"(\(:predicates \([\w-]+ \?[\w-]+) - [\w-]+", r"\1"),
    "a predicate dropped": replaced(rf"(\(:predicates ){ATOM} ?", r"\1"),
    "a predicate added": replaced(r"\(:predicates ", "(:predicates (rains) "),
    "a requirement dropped": replaced(r" :[\w-]+\)", ")"),
    "an action renamed": replaced(r"\(:action ", "(:action x"),
    "an action dropped": replaced(r"\n  \(:action .*?\)\)\)(?=\n|\)$)", ""),
    "the domain renamed": replaced(r"\(domain ", "(domain x"),
}
