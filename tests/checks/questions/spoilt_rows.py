"""Rows of questions in which something that is stored is another, for tests that this is seen."""

import copy

STORED = {
    "answer", "answer_all", "answer_all_is", "num_unreachable", "typing", "sequence", "plan", "positions",
    "claim", "claims", "choices",
}  # fmt: skip


def changes(row):
    """The row with each stored list, number or position changed in some way, and what was changed."""
    for path, value in _leaves({name: row[name] for name in row.keys() & STORED}):
        for other in _others(value):
            changed = copy.deepcopy(row)
            _set(changed, path, other)
            yield path, changed


def _leaves(value, path=()):
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _leaves(each, (*path, name))
    else:
        yield path, value


def _others(value):
    if isinstance(value, int):
        yield from (value + 1, value - 1)
    elif isinstance(value, list):
        for at in {0, len(value) // 2, len(value) - 1} if value else ():
            yield [*value[:at], *value[at + 1 :]]
            yield [*value, value[at]]
        yield [*value, ["(zz zz)", "1"] if value and isinstance(value[0], list) else "(zz zz)"]


def _set(row, path, value):
    for name in path[:-1]:
        row = row[name]
    row[path[-1]] = value


def moved(row, source, target):
    """The row with one element of the answer on another side."""
    changed = copy.deepcopy(row)
    if not changed["answer"][source]:
        return None
    changed["answer"][target].append(changed["answer"][source].pop(0))
    return changed
