"""``orrery contamination``: how much of texts stands in others, and what completions repeat of domains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from orrery.corpus.contamination import Overlap, compare, probe, total
from orrery.corpus.text_sources import texts_of
from orrery.model import UsageError


def run(one: str, other: str, first: int = 0) -> dict[str, Any]:
    """Return the figures of the texts at ``one``, overall and by text, as JSON values.

    With ``first``, each text of ``other`` is taken as the completion of the text of ``one`` at the same
    place, which saw its first so many tokens.

    Raises:
        UsageError: nothing is there, or a probe has other numbers of domains and completions.
    """
    texts, others = texts_of(one), texts_of(other)
    if first:
        found = _probed(one, other, texts, others, first)
    else:
        found = compare([text for _, text in texts], [text for _, text in others])
    by_text = [{"text": name, **_figures(each)} for (name, _), each in zip(texts, found, strict=True)]
    return {"overall": _figures(total(found)), "texts": by_text}


def _probed(
    one: str, other: str, texts: Sequence[tuple[str, str]], others: Sequence[tuple[str, str]], first: int
) -> list[Overlap]:
    if len(texts) != len(others):
        problem = f"holds {len(others)} completions of {len(texts)} domains in {one}"
        raise UsageError(other, problem, "give one completion for each domain, in their order")
    return [_completed(text, said, first) for (_, text), (_, said) in zip(texts, others, strict=True)]


def _completed(text: str, said: str, first: int) -> Overlap:
    """Return the figures of one completion that is there already."""
    return probe(text, lambda _: said, first)


def _figures(found: Overlap) -> dict[str, Any]:
    return {"share": found.share, **asdict(found)}
