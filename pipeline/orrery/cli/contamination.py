"""``orrery contamination``: overlaps of texts."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from orrery.cli.options import AsJson
from orrery.model import UsageError


def contamination(
    texts: Annotated[
        str, typer.Argument(metavar="A", help="Texts: a file, a folder, or FILE:COLUMN of a table.")
    ],
    searched: Annotated[str, typer.Argument(metavar="B", help="Texts to search in: the same names as in A.")],
    probe: Annotated[
        int,
        typer.Option(
            min=0, help="Treat B as completions of A's texts, given this many tokens of each (published: 20)."
        ),
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Compute the share of A's 10-grams that occur in B with up to 4 mismatches.

    PDDL keywords and variables are excluded.
    """
    figures = _overlaps(texts, searched, probe)
    typer.echo(json.dumps(figures, indent=2) if as_json else "\n".join(_lines(figures)))


def _overlaps(first_source: str, second_source: str, first: int) -> dict[str, Any]:
    """Return the overlap figures of the texts at ``first_source``, overall and by text, as JSON values.

    With ``first``, each text of ``second_source`` is a model's completion of the text of ``first_source`` at
    the same position, given its first ``first`` tokens.

    Raises:
        UsageError: a source contains no text, or a probe has different numbers of domains and completions.
    """
    from orrery.corpus.contamination import compare, total
    from orrery.corpus.sources import texts_of

    named, searched = texts_of(first_source), [text for _, text in texts_of(second_source)]
    texts = [text for _, text in named]
    if first and len(texts) != len(searched):
        problem = f"has {len(searched)} completions for {len(texts)} domains in {first_source}"
        raise UsageError(second_source, problem, "give one completion for each domain, in their order")
    if first:
        pairs = zip(texts, searched, strict=True)
        overlaps = [_completed(text, completion, first) for text, completion in pairs]
    else:
        overlaps = compare(texts, searched)
    figures = [{"share": overlap.share, **asdict(overlap)} for overlap in [total(overlaps), *overlaps]]
    by_text = [{"text": name, **values} for (name, _), values in zip(named, figures[1:], strict=True)]
    return {"overall": figures[0], "texts": by_text}


def _completed(text: str, completion: str, first: int) -> Any:
    """Return the figures of one stored completion."""
    from orrery.corpus.contamination import probe

    return probe(text, lambda _: completion, first)


def _lines(figures: dict[str, Any]) -> list[str]:
    """Return the figures as lines: one line per text, then the overall line."""
    lines = [_line(row["text"], row) for row in figures["texts"]]
    return [*(lines if len(lines) > 1 else []), _line("overall", figures["overall"])]


def _line(name: str, row: dict[str, Any]) -> str:
    share = "too short" if row["share"] is None else f"{row['share']:.4f}"
    counts = f"{row['found']} of {row['grams']} 10-grams, {row['covered']} of {row['tokens']} tokens"
    return f"{name}: {share} ({counts})"
