"""An item: a row with its prompt, a right reply, and the function that scores other replies."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from orrery.dataset.prompts import EXAMPLES, PromptTemplate, prompt_names, prompt_of
from orrery.families import table_of
from orrery.grading import RIGHT, Score
from orrery.library.judging import score, scorer_named
from orrery.model import Row, UsageError, suggest
from orrery.seeds import stream

USUAL = "zero_shot"


@dataclass(frozen=True)
class Item:
    """One task for a model: a row of a table with a prompt style.

    ``table`` and ``row`` are the table and its row, with the columns of the published table. ``style`` is the
    prompt style. ``root`` is the folder of templates and domains. ``examples`` are the worked examples
    of the style, if it has any. Items can be pickled.
    """

    table: str
    row: Row
    style: str
    root: Path = field(repr=False)
    examples: tuple[Row, ...] = field(default=(), repr=False)

    @cached_property
    def prompt(self) -> list[dict[str, str]]:
        """The messages of the prompt: ``system``, then ``user``, each with its ``content``.

        Raises:
            UsageError: the table has no prompts, or the row is not for this style, because a value that its
                prompt shows is empty.
        """
        if not table_of(self.table).template:
            raise _silent(self.table)
        prompt = template(self.root, self.table, self.style)
        if empty := prompt.empty_value(self.row):
            row, mend = f"row '{self.row.get('id')}'", "use another style, or leave the row out"
            raise UsageError(row, f"has no prompt of style '{self.style}': {empty} is empty", mend)
        examples = {EXAMPLES: list(self.examples)} if self.examples else {}
        messages = prompt.say({**self.row, **examples} if examples else self.row)
        return [{"role": "system", "content": messages.system}, {"role": "user", "content": messages.user}]

    @property
    def gold(self) -> str:
        """A right reply. If there are several, always the same one for a row.

        Raises:
            UsageError: the table has no prompts.
        """
        gold = table_of(self.table).gold
        if gold is None:
            raise _silent(self.table)
        return gold.reply(self.row, stream(0, "gold", self.row["id"]))

    def score(self, reply: str | None) -> Score:
        """Return the score of a reply to the row. No reply raises."""
        return score(reply, self.row, self.table, root=self.root)

    def feedback(self, reply: str, score: Score) -> str:
        """Return a message that asks for a better reply; empty if none is needed or would be fair."""
        name = table_of(self.table).scorer
        scorer = scorer_named(name, self.root) if name else None
        if scorer is None or (score.verdict == RIGHT and not scorer.corrects_right):
            return ""
        return scorer.feedback(reply, self.row, score)


@lru_cache(maxsize=256)
def template(root: Path, table: str, style: str) -> PromptTemplate:
    """Return the prompt template of a table and style, loaded once per process."""
    return prompt_of(root / "templates", table, style)


def styles(root: Path, table: str) -> list[str]:
    """Return the prompt styles of a table, the default style first.

    Raises:
        UsageError: the table is unknown or has no prompts.
    """
    published = table_of(table)
    if not published.template:
        raise _silent(table)
    start = f"{published.template}_"
    names = [name.removeprefix(start) for name in prompt_names(root / "templates") if name.startswith(start)]
    return sorted(names, key=lambda style: (style != USUAL, style))


def style_of(root: Path, table: str, wanted: str) -> str:
    """Return the wanted style.

    If it is the default style and the table lacks it, return the table's first style.

    Raises:
        UsageError: the table does not have this style; the message lists its styles.
    """
    available = styles(root, table)
    if wanted == USUAL:
        return available[0]
    if wanted not in available:
        raise UsageError(f"table '{table}'", f"has no style '{wanted}'", suggest(wanted, "styles", available))
    return wanted


def shows_examples(root: Path, table: str, style: str) -> bool:
    """Return whether a style shows worked examples, which are stored with the rows."""
    return EXAMPLES in template(root, table, style).columns


def _silent(table: str) -> UsageError:
    return UsageError(f"table '{table}'", "has no questions for a model", "name another table")
