"""Wordings of mechanics: Jinja text with the nouns and verbs of a theme and the arguments of a fact."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import meta
from jinja2.nodes import Filter

from orrery.language.sandbox import Sandbox
from orrery.language.words import article, capitalised, form, tidy
from orrery.model import OrreryError, did_you_mean

EXPRESSION = re.compile(r"\{\{ [^{}]* \}\}")


@cache
def _sandbox() -> Sandbox:
    sandbox = Sandbox()
    sandbox.filters.update(article=article, capital=capitalised, plural_form=lambda noun: form(noun, 2))
    return sandbox


@cache
def _template(text: str) -> Any:
    return _sandbox().from_string(text)


def _pieces(text: str) -> list[str]:
    """Return the expressions of a wording, which others share; the whole text if it has other syntax."""
    return [text] if "{" in EXPRESSION.sub("", text) else EXPRESSION.findall(text)


@cache
def _names(piece: str) -> frozenset[str]:
    try:
        tree = _sandbox().parse(piece)
    except OrreryError as error:
        raise OrreryError(f"wording '{piece}'", error.problem, "mend the Jinja expression") from error
    filters = _sandbox().filters
    for used in tree.find_all(Filter):
        if used.name not in filters:
            mend = did_you_mean(used.name, filters) or "mend the Jinja expression"
            raise OrreryError(f"wording '{piece}'", f"there is no filter '{used.name}'", mend)
    return frozenset(meta.find_undeclared_variables(tree))


def undefined_names(text: str) -> frozenset[str]:
    """Return the names that a wording uses: roles, verbs and arguments.

    Raises:
        OrreryError: it is no Jinja text, or uses an unknown filter.
    """
    return frozenset[str]().union(*map(_names, _pieces(text)))


def worded(text: str, names: Mapping[str, str]) -> str:
    """Return a wording with its names replaced."""
    if _pieces(text) == [text]:
        return tidy(_template(text).render(names))
    return tidy(EXPRESSION.sub(lambda piece: _template(piece[0]).render(names), text))
