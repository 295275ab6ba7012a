"""The adversary: what replies score that are made without understanding, table by table.

Every table that asks something is attacked by constant replies, fixed rules, rules learned by domain, the
nearest neighbour in train and a small trained classifier. What is learned is tried on problems
that it was not learned from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from orrery.checks.verdicts import MALFORMED
from orrery.dataset.adversary.classifier import classified
from orrery.dataset.adversary.constant import constants
from orrery.dataset.adversary.learned import learned
from orrery.dataset.adversary.nearest import nearest
from orrery.dataset.adversary.rules import fixed
from orrery.dataset.adversary.targets import Trial, attack_of, trials_of
from orrery.dataset.adversary.tried import Tried
from orrery.dataset.adversary.verdict import EVERY, FAILED, FEW, NOISE, SHOWN, WITHIN, Trick, tricks
from orrery.families import table_of, tables
from orrery.model import OrreryError
from orrery.store.shards import splits


class Attacked(NamedTuple):
    """The figures of a table: of all rules on all its rows, and by domain; the rows attacked.

    ``unread`` says why there are none, where a value is malformed.
    """

    table: str
    rows: int
    tricks: Sequence[Trick]
    unread: str = ""

    @property
    def best(self) -> Trick:
        """The rule that lies most above chance on the whole table, the first of several."""
        return self.best_of(EVERY)

    def best_of(self, domain: str) -> Trick:
        """Return the judged rule that lies most above what it may score, one that is too much first."""
        mine = [each for each in self.tricks if each.domain == domain and each.judged]
        return min(mine, key=lambda each: (each.verdict != FAILED, each.limit - each.score, each.rule))

    def shown_of(self, domain: str) -> Trick | None:
        """Return the rule that is not judged and lies most above chance in a domain; None where all are."""
        mine = [each for each in self.tricks if each.domain == domain and not each.judged]
        return min(mine, key=lambda each: (each.limit - each.score, each.rule), default=None)

    @property
    def domains(self) -> list[str]:
        """The domains of the table, sorted."""
        return sorted({each.domain for each in self.tricks} - {EVERY})

    def verdicts(self) -> list[tuple[str, list[str]]]:
        """Return what is wrong with the table and each of its domains, where rows are enough to say so."""
        if self.unread:
            return [(EVERY, [self.unread])]
        judged = [each for each in self.tricks if each.verdict not in (FEW, SHOWN)]
        return [
            (domain, [str(each) for each in judged if each.domain == domain and each.verdict == FAILED])
            for domain in sorted({each.domain for each in judged})
        ]

    @property
    def verdict(self) -> str:
        """The gravest verdict on the table and its domains."""
        found = {each.verdict for each in self.tricks}
        return next((each for each in (FAILED, NOISE, WITHIN) if each in found), FEW)

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values: of all rules on the table, of the best one by domain."""
        shown = [each for each in self.tricks if not each.domain or each.verdict == FAILED]
        best = [self.best_of(domain) for domain in self.domains]
        return {
            "table": self.table,
            "rows": self.rows,
            "verdict": self.verdict,
            "unread": self.unread,
            "rules": [_plain(each) for each in shown],
            "best_by_domain": [_plain(each) for each in best],
        }


def asking(dataset: Path) -> list[str]:
    """Return the tables of a dataset that ask something, sorted."""
    there = splits(dataset)
    return [name for name, table in sorted(tables().items()) if name in there and attack_of(table)]


def with_rows(found: Iterable[Attacked]) -> list[Attacked]:
    """Return those that were attacked on rows, or that say why not."""
    return [each for each in found if each.tricks or each.unread]


def attacked_in(dataset: Path, name: str) -> Attacked:
    """Attack one table of a dataset."""
    attack = attack_of(table_of(name))
    assert attack is not None
    try:
        return attacked(name, trials_of(attack, splits(dataset)[name]))
    except (OrreryError, *MALFORMED) as error:
        return Attacked(name, 0, (), f"cannot be attacked: {' '.join(str(error).split())}")


def attacked(name: str, trials: Sequence[Trial]) -> Attacked:
    """Return what every rule scores on the rows of a table."""
    return Attacked(name, len(trials), tricks(name, trials, tried_on(trials)) if trials else ())


def tried_on(trials: Sequence[Trial]) -> list[Tried]:
    """Return all rules with what they score on some rows."""
    simple = [*constants(trials), *fixed(trials)]
    return [*simple, *learned(trials, simple), *nearest(trials), *classified(trials)]


def _plain(trick: Trick) -> dict[str, Any]:
    return {**trick._asdict(), "limit": trick.limit, "verdict": trick.verdict}
