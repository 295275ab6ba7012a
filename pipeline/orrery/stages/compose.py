"""Stage ``compose``: domains drawn from mechanics and themes, with texts, to ``outputs/composed``.

Compositions are drawn by number until enough are kept. Each rejected one is stored with the rule that it
breaks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import yaml

from orrery.catalog import Catalog
from orrery.composition.compose import check
from orrery.composition.domain_key import domain_key
from orrery.composition.mechanic import FOLDER as MECHANICS
from orrery.composition.mechanic import mechanic_names
from orrery.composition.theme import FOLDER as THEMES
from orrery.composition.theme import theme_names
from orrery.config import COMPOSED, Settings
from orrery.families.modelling.composed import SCHEMAS, KeptDomain, Sieve, composed_rows, seen_in_train
from orrery.families.modelling.schemas import ACTION_MODELING, DOMAIN_MODELING
from orrery.model import OrreryError, Row, UsageError
from orrery.parts import Parts, fingerprint, map_parts, package_fingerprint
from orrery.problems.schemas import REJECTS
from orrery.stages.summary import StageSummary
from orrery.store.files import replacing
from orrery.store.kinds import Schema, table_name
from orrery.store.shards import SPLITS, write
from orrery.workers import Workers

STAGE = "compose"
OUTPUT = "composed"
CHUNK = 40  # compositions that are drawn before the next decision whether enough are kept
ASKED_IN_TURN = ("test", "train", "validation")
MOST_DRAWN = 30  # per domain that is wanted


def run(settings: Settings, workers: Workers) -> StageSummary:
    """Draw compositions until ``composed.domains`` of the size are kept, and write their rows by split.

    Raises:
        OrreryError: a mechanic or theme is faulty, or too few of the compositions can be kept.
    """
    check(settings.root)
    wanted = settings.size.composed.domains
    for folder, names in ((MECHANICS, mechanic_names), (THEMES, theme_names)):
        if wanted and not names(settings.root):
            problem = f"has nothing to compose the {wanted} domains of composed.domains"
            raise OrreryError(str(settings.root / folder), problem, "see docs/compose.md")
    inputs = [settings.root / name for name in (MECHANICS, THEMES, "templates/articles")]
    made_from = fingerprint(inputs, seed=settings.seed, package=package_fingerprint())
    parts = Parts(settings.unfinished / STAGE, SCHEMAS, made_from)
    sieve = Sieve(wanted, _keys_of_others(settings))
    drawing = _Drawing(settings, parts, workers)
    while not sieve.is_full:
        if len(drawing.names) >= MOST_DRAWN * wanted + CHUNK:
            raise OrreryError(
                f"orrery {STAGE}",
                f"only {len(sieve.kept)} of {len(drawing.names)} compositions are kept, {wanted} are wanted",
                f"most often: {_commonest(drawing.rejects)}; add mechanics, or lower composed.domains",
            )
        for key in drawing.draw():
            if not sieve.is_full:
                sieve.add(key)
    counts = _write(settings, drawing, sieve)
    parts.discard()
    reasons = Counter(row["reason"] for row in chain(drawing.rejects, sieve.rejects))
    return StageSummary(STAGE, "", counts, dict(reasons))


@dataclass
class _Drawing:
    """Compositions in the order of their numbers, made in parts by workers."""

    settings: Settings
    parts: Parts
    workers: Workers
    names: list[str] = field(default_factory=list)
    rejects: list[Row] = field(default_factory=list)

    def draw(self) -> list[Row]:
        """Draw the next ``CHUNK`` compositions; return the rows of ``keys`` of those that are domains."""
        numbers = range(len(self.names), len(self.names) + CHUNK)
        make = partial(composed_rows, root=self.settings.root.absolute(), seed=self.settings.seed)
        names = map_parts(make, numbers, self.parts, self.workers, label="composing")
        self.names += names
        self.rejects += self.rows(names, "rejects")
        return list(self.rows(names, "keys"))

    def rows(self, names: Sequence[str], table: str) -> Iterator[Row]:
        """Yield the rows of a table of some parts."""
        return (row for read in self.parts.tables(names, table) for row in read.to_pylist())


def _commonest(rejects: Sequence[Row]) -> str:
    counted = Counter(row["reason"] for row in rejects).most_common(1)
    return counted[0][0] if counted else "no reason"


def _keys_of_others(settings: Settings) -> set[str]:
    """Return the keys of our own domains."""
    catalog = Catalog(settings.root)
    return {domain_key(catalog.entry(name).domain) for name in catalog.names}


def _write(settings: Settings, drawing: _Drawing, sieve: Sieve) -> dict[str, int]:
    """Write the rows of the kept domains by table and split, and the rejects."""
    seen = seen_in_train(sieve.kept)
    asked = _in_turn(sieve.kept)[: settings.size.composed.asked]
    counts = {"domains": len(sieve.kept), "domains with questions": len(asked)}
    with replacing(settings.outputs / OUTPUT) as folder:
        folder.mkdir(parents=True)
        names = {f"{OUTPUT}-{one.number}": seen[one] for one in asked}
        (folder / Path(COMPOSED).name).write_text(yaml.safe_dump(names, sort_keys=False), encoding="utf-8")
        for schema in (ACTION_MODELING, DOMAIN_MODELING):
            for split in SPLITS:
                mine = [one for one in sieve.kept if one.split == split]
                path = folder / f"{table_name(schema)}-{split}.parquet"
                rows = _rows(drawing, schema, split, {one: seen[one] for one in mine})
                counts[f"{table_name(schema)} in {split}"] = write(path, schema, rows)
        rejects = sorted(chain(drawing.rejects, sieve.rejects), key=lambda row: int(row["item"]))
        write(folder / "rejects.parquet", REJECTS, rejects)
    return counts


def _in_turn(kept: Sequence[KeptDomain]) -> list[KeptDomain]:
    """Return the domains in the order of their numbers, of each split one in turn."""
    by_split = [[one for one in kept if one.split == split] for split in ASKED_IN_TURN]
    return [one for turn in zip_longest(*by_split) for one in turn if one is not None]


def _rows(drawing: _Drawing, schema: Schema, split: str, seen: Mapping[KeptDomain, str]) -> Iterator[Row]:
    """Yield the rows of the domains of ``seen`` with their split and what train also has, sorted by id."""
    for one in sorted(seen, key=lambda one: str(one.number)):
        for row in sorted(
            drawing.rows([drawing.names[one.number]], table_name(schema)), key=lambda row: row["id"]
        ):
            yield {**row, "id": row["id"].replace("/", f"/{split}/", 1), "seen": seen[one]}


def show(root: Path, seed: int, number: int) -> str:
    """Return the domain, the texts and a problem of one composition.

    Raises:
        UsageError: the composition breaks a rule, so that no build keeps it.
    """
    check(root)
    rows: dict[str, Any] = dict(composed_rows(number, root, seed))
    if rows["rejects"]:
        reason = rows["rejects"][0]["reason"]
        raise UsageError(f"composition {number}", f"is not kept: {reason}", "try another number")
    domain_row, levels = rows["domain_modeling"][0], rows["action_modeling"]
    parts = [domain_row["gold_domain"], domain_row["description_concrete"]]
    parts += [f"--- procedure, {row['explicitness']}\n{row['texts']['all']}" for row in levels]
    parts.append(f"--- a problem\n{domain_row['problems'][0]['pddl']}")
    return "\n\n".join(parts)
