"""Check the rows on composed domains: what the domain states, its problems, its split and its texts.

The statements of a domain follow from the files of the mechanics that the row names. Plans are executed, and
shortest plans proven, by the checks' own execution and search.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any

from orrery.checks.composed_fragments import (
    LITERAL_KINDS,
    REQUIREMENTS,
    Fragments,
    fragments_of,
    statement_of_key,
)
from orrery.checks.composed_splits import COMPOSED, COMPOSED_SOURCE, LEVELS
from orrery.checks.inputs import split_of
from orrery.checks.reading.composed_texts import COMMON, IMPLIED, STATED, ComposedTextReader
from orrery.checks.reading.cursor import UnreadableText
from orrery.checks.statements import Statement, compared, shown, statements
from orrery.checks.verdicts import differing
from orrery.model import Row

LICENSE = "MIT"
READERS_CACHED = 8  # rows of a domain follow each other


def gold_faults(fragments: Fragments, row: Row) -> Iterator[str]:
    """Yield where the domain of a row differs from the union of the fragments that the row names."""
    gold = statements(row["gold_domain"])
    expected = Counter(map(fragments.themed, fragments.plain))
    expected["domain", row["domain"]] += 1
    expected.update(("requirement", name) for name in REQUIREMENTS)
    yield from compared("gold_domain", gold, expected)
    yield from (
        f"{shown(one)} adds what it deletes"
        for one in gold
        if one[0] == "makes" and one[2][0] != "not" and (*one[:2], ("not", one[2])) in gold
    )
    yield from differing({"source": COMPOSED_SOURCE, "license": LICENSE}, row)
    yield from _name_faults(row)
    if "texts" in row:
        header = Counter(one for one in gold if one[0] not in ("action", *LITERAL_KINDS))
        yield from compared("header", statements(row["header"]), header)
        names = [one[2] for one in gold if one[0] == "action"]
        yield from differing({"action_names": names}, row)
    else:
        yield from differing({"style": COMPOSED}, row)


def _name_faults(row: Row) -> Iterator[str]:
    """Yield where a row is not named after its composition and its level."""
    number = row["domain"].removeprefix(f"{COMPOSED}-")
    expected = [COMPOSED, number, *([row["explicitness"]] if "texts" in row else [])]
    first, _, *path = row["id"].split("/")
    if [first, *path] != expected or not number.isdecimal():
        yield f"is not named after its composition and its level, {expected}"
    if "texts" in row and row["explicitness"] not in LEVELS:
        yield f"has the level {row['explicitness']}"


def reader_of(root: Path, row: Row) -> ComposedTextReader:
    """Return the reader of texts in the words of the fragments that a row names.

    Raises:
        OrreryError: there are no such fragments.
    """
    attachments = tuple(row["attachments"])
    split = split_of(row["id"])
    return _reader(root, tuple(row["mechanics"]), row["theme"], attachments, split, row["gold_domain"])


@lru_cache(maxsize=READERS_CACHED)
def _reader(
    root: Path, mechanics: Sequence[str], theme: str, attachments: Sequence[str], split: str, gold: str
) -> ComposedTextReader:
    return ComposedTextReader(fragments_of(root, mechanics, theme, attachments, split, statements(gold)))


def text_faults(reader: ComposedTextReader, row: Row) -> Iterator[str]:
    """Yield where the texts of a row, or what it says of them, differ from the domain."""
    fragments = reader.fragments
    try:
        if "texts" in row:
            literals = reader.procedure(row["texts"]).literals
        else:
            literals = yield from _description_literals(fragments, reader, row)
    except UnreadableText as error:
        yield f"a text {error}"
        return
    yield from _told_faults(fragments, row, literals)


def _description_literals(fragments: Fragments, reader: ComposedTextReader, row: Row) -> Any:
    plain = Counter(fragments.plain)
    general, abstract = reader.description(row["description_abstract"], details=False)
    declared = Counter(one for one in plain if one[0] not in LITERAL_KINDS)
    yield from compared("description_abstract", Counter(abstract), declared)
    same, concrete = reader.description(row["description_concrete"], details=True)
    yield from compared("description_concrete", Counter(concrete), plain)
    if same != general:
        yield "the descriptions differ in their general parts"
    return reader.general(general)


def _told_faults(
    fragments: Fragments, row: Row, literals: Iterable[tuple[Statement, str, int]]
) -> Iterator[str]:
    """Yield where the column ``told`` differs from the literals that were read in the texts."""
    entries = [
        (statement_of_key(entry["literal"]), entry["how"], tuple(entry["places"])) for entry in row["told"]
    ]
    places: dict[tuple[Statement, str], list[int]] = defaultdict(list)
    for literal, how, place in sorted(literals, key=itemgetter(2)):
        places[literal, how].append(place)
    expected: list[tuple[Statement, str, tuple[int, ...]]] = []
    for literal in fragments.literals:
        how = next((how for how in (STATED, IMPLIED) if (literal, how) in places), COMMON)
        expected.append((fragments.themed(literal), how, tuple(places.get((literal, how), ()))))
        if how == COMMON and literal not in fragments.common:
            yield f"the texts do not tell {shown(literal)}, which is not common knowledge"
    yield from (
        f"the texts tell {shown(one)}, which the domain does not state"
        for one in sorted({literal for literal, _ in places} - fragments.literals, key=repr)
    )
    column, read = Counter(entries), Counter(expected)
    yield from (f"told lacks {one}" for one in sorted(read - column, key=repr))
    yield from (f"told wrongly has {one}" for one in sorted(column - read, key=repr))
