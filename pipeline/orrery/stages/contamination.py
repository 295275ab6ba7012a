"""``orrery contamination``: how much of texts stands in others, and what completions repeat of domains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from orrery.corpus.contamination import Overlap, compare, probe, total
from orrery.corpus.text_sources import texts_of
from orrery.model import UsageError


def run(first_source: str, second_source: str, first: int = 0) -> dict[str, Any]:
    """Return the figures of the texts at ``first_source``, overall and by text, as JSON values.

    With ``first``, each text of ``second_source`` is the completion of the text of ``first_source`` at the
    same place by a model that was given so many of its first tokens.

    Raises:
        UsageError: nothing is there, or a probe has other numbers of domains and completions.
    """
    texts, second_texts = texts_of(first_source), texts_of(second_source)
    if first:
        overlaps = _probed(first_source, second_source, texts, second_texts, first)
    else:
        overlaps = compare([text for _, text in texts], [text for _, text in second_texts])
    by_text = [
        {"text": name, **_figures(overlap)} for (name, _), overlap in zip(texts, overlaps, strict=True)
    ]
    return {"overall": _figures(total(overlaps)), "texts": by_text}


def _probed(
    first_source: str,
    second_source: str,
    texts: Sequence[tuple[str, str]],
    second_texts: Sequence[tuple[str, str]],
    first: int,
) -> list[Overlap]:
    if len(texts) != len(second_texts):
        problem = f"has {len(second_texts)} completions for {len(texts)} domains in {first_source}"
        raise UsageError(second_source, problem, "give one completion for each domain, in their order")
    return [
        _completed(text, completion, first)
        for (_, text), (_, completion) in zip(texts, second_texts, strict=True)
    ]


def _completed(text: str, completion: str, first: int) -> Overlap:
    """Return the figures of one completion that is there already."""
    return probe(text, lambda _: completion, first)


def _figures(overlap: Overlap) -> dict[str, Any]:
    return {"share": overlap.share, **asdict(overlap)}
