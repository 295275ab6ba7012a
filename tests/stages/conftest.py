"""A build of two domains, made once a process for all tests that look at it or spoil a copy of it."""

import pytest

from tests.checkout import build, checkout

DOMAINS = ("blocksworld", "ferry")


@pytest.fixture(scope="session")
def two_domains(tmp_path_factory):
    """A tiny build of two domains; not to be changed."""
    root = checkout(tmp_path_factory.mktemp("two"), DOMAINS)
    build(root, DOMAINS)
    return root
