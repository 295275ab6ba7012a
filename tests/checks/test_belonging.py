"""Which rows belong to which problem: from lists on the disk, as by looking at all names."""

import pickle
import random

import pyarrow as pa
import pytest

from orrery.checks import belonging as module
from orrery.checks.belonging import belonging
from orrery.store import by_digest


def pieces(names, size):
    return [pa.array(names[start : start + size], pa.string()) for start in range(0, len(names), size)]


@pytest.fixture(params=["in memory", "on the disk"])
def _where(request, monkeypatch):
    if request.param == "on the disk":
        monkeypatch.setattr(by_digest.ByDigest.__init__, "__kwdefaults__", {"most": 40})
        monkeypatch.setattr(module, "FEW", 16)
        monkeypatch.setattr(module, "STRETCH", 4)


@pytest.mark.usefixtures("_where")
def test_rows_are_found_as_by_looking_at_all_names():
    for seed in range(12):
        rng = random.Random(seed)
        count = rng.choice([0, 1, 7, 120])
        problems = [
            f"p{rng.randrange(2 * count)}" for _ in range(count)
        ]  # some stand twice, some are missing
        problems += [None] * (seed % 3 == 1)
        tables = {
            name: [rng.choice([*problems, "strange", None]) for _ in range(rng.choice([0, 3, 400]))]
            for name in ("one", "two", "three")
        }
        size = rng.choice([1, 7, 1000])
        found = belonging(pieces(problems, size), {name: pieces(some, size) for name, some in tables.items()})
        for name, some in tables.items():
            mine = pickle.loads(pickle.dumps(found[name]))
            of = [problems.index(each) if each in problems else -1 for each in some]
            assert mine.lost.tolist() == [row for row, place in enumerate(of) if place < 0]
            every = [place for some in mine.places() for place in some.tolist()]
            assert sorted(set(every)) == sorted({*of} - {-1})
            assert every == sorted(every)
            for start in range(0, len(problems) + 1):
                for stop in range(start, min(len(problems), start + 9) + 1):
                    wanted = sorted((p, row) for row, p in enumerate(of) if start <= p < stop)
                    assert mine.rows(range(start, stop)).tolist() == [row for _, row in wanted]


def test_names_of_equal_digests_are_told_apart(monkeypatch):
    """The first half alone would take some for others."""
    really = module._digest
    monkeypatch.setattr(module, "_digest", lambda name: bytes(8) + really(name)[8:])
    problems = [f"p{number}" for number in range(50)]
    found = belonging(pieces(problems, 9), {"one": pieces([*reversed(problems), "other"], 9)})["one"]
    assert [found.rows(range(n, n + 1)).tolist() for n in range(50)] == [[49 - n] for n in range(50)]
    assert found.lost.tolist() == [50]
