"""Every column of every table is damaged in turn: validation finds it, or lists it as unchecked."""

import json
import shutil

import pytest

from orrery.checks import unchecked
from orrery.store.shards import read_rows, shards, write
from tests.checkout import orrery
from tests.tables import PUBLISHED

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

APART = {"id", "domain", "problem_id"}  # found by the name of the row, or by that of another
PROBLEMS = "problems"


def damaged_value(value):
    """Another value of the same type; None if there is none to be had from an empty one."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return value + "x" if value else "x"
        case []:
            return None
        case [_]:
            return []
        case list():
            return value[1:]
        case dict():
            return next(
                ({**value, k: new} for k, v in value.items() if (new := damaged_value(v)) is not None), None
            )
    return None


def damage(root, waiting):
    """Damage as many columns as there are rows to hold them; return the damages by row, and the rest."""
    ids, rest = {}, []
    for name in dict.fromkeys(name for name, _ in waiting):
        columns = [column for other, column in waiting if other == name]
        for path in shards(root / "outputs/dataset", name):
            rows = list(read_rows(path, PUBLISHED[name]))
            for number, row in enumerate(rows):
                column = next((c for c in columns if damaged_value(row[c]) is not None), None)
                if column is not None:
                    columns.remove(column)
                    ids[row["id"]] = (name, column)
                    rows[number] = {**row, column: damaged_value(row[column])}
            write(path, PUBLISHED[name], rows)
        rest += [(name, column) for column in columns]
    return ids, rest


def missed_by_validation(root, ids):
    """The damages of rows in which validation finds no fault."""
    result = orrery(root, "validate", "--jobs", "1")
    assert result.exit_code in (0, 3), result.exception
    failed = json.loads((root / "outputs/report/validation.json").read_text())["failed"]
    said = [f"{finding['row']}: {text}" for finding in failed for text in finding["faults"]]

    def is_found(row, column):
        """Faults of several rows of a problem name the first of these rows."""
        problem = "/".join(row.split("/")[:3])
        return any(row in text or (problem in text and f"{column} " in text) for text in said)

    return {damage for row, damage in ids.items() if not is_found(row, damage[1])}


@pytest.mark.parametrize("of_problems", [True, False], ids=[PROBLEMS, "other tables"])
def test_a_damage_of_every_column_is_found_or_the_column_is_listed(two_domains, tmp_path, of_problems):
    """Damages of problems stand alone: of a damaged problem, other tables are not checked."""
    waiting = [
        (name, column)
        for name, schema in PUBLISHED.items()
        for column in schema.names
        if column not in APART and (name == PROBLEMS) == of_problems
    ]
    listed = {(name, column) for name, columns in unchecked().items() for column in columns}
    missed, tried = set(), set()
    while waiting:
        root = shutil.copytree(two_domains, tmp_path / "copy")
        shutil.rmtree(root / "outputs/dataset/views")  # they repeat columns of questions
        ids, waiting = damage(root, waiting)
        if not ids:
            break
        tried |= {*ids.values()}
        missed |= missed_by_validation(root, ids)
        shutil.rmtree(root)
    assert missed - listed == set()
    assert len(tried) > 8 * len({name for name, _ in tried})
