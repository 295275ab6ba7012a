"""A reader by rules as a model: it writes the conditions and effects that a procedure states, and no others.

It reads procedures on composed domains with the bank of clauses and frames. It knows the names and parameters
of the actions. It ignores what a sentence implies and what is common knowledge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from orrery.checks.composed_domains import reader_of
from orrery.checks.composed_splits import COMPOSED_SOURCE
from orrery.checks.reading.composed_texts import STATED
from orrery.checks.reading.cursor import UnreadableText
from orrery.checks.statements import Statement
from orrery.demo_model.rewording import Scripted
from orrery.families import table_of
from orrery.library.items import Item
from orrery.model import Action, Literal, OrreryError, Row
from orrery.pddl.read import read_domain
from orrery.pddl.write import write_domain
from orrery.seeds import stream

TABLE = "action_modeling"
CONDITIONS_WITH_STEPS = frozenset({"map", "rel", "all"})  # the other text conditions state no literal


def extracted(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items; the reply to a procedure on a composed domain has what the procedure states."""
    for item in items:
        if item.table == TABLE and item.row["source"] == COMPOSED_SOURCE:
            reply = stated_actions(item.row, item.root, item.style)
            yield Scripted(item.table, item.row, item.style, item.root, asked=item, reply=reply)
        else:
            yield item


def stated_actions(row: Row, root: Path, style: str) -> str:
    """Return the actions of a row in PDDL, with the literals that its text states in a prompt style.

    Raises:
        OrreryError: the procedure has sentences outside the bank.
    """
    stated = _stated(row, root) if style.partition("_")[0] in CONDITIONS_WITH_STEPS else []
    domain, gold = read_domain(row["gold_domain"]), table_of(TABLE).gold
    assert gold is not None
    actions = tuple(_with_literals(action, stated) for action in domain.actions)
    written = write_domain(replace(domain, actions=actions))
    return gold.reply({**row, "gold_domain": written}, stream(0, "extraction", row["id"]))


def _stated(row: Row, root: Path) -> list[Statement]:
    """Return the statements of the literals that a procedure states."""
    reader = reader_of(root, row)
    try:
        literals = reader.procedure(row["texts"]).literals
    except UnreadableText as error:
        mend = "use the mechanics and themes that the dataset was built with"
        raise OrreryError(row["id"], f"its procedure {error}", mend) from error
    return [reader.fragments.themed(literal) for literal, how, _ in literals if how == STATED]


def _with_literals(action: Action, stated: Iterable[Statement]) -> Action:
    """Return the action with only the stated literals; composed domains have no negative conditions."""
    mine = [(kind, tree) for kind, name, tree in stated if name == action.name]
    effects = [tree for kind, tree in mine if kind == "makes"]
    return replace(
        action,
        preconditions=frozenset(Literal(tree) for kind, tree in mine if kind == "needs"),
        add=frozenset(tree for tree in effects if tree[0] != "not"),
        delete=frozenset(tree[1] for tree in effects if tree[0] == "not"),
    )
