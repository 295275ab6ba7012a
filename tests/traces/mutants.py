"""Traces with one change: a line left out, a fact, sign, object or number exchanged, another answer."""

from __future__ import annotations

import re
from itertools import islice

ATOM = re.compile(r"\((?!not )[^()]+\)")
LITERAL = re.compile(r"\(not \([^()]+\)\)|\([^()]+\)")
QUOTED = re.compile(r'"[^"]+"')
WORD = re.compile(r"[\w-]+")
NUMBER = re.compile(r"\b\d+\b")
TURNED = (
    (" holds here.", " does not hold here."), (" holds.", " does not hold."), (" true.", " false."),
    (", which hold.", ", but nothing does not hold."), (" right.", " wrong."), (" makes ", " leaves "),
    (" true and ", " false and "), (" never hold", " hold"), (" makes it true", " makes it false"),
)  # fmt: skip
ANSWERS = {"yes": "no", "no": "yes", "valid": "invalid, step 1"}


def begins_answer(line):
    return line.startswith(("ANSWER:", "[PLAN]"))


def mutants(trace, objects, rng, most=2):
    """Yield the kind of each change and the changed trace; of each kind at most some for each line."""
    lines = trace.split("\n")
    end = next(place for place, line in enumerate(lines) if begins_answer(line))
    pool = sorted({atom for line in lines for atom in ATOM.findall(line)})
    for place, line in enumerate(lines):
        is_answer = place >= end
        changes = {
            "fact replaced": replaced(line, pool, rng),
            "object exchanged": exchanged(line, objects, rng),
            "number changed": renumbered(line, rng),
            "line left out": [] if line.startswith(("[PLAN", "ANSWER")) else [None],
            "changed": answered(line) if is_answer else turned(line, rng),
        }
        for kind, changed in changes.items():
            for other in islice(changed, most):
                if other != line:
                    remaining = [] if other is None else [other]
                    whole = "\n".join([*lines[:place], *remaining, *lines[place + 1 :]])
                    yield f"{'answer: ' if is_answer else ''}{kind}", whole


def answered(line):
    """Another word or letter as the answer."""
    word = line.removeprefix("ANSWER: ")
    letters = [letter for letter in "ABCD" if letter != word] if word in "ABCD" else []
    yield from (f"ANSWER: {other}" for other in ([ANSWERS[word]] if word in ANSWERS else letters))


def renumbered(line, rng):
    """The line with one of its numbers, not in names, one higher."""
    inside = [match.span() for match in LITERAL.finditer(line)]
    for match in shuffled(NUMBER.finditer(line), rng):
        if not any(start <= match.start() < end for start, end in inside):
            yield line[: match.start()] + str(int(match[0]) + 1) + line[match.end() :]


def shuffled(values, rng):
    values = list(values)
    rng.shuffle(values)
    return values


def replaced(line, pool, rng):
    """The line with another atom of the trace in place of one; not one that it says already."""
    present = {*ATOM.findall(line)}
    for match in shuffled(ATOM.finditer(line), rng):
        alike = [atom for atom in pool if atom not in present and atom.split()[0] == match[0].split()[0]]
        others = alike or [atom for atom in pool if atom not in present]
        if others:
            yield line[: match.start()] + rng.choice(others) + line[match.end() :]


def exchanged(line, objects, rng):
    present = {*ATOM.findall(line)}
    for match in shuffled(ATOM.finditer(line), rng):
        name, *arguments = match[0].strip("()").split()
        for place in shuffled(range(len(arguments)), rng):
            other = rng.choice(objects)
            atom = f"({' '.join([name, *arguments[:place], other, *arguments[place + 1 :]])})"
            if atom not in present:
                yield line[: match.start()] + atom + line[match.end() :]


def turned(line, rng):
    for match in shuffled(LITERAL.finditer(line), rng):
        text = match[0]
        other = text[5:-1] if text.startswith("(not ") else f"(not {text})"
        yield line[: match.start()] + other + line[match.end() :]
    for old, new in TURNED:
        if old in line:
            yield line.replace(old, new, 1)
        elif new in line:
            yield line.replace(new, old, 1)


def worded_mutants(trace, objects, rng):
    """Yield traces in words with one phrase negated or exchanged, or another object in a phrase."""
    lines = trace.split("\n")
    end = next(place for place, line in enumerate(lines) if begins_answer(line))
    pool = sorted({phrase for line in lines[:end] for phrase in QUOTED.findall(line)})
    for place, line in enumerate(lines[:end]):
        present = QUOTED.findall(line)
        for other in changed_phrases(
            line, [phrase for phrase in pool if phrase not in present], objects, rng
        ):
            yield "\n".join([*lines[:place], other, *lines[place + 1 :]])


def changed_phrases(line, pool, objects, rng):
    present = QUOTED.findall(line)
    for match in QUOTED.finditer(line):
        before, after = line[: match.start()], line[match.end() :]
        yield (
            before.removesuffix("not ") + match[0] + after
            if before.endswith("not ")
            else f"{before}not {match[0]}{after}"
        )
        if pool:
            yield before + rng.choice(pool) + after
        named = [m for m in WORD.finditer(match[0]) if m[0] in objects]
        for name in named[:1]:
            phrase = match[0][: name.start()] + rng.choice(objects) + match[0][name.end() :]
            if phrase not in present:
                yield before + phrase + after
