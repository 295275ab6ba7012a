"""Check the description of a picture: its keys, and the predicates that it names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from orrery.model import OBJECT, Domain, OrreryError, did_you_mean
from orrery.pictures.view import names

# Keys of the description whose value is a predicate or a list of predicates, or a mapping by predicate.
PREDICATES = frozenset(
    {
        "on", "on_table", "holding", "clear", "empty", "adjacent", "up", "right", "down", "left", "mover",
        "carries", "painted", "marked", "legend", "free", "sort", "pile", "travel", "sight", "changing",
    }
)  # fmt: skip
BY_PREDICATE = frozenset({"things", "holds", "cover", "inside", "marks", "at"})
CAPTIONS = "list"  # predicates by caption
TYPES = frozenset({"place", "cell", "base", "kinds"})  # types, or static unary predicates
OTHERS = frozenset({"kind", "free_word", "tints"})


def check_picture(picture: Mapping[str, Any] | None, domain: Domain) -> None:
    """Refuse a description that names what the domain does not have.

    Raises:
        OrreryError: a key is unknown, or a predicate or type is not declared.
    """
    place = f"domains/{domain.name}/domain.yaml: picture"
    predicates = {predicate.name for predicate in domain.predicates}
    types = {OBJECT, *(typed.name for typed in domain.types), *predicates}
    known = {*PREDICATES, *BY_PREDICATE, *TYPES, *OTHERS, CAPTIONS}
    for key, value in (picture or {}).items():
        if key not in known:
            mend = did_you_mean(key, sorted(known)) or "see docs/browse.md"
            raise OrreryError(place, f"does not know '{key}'", mend)
        declared, kind = (types, "type or predicate") if key in TYPES else (predicates, "predicate")
        if unknown := [name for name in _named(key, value) if name not in declared]:
            mend = did_you_mean(unknown[0], sorted(declared)) or f"declared: {', '.join(sorted(declared))}"
            raise OrreryError(f"{place}.{key}", f"names '{unknown[0]}', which is no {kind}", mend)


def _named(key: str, value: Any) -> Iterator[str]:
    """Yield the predicates or types in the value of a key."""
    if key in PREDICATES | TYPES:
        yield from map(str, names(value))
    elif key in BY_PREDICATE and isinstance(value, Mapping):
        yield from map(str, value)
    elif key == CAPTIONS and isinstance(value, Mapping):
        listed: Iterable[Any] = value.values()
        for captioned in listed:
            yield from map(str, names(captioned))
