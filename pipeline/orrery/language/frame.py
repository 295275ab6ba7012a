"""The frame that joins the sentences on objects, initial state and goal into one text."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jinja2 import TemplateError

from orrery.language.words import WORDINGS_TRIED, Words, environment, explicit, names_by_type, numbers
from orrery.model import Domain, OrreryError, Problem, literals

MARKS = ("\ue000", "\ue001", "\ue002")  # in the places of objects, initial state and goal; no text has them
VARIANTS = 12  # a multiple of most numbers of wordings; few, so that passages come again


class Frame(NamedTuple):
    """The text before, between and after objects, initial state and goal in one wording."""

    before: str
    to_init: str
    to_goal: str
    after: str

    def around(self, objects: str, init: str, goal: str) -> str:
        """Return the whole text."""
        return f"{self.before}{objects}{self.to_init}{init}{self.to_goal}{goal}{self.after}"


class ExplicitText(NamedTuple):
    """A problem in English, sentence by sentence: the whole, and the sentences on initial state and goal."""

    text: str
    init: str
    goal: str


def explicit_text(
    problem: Problem, domain: Domain, words: Words, templates: Path, rng: random.Random
) -> ExplicitText:
    """State each fact of a problem in a sentence; ``rng`` chooses order and wordings."""
    about, frame = numbers(rng, 2)
    objects = words.objects(names_by_type(problem, domain), about % VARIANTS)
    init = explicit(literals(problem.init), words, rng)
    goal = explicit(problem.goal, words, rng)
    known = frames(templates)
    return ExplicitText(known[frame % len(known)].around(objects, init, goal), init, goal)


@cache
def frames(templates: Path) -> tuple[Frame, ...]:
    """Read the wordings of what puts objects, initial state and goal together to one text.

    Raises:
        OrreryError: the template is broken, or a wording lacks one of the three.
    """
    try:
        template = environment(templates).get_template("texts/frame.j2")
        frame = template.module.frame  # type: ignore[attr-defined]
        rendered = dict.fromkeys(str(frame(*MARKS, variant)) for variant in range(WORDINGS_TRIED))
    except (TemplateError, AttributeError, TypeError) as error:
        line = getattr(error, "lineno", None)
        where = f"templates/texts/frame.j2{f':{line}' if line else ''}"
        raise OrreryError(where, str(error), "it must define frame(objects, init, goal, variant)") from error
    found = [re.split("|".join(MARKS), text) for text in rendered]
    if [text for text in rendered if re.findall("|".join(MARKS), text) != list(MARKS)]:
        raise OrreryError(
            "templates/texts/frame.j2",
            "a wording does not hold objects, initial state and goal once each, in this order",
            "put each where it belongs, as it is",
        )
    return tuple(Frame(*pieces) for pieces in found)
