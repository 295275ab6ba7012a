"""Names of worlds in Gymnasium; tests/compatibility has them in the real package."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

import orrery
from orrery.model import ToolMissing
from tests.every_domain import CATALOG


@pytest.fixture
def gymnasium(monkeypatch):
    package, calls = ModuleType("gymnasium"), []

    def register(name, entry_point, kwargs):
        calls.append(name)
        package.registry[name] = SimpleNamespace(entry_point=entry_point, kwargs=kwargs)

    package.registry, package.register, package.calls = {}, register, calls
    monkeypatch.setitem(sys.modules, "gymnasium", package)
    return package


def test_every_domain_with_a_generator_has_a_name(gymnasium):
    names = orrery.register_gymnasium()
    domains = [name for name in CATALOG.names if CATALOG.entry(name).tasks]
    assert names == [*(f"orrery/{name}-v0" for name in domains), "orrery/world-v0"]
    assert gymnasium.registry["orrery/ferry-v0"].kwargs == {"domain": "ferry"}
    assert gymnasium.registry["orrery/world-v0"].kwargs == {}


def test_only_another_root_registers_again(gymnasium, tmp_path):
    names = orrery.register_gymnasium()
    assert orrery.register_gymnasium() == names == gymnasium.calls
    orrery.register_gymnasium(CATALOG.root)
    assert gymnasium.registry["orrery/ferry-v0"].kwargs["root"] == str(CATALOG.root)
    assert orrery.register_gymnasium(tmp_path) == ["orrery/world-v0"]


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(ToolMissing, match="pip install gymnasium"):
        orrery.register_gymnasium()
