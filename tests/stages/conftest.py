"""A build of two domains, made once a process for all tests that look at it or spoil a copy of it."""

import pytest

from tests.checkout import build, checkout

DOMAINS = ("blocksworld", "ferry")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Tests that look at it run in one process."""
    for item in items:
        if item.nodeid.startswith("tests/stages/") and "two_domains" in item.fixturenames:
            item.add_marker(pytest.mark.xdist_group("two domains"))


@pytest.fixture(scope="session")
def two_domains(tmp_path_factory):
    """A tiny build of two domains; not to be changed."""
    root = checkout(tmp_path_factory.mktemp("two"), DOMAINS)
    build(root, DOMAINS)
    return root
