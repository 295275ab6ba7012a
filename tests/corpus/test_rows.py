"""What is counted of the requirements of domains."""

from orrery.corpus.rows import requirements
from orrery.pddl.tolerant import read_adl


def test_requirements_are_counted_with_their_pairs():
    texts = [
        "(define (domain a) (:requirements :adl :typing))",
        "(define (domain b) (:requirements :typing))",
    ]
    counts = requirements(map(read_adl, texts))
    assert counts["stated"] == {":adl": 1, ":typing": 2}
    assert counts["together"] == [{"one": ":adl", "other": ":typing", "domains": 1}]
