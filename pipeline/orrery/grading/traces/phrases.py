"""Facts and actions in the words of a row: phrases in quotes, read back by the wordings of the row."""

from __future__ import annotations

import re
from functools import cached_property

from ..plans.wordings import read_words, tokens_of
from ..problem import written
from ..row import Atom, Row
from ..symbols import Symbols, fact_symbols, step_symbols
from .lines import TraceFault

_QUOTED = re.compile(r'(not )?"([^"]*)"')


class RowPhrases:
    """The phrases of a row with the column ``nl_templates``."""

    def __init__(self, row: Row) -> None:
        """Read nothing yet."""
        self._row = row
        self._atoms: dict[str, Atom | None] = {}

    @cached_property
    def _symbols(self) -> tuple[Symbols, Symbols]:
        return step_symbols(self._row), fact_symbols(self._row)

    def atom(self, phrase: str) -> Atom | None:
        """Return the fact or action that a whole phrase says; None if it says none, or several."""
        if phrase not in self._atoms:
            tokens = tokens_of(phrase.lower())
            readings = set[Atom]()
            for symbols in self._symbols:
                tree, types = symbols.wordings.tree, symbols.types
                worded = read_words(tree, tokens, 0, symbols.problem, types, False) if tokens else None
                if worded and worded[1] == len(tokens):
                    readings.add(worded[0])
            self._atoms[phrase] = readings.pop() if len(readings) == 1 else None
        return self._atoms[phrase]

    def formal(self, number: int, line: str) -> str:
        """Return a line with PDDL in place of its phrases.

        Raises:
            TraceFault: a phrase is none of the row's.
        """

        def pddl(quoted: re.Match[str]) -> str:
            atom = self.atom(quoted[2])
            if atom is None:
                raise TraceFault(f"line {number}: is no phrase of a fact or an action: {quoted[2][:80]!r}")
            return written((atom, not quoted[1]))

        return _QUOTED.sub(pddl, line) if '"' in line else line
