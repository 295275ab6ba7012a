"""Paraphrases by the scripted model: it writes them, and recovers problems from its own paraphrases.

A paraphrase is the text with its sentences in another order. Every second one also has sentences around it
that the reader does not know. Some omit a fact; the problem that the model recovers from them lacks this fact
too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from orrery.checks.paraphrase_reader import ParaphraseReader, reader_of
from orrery.demo_model.replies import NONSENSE
from orrery.language.frame import POINT
from orrery.library.items import Item
from orrery.library.paraphrases import Paraphrase, recovery, rewording
from orrery.model import Literal
from orrery.pddl.read import read_problem
from orrery.pddl.write import write_problem
from orrery.seeds import stream

OPENING, ENDING = "This is how a friend of mine put it.", "That was version {}."
_STOP = re.compile(r"(?<=\.)\s+")
_BOUND = re.compile(r"(It|They) ")  # such a sentence must follow the sentence before it


@dataclass(frozen=True)
class Scripted(Item):
    """A task with the reply of the scripted model."""

    asked: Item | None = None
    reply: str = ""

    @cached_property
    def prompt(self) -> list[dict[str, str]]:
        """The messages of the task."""
        return self.asked.prompt if self.asked else []

    @property
    def gold(self) -> str:
        """The reply of the scripted model."""
        return self.reply


def scripted(items: Iterable[Item], count: int, drop: float = 0.0, seed: int = 0) -> Iterator[Item]:
    """Yield tasks to write ``count`` paraphrases of rows of ``text_to_pddl``, and to recover the problems.

    ``drop`` is the share of paraphrases that omit a fact; ``seed`` selects them.
    """
    for item in items:
        for number in range(1, count + 1):
            row_id = str(item.row["id"])
            faulty = stream(seed, "demo-paraphrase", row_id, number).random() < drop
            texts = _paraphrase_row(item, number, faulty)
            yield _scripted(rewording(item.row, number, item.root), texts.text)
            yield _scripted(
                recovery(item.row, Paraphrase(row_id, number, texts.text), item.root), texts.problem
            )


def _scripted(item: Item, reply: str) -> Scripted:
    return Scripted(item.table, item.row, item.style, item.root, asked=item, reply=reply)


class _Said(NamedTuple):
    """A paraphrase, and the problem that the model recovers from it."""

    text: str
    problem: str


def _paraphrase_row(item: Item, number: int, faulty: bool) -> _Said:
    """Return paraphrase ``number`` of a row."""
    row = item.row
    text, init, problem = str(row["natural_language"]), str(row["init_text"]), str(row["problem_pddl"])
    between = POINT if POINT in init else " "
    sentences = _STOP.split(init.replace(POINT, " "))
    if row["init_is_abstract"] or any(map(_BOUND.match, sentences)):
        sentences = [init]
    if faulty and len(sentences) == 1:
        text, problem = text[: len(text) // 2], NONSENSE  # half a text cannot be recovered
    else:
        if faulty:
            reader = reader_of(item.root, str(row["domain"]))
            problem = _without(reader, problem, sentences.pop())
        turned = sentences[number % len(sentences) :] + sentences[: number % len(sentences)]
        text = text.replace(init, between.join(turned), 1)
    if number % 2 == 0 or text == row["natural_language"]:
        text = f"{OPENING}\n\n{text}\n\n{ENDING.format(number)}"
    return _Said(text, problem)


def _without(reader: ParaphraseReader, pddl: str, sentence: str) -> str:
    """Return a problem without the fact that a sentence states; nonsense if the fact is unknown."""
    problem = read_problem(pddl, reader.domain)
    stated = reader.stated(sentence, problem)
    init = frozenset(fact for fact in problem.init if Literal(fact) not in stated)
    return write_problem(replace(problem, init=init)) if stated else NONSENSE
