"""Check the rows on all composed domains together: their splits, what train has seen, and that none is twice.

The set of mechanics decides the split. Some mechanics are held out, and some themes are for testing only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from orrery.checks.automorphisms import ColouredGraph, graph_of, profile, same
from orrery.checks.inputs import split_of
from orrery.checks.renamed import domain_structure
from orrery.checks.verdicts import MALFORMED, differing, undecided
from orrery.model import Row
from orrery.pddl.read import PddlError, read_domain
from orrery.seeds import digest
from orrery.yaml_text import read_yaml

COMPOSED = "composed"
COMPOSED_SOURCE = "orrery-composed"
TEST = "test"
HELD_OUT = 1 / 8  # of the mechanics
SHARES = (
    ("train", 0.75),
    ("validation", 0.1),
    (TEST, 0.15),
)  # of the sets of mechanics without held-out ones
LEVELS = ("explicit", "everyday", "sparse")
SHARED_COLUMNS = ("gold_domain", "problems", "mechanics", "attachments", "theme", "seen")


@dataclass
class ComposedRows:
    """Rows on composed domains, and the text of every domain of the table, to be compared at the end.

    ``themes`` are those for testing only.
    """

    seed: int
    themes: Set[str] = frozenset()
    rows: list[Row] = field(default_factory=list)
    domains: dict[str, str] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Take a row of either table; of rows on other domains only the domain."""
        if row["source"] == COMPOSED_SOURCE:
            self.rows.append({name: row[name] for name in ("id", "domain", *SHARED_COLUMNS)})
        if "texts" not in row:
            self.domains[row["id"]] = row["gold_domain"]

    def faults(self) -> Iterator[tuple[str, str, list[str]]]:
        """Yield (domain, id of a row, faults) for each composed domain."""
        by_domain: dict[str, list[Row]] = defaultdict(list)
        for row in self.rows:
            by_domain[row["domain"]].append(row)
        train = [rows[0] for rows in by_domain.values() if split_of(rows[0]["id"]) == "train"]
        mechanics = {name for row in train for name in row["mechanics"]}
        themes = {row["theme"] for row in train}
        equal = self._equal_domains()
        splits_of_sets = self._splits_of_sets(by_domain)
        for domain, rows in by_domain.items():
            first = rows[0]
            faults = [
                *twin_faults(rows, _endings(first), SHARED_COLUMNS),
                *self._split_faults(first),
                *_seen_faults(first, mechanics, themes),
            ]
            faults += [fault for row in rows for fault in equal.get(row["id"], ())]
            if len(splits := splits_of_sets.get(tuple(first["mechanics"]), set())) > 1:
                faults.append(f"its set of mechanics is in the splits {sorted(splits)}")
            yield domain, first["id"], faults

    def _splits_of_sets(self, by_domain: Mapping[str, list[Row]]) -> dict[tuple[str, ...], set[str]]:
        """Return the splits of each set of mechanics with no mechanic or theme that is held out."""
        splits: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for rows in by_domain.values():
            mechanics = rows[0]["mechanics"]
            if not self._held_out(mechanics, rows[0]["theme"]):
                splits[tuple(mechanics)].update(split_of(row["id"]) for row in rows)
        return splits

    def _held_out(self, mechanics: Iterable[str], theme: str) -> list[str]:
        """Return the mechanics and the theme that occur in test only."""
        held_out = [name for name in mechanics if _place(self.seed, "mechanic", name) < HELD_OUT]
        return [*({theme} & self.themes), *held_out]

    def _split_of_set(self, mechanics: Iterable[str]) -> str:
        """Return the split that a set of mechanics without held-out ones gives."""
        place = _place(self.seed, "split", *sorted(mechanics))
        ends = accumulate(share for _, share in SHARES)
        return next((split for (split, _), end in zip(SHARES, ends, strict=True) if place < end), TEST)

    def _split_faults(self, row: Row) -> Iterator[str]:
        split = split_of(row["id"])
        if held_out := self._held_out(row["mechanics"], row["theme"]):
            if split != TEST:
                yield f"has {held_out[0]}, which is for testing, but is in {split}"
        elif split != (split_of_set := self._split_of_set(row["mechanics"])):
            yield f"is in {split}, its set of mechanics in {split_of_set}"

    def _equal_domains(self) -> dict[str, list[str]]:
        """Return, by the id of a composed row, the faults of later domains that equal its own up to names."""
        groups: dict[int, list[tuple[str, ColouredGraph]]] = defaultdict(list)
        equal: dict[str, list[str]] = defaultdict(list)
        composed = {row["id"] for row in self.rows}
        for name, text in sorted(self.domains.items(), key=lambda item: item[0] not in composed):
            graph = domain_graph(text)
            if graph is None:
                continue
            group = groups[profile(graph)]
            for earlier, earlier_graph in group:
                if earlier in composed and (is_same := same(graph, earlier_graph)) is not False:
                    fault = f"{earlier} is equal to {name}"
                    equal[earlier].append(fault if is_same else undecided(f"whether {fault}"))
            group.append((name, graph))
        return equal


def themes_for_testing(root: Path) -> frozenset[str]:
    """Return the names of the themes whose files say that they are for testing only."""
    return frozenset(path.stem for path in root.glob("themes/*.yaml") if read_yaml(path).get("test_only"))


def _place(seed: int, *path: str) -> float:
    """Return a number from 0 to 1 that the seed and a path determine."""
    return int.from_bytes(digest(seed, COMPOSED, *path)) / 2**256


def _endings(row: Row) -> list[str]:
    """Return the endings of the ids of all rows on the domain of a row."""
    number = "/".join(row["id"].split("/")[2:3])
    return [number, *(f"{number}/{level}" for level in LEVELS)]


def twin_faults(rows: Sequence[Row], endings: Sequence[str], columns: Iterable[str]) -> Iterator[str]:
    """Yield where the rows on one domain contradict each other in some columns, or in their split.

    Their ids must have ``endings`` behind domain and split, in some order.
    """
    first = rows[0]
    stated = sorted("/".join(row["id"].split("/")[2:]) for row in rows)
    if stated != sorted(endings):
        yield f"has the rows {stated}, should have {sorted(endings)}"
    for row in rows[1:]:
        if split_of(row["id"]) != split_of(first["id"]):
            yield f"{row['id']} is in another split than {first['id']}"
        for column in columns:
            if row[column] != first[column]:
                yield f"{row['id']} has another {column} than {first['id']}"


def _seen_faults(row: Row, mechanics: Set[str], themes: Set[str]) -> Iterator[str]:
    """Yield where ``seen`` contradicts the mechanics and themes of train."""
    has_theme = row["theme"] in themes
    if set(row["mechanics"]) <= mechanics:
        expected = "both" if has_theme else "mechanics"
    else:
        expected = "theme" if has_theme else "neither"
    yield from differing({"seen": expected}, row)


def domain_graph(text: str) -> ColouredGraph | None:
    """Return a graph of a domain, or None for a domain beyond STRIPS and for text that is no domain.

    The graphs of two domains are isomorphic if the domains are equal up to names and the order of
    declarations.
    """
    try:
        structure = domain_structure(read_domain(text))
    except (PddlError, *MALFORMED):
        return None
    return graph_of(structure)
