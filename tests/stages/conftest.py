"""Builds that tests look at or spoil a copy of, each made once a process."""

import pytest

from tests.checkout import SOME, build, checkout, tiny_build

DOMAINS = ("blocksworld", "ferry")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Tests that look at the same build run in one process."""
    for item in items:
        if item.nodeid.startswith("tests/stages/"):
            if "two_domains" in item.fixturenames:
                item.add_marker(pytest.mark.xdist_group("two domains"))
            if "some_domains" in item.fixturenames:
                item.add_marker(pytest.mark.xdist_group("tiny"))


@pytest.fixture(scope="session")
def two_domains(tmp_path_factory):
    """A tiny build of two domains; not to be changed."""
    root = checkout(tmp_path_factory.mktemp("two"), DOMAINS)
    build(root, DOMAINS)
    return root


@pytest.fixture(scope="session")
def some_domains():
    """The tiny build at which other tests look, too; not to be changed."""
    return tiny_build(SOME)
