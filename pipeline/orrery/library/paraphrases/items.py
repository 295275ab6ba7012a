"""What a model is asked about paraphrases: to write one, and to recover the problem from one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from orrery.dataset.prompts import PromptTemplate
from orrery.families.text_to_pddl.schemas import TEXT_TO_PDDL
from orrery.grading import RIGHT, Score
from orrery.library.items import USUAL, Item
from orrery.library.paraphrases.given import Paraphrase, name_of
from orrery.store.kinds import table_name

TABLE = table_name(TEXT_TO_PDDL)
TEMPLATE = "paraphrases/ask"


@dataclass(frozen=True)
class Rewording(Item):
    """The task to tell a row in other words; any reply is a right one, and judged as a paraphrase later."""

    @cached_property
    def prompt(self) -> list[dict[str, str]]:
        """The messages that a model reads."""
        messages = _template(self.root).say(self.row)
        return [{"role": "system", "content": messages.system}, {"role": "user", "content": messages.user}]

    @property
    def gold(self) -> str:
        """The text of the row, for none is better."""
        return str(self.row["natural_language"])

    def score(self, reply: str | None) -> Score:
        """Return that the reply is right."""
        return Score(1.0, RIGHT)


def rewording(row: Mapping[str, Any], number: int, root: Path) -> Rewording:
    """Return the task to write the paraphrase ``number`` of a row."""
    row_asked = {**row, "id": name_of(str(row["id"]), number), "number": number}
    return Rewording(TABLE, row_asked, TEMPLATE, root)


def recovery(row: Mapping[str, Any], paraphrase: Paraphrase, root: Path) -> Item:
    """Return the task to write the problem in PDDL, from a paraphrase of a row and the domain alone."""
    row_asked = {**row, "id": paraphrase.name, "natural_language": paraphrase.text}
    return Item(TABLE, row_asked, USUAL, root)


@lru_cache(maxsize=8)
def _template(root: Path) -> PromptTemplate:
    return PromptTemplate(root / "templates", TEMPLATE)
