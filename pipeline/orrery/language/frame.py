"""Join the sentences about objects, initial state and goal into one text with a frame."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import TemplateError

from orrery.language.choices import EVERY, Parts, Turn, Wordings
from orrery.language.words import Words, environment, explicit, names_by_type, numbers
from orrery.model import Domain, OrreryError, Problem, literals

FILE = "texts/frame.j2"
REGISTERS = ("terse", "plain", "chatty")
PARTS = ("objects", "init", "goal")
MARKS = ("\ue000", "\ue001", "\ue002")  # placeholders for the parts; no text contains them
TURNS = 4096  # passages are told apart by so many turns; few, so that they come again
FRAMES = 1024  # number of frames drawn for each register
POINT = "\n- "  # before each item of a list
STEP = 2_654_435_761  # spreads the numbers of frames over all choices (Knuth, TAOCP 3, 6.4)


class Frame(NamedTuple):
    """One wording of the text around objects, initial state and goal.

    ``pieces`` are the texts before, between and after the parts. ``order`` lists the parts by their positions
    in ``PARTS``. ``between`` joins the sentences of each part. ``held_out`` says whether some of the wording
    occurs only in test splits.
    """

    pieces: tuple[str, str, str, str]
    order: tuple[int, ...]
    between: tuple[str, ...]
    register: str
    held_out: bool

    def around(self, *parts: str) -> str:
        """Return the whole text for the sentences on objects, initial state and goal."""
        first, second, third = (parts[place] for place in self.order)
        before, after_first, after_second, end = self.pieces
        return f"{before}{first}{after_first}{second}{after_second}{third}{end}"


class ExplicitText(NamedTuple):
    """A problem in English: the whole text, the sentences of each part, and the register."""

    text: str
    init: str
    goal: str
    register: str


def explicit_text(
    problem: Problem, domain: Domain, words: Words, templates: Path, rng: random.Random
) -> ExplicitText:
    """Return a text that states each fact of a problem in a sentence; ``rng`` chooses order and wordings."""
    about, number = numbers(rng, 2)
    frame = frame_of(templates, number)
    objects = words.objects(names_by_type(problem, domain), about % TURNS)
    init = explicit(literals(problem.init), words, rng, frame.between[1])
    goal = explicit(problem.goal, words, rng, frame.between[2])
    return ExplicitText(frame.around(objects, init, goal), init, goal, frame.register)


def frame_of(templates: Path, number: int, held: bool = False) -> Frame:
    """Return the frame that a 32-bit number selects; consecutive numbers give the registers in turn.

    If ``held``, some of the frames are held out for test splits; otherwise, none is.

    Raises:
        OrreryError: the template is broken, or a wording lacks one of the three parts.
    """
    return _frame_at(templates, number % (FRAMES * len(REGISTERS)), held)


@cache
def _frame_at(templates: Path, number: int, held: bool) -> Frame:
    place, register = divmod(number, len(REGISTERS))
    turn = Turn(place * STEP % 2**32, held)
    return _frame(_speaker(templates, REGISTERS[register])(turn), REGISTERS[register], turn)


def _held_parts(parts: Parts) -> set[tuple[int, ...]]:
    """Return how often the texts of a sequence of choices contain each of ``MARKS``."""
    counts = {(0,) * len(MARKS)}
    for part in parts:
        counts_of_part = (
            {tuple(map(part.count, MARKS))}
            if isinstance(part, str)
            else set().union(*map(_held_parts, part.wordings))
        )
        counts = {tuple(map(add, before, added)) for before in counts for added in counts_of_part}
    return counts


@cache
def every_frame(templates: Path, register: str) -> Wordings:
    """Return all frames of a register in single spaces, with ``MARKS`` in place of the parts."""
    wordings = Wordings.of(_speaker(templates, register, all_wordings=True)(EVERY))
    if _held_parts(wordings.parts) != {(1, 1, 1)}:
        raise _lacks_part(register)
    return wordings


@cache
def _speaker(templates: Path, register: str, *, all_wordings: bool = False) -> Callable[[Any], str]:
    """Return a function that maps a turn to its frame, with ``MARKS`` in place of the parts."""
    with _named(register):
        template = environment(templates, all_wordings).get_template(FILE)
        macro = getattr(template.module, f"frame_{register}")

    def say(turn: Any) -> str:
        with _named(register):
            return str(macro(*MARKS, turn))

    return say


@contextmanager
def _named(register: str) -> Iterator[None]:
    """Add the name of the template to errors raised inside."""
    try:
        yield
    except (TemplateError, AttributeError, TypeError) as error:
        line = getattr(error, "lineno", None)
        place = f"templates/{FILE}{f':{line}' if line else ''}"
        mend = f"it must define frame_{register}(objects, init, goal, variant)"
        raise OrreryError(place, str(error), mend) from error


def _frame(text: str, register: str, turn: Turn) -> Frame:
    order = [MARKS.index(mark) for mark in re.findall("|".join(MARKS), text)]
    if sorted(order) != [0, 1, 2]:
        raise _lacks_part(register)
    first, second, third, last = re.split("|".join(MARKS), text)
    before = dict(zip(order, (first, second, third), strict=True))
    between = tuple(POINT if ("\n" + before[part]).endswith(POINT) else " " for part in range(3))
    return Frame((first, second, third, last), tuple(order), between, register, turn.held_out)


def _lacks_part(register: str) -> OrreryError:
    return OrreryError(
        f"templates/{FILE}",
        f"each wording of frame_{register} must contain objects, initial state and goal exactly once",
        "insert each of the three unchanged",
    )
