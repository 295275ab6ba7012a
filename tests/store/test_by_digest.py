"""Records by their digests: together where they are equal, in memory or on the disk."""

import random
import tempfile

import numpy as np
import pytest

from orrery.store.by_digest import ByDigest, digests


def repeated(records):
    """Return the digests that more than one record has, each once, sorted."""
    values, counts = np.unique(records["digest"], return_counts=True)
    return values[counts > 1]


def in_several(records, field):
    """Return the digests whose records differ in a field, each once, sorted."""
    order = np.lexsort((records[field], records["digest"]))
    found, values = records["digest"][order], records[field][order]
    return np.unique(found[1:][(found[1:] == found[:-1]) & (values[1:] != values[:-1])])


def filled(rng, most, count):
    """Some records that repeat digests, and what was put in, as plain values in that order."""
    records, given = ByDigest([("split", np.uint8)], most=most), []
    names = [f"row {rng.randrange(count)}" for _ in range(2 * count)]
    for start in range(0, len(names), 7):
        some = digests(names[start : start + 7])
        splits = [rng.randrange(3) for _ in some]
        records.add(some, split=splits)
        given += zip(some.tolist(), splits, strict=True)
    return records, given


@pytest.mark.parametrize("most", [0, 5, 100, 1 << 18])
def test_all_records_come_back_with_equal_ones_together_and_in_their_order(most):
    for seed in range(4):
        records, given = filled(random.Random(seed), most, 150)
        with records:
            for _ in range(2):
                found = [list(map(tuple, some.tolist())) for some in records]
                assert sorted(each for some in found for each in some) == sorted(given)
                of = {}
                for number, some in enumerate(found):
                    for digest, _split in some:
                        assert of.setdefault(digest, number) == number
                for some in found:
                    for digest in {each[0] for each in some}:
                        mine = [each for each in some if each[0] == digest]
                        assert mine == [each for each in given if each[0] == digest]


@pytest.mark.parametrize("most", [5, 1 << 18])
def test_what_is_repeated_or_in_several_splits_is_found(most):
    records, given = filled(random.Random(9), most, 150)
    counts = {digest: [each[1] for each in given if each[0] == digest] for digest, _ in given}
    with records:
        twice = [each for some in records for each in repeated(some).tolist()]
        across = [each for some in records for each in in_several(some, "split").tolist()]
    assert sorted(twice) == sorted(digest for digest, some in counts.items() if len(some) > 1)
    assert sorted(across) == sorted(digest for digest, some in counts.items() if len(set(some)) > 1)


def test_no_more_than_a_few_stay_in_memory_and_no_file_stays_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with ByDigest(most=100) as records:
        for start in range(0, 5000, 50):
            records.add(digests(map(str, range(start, start + 50))))
        sizes = [len(some) for some in records]
        assert sum(sizes) == 5000
        assert max(sizes) < 60
        assert list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())


def test_nothing_put_in_is_nothing():
    with ByDigest() as records:
        assert list(records) == []
        records.add(digests([]))
        assert [len(some) for some in records] == [0]
