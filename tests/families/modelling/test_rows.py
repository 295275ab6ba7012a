"""Whole domains belong to one split."""

from dataclasses import replace

from orrery.config import HeldOut, load
from orrery.families.modelling import SHARES, split_of_domain, splits_of_domains
from tests.every_domain import ROOT


def test_domains_held_out_are_for_testing():
    settings = load(ROOT)
    open_ones = [name for name, split in splits_of_domains(settings).items() if split != "test"]
    assert open_ones
    for name in open_ones:
        held = replace(settings, held_out=HeldOut(domains=(name,)))
        assert splits_of_domains(held)[name] == "test"


def test_no_domain_moves_when_another_is_added():
    settings = load(ROOT)
    splits = splits_of_domains(settings)
    for name in settings.domains:
        fewer = replace(settings, domains=tuple(other for other in settings.domains if other != name))
        assert splits_of_domains(fewer) == {other: splits[other] for other in fewer.domains}


def test_the_shares_of_splits_are_near_those_stated():
    splits = [split_of_domain(f"d{n}", 1) for n in range(2000)]
    for split, share in SHARES.items():
        assert abs(splits.count(split) / len(splits) - share) < 0.03
    assert splits != [split_of_domain(f"d{n}", 2) for n in range(2000)]
