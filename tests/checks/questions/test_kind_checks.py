"""Every kind of question has a check, which vouches for its columns and knows its formats."""

import pytest

from orrery.checks.questions.kinds import kind_checks
from orrery.families.questions.kinds import question_kinds
from orrery.model import OrreryError


def test_every_kind_has_a_check_of_its_columns_and_formats():
    kinds = question_kinds()
    assert set(kind_checks().by_name) == set(kinds)
    for name, check in kind_checks().by_name.items():
        kind = kinds[name]
        assert set(check.columns) == {"answer", *(field.name for field in kind.columns)}
        assert check.groups == {form: kind.group_of(form) for form in kind.formats}
        assert bool(check.holds) == bool(check.keys) == bool(kind.claims)


def test_a_kind_without_a_check_is_named():
    with pytest.raises(OrreryError, match="task 'ninth': has no check"):
        kind_checks().of("ninth")
