"""Whole domains belong to one split."""

from dataclasses import replace

from orrery.config import HeldOut, load
from orrery.families.modelling import splits_of_domains
from tests.every_domain import ROOT


def test_domains_held_out_are_for_testing():
    settings = load(ROOT)
    open_ones = [name for name, split in splits_of_domains(settings).items() if split != "test"]
    assert open_ones
    for name in open_ones:
        held = replace(settings, held_out=HeldOut(domains=(name,)))
        assert splits_of_domains(held)[name] == "test"
