"""Faults come as often as is asked for, at the same requests each time."""

from __future__ import annotations

from collections import Counter

import pytest

from orrery.demo_model import Fault, Faults
from orrery.demo_model.faults import read_faults
from orrery.model import UsageError


def test_they_come_as_often_as_asked_for_and_another_try_may_succeed():
    faults = read_faults(["429=0.2", "cut=0.1"], seed=1)
    drawn = Counter(faults.of(f"prompt {number}", 0) for number in range(5000))
    assert set(drawn) == {None, Fault.TOO_MANY, Fault.CUT}
    assert abs(drawn[Fault.TOO_MANY] / 5000 - 0.2) < 0.03
    assert abs(drawn[Fault.CUT] / 5000 - 0.1) < 0.02
    failing = next(f"prompt {n}" for n in range(5000) if faults.of(f"prompt {n}", 0))
    assert any(faults.of(failing, times) is None for times in range(1, 20))
    assert [faults.of(failing, n) for n in range(9)] == [faults.of(failing, n) for n in range(9)]


def test_a_share_of_one_is_always_and_without_shares_never():
    assert all(Faults({Fault.EMPTY: 1.0}).of(str(n), n) is Fault.EMPTY for n in range(100))
    assert not any(Faults().of(str(n), n) for n in range(100))


@pytest.mark.parametrize("text", ["429", "429=", "429=often", "418=0.5", "=1", ""])
def test_what_is_no_fault_is_refused_with_those_there_are(text):
    with pytest.raises(UsageError, match="kinds: 429, 500, 503, cut"):
        read_faults([text])


@pytest.mark.parametrize("texts", [["429=1.5"], ["429=-0.1"], ["429=0.6", "500=0.6"], ["429=nan"]])
def test_shares_that_are_none_are_refused(texts):
    with pytest.raises(UsageError, match="are not valid shares"):
        read_faults(texts)
