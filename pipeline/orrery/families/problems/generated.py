"""The generated problems of a domain: what is accepted, in which split it lies, and its number there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

from orrery.catalog import Entry
from orrery.config import Settings
from orrery.families.problems.candidates import ProblemCandidate, from_files
from orrery.families.problems.quotas import is_held_out, quotas, split_of
from orrery.families.problems.sampler import Sampler
from orrery.model import OrreryError


def generated_rows(
    settings: Settings, entry: Entry, sampler: Sampler, counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of the accepted problems; ``counts`` numbers those of each split.

    Raises:
        OrreryError: not one problem is accepted.
    """
    for candidate in _accepted(settings, entry, sampler):
        assert candidate.record is not None
        held = _held_out(settings, entry, candidate)
        split = "test" if held else split_of(entry, settings.size, candidate.record.loose_key)
        yield candidate.row(split, counts[split])
        counts[split] += 1


def _accepted(settings: Settings, entry: Entry, sampler: Sampler) -> Iterator[ProblemCandidate]:
    """Yield the accepted candidates, held-out ones first: loose keys they share belong to the test split."""
    given = from_files(entry)
    held = [each for each in given if _held_out(settings, entry, each)]
    apart, others = quotas(entry, settings.size, settings.held_out)
    accepted = chain(
        sampler.given(held, held_out=True),
        sampler.drawn(apart, held_out=True),
        sampler.given((each for each in given if each not in held), held_out=False),
        sampler.drawn(others, held_out=False),
    )
    if (first := next(accepted, None)) is not None:
        yield first
    elif len(sampler.rejected):
        raise _none_made(entry, sampler)
    yield from accepted


def _held_out(settings: Settings, entry: Entry, candidate: ProblemCandidate) -> bool:
    return is_held_out(entry, candidate.draw.task, settings.size, settings.held_out)


def _none_made(entry: Entry, sampler: Sampler) -> OrreryError:
    """Return the error that says why there is not one problem, by the first rejected candidate."""
    first = next(iter(sampler.rejected))
    return OrreryError(
        str(entry.generator_file if entry.generator else entry.folder / "problems"),
        f"not one problem of {len(sampler.rejected)} drawn can be used; the first: "
        + ": ".join(filter(None, [first.reason, first.detail])),
        f"mend it, or the limits in {entry.folder / 'domain.yaml'}",
    )
