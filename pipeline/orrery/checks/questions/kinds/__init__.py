"""The checks of the question kinds, a module each, found by looking in this folder."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from orrery.checks.questions.kind_check import KindCheck
from orrery.model import OrreryError


@cache
def kind_checks() -> Mapping[str, KindCheck]:
    """Find the checks of all kinds by name, sorted."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return MappingProxyType({name: importlib.import_module(f"{__name__}.{name}").CHECK for name in names})


def check_of(kind: str) -> KindCheck:
    """Find the check of a kind.

    Raises:
        OrreryError: there is none.
    """
    try:
        return kind_checks()[kind]
    except KeyError:
        mend = f"write checks/questions/kinds/{kind}.py"
        raise OrreryError(f"kind '{kind}'", "has no check", mend) from None
