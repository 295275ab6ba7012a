"""Items of every table that asks something, made once a process."""

import random
from dataclasses import replace
from functools import cache

from orrery.catalog import entry_of
from orrery.dataset.contents import write_manifest
from orrery.evaluation.asked import AskedTable
from orrery.families.modelling.descriptions import DomainDescriber, header
from orrery.library.items import Item, styles
from orrery.pddl.write import write_domain
from tests.every_domain import ROOT
from tests.library.samples import TABLES, fresh
from tests.store.samples import row as sample_row
from tests.store.samples import write_shards
from tests.tables import MODELLING

MODELLED = ("action_modeling", "domain_modeling")
ASKING = (*TABLES, *MODELLED)


@cache
def modelled(table, name):
    """The item that asks for a domain, or for its actions."""
    entry = entry_of(ROOT, name)
    describer = DomainDescriber(entry.domain, entry.words, entry.description.title)
    row = {"id": f"{name}/test", "domain": name, "gold_domain": write_domain(entry.domain), "problems": []}
    row |= {"header": header(entry.domain), "action_names": [action.name for action in entry.domain.actions]}
    row |= {"texts": describer.texts(), "description_abstract": describer.abstract()}
    row |= {"description_concrete": describer.concrete()}
    if table == "domain_modeling":
        del row["header"]
    return Item(table, row, styles(ROOT, table)[0], ROOT)


def modelled_dataset(folder, *names, table="domain_modeling", **changes):
    """A dataset folder whose test split asks for domains; the first row has the ``changes``."""
    schema = MODELLING[table]
    rows = [dict(modelled(table, name).row) for name in names]
    rows = [{key: value for key, value in row.items() if key in schema.names} for row in rows]
    rows[0] |= changes
    write_shards(folder, schema, "test", [sample_row(schema, **row) for row in rows])
    write_manifest(folder)
    return str(folder)


def items(table, count=2):
    """The first items of a table."""
    if table in MODELLED:
        return [modelled(table, name) for name in ("ferry", "swap")[:count]]
    return fresh(table)[:count]


def asked(table, count=2, turns=0):
    """Items of a table, to be put to a model."""
    return AskedTable(table, items(table, count), "fresh", turns)


def told_in(item, style):
    """The item told in another style."""
    return replace(item, style=style)


def spoilt(text, seed=0):
    """Texts that are nearly a reply: with lines left out, in another order, and cut."""
    lines, rng = text.splitlines(), random.Random(seed)
    shuffled = rng.sample(lines, len(lines))
    without = ["\n".join(lines[:place] + lines[place + 1 :]) for place in range(min(len(lines), 6))]
    return [*without, "\n".join(shuffled), text[: len(text) // 2], text[: -len(lines[-1]) // 2]]
