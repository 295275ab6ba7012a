"""Splits of whole domains, and what is counted of their requirements."""

from orrery.corpus.rows import requirements, splits_of
from orrery.pddl.tolerant import read_adl


def test_whole_domains_are_split():
    names = [f"d{n}" for n in range(50)]
    split_of = splits_of(names, 1)
    assert sorted(split_of.values()).count("train") == sorted(split_of.values()).count("validation") == 10
    assert split_of == splits_of(reversed(names), 1)
    assert split_of != splits_of(names, 2)


def test_requirements_are_counted_with_their_pairs():
    texts = [
        "(define (domain a) (:requirements :adl :typing))",
        "(define (domain b) (:requirements :typing))",
    ]
    counts = requirements(map(read_adl, texts))
    assert counts["stated"] == {":adl": 1, ":typing": 2}
    assert counts["together"] == [{"one": ":adl", "other": ":typing", "domains": 1}]
