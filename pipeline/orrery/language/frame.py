"""The frame that joins the sentences on objects, initial state and goal into one text."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import TemplateError

from orrery.language.choices import EVERY, Turn, Wordings
from orrery.language.words import Words, environment, explicit, names_by_type, numbers
from orrery.model import Domain, OrreryError, Problem, literals

FILE = "texts/frame.j2"
REGISTERS = ("terse", "plain", "chatty")
PARTS = ("objects", "init", "goal")
MARKS = ("\ue000", "\ue001", "\ue002")  # in the places of the parts; no text has them
TURNS = 4096  # passages are told apart by so many turns; few, so that they come again
FRAMES = 1024  # frames drawn of each register
POINT = "\n- "  # before each point of a list
STEP = 2_654_435_761  # spreads the numbers of frames over all choices (Knuth, TAOCP 3, 6.4)


class Frame(NamedTuple):
    """The text around objects, initial state and goal, in one wording.

    ``pieces`` stand before, between and after the parts, which come in the ``order`` given by their places
    in ``PARTS``. ``between`` is what joins the sentences of each part. ``held_out`` says whether some of the
    wording occurs in test splits only.
    """

    pieces: tuple[str, str, str, str]
    order: tuple[int, ...]
    between: tuple[str, ...]
    register: str
    held_out: bool

    def around(self, *parts: str) -> str:
        """Return the whole text of objects, initial state and goal."""
        first, second, third = (parts[place] for place in self.order)
        before, one, other, after = self.pieces
        return f"{before}{first}{one}{second}{other}{third}{after}"


class ExplicitText(NamedTuple):
    """A problem in English, sentence by sentence: the whole, the sentences on each part, the register."""

    text: str
    init: str
    goal: str
    register: str


def explicit_text(
    problem: Problem, domain: Domain, words: Words, templates: Path, rng: random.Random
) -> ExplicitText:
    """State each fact of a problem in a sentence; ``rng`` chooses order and wordings."""
    about, number = numbers(rng, 2)
    frame = frame_of(frames(templates), number)
    objects = words.objects(names_by_type(problem, domain), about % TURNS)
    init = explicit(literals(problem.init), words, rng, frame.between[1])
    goal = explicit(problem.goal, words, rng, frame.between[2])
    return ExplicitText(frame.around(objects, init, goal), init, goal, frame.register)


@cache
def frames(templates: Path, held: bool = False) -> tuple[Frame, ...]:
    """Return frames of all registers in turn, drawn from what the template says.

    With ``held`` there are, among others, those that are held out for test splits; without, there are none.

    Raises:
        OrreryError: the template is broken, or a wording lacks one of the three parts.
    """
    found = []
    for number in range(FRAMES):
        for register in REGISTERS:
            turn = Turn(number * STEP % 2**32, held)
            text = _said(templates, register, turn)
            found.append(_frame(text, register, turn.held_out))
    return tuple(found)


def frame_of(known: tuple[Frame, ...], number: int) -> Frame:
    """Return the frame that a number of 32 bits draws."""
    return known[number % len(known)]


@cache
def every_frame(templates: Path, register: str) -> Wordings:
    """Return all frames of a register, with ``MARKS`` for the parts, in single spaces."""
    return Wordings.of(_said(templates, register, EVERY))


def _said(templates: Path, register: str, turn: Any) -> str:
    try:
        template = environment(templates, turn is EVERY).get_template(FILE)
        return str(getattr(template.module, f"frame_{register}")(*MARKS, turn))
    except (TemplateError, AttributeError, TypeError) as error:
        line = getattr(error, "lineno", None)
        where = f"templates/{FILE}{f':{line}' if line else ''}"
        mend = f"it must define frame_{register}(objects, init, goal, variant)"
        raise OrreryError(where, str(error), mend) from error


def _frame(text: str, register: str, apart: bool) -> Frame:
    order = [MARKS.index(mark) for mark in re.findall("|".join(MARKS), text)]
    if sorted(order) != [0, 1, 2]:
        raise OrreryError(
            f"templates/{FILE}",
            f"a wording of frame_{register} does not hold objects, initial state and goal once each",
            "put each where it belongs, as it is",
        )
    first, second, third, last = re.split("|".join(MARKS), text)
    before = dict(zip(order, (first, second, third), strict=True))
    between = tuple(POINT if ("\n" + before[part]).endswith(POINT) else " " for part in range(3))
    return Frame((first, second, third, last), tuple(order), between, register, apart)
