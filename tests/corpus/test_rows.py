"""Splits of whole domains, and what is counted of their requirements."""

from orrery.corpus.rows import requirements, splits_of
from orrery.pddl.tolerant import read_adl


def test_whole_domains_are_split():
    names = [f"d{n}" for n in range(50)]
    found = splits_of(names, 1)
    assert sorted(found.values()).count("train") == sorted(found.values()).count("validation") == 10
    assert found == splits_of(reversed(names), 1)
    assert found != splits_of(names, 2)


def test_requirements_are_counted_with_their_pairs():
    texts = [
        "(define (domain a) (:requirements :adl :typing))",
        "(define (domain b) (:requirements :typing))",
    ]
    found = requirements(map(read_adl, texts))
    assert found["stated"] == {":adl": 1, ":typing": 2}
    assert found["together"] == [{"one": ":adl", "other": ":typing", "domains": 1}]
